"""A sensor after a gel change keeps what it knew, as far as its new labels speak for it.

After a new gel, on another day or on another unit of the same make, the labelled contacts of the earlier sensor may be
worth as much as new ones, or mislead. The new labels decide. Their presses are hidden in turn and answered by the
sensor that the others make, with none of the earlier contacts and with each share of them, and the likelier answers
win. Everything is a fit in closed form: ten for each share.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from itertools import count

import numpy as np
from numpy.typing import NDArray

from bideta.checks import encode_labels
from bideta.classifier import Classifier
from bideta.deploy.folds import FOLDS, fold_numbers
from bideta.extensions.class_prior import fit_temperature
from bideta.extensions.presses import press_of
from bideta.images.looks import distance
from bideta.method import Floats, Floats64, Indices, memory
from bideta.sensor import Sensor

SHARES = (0.0, 0.5, 1.0)  # of each class's earlier contacts: 0 is a start anew, 1 is all together
MARGIN = 2.0  # log odds that some must gain over none, and a part over all, hidden presses together
SPREAD = 0.5  # … and so many standard errors of the gain
DEALS = 2  # of presses into folds: what one of them happens to hide together is half as loud
# Mean pictures this many spreads apart are of another sensor: where in doubt, nothing of it is kept. Real recordings:
# the same unit on another day 0.3 to 1.2, another unit of its make 2.8 to 5.2, other sensors 14.6 and more.
OTHER_SENSOR = 10.0
TINY = 1e-12  # least probability of a hidden contact's class


@dataclass(frozen=True)
class Kept:
    """A sensor with what was kept of an earlier one.

    Attributes:
        adapted: the sensor, with both kinds of labelled contacts
        share: of the earlier contacts of every class
        contacts: how many that are
        evidence: share → log probability of the hidden new presses' classes, in all
        presses: how many new presses were hidden
        distance: of both sensors' mean pictures, in units of the earlier one's spread; NaN where it is not known
        common: classes that both sensors have
        only_earlier: classes that the earlier one alone has
    """

    adapted: Classifier
    share: float
    contacts: int
    evidence: dict[float, float]
    presses: int = 1
    distance: float = float("nan")
    common: tuple[str, ...] = ()
    only_earlier: tuple[str, ...] = ()

    @property
    def another_sensor(self) -> bool:
        """Whether the earlier pictures look like those of another sensor."""
        return self.distance > OTHER_SENSOR

    @property
    def spoken_for(self) -> bool:
        """Whether the new labels are told better with what was kept than without."""
        return self.evidence[self.share] > self.evidence[0.0]

    def __str__(self) -> str:
        tried = [share for share in self.evidence if share > 0] or [0.0]
        best = self.share or max(tried, key=lambda share: self.evidence[share])
        # of a typical press: the geometric mean
        with_them, without = (np.exp(self.evidence[share] / self.presses) for share in (best, 0.0))
        kept = "no earlier contacts kept, they are not clearly of use"
        if self.contacts:
            kept = f"{self.contacts} earlier contacts kept ({self.share:.0%})"
        return (
            f"{kept}: when a new press is hidden, its class gets a probability of {with_them:.0%} with them, "
            f"{without:.0%} without"
        )


@dataclass(frozen=True)
class _Labelled:
    support: tuple[Floats, ...]
    labels: Indices  # (n,) into the classes of both sensors
    presses: Indices

    def __len__(self) -> int:
        return len(self.labels)

    def __getitem__(self, rows: Indices | NDArray[np.bool_]) -> _Labelled:
        return _Labelled(tuple(H[rows] for H in self.support), self.labels[rows], self.presses[rows])

    def after(self, earlier: _Labelled) -> _Labelled:
        if not len(earlier):
            return self
        support = tuple(np.concatenate(pair) for pair in zip(earlier.support, self.support, strict=True))
        presses = np.concatenate([earlier.presses, self.presses + earlier.presses.max() + 1])
        return _Labelled(support, np.concatenate([earlier.labels, self.labels]), presses)


def keep_earlier(
    adapted: Classifier,
    earlier: Classifier,
    *,
    shares: Sequence[float] = SHARES,
    margin: float = MARGIN,
    folds: int = FOLDS,
    seed: int = 0,
    name: str = "",
    step: Callable[[int, int], None] | None = None,
) -> Kept:
    """The newly adapted sensor with as many labelled contacts of an earlier one as its own labels speak for.

    Both were adapted on readouts of the same encoder. Settings are those of ``adapted``. Where the earlier sensor
    knows further classes it is kept in doubt too: they would be lost. Without earlier contacts a class with a
    single new press is unknown while that press is hidden: its probability is that of a guess. Where both know how
    their pictures look and these are of another sensor, nothing is kept in doubt. The origin of the
    result says where labels came from, with ``name`` for the earlier sensor; promises are measured on the new
    labels alone. ``margin`` is what earlier contacts must gain in log odds; −inf takes all of them unasked.

    Args:
        adapted: a ``Bideta`` fitted on contacts of the new gel or sensor.
        earlier: the sensor from before.
        shares: of the earlier contacts that are tried.
        margin: log odds that earlier contacts must gain.
        name: of the earlier sensor, for the origin.
        folds: parts that the labelled contacts are hidden in.
        seed: of the folds.
        step: told how many of how many fits are done.
    """
    new, old = adapted.sensor(), earlier.sensor()
    if new.widths != old.widths:
        raise ValueError(
            f"earlier has readouts of {old.widths} features, the new sensor of {new.widths}: expected the same "
            "encoder; adapt the new one with it"
        )
    if 0.0 not in shares or min(shares) < 0 or max(shares) > 1:
        raise ValueError(f"shares are {tuple(shares)}, expected numbers from 0 to 1, and 0 among them")
    n = len(new.labels)
    names = [*new.classes[new.labels].tolist(), *old.classes[old.labels].tolist()]
    alike = new.classes.dtype.kind == old.classes.dtype.kind and new.classes.dtype.kind in "iufU"
    classes, labels = encode_labels(np.array(names) if alike else names, len(names))
    present = _Labelled(new.support, labels[:n], new.presses)
    before = _Labelled(old.support, labels[n:], old.presses)
    given = present.support, present.labels, present.presses
    deals = [fold_numbers(*given, folds=folds, seed=seed + i, least=1) for i in range(DEALS)]
    fits = count(1)
    total = len(shares) * sum(len(np.unique(number)) for number in deals)

    def fitted() -> None:
        if step is not None:
            step(next(fits), total)

    surprise = {
        share: np.mean(
            [_surprise(new, some, present, number, len(classes), fitted) for number in deals], axis=0
        )
        for share, some in ((share, thinned(before, share)) for share in shares)
    }
    apart = _distance(new, old)
    more = len(classes) > len(new.classes)
    share = _best(surprise, margin, doubt=more and not apart > OTHER_SENSOR)
    evidence = {share: -float(of_presses.sum()) for share, of_presses in surprise.items()}
    kept = thinned(before, share)
    told = {
        "from": name,
        "share": share,
        "earlier_contacts": len(kept),
        "new_contacts": n,
        "log_odds": round(evidence[share] - evidence[0.0], 3),
    }
    both = present.after(kept)
    known, labels = np.unique(both.labels, return_inverse=True)
    sensor = new.with_support(both.support, labels, both.presses, classes[known])
    sensor = replace(sensor, origin={**new.origin, "labels": told}, earlier=len(kept))
    names_of_old = [str(classes[c]) for c in np.unique(before.labels)]
    names_of_new = {str(classes[c]) for c in np.unique(present.labels)}
    return Kept(
        type(adapted).of(sensor),
        share,
        len(kept),
        evidence,
        len(surprise[0.0]),
        apart,
        tuple(name for name in names_of_old if name in names_of_new),
        tuple(name for name in names_of_old if name not in names_of_new),
    )


def thinned(contacts: _Labelled, share: float) -> _Labelled:
    """A share of every class's contacts, evenly spread over their order; at least one, unless the share is zero."""
    chosen = []
    for c in np.unique(contacts.labels):
        rows = np.flatnonzero(contacts.labels == c)
        some = int(np.ceil(share * len(rows)))
        chosen.append(rows[np.linspace(0, len(rows) - 1, some).round().astype(np.intp)])
    return contacts[np.sort(np.concatenate(chosen))]


