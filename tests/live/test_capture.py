from __future__ import annotations

import time

import numpy as np
import pytest

from bideta.live.capture import Capture
from bideta.live.sources import SourceLostError
from support.live_doubles import UNTOUCHED, Script


def image(value: int) -> np.ndarray:
    return np.full((4, 4, 3), value, np.uint8)


def test_a_slow_reader_gets_the_newest_frame_and_misses_the_others() -> None:
    with Capture(Script([image(0), image(1), image(2)])) as capture:
        while not capture._ended:
            time.sleep(0.005)
        frame = capture.newest()
        assert frame is not None
        assert (frame.number, frame.image[0, 0, 0]) == (2, 2)
        assert capture.captured == 3
        assert capture.newest() is None
        assert capture.ended


def test_a_source_is_opened_once_and_no_frame_is_read_before_the_capture_begins() -> None:
    source = Script([image(0)])
    capture = Capture(source)
    capture.open()
    assert (source.opened, len(source.steps)) == (1, 1)
    with capture:
        frame = capture.newest(1)
    assert frame is not None
    assert (source.opened, frame.number) == (1, 0)


def test_a_source_that_goes_away_is_opened_again_until_it_is_back() -> None:
    source = Script([image(0), 0.05, SourceLostError("gone"), image(1)], fails_to_open=2)
    seen = []
    with Capture(source, reopen_after=0.01) as capture:
        while not capture.ended:
            frame = capture.newest(1)
            if frame is not None:
                seen.append((frame.number, int(frame.image[0, 0, 0])))
    assert seen == [(0, 0), (1, 1)]
    assert capture.lost == 1
    assert source.opened == 4


def test_leaving_while_the_source_is_gone_does_not_hang() -> None:
    source = Script([SourceLostError("gone")], fails_to_open=10**6)
    begun = time.monotonic()
    with Capture(source, reopen_after=0.01):
        time.sleep(0.05)
    assert time.monotonic() - begun < 2


def test_any_other_error_reaches_the_reader_after_the_last_frame() -> None:
    with Capture(Script([UNTOUCHED, RuntimeError("decoder broke")])) as capture:
        assert capture.newest(1) is not None
        with pytest.raises(RuntimeError, match="decoder broke"):
            capture.newest(1)


def test_waiting_ends_when_the_time_is_up() -> None:
    with Capture(Script([0.3])) as capture:
        begun = time.monotonic()
        assert capture.newest(0.02) is None
        assert time.monotonic() - begun < 0.25


def test_frames_carry_the_time_they_arrived() -> None:
    before = time.monotonic()
    with Capture(Script([UNTOUCHED])) as capture:
        frame = capture.newest(1)
    assert frame is not None
    assert before <= frame.time <= time.monotonic()
