from __future__ import annotations

import numpy as np
import pytest

from bideta import Bideta
from bideta.deploy.trust.hidden_support import hold_out
from bideta.deploy.trust.label_sets import conformal_sets, possibility
from support.sensor_shift import episode


def test_the_p_value_counts_hidden_contacts_that_were_no_surer():
    data = episode(C=3, shots=4, per_class=30)
    held = hold_out(Bideta().fit(data.support, data.labels), data.queries)
    slow = np.empty((90, 3))
    for j in range(90):
        for c in range(3):
            count = 1
            for i in range(len(held)):
                fold = int(held.folds[i])
                count += held.proba[i, held.labels[i]] <= held.queries[fold, j, c]
            slow[j, c] = count / (len(held) + 1)
    np.testing.assert_allclose(possibility(held), slow)


def test_sets_hold_the_true_class_as_often_as_asked():
    """Exchangeable support and queries: the mean over draws is close to the promise, however the classes overlap."""
    hit, size = [], []
    for seed in range(10):
        data = episode(seed=seed, C=4, shots=15, per_class=25, signal=0.5)
        held = hold_out(Bideta().fit(data.support, data.labels), data.queries)
        sets = [conformal_sets(held, coverage) for coverage in (0.8, 0.9, 0.95)]
        hit.append([each[np.arange(100), data.truth].mean() for each in sets])
        size.append([each.sum(axis=1).mean() for each in sets])
    np.testing.assert_allclose(np.mean(hit, axis=0), [0.8, 0.9, 0.95], atol=0.045)
    assert 1 < np.mean(size, axis=0)[0] < np.mean(size, axis=0)[2] < 4


def test_one_contact_per_class_excludes_nothing():
    data = episode(shots=1)
    assert conformal_sets(hold_out(Bideta().fit(data.support, data.labels), data.queries)).all()


def test_coverage_is_a_share():
    data = episode()
    held = hold_out(Bideta().fit(data.support, data.labels), data.queries)
    with pytest.raises(ValueError, match="coverage"):
        conformal_sets(held, 90)
