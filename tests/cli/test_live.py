from __future__ import annotations

import fcntl
import json
import os
import pty
import re
import select
import signal
import subprocess
import sys
import time
from contextlib import suppress
from pathlib import Path

import pytest

from bideta import load_dataset
from bideta.cli import live as live_command
from bideta.cli._live_source import open_source, parse_size
from bideta.cli.capture import main as capture
from bideta.images.folders import image_tree
from bideta.images.png import write_png
from bideta.live.capture import Frame
from bideta.live.loop import Live
from bideta.live.sources import Camera, Folder, Picture, Simulated, Video
from bideta.service.sensors import OpenSensor
from support.live_doubles import UNTOUCHED, MeanColour, Script, online, touched
from support.strict import STRICT


def bideta(*arguments: object) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [*STRICT, "-c", "from bideta.cli import main; main()", *map(str, arguments)],
        capture_output=True,
        text=True,
        timeout=200,
        check=False,
    )


def test_live_on_the_simulated_sensor_answers_and_counts(tmp_path: Path) -> None:
    events, figures = tmp_path / "events.jsonl", tmp_path / "figures.json"
    done = bideta(
        "live", "--source", "simulated:Hex", "--seconds", 4, "--out", events, "--statistics", figures
    )
    assert done.returncode == 0, done.stderr
    lines = [json.loads(line) for line in events.read_text().splitlines()]
    assert any(line["contact"] for line in lines)
    summary = json.loads(figures.read_text())
    assert summary["answers"] == sum(line["contact"] for line in lines)
    assert summary["captured"] >= 4 * 30
    assert summary["accuracy"] > 0.3  # chance is 0.06
    assert "simulated" in done.stderr


def test_live_without_a_sensor_or_with_a_bad_source_says_what_to_do() -> None:
    done = bideta("live", "--source", "folder:nowhere")
    assert done.returncode == 2
    assert "bideta adapt" in done.stderr
    done = bideta("live", "--source", "webcam")
    assert done.returncode == 2
    assert "camera:SERIAL" in done.stderr


