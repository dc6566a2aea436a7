"""``python tests/support/offline.py adapt …``: a bideta command in a process that the kernel ends at its first attempt
to reach a network, by whatever library. The line of Python that made it is printed.

Python's own hooks do not see what a library does in C++, and a network namespace does not say who tried. A seccomp
filter sees every system call of every thread. It ends the process where a socket for the internet is made; a server
(``studio``) may make stream sockets to listen on, but none for datagrams (which is how names are looked up) and it may
not connect.
"""

from __future__ import annotations

import ctypes
import faulthandler
import platform
import signal
import socket
import struct
import sys

# System calls socket and connect by machine, and the number by which seccomp knows the machine.
CALLS = {"x86_64": (41, 42, 0xC000003E), "aarch64": (198, 203, 0xC00000B7)}
ENDED = -signal.SIGSYS if hasattr(signal, "SIGSYS") else None  # return code of a process that tried
LOAD, EQUAL, AND, RETURN = 0x20, 0x15, 0x54, 0x06  # instructions of the filter
ALLOW, TRAP = 0x7FFF0000, 0x00030000
NUMBER, MACHINE, FIRST, SECOND = (
    0,
    4,
    16,
    24,
)  # where the filter finds the call, the machine and two arguments
KIND = 0xF  # of the second argument of socket; the rest are flags
SECCOMP, FILTER_MODE, NO_NEW_PRIVILEGES = 22, 2, 38


def supported() -> bool:
    """Whether this machine has such filters."""
    return sys.platform == "linux" and platform.machine() in CALLS


def refuse_network(*, listening: bool = False) -> None:
    """From here on an attempt ends this process; ``listening`` allows stream sockets."""
    make, connect, machine = CALLS[platform.machine()]
    program = [(LOAD, 0, 0, MACHINE), (EQUAL, 1, 0, machine), (RETURN, 0, 0, ALLOW), (LOAD, 0, 0, NUMBER)]
    if listening:
        program += [(EQUAL, 0, 1, connect), (RETURN, 0, 0, TRAP)]
    tests = [(LOAD, 0, 0, FIRST), (EQUAL, 1, 0, socket.AF_INET), (EQUAL, 0, 99, socket.AF_INET6)]
    if listening:
        tests += [(LOAD, 0, 0, SECOND), (AND, 0, 0, KIND), (EQUAL, 0, 99, socket.SOCK_DGRAM)]
    tests += [(RETURN, 0, 0, TRAP), (RETURN, 0, 0, ALLOW)]
    last = len(tests) - 1
    tests = [
        (code, yes, last - place - 1 if no == 99 else no, value)
        for place, (code, yes, no, value) in enumerate(tests)
    ]
    program += [(EQUAL, 0, len(tests) - 1, make), *tests]
    code = b"".join(struct.pack("HBBI", *one) for one in program)
    buffer = ctypes.create_string_buffer(code)
    header = ctypes.create_string_buffer(struct.pack("H6xP", len(program), ctypes.addressof(buffer)))
    libc = ctypes.CDLL(None, use_errno=True)
    faulthandler.register(signal.SIGSYS, chain=True)
    if libc.prctl(NO_NEW_PRIVILEGES, 1, 0, 0, 0) or libc.prctl(SECCOMP, FILTER_MODE, header):
        raise OSError(ctypes.get_errno(), "no seccomp filter")


if __name__ == "__main__":
    refuse_network(listening=sys.argv[1:2] == ["studio"])
    from bideta.cli import main

    main()
