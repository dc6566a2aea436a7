"""One, two and five shots: presets of BIDETA beside methods that need few labels."""

from __future__ import annotations

import time
from dataclasses import replace
from typing import Any

import numpy as np

from bideta import Bideta, presets
from bideta.datasets import DatasetInfo
from bideta.protocol.experiment import Cell, Experiment, Outcome, Question, Scope
from bideta.protocol.experiments._methods import method_settings
from bideta.protocol.experiments._scoring import classify, score
from bideta.protocol.supply import Supply

# Variant of BIDETA → preset.
VARIANTS: dict[str, dict[str, Any]] = {
    "": presets.CLASSIFICATION,
    "robot": presets.ROBOT,
    "touch": presets.TOUCH,
}
RIVALS = ("simpleshot", "logistic", "lda", "em-lda")
BUDGETS = ("1-shot", "2-shot", "5-shot")  # and the smallest of the dataset


def questions(scope: Scope, info: DatasetInfo) -> list[Question]:
    """Rivals and variants of BIDETA at every number of shots."""
    return [
        (method, variant, budget)
        for budget in scope.pick_budgets((*BUDGETS, next(iter(info.budgets))))
        for method in scope.pick_methods((*RIVALS, "bideta"))
        for variant in (VARIANTS if method == "bideta" else ("",))
    ]


def answer(cell: Cell, supply: Supply) -> Outcome:
    """Accuracy, macro-F1 and, for BIDETA, the processor seconds of adapting."""
    episode = supply.episode(cell)
    if cell.method != "bideta":
        return classify(cell.method, method_settings(cell.method, "classification", cell.seed), episode)
    preset = VARIANTS[cell.variant]
    start = time.process_time()
    adapted = Bideta(**preset).fit(episode.support.readouts, episode.support.labels)
    seconds = time.process_time() - start
    predicted = np.asarray(adapted.predict(episode.query.readouts), np.int64)
    outcome = score(episode.query.labels, predicted, episode.n_classes, preset)
    return replace(outcome, values={**outcome.values, "seconds": seconds})


EXPERIMENT = Experiment(name="fewshot", roles=("sitr", "tacverse"), questions=questions, answer=answer)
