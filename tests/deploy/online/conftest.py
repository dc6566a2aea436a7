from __future__ import annotations

import numpy as np
import pytest

from bideta import presets
from support.sensor_shift import episode
from support.streams import NAMES

SETTINGS = {
    "paper": {"n_neighbors": 15},
    "free": {"n_neighbors": 15, "prior": None},
    "arithmetic": {"n_neighbors": 15, "fusion": "arithmetic"},
    "raw": {"n_neighbors": 15, "geometry": "raw"},
    "anchor": {"n_iter": 0},
    "nodes": {"n_neighbors": 15, "prior": None, "support_nodes": True},
    "nodes and prior": {"n_neighbors": 15, "support_nodes": True, "fusion": "arithmetic"},
    "robot": {**presets.ROBOT, "n_neighbors": 15},
    "mixed": {"n_neighbors": 15, "prior": "mixed"},
    "second pass": {"n_neighbors": 10, "fusion": 0.25, "second_pass": True, "support_nodes": True},
    "touch": presets.TOUCH,
    "many": {"n_neighbors": 500, "gamma": 0.0, "alpha": 0.3},
}


@pytest.fixture(params=SETTINGS.values(), ids=SETTINGS)
def settings(request):
    return request.param


@pytest.fixture
def contacts():
    found = episode(per_class=12)
    order = np.random.default_rng(0).permutation(len(found.truth))
    return found.support, NAMES[found.labels], tuple(H[order] for H in found.queries)
