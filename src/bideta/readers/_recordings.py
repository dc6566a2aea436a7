"""Frames in a row → presses: found by the contact detector, or one press for each recording."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from bideta.images.contact import ENTER, LEARN_FRAMES, LEAVE, ContactDetector
from bideta.images.reading import ImageError, shown
from bideta.readers import Contacts
from bideta.readers._sequential import Place, Read, Sequential

FRAMES = 3  # of a press, as ``bideta capture`` takes them; the others are nearly alike
BEFORE = 3  # frames between the untouched frame and the first that is seen to touch: contact begins faintly
CUTS = ("found", "whole", "given")
LONGEST = 2**20  # frames of a recording: ten hours; each costs memory, however small it is


class Frame(NamedTuple):
    """One frame of a recording."""

    read: Read
    label: str = ""
    press: str = ""  # where the recording itself says which frames are one press


@dataclass(frozen=True)
class Recording:
    """Frames in a row: a video, an episode, a topic of a bag."""

    name: str
    frames: Callable[[], Iterator[Frame]]  # opens it anew; an ImageError ends it
    label: str = ""

    def reads(self) -> Iterator[Read]:
        """How to decode its frames, one by one."""
        return (frame.read for frame in self.frames())


@dataclass
class _Press:
    name: str
    label: str
    rows: list[int]
    before: int = -1  # the untouched frame; -1: there is none


def contacts_of(
    recordings: Sequence[Recording],
    cut: str,
    frames: int,
    threshold: float = ENTER,
    lost: Sequence[str] = (),
) -> Contacts:
    """Contacts of all recordings; one that breaks off is named, and what came before is used.

    ``cut``: "found" (by the contact detector, whose first frames are taken as untouched), "whole" (a recording is
    one press) or "given" (the recording says). ``frames`` of each press are taken, evenly spread; 0 takes all.
    """
    if cut not in CUTS:
        raise ValueError(f"cut is {cut!r}, expected {' or '.join(CUTS)}")
    if frames < 0:
        raise ValueError(f"frames is {frames}, expected at least 0 (0: all frames of a press)")
    broken = list(lost)
    rows: list[tuple[str, str, str]] = []  # name, label, press
    places: list[Place] = []
    untouched: list[Place] = []
    for part, recording in enumerate(recordings):
        for press in _presses(recording, cut, threshold, broken):
            for position in spread(press.rows, frames):
                rows.append((f"{press.name}/frame {position:06d}", press.label, press.name))
                places.append(Place(part, position))
                untouched.append(Place(part, press.before))
    if not rows:
        reason = f"; the first: {broken[0]}" if broken else ""
        hint = (
            f" The first {LEARN_FRAMES} frames are taken as untouched; --read cut=whole takes a recording as one "
            "press."
        )
        raise ValueError(
            f"no contact in {len(recordings)} recordings{reason}.{hint if cut == 'found' else ''}"
        )
    names, labels, press_names = (list(column) for column in zip(*rows, strict=True))
    streams = [recording.reads for recording in recordings]
    return Contacts(
        names=names,
        pictures=Sequential(streams, places),
        labels=labels if any(labels) else None,
        presses=press_names,
        untouched=Sequential(streams, untouched) if all(place.position >= 0 for place in untouched) else None,
        broken=tuple(broken),
    )


def _presses(recording: Recording, how: str, threshold: float, broken: list[str]) -> list[_Press]:
    """Presses of one recording, in order."""
    found: list[_Press] = []
    detector = ContactDetector(enter=threshold, leave=min(LEAVE, threshold))
    touching, last_end = False, 0
    try:
        for position, frame in enumerate(recording.frames()):
            if position == LONGEST:
                broken.append(f"{shown(recording.name)} has more than {LONGEST:,} frames; cut it into files")
                break
            label = frame.label or recording.label
            if how == "whole":
                if not found or found[-1].label != label:
                    found.append(_Press(recording.name, label, []))
                found[-1].rows.append(position)
                continue
            if how == "given":
                name = f"{recording.name}/{frame.press}"
                if frame.press and (not found or found[-1].name != name):
                    found.append(_Press(name, label, []))
                if frame.press:
                    found[-1].rows.append(position)
                continue
            try:
                contact = detector.see(frame.read()).contact
            except ImageError as error:
                broken.append(str(error))
                continue
            if contact and not touching:
                before = max(position - BEFORE, last_end)
                found.append(_Press(f"{recording.name}/press {len(found) + 1}", label, [], before))
            if contact:
                found[-1].rows.append(position)
                last_end = position + 1
            touching = contact
    except ImageError as error:
        broken.append(str(error))
    if how == "whole" and len(found) > 1:  # the label changes within the recording
        for number, press in enumerate(found, 1):
            press.name = f"{recording.name}/part {number}"
    return found


def spread(rows: Sequence[int], count: int) -> list[int]:
    """``count`` of the rows, evenly spread; all of them where there are no more, or ``count`` is 0.

    >>> spread(range(10, 20), 2), spread([4, 5], 3)
    ([12, 17], [4, 5])
    """
    n = len(rows)
    if not count or count >= n:
        return list(rows)
    return [rows[(2 * i + 1) * n // (2 * count)] for i in range(count)]


def broken_off(name: Any, reason: Any) -> ImageError:
    """The error that ends a recording."""
    return ImageError(f"cannot read {shown(name)} to the end: {reason}")
