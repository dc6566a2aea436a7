"""SimpleShot: nearest class mean of centred, unit-length features.

Y. Wang, W.-L. Chao, K. Q. Weinberger, L. van der Maaten: "SimpleShot: Revisiting Nearest-Neighbor
Classification for Few-Shot Learning", arXiv:1911.04623 (2019).

Theirs (CL2N): subtract the mean of the base training set, divide by the length, average each class, take the
nearest mean in Euclidean distance. Ours departs in two points. The centre is the *support* mean: the source
mean lies off the data once the sensor changed (``center="source"`` is theirs, ``"none"`` is their L2N). And
their hard choice becomes a distribution, softmax(−distance²/temperature), with the same order of classes.
"""

from __future__ import annotations

from functools import partial

from bideta.baselines import MethodInfo
from bideta.baselines._adapter import Infer, loader
from bideta.baselines._inputs import Floats, Readouts, Task
from bideta.baselines._prototypes import (
    Center,
    centre,
    one_hot,
    prototypes,
    softmax,
    squared_distances,
    unit_rows,
)
from bideta.baselines._settings import Positive

INFO = MethodInfo(
    name="simpleshot",
    title="SimpleShot",
    reference="Wang et al., SimpleShot, arXiv:1911.04623, 2019",
    licence="none given",
    transductive=False,
    readout="earlier",
    url="https://github.com/mileyan/simple_shot",
)

TEMPERATURE = 0.1  # ours; it shapes probabilities only. Squared distances of unit vectors differ by tenths.


def learn(task: Task, *, center: Center = "support", temperature: Positive = TEMPERATURE) -> Infer:
    """Class means of the centred, unit-length earlier readout."""
    H = task.support.readouts[0]
    b = centre(task, center, INFO.name)
    means = prototypes(unit_rows(H - b), one_hot(task.support.y, task.n_classes))
    return partial(infer, b=b, means=means, temperature=temperature)


def infer(readouts: Readouts, b: Floats, means: Floats, temperature: float) -> Floats:
    """softmax(−‖x − mean‖²/temperature) of every query."""
    return softmax(-squared_distances(unit_rows(readouts[0] - b), means) / temperature)


load = loader(INFO, learn)
