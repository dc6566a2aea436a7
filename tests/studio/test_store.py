"""Sessions on disk: what an earlier version stored, and any number of readouts."""

from __future__ import annotations

import shutil
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

from bideta import Bideta
from bideta.plugins import load_encoder
from bideta.studio import analysis, page_data, store
from bideta.studio.limits import Limits
from bideta.studio.pictures import Upload
from bideta.studio.sessions import Sessions
from support.studio_server import COLOURS, picture

STORED = Path(__file__).parent / "stored_session"  # written before readouts could be other than two
NAME = "9b64a7f6ffebb10dc8cd583a3d1cc678"


class Colours:
    """An encoder that gives a readout for each of some widths, from the picture's mean colour."""

    def __init__(self, *widths):
        self.info = SimpleNamespace(name="colours", channels=3, readouts=widths)
        self.fingerprint = f"{widths}"

    def encode(self, images, previous=None, batch_size=64):
        means = np.stack([np.asarray(image, np.float32).mean(axis=(0, 1)) for image in images])
        return tuple(
            np.resize(means.T, (width, len(means))).T * (1 + v) for v, width in enumerate(self.info.readouts)
        )


def filled(session, encoder):
    for name in COLOURS:
        session.add([Upload(f"{i}.png", picture(name, i), name) for i in range(4)], encoder, f"l-{name}")
        session.add([Upload(f"{i}.png", picture(name, 50 + i)) for i in range(3)], encoder, f"q-{name}")
    return session


def test_a_session_of_an_earlier_version_opens_and_answers_as_it_did(tmp_path):
    shutil.copytree(STORED / NAME, tmp_path / NAME)
    sessions = Sessions(tmp_path, load_encoder("twin-tvl", threads=1), "twin-tvl", Limits())
    with sessions.use(NAME) as session:
        assert [contact.label for contact in session.support] == ["bolt"] * 3 + ["key"] * 4
        results = page_data.results(analysis.outcome(session))
        again = analysis.answer(session, analysis.adapt(session, {}), analysis.stack(session.queries))
    sessions.close()
    expected = [0.9989733318293722, 0.9995493103820475, 0.9985117643755671]
    for rows in (results["rows"], again.rows()):
        assert [row["label"] for row in rows] == ["bolt", "bolt", "key"]
        np.testing.assert_allclose([row["probability"] for row in rows], expected, rtol=1e-6)


@pytest.mark.parametrize("widths", [(3,), (3, 4), (3, 2, 4)])
def test_a_session_takes_as_many_readouts_as_the_encoder_gives(tmp_path, widths):
    encoder = Colours(*widths)
    sessions = Sessions(tmp_path, encoder, "colours", Limits())
    session = filled(sessions.create(), encoder)
    analysis.adapt(session, {})
    before = page_data.results(analysis.outcome(session))
    queries = analysis.stack(session.queries)
    kept, loaded = session.adapted, Bideta.load(session.folder / store.SENSOR)
    np.testing.assert_array_equal(loaded.predict_proba(queries), kept.predict_proba(queries))
    sessions.close()
    again = Sessions(tmp_path, encoder, "colours", Limits())
    with again.use(session.id) as restored:
        assert [len(h) for h in restored.queries[0].readouts] == list(widths)
        after = page_data.results(analysis.outcome(restored))
    again.close()
    assert before["rows"] == after["rows"]
    assert len(before["gains"]) == len(widths)


def test_a_stored_upload_keeps_three_readouts(tmp_path):
    sessions = Sessions(tmp_path, Colours(3, 2, 4), "colours", Limits())
    session = filled(sessions.create(), sessions.encoder)
    (part, *_), damaged = store.read_parts(session.folder)
    assert not damaged
    assert [len(h) for h in part.contacts[0].readouts] == [3, 2, 4]
    for kept, restored in zip(session.support[0].readouts, part.contacts[0].readouts, strict=True):
        np.testing.assert_array_equal(kept, restored)
    sessions.close()


def test_the_source_sensor_is_stored_with_all_its_readouts(tmp_path):
    readouts = tuple(np.arange(6, dtype=np.float32).reshape(2, 3) + v for v in range(3))
    store.write_source(tmp_path, readouts, ["bolt", "key"])
    restored, labels = store.read_source(tmp_path)
    assert labels == ["bolt", "key"]
    np.testing.assert_array_equal(restored, readouts)
