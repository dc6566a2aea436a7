"""Section 3 of the paper in reading order; numpy and scipy only.

==========  ============================================================  =======================
equation    what it gives                                                 function
==========  ============================================================  =======================
Eq. 1       features in units of the support's spread                     readouts.fit_standardizer
Eq. 2       class scores of the shrinkage-LDA memory                      memory.fit_memory, memory.scores
Eq. 3       class distributions P⁽ᵛ⁾ and the fused anchor P₀              memory.posterior, memory.fuse
Eq. 4       covariance of the class residuals, Ledoit–Wolf intensity      covariance.within_class
Eq. 5       gains g and the spectral transform A                          spectrum.gains, spectrum.transform
1, 2, 5     scores and transformed features of queries, in one product    projection.fold
Eq. 6       directed k-nearest-neighbour graph W⁽ᵛ⁾                       neighbors.nearest, graph.directed
Eq. 7       symmetric graphs G⁽ᵛ⁾ and the consensus G                     graph.symmetrize, graph.consensus
Eq. 8       ambiguity a and disagreement d of each query                  gate.ambiguity, gate.disagreement
Eq. 9       recurrence weight r of each query                             gate.recurrence_weight
Eq. 10      anchored update of the query distributions                    recurrence.recur
Eq. 11      prior normalisation 𝒩_π                                       recurrence.normalize_prior
Alg. 1      all of it, for one target sensor                              algorithm.adapt, algorithm.infer
lines 7–11  the joint answer, from scores and graph                       joint.settle
==========  ============================================================  =======================

Ours, off by default: labelled contacts as nodes of the graph (``nodes``, ``algorithm.support_nodes``), a class prior
that looks at the batch (``priors``), and what the memory says of contacts it has not seen (``leave_one_out``).

Symbols, the same in every file: ``n`` support contacts, ``m`` queries, ``C`` classes, ``d`` features, ``k``
neighbours; ``H`` raw and ``Z`` standardised features of one readout, ``Q`` unit-length transformed queries,
``y`` class indices of the support, ``P`` rows of class distributions. A temperature divides.
"""
