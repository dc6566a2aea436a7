from __future__ import annotations

import importlib.util
import math
from dataclasses import replace

import numpy as np
import pytest

from bideta import load_method
from bideta.baselines import _heads, anytouch_match, ctsrl_csm, sitr_calib
from bideta.baselines._film import conditioned, features, init
from bideta.baselines._inputs import Labelled, Task, check_source, check_support
from support.change_of_sensor import change

torch = pytest.importorskip("torch")

HEADS = ["sitr-support", "sitr-calib", "anytouch-match", "ctsrl-csm"]


def fitted(name: str, seed: int = 0, **settings: object):
    data = change(seed)
    method = load_method(name, **settings)
    return method.fit(
        data.support,
        data.labels,
        source=data.source,
        calibration=data.calibration,
        source_calibration=data.source_calibration,
    )


def task_of(seed: int = 0) -> tuple[Task, Labelled]:
    data = change(seed)
    support, classes = check_support(data.support, data.labels)
    source = check_source(data.source, classes, (10, 14))
    return Task(support, len(classes), source), source


@pytest.mark.parametrize("name", HEADS)
@pytest.mark.parametrize("preserve", ["classify", "pull"])
def test_training_lowers_the_loss(name: str, preserve: str) -> None:
    losses = fitted(name, epochs=30, least_steps=1, preserve=preserve)._infer.infer.keywords["trained"].losses
    assert len(losses) == 30
    assert losses[-1] < 0.8 * losses[0]


@pytest.mark.parametrize("name", HEADS)
def test_another_seed_gives_another_head(name: str) -> None:
    data = change()
    first, second = (fitted(name, epochs=3, **{"seed": s}).predict_proba(data.queries) for s in (0, 1))
    assert np.abs(first - second).max() > 1e-6


def test_global_random_state_is_neither_used_nor_changed() -> None:
    data = change()
    torch.manual_seed(1)
    before = torch.get_rng_state()
    first = fitted("anytouch-match", epochs=3).predict_proba(data.queries)
    assert torch.equal(torch.get_rng_state(), before)
    torch.manual_seed(2)
    np.testing.assert_array_equal(fitted("anytouch-match", epochs=3).predict_proba(data.queries), first)


def test_threads_are_given_back() -> None:
    before = torch.get_num_threads()
    fitted("ctsrl-csm", epochs=1)
    assert torch.get_num_threads() == before


def test_the_epoch_of_lowest_loss_is_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    """With a rate that diverges the last epoch is the worst, and the first is the answer."""
    monkeypatch.setattr(_heads, "LEARNING_RATE", 30.0)
    task, source = task_of()
    idea = _heads.Idea(ctsrl_csm.init, ctsrl_csm.features)
    long = _heads.train(task, source, idea, seed=0, epochs=20, least_steps=1, preserve="classify")
    best = int(np.argmin(long.losses))
    short = _heads.train(task, source, idea, seed=0, epochs=best + 1, least_steps=1, preserve="classify")
    assert best < 19
    for name, value in short.parameters.items():
        assert torch.equal(value, long.parameters[name])


def test_the_loss_is_the_papers_sum() -> None:
    """Cross-entropy + 0.5 · prototypes kept + 0.1 · compactness, spelled out with numpy."""
    task, _ = task_of()
    C, d = task.n_classes, 14
    generator = torch.Generator().manual_seed(0)
    rng = np.random.default_rng(0)
    parameters = init(d, generator) | {"head": _heads.linear(d, C, generator), "bias": torch.zeros(C)}
    phi, means = rng.normal(size=(16 * C, d)), rng.normal(size=(C, d))
    y = np.repeat(np.arange(C), 16)
    idea = _heads.Idea(init, lambda p, x, is_source: x)
    batch = _heads.Batch(
        torch.tensor(phi, dtype=torch.float32),
        torch.tensor(np.linalg.norm(phi, axis=1, keepdims=True), dtype=torch.float32),
        torch.from_numpy(y),
        torch.tensor(means, dtype=torch.float32),
        lambda c: c,
        generator,
    )

    def cross_entropy(X: np.ndarray, labels: np.ndarray) -> float:
        logits = X @ parameters["head"].numpy()
        return float(
            np.mean([np.log(np.exp(row).sum()) - row[c] for row, c in zip(logits, labels, strict=True)])
        )

    def cosine(a: np.ndarray, b: np.ndarray) -> float:
        return a @ b / np.linalg.norm(a) / np.linalg.norm(b)

    centres = np.array([phi[y == c].mean(axis=0) for c in range(C)])
    compact = np.mean([1 - cosine(p, centres[c]) for p, c in zip(phi, y, strict=True)])
    kept = cross_entropy(means, np.arange(C))
    pulled = np.mean([1 - cosine(a, b) for a, b in zip(centres, means, strict=True)])
    for preserve, term in (("classify", kept), ("pull", pulled)):
        expected = cross_entropy(phi, y) + 0.5 * term + 0.1 * compact
        assert _heads._loss(parameters, idea, batch, preserve).item() == pytest.approx(expected, rel=1e-5)


