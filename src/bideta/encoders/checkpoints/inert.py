"""A pickle machine for weight files: it knows the few instructions that tensors need and bounds what each may cost.

Python's own is not safe even where nothing is executed: a few hundred bytes can ask for gigabytes (a length, a place in
the memo) or for hours (tuples of the same tuples, hashed as a key), and set attributes of classes that the process
shares. Here every pickle is small, keys are plain, lengths are those of the file, and foreign classes are stand-ins
that end with the load.
"""

from __future__ import annotations

import pickle
from collections import OrderedDict
from collections.abc import Iterable
from typing import Any, ClassVar

MAX_PICKLE = 4_000_000  # bytes; a ViT with its optimiser needs a tenth, and a byte becomes at most a hundred
MAX_READS = 1_000_000  # about one for each instruction, two for a number: a second on an idle machine
PLAIN = (str, int, float, bool, bytes, type(None))  # what may be a key: hashing it costs its length
# What torch.save writes (protocol 2), and what protocol 4 writes for the same. No eight-byte lengths, no extensions.
INSTRUCTIONS = """
    PROTO FRAME STOP MARK POP POP_MARK NONE NEWTRUE NEWFALSE BININT BININT1 BININT2 LONG1 BINFLOAT BINUNICODE
    SHORT_BINUNICODE BINBYTES SHORT_BINBYTES BINSTRING SHORT_BINSTRING EMPTY_TUPLE TUPLE TUPLE1 TUPLE2 TUPLE3
    EMPTY_LIST APPEND APPENDS EMPTY_DICT SETITEM SETITEMS BINPUT LONG_BINPUT MEMOIZE BINGET LONG_BINGET GLOBAL
    STACK_GLOBAL REDUCE NEWOBJ BUILD BINPERSID EMPTY_SET ADDITEMS
""".split()  # noqa: SIM905 (a list would take fifty lines)
CODES = [getattr(pickle, name)[0] for name in INSTRUCTIONS]


class Stub:
    """Stands for any class or function of the file: takes every call and does nothing."""

    def __init__(self, *_: Any, **__: Any) -> None: ...

    def __call__(self, *_: Any, **__: Any) -> Stub:
        """Another stub."""
        return Stub()

    def append(self, _: Any) -> None:
        """Nothing."""

    def extend(self, _: Any) -> None:
        """Nothing."""


class Inert(pickle._Unpickler):
    """What a pickle holds, with ``known`` names only: (module, name) → a function or a constant."""

    stack: list[Any]  # of the class above, which has no types
    append: Any
    read: Any
    pop_mark: Any

    def __init__(self, stream: Any, known: dict[tuple[str, str], Any], *, strict: bool = False) -> None:
        super().__init__(_Bounded(stream))
        self._known = known | {("collections", "OrderedDict"): _ordered, ("torch", "Size"): _size}
        self._strict = strict  # a name that is not known is refused; otherwise it becomes a stub
        self._functions = {id(one) for one in self._known.values() if callable(one)}

    def find_class(self, module: str, name: str) -> Any:
        """Nothing is ever imported."""
        if (module, name) in self._known:
            return self._known[module, name]
        if self._strict:
            raise pickle.UnpicklingError(f"it names {module[:80]}.{name[:80]}, which no tensor needs")
        return Stub()

    def _call(self) -> None:
        arguments = self.stack.pop()
        function = self.stack[-1]
        if not isinstance(arguments, tuple) or not (
            isinstance(function, Stub) or id(function) in self._functions
        ):
            raise pickle.UnpicklingError("it calls what is no function")
        self.stack[-1] = Stub() if isinstance(function, Stub) else function(*arguments)

    def _build(self) -> None:
        self.stack.pop()  # the state of a stub or of an ordered dictionary: attributes that no tensor needs
        if not isinstance(self.stack[-1], Stub | OrderedDict):
            raise pickle.UnpicklingError("it changes what is no object of its own")

    def _set_item(self) -> None:
        value, key = self.stack.pop(), self.stack.pop()
        _put(self.stack[-1], [(key, value)])

    def _set_items(self) -> None:
        items = self.pop_mark()
        _put(self.stack[-1], zip(items[::2], items[1::2], strict=True))

    def _add_items(self) -> None:
        self.pop_mark()

    def _empty_set(self) -> None:
        self.append(Stub())

    def _frame(self) -> None:
        self.read(8)  # its length; read at once it would pass by the bounds

    dispatch: ClassVar[dict[int, Any]] = {
        **{code: pickle._Unpickler.dispatch[code] for code in CODES},
        pickle.FRAME[0]: _frame,
        pickle.REDUCE[0]: _call,
        pickle.NEWOBJ[0]: _call,
        pickle.BUILD[0]: _build,
        pickle.SETITEM[0]: _set_item,
        pickle.SETITEMS[0]: _set_items,
        pickle.ADDITEMS[0]: _add_items,
        pickle.EMPTY_SET[0]: _empty_set,
    }


class _Bounded:
    """The first ``MAX_PICKLE`` bytes of a stream; a pickle that asks for more is refused before it gets them."""

    def __init__(self, stream: Any) -> None:
        self._stream, self._left, self._reads = stream, MAX_PICKLE, MAX_READS

    def read(self, count: int) -> bytes:
        self._take(count)
        return self._stream.read(count)

    def readline(self) -> bytes:
        line: bytes = self._stream.readline()
        self._take(len(line))
        return line

    def _take(self, count: int) -> None:
        self._left -= count
        self._reads -= 1
        if self._left < 0 or self._reads < 0:
            raise pickle.UnpicklingError(
                f"a pickle of more than {MAX_PICKLE:,} bytes or {MAX_READS:,} instructions; save the state_dict alone"
            )


def whole_numbers(values: Any) -> tuple[int, ...]:
    """The values as a tuple, if they are integers from 0 on: sizes and strides."""
    if not isinstance(values, tuple | list) or not all(type(value) is int and value >= 0 for value in values):
        raise pickle.UnpicklingError("a tensor of strange size")
    return tuple(values)


def _put(holder: Any, pairs: Iterable[tuple[Any, Any]]) -> None:
    if isinstance(holder, Stub):
        return
    if not isinstance(holder, dict):
        raise pickle.UnpicklingError("it puts items where none can be")
    for key, value in pairs:
        if isinstance(key, PLAIN):
            holder[key] = value
        elif not isinstance(key, Stub | tuple):  # of schedulers and the like; no tensor has such a name
            raise pickle.UnpicklingError("a key that is neither text nor a number")


def _ordered(pairs: Any = ()) -> OrderedDict[Any, Any]:
    made: OrderedDict[Any, Any] = OrderedDict()
    _put(made, [(key, value) for key, value in pairs])
    return made


def _size(values: Any = ()) -> tuple[int, ...]:
    return whole_numbers(values)
