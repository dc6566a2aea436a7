"""The door of every comparison: what comes in is checked here, once, and handed on read-only."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bideta import checks
from bideta.checks import encode_labels
from bideta.method.readout import Standardizer, standardize

Floats = NDArray[np.float64]
Labels = NDArray[np.intp]
Readouts = tuple[Floats, ...]  # two or more, the earlier ones first


@dataclass(frozen=True)
class Labelled:
    """Readouts of labelled contacts, sorted by class."""

    readouts: Readouts  # (n, d1), (n, d2), …
    y: Labels  # (n,) class indices, ascending


class Source(Labelled):
    """Checked source contacts; what methods make of them, whatever the target, is made once (``Adapter.prepare``)."""

    @cached_property
    def head(self) -> Any:
        """The linear classifier of the source sensor."""
        from bideta.baselines._source_head import fit_source_head

        return fit_source_head(self)

    @cached_property
    def scale(self) -> Standardizer:
        """Units of the final readout's spread."""
        return standardize(self.readouts[-1])[0]

    @cached_property
    def standardized(self) -> NDArray[np.float32]:
        """(n, d) final readout in these units."""
        return np.asarray(self.scale(self.readouts[-1]), dtype=np.float32)


@dataclass(frozen=True)
class Task:
    """All that an adaptation may look at; labels of queries have no place here."""

    support: Labelled
    n_classes: int
    source: Source | None = None  # labels are indices of the same classes
    calibration: Readouts | None = None
    source_calibration: Readouts | None = None


def check_readouts(X: Any, name: str, widths: tuple[int, ...] | None = None) -> Readouts:
    """All readouts in float64; a single array is the earlier and the final one.

    ``widths`` are those that ``fit`` saw: others are refused.
    """
    try:
        readouts = checks.check_readouts(X if isinstance(X, tuple) else (X,))
    except ValueError as error:
        raise ValueError(f"{name}: {error}") from None
    if len(readouts) == 1:
        readouts = readouts * 2
    received = tuple(H.shape[1] for H in readouts)
    if widths is not None and received != widths:
        raise ValueError(f"{name} has readouts of {received} features; expected {widths}, as X had in fit")
    return tuple(map(_read_only, readouts))


def check_support(X: Any, y: Any) -> tuple[Labelled, NDArray[Any]]:
    """The labelled target contacts, and the sorted class labels they use."""
    readouts = check_readouts(X, "X")
    classes, codes = encode_labels(y, len(readouts[0]))
    if len(classes) < 2:
        raise ValueError(f"y has a single class, {classes[0]!r}; adaptation needs at least two")
    return _sorted(readouts, codes), classes


def check_source(source: Any, classes: NDArray[Any], widths: tuple[int, ...] | None = None) -> Source:
    """Source contacts of the target's classes; other classes of the source sensor play no part.

    Every target class must occur: without source contacts it has no head and no prototype. A source that was prepared
    for these classes is taken as it is.
    """
    if isinstance(source, Source):
        counts, received = np.bincount(source.y), tuple(H.shape[1] for H in source.readouts)
        if len(counts) != len(classes) or received != widths:
            raise ValueError(
                f"source was prepared for {len(counts)} classes and readouts of {received} features; X has "
                f"{len(classes)} and {widths}: prepare it with the same classes"
            )
        return source
    if not isinstance(source, Sequence) or len(source) != 2:
        raise ValueError(f"source is a {type(source).__name__}; expected a pair (X_source, y_source)")
    readouts = check_readouts(source[0], "source", widths)
    try:
        names, indices = encode_labels(source[1], len(readouts[0]))
    except ValueError as error:
        raise ValueError(f"source: {error}") from None
    position = {label: c for c, label in enumerate(classes.tolist())}
    codes = np.array([position.get(label, -1) for label in names.tolist()])[indices]
    missing = [str(label) for label, c in position.items() if not (codes == c).any()]
    if missing:
        raise ValueError(f"source has no contacts of class {', '.join(missing)}; every class of y needs some")
    kept = codes >= 0
    contacts = _sorted(tuple(H[kept] for H in readouts), codes[kept])
    return Source(contacts.readouts, contacts.y)


def require_source(task: Task, method: str) -> Source:
    """The source contacts, for a method that cannot do without."""
    if task.source is None:
        raise ValueError(f"{method} needs source data: fit(X, y, source=(X_source, y_source))")
    return task.source


def _sorted(readouts: Readouts, codes: NDArray[Any]) -> Labelled:
    """Rows by class (stable), as the class means of ``bideta.method`` want them."""
    order = np.argsort(codes, kind="stable")
    return Labelled(tuple(_read_only(H[order]) for H in readouts), codes[order].astype(np.intp))


def _read_only(H: NDArray[Any]) -> Floats:
    """The same numbers behind a view that refuses writes: a method that edits its input fails loudly."""
    view = H.astype(np.float64, copy=False).view()
    view.flags.writeable = False
    return view
