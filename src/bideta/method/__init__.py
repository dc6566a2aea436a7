"""Section 3 of the paper: one file for each box of its Figure 2. numpy and scipy only.

Begin with ``algorithm.infer``: it is Algorithm 1, line by line. The files below it, in reading order:

==========  ============================================================  ==========================================
equation    what it gives                                                 where
==========  ============================================================  ==========================================
letters     the settings, by the names of ``Bideta``'s parameters         settings.Settings
Eq. 1       features in units of the support's spread                     readout.standardize, readout.Standardizer
Eq. 4       covariance of the class residuals, Ledoit–Wolf intensity      spectrum.within_class
Eq. 5       gains g of the spectral transform A                           spectrum.gains
Eq. 2       class scores of the shrinkage-LDA memory                      memory.fit_memory, memory.scores
Eq. 3       class distributions P⁽ᵛ⁾ and the fused anchor P₀              memory.posterior, memory.fuse
1, 2, 4, 5  one readout, adapted: its class scores and its directions     readout.adapt, .scores, .directions
Eq. 6       directed graph W⁽ᵛ⁾ over the nearest neighbours               graph.directed
Eq. 7       symmetric graphs G⁽ᵛ⁾ and the consensus G                     graph.symmetrize, graph.consensus
Eq. 8       ambiguity a and disagreement d of each query                  gate.ambiguity, gate.disagreement
Eq. 9       recurrence weight r of each query                             gate.recurrence_weight
Eq. 10      anchored update of the query distributions                    recurrence.recur
Eq. 11      prior normalisation 𝒩_π                                       recurrence.normalize_prior
Alg. 1      all of it, for one batch of queries                           algorithm.infer
==========  ============================================================  ==========================================

The paper has two readouts; here there are V ≥ 1, and for V = 2 every equation is the paper's.

Symbols, the same in every file: ``n`` support contacts, ``m`` queries, ``C`` classes, ``d`` features, ``k``
neighbours, ``V`` readouts; ``H`` raw and ``Z`` standardised features of one readout, ``Q`` unit-length transformed
queries, ``y`` class indices of the support, ``P`` rows of class distributions. A temperature divides.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.floating[Any]]  # float32 or float64, as the features came
Floats64 = NDArray[np.float64]
Indices = NDArray[np.intp]