def test_live_opens_its_source_before_anything_that_takes_time(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with pytest.raises(FileNotFoundError, match="nowhere"):
        live_command.main(tmp_path / "none.bideta", source=f"folder:{tmp_path / 'nowhere'}")
    source = Script([])
    monkeypatch.setattr(live_command, "open_source", lambda *_: source)
    with pytest.raises(FileNotFoundError, match=r"none\.bideta"):
        live_command.main(tmp_path / "none.bideta")
    assert (source.opened, source.closed) == (1, 1)


@pytest.mark.parametrize("count", [0, 9, 10])
def test_live_says_that_too_few_frames_are_all_taken_as_untouched(
    count: int, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    class Waited(Script):
        """Sends the next picture once the one before it was taken: none is dropped."""

        taken = 0

        def read(self) -> Picture | None:
            while self.taken < count - len(self.steps):
                time.sleep(0.001)
            return super().read()

    source = Waited([UNTOUCHED] * count)
    see = Live.see

    def seen(loop: Live, frame: Frame) -> None:
        see(loop, frame)
        source.taken += 1

    monkeypatch.setattr(Live, "see", seen)
    monkeypatch.setattr(live_command, "open_source", lambda *_: source)
    monkeypatch.setattr(live_command, "check_sensor", lambda *_: None)
    opened = OpenSensor(online().current(), MeanColour())
    monkeypatch.setattr(live_command, "open_or_adapt", lambda *_: opened)
    live_command.main()
    said = capsys.readouterr().err
    expected = f"{count} of {count} frames were looked at, and the first 10 are taken as untouched"
    assert (expected in said) == (count < 10)


def test_sensors_lists_cameras_or_says_that_there_are_none() -> None:
    done = bideta("sensors")
    assert done.returncode == 0
    assert "serial" in done.stdout or "no cameras found" in done.stdout


def test_capture_saves_labelled_contacts_and_counts_them(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for label in ("coin", "key"):
        capture(tmp_path, label, count=4, per_press=2, source="simulated:DIGIT", fps=400.0)
    said = capsys.readouterr()
    assert re.search(r"coin +4 +[2-4]\n", said.out)
    assert "simulated objects are pressed at random, whatever the label" in said.err
    found = {entry.name: len(image_tree(entry)) for entry in tmp_path.iterdir()}
    assert found == {"coin": 4, "key": 4, "background": 10}  # five untouched frames of each recording
    assert "background" not in said.out  # which is no class
    assert load_dataset("folder", root=tmp_path).frames("sensor", "all").presses.max() >= 3


def test_capture_refuses_the_folder_of_the_background_as_a_label(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="holds untouched frames and is no class"):
        capture(tmp_path, "background", source="simulated")


@pytest.mark.parametrize("label", ["", ".", "..", "a/b", ".hidden", "a\\b"])
def test_capture_refuses_labels_that_are_no_folder_names(tmp_path: Path, label: str) -> None:
    with pytest.raises(ValueError, match="plain folder name"):
        capture(tmp_path, label, source="simulated")


def test_capture_without_contact_says_so(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match=r"no contact was seen from .* within 0\.3 s"):
        capture(tmp_path, "coin", source="simulated", fps=400.0, threshold=1e6, seconds=0.3)
    assert not (tmp_path / "coin").exists()


def test_a_capture_that_ends_early_says_how_far_it_came(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for i in range(120):  # many of each, for a busy machine drops frames
        picture = UNTOUCHED if i < 60 else touched(2 + i % 6)
        write_png(tmp_path / f"{i}.png", picture)
    capture(tmp_path / "support", "coin", count=10**6, source=f"folder:{tmp_path}", fps=100.0)
    assert re.search(r"note: stopped after [1-9][0-9]* of 1000000 frames", capsys.readouterr().err)


def test_sources_are_named_on_the_command_line() -> None:
    assert isinstance(open_source("camera:D20542", None, (640, 480), 0), Camera)
    assert isinstance(open_source("video:touch.avi", None, None, 0), Video)
    assert isinstance(open_source("folder:frames", 10.0, None, 0), Folder)
    assert isinstance(open_source("simulated:TacTip", None, None, 0), Simulated)
    with pytest.raises(ValueError, match="needs a path"):
        open_source("video", None, None, 0)
    with pytest.raises(ValueError, match="--fps is 0"):
        open_source("simulated", 0.0, None, 0)


def test_a_size_is_width_and_height() -> None:
    assert parse_size("640x480") == (640, 480)
    assert parse_size("") is None
    with pytest.raises(ValueError, match="WIDTHxHEIGHT"):
        parse_size("640")


@pytest.mark.parametrize("end", ["--seconds", "SIGTERM"])
def test_live_on_a_pipe_that_nobody_reads_ends_when_it_is_told_to(end: str) -> None:
    reader, writer = os.pipe()
    fcntl.fcntl(writer, fcntl.F_SETPIPE_SZ, 4096)  # full within a second
    arguments = ["live", "--source", "simulated:Hex", "--encoder", "handmade"]
    arguments += ["--seconds", "3"] if end == "--seconds" else []
    command = [sys.executable, "-c", "from bideta.cli import main; main()", *arguments]
    process = subprocess.Popen(command, stdout=writer, stderr=subprocess.PIPE, text=True)
    os.close(writer)
    try:
        if end == "SIGTERM":
            assert select.select([reader], [], [], 120)[0]  # it is at work
            time.sleep(2)
            process.send_signal(signal.SIGTERM)
        _, said = process.communicate(timeout=120)
    finally:
        process.kill()
        process.wait()
        os.close(reader)
    assert process.returncode == 1
    assert re.search(r"failed: JSON lines -: nobody read [0-9]+ of the events", said)


def test_live_in_a_terminal_is_one_line_that_changes() -> None:
    ours, theirs = pty.openpty()
    arguments = ["live", "--source", "simulated:Hex", "--encoder", "handmade", "--seconds", "3"]
    command = [sys.executable, "-c", "from bideta.cli import main; main()", *arguments]
    process = subprocess.Popen(command, stdout=theirs, stderr=subprocess.PIPE, text=True)
    os.close(theirs)
    shown = b""
    try:
        with suppress(OSError):  # how Linux says that the other end is closed
            while piece := os.read(ours, 4096):
                shown += piece
        _, said = process.communicate(timeout=60)
    finally:
        process.kill()
        process.wait()
        os.close(ours)
    assert process.returncode == 0, said
    assert shown.count(b"\n") == 1
    assert shown.endswith(b"\n")
    changes = shown.decode().split("\r\x1b[K")[1:]
    assert len(changes) > 3
    assert all(re.match(r"touching: .+ [0-9]+ %|lifted", change) for change in changes)
    assert "{" not in shown.decode()
