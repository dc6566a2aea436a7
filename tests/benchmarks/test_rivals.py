"""Rivals of our promises against the libraries that they come from, where those are installed."""

from __future__ import annotations

import numpy as np
import pytest
from benchmarks.trust.rivals import __main__ as command
from benchmarks.trust.rivals import beds, calibration, label_sets, measure, novelty, page
from sklearn.linear_model import LogisticRegression

from bideta.protocol.episode import Contacts
from support.sensor_shift import episode

# The libraries warn about each other's changes.
pytestmark = pytest.mark.filterwarnings("ignore")


@pytest.fixture(scope="module")
def answers():
    """Probabilities of calibration contacts, their classes, and probabilities of queries."""
    data = episode(C=4, shots=30, per_class=20, signal=0.5)
    X = np.hstack(data.support)
    model = LogisticRegression(max_iter=2000).fit(X[::3], data.labels[::3])
    keep = np.arange(len(X)) % 3 > 0
    return model, X[keep], data.labels[keep], np.hstack(data.queries)


def test_split_sets_are_those_of_mapie(answers):
    mapie = pytest.importorskip("mapie.classification")
    model, X, y, Q = answers
    for level in (0.8, 0.9, 0.95):
        theirs = mapie.SplitConformalClassifier(model, confidence_level=level, conformity_score="lac")
        _, sets = theirs.conformalize(X, y).predict_set(Q)
        p = label_sets.split(model.predict_proba(X), y, model.predict_proba(Q))
        np.testing.assert_array_equal(p > 1 - level + 1e-12, sets[:, :, 0])


@pytest.mark.parametrize("by_class", [False, True])
def test_split_p_values_are_those_of_crepes(answers, by_class):
    crepes = pytest.importorskip("crepes")
    model, X, y, Q = answers
    P, asked = model.predict_proba(X), model.predict_proba(Q)
    scores, queries = 1 - P[np.arange(len(y)), y], 1 - asked
    if by_class:
        theirs = np.stack(
            [
                crepes.ConformalClassifier()
                .fit(scores[y == c])
                .predict_p(queries[:, c : c + 1], smoothing=False)[:, 0]
                for c in range(4)
            ],
            axis=1,
        )
        np.testing.assert_allclose(label_sets.split_by_class(P, y, asked), theirs)
    else:
        theirs = crepes.ConformalClassifier().fit(scores).predict_p(queries, smoothing=False)
        np.testing.assert_allclose(label_sets.split(P, y, asked), theirs)


def test_crossed_sets_of_the_package_are_those_of_the_benchmark_where_presses_are_alike():
    from bideta import Bideta
    from bideta.deploy import hold_out
    from bideta.deploy.trust.label_sets import possibility

    data = episode(C=3, shots=10, per_class=25)
    held = hold_out(Bideta().fit(data.support, data.labels), data.queries)
    np.testing.assert_allclose(label_sets.crossed()(held), possibility(held))
    np.testing.assert_allclose(
        label_sets.crossed(group=label_sets.each_class)(held), possibility(held, by_class=True)
    )


@pytest.fixture(scope="module")
def sureness():
    rng = np.random.default_rng(0)
    confidence = rng.uniform(0.3, 1, 120)
    return confidence, rng.uniform(size=120) < confidence**2, rng.uniform(0.3, 1, 40)


def test_venn_abers_is_that_of_the_library(sureness):
    library = pytest.importorskip("venn_abers")
    confidence, right, asked = sureness
    model = library.VennAbers()
    model.fit(np.stack([1 - confidence, confidence], axis=1), right.astype(int))
    theirs = model.predict_proba(np.stack([1 - asked, asked], axis=1))[0][:, 1]
    np.testing.assert_allclose(calibration.venn_abers(confidence, right, asked), theirs, atol=1e-4)


def test_maps_give_probabilities_and_one_answer_where_all_were_right(sureness):
    confidence, right, asked = sureness
    for name, fit in calibration.MAPS.items():
        if "netcal" in name:
            pytest.importorskip("netcal")
        mapped = fit(confidence, right, asked)
        assert mapped.shape == asked.shape
        assert ((mapped >= 0) & (mapped <= 1)).all(), name
        assert calibration.brier(mapped, mapped > 0.5) < 0.25
        if name != "Venn–Abers":
            np.testing.assert_allclose(fit(confidence, np.ones(120, bool), asked), 121 / 122)


