"""Frozen backbone: the source sensor's linear classifier, applied unchanged to the target.

Row "Frozen backbone" of the paper's tables. The labelled target contacts are not used, except for the list
of classes. The paper does not say how its head was trained; see ``_source_head``.
"""

from __future__ import annotations

from functools import partial

from sklearn.linear_model import LogisticRegression

from bideta.baselines import MethodInfo
from bideta.baselines._adapter import Infer, loader
from bideta.baselines._inputs import Floats, Readouts, Task, require_source
from bideta.baselines._source_head import head_logits

INFO = MethodInfo(
    name="frozen",
    title="Frozen backbone",
    reference="Liu et al., BIDETA, row 'Frozen backbone'",
    licence="no original code",
    transductive=False,
    readout="final",
    needs_source=True,
)


def learn(task: Task) -> Infer:
    """The head fitted to the source contacts."""
    return partial(infer, head=require_source(task, INFO.name).head)


def infer(readouts: Readouts, head: LogisticRegression) -> Floats:
    """The head's logits."""
    return head_logits(head, readouts[-1])


load = loader(INFO, learn, scored=True)
