"""Section 3 of the paper: one file for each box of its Figure 2. numpy and scipy only.

A tactile encoder turns a *contact*, one picture of one touch, into one or more *readouts*: feature vectors. On a new
sensor a few contacts are labelled, the *support*; the others are *queries*. Labelled contacts of one class differ in
directions that carry no label. The method measures these directions and uses them twice. A linear *memory* gives each
query a class distribution that discounts them: the *anchor*. A *graph* joins queries that are alike apart from them.
Then every query mixes its anchor with what its neighbours say, an unsure one more of the latter (the *gate*), some
ten times (the *recurrence*), while the batch as a whole is held to the class frequencies of the support.

``readout.adapt`` is what the support teaches (Algorithm 1, lines 1–4), ``algorithm.infer`` what happens to a batch
(lines 5–11). Read ``infer`` first, then the files in this order:

========  ============================================================  ==========================================
equation  what it gives                                                 where
========  ============================================================  ==========================================
letters   the settings, by the names of ``Bideta``'s parameters         settings.Settings
Eq. 4     covariance of the class residuals, Ledoit–Wolf intensity      spectrum.within_class
Eq. 5     gains g of the spectral transform A                           spectrum.gains
Eq. 2     class scores of the shrinkage-LDA memory                      memory.fit_memory, memory.scores
Eq. 3     class distributions P⁽ᵛ⁾ and the fused anchor P₀              memory.posterior, memory.fuse
Eq. 1     features in units of the support's spread                     readout.standardize, readout.Standardizer
lines 1–4 one readout, adapted; its two verbs for queries               readout.adapt; .scores and .directions of it
Eq. 6     directed graph W⁽ᵛ⁾ over the nearest neighbours               graph.directed
Eq. 7     graphs G⁽ᵛ⁾ (symmetrised, rows sum to one), consensus G       graph.symmetrize, graph.consensus
Eq. 8     ambiguity a and disagreement d of each query                  gate.ambiguity, gate.disagreement
Eq. 9     recurrence weight r of each query                             gate.recurrence_weight
Eq. 10    anchored update of the query distributions                    recurrence.recur
Eq. 11    prior normalisation 𝒩_π                                       recurrence.normalize_prior
5–11      all of it, for one batch                                      algorithm.infer
========  ============================================================  ==========================================

The paper has two readouts; here there are V ≥ 1, and for V = 2 the equations are the paper's. Where the paper is
silent docs/decisions.md says what we chose. Arguments that nothing here uses (``rows``, ``labelled``, ``out``,
``scale``) serve ``bideta.extensions``, which puts labelled contacts into the graph.

Sizes mean the same in every file: ``n`` support contacts, ``m`` queries, ``C`` classes, ``d`` features, ``k``
neighbours, ``V`` readouts. So do ``H`` raw and ``Z`` standardised features of one readout, ``y`` class indices of the
support and ``P`` rows of class distributions. Other letters are the paper's in their equation. A temperature τ
divides: softmax(x/τ).
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.floating[Any]]  # float32 or float64, as the features came
Floats64 = NDArray[np.float64]
Indices = NDArray[np.intp]
