"""Small work gets one thread of linear algebra: two wait for each other longer than they compute."""

from __future__ import annotations

import numpy as np
import pytest
from threadpoolctl import threadpool_info, threadpool_limits
from typer.testing import CliRunner

from bideta.cli import adapt, build
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


def test_adapting_hides_labelled_contacts_with_one_thread(tmp_path, monkeypatch):
    rng = np.random.default_rng(0)
    readouts = rng.normal(size=(2, 8, 5))
    np.savez(tmp_path / "support.npz", y=["a", "b"] * 4, readout_1=readouts[0], readout_2=readouts[1])
    seen, hide = [], adapt.hidden_answers
    monkeypatch.setattr(
        adapt, "hidden_answers", lambda fitted: (seen.append(blas_threads()), hide(fitted))[1]
    )
    command = ["adapt", str(tmp_path / "support.npz"), "-o", str(tmp_path / "a.bideta")]
    with threadpool_limits(2, "blas"):
        done = CliRunner().invoke(build("adapt"), command)
    assert done.exit_code == 0, done.output
    assert seen == [{1}]
