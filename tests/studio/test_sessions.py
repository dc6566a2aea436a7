from __future__ import annotations

import os
import threading
import time

import numpy as np
import pytest

from bideta import artifact
from bideta.plugins import load_encoder
from bideta.studio import analysis, page_data, store
from bideta.studio.clock import Clock
from bideta.studio.limits import Limits
from bideta.studio.pictures import Upload
from bideta.studio.refused import RefusedError
from bideta.studio.session_contacts import press_numbers
from bideta.studio.sessions import Sessions
from support.studio_server import COLOURS, picture

ENCODER = load_encoder("twin-tvl", threads=1)


def opened(home, **limits):
    return Sessions(home, ENCODER, "twin-tvl", Limits(**limits))


@pytest.fixture
def sessions(tmp_path):
    sessions = opened(tmp_path / "home")
    yield sessions
    sessions.close()


def fill(session, labels=4, queries=6):
    for name in COLOURS:
        session.add([Upload(f"{i}.png", picture(name, i), name) for i in range(labels)], ENCODER, f"l-{name}")
    for name in COLOURS:
        uploads = [Upload(f"{name}{i}.png", picture(name, 100 + i), truth=name) for i in range(queries)]
        session.add(uploads, ENCODER, f"q-{name}")
    return session


def test_a_restored_session_gives_the_same_results(sessions, tmp_path):
    session = fill(sessions.create("left finger"))
    session.set_label(session.queries[0].id, "bolt")
    session.remove(session.queries[0].id)
    analysis.adapt(session, {})
    before = page_data.results(analysis.outcome(session))
    sessions.close()
    again = opened(tmp_path / "home")
    with again.use(session.id) as restored:
        assert restored.meta.title == "left finger"
        after = page_data.results(analysis.outcome(restored))
    again.close()
    for results in (before, after):
        results.pop("seconds")
    assert before == after


def test_a_session_of_before_auto_keeps_its_prior(sessions, tmp_path):
    session = fill(sessions.create())
    assert session.meta.prior == "relaxed"
    session.change(prior="none")
    sessions.close()
    again = opened(tmp_path / "home")
    with again.use(session.id) as restored:
        assert analysis.adapt(restored, {}).prior is None
    again.close()


def test_half_written_files_of_a_killed_server_are_forgotten(sessions, tmp_path):
    session = fill(sessions.create())
    (session.folder / ".part-000009.contacts.abc").write_bytes(b"half")
    damaged = session.folder / "part-000001.contacts"
    damaged.write_bytes(damaged.read_bytes()[:-5])
    sessions.close()
    again = opened(tmp_path / "home")
    with again.use(session.id) as restored:
        assert len(restored.contacts) == len(session.contacts) - 4
    assert not list(session.folder.glob(".*"))
    again.close()


def test_an_upload_that_is_repeated_is_stored_once(sessions):
    session = sessions.create()
    first = session.add([Upload("a.png", picture("bolt", 0), "bolt")], ENCODER, "key-1")
    second = session.add([Upload("a.png", picture("bolt", 0), "bolt")], ENCODER, "key-1")
    assert first is second
    assert len(session.contacts) == 1


def test_labels_move_contacts_between_support_and_queries(sessions):
    session = fill(sessions.create())
    one = session.queries[0]
    session.set_label(one.id, "washer")
    assert one in session.support
    session.set_label(one.id, None)
    assert one in session.queries
    with pytest.raises(RefusedError, match="no such contact"):
        session.set_label("../../etc/passwd", "bolt")


@pytest.mark.parametrize(
    "name", ["..", "../x", "0" * 31, "0" * 33, "0" * 32, "G" * 32, "", "/etc/passwd", "a" * 31 + "\n"]
)
def test_names_that_are_no_session_find_nothing(sessions, name):
    with pytest.raises(RefusedError) as refused, sessions.use(name):
        pass
    assert refused.value.status == 404


def test_sessions_past_their_lifetime_are_deleted_and_idle_ones_leave_memory(tmp_path):
    sessions = opened(tmp_path / "home", lifetime=100.0, idle=10.0)
    old, idle, busy = (sessions.create() for _ in range(3))
    now = time.time()
    old.used, idle.used = now - 200, now - 50
    os.utime(old.folder / store.META, (now - 200, now - 200))
    with sessions.use(busy.id):
        busy.used = now - 200
        os.utime(busy.folder / store.META, (now - 200, now - 200))
        sessions.sweep()
    assert not old.folder.exists()
    assert idle.folder.exists()
    with sessions.use(idle.id) as restored:
        assert restored is not idle
    with sessions.use(busy.id) as kept:
        assert kept is busy
    sessions.close()


