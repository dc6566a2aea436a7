"""The experiment "stream" and its section of the report, on made-up contacts."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np
import pytest

from bideta.protocol.episode import Contacts
from bideta.protocol.experiments import contact_stream
from bideta.protocol.experiments.contact_stream import BIN, EXPERIMENT, STRATEGIES, STREAMS
from bideta.protocol.plan import Request, make_plan
from bideta.protocol.records import Record
from bideta.report.sections import contact_stream as section
from support.sensor_shift import episode

PRESS = 10  # contacts of one press


def supply() -> SimpleNamespace:
    """Sixteen classes, three presses of each; every cell sees the same episode."""
    found = episode(C=16, shots=4, per_class=3 * PRESS)
    presses = np.arange(len(found.truth)) // PRESS
    support = Contacts(found.support, found.labels, np.arange(len(found.labels)))
    data = SimpleNamespace(support=support, query=Contacts(found.queries, found.truth, presses))
    return SimpleNamespace(episode=lambda cell: data, quick=True)


@pytest.fixture(scope="module")
def cells():
    plan = make_plan(["stream"], Request(targets=("Mini_1",), seeds=(0,), encoders=("twin-tvl",)))
    return EXPERIMENT.cells(plan.scope)


@pytest.fixture(scope="module")
def records(cells):
    made = supply()
    return [
        Record(cell, "ok", outcome.values, outcome.arrays, digest=outcome.digest, simulated=True)
        for cell in cells
        for outcome in [EXPERIMENT.answer(cell, made)]
    ]


def test_there_is_a_cell_for_every_stream_strategy_and_seed(cells):
    assert len(cells) == len(set(cells)) == len(STREAMS) * len(STRATEGIES)


def test_streams_are_mixed_or_of_one_object_and_no_contact_comes_twice():
    query = supply().episode(None).query
    rng = np.random.default_rng(0)
    (mixed,) = contact_stream.mixed(query, rng)
    assert len(set(mixed.tolist())) == len(query)
    (bursty,) = contact_stream.bursty(query, rng)
    changes = np.flatnonzero(np.diff(query.labels[bursty]))
    assert len(changes) == contact_stream.OBJECTS - 1
    for rows in contact_stream.single(query, rng):
        assert len(np.unique(query.labels[rows])) == 1
        assert len(set(rows.tolist())) == 3 * PRESS
        press = query.presses[rows].reshape(3, PRESS)
        assert (press == press[:, :1]).all()  # frames of a press stay together, in their order
        assert (np.diff(rows.reshape(3, PRESS), axis=1) == 1).all()


def test_curve_averages_place_by_place():
    one, other = np.ones(BIN + 1, bool), np.zeros(BIN, bool)
    assert contact_stream.curve([one, other]) == [0.5, 1.0]


def test_values_and_curves_agree_and_answers_can_be_given_again(cells, records):
    for record in records:
        assert 0 <= record.values["late"] <= 1
        wrong = record.values["wrong"] / record.values["contacts"]
        assert record.values["accuracy"] == pytest.approx(1 - wrong)
    again = EXPERIMENT.answer(cells[-1], supply())
    assert again.digest == records[-1].digest


def test_table_and_picture_show_every_strategy(records, tmp_path):
    (table,) = section.tables(records)
    assert list(table.rows) == [section.NAMES[strategy] for strategy in STRATEGIES]
    assert not table.incomplete
    (figure,) = section.figures(records, tmp_path)
    assert figure.path.read_bytes().startswith(b"\x89PNG")
    assert section.tables([]) == []
    assert section.figures([], tmp_path) == []
