"""Does a batch come from the sensor that was adapted? It is looked at before it is answered.

Pictures are compared with the labelled ones' mean picture, and with what that would be if it were mirrored, grey, cut,
or had its channels exchanged: a batch that fits one of those better gives its reason away. Readouts are compared with
labelled contacts that were hidden.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike

from bideta.images.looks import CELLS, PIXELS, WIDTH, Floats64, Look, contact_strengths, distance

Level = Literal["fine", "shifted", "foreign", "unknown"]
LUMA = np.array([0.299, 0.587, 0.114])
# Chosen on the recordings and sensors of benchmarks/trust/foreign.py, by sensor, not by batch.
TAIL = 2.2  # how far beyond their 90th percentile, in its distance to the median, genuine presses may lie
LEAST = 1.8  # distance below which no picture is foreign
MOST = 2.7  # distance beyond which every picture is
FEW = 4.0  # the same where too few presses were labelled to know
ALONE = 0.3  # share of a limit that only small batches are granted: their contacts do not average out
BETTER = 0.8  # a known change explains a batch where it brings the distance down to this share
CLEARLY, MAGNIFIED = (
    0.25,
    0.5,
)  # …and to the sensor's own limit, or to this share; the second: of a cut, contacts grow
STANDS_OUT = 0.9, 0.3  # distance that is worth an explanation: of one picture, of many
SHIFT = 0.8, 0.25  # shares of a picture's limit where shift begins: one picture, many
ASPECT = 0.06  # change of height / width
LAMPS = 0.7, 1.4  # gains of all pixels alike that cost answers few points, until lights saturate
EVENLY = 0.8  # share of a picture's limit that is left once such a gain is taken out; another unit is farther
SHARPNESS = 3.0, 0.15  # a batch is blurred beyond so many spreads and such a share
UNTOUCHED = 0.4, 0.5  # of a light labelled press: nothing touches in one picture, in many
READOUT_LIMIT = 3.0  # like ``TAIL``, of log distances in the discriminant space
# kind of a batch with many contacts of no enrolled class (bideta.deploy.check_strangers)
STRANGERS = "strangers"
READOUT_FOREIGN = 2.0  # times that: foreign
FEWEST = 3  # hidden contacts
NARROWEST = 0.05  # unit of log distances that do not vary

# What answers come with, and what becomes of it in a shifted batch.
RELIABILITY, INTERVALS = "reliability", "intervals"
LOWERED = {RELIABILITY: "their reliability is lowered", INTERVALS: "their intervals may be too narrow"}

REASONS: dict[str, str] = {
    "bgr": "these look like BGR: red and blue are exchanged",
    "grey": "these are grey, the labelled pictures are coloured",
    "mirrored": "these are mirrored, left and right are exchanged",
    "upside down": "these are mirrored, top and bottom are exchanged",
    "turned": "these are turned by 180 degrees",
    "cut": "these look like the middle half of the sensor, cut or magnified, or like another sensor",
}


@dataclass(frozen=True)
class BatchCheck:
    """Where a batch seems to come from: fine, shifted, foreign; unknown where it cannot be checked."""

    level: Level
    reason: str = ""  # a sentence for people; empty where all is fine
    kind: str = ""  # the same as one word
    # Of the batch's mean picture to the labelled ones', or of its readouts, in units of their spread.
    distance: float = float("nan")
    limit: float = float("nan")  # beyond it the batch is foreign
    odd: tuple[int, ...] = ()  # rows of single pictures that are foreign in a batch that is not
    odd_reason: str = ""  # how many of them, and why
    gives: tuple[str, ...] = (RELIABILITY,)  # what the answers come with: the warning says what becomes of it

    @property
    def withheld(self) -> bool:
        """Whether the labelled contacts say nothing of how far the answers can be trusted."""
        return self.level == "foreign" or self.kind == STRANGERS

    @property
    def warning(self) -> str:
        """What a user should be told; empty where all is fine or nothing can be said."""
        parts = []
        sure = RELIABILITY in self.gives
        if self.level == "foreign":
            none = " and ".join(f"no {what}" for what in self.gives)
            are = "is" if self.gives == (RELIABILITY,) else "are"
            parts = [self.reason, f"The labelled contacts cannot vouch for the answers: {none} {are} given"]
            return ". ".join(parts if self.gives else parts[:1])
        if self.odd:
            parts += [self.odd_reason, *(["They get no reliability"] if sure else [])]
        if self.kind == STRANGERS:
            parts += [self.reason, *(["Answers are given without a reliability"] if sure else [])]
        elif self.level == "shifted":
            lowered = ", ".join(LOWERED[what] for what in self.gives)
            parts += [self.reason, *([f"Answers are given, {lowered}"] if lowered else [])]
        return ". ".join(parts)

    def facts(self) -> dict[str, str]:
        """Level, kind and warning, as the API and events tell them."""
        return {"level": self.level, "kind": self.kind, "warning": self.warning}


UNCHECKED = BatchCheck("unknown", "nothing is kept of how the labelled pictures look; adapt again")


def check_pictures(look: Look, pictures: ArrayLike, background: Any = None) -> BatchCheck:
    """Whether pictures, (m, 435) sketches, look like the labelled ones did.

    ``background`` is a picture of the untouched sensor: with it, frames without any contact are noticed.
    """
    S = np.asarray(pictures, np.float64).reshape(-1, WIDTH)
    S = S[np.isfinite(S).all(axis=1)]
    if not len(S):
        return BatchCheck("unknown", "there are no pictures to be checked")
    mean = S.mean(axis=0)
    pixels, (sharpness, height, width) = mean[:PIXELS], mean[PIXELS:]
    far = distance(pixels, look.mean, look.spread)
    m = independent(look, S[:, :PIXELS])
    limit = picture_limit(look)
    foreign = limit * (1 - ALONE + ALONE / np.sqrt(m))
    found = BatchCheck("fine", distance=far, limit=foreign)

    def verdict(level: Level, kind: str, reason: str) -> BatchCheck:
        return BatchCheck(level, reason, kind, far, foreign)

    alone, many = STANDS_OUT
    worth = far > many + (alone - many) / np.sqrt(m)
    change = _explanation(look, pixels, far, foreign) if worth else ""
    if change and change != "cut":
        return verdict("foreign", change, REASONS[change])
    usual = look.facts[1] / look.facts[2]
    if abs(height / width / usual - 1) > ASPECT:
        return verdict(
            "foreign",
            "another shape",
            f"these are {width:.0f} × {height:.0f} pixels, the labelled pictures {look.facts[2]:.0f} × "
            f"{look.facts[1]:.0f}: another sensor, or cut",
        )
    if change:
        return verdict("foreign", change, REASONS[change])
    if background is not None and look.touch > 0:
        alone, many = UNTOUCHED
        if np.median(contact_strengths(S, background)) < look.touch * (many - (many - alone) / np.sqrt(m)):
            return verdict("foreign", "nothing touches", "nothing touches the sensor in these pictures")
    if far > foreign:
        gain, left = _lit(look, pixels)
        if left < EVENLY * foreign:
            word = "brighter" if gain > 1 else "darker"
            percent = f"{100 * abs(gain - 1):.0f} %"
            return verdict(
                "shifted",
                word,
                f"these are {percent} {word} than the labelled pictures: lamps or exposure have changed",
            )
        return verdict(
            "foreign", "another sensor", "these look like another sensor, or another gel, light or focus"
        )
    alone, many = SHIFT
    if far > limit * (many + (alone - many) / np.sqrt(m)):
        return verdict("shifted", "shifted", "gel or light have changed since the sensor was adapted")
    blur = look.facts[0] - sharpness
    spreads, share = SHARPNESS
    if abs(blur) > max(spreads * look.facts_spread[0], share * look.facts[0]):
        return verdict(
            "shifted",
            "blurred" if blur > 0 else "sharper",
            f"these are {'less' if blur > 0 else 'more'} sharp than the labelled pictures: the focus, or the gel, has "
            "changed",
        )
    return found


def _lit(look: Look, pixels: Floats64) -> tuple[float, float]:
    """How much brighter all pixels are, by least squares in units of the spread, and the distance that this leaves."""
    mean, these = look.mean / look.spread, pixels / look.spread
    gain = float(mean @ these) / max(float(mean @ mean), 1e-12)  # a black mean has no gain
    lamps = LAMPS[0] < gain < LAMPS[1]
    return gain, distance(pixels, gain * look.mean, gain * look.spread) if lamps else np.inf


def _explanation(look: Look, pixels: Floats64, far: float, limit: float) -> str:
    """The known change under which the labelled pictures look like these; empty where none does."""
    changed = {
        kind: distance(pixels, change(look.mean), change(look.spread, spread=True))
        for kind, change in CHANGES.items()
    }
    kind = min(changed, key=lambda name: changed[name])
    if kind == "cut" and _lit(look, pixels)[1] < changed[kind]:
        return ""  # darker lamps change a picture that is lit from its edges much as a cut does
    clearly = MAGNIFIED if kind == "cut" else CLEARLY
    return kind if changed[kind] < min(BETTER * far, max(limit, clearly * far)) else ""


def picture_limit(look: Look) -> float:
    """Distance beyond which one picture is not of the sensor: from how far its own presses are from each other."""
    h = len(look.hidden)
    if h < 3:
        return FEW
    middle, high = np.percentile(look.hidden, [50, 90])
    return float(np.clip(high + TAIL * (high - middle), LEAST, MOST) * (1 + 1 / h))


def independent(look: Look, pixels: Floats64) -> float:
    """As how many presses a batch counts: frames of one press, nearly alike, are one."""
    if len(pixels) < 2:
        return 1.0
    varies = float(np.mean(pixels.var(axis=0, ddof=1) / look.spread**2))
    return 1.0 + (len(pixels) - 1) * min(1.0, varies)


def check_distances(distances: ArrayLike, hidden: ArrayLike) -> BatchCheck:
    """The same from readouts alone: log distances to the nearest class, of the batch and of hidden labelled contacts.

    It is coarser: contacts of objects that nobody enrolled are far from all classes too.
    """
    usual, asked = np.asarray(hidden, np.float64), np.asarray(distances, np.float64)
    if len(usual) < FEWEST or not len(asked):
        return BatchCheck("unknown", "too few labelled presses to check readouts")
    far = float(np.median(asked))
    low, middle, high = np.percentile(usual, [10, 50, 90])
    unit = max(high - middle, middle - low, NARROWEST)
    limit = high + READOUT_LIMIT * unit
    foreign = high + READOUT_FOREIGN * READOUT_LIMIT * unit
    if not far > limit:
        return BatchCheck("fine", distance=far, limit=foreign)
    reason = "these contacts are far from all labelled ones: another sensor, or unknown objects"
    return BatchCheck("foreign" if far > foreign else "shifted", reason, "far", far, foreign)


Change = Callable[..., Floats64]


def _on_picture(work: Callable[[Floats64], Floats64]) -> Change:
    def change(values: Floats64, spread: bool = False) -> Floats64:
        return np.ascontiguousarray(work(values.reshape(CELLS, CELLS, 3))).ravel()

    return change


def _grey(values: Floats64, spread: bool = False) -> Floats64:
    """The spread stays: it is alike for the colours."""
    return values if spread else np.repeat(values.reshape(-1, 3) @ LUMA, 3)


def _middle(picture: Floats64) -> Floats64:
    """The middle half, as large as the whole."""
    at = np.arange(CELLS) / 2 + CELLS / 4 - 0.25
    low = np.floor(at).astype(int)
    part = at - low
    rows = picture[low] * (1 - part)[:, None, None] + picture[low + 1] * part[:, None, None]
    return np.asarray(
        rows[:, low] * (1 - part)[None, :, None] + rows[:, low + 1] * part[None, :, None], np.float64
    )


CHANGES: dict[str, Change] = {
    "bgr": _on_picture(lambda P: P[:, :, ::-1]),
    "grey": _grey,
    "mirrored": _on_picture(lambda P: P[:, ::-1]),
    "upside down": _on_picture(lambda P: P[::-1]),
    "turned": _on_picture(lambda P: P[::-1, ::-1]),
    "cut": _on_picture(_middle),
}
