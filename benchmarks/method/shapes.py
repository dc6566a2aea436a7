"""Section "shapes": ours against the scikit-learn composition on the paper's three data sets, same answers."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from threadpoolctl import threadpool_limits

from benchmarks.measuring.clock import in_turns
from benchmarks.measuring.features import Features, episode
from benchmarks.measuring.peak import peak
from benchmarks.measuring.task import Task
from benchmarks.method.composition import composition
from bideta import Bideta, presets


@dataclass(frozen=True)
class Shape:
    """Size of one target sensor's task."""

    n: int
    m: int
    C: int
    dims: tuple[int, ...]
    separation: float  # chosen so that 85 to 95 % of the answers are right
    preset: str = "CLASSIFICATION"


SHAPES = {
    "SITR 10 %": Shape(1280, 3200, 16, (384, 768), 0.08),
    "SITR 10 %, two equal readouts": Shape(1280, 3200, 16, (384, 384), 0.08),
    "SITR 1 %": Shape(128, 3200, 16, (384, 768), 0.12),
    "TacVerse": Shape(270, 900, 9, (384, 768), 0.09),
    "TacQuad": Shape(336, 224, 56, (384, 768), 0.13, "RANKING"),
}
LARGEST = "SITR 10 %"  # timed with two threads as well
QUICK = {
    "tiny SITR": Shape(160, 400, 8, (48, 96), 0.15),
    "tiny TacQuad": Shape(84, 112, 14, (48, 96), 0.2, "RANKING"),
}
# Letters of the composition's arguments, as the presets spell them.
LETTERS = {
    "gamma": "gamma",
    "k": "n_neighbors",
    "tau_g": "graph_temperature",
    "r_min": "r_min",
    "r_max": "r_max",
    "n_iter": "n_iter",
    "lam": "disagreement_weight",
    "p": "gate_exponent",
}


def tasks(*, quick: bool = False, complete: bool = False) -> list[Task]:
    """Every shape in both precisions with one BLAS thread; the largest with two as well."""
    listed = []
    for name, shape in (QUICK if quick else SHAPES).items():
        for dtype in ("float32", "float64"):
            threads = (1, 2) if name == LARGEST else (1,)
            for count in threads:
                arguments = {"shape": asdict(shape), "dtype": dtype, "threads": count}
                arguments |= {"repeats": 2, "draws": 2} if quick else {"repeats": 12, "draws": 5}
                title = f"{name} | {dtype} | {count} thread{'s' * (count > 1)}"
                listed.append(Task(title, compare, arguments, 1 if quick else 24))
        title = f"{name} | float32 | memory"
        listed.append(Task(title, memory, {"shape": asdict(shape), "dtype": "float32"}, 3, fresh=not quick))
    return listed


def compare(shape: dict[str, Any], dtype: str, threads: int, repeats: int, draws: int) -> dict[str, Any]:
    """Seconds of both on one draw of the features, and how far their answers are apart on the worst of several."""
    with threadpool_limits(threads):
        differences = [answers_apart(shape, dtype, seed) for seed in range(draws)]
        features, preset = draw(shape, dtype)
        P = ours(features, preset)
        times = in_turns(
            {
                "ours": (lambda: ours(features, preset), repeats),
                "composition": (lambda: straight(features, preset), repeats),
            }
        )
    return {
        **times,
        "ratio_cpu": times["composition"]["cpu"] / times["ours"]["cpu"],
        "ratio_wall": times["composition"]["wall"] / times["ours"]["wall"],
        "accuracy": float((P.argmax(axis=1) == features.truth).mean()),
        "draws": draws,
    } | {
        pair: {
            "agreement": min(draw[pair]["agreement"] for draw in differences),
            "difference": max(draw[pair]["difference"] for draw in differences),
        }
        for pair in differences[0]
    }


def answers_apart(shape: dict[str, Any], dtype: str, seed: int) -> dict[str, dict[str, float]]:
    """How far answers are apart on one draw: ours and the composition's, in this precision and in float64."""
    features, preset = draw(shape, dtype, seed)
    wide = Features(
        tuple(H.astype(np.float64) for H in features.support),
        features.y,
        tuple(H.astype(np.float64) for H in features.queries),
        features.truth,
    )
    P, same = ours(features, preset), straight(features, preset, careful=True)
    reference = same if dtype == "float64" else straight(wide, preset, careful=True)
    return {
        "against_same_precision": apart(P, same),
        "against_float64": apart(P, reference),
        "composition_against_float64": apart(same, reference),
    }


def memory(shape: dict[str, Any], dtype: str) -> dict[str, Any]:
    """Peak memory of fit and inference above the inputs, all cores."""
    features, preset = draw(shape, dtype)
    with peak() as memory:
        ours(features, preset)
    return {"memory_mb": memory.added / 1e6, "memory_exact": memory.exact}


def draw(shape: dict[str, Any], dtype: str, seed: int = 0) -> tuple[Features, dict[str, Any]]:
    """Features of a shape, and the settings that the paper uses for it."""
    size = {name: value for name, value in shape.items() if name != "preset"}
    return episode(**size, dtype=dtype, seed=seed), getattr(presets, shape["preset"])


def ours(features: Features, preset: dict[str, Any]) -> NDArray[np.float64]:
    """Fit and joint inference, as a user calls them."""
    return Bideta(**preset).fit(features.support, features.y).predict_proba(features.queries)


def straight(features: Features, preset: dict[str, Any], *, careful: bool = False) -> NDArray[np.float64]:
    """The same from scikit-learn's parts."""
    letters = {letter: preset[name] for letter, name in LETTERS.items()}
    return composition(features.support, features.y, features.queries, **letters, careful=careful)[0]


def apart(P: NDArray[np.float64], other: NDArray[np.float64]) -> dict[str, float]:
    """Share of equal labels and the largest difference of a probability."""
    return {
        "agreement": float((P.argmax(axis=1) == other.argmax(axis=1)).mean()),
        "difference": float(np.abs(P - other).max()),
    }