def test_the_matching_loss_is_anytouchs() -> None:
    """Linear layer on the product of unit features, binary cross-entropy, a positive and a negative for each."""
    C, d = 2, 6  # with two classes the other class is known
    rng = np.random.default_rng(0)
    y = np.repeat(np.arange(C), 16)
    phi, means, contacts = (rng.normal(size=s) for s in ((len(y), d), (C, d), (C, d)))
    contacts /= np.linalg.norm(contacts, axis=1, keepdims=True)
    w = rng.normal(size=d)
    batch = _heads.Batch(
        torch.tensor(phi, dtype=torch.float32),
        torch.tensor(np.linalg.norm(phi, axis=1, keepdims=True), dtype=torch.float32),
        torch.from_numpy(y),
        torch.tensor(means, dtype=torch.float32),
        lambda classes: torch.tensor(contacts, dtype=torch.float32)[classes],
        torch.Generator().manual_seed(0),
    )
    parameters = {"match": torch.tensor(w, dtype=torch.float32), "match_bias": torch.tensor(0.3)}
    found = anytouch_match.matching_loss(parameters, batch).item()

    def bce(a: np.ndarray, b: np.ndarray, target: int) -> float:
        p = 1 / (1 + math.exp(-(w @ (a * b) + 0.3)))
        return -target * math.log(p) - (1 - target) * math.log(1 - p)

    total = 0.0
    for x, c in zip(phi, y, strict=True):
        a, prototype = x / np.linalg.norm(x), means[c] / np.linalg.norm(means[c])
        total += bce(a, prototype, 1) + (bce(a, contacts[c], 1) + bce(a, contacts[1 - c], 0)) / 2
    assert found == pytest.approx(0.1 * total / len(y), rel=1e-5)


def test_modules_start_as_the_identity() -> None:
    generator = torch.Generator().manual_seed(0)
    x = torch.randn(5, 7, generator=generator)
    film = init(7, generator)
    torch.testing.assert_close(features(film, x, False, condition=torch.ones(7)), x)
    match = anytouch_match.init(7, generator)
    torch.testing.assert_close(anytouch_match.features(match, x, False), x)
    csm = ctsrl_csm.init(7, generator)
    torch.testing.assert_close(ctsrl_csm.features(csm, x, False), torch.nn.functional.layer_norm(x, (7,)))


def test_the_condition_is_the_mean_difference_in_source_units() -> None:
    task, source = task_of()
    idea = conditioned(task.support.readouts[1], source.readouts[1], source)
    shift = task.support.readouts[1].mean(axis=0) - source.readouts[1].mean(axis=0)
    np.testing.assert_allclose(
        idea.features.keywords["condition"].numpy(), shift / source.readouts[1].std(axis=0), rtol=1e-5
    )


def test_every_class_is_drawn_alike() -> None:
    draw = _heads._sampler(np.repeat([0, 1, 2], [2, 50, 8]), 3, torch.Generator().manual_seed(0))
    rows = draw(torch.arange(3).repeat_interleave(200)).numpy()
    assert ((rows[:200] < 2) & (rows[:200] >= 0)).all()
    assert ((rows[200:400] >= 2) & (rows[200:400] < 52)).all()
    assert ((rows[400:] >= 52) & (rows[400:] < 60)).all()
    assert set(rows[:200]) == {0, 1}


def test_without_torch_it_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    found = importlib.util.find_spec
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None if name == "torch" else found(name))
    with pytest.raises(ImportError, match=r"pip install 'bideta\[torch\]'"):
        load_method("anytouch-match")


def test_an_unknown_reading_of_preservation_is_refused() -> None:
    with pytest.raises(ValueError, match="preserve='keep'"):
        fitted("sitr-support", preserve="keep", epochs=1)


@pytest.mark.parametrize("shots", [1, 5, 200])
def test_a_small_support_is_trained_as_long_as_a_large_one(shots: int) -> None:
    """An epoch that covers the support once would be a single step up to 16 contacts per class: 300 in all."""
    data = change(shots=shots)
    method = load_method("anytouch-match", epochs=2).fit(data.support, data.labels, source=data.source)
    assert method.notes["steps"] == 2 * max(_heads.LEAST_STEPS, math.ceil(shots / 16))
    assert 1 <= method.notes["best_epoch"] <= 2


def test_calibration_is_seen_against_the_background() -> None:
    """Of 19 images the first is the untouched sensor: 18 are averaged, and its readout is subtracted."""
    data = change()
    task, source = task_of()
    given = (data.calibration, data.source_calibration)
    idea = sitr_calib.idea(replace(task, calibration=given[0], source_calibration=given[1]))
    target, origin = (H[1][1:].mean(axis=0) - H[1][0] for H in given)
    expected = (target - origin) / source.readouts[1].std(axis=0)
    np.testing.assert_allclose(idea.features.keywords["condition"].numpy(), expected, rtol=1e-4, atol=1e-6)
