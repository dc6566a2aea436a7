"""Small work gets one thread of linear algebra: two wait for each other longer than they compute."""

from __future__ import annotations

import numpy as np
import pytest
from threadpoolctl import threadpool_info, threadpool_limits
from typer.testing import CliRunner

from bideta.classifier import Classifier
from bideta.cli import _compare, _hidden, _threads, adapt, build, live, predict
from bideta.cli._threads import SMALL, threads_for


def blas_threads():
    """Of every BLAS library of this process."""
    return {pool["num_threads"] for pool in threadpool_info() if pool["user_api"] == "blas"}


@pytest.mark.parametrize(("contacts", "threads"), [(10, 1), (3000, 1), (SMALL, 2)])
def test_a_few_thousand_contacts_are_answered_by_one_thread(contacts, threads):
    with threadpool_limits(2, "blas"):
        with threads_for(contacts):
            assert blas_threads() == {threads}
        assert blas_threads() == {2}


@pytest.fixture
def support(tmp_path):
    """Labelled readouts."""
    readouts = np.random.default_rng(0).normal(size=(2, 8, 5))
    file = tmp_path / "support.npz"
    np.savez(file, y=["a", "b"] * 4, readout_1=readouts[0], readout_2=readouts[1])
    return str(file)


def run(command, *arguments):
    with threadpool_limits(2, "blas"):
        done = CliRunner().invoke(build(command), [command, *arguments])
    assert done.exit_code == 0, done.output


def noting(monkeypatch, module, name):
    """The threads that each call of a function gets."""
    seen, call = [], getattr(module, name)
    monkeypatch.setattr(
        module, name, lambda *given, **named: (seen.append(blas_threads()), call(*given, **named))[1]
    )
    return seen


def test_adapting_hides_labelled_contacts_with_one_thread(support, tmp_path, monkeypatch):
    seen = noting(monkeypatch, _hidden, "hidden_answers")
    run("adapt", support, "-o", str(tmp_path / "a.bideta"))
    assert seen == [{1}]


def test_earlier_contacts_are_weighed_with_one_thread(support, tmp_path, monkeypatch):
    old = str(tmp_path / "old.bideta")
    run("adapt", support, "-o", old)
    seen = noting(monkeypatch, adapt, "keep_earlier")
    run("adapt", support, "--from", old, "-o", str(tmp_path / "new.bideta"))
    assert seen == [{1}]


def test_among_many_queries_labelled_contacts_are_hidden_with_one_thread(support, tmp_path, monkeypatch):
    sensor = str(tmp_path / "a.bideta")
    run("adapt", support, "-o", sensor)
    monkeypatch.setattr(_threads, "SMALL", 5)
    monkeypatch.setattr(predict, "COMPANY", 4)
    answered = noting(monkeypatch, predict, "answer")
    hidden = noting(monkeypatch, predict, "hide_among")
    run("predict", sensor, support, "-o", str(tmp_path / "a.csv"))
    assert (hidden, answered) == ([{1}], [{2}])


def test_live_measures_presses_with_one_thread_on_some_of_the_labelled_frames(monkeypatch):
    given = []
    monkeypatch.setattr(
        live, "measure_frames", lambda adapted, most: (seen.append(blas_threads()), given.append(most))
    )
    seen = []
    adapted = Classifier().fit(tuple(np.random.default_rng(0).normal(size=(2, 8, 5))), ["a", "b"] * 4)
    with threadpool_limits(2, "blas"):
        live.measure(adapted)
    assert (seen, given) == ([{1}], [live.ENOUGH])


def test_live_answers_with_one_thread(monkeypatch):
    seen = []
    monkeypatch.setattr(live.Live, "run", lambda self, seconds: seen.append(blas_threads()))
    monkeypatch.setattr(live, "show", lambda statistics, simulated: None)
    run("live", "--source", "simulated:Hex", "--encoder", "handmade")
    assert seen == [{1}]


def test_methods_are_compared_with_one_thread_each(monkeypatch):
    seen = []

    class Noting(Classifier):
        def predict(self, X):
            seen.append(blas_threads())
            return super().predict(X)

    readouts = tuple(np.random.default_rng(0).normal(size=(2, 8, 5)))
    adapted = Classifier().fit(readouts, np.array(["a", "b"] * 4))
    monkeypatch.setattr(_compare, "METHODS", {"one": Noting, "another": Noting})
    with threadpool_limits(2, "blas"):
        named = [name for name, _, _ in _compare.answers(adapted.sensor(), readouts)]
    assert named == ["one", "another"]
    assert seen == [{1}, {1}]
