from __future__ import annotations

import threading
import time
from dataclasses import replace

import numpy as np

from bideta import Bideta, BidetaRegressor
from bideta.deploy import Frames, GelHealth, OnlineBideta
from bideta.images.differences import difference
from bideta.images.looks import look_at, sketches
from bideta.live.capture import Capture, Frame
from bideta.live.contact import LEARN_FRAMES, ContactDetector
from bideta.live.loop import Live
from bideta.live.sources import Picture, Simulated
from support.live_doubles import UNTOUCHED, Kept, MeanColour, Script, online, touched

QUIET = [UNTOUCHED, 0.004] * LEARN_FRAMES


def live(steps: list, *sinks: Kept, encoder: MeanColour | None = None) -> Live:
    return Live(Capture(Script(steps)), encoder or MeanColour(), online(), sinks, ContactDetector())


def show(loop: Live, *pictures: np.ndarray | Picture) -> None:
    """The untouched gel, then these pictures, one by one: no thread, nothing is dropped."""
    for number, picture in enumerate([UNTOUCHED] * LEARN_FRAMES + list(pictures)):
        seen = picture if isinstance(picture, Picture) else Picture(picture)
        loop.see(Frame(seen.image, number, time.monotonic(), seen.truth))


def test_a_contact_gives_an_answer_and_its_end_an_event() -> None:
    sink = Kept()
    show(live([], sink), touched(2), touched(20), touched(3), UNTOUCHED, UNTOUCHED)
    assert [(event.contact, event.label, event.frames) for event in sink.events] == [
        (True, "left", 1),
        (True, "right", 2),
        (True, "left", 3),
        (False, "left", 3),
    ]
    first, *_, end = sink.events
    assert [name for name, _ in end.top] == ["left", "right"]
    assert 0.5 < end.probability < first.probability
    assert first.top[0][0] == "left"
    assert first.probability == first.top[0][1]
    assert 0 <= first.age_ms <= first.latency_ms
    assert abs(first.time - time.time()) < 5


def test_a_contact_that_does_not_change_is_encoded_once() -> None:
    encoder = MeanColour()
    loop = live([], encoder=encoder)
    show(loop, *[touched(2)] * 10)
    assert len(encoder.calls) == loop.statistics.encoded == 1
    assert loop.statistics.contact == 10


def test_frames_are_dropped_rather_than_queued() -> None:
    pictures = [touched(2 + i % 2) for i in range(50)]
    steps = [*QUIET, 0.05, *[step for picture in pictures for step in (picture, 0.004)]]
    sink = Kept()
    loop = live(steps, sink, encoder=MeanColour(seconds=0.05))
    found = loop.run()
    assert found.captured == LEARN_FRAMES + 50
    assert found.dropped > 5
    assert found.seen + found.dropped == found.captured
    assert max(found.ages) < 1.5  # a queue of fifty would make the last one wait 2.5 s
    assert sum(event.dropped for event in sink.events) <= found.dropped


def test_a_sink_that_fails_is_named_once_and_the_others_go_on() -> None:
    good, bad = Kept(), Kept("bad", fails=True)
    loop = live([], bad, good)
    show(loop, touched(2), touched(20))
    found = loop.run()  # the source has nothing more; sinks are closed
    assert found.sink_errors == ["bad: disk full"]
    assert len(good.events) == 2
    assert good.closed == 1


def test_two_frame_encoders_get_the_frame_before() -> None:
    encoder = MeanColour(channels=6)
    show(live([], encoder=encoder), touched(2))
    images, previous = encoder.calls[0]
    np.testing.assert_array_equal(images[0], touched(2))
    np.testing.assert_array_equal(previous[0], UNTOUCHED)


def test_it_stops_when_told_and_when_the_time_is_up() -> None:
    loop = live([0.3])
    threading.Timer(0.05, loop.stop.set).start()
    begun = time.monotonic()
    loop.run()
    assert time.monotonic() - begun < 5
    source = Simulated("DIGIT", n_presses=1)
    timed = Live(Capture(source), MeanColour(), online(), [], ContactDetector())
    assert 0.3 <= timed.run(seconds=0.3).seconds < 5


