"""Why adaptation: the source head on its own sensor and, unchanged, on every other one."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from bideta.datasets import DatasetInfo
from bideta.plugins import load_method
from bideta.protocol.experiments import Cell, Outcome, Scope
from bideta.protocol.experiments._scoring import classified
from bideta.protocol.supply import UNLABELLED, Bench


@dataclass(frozen=True)
class Motivation:
    """The paper's first figure. The head has no random part: one cell per sensor, whatever the seeds."""

    name: str = "motivation"
    title: str = "accuracy of the source head on every sensor"
    exclusive: bool = False
    roles: tuple[str, ...] = ("sitr", "tacverse")
    method: str = "frozen"

    def cells(self, scope: Scope) -> list[Cell]:
        """The source sensor and every target, for every encoder."""
        return [
            Cell(self.name, dataset, encoder, sensor, self.method, budget=UNLABELLED, seed=scope.seeds[0])
            for dataset, info in scope.present(*self.roles)
            if self.method in scope.pick_methods([self.method])
            for encoder in scope.encoders
            for sensor in (info.source, *scope.pick_targets(info))
        ]

    def needs(self, cell: Cell, info: DatasetInfo) -> list[tuple[str, str]]:
        """The source's first split and the sensor's last."""
        return [(info.source, info.splits[0]), (cell.target, info.splits[-1])]

    def run(self, cell: Cell, bench: Bench) -> Outcome:
        """Accuracy, macro-F1 and confusion matrix; the source sensor is asked about its own test contacts."""
        source = bench.source(cell.dataset, cell.encoder)
        info = bench.info(cell.dataset)
        query = bench.contacts(cell.dataset, cell.encoder, cell.target, info.splits[-1])
        given = source.views, source.labels
        head = load_method(cell.method).fit(*given, source=given)
        predicted = np.asarray(head.predict(query.views), np.int64)
        return classified(query.labels, predicted, len(info.classes), {})


EXPERIMENT = Motivation()