def _distance(new: Sensor, old: Sensor) -> float:
    """Of the mean pictures, in units of the old one's spread; NaN where one of them is not known."""
    if new.look is None or old.look is None:
        return float("nan")
    return distance(new.look.mean, old.look.mean, old.look.spread)


def _best(surprise: dict[float, Floats64], margin: float, doubt: bool) -> float:
    """All of it, unless a part is clearly better; none of it, unless some is clearly better than none.

    Clearly: by ``margin``, and by the standard error of the gain over presses. In doubt, with ``doubt``, it is kept.
    """
    some = [share for share in surprise if share > 0]
    if not some:
        return 0.0

    def clear(better: float, than: float) -> bool:
        gain = surprise[than] - surprise[better]  # for each press
        return bool(gain.sum() >= margin + SPREAD * gain.std() * len(gain) ** 0.5)

    most = max(some)
    if margin == -np.inf:
        return most
    best = min(some, key=lambda share: surprise[share].sum())
    best = best if clear(best, most) else most
    keep = not clear(0.0, best) if doubt else clear(best, 0.0)
    return best if keep else 0.0


def _surprise(
    new: Sensor,
    earlier: _Labelled,
    present: _Labelled,
    number: Indices,
    C: int,
    fitted: Callable[[], None],
) -> Floats64:
    """−log probability of the class of each new press, hidden in turn, at the likeliest temperature; its frames' mean.

    Among the classes of the new labels: an answer that knows further ones is not punished for it. ``fitted`` is called
    after each fold.
    """
    P = np.full((len(present), C), 1 / len(np.unique(present.labels)))
    told = np.zeros(len(present), bool)
    for fold in np.unique(number):
        hidden = number == fold
        rest = present[~hidden].after(earlier)
        known, labels = np.unique(rest.labels, return_inverse=True)
        if not len(known):
            fitted()
            continue
        other = new.with_support(rest.support, labels, rest.presses, np.arange(len(known)))
        answers: Floats64 = np.zeros((int(hidden.sum()), C))
        answers[:, known] = other.infer(present[hidden].support).proba + TINY
        answers[:, ~np.isin(np.arange(C), present.labels)] = 0
        answers /= answers.sum(axis=1, keepdims=True)
        told[hidden] = np.isin(present.labels[hidden], known)
        P[hidden & told] = answers[told[hidden]]
        fitted()
    y = present.labels
    logs = np.log(np.maximum(P, TINY))
    if told.any():
        temperature = fit_temperature([logs[told]], y[told], 1.0)
        logs[told] = np.log(np.maximum(memory.posterior(logs[told], temperature), TINY))
    press = press_of(y, present.presses)[1]
    return -np.bincount(press, logs[np.arange(len(y)), y]) / np.bincount(press)
