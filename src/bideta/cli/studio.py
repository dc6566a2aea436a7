"""Adapt a sensor in the browser; the same server answers robots."""

from __future__ import annotations

import errno
import importlib.util
import ipaddress
import os
import socket
import sys
import threading
import webbrowser
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Annotated, Any

import typer

from bideta.cli._options import Download, EncoderSettings, SomeEncoder
from bideta.cli._settings import parse_settings
from bideta.cli._terminal import note
from bideta.images.background import read_background
from bideta.service.choices import DEFAULT_ENCODER

NEEDED = ("fastapi", "uvicorn", "multipart", "websockets")
KEEP_ALIVE = 120  # s: clients that come back every few seconds keep their connection
GRACE = 3  # s that requests have to end in after Ctrl-C
WAITING = 2  # messages of a websocket that are taken before they are answered
AT_ONCE = 64  # connections taken in one go: a crowd at the door does not hold up those inside

EXAMPLES = """
bideta studio
bideta studio --port 0 --no-open
"""


def main(
    port: Annotated[int, typer.Option(min=0, max=65535, help="0 takes a free one")] = 8765,
    host: Annotated[
        str, typer.Option(help="address to bind; another than loopback lets other machines in")
    ] = "127.0.0.1",
    token: Annotated[
        str | None,
        typer.Option(envvar="BIDETA_TOKEN", help="every request must show it; a new one is made if left out"),
    ] = None,
    no_token: Annotated[
        bool, typer.Option("--no-token", help="let everybody on this machine in; with loopback only")
    ] = False,
    allow_host: Annotated[
        list[str] | None, typer.Option(help="name under which this machine is reached; may be repeated")
    ] = None,
    encoder: SomeEncoder = DEFAULT_ENCODER,
    settings: EncoderSettings = None,
    home: Annotated[Path | None, typer.Option(help="where sessions are kept")] = None,
    slots: Annotated[
        int | None, typer.Option(min=1, help="computations at a time; all cores if left out")
    ] = None,
    queue: Annotated[int, typer.Option(min=0, help="requests that may wait for a slot")] = 96,
    lifetime: Annotated[
        float, typer.Option(min=0.01, help="hours a session is kept after its last use")
    ] = 168,
    no_open: Annotated[bool, typer.Option("--no-open", help="do not open a browser")] = False,
    download: Download = False,
    background: Annotated[
        Path | None,
        typer.Option(
            help="untouched picture of the sensor, or a folder of them; for encoders that ask for it"
        ),
    ] = None,
) -> None:
    """Open the studio: drop contacts of a new sensor, adapt, look, export. Also the serving API (/openapi.json)."""
    missing = [name for name in NEEDED if importlib.util.find_spec(name) is None]
    if missing:
        raise ModuleNotFoundError(f"the studio needs {', '.join(missing)}: pip install 'bideta[serve]'")
    if no_token and token:
        raise ValueError("--no-token and a token (--token or BIDETA_TOKEN) contradict each other; give one")
    if no_token and not is_loopback(host):
        raise ValueError(f"--host {host} lets other machines in, so a token is needed: leave out --no-token")
    from bideta.studio.app import create_app
    from bideta.studio.limits import Limits, default_home
    from bideta.studio.logins import check_token, new_token

    made = None if no_token or token else new_token()
    if token:
        check_token(token)

    encoder_settings = parse_settings(settings)
    folder = (home or default_home()).absolute()
    with bind(host, port) as sock:  # before the encoder is loaded: a port in use is said at once
        app = create_app(
            folder,
            encoder,
            encoder_settings,
            limits=Limits(lifetime=lifetime * 3600, queue=queue),
            slots=slots,
            token=token or made,
            hosts=[*(allow_host or []), *([] if is_any(host) else [host])],
            any_address=is_any(host),
            download=download,
            background=None if background is None else read_background(background),
        )
        name = host if not is_any(host) else "localhost"
        address = f"http://{f'[{name}]' if ':' in name else name}:{sock.getsockname()[1]}/"

        def announce() -> None:
            note(f"studio: {address}{f'#token={made}' if made else ''}")
            if token:
                note("open it with #token=… behind the address, or type the token on the page")
            note(f"sessions are kept in {folder}; Ctrl-C stops the server", style="dim")
            if not no_open:
                # A ticket, not the token: the address is seen by everybody who lists processes.
                shown = address if no_token else f"{address}#token={app.state.studio.logins.ticket()}"
                threading.Thread(target=webbrowser.open, args=[shown], daemon=True).start()

        serve(app, sock, announce, largest_message=Limits().image_bytes)
    note(f"stopped; sessions are kept in {folder}")
    if app.state.studio.left_behind:  # a computation that nobody waits for; what is on disk is whole
        os._exit(0)


def serve(app: Any, sock: socket.socket, announce: Callable[[], None], largest_message: int) -> None:
    """Answer requests until Ctrl-C; ``announce`` is called once connections are accepted."""
    import uvicorn

    from bideta.studio.connections import Connection, Stream, allow_open_files

    allow_open_files()
    config = uvicorn.Config(
        app,
        http=Connection,
        ws=Stream,
        log_level="warning",
        access_log=False,
        timeout_keep_alive=KEEP_ALIVE,
        timeout_graceful_shutdown=GRACE,
        backlog=AT_ONCE,
        server_header=False,
        ws_max_size=largest_message,
        ws_max_queue=WAITING,
    )

    class Server(uvicorn.Server):
        async def startup(self, sockets: list[socket.socket] | None = None) -> None:
            await super().startup(sockets)
            if self.started and not self.should_exit:
                announce()

    server = Server(config)
    with suppress(KeyboardInterrupt):  # uvicorn passes Ctrl-C on when it has shut down: the normal end
        server.run(sockets=[sock])
    if not server.started:
        sys.exit(1)  # uvicorn has said why


def bind(host: str, port: int) -> socket.socket:
    """A socket at this address that does not listen yet."""
    sock = socket.socket(socket.AF_INET6 if ":" in host else socket.AF_INET)
    if os.name == "posix":  # elsewhere it would share the port with a running server
        sock.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    # An answer goes out in two pieces. Without this the second waits for the client to acknowledge the first: 40 ms.
    sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    try:
        sock.bind((host, port))
    except OSError as error:
        sock.close()
        if error.errno == errno.EADDRINUSE:
            raise ValueError(f"port {port} is in use; choose another with --port") from error
        raise ValueError(
            f"cannot bind to --host {host} --port {port}: {error.strerror}; choose another"
        ) from error
    return sock


def is_loopback(host: str) -> bool:
    """True where only this machine can connect."""
    return host == "localhost" or any(address.is_loopback for address in _addresses(host))


def is_any(host: str) -> bool:
    """True where all interfaces are meant."""
    return any(address.is_unspecified for address in _addresses(host))


def _addresses(host: str) -> list[ipaddress.IPv4Address | ipaddress.IPv6Address]:
    """The address that ``host`` is, none where it is a name."""
    try:
        return [ipaddress.ip_address(host)]
    except ValueError:
        return []
