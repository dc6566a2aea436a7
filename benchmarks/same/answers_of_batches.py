"""``Bideta`` on batches of every size, precision and setting; saved, loaded and ranked."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.same.entries import Entries
from benchmarks.same.features import Contacts, contacts
from bideta import Bideta, presets

SIZES = (1, 2, 7, 40, 200, 513, 1025)
# 8,192 queries are the most that are compared in one piece; 8,200 are not.
LARGE = (3200, 8192, 8200)
ROWS = 400  # of the graph of a large batch that are kept
PRESETS = {"classification": presets.CLASSIFICATION, "ranking": presets.RANKING, "robot": presets.ROBOT}
READOUTS = {"both": slice(0, 2), "first": slice(0, 1)}
VARIANTS: dict[str, dict[str, Any]] = {
    **{name: {**presets.CLASSIFICATION, **change} for name, change in presets.ABLATIONS.items()},
    "prior none": {"prior": None},
    "prior array": {"prior": np.array([0.3, 0.25, 0.2, 0.1, 0.1, 0.05])},
    "prior auto": {"prior": "auto"},
    "prior mixed": {"prior": "mixed"},
    "nodes": {"support_nodes": True},
    "nodes, prior none": {"support_nodes": True, "prior": None},
    "nodes, prior array": {"support_nodes": True, "prior": np.array([0.3, 0.25, 0.2, 0.1, 0.1, 0.05])},
    "nodes, mixed, arithmetic": {"support_nodes": True, "prior": "mixed", "fusion": "arithmetic"},
    "nodes, raw": {"support_nodes": True, "geometry": "raw"},
    "raw": {"geometry": "raw"},
    "shrinkage 0": {"shrinkage": 0.0},
    "shrinkage 0.1": {"shrinkage": 0.1},
    "shrinkage 1": {"shrinkage": 1.0},
    "unlike": {"alpha": 0.3, "memory_temperature": 2.0, "gate_exponent": 0.4, "gamma": 1.3, "n_iter": 3},
    "few neighbours": {"n_neighbors": 3, "graph_temperature": 0.05},
}


def entries() -> Entries:
    """Every setting at a few sizes, the presets at every size."""
    data = contacts(1, m=max(LARGE))
    for preset, settings in PRESETS.items():
        for readouts, chosen in READOUTS.items():
            for dtype in ("float32", "float64"):
                some = data.of(chosen, dtype)
                adapted = Bideta(**settings).fit(some.support, some.labels, some.presses)
                for m in SIZES:
                    yield from _inferred(f"{preset} {readouts} {dtype} m={m}", adapted, some.batch(m))
        for dtype, sizes in (("float32", LARGE), ("float64", LARGE[:1])):
            some = data.of(READOUTS["both"], dtype)
            adapted = Bideta(**settings).fit(some.support, some.labels, some.presses)
            for m in sizes:
                yield from _inferred(f"{preset} both {dtype} m={m}", adapted, some.batch(m))
    some = data.of(READOUTS["first"], "float64")
    adapted = Bideta().fit(some.support, some.labels)
    yield from _inferred("classification first float64 m=3200", adapted, some.batch(3200))
    for variant, settings in VARIANTS.items():
        for dtype, sizes in (("float32", (200,)), ("float64", (1, 7, 200))):
            some = data.of(READOUTS["both"], dtype)
            adapted = Bideta(**settings).fit(some.support, some.labels)
            for m in sizes:
                yield from _inferred(f"{variant} {dtype} m={m}", adapted, some.batch(m))
    yield from _shapes()
    yield from _saved(data)


def _inferred(name: str, adapted: Bideta, X: Any) -> Entries:
    result = adapted.infer(X)
    for field in ("proba", "anchor", "gate", "ambiguity", "disagreement"):
        yield f"{name} {field}", getattr(result, field)
    for v, P in enumerate(result.views, 1):
        yield f"{name} view {v}", P
    if result.prior is not None:
        yield f"{name} prior", result.prior
    for field in ("graph", "support_graph"):
        graph = getattr(result, field)
        if graph is not None:
            graph = graph[:ROWS]
            for part in ("data", "indices", "indptr"):
                yield f"{name} {field}.{part}", getattr(graph, part)
    yield f"{name} rank", adapted.rank(X, top=min(3, len(adapted.classes_)))


def _shapes() -> Entries:
    """Wide readouts, one labelled contact per class, unbalanced batches, one array cut in two, copies."""
    wide = contacts(2, m=1025, dims=(384, 300), presses=10, signal=0.3)
    single = contacts(3, m=120, presses=1, frames=1, dims=(12, 18), signal=1.5)
    uneven = contacts(4, m=400, unbalanced=True)
    two = contacts(5, m=90, C=2)
    for preset, settings in PRESETS.items():
        for name, data in (
            ("wide", wide),
            ("wide float32", wide.of(slice(None), "float32")),
            ("one shot", single),
            ("unbalanced", uneven),
            ("unbalanced float32", uneven.of(slice(None), "float32")),
            ("two classes", two),
        ):
            adapted = Bideta(**settings).fit(data.support, data.labels, data.presses)
            yield from _inferred(f"{preset} {name}", adapted, data.queries)
        kept = np.r_[0:8, 10:12, 16:48]  # two labelled contacts of one class, eight of the others
        adapted = Bideta(**settings).fit(tuple(H[kept] for H in uneven.support), uneven.labels[kept])
        yield from _inferred(f"{preset} uneven support", adapted, uneven.queries)
        twice = tuple(np.vstack([H[:90], H[:30]]) for H in two.queries)
        yield from _inferred(f"{preset} copies", Bideta(**settings).fit(two.support, two.labels), twice)
    joined, asked = np.hstack(uneven.support), np.hstack(uneven.batch(60))
    adapted = Bideta(split=uneven.support[0].shape[1]).fit(joined, uneven.labels)
    yield "split", adapted.predict_proba(asked)
    yield "one array", Bideta().fit(joined, uneven.labels).predict_proba(asked)
    yield "one array labels", Bideta().fit(joined, uneven.labels).predict(asked)


def _saved(data: Contacts) -> Entries:
    some = data.of(READOUTS["both"], "float32")
    with tempfile.TemporaryDirectory() as folder:
        for preset, settings in PRESETS.items():
            path = Path(folder) / f"{preset}.bideta"
            Bideta(**settings).fit(some.support, some.labels, some.presses).save(path)
            adapted = Bideta.load(path)
            for m in (1, 200):
                yield from _inferred(f"{preset} loaded m={m}", adapted, some.batch(m))