def test_the_truth_of_a_simulated_source_is_counted() -> None:
    loop = live([])
    show(loop, Picture(touched(2), "left"), Picture(touched(20), "left"))
    found = loop.statistics
    assert (found.known, found.right) == (2, 1)
    assert found.summary()["accuracy"] == 0.5


def test_the_summary_has_rates_and_percentiles() -> None:
    loop = live([])
    show(loop, touched(2))
    summary = loop.statistics.summary()
    assert summary["contact_frames"] == 1
    assert summary["answers"] == 1
    assert summary["latency_p50_ms"] == summary["latency_p99_ms"] > 0
    assert "accuracy" not in summary


def test_frames_of_another_format_are_left_out_and_the_loop_goes_on() -> None:
    grey, four, floats = UNTOUCHED[..., 0], np.zeros((32, 32, 4), np.uint8), UNTOUCHED.astype(float)
    sink = Kept()
    others = [grey, four, floats, np.zeros((0, 5, 3), np.uint8)]
    steps = [*QUIET, *QUIET, 0.5, *others, touched(2), 0.5]  # a busy machine is slow, and drops quiet frames
    found = live(steps, sink).run()
    assert [event.label for event in sink.events] == ["left"]
    assert found.strange == 4
    assert found.summary()["frames_of_another_format"] == 4
    assert found.captured == 2 * LEARN_FRAMES + 1


def test_values_of_quantities_are_part_of_the_event() -> None:
    columns = np.arange(2.0, 22.0)
    H = np.stack([touched(int(column)).mean(axis=(0, 2)) for column in columns]).astype(np.float32)
    sensor = BidetaRegressor(["place_px"]).fit((H, H), columns).sensor_
    sink = Kept()
    loop = live([], sink)
    loop.quantities = sensor
    show(loop, touched(6), UNTOUCHED)
    first = sink.events[0]
    assert first.label
    assert first.values["place_px"]["unit"] == "px"
    assert abs(first.values["place_px"]["value"] - 6) < 2
    assert '"values": {"place_px": {"value": ' in first.to_json()
    assert "values" not in sink.events[-1].to_json()
    only = live([], sink)
    only.online, only.quantities = None, sensor
    show(only, touched(6), UNTOUCHED)
    assert sink.events[-2].label == ""
    assert sink.events[-2].values == first.values


def test_values_of_foreign_frames_have_no_intervals_and_the_event_says_why() -> None:
    columns = np.arange(2.0, 22.0)
    pressed = [touched(int(column)) for column in columns]
    H = np.stack([picture.mean(axis=(0, 2)) for picture in pressed]).astype(np.float32)
    for strange in (False, True):
        seen = sketches(pressed) + 60 * strange
        sensor = BidetaRegressor(["place_px"]).fit((H, H), columns, sketches=seen).sensor_
        sink = Kept()
        only = live([], sink)
        only.online, only.quantities = None, sensor
        both = live([], sink)
        both.online = OnlineBideta(Bideta.of(replace(both.online.current().sensor_, look=sensor.look)))
        both.quantities = sensor
        for loop in (only, both):
            show(loop, touched(6), UNTOUCHED)
            event = sink.events[-2]
            found = event.values["place_px"]
            assert abs(found["value"] - 6) < 2
            assert (found["lower"] is None, found["upper"] is None) == (strange, strange)
            assert event.check.get("level") == ("foreign" if strange else None)
            assert ('"lower": null' in event.to_json()) == strange


