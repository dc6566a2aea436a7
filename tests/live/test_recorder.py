from __future__ import annotations

from pathlib import Path

from bideta.datasets import folder
from bideta.datasets.folder import named_presses
from bideta.images.folders import image_tree, is_press
from bideta.images.reading import read_image
from bideta.live.capture import Capture
from bideta.live.contact import LEARN_FRAMES, ContactDetector
from bideta.live.recorder import Recorder
from support.live_doubles import UNTOUCHED, Script, touched

QUIET = [UNTOUCHED, 0.01] * (3 * LEARN_FRAMES)  # spare ones, for a busy machine drops frames
PRESS = [step for column in range(2, 8) for step in (touched(column), 0.03)]
PAUSE = [UNTOUCHED, 0.03] * 6


def test_a_few_frames_of_every_press_are_saved_and_nothing_is_overwritten(tmp_path: Path) -> None:
    steps = [*QUIET, 0.05, *PRESS, *PAUSE, *PRESS, *PAUSE]
    counted: list[int] = []
    recorder = Recorder(Capture(Script(steps)), ContactDetector(), tmp_path / "coin", 10, per_press=2)
    assert recorder.run(saved=counted.append) == 4
    assert counted == [1, 2, 3, 4]
    presses = sorted((tmp_path / "coin").iterdir())
    assert [len(list(press.iterdir())) for press in presses] == [2, 2]
    empty = image_tree(tmp_path / "background")
    assert len(empty) == 5
    assert all((read_image(path) == UNTOUCHED).all() for path in empty)
    assert all(is_press(press.name) for press in presses)
    assert named_presses(tmp_path)
    assert (read_image(next(presses[0].iterdir())) != UNTOUCHED).any()
    again = Recorder(Capture(Script(steps)), ContactDetector(), tmp_path / "coin", 1, per_press=2)
    assert again.run() == 1
    assert len(image_tree(tmp_path / "coin")) == 5
    assert len(image_tree(tmp_path / "background")) == 10
    assert folder.load(tmp_path).info.classes == ("coin",)


def test_one_frame_of_every_press_needs_no_folders(tmp_path: Path) -> None:
    steps = [*QUIET, 0.05, *PRESS, *PAUSE, *PRESS, *PAUSE]
    recorder = Recorder(Capture(Script(steps)), ContactDetector(), tmp_path / "coin", 10, per_press=1)
    assert recorder.run() == 2
    assert [path.suffix for path in (tmp_path / "coin").iterdir()] == [".png", ".png"]


def test_names_already_taken_get_a_number(tmp_path: Path) -> None:
    recorder = Recorder(Capture(Script([])), ContactDetector(), tmp_path, 1)
    (tmp_path / "press-x").mkdir()
    (tmp_path / "press-x" / "frame-000003.png").touch()
    (tmp_path / "press-x" / "frame-000003-1.png").touch()
    assert recorder._new_path("press-x", 3) == tmp_path / "press-x" / "frame-000003-2.png"


def test_without_contact_nothing_is_saved(tmp_path: Path) -> None:
    recorder = Recorder(Capture(Script([*QUIET, *QUIET])), ContactDetector(), tmp_path / "coin", 5)
    assert recorder.run() == 0
    assert not list(tmp_path.iterdir())