def test_detectors_are_those_of_pytorch_ood():
    try:
        import torch
        from pytorch_ood.detector import KNN, RMD, NNGuide, ViM
    except (ImportError, RuntimeError) as error:  # a torchvision of another torch
        pytest.skip(f"pytorch-ood cannot be imported: {error}")
    rng = np.random.default_rng(1)
    A, Q, y = rng.normal(size=(200, 6)), rng.normal(size=(30, 6)) * 1.5, np.repeat(np.arange(4), 50)
    A += y[:, None]
    W, b = rng.normal(size=(4, 6)), rng.normal(size=4)
    tensors = [torch.tensor(X, dtype=torch.float32) for X in (A, Q)]
    labels = torch.tensor(y)
    head = torch.nn.Linear(6, 4)
    with torch.no_grad():
        head.weight.copy_(torch.tensor(W))
        head.bias.copy_(torch.tensor(b))
    a, q = A @ W.T + b, Q @ W.T + b
    theirs = KNN(None, k=5).fit_features(tensors[0], labels).predict_features(tensors[1])
    np.testing.assert_allclose(novelty.k_nearest(A, Q, 5), theirs.numpy(), rtol=1e-3)
    model = ViM(None, d=3, w=torch.tensor(W).float(), b=torch.tensor(b).float())
    theirs = model.fit_features(tensors[0], labels).predict_features(tensors[1])
    ours = novelty.virtual_logit(A, a, Q, q, -np.linalg.pinv(W) @ b, 3)
    np.testing.assert_allclose(ours, theirs.numpy(), rtol=2e-2, atol=2e-2)
    theirs = NNGuide(None, head, k=5)
    theirs.fit_features(tensors[0], labels)
    with torch.no_grad():
        said = theirs.predict_features(tensors[1])
    assert np.corrcoef(novelty.guided_energy(A, a, Q, q, 5), said.numpy())[0, 1] > 0.999
    # Ours shrinks the covariances, for labels are few; with many contacts little is left of that.
    y = np.repeat(np.arange(4), 5000)
    A = rng.normal(size=(len(y), 6)) * np.arange(1, 7) + y[:, None]
    said = RMD(None).fit_features(torch.tensor(A).float(), torch.tensor(y)).predict_features(tensors[1])
    assert np.corrcoef(novelty.relative_mahalanobis(A, y, Q), said.numpy())[0, 1] > 0.99


def test_every_detector_scores_strangers_above_what_was_labelled():
    rng = np.random.default_rng(2)
    y = np.repeat(np.arange(3), 8)
    centres = 4 * np.eye(6)

    def seen(numbers):
        X = centres[numbers] + 0.3 * rng.normal(size=(len(numbers), 6))
        unit = X / np.linalg.norm(X, axis=1, keepdims=True)
        return novelty.Seen(X, unit, X[:, :3])

    labelled, asked = seen(y), seen(np.repeat([0, 1, 2, 4], 10))
    strange = np.arange(40) >= 30
    for name, detect in novelty.DETECTORS.items():
        score = detect(labelled, y, asked)
        assert score[strange].mean() > score[~strange].mean(), name


def small_bed(seed: int = 0) -> beds.Bed:
    data = episode(seed=seed, C=4, shots=24, per_class=12, signal=1.5)
    contacts = [
        Contacts(tuple(H.astype(np.float32) for H in X), y, np.arange(len(y)) // 2)
        for X, y in ((data.support, data.labels), (data.queries, data.truth))
    ]
    return beds.Bed("small", True, seed, *contacts)


def test_the_command_asks_every_question_and_writes_the_page(tmp_path, monkeypatch):
    for library in ("netcal", "skactiveml"):
        pytest.importorskip(library)
    monkeypatch.setattr(beds, "twin_beds", lambda *a: iter([small_bed(0), small_bed(1)]))
    monkeypatch.setattr(measure, "LABELS", (5,))
    monkeypatch.setattr(page, "LABELS", (5,))
    monkeypatch.setattr(measure, "ROUNDS", (1, 2))
    monkeypatch.setattr(command.results, "QUICK_HOME", tmp_path)
    command.main(["--quick", "--results", str(tmp_path)])
    text = (tmp_path / "docs" / "evidence" / "trust-rivals.md").read_text()
    for rival in ("ViM, spectral", "MaxHerding", "cross, by class", "Venn–Abers", "ours"):
        assert f"| {rival} |" in text
    assert text.count("Not measured.") == 4  # nothing real
    first = (tmp_path / "trust-rivals.json").read_bytes()
    command.main(["--page", "--quick", "--results", str(tmp_path)])
    assert (tmp_path / "trust-rivals.json").read_bytes() == first


def test_draws_are_averaged_and_the_least_held_classes_counted_together():
    draws = [
        {"ours": {"held": 1.0, "classes": [[2, 2], [2, 0], [0, 0]]}},
        {"ours": {"held": 0.5, "classes": [[2, 2], [2, 1], [1, 1]]}},
    ]
    assert measure.together(draws) == {"ours": {"held": 0.75, "least": 0.25}}
