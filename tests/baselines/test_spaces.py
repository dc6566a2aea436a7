from __future__ import annotations

import numpy as np
import pytest
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis

from bideta import load_method
from bideta.baselines._anchor import adapt_readouts
from bideta.baselines._inputs import Task, check_support
from bideta.baselines._prototypes import one_hot, prototypes, squared_distances
from bideta.baselines._spaces import fit_space
from support.change_of_sensor import change


def task_of(data) -> Task:
    support, classes = check_support(data.support, data.labels)
    return Task(support, len(classes))


def test_half_distances_in_the_lda_subspace_are_lda_scores() -> None:
    """Averaged over readouts and up to a number per query; the oracle is scikit-learn's LDA at our intensity."""
    data = change()
    task = task_of(data)
    space = fit_space(task, "lda")
    X, means = space(data.queries), prototypes(space(task.support.readouts), one_hot(task.support.y, 4))
    scores = np.zeros((48, 4))
    for H, Q, readout in zip(data.support, data.queries, adapt_readouts(task), strict=True):
        Z, Zq = (readout.standardizer(A) for A in (H, Q))
        rho = readout.covariance.intensity
        model = LinearDiscriminantAnalysis(solver="lsqr", shrinkage=rho, priors=np.full(4, 0.25)).fit(
            Z, data.labels
        )
        scores += model.decision_function(Zq) / 2
    difference = scores + squared_distances(X, means) / 2
    np.testing.assert_allclose(
        difference, difference.mean(axis=1, keepdims=True).repeat(4, axis=1), atol=1e-8
    )


def test_the_subspace_has_one_direction_less_than_classes_per_readout() -> None:
    data = change()
    assert fit_space(task_of(data), "lda")(data.queries).shape == (48, 6)


def test_raw_readouts_weigh_alike() -> None:
    data = change()
    loud = (data.support[0] * 1000, data.support[1])
    support, classes = check_support(loud, data.labels)
    task = Task(support, len(classes))
    S = fit_space(task, "raw")(task.support.readouts)
    first, second = S[:, :10], S[:, 10:]
    np.testing.assert_allclose(np.square(first).sum(), np.square(second).sum())
    np.testing.assert_allclose(np.square(S).sum(axis=1).mean(), 1)
    np.testing.assert_allclose(S.mean(axis=0), 0, atol=1e-12)


def test_an_unknown_space_is_refused() -> None:
    with pytest.raises(ValueError, match="space='pca'"):
        load_method("tim", space="pca")
