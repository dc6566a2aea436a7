"""``bideta predict``: a folder of images → a CSV of labels."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import numpy as np
import typer
from numpy.typing import NDArray

from bideta.cli._sensor import encode, exit_incomplete, named, open_sensor, report_broken, warn_colour
from bideta.cli._table import check_place, write_table
from bideta.cli._terminal import note
from bideta.deploy.heldout import HeldOut, hold_out
from bideta.deploy.novelty import find_unknown
from bideta.deploy.reject import least_contacts, least_risk, reject, reliability
from bideta.encoders import Readouts
from bideta.estimator import Bideta
from bideta.images.folders import image_tree
from bideta.images.reading import shown
from bideta.method.algorithm import Inference
from bideta.parameters import check_number

DONT_KNOW, UNKNOWN = "don't know", "unknown"  # written instead of a label
CONFIDENCE = 0.9  # of --risk
COMPANY = 4096  # queries among which labelled contacts are hidden; more would cost time and change little


def main(
    sensor: Annotated[Path, typer.Argument(help="file written by bideta adapt")],
    queries: Annotated[Path, typer.Argument(help="folder of images, searched to any depth")],
    out: Annotated[Path, typer.Option("--out", "-o", help="CSV to write")],
    encoder: Annotated[str | None, typer.Option(help="the sensor's own unless given")] = None,
    settings: Annotated[
        list[str] | None, typer.Option("--set", help="setting of the encoder, name=value; may be repeated")
    ] = None,
    batch_size: Annotated[int, typer.Option(min=1, help="images in memory at a time")] = 64,
    risk: Annotated[
        float | None,
        typer.Option(help=f'share of errors to allow, e.g. 0.05: unsure answers become "{DONT_KNOW}"'),
    ] = None,
    novelty: Annotated[
        float | None,
        typer.Option(
            help=f'share of false alarms to allow, e.g. 0.05: contacts of no class become "{UNKNOWN}"; '
            "adds a column novelty"
        ),
    ] = None,
) -> None:
    """Label all images of a folder jointly; columns path, label, probability, reliability, second_choice.

    Reliability is the probability that the answer is right, measured on the sensor's own labelled contacts. With
    --risk or --novelty there is a column best_guess: what the answer would be where the label is withheld.
    """
    for option, share in (("--risk", risk), ("--novelty", novelty)):
        if share is not None:
            check_number(option, share, float, above=0, below=1, hint="a share, such as 0.05")
    check_place(out)
    paths = find_images(queries)
    opened = open_sensor(sensor, encoder, settings or [])
    check_names(opened.adapted, risk, novelty)
    encoded = encode(opened.encoder, paths, batch_size)
    report_broken(encoded, len(paths))
    warn_colour(opened.origin, encoded)
    result = opened.adapted.infer(encoded.readouts)
    columns = {"path": named(paths, queries, encoded)}
    columns |= decide(opened.adapted, result, encoded.readouts, risk, novelty)
    write_table(out, list(columns), zip(*columns.values(), strict=True))
    unanswered = sum(label in (DONT_KNOW, UNKNOWN) for label in columns["label"])
    said = f"{len(result.proba) - unanswered} images labelled"
    note(f"{shown(out)}: {said}" + (f", {unanswered} not answered" if unanswered else ""))
    exit_incomplete(encoded)


def check_names(adapted: Bideta, risk: float | None, novelty: float | None) -> None:
    """An error where a class is called what is written instead of a label."""
    for option, share, word in (("--risk", risk, DONT_KNOW), ("--novelty", novelty, UNKNOWN)):
        if share is not None and word in map(str, adapted.classes_):
            raise ValueError(
                f'the sensor has a class "{word}", which {option} writes for contacts without a label; '
                "rename its folder and adapt again"
            )


def decide(
    adapted: Bideta, result: Inference, X: Readouts, risk: float | None, novelty: float | None
) -> dict[str, list[str]]:
    """Columns by name: the answers and, where asked for, what they would be and how strange the contacts are."""
    m = len(result.proba)
    some = np.random.default_rng(0).permutation(m)[:COMPANY]
    held = hold_out(adapted, tuple(H[np.sort(some)] for H in X))
    if not len(held):
        note("warning: no class has two labelled presses: the reliability is a guess from other sensors")
    order = np.lexsort((-result.anchor, -result.proba), axis=1)[:, :2]
    labels = [str(result.classes[row[0]]) for row in order]
    second = [str(result.classes[row[1]]) if len(row) > 1 else "" for row in order]
    best = result.proba[np.arange(m), order[:, 0]]
    columns = {
        "label": labels,
        "probability": _texts(best),
        "reliability": _texts(reliability(adapted, result, X, held)),
        "second_choice": second,
    }
    if risk is not None or novelty is not None:
        columns["best_guess"] = labels
    if risk is not None:
        decision = reject(adapted, result, X, risk, confidence=CONFIDENCE, held=held)
        labels = [name if sure else DONT_KNOW for name, sure in zip(labels, decision.accepted, strict=True)]
        if np.isinf(decision.threshold):
            note(f"warning: {no_promise(held, risk)}; nothing is answered")
    if novelty is not None:
        strange = find_unknown(adapted, result, X, novelty, held=held)
        labels = [UNKNOWN if new else name for name, new in zip(labels, strange.unknown, strict=True)]
        columns["novelty"] = _texts(strange.score)
        if np.isinf(strange.threshold):
            note(
                f"warning: too few labelled presses for a false-alarm rate of {novelty:g}; none is {UNKNOWN}"
            )
    return columns | {"label": labels}


def no_promise(held: HeldOut, risk: float) -> str:
    """Why the hidden contacts cannot promise this risk, and what they can."""
    if not len(held):
        return f"a risk of {risk:g} cannot be promised: no class has two labelled presses"
    needed, least = least_contacts(risk, CONFIDENCE), least_risk(held, CONFIDENCE)
    found = (
        f"of {len(held)} labelled contacts that were hidden {(~held.right).sum()} were answered wrongly, "
        "the most reliable ones too often"
    )
    if held.n_presses < needed:
        found = (
            f"there are {held.n_presses} labelled presses to test it on, it takes {needed} without an error"
        )
    can = f"--risk {least:g} is the smallest that can be" if least < 1 else "no risk can be"
    return f"a risk of {risk:g} cannot be promised: {found}; {can}, until more contacts are labelled"


def find_images(folder: Path) -> list[Path]:
    """All images below a folder; an error where there is none."""
    if not folder.is_dir():
        raise FileNotFoundError(f"no folder {shown(folder)}: expected a folder of images")
    paths = image_tree(folder)
    if not paths:
        raise FileNotFoundError(f"no images in {shown(folder)}: expected PNG, JPEG, BMP, TIFF or WEBP files")
    return paths


def _texts(values: NDArray[np.float64]) -> list[str]:
    return [f"{value:.6f}" for value in values]
