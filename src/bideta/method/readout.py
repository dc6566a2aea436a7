"""One readout: what the support teaches about it (Eqs. 1, 2, 4, 5), and two verbs for queries, scores and directions.

``standardize`` and ``adapt`` are the story. The verbs say the same as

    scores(H)      memory.scores(memory, z)    with z = (h − b) ⊘ s
    directions(H)  z A, divided by its length  with A = U diag(g) Uᵀ

but read raw features once: the scaler is folded into what follows it (``_fold``), and rows of extreme size, for which
that would overflow, are computed as written above.
"""

from __future__ import annotations

import mmap
import tempfile
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from bideta.method import Floats, Floats64, Indices, memory
from bideta.method.memory import Memory
from bideta.method.settings import Settings
from bideta.method.spectrum import MatrixFunction, WithinClass, class_means, gains, within_class

# A standardised coordinate beyond this many standard deviations is cut. Without the cut a query at 1e300
# overflows in the products that follow and comes back as NaN; squares and sums of this bound stay finite. Columns and
# scores beyond it (or columns below its inverse) are treated with the same care.
Z_LIMIT = 1e100
# Directions are multiplied in float32 where the features are float32 and the largest gain of Eq. 5 is at most so many
# times the smallest: gains multiply rounding errors, and four of seven digits must remain.
GAIN_RATIO = 1e3
# Squared lengths between which products neither overflowed nor vanished, by bytes of a number. Other rows (a query at
# the support's mean is one) are computed again.
SAFE_SQUARES = {4: (1e-30, 1e30), 8: (1e-200, 1e200)}
BLOCK = 256  # queries that are worked on at a time, at least: few enough for the cache, and mapped files stay on disk


@dataclass(frozen=True)
class Standardizer:
    """Support mean b and coordinate-wise standard deviation s of one readout."""

    mean: Floats64  # (d,)
    scale: Floats64  # (d,)

    def __call__(self, H: Floats) -> Floats64:
        """Standardised features z = (h − b) ⊘ s (Eq. 1)."""
        with np.errstate(over="ignore"):  # an overflow becomes ±inf and is cut like any other extreme
            Z = np.subtract(H, self.mean, dtype=np.float64)
            Z /= self.scale
        if H.dtype == np.float32:  # largest over smallest float32 is below the limit
            return Z
        return np.clip(Z, -Z_LIMIT, Z_LIMIT, out=Z)


def standardize(H: Floats) -> tuple[Standardizer, Floats64]:
    """The standardizer of a support (mean, biased standard deviation), and that support standardised (Eq. 1).

    Constant coordinates get unit scale. Columns whose squares could overflow or vanish, features at 1e±300, are
    divided by their largest magnitude first.
    """
    magnitude = np.ones(H.shape[1])
    if H.dtype != np.float32:  # squares of the largest and of the smallest float32 fit into double
        magnitude = np.maximum(H.max(axis=0), -H.min(axis=0))
        magnitude[(magnitude > 1 / Z_LIMIT) & (magnitude < Z_LIMIT) | (magnitude == 0)] = 1.0
    U = H.astype(np.float64) if (magnitude == 1).all() else H / magnitude
    mean = U.mean(axis=0)
    U -= mean
    spread = np.sqrt(np.einsum("ij,ij->j", U, U) / len(H))
    scale = spread * magnitude
    # Equal values can differ from their rounded mean by n·eps: a spread that small is rounding, not signal.
    rounding = len(H) * np.finfo(np.float64).eps * np.abs(mean)
    constant = (spread <= rounding) | (scale == 0)
    U /= np.where(constant, np.inf, spread)
    # The mean of equal numbers is one of them: a query's constant coordinate standardises to zero, not to rounding.
    return Standardizer(np.where(constant, H[0], mean * magnitude), np.where(constant, 1.0, scale)), U