def test_a_sensor_of_differences_sees_frames_minus_the_newest_untouched_one() -> None:
    encoder = MeanColour(channels=6)
    loop = live([], encoder=encoder)
    adapted = loop.online.current()
    changed = replace(adapted.sensor_, origin={"minus_untouched": True})
    loop.online = OnlineBideta(Bideta.of(changed))
    newest, doubtful = UNTOUCHED.copy(), UNTOUCHED + np.uint8(1)
    newest[0, 0] += 1  # noise; the other one may be a press that begins
    show(loop, newest, doubtful, touched(2))
    ((images, before),) = encoder.calls
    np.testing.assert_array_equal(images[0], difference(touched(2), newest))
    np.testing.assert_array_equal(before[0], difference(doubtful, newest))
    columns = np.arange(2.0, 22.0)
    H = np.stack([touched(int(column)).mean(axis=(0, 2)) for column in columns]).astype(np.float32)
    loop.quantities = BidetaRegressor().fit((H, H), columns, origin=changed.origin).sensor_
    loop.online = None  # a sensor of quantities alone
    show(loop, newest, touched(2))
    np.testing.assert_array_equal(encoder.calls[-1][0][0], difference(touched(2), newest))


def test_a_press_that_goes_on_is_judged_so_far_and_at_its_end() -> None:
    sink = Kept()
    show(live([], sink), touched(2), touched(3), UNTOUCHED)
    assert [event.press_label for event in sink.events] == ["left"] * 3
    assert sink.events[0].verdict in ("going on", "sure")
    assert sink.events[-1].verdict in ("press again", "sure")
    assert sink.events[-1].press_probability == sink.events[-1].probability


def test_a_gel_that_changes_is_said_at_the_end_of_a_press() -> None:
    sink = Kept()
    loop = live([], sink)
    loop.health = GelHealth(online().current())
    presses = [picture for i in range(12) for picture in (touched(2 + i % 2), UNTOUCHED)]
    show(loop, UNTOUCHED, *presses)
    assert not any(event.health for event in sink.events)
    for _ in range(40):  # as slow fading leaves it
        loop.health.see_untouched((UNTOUCHED * 0.5).astype(np.uint8))
    for number, picture in enumerate((touched(2), UNTOUCHED), 100):
        loop.see(Frame(picture, number, time.monotonic()))
    assert sink.events[-1].health["state"] == "changed"
    assert "light lost" in sink.events[-1].health["message"]


def test_frames_of_another_sensor_are_told_in_the_event() -> None:
    sink = Kept()
    loop = live([], sink)
    loop.online = online()
    seen = sketches([touched(int(c)) for c in range(24)])
    sensor = replace(loop.online.current().sensor_, look=look_at(seen, np.arange(24)))
    loop.online = OnlineBideta(Bideta.of(sensor))
    show(loop, UNTOUCHED, touched(2), UNTOUCHED)
    assert not any(event.check for event in sink.events)
    assert "check" not in sink.events[0].to_json()
    sensor = replace(sensor, look=look_at(seen + 60, np.arange(24)))
    loop.online = OnlineBideta(Bideta.of(sensor))
    loop.see(Frame(touched(3), 100, time.monotonic()))
    assert sink.events[-1].check["level"] == "foreign"
    assert '"check": {"level": "foreign"' in sink.events[-1].to_json()


def test_a_press_of_foreign_frames_is_never_sure_and_its_end_says_why() -> None:
    for strange in (False, True):
        sink = Kept()
        loop = live([], sink)
        seen = sketches([touched(int(c)) for c in range(24)]) + 60 * strange
        sensor = replace(loop.online.current().sensor_, look=look_at(seen, np.arange(24)))
        loop.online, loop.press_frames = OnlineBideta(Bideta.of(sensor)), Frames(0.0)
        show(loop, UNTOUCHED, *[touched(2 + i % 2) for i in range(8)], UNTOUCHED)
        during, end = sink.events[-2:]
        assert (during.contact, end.contact) == (True, False)
        assert [event.verdict for event in (during, end)] == (["", ""] if strange else ["sure", "sure"])
        assert [event.check.get("level") for event in (during, end)] == (
            ["foreign"] * 2 if strange else [None] * 2
        )
