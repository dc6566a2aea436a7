"""Products of the standardised features of a window and its support, for the second pass."""

from __future__ import annotations

import numpy as np

from bideta.extensions.second_pass import bounded, scores_from_products
from bideta.method import Floats, Floats64, Indices
from bideta.method.readout import AdaptedReadout


class WindowProducts:
    """K = ZZᵀ of one readout, kept up to date: rows are the n labelled contacts, then the slots of the window.

    A new contact costs one product with all rows, O((n + m)·d).
    """

    def __init__(self, readout: AdaptedReadout, support: Floats, capacity: int) -> None:
        n, d = support.shape
        self.n, self.readout = n, readout
        self.Z = np.zeros((n + capacity, d))
        self.Z[:n] = bounded(readout, support)
        self.K = np.zeros((n + capacity, n + capacity))
        self.K[:n, :n] = self.Z[:n] @ self.Z[:n].T

    def put(self, slots: Indices, H: Floats) -> None:
        """Place contacts into slots."""
        rows = self.n + slots
        self.Z[rows] = bounded(self.readout, H)
        products = self.Z[rows] @ self.Z.T
        self.K[rows], self.K[:, rows] = products, products.T

    def scores(self, m: int, W: Floats64, shrinkage: float | str) -> Floats64:
        """(m, C) scores of the first m slots by a memory that contacts of weights W (n + m, C) taught."""
        N = self.n + m
        return scores_from_products(self.K[:N, :N], self.Z.shape[1], W, shrinkage)[self.n :]