@pytest.mark.parametrize("days", [8, -8, 20_000])
def test_a_clock_that_is_set_deletes_nothing(sessions, monkeypatch, days):
    """A robot without a battery for its clock: sessions used a second ago, and one that is only on disk."""
    used, idle = sessions.create(), sessions.create()
    del sessions._live[idle.id]
    now, real = time.time(), time.time
    for folder in (used.folder, idle.folder):
        os.utime(folder / store.META, (now, now))
    sessions.sweep()
    monkeypatch.setattr("bideta.studio.sessions.time.time", lambda: real() + days * 86400)
    for _ in range(3):
        sessions.sweep()
        assert used.folder.exists()
        assert idle.folder.exists()
    clock = Clock()  # from then on time counts as before: nine days later the one that nobody used is gone
    monkeypatch.setattr(clock, "jumped", lambda: False)
    monkeypatch.setattr(sessions, "_clock", clock)
    monkeypatch.setattr("bideta.studio.sessions.time.time", lambda: real() + (days + 9) * 86400)
    sessions.sweep()
    assert not idle.folder.exists()


def test_caps_on_bytes_contacts_and_sessions_are_readable_errors(tmp_path):
    sessions = opened(tmp_path / "home", session_bytes=20_000, session_contacts=5, sessions=2)
    session = sessions.create()
    with pytest.raises(RefusedError, match="at most 20,000 bytes"):
        session.add([Upload("a.bmp", picture("bolt", 0, "BMP", (100, 100)), "bolt")], ENCODER, "k")
    with pytest.raises(RefusedError, match="at most 5 contacts"):
        session.add([Upload("a.png", picture("bolt", i), "bolt") for i in range(6)], ENCODER, "k")
    sessions.create()
    with pytest.raises(RefusedError, match="as many sessions"):
        sessions.create()
    sessions.close()


def test_a_session_deleted_while_it_is_used_is_said_to_be_gone(sessions):
    session = sessions.create()

    def upload():
        with sessions.use(session.id) as used:
            sessions.delete(session.id)
            used.add([Upload("a.png", picture("bolt", 0), "bolt")], ENCODER, "k")

    with pytest.raises(RefusedError, match="no such session"):
        upload()


def test_many_threads_restore_a_session_once(sessions, tmp_path):
    name = fill(sessions.create()).id
    sessions.close()
    again = opened(tmp_path / "home")
    found = []

    def enter():
        with again.use(name) as session:
            found.append(session)

    threads = [threading.Thread(target=enter) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(found) == 8
    assert len(set(map(id, found))) == 1
    assert found[0].users == 0
    again.close()


def test_two_servers_do_not_share_a_folder(sessions, tmp_path):
    with pytest.raises(ValueError, match="used by another studio"):
        opened(tmp_path / "home")


def test_another_encoder_is_refused_with_the_way_out(sessions, tmp_path):
    session = sessions.create()
    sessions.close()
    other = load_encoder("twin-sparsh", threads=1)
    again = Sessions(tmp_path / "home", other, "twin-sparsh", Limits())
    with pytest.raises(RefusedError, match="--encoder twin-tvl"), again.use(session.id):
        pass
    again.close()


def test_support_order_is_that_of_the_command_line(sessions):
    session = sessions.create()
    for name in ("obj10", "obj2", "Obj1"):
        session.add([Upload("a.png", picture("bolt", len(name) + ord(name[0])), name)], ENCODER, name)
    assert [contact.label for contact in session.support] == ["Obj1", "obj2", "obj10"]
    assert np.array_equal(analysis.stack(session.support)[0][0], session.support[0].readouts[0])


def test_presses_are_kept_and_may_be_missing_in_older_sessions(sessions, tmp_path):
    session = sessions.create("presses")
    presses = ["a", "a", None, "b"]
    uploads = [Upload(f"{i}.png", picture("key", i), "key", press=press) for i, press in enumerate(presses)]
    session.add(uploads, ENCODER, "k")
    session.add([Upload("0.png", picture("key", 9), "bolt", press="a")], ENCODER, "b")
    found = [(c.label, c.press) for c in store.read_parts(session.folder)[0][0].contacts]
    assert found == [("key", "a"), ("key", "a"), ("key", None), ("key", "b")]
    support = session.support  # single files first, as in the exported folders; a press has one label
    assert [(c.label, c.press) for c in support] == [
        ("bolt", "a"),
        ("key", None),
        ("key", "a"),
        ("key", "a"),
        ("key", "b"),
    ]
    assert press_numbers(support) == [0, 1, 2, 2, 3]
    path = store.part_path(session.folder, 1)
    header, arrays = artifact.read(path)
    for row in header["contacts"]:
        del row["press"]
    artifact.write(path, header, arrays)
    assert [c.press for c in store.read_parts(session.folder)[0][0].contacts] == [None] * 4
