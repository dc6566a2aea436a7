"""Pictures of streams that can only be read forwards, by row. Rows in order cost one pass; no picture is kept."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Sequence
from itertools import islice
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from bideta.images.reading import ImageError

Read = Callable[[], NDArray[Any]]  # decodes one picture


class Place(NamedTuple):
    """Where a picture is."""

    part: int
    position: int  # in the part, from 0


class Sequential:
    """Pictures of several parts (videos, episodes, topics), indexable by row, by a slice and by an array of rows."""

    def __init__(self, parts: Sequence[Callable[[], Iterator[Read]]], places: Sequence[Place]) -> None:
        self._parts, self._places = parts, places
        self._part, self._next = -1, 0  # what the open stream gives next
        self._stream: Iterator[Read] = iter(())
        self._guard = threading.Lock()  # one stream, whoever asks

    def __len__(self) -> int:
        return len(self._places)

    def __getitem__(self, rows: Any) -> Any:
        if isinstance(rows, int | np.integer):
            return self._picture(self._places[int(rows)])
        return [self._picture(self._places[row]) for row in np.arange(len(self))[rows]]

    def _picture(self, place: Place) -> NDArray[Any]:
        with self._guard:
            if place.part != self._part or place.position < self._next:
                self._stream, self._part, self._next = self._parts[place.part](), place.part, 0
            try:
                read = next(islice(self._stream, place.position - self._next, None))
            except StopIteration:
                raise ImageError(
                    f"the stream ended before frame {place.position}: did the file change?"
                ) from None
            self._next = place.position + 1
        return read()
