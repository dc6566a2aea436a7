"""Pictures that are read when they are indexed."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bideta.images.reading import read_image


@dataclass(frozen=True)
class ImageFiles:
    """Image files that behave like an array ``(N, H, W, 3)`` uint8; read when they are indexed.

    A slice or an index array gives a stack, or a list where the pictures differ in size.
    """

    paths: Sequence[Path]

    def __len__(self) -> int:
        return len(self.paths)

    def __getitem__(self, rows: Any) -> Any:
        if isinstance(rows, int | np.integer):
            return read_image(self.paths[int(rows)])
        chosen = np.arange(len(self.paths))[rows]
        pictures = [read_image(self.paths[row]) for row in chosen]
        if len({picture.shape for picture in pictures}) == 1:
            return np.stack(pictures)
        return pictures if pictures else np.zeros((0, 1, 1, 3), np.uint8)

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> NDArray[Any]:
        return np.array(self[:], dtype=dtype)

    def revision(self) -> str:
        """Hash of the files' names, sizes and times of change: another one after any edit."""
        digest = hashlib.sha256()
        for path in self.paths:
            facts = path.stat()
            name = "/".join(path.parts[-4:])  # enough to tell files apart, and the tree may move
            digest.update(f"{name} {facts.st_size} {facts.st_mtime_ns}\n".encode("utf-8", "surrogateescape"))
        return digest.hexdigest()
