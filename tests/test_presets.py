from __future__ import annotations

import numpy as np
import pytest

from bideta import Bideta, presets
from support.sensor_shift import episode

PAPER_TABLE = {  # Table "Hyperparameter configurations": γ, k, τ_g, r_min, r_max, T, p
    "CLASSIFICATION": (0.6, 40, 0.2, 0.70, 0.90, 10, 0.05),
    "RANKING": (0.25, 80, 0.07, 0.60, 0.80, 20, 0.15),
}
COLUMNS = ("gamma", "n_neighbors", "graph_temperature", "r_min", "r_max", "n_iter", "gate_exponent")


@pytest.mark.parametrize("name", PAPER_TABLE)
def test_presets_hold_the_papers_numbers(name: str) -> None:
    preset = getattr(presets, name)
    assert tuple(preset[column] for column in COLUMNS) == PAPER_TABLE[name]
    assert preset["disagreement_weight"] == 0.5


def test_all_eleven_ablations_run_and_differ_from_the_full_model_as_named() -> None:
    e = episode(2, signal=0.6, shots=8, per_class=30)
    results = {
        name: Bideta(**{**presets.CLASSIFICATION, **overrides}).fit(e.support, e.labels).infer(e.queries)
        for name, overrides in presets.ABLATIONS.items()
    }
    assert len(results) == 11
    full = results["Full BIDETA"]
    np.testing.assert_array_equal(results["Memory: view 1 only"].proba, full.views[0])
    np.testing.assert_array_equal(results["Memory: view 2 only"].proba, full.views[1])
    np.testing.assert_array_equal(results["Dual memory; no graph"].proba, full.anchor)
    for name in ("+ Consensus recurrence", "+ Support standardization", "+ Spectral normalization"):
        np.testing.assert_array_equal(results[name].gate, 0.8)  # ungated
    graphs = {name: result.graph.toarray() for name, result in results.items()}
    np.testing.assert_array_equal(
        graphs["+ Support standardization"], graphs["Full: no spectral normalization"]
    )
    np.testing.assert_array_equal(graphs["+ Spectral normalization"], graphs["Full BIDETA"])
    assert np.abs(graphs["+ Consensus recurrence"] - graphs["+ Support standardization"]).max() > 0
    assert np.abs(graphs["Full: arithmetic graph fusion"] - graphs["Full BIDETA"]).max() > 0
    gates = [results[f"Full: {kind} only"].gate for kind in ("disagreement", "entropy")]
    assert np.abs(gates[0] - gates[1]).max() > 0
