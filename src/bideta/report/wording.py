"""Plugin names → the words of the paper's tables."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import cache
from typing import Any

from bideta import plugins
from bideta.protocol.records import Record

SIMULATED = "simulated-"  # a twin dataset's name is this and its role
TAPS = "-taps"  # a twin touched by single taps is called as the twin, and this
TWIN = "twin-"  # a twin encoder's
DATASETS = {"sitr": "SITR", "tacverse": "TacVerse Shape", "tacquad": "TacQuad"}
ENCODERS = {"tvl": "TVL", "sparsh": "Sparsh"}
METHODS = (  # the paper's rows
    "frozen",
    "tip-adapter",
    "simpleshot",
    "laplacianshot",
    "sitr-calib",
    "sitr-support",
    "anytouch-match",
    "ctsrl-csm",
    "bideta",
)
METRICS = {
    "accuracy": "Accuracy (%): share of contacts with the right label",
    "macro_f1": "Macro-F1 (%): mean of the classes' F1, a class never predicted counts 0",
    "mrr": "MRR (%): mean reciprocal rank of the true identity",
    "r1": "R@1 (%): share of contacts whose true identity comes first",
}


def role(dataset: str) -> str:
    """Which of the paper's datasets this is, or stands for: ``simulated-sitr`` → ``sitr``."""
    return dataset.removeprefix(SIMULATED)


def dataset_title(dataset: str) -> str:
    """``SITR``, ``TacVerse Shape``, ``TacQuad``, or the name itself."""
    return DATASETS.get(role(dataset).removesuffix(TAPS), dataset)


def encoder_labels(records: Iterable[Record]) -> dict[str, str]:
    """Encoder → column word, TVL and Sparsh first; a twin beside the original keeps its own name."""
    recorded = {record.cell.encoder for record in records}
    words: dict[str, str] = {}
    for encoder, word in ENCODERS.items():
        present = [name for name in (encoder, f"{TWIN}{encoder}") if name in recorded]
        words.update({name: word if i == 0 else name for i, name in enumerate(present)})
    return {**words, **{name: name for name in sorted(recorded.difference(words))}}


def encoder_note(labels: dict[str, str]) -> str:
    """Who stands behind the column words: "TVL is the encoder twin-tvl." """
    parts = [f"{word} is the encoder {name}" for name, word in labels.items() if word != name]
    return "; ".join(parts) + "." if parts else ""


def method_title(name: str, variant: str = "") -> str:
    """The method as the paper writes it; with a variant, that in brackets."""
    info = _info(name)
    title = name if info is None else str(info.title)
    return f"{title} ({variant})" if variant else title


def method_mode(name: str) -> str:
    """I (inductive) or T (transductive); ? for a method that is not installed here."""
    info = _info(name)
    return "?" if info is None else "T" if info.transductive else "I"


def method_order(methods: Iterable[tuple[str, str]]) -> tuple[list[tuple[str, str]], list[tuple[str, str]]]:
    """(method, variant) pairs of the paper's rows in their order, and the others, sorted by title."""
    pairs = set(methods)
    paper = [(name, "") for name in METHODS if (name, "") in pairs]
    return paper, sorted(pairs.difference(paper), key=lambda pair: (method_title(*pair).lower(), pair))


def sensor_label(name: str) -> str:
    """``Mini_1`` → ``Mini 1``."""
    return name.replace("_", " ")


def sensor_list(names: Iterable[str]) -> str:
    """``Mini 1, Mini 2 and Hex``."""
    return listed([sensor_label(name) for name in names])


def budget_order(budgets: Iterable[str]) -> list[str]:
    """``1%``, ``5%``, ``10%`` or ``2-shot``, ``5-shot`` by their number; others after them."""

    def number(budget: str) -> tuple[float, str]:
        digits = budget.removesuffix("%").removesuffix("-shot")
        try:
            return float(digits), budget
        except ValueError:
            return float("inf"), budget

    return sorted(set(budgets), key=number)


def listed(names: Sequence[object]) -> str:
    """``0, 1 and 2``."""
    words = [str(name) for name in names]
    return words[0] if len(words) == 1 else f"{', '.join(words[:-1])} and {words[-1]}" if words else "none"


def targets(dataset: str, *, development: bool = True) -> list[str]:
    """The dataset's target sensors in the paper's column order; [] where the dataset is not installed here."""
    info = dataset_info(dataset)
    if info is None:
        return []
    return [name for name in info.targets if development or name not in info.development]


@cache
def dataset_info(dataset: str) -> Any:
    """The dataset's facts; None where it is not installed here."""
    known = dataset.partition(":")[0] in plugins.names("dataset")
    return plugins.find("dataset", dataset).INFO if known else None


@cache  # looking for entry points takes 20 ms
def _info(method: str) -> Any:
    known = method.partition(":")[0] in plugins.names("method")
    return plugins.find("method", method).INFO if known else None
