"""Why adaptation: the source head on its own sensor and, unchanged, on every other one. The paper's first figure.

The head has no random part: one cell per sensor, whatever the seeds.
"""

from __future__ import annotations

import numpy as np

from bideta.datasets import DatasetInfo
from bideta.plugins import load_method
from bideta.protocol.draw import UNLABELLED
from bideta.protocol.episode import prepare_source
from bideta.protocol.experiment import Cell, Experiment, Outcome
from bideta.protocol.experiments._scoring import score
from bideta.protocol.supply import Supply

METHOD = "frozen"


def splits(cell: Cell, info: DatasetInfo) -> list[tuple[str, str]]:
    """The source's first split and the sensor's last."""
    return [(info.source, info.splits[0]), (cell.target, info.splits[-1])]


def answer(cell: Cell, supply: Supply) -> Outcome:
    """Accuracy, macro-F1 and confusion matrix; the source sensor is asked about its own test contacts."""
    source = supply.source(cell.dataset, cell.encoder)
    info = supply.info(cell.dataset)
    query = supply.contacts(cell.dataset, cell.encoder, cell.target, info.splits[-1])
    labelled = source.readouts, source.labels
    head = load_method(cell.method)
    head.fit(*labelled, source=prepare_source(head, source, supply.prepared(cell.dataset, cell.encoder)))
    predicted = np.asarray(head.predict(query.readouts), np.int64)
    return score(query.labels, predicted, len(info.classes), {})


EXPERIMENT = Experiment(
    name="motivation",
    roles=("sitr", "tacverse"),
    questions=lambda scope, info: [(METHOD, "", UNLABELLED)] * (METHOD in scope.pick_methods([METHOD])),
    answer=answer,
    targets=lambda scope, info: [info.source, *scope.pick_targets(info)],
    seeds=lambda scope: scope.seeds[:1],
    splits=splits,
)
