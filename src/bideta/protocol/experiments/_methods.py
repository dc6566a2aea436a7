"""Which methods the tables compare, and their settings there."""

from __future__ import annotations

import inspect
from collections.abc import Iterable, Sequence
from typing import Any

from bideta import presets
from bideta.plugins import find
from bideta.protocol.draw import UNLABELLED
from bideta.protocol.experiment import Question, Scope

# Rows of the paper's tables. SITR-Calib is for datasets with calibration images, SITR-Support for TacQuad.
CLASSIFIERS = (
    "frozen",
    "tip-adapter",
    "simpleshot",
    "laplacianshot",
    "sitr-calib",
    "anytouch-match",
    "ctsrl-csm",
    "bideta",
)
RANKERS = tuple("sitr-support" if name == "sitr-calib" else name for name in CLASSIFIERS)
# Rivals the paper does not have. All but the first use the same shrinkage LDA, or its subspace, as the method does.
RIVALS = (
    "logistic",
    "lda",
    "em-lda",
    "tim",
    "alpha-tim",
    "paddle",
    "pt-map",
    "transclip",
    "label-spreading",
)
UNLABELLED_METHODS = ("frozen",)  # the support only names the classes: one cell, budget "0%"
QUICK_RIVALS = ("lda", "em-lda")
QUICK_EPOCHS = 30  # of the trained heads, instead of 300: they would be most of a quick run


def every_method(scope: Scope, methods: Sequence[str], budgets: Iterable[str]) -> list[Question]:
    """The paper's methods and the rivals, each at every budget."""
    wanted = scope.pick_methods((*methods, *(QUICK_RIVALS if scope.quick else RIVALS)))
    picked = scope.pick_budgets(budgets)
    return [
        (method, "", budget)
        for method in wanted
        for budget in ([UNLABELLED] if method in UNLABELLED_METHODS else picked)
    ]


def every_variant(scope: Scope, variants: Iterable[str], budgets: Iterable[str]) -> list[Question]:
    """Variants of BIDETA, each at every budget; none where only other methods were asked for."""
    wanted = "bideta" in scope.pick_methods(["bideta"])
    return variants_at(variants, scope.pick_budgets(budgets)) if wanted else []


def variants_at(variants: Iterable[str], budgets: Iterable[str]) -> list[Question]:
    """Variants of BIDETA at these budgets, whatever methods were asked for."""
    return [("bideta", variant, budget) for budget in budgets for variant in variants]


def method_settings(method: str, task: str, seed: int, quick: bool = False) -> dict[str, Any]:
    """Settings of a method in the tables: the paper's for BIDETA, the cell's seed for what draws at random."""
    if method == "bideta":
        return dict(presets.RANKING if task == "ranking" else presets.CLASSIFICATION)
    known = inspect.signature(find("method", method).load).parameters
    settings: dict[str, Any] = {"seed": seed} if "seed" in known else {}
    if quick and "epochs" in known:
        settings["epochs"] = QUICK_EPOCHS
    return settings
