"""Values in a pickle, read without unpickling: nothing can be executed, because nothing is ever called.

We walk over the instructions of the file and keep lists, dictionaries, texts and numbers. Bytes stay on disk: what is
kept is where they lie. Arrays of numpy become a shape, a dtype and such a place. Any other object is ``Foreign``.
Nothing but texts and numbers is ever printed: sixty tuples of the same tuples would make a text without end.
"""

from __future__ import annotations

import pickletools
from dataclasses import dataclass, field
from math import prod
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np
from numpy.typing import NDArray

from bideta.images.reading import shown

MAX_INSTRUCTIONS = 2_000_000  # a picture takes two, an array twenty; each may make an object of 200 bytes
MAX_TEXT = 10_000  # characters
SMALL = 2**32  # a number that is its own hash
BYTES = {
    "BINBYTES": 4,
    "SHORT_BINBYTES": 1,
    "BINBYTES8": 8,
    "BYTEARRAY8": 8,
}  # and the bytes of their lengths
RECONSTRUCT = ("numpy.core.multiarray _reconstruct", "numpy._core.multiarray _reconstruct")
# What a damaged or hostile file makes the walk raise.
REFUSALS = (
    ValueError,
    IndexError,
    KeyError,
    TypeError,
    AttributeError,
    OverflowError,
    MemoryError,
    RecursionError,
)


@dataclass(frozen=True)
class Span:
    """Bytes of the file that nobody has read yet."""

    offset: int
    length: int


@dataclass
class Foreign:
    """An object that we do not build; ``name`` is what the file calls it."""

    name: str
    arguments: Any = ()
    state: Any = field(default=None, repr=False)


@dataclass(frozen=True)
class Stored:
    """A numpy array in the file."""

    shape: tuple[int, ...]
    dtype: np.dtype[Any]
    span: Span


class _Bounded:
    """A file that never reads beyond its end, whatever length an instruction names."""

    def __init__(self, stream: BinaryIO, size: int) -> None:
        self._stream, self._size = stream, size

    def read(self, count: int = -1) -> bytes:
        left = self._size - self._stream.tell()
        if count > left:
            raise ValueError(f"the file ends {count - left} bytes too early")
        return self._stream.read(count)

    def readline(self) -> bytes:
        return self._stream.readline(MAX_TEXT)

    def tell(self) -> int:
        return self._stream.tell()


def walk(path: Path) -> Any:
    """What the pickle holds, with places for bytes and arrays."""
    try:
        with path.open("rb") as stream:
            return _Walk().run(_Bounded(stream, path.stat().st_size))
    except REFUSALS as error:
        raise ValueError(f"cannot read {shown(path)} as a pickle of pictures: {str(error)[:200]}") from error


def content(path: Path, span: Span) -> bytes:
    """The bytes of a place."""
    with path.open("rb") as stream:
        stream.seek(span.offset)
        return stream.read(span.length)


def array(path: Path, stored: Stored) -> NDArray[Any]:
    """The numpy array of a place."""
    return np.frombuffer(content(path, stored.span), stored.dtype).reshape(stored.shape)


