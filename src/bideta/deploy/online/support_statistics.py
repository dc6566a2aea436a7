"""What a memory and a geometry are made of, kept up to date label by label instead of fitted again."""

from __future__ import annotations

from typing import Any

import numpy as np

from bideta.method import Floats, Floats64, Indices
from bideta.method.memory import fit_memory
from bideta.method.readout import AdaptedReadout, Standardizer, standardize
from bideta.method.settings import Settings
from bideta.method.spectrum import EPS, WithinClass, eigh, ledoit_wolf_intensity


class SupportStatistics:
    """Counts, class sums and within-class scatter of one readout's labelled contacts; ``adapt`` makes the rest.

    A further contact h of a class with n_c contacts of sum s changes the scatter by ffᵀ with the contrast
    f = (s − n_c·h)/√(n_c(n_c + 1)): that and its class sum are all that ``learn`` touches, O(d²) (O(d) while
    there are fewer contrasts than features, n − C < d: they are then listed, not multiplied out).

    Everything is kept in the units of the first support, because the standardiser moves with every label: it
    rescales all coordinates at once, which is not a rank-one change of the standardised scatter, so ``adapt``
    decomposes that matrix anew: O(min(n − C, d)³). One number cannot be carried along at a reasonable price:
    Σ‖e‖⁴ of Ledoit–Wolf. Exact statistics for it exist, Σx²xᵀ² and its lower moments for every class, but they
    are 3·C·d² numbers; the rows themselves are n·d and are kept anyway, so ``adapt`` sums over them, O(n·d).
    """

    def __init__(self, H: Floats, y: Indices, n_classes: int) -> None:
        standardizer, _ = standardize(H)
        constant = standardizer.scale == 1.0  # or a scale of one, where this changes nothing that matters
        magnitude = np.abs(H).max(axis=0).astype(np.float64)
        magnitude[magnitude == 0] = 1.0
        self.shift = standardizer.mean
        self.unit = np.where(constant, magnitude, standardizer.scale)
        self.counts = np.zeros(n_classes, np.intp)
        self.sums = np.zeros((n_classes, H.shape[1]))
        self.contrasts: list[tuple[int, Floats64]] = []  # (class, f); empty once ``scatter`` takes over
        self.scatter: Floats64 | None = None  # (d, d)
        for h, c in zip(self._units(H), y, strict=True):
            self._add(h, int(c))
        self._multiply_out()

    def check(self, h: Floats) -> None:
        """Raise where ``learn`` could not count this contact."""
        with np.errstate(over="ignore"):
            if not np.isfinite(np.square(self._units(h)).sum()):
                raise ValueError(
                    "the contact lies too far from the labelled ones for an update; fit again with it instead"
                )

    def enrol(self, c: int) -> None:
        """Make room for a new class at index c; its first contact must follow."""
        self.counts = np.insert(self.counts, c, 0)
        self.sums = np.insert(self.sums, c, 0.0, axis=0)
        self.contrasts = [(b + (b >= c), f) for b, f in self.contrasts]

    def learn(self, h: Floats, c: int) -> None:
        """Count one more contact."""
        self._add(self._units(h), c)
        self._multiply_out()

    def forget(self, h: Floats, c: int, others: Floats) -> None:
        """Take a contact of class c out again; ``others`` are the ones of its class that stay (one at least)."""
        u = self._units(h)
        if self.scatter is not None:
            f = _contrast(self.sums[c] - u, self.counts[c] - 1, u)
            self.scatter -= np.outer(f, f)
            self.sums[c] -= u
            self.counts[c] -= 1
            return
        self.contrasts = [(b, f) for b, f in self.contrasts if b != c]
        self.sums[c], self.counts[c] = 0.0, 0
        for row in self._units(others):
            self._add(row, c)

    def adapt(self, H: Floats, y: Indices, prior: Floats64, settings: Settings) -> AdaptedReadout:
        """Scaler, memory and transform, as ``readout.adapt`` has them; H, y: the contacts counted so far."""
        n = int(self.counts.sum())
        means = self.sums / self.counts[:, None]
        mean = self.sums.sum(axis=0) / n
        standardizer = self._standardizer(n, mean, means)
        ratio = self.unit / standardizer.scale
        means = (means - mean) * ratio
        covariance = self._covariance(standardizer(H) - means[y], ratio)
        memory = fit_memory(means, covariance, prior, settings.shrinkage)
        return AdaptedReadout(standardizer, covariance, memory, settings.gamma)

    def _standardizer(self, n: int, mean: Floats64, means: Floats64) -> Standardizer:
        """As ``readout.standardize``: the variance is the one within the classes and the one between them."""
        within = self._scatter_diagonal()
        between = self.counts @ np.square(means - mean)
        spread = np.sqrt((within + between) / n) * self.unit
        raw_mean = self.shift + mean * self.unit
        constant = (spread <= n * EPS * np.abs(raw_mean)) | (spread == 0)
        return Standardizer(raw_mean, np.where(constant, 1.0, spread))

    def _covariance(self, E: Floats64, ratio: Floats64) -> WithinClass:
        """As ``spectrum.within_class``, from the statistics; the residuals E give Σ‖e‖² and Σ‖e‖⁴ only."""
        n, d = E.shape
        norms = np.einsum("ij,ij->i", E, E)
        mean_variance = float(norms.sum() / (n * d))
        if mean_variance <= (n * EPS) ** 2:
            return WithinClass(np.empty(0), np.empty((d, 0)), rest=1.0, mean_variance=1.0, intensity=1.0)
        if self.scatter is None:
            F = np.array([f for _, f in self.contrasts]) * ratio
            values, V = eigh((F @ F.T).T)
            kept = values > values[-1] * n * EPS
            values, V = values[kept], V[:, kept]
            vectors = (F.T @ V) / np.sqrt(values)
        else:
            values, vectors = eigh((self.scatter * ratio[:, None] * ratio).T)
        values = np.maximum(values[::-1], 0.0) / n
        vectors = np.ascontiguousarray(vectors[:, ::-1])
        intensity = ledoit_wolf_intensity(norms, values.sum(), np.square(values).sum(), d)
        return WithinClass(values, vectors, rest=0.0, mean_variance=mean_variance, intensity=intensity)

    def _units(self, H: Floats) -> Floats64:
        with np.errstate(over="ignore"):
            U: Floats64 = np.subtract(H, self.shift, dtype=np.float64) / self.unit
        return U

    def _add(self, u: Floats64, c: int) -> None:
        n_c = self.counts[c]
        if n_c:
            f = _contrast(self.sums[c], n_c, u)
            if self.scatter is None:
                self.contrasts.append((c, f))
            else:
                self.scatter += np.outer(f, f)
        self.sums[c] += u
        self.counts[c] += 1

    def _multiply_out(self) -> None:
        """From n − C = d on the d × d matrix is the smaller one, as in ``spectrum.within_class``."""
        if self.scatter is None and len(self.contrasts) >= len(self.unit):
            F = np.array([f for _, f in self.contrasts])
            self.scatter, self.contrasts = F.T @ F, []

    def _scatter_diagonal(self) -> Floats64:
        if self.scatter is not None:
            return np.maximum(np.diagonal(self.scatter), 0.0)
        return sum((np.square(f) for _, f in self.contrasts), np.zeros_like(self.unit))


def _contrast(total: Floats64, count: Any, u: Floats64) -> Floats64:
    """(s − n·u)/√(n(n + 1)): what u adds to the scatter of n contacts of sum s about their mean."""
    return (total - count * u) / np.sqrt(count * (count + 1.0))