def adapt(H: Floats, y: Indices, prior: Floats64, settings: Settings) -> AdaptedReadout:
    """Scaler, covariance and memory of one readout from its labelled support (Alg. 1, lines 2–4).

    ``y`` holds class indices 0 … C − 1, each present. ``prior`` (C,) are the class frequencies that the memory assumes:
    those that the batch is held to later, or the support's where it is left free.
    """
    order = np.argsort(y, kind="stable")  # by class, so that class sums and contrasts are slices
    counts = np.bincount(y)
    standardizer, Z = standardize(H[order])
    means = class_means(Z, counts)
    covariance = within_class(Z, counts, means)
    fitted = memory.fit_memory(means, covariance, prior, settings.shrinkage)
    return AdaptedReadout(standardizer, covariance, fitted, settings.gamma)


@dataclass(frozen=True)
class AdaptedReadout:
    """What the support says about one readout."""

    standardizer: Standardizer  # Eq. 1
    covariance: WithinClass  # Eq. 4
    memory: Memory  # Eq. 2
    gamma: float  # γ, which makes the spectral transform A of the covariance (Eq. 5)
    # Made for the first query of each precision, and left out of copies (``__getstate__``).
    _folded: dict[Any, _Folded] = field(default_factory=dict, init=False, repr=False, compare=False)

    def scores(self, H: Floats) -> Floats64:
        """(m, C) class scores ℓ (Eqs. 1–2), summed in double."""
        folded = self._fold(H.dtype)
        ell = np.empty((len(H), len(self.memory.intercepts)))
        step = -(-len(H) // max(1, len(H) // BLOCK))  # blocks of equal size
        for start in range(0, len(H), step):
            rows = slice(start, start + step)
            with np.errstate(all="ignore"):
                D = H[rows] - folded.center
                np.matmul(D.astype(np.float64, copy=False), folded.coefficients, out=ell[rows])
            magnitude = np.abs(ell[rows])  # before the constants: a class of prior zero has −inf there
            ell[rows] += folded.constants
            if not magnitude.max() < Z_LIMIT:
                strange = start + np.flatnonzero(~(magnitude < Z_LIMIT).all(axis=1))
                ell[strange] = memory.scores(self.memory, self.standardizer(H[strange]))
        return ell

    def directions(self, H: Floats, geometry: str = "spectral", out: Floats | None = None) -> Directions:
        """(m, d) unit vectors of the graph (Eqs. 1, 5), in the precision of the features.

        They are turned by a rotation that all contacts share: no cosine notices. They are written to ``out`` where
        given (``workspace`` makes one). "raw" leaves the features as they come.
        """
        Q = workspace(H) if out is None else out
        if geometry == "raw":
            Q[:] = H
            return Directions(unit_rows(Q))
        folded = self._fold(H.dtype)
        least, most = SAFE_SQUARES[Q.itemsize]
        step = -(-len(H) // max(1, len(H) // BLOCK))
        for start in range(0, len(H), step):
            X = Q[start : start + step]
            with np.errstate(all="ignore"):
                D = H[start : start + step] - folded.center
                if folded.right is None:
                    np.matmul(D, folded.left, out=X)
                else:
                    np.matmul(D @ folded.left, folded.right, out=X)
                    X += D * folded.diagonal
                X += folded.shift
                squares = np.einsum("ij,ij->i", X, X)
                X /= np.sqrt(squares)[
                    :, None
                ]  # not times 1/√: in one dimension exactly ±1, and ties stay ties
            strange = np.flatnonzero(~((squares > least) & (squares < most)))
            if len(strange):
                X[strange] = self.precise_directions(H[start + strange])
        return Directions(Q, _Precise(self, H) if Q.dtype == np.float32 else None)

    def precise_directions(self, H: Floats) -> Floats64:
        """As ``directions``, in double whatever the features: standardised and cut before anything is multiplied."""
        Z = self.standardizer(H)
        A = self._fold(H.dtype).transform
        # With all d directions the rotation Uᵀ is left out, as in ``_fold``.
        return unit_rows((Z @ A.vectors) * A.weights if len(A.weights) == Z.shape[1] else A(Z))

    def _fold(self, dtype: Any) -> _Folded:
        """What turns features of this precision into scores and directions; computed once."""
        if dtype in self._folded:
            return self._folded[dtype]
        d = len(self.standardizer.mean)
        A = MatrixFunction(np.empty((d, 0)), np.empty(0), rest=1.0)
        if self.gamma > 0:  # at 0 A is the identity, here without the rounding of an eigenbasis
            A = MatrixFunction(self.covariance.vectors, *gains(self.covariance, self.gamma))  # Eq. 5
        thin = len(A.weights) < d
        weights = np.append(A.weights, A.rest) if thin else A.weights
        float32_will_do = dtype == np.float32 and weights.max() / weights.min() <= GAIN_RATIO
        kind: Any = np.float32 if float32_will_do else np.float64
        U = A.vectors.astype(kind, copy=False)
        with np.errstate(all="ignore"):  # rows that overflow here are computed again
            inverse = 1 / self.standardizer.scale
            center = self.standardizer.mean.astype(kind)
            missing = center - self.standardizer.mean
            coefficients = (self.memory.coefficients * inverse).T
            # With all d directions D U diag(weights) is half the work: A turns that back by Uᵀ, which changes no
            # length and no angle.
            left = U if thin else U * A.weights.astype(kind)
            right = (A.weights - A.rest).astype(kind)[:, None] * U.T if thin else None
            left = left * inverse.astype(kind)[:, None]
            diagonal = ((A.rest if thin else 0.0) * inverse).astype(kind)
            gap = missing.astype(kind)
            shift = gap @ left if right is None else gap @ left @ right
            shift += gap * diagonal
            constants = missing @ coefficients + self.memory.intercepts
        self._folded[dtype] = _Folded(A, center, coefficients, constants, left, right, diagonal, shift)
        return self._folded[dtype]

    def __getstate__(self) -> dict[str, Any]:
        """Without what was computed for the first query: a copy computes it again."""
        return {**self.__dict__, "_folded": {}}


# How the verbs become fast and stay exact.


@dataclass(frozen=True)
class Directions:
    """Contacts as unit vectors in the geometry of the graph."""

    rows: Floats  # (m, d)
    # some rows, computed anew in double; None: cannot be had
    precise: Callable[[Indices], Floats64] | None = None


@dataclass(frozen=True)
class _Folded:
    """The scaler multiplied into memory and transform: with D = h − center, scores are D · coefficients + constants.

    Directions are D · left · right + D ∘ diagonal + shift, divided by their length.
    """

    transform: MatrixFunction  # A
    center: Floats  # (d,) b, as far as the features' precision holds it
    coefficients: Floats64  # (d, C) those of the memory ⊘ s
    constants: Floats64  # (C,) what ``center`` misses of b, in the scores
    left: Floats  # (d, r)
    right: Floats | None  # (r, d); None: r = d, and nothing follows ``left``
    diagonal: Floats  # (d,)
    shift: Floats  # (d,) what ``center`` misses of b, in the directions


@dataclass(frozen=True)
class _Precise:
    """Directions of some queries in double, for the few whose neighbours are a close call in float32."""

    readout: AdaptedReadout
    H: Floats  # (m, d) features of the queries

    def __call__(self, queries: Indices) -> Floats64:
        """(queries, d) rows."""
        return self.readout.precise_directions(self.H[queries])


def unit_rows(X: Any) -> Any:
    """Rows of X divided by their length, in place; a zero row stays zero and is equally near to everything."""
    largest = np.maximum(X.max(axis=1), -X.min(axis=1))  # without it squares of extreme rows overflow
    largest[largest == 0] = 1
    X /= largest[:, None]
    length = np.sqrt(np.einsum("ij,ij->i", X, X))
    length[length == 0] = 1
    X /= length[:, None]
    return X


def workspace(H: Floats, extra: int = 0) -> Floats:
    """An array like H with ``extra`` more rows: in memory, or in a temporary file where H is memory-mapped."""
    shape = (len(H) + extra, H.shape[1])
    base: Any = H
    while isinstance(base, np.ndarray):
        base = base.base
    if not isinstance(base, mmap.mmap):
        return np.empty(shape, H.dtype)
    with tempfile.TemporaryFile() as file:  # the mapping keeps the unnamed file alive
        return np.memmap(file, H.dtype, "w+", shape=shape)
