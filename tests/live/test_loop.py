from __future__ import annotations

import threading
import time

import numpy as np

from bideta.live.capture import Capture, Frame
from bideta.live.contact import LEARN_FRAMES, ContactDetector
from bideta.live.loop import Live
from bideta.live.sources import Picture, Simulated
from live.doubles import UNTOUCHED, Kept, MeanColour, Script, online, touched

QUIET = [UNTOUCHED, 0.004] * LEARN_FRAMES


def live(steps: list, *sinks: Kept, encoder: MeanColour | None = None) -> Live:
    return Live(Capture(Script(steps)), encoder or MeanColour(), online(), sinks, ContactDetector())


def test_a_contact_gives_an_answer_and_its_end_an_event() -> None:
    sink = Kept()
    loop = live([*QUIET, 0.05, touched(2), 0.05, touched(20), 0.05, UNTOUCHED, 0.05, UNTOUCHED], sink)
    loop.run()
    assert [(event.contact, event.label) for event in sink.events] == [
        (True, "left"),
        (True, "right"),
        (False, ""),
    ]
    first = sink.events[0]
    assert first.top[0][0] == "left"
    assert first.probability == first.top[0][1]
    assert 0 <= first.age_ms <= first.latency_ms
    assert abs(first.time - time.time()) < 5
    assert sink.closed == 1


def test_a_contact_that_does_not_change_is_encoded_once() -> None:
    encoder = MeanColour()
    loop = live([*QUIET, 0.05, *[touched(2), 0.01] * 10], encoder=encoder)
    found = loop.run()
    assert len(encoder.calls) == found.encoded == 1
    assert found.contact > 1


def test_frames_are_dropped_rather_than_queued() -> None:
    pictures = [touched(2 + i % 2) for i in range(50)]
    steps = [*QUIET, 0.05, *[step for picture in pictures for step in (picture, 0.004)]]
    sink = Kept()
    loop = live(steps, sink, encoder=MeanColour(seconds=0.05))
    found = loop.run()
    assert found.captured == LEARN_FRAMES + 50
    assert found.dropped > 20
    assert found.seen + found.dropped == found.captured
    assert max(found.latencies) < 0.3  # a queue of fifty would make the last one wait 2.5 s
    assert sum(event.dropped for event in sink.events) <= found.dropped


def test_a_sink_that_fails_is_named_once_and_the_others_go_on() -> None:
    good, bad = Kept(), Kept("bad", fails=True)
    loop = live([*QUIET, 0.05, touched(2), 0.05, touched(20), 0.05], bad, good)
    found = loop.run()
    assert found.sink_errors == ["bad: disk full"]
    assert len(good.events) == 2
    assert good.closed == 1


def test_two_frame_encoders_get_the_frame_before() -> None:
    encoder = MeanColour(channels=6)
    loop = live([], encoder=encoder)
    for number in range(LEARN_FRAMES):
        loop.see(Frame(UNTOUCHED, number, time.monotonic()))
    loop.see(Frame(touched(2), LEARN_FRAMES, time.monotonic()))
    images, previous = encoder.calls[0]
    np.testing.assert_array_equal(images[0], touched(2))
    np.testing.assert_array_equal(previous[0], UNTOUCHED)


def test_it_stops_when_told_and_when_the_time_is_up() -> None:
    loop = live([30.0])
    threading.Timer(0.1, loop.stop.set).start()
    begun = time.monotonic()
    loop.capture._thread.daemon = True
    loop.capture.source.steps = [0.3]
    loop.run()
    assert time.monotonic() - begun < 2
    source = Simulated("DIGIT", n_presses=1)
    timed = Live(Capture(source), MeanColour(), online(), [], ContactDetector())
    assert 0.3 <= timed.run(seconds=0.3).seconds < 1.5


def test_the_truth_of_a_simulated_source_is_counted() -> None:
    steps = [*QUIET, 0.05, Picture(touched(2), "left"), 0.05, Picture(touched(20), "left"), 0.05]
    found = live(steps).run()
    assert (found.known, found.right) == (2, 1)
    assert found.summary()["accuracy"] == 0.5


def test_the_summary_has_rates_and_percentiles() -> None:
    found = live([*QUIET, 0.05, touched(2), 0.05]).run()
    summary = found.summary()
    assert summary["captured"] == LEARN_FRAMES + 1
    assert summary["answers"] == 1
    assert summary["latency_p50_ms"] == summary["latency_p99_ms"] > 0
    assert "accuracy" not in summary