class _Walk:
    """A stack machine without calls."""

    def __init__(self) -> None:
        self.stack: list[Any] = []
        self.marks: list[int] = []
        self.memo: dict[int, Any] = {}

    def run(self, stream: _Bounded) -> Any:
        instructions: Any = pickletools.genops(stream)  # type: ignore[arg-type]
        for count, (instruction, argument, position) in enumerate(instructions):
            if count >= MAX_INSTRUCTIONS:
                raise ValueError(f"more than {MAX_INSTRUCTIONS:,} instructions")
            name = instruction.name
            if name == "STOP":
                return self.stack.pop()
            if name in BYTES:
                self.stack.append(Span(position + 1 + BYTES[name], len(argument)))
            else:
                self.step(name, argument)
        raise ValueError("it has no end")

    def step(self, name: str, argument: Any) -> None:
        stack = self.stack
        if name in ("PROTO", "FRAME"):
            return
        if name in ("NONE", "NEWTRUE", "NEWFALSE"):
            stack.append({"NONE": None, "NEWTRUE": True, "NEWFALSE": False}[name])
        elif name in ("EMPTY_LIST", "EMPTY_DICT", "EMPTY_TUPLE"):
            stack.append({"EMPTY_LIST": list, "EMPTY_DICT": dict, "EMPTY_TUPLE": tuple}[name]())
        elif name == "MARK":
            self.marks.append(len(stack))
        elif name in ("APPENDS", "SETITEMS", "TUPLE", "LIST", "DICT"):
            self._gather(name)
        elif name in ("TUPLE1", "TUPLE2", "TUPLE3"):
            size = int(name[-1])
            stack[-size:] = [tuple(stack[-size:])]
        elif name == "APPEND":
            value = stack.pop()
            self._list(stack[-1]).append(value)
        elif name == "SETITEM":
            value, key = stack.pop(), stack.pop()
            self._set(stack[-1], key, value)
        elif name == "MEMOIZE":
            self.memo[len(self.memo)] = stack[-1]
        elif name in ("BINPUT", "LONG_BINPUT", "PUT"):
            if not 0 <= int(argument) < SMALL:
                raise ValueError(f"a memory of number {int(argument)}")
            self.memo[int(argument)] = stack[-1]
        elif name in ("BINGET", "LONG_BINGET", "GET"):
            stack.append(self.memo[int(argument)])
        elif name == "POP":
            stack.pop()
        elif name == "GLOBAL":
            stack.append(Foreign(str(argument)))
        elif name == "STACK_GLOBAL":
            attribute, module = stack.pop(), stack.pop()
            if not (isinstance(attribute, str) and isinstance(module, str)):
                raise ValueError("a name that is no text")
            stack.append(Foreign(f"{module} {attribute}"))
        elif name in ("REDUCE", "NEWOBJ"):
            arguments, called = stack.pop(), stack.pop()
            stack.append(Foreign(called.name if isinstance(called, Foreign) else "", arguments))
        elif name == "BUILD":
            state = stack.pop()
            stack[-1] = self._built(stack[-1], state)
        elif isinstance(argument, int | float | str) and "STRING" not in name:
            if isinstance(argument, str) and len(argument) > MAX_TEXT:
                raise ValueError("a text that is too long for a name")
            stack.append(argument)
        else:
            raise ValueError(f"the instruction {name}, which data does not need; save it again with Python 3")

    def _gather(self, name: str) -> None:
        start = self.marks.pop()
        items = self.stack[start:]
        del self.stack[start:]
        if name == "TUPLE":
            self.stack.append(tuple(items))
        elif name == "LIST":
            self.stack.append(items)
        elif name == "APPENDS":
            self._list(self.stack[-1]).extend(items)
        else:
            if name == "DICT":
                self.stack.append({})
            for key, value in zip(items[::2], items[1::2], strict=True):
                self._set(self.stack[-1], key, value)

    @staticmethod
    def _list(value: Any) -> list[Any]:
        if isinstance(value, Foreign):
            return []  # what is added to something that we do not build
        if not isinstance(value, list):
            raise ValueError("an item is added to something that is no list")
        return value

    @staticmethod
    def _set(value: Any, key: Any, item: Any) -> None:
        # No list that we look for has another name; large numbers may be chosen to have the same hash.
        if isinstance(value, dict) and (isinstance(key, str) or (isinstance(key, int) and abs(key) < SMALL)):
            value[key] = item

    def _built(self, target: Any, state: Any) -> Any:
        """The array, where an object of numpy was given its state; else the object with it."""
        if not isinstance(target, Foreign):
            raise ValueError("a state for something that is no object")
        if target.name not in RECONSTRUCT:
            target.state = state
            return target
        _, shape, dtype, fortran, span = state
        if isinstance(span, Foreign | list) or not isinstance(span, Span):
            raise ValueError("an array of objects")
        if fortran and len(shape) > 1:
            raise ValueError("an array in Fortran order")
        stored = Stored(tuple(int(side) for side in shape), _dtype(dtype), span)
        if min(stored.shape, default=1) < 0 or prod(stored.shape) * stored.dtype.itemsize != span.length:
            raise ValueError(f"an array {stored.shape} of {stored.dtype} in {span.length} bytes")
        return stored


def _dtype(foreign: Any) -> np.dtype[Any]:
    """The dtype that ``numpy.dtype("f4", False, True)`` with its state would be."""
    if not isinstance(foreign, Foreign) or foreign.name != "numpy dtype":
        raise ValueError("an array without a dtype")
    kind = foreign.arguments[0]
    dtype = np.dtype(kind if isinstance(kind, str) else "O")
    if dtype.kind not in "biuf":
        raise ValueError(f"an array of {dtype}")
    order = foreign.state[1] if isinstance(foreign.state, tuple) and len(foreign.state) > 1 else "|"
    return dtype.newbyteorder(">" if order == ">" else "=")
