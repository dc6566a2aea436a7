from __future__ import annotations

import time
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from PIL import Image

from bideta.live.sources import Camera, Folder, Pace, Simulated, SourceLostError, Video, opencv


def test_the_simulated_source_keeps_sixty_frames_a_second_and_knows_the_truth() -> None:
    source = Simulated("DIGIT", n_presses=2, frames=45)
    source.open()
    begun = time.monotonic()
    pictures = []
    while (picture := source.read()) is not None:
        pictures.append(picture)
    seconds = time.monotonic() - begun
    assert len(pictures) == 45
    assert seconds >= 44 / 60 - 0.02
    assert {picture.truth == "" for picture in pictures} == {True, False}
    assert pictures[0].image.shape == (64, 64, 3)


def test_the_simulated_source_is_the_same_for_the_same_seed() -> None:
    first, second, other = (Simulated("Hex", n_presses=1, fps=1e6, seed=seed) for seed in (1, 1, 2))
    for source in (first, second, other):
        source.open()
    a, b, c = (np.stack([source.read().image for _ in range(80)]) for source in (first, second, other))  # type: ignore[union-attr]
    np.testing.assert_array_equal(a, b)
    assert (a != c).any()


def test_reopening_goes_on_where_it_stopped() -> None:
    source, whole = Simulated("Hex", n_presses=1, fps=1e6), Simulated("Hex", n_presses=1, fps=1e6)
    for each in (source, whole):
        each.open()
    parts = [source.read() for _ in range(30)]
    source.close()
    source.open()
    parts += [source.read() for _ in range(30)]
    for part in parts:
        expected = whole.read()
        assert part is not None
        assert expected is not None
        np.testing.assert_array_equal(part.image, expected.image)


def test_a_folder_is_read_in_order_and_broken_images_are_named(tmp_path: Path) -> None:
    for number, value in enumerate([10, 20, 30]):
        Image.fromarray(np.full((4, 4, 3), value, np.uint8)).save(tmp_path / f"{number}.png")
    (tmp_path / "1b.png").write_bytes(b"not an image")
    source = Folder(tmp_path, fps=1e6)
    source.open()
    values = []
    while (picture := source.read()) is not None:
        values.append(int(picture.image[0, 0, 0]))
    assert values == [10, 20, 30]
    assert len(source.broken) == 1
    assert "1b.png" in source.broken[0]


def test_missing_and_empty_folders_are_named(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError, match="nowhere"):
        Folder(tmp_path / "nowhere").open()
    with pytest.raises(FileNotFoundError, match="no images"):
        Folder(tmp_path).open()


def test_a_pace_does_not_catch_up_after_a_pause() -> None:
    pace = Pace(100)
    pace.wait()
    time.sleep(0.1)
    pace.wait()
    begun = time.monotonic()
    pace.wait()
    assert time.monotonic() - begun > 0.005


@pytest.mark.parametrize("rate", [0.0, -1.0, float("nan")])
def test_an_impossible_rate_is_refused(rate: float) -> None:
    with pytest.raises(ValueError, match="frames per second"):
        Pace(rate)


def test_a_video_comes_back_in_rgb(tmp_path: Path) -> None:
    cv2 = pytest.importorskip("cv2", reason="needs bideta[live]")
    path = tmp_path / "touch.avi"
    writer = cv2.VideoWriter(str(path), cv2.VideoWriter_fourcc(*"MJPG"), 200.0, (32, 24))
    for _ in range(5):
        bgr = np.zeros((24, 32, 3), np.uint8)
        bgr[..., 2] = 200  # red
        writer.write(bgr)
    writer.release()
    source = Video(path)
    source.open()
    pictures = []
    while (picture := source.read()) is not None:
        pictures.append(picture.image)
    source.close()
    assert len(pictures) == 5
    assert pictures[0].shape == (24, 32, 3)
    red, green, blue = pictures[0].mean(axis=(0, 1))
    assert red > 150
    assert max(green, blue) < 50


def test_a_file_that_is_no_video_is_refused(tmp_path: Path) -> None:
    pytest.importorskip("cv2", reason="needs bideta[live]")
    with pytest.raises(FileNotFoundError, match=r"none\.avi"):
        Video(tmp_path / "none.avi").open()
    (tmp_path / "text.avi").write_text("hello")
    with pytest.raises(OSError, match="not a video"):
        Video(tmp_path / "text.avi").open()


class FakeDevice:
    """An OpenCV capture that is unplugged after two frames."""

    def __init__(self, place: Any) -> None:
        self.place, self.settings, self.left, self.released = place, {}, 2, False

    def isOpened(self) -> bool:
        return self.place != 9

    def set(self, what: int, value: Any) -> None:
        self.settings[what] = value

    def read(self) -> tuple[bool, Any]:
        self.left -= 1
        return (True, np.array([[[1, 2, 3]]], np.uint8)) if self.left >= 0 else (False, None)

    def release(self) -> None:
        self.released = True


@pytest.fixture
def devices(monkeypatch: pytest.MonkeyPatch) -> list[FakeDevice]:
    made: list[FakeDevice] = []

    def capture(place: Any) -> FakeDevice:
        made.append(FakeDevice(place))
        return made[-1]

    fake = SimpleNamespace(
        VideoCapture=capture,
        VideoWriter_fourcc=lambda *letters: "".join(letters),
        CAP_PROP_FOURCC=6,
        CAP_PROP_BUFFERSIZE=38,
        CAP_PROP_FRAME_WIDTH=3,
        CAP_PROP_FRAME_HEIGHT=4,
        CAP_PROP_FPS=5,
    )
    monkeypatch.setattr(opencv, "_cv2", lambda: fake)
    return made


def test_a_camera_is_asked_for_mjpg_and_one_frame_of_buffer_and_gives_rgb(devices: list[FakeDevice]) -> None:
    camera = Camera("0", width=640, height=480, fps=60)
    camera.open()
    assert devices[0].settings == {6: "MJPG", 38: 1, 3: 640, 4: 480, 5: 60}
    picture = camera.read()
    assert picture is not None
    assert picture.image.tolist() == [[[3, 2, 1]]]
    camera.read()
    with pytest.raises(SourceLostError, match="stopped sending"):
        camera.read()
    camera.close()
    camera.close()
    assert devices[0].released


def test_a_camera_that_cannot_be_opened_says_what_to_check(devices: list[FakeDevice]) -> None:
    with pytest.raises(OSError, match="plugged in"):
        Camera("9").open()


def test_without_opencv_the_message_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    def missing(name: str) -> None:
        raise ImportError(name)

    monkeypatch.setattr(opencv.importlib, "import_module", missing)
    with pytest.raises(ImportError, match=r"bideta\[live\]"):
        Camera("0").open()


def test_grey_and_transparent_pictures_of_opencv_become_rgb() -> None:
    bgr = np.arange(24, dtype=np.uint8).reshape(2, 4, 3)
    np.testing.assert_array_equal(opencv.rgb(bgr), bgr[..., ::-1])
    np.testing.assert_array_equal(opencv.rgb(np.dstack([bgr, bgr[..., 0]])), bgr[..., ::-1])
    for grey in (bgr[..., 0], bgr[..., :1]):
        np.testing.assert_array_equal(opencv.rgb(grey), np.dstack([bgr[..., 0]] * 3))
