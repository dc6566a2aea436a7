"""Recordings are cut into presses; labels come from where each format keeps them."""

from __future__ import annotations

import numpy as np
import pytest

from bideta.readers import open_contacts, recognised
from bideta.readers._recordings import Frame, Recording, contacts_of
from support import formats

GREY = np.full((*formats.SIZE, 3), 128, np.uint8)


def touched(value):
    picture = GREY.copy()
    picture[8:16, 8:24] = value
    return picture


def film(*presses, pause=6):
    """Untouched frames, then each press (a list of grey values), untouched frames after each."""
    frames = [GREY] * 12
    for press in presses:
        frames += [touched(value) for value in press] + [GREY] * pause
    return np.stack(frames)


def recording(frames, name="film", label=""):
    return Recording(name, lambda: (Frame(lambda picture=picture: picture) for picture in frames), label)


def test_presses_are_found_and_frames_are_spread_over_each():
    contacts = contacts_of([recording(film(range(200, 208), [20, 30]))], "found", frames=2)
    assert list(contacts.names) == [
        "film/press 1/frame 000014",
        "film/press 1/frame 000018",
        "film/press 2/frame 000026",
        "film/press 2/frame 000027",
    ]
    assert [int(contacts.pictures[row][10, 10, 0]) for row in range(4)] == [202, 206, 20, 30]
    assert list(contacts.press_numbers) == [0, 0, 1, 1]
    assert contacts.labels is None
    for row in range(4):
        assert np.array_equal(contacts.untouched[row], GREY)


def test_a_recording_without_a_contact_says_how_to_go_on():
    with pytest.raises(ValueError, match=r"no contact in 1 recordings.*first 10 frames.*cut=whole"):
        contacts_of([recording([GREY] * 30)], "found", frames=2)
    assert len(contacts_of([recording([GREY] * 30)], "whole", frames=2)) == 2


def test_wrong_settings_are_refused(tmp_path):
    made = formats.presses(0)
    with pytest.raises(ValueError, match="cut is 'often', expected found or whole or given"):
        contacts_of([recording([GREY])], "often", 1)
    with pytest.raises(ValueError, match="frames is -1"):
        contacts_of([recording([GREY])], "whole", -1)
    with pytest.raises(ValueError, match=r"the format 'npz' has no setting 'frames'. Known: x, y, press"):
        open_contacts(formats.write_npz(tmp_path, made), frames=3)
    with pytest.raises(ValueError, match=r"unknown reader 'nzp'. Did you mean 'npz'"):
        open_contacts(tmp_path / "contacts.npz", format="nzp")


def test_presses_in_one_video_become_contacts(tmp_path):
    pytest.importorskip("av")
    file = formats.write_video(tmp_path / "film.avi", film([220] * 5, [30] * 5), "ffv1", "bgr0")
    contacts = open_contacts(file, frames=1)
    assert list(contacts.presses) == ["film.avi/press 1", "film.avi/press 2"]
    assert np.array_equal(contacts.pictures[1], touched(30))
    assert np.array_equal(contacts.untouched[1], GREY)


@pytest.mark.parametrize(
    ("name", "codec", "pixels"),
    [("a.mp4", "libx264", "yuv420p"), ("a.gif", "gif", "rgb8"), ("a.mkv", "ffv1", "bgr0")],
)
def test_containers_are_known_by_their_first_bytes(tmp_path, name, codec, pixels):
    pytest.importorskip("av")
    file = formats.write_video(tmp_path / name, film([220] * 5), codec, pixels)
    file = file.rename(tmp_path / "no ending")
    assert recognised(file) == "video"
    contacts = open_contacts(file, frames=1)
    assert len(contacts) == 1
    assert abs(contacts.pictures[0].astype(int) - touched(220)).mean() < 30  # GIF dithers


def test_a_table_of_times_says_presses_and_labels(tmp_path):
    for library in ("mcap", "rosbags"):
        pytest.importorskip(library)
    made = formats.presses(0)
    bag, times = formats.write_mcap(tmp_path, made), formats.write_times(tmp_path, made)
    contacts = open_contacts(bag, times=str(times), frames=0)
    assert list(contacts.labels) == [press.label for press in made for _ in press.frames]
    assert len(set(contacts.presses)) == len(made)
    times.write_text("start,end,label\n0,3,a\n2,4,b\n")
    with pytest.raises(ValueError, match="lie over each other"):
        open_contacts(bag, times=str(times))


def test_episodes_are_cut_into_presses_where_that_is_asked_for(tmp_path):
    pytest.importorskip("pyarrow")
    made = [formats.Press("bolt", 1, film([220] * 4, [30] * 4)), formats.Press("nut", 1, film([10] * 4))]
    contacts = open_contacts(formats.write_lerobot(tmp_path, made), cut="found", frames=1)
    assert list(contacts.presses) == ["episode 0/press 1", "episode 0/press 2", "episode 1/press 1"]
    assert list(contacts.labels) == ["bolt", "bolt", "nut"]


def test_the_labels_of_a_file_are_read_once_for_all_its_episodes(tmp_path, monkeypatch):
    for library in ("pyarrow", "av"):
        pytest.importorskip(library)
    from bideta.readers import lerobot

    read, batches = [], lerobot.batches
    monkeypatch.setattr(lerobot, "batches", lambda file, *rest: read.append(file) or batches(file, *rest))
    made = formats.presses(0)
    contacts = open_contacts(formats.write_lerobot_video(tmp_path, made), frames=1)
    assert list(contacts.labels) == [press.label for press in made]
    assert [file.name for file in read if "data" in file.parts] == ["file-000.parquet", "file-001.parquet"]


def test_lists_of_a_dictionary_are_chosen_by_name(tmp_path):
    import pickle

    made = formats.presses(0)
    frames = np.concatenate([press.frames for press in made])
    content = {
        "object_name": [press.label for press in made for _ in press.frames],
        "before": [formats.png(frame) for frame in frames],
        "during": list(frames),
        "force": [0.5] * len(frames),
    }
    file = tmp_path / "grasps.pkl"
    file.write_bytes(pickle.dumps(content))
    with pytest.raises(ValueError, match="several lists of pictures; --read key=NAME: before, during"):
        open_contacts(file)
    contacts = open_contacts(file, key="during", label="object_name", frames=0)
    assert list(contacts.labels) == content["object_name"]
    assert np.array_equal(contacts.pictures[5], frames[5])


def test_numbers_of_a_manifest_are_quantities(tmp_path):
    contacts = open_contacts(formats.write_manifest(tmp_path, formats.presses(0)))
    assert list(contacts.values) == ["depth_mm"]
    assert list(contacts.values["depth_mm"][:3]) == [0.0, 0.1, 0.2]


def test_a_missing_library_names_the_extra(tmp_path, monkeypatch):
    import sys

    file = tmp_path / "film.mp4"
    file.write_bytes(b"\0\0\0\x18ftypisom" + bytes(100))
    monkeypatch.setitem(sys.modules, "av", None)
    with pytest.raises(ImportError, match=r"videos need av: pip install 'bideta\[video\]'"):
        open_contacts(file)
