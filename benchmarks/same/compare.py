"""Two records side by side."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from numpy.typing import NDArray

TOLERANCE = 1e-12  # what another order of summation may cost
SHOWN = 160  # characters of a text that differs


def compare(old: Path, new: Path, *, brief: bool = False) -> int:
    """Print every entry's largest difference; 1 where one is above ``TOLERANCE`` or missing."""
    with np.load(old, allow_pickle=False) as before, np.load(new, allow_pickle=False) as after:
        names = [*before.files, *(name for name in after.files if name not in before.files)]
        equal = close = 0
        for name in names:
            if name not in before.files or name not in after.files:
                print(f"{name}: only in {old if name in before.files else new}")
                continue
            size, said = difference(before[name], after[name])
            equal += size == 0
            close += 0 < size <= TOLERANCE
            if size or not brief:
                print(f"{name}: {said}")
    differ = len(names) - equal - close
    print(f"{len(names)} entries: {equal} equal to the bit, {close} within {TOLERANCE:g}, {differ} differ")
    return int(differ > 0)


def difference(a: NDArray, b: NDArray) -> tuple[float, str]:
    """Largest difference, inf where the two cannot be subtracted, and the same in words.

    >>> difference(np.array([1.0, np.inf]), np.array([1.0, np.inf]))
    (0.0, 'equal to the bit')
    >>> difference(np.array([1.0]), np.array([1.5]))
    (0.5, 'largest difference 0.5, in 1 of 1 numbers')
    >>> difference(np.array("same\\nyes"), np.array("same\\nno"))
    (inf, "line 2: 'yes' became 'no'")
    """
    if a.shape != b.shape:
        return np.inf, f"shape {a.shape} became {b.shape}"
    if a.dtype.kind == b.dtype.kind == "U":
        return _text(a, b)
    if a.dtype != b.dtype:
        return np.inf, f"{a.dtype} became {b.dtype}"
    if a.tobytes() == b.tobytes():
        return 0.0, "equal to the bit"
    apart = a != b
    if a.dtype.kind == "f":
        apart &= ~(np.isnan(a) & np.isnan(b))
        with np.errstate(invalid="ignore"):
            gaps = np.abs(a - b)[apart]
        largest = float(np.max(np.where(np.isnan(gaps), np.inf, gaps), initial=0.0))
    else:
        largest = float(np.inf)
    if not apart.any():
        return 0.0, "equal, with another sign of zero or NaN"
    return largest, f"largest difference {largest:.3g}, in {apart.sum()} of {apart.size} numbers"


def _text(a: NDArray, b: NDArray) -> tuple[float, str]:
    if (a == b).all():
        return 0.0, "equal to the bit"
    if a.ndim:
        return np.inf, f"{(a != b).sum()} of {a.size} words differ"
    lines, others = str(a).splitlines(), str(b).splitlines()
    if len(lines) != len(others):
        return np.inf, f"{len(lines)} lines became {len(others)}: {str(b)[:SHOWN]!r}"
    changed = [
        f"line {number}: {line[:SHOWN]!r} became {other[:SHOWN]!r}"
        for number, (line, other) in enumerate(zip(lines, others, strict=True), 1)
        if line != other
    ]
    return np.inf, "; ".join(changed[:3]) + (f"; {len(changed)} lines in all" if len(changed) > 3 else "")
