"""Anchored recurrence (Eqs. 10–11): in every step the neighbours speak, and the anchor is mixed in again."""

from __future__ import annotations

from typing import Any

import numpy as np

from bideta.method import Floats64

CLIP = 1e-8  # lower clip of 𝒩_π's input (Section 3.5)
ROUNDS = 5  # alternating normalisations of 𝒩_π (Section 3.5)
DENSE = 1 / 8  # share of nonzero edges from which a dense product is faster than a sparse one, as measured
GUARD = 1e-12  # added to every sum of Eq. 11; without it a class of prior zero divides zero by zero


def is_joint(m: int, C: int, prior: object) -> bool:
    """Whether a batch is answered jointly; otherwise every query keeps its anchor.

    One query has no neighbours. Fewer queries than classes cannot follow a class prior: forcing them to would erase
    their evidence, and the recurrence without it is another method than the one that was asked for. The rule is ours.
    """
    return m > 1 and (prior is None or m >= C)


def recur(
    P0: Floats64,
    G: Any,
    r: Floats64,
    prior: Floats64 | None,
    n_iter: int,
    labelled: Floats64 | None = None,
    strength: float = 1.0,
) -> Floats64:
    """P after ``n_iter`` steps of P ← 𝒩_π[(I − R)P₀ + R G P] (Eq. 10), from P = P₀.

    ``labelled`` (m, C) is what labelled neighbours say where they are nodes: their edges times their labels. It is
    added to G P in every step, and the edges of a query to both kinds together sum to one. Without a prior the
    bracket already has rows that sum to one: it is a convex mix of distributions.
    """
    restored = (1 - r)[:, None] * P0
    if labelled is not None:
        restored += r[:, None] * labelled
    edges = G.toarray() if G.nnz > DENSE * G.shape[0] * G.shape[1] else G
    P = P0
    for _ in range(n_iter):
        P = edges @ P
        P *= r[:, None]
        P += restored
        if prior is not None:
            normalize_prior(P, prior, strength)
    return P


def normalize_prior(V: Floats64, prior: Floats64, strength: float = 1.0) -> Floats64:
    """𝒩_π (Eq. 11), in place: columns to m·π, then rows to one, five times; it ends on rows.

    Every round multiplies rows and columns, so the matrix stays diag(a)·V·diag(b): only a and b are carried along. With
    a ``strength`` below one (ours) columns go that part of the way, on a log scale: relaxed optimal transport.
    """
    np.maximum(V, CLIP, out=V)
    mass = len(V) * prior
    a, b = np.ones(len(V)), np.ones(len(prior))
    for _ in range(ROUNDS):
        if strength == 1:
            b *= mass / (b * (a @ V) + GUARD)
        else:
            b = (mass / (a @ V + GUARD)) ** strength
        a /= a * (V @ b) + GUARD
    V *= a[:, None]
    V *= b
    return V
