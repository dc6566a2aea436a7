"""A folder of images → a CSV of labels."""

from __future__ import annotations

from typing import Annotated

import numpy as np
import typer

from bideta.checks import check_number
from bideta.cli._encoding import encode_queries, exit_incomplete, open_file, readable_names
from bideta.cli._options import BatchSize, CsvOut, EncoderSettings, Images, SensorFile, SensorsEncoder
from bideta.cli._table import check_place, write_table
from bideta.cli._terminal import note
from bideta.deploy import HeldOut, find_unknown, least_contacts, least_risk, reject
from bideta.encoders import Readouts
from bideta.estimator import Bideta
from bideta.images.folders import find_images
from bideta.images.reading import shown
from bideta.service.answers import Answers, answer
from bideta.service.choices import check_choice
from bideta.service.table import cell

DONT_KNOW, UNKNOWN = "don't know", "unknown"  # written instead of a label
CONFIDENCE = 0.9  # of --risk


def main(
    sensor: SensorFile,
    queries: Images,
    out: CsvOut,
    encoder: SensorsEncoder = None,
    settings: EncoderSettings = None,
    batch_size: BatchSize = 64,
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
    by: Annotated[
        str,
        typer.Option(
            help="frame: one answer per image; press: one per folder, whose images are frames of a press"
        ),
    ] = "frame",
) -> None:
    """Label all images of a folder jointly; columns path, label, probability, reliability, second_choice.

    Reliability is the probability that the answer is right, measured on the sensor's own labelled contacts. With
    --risk or --novelty there is a column best_guess: what the answer would be where the label is withheld. A press of
    several frames is told better than one frame: --by press.
    """
    for option, share in (("--risk", risk), ("--novelty", novelty)):
        if share is not None:
            check_number(option, share, float, above=0, below=1, hint="a share, such as 0.05")
    check_choice("--by", by, ("frame", "press"))
    if by == "press" and (risk is not None or novelty is not None):
        raise ValueError("--by press gives one answer per press; --risk and --novelty decide about frames")
    check_place(out)
    paths = find_images(queries)
    opened = open_file(sensor, encoder, settings)
    check_names(opened.adapted, risk, novelty)
    encoded = encode_queries(opened, paths, batch_size)
    answers = answer(opened.adapted, encoded.readouts)
    names = readable_names(paths, queries, encoded)
    if by == "press":
        folders = [name.rpartition("/")[0] for name in names]
        first, answers = answers.by_press(folders)
        names = [folders[row] for row in first]
    columns = {"path": names} | decide(answers, encoded.readouts, risk, novelty)
    write_table(out, list(columns), zip(*columns.values(), strict=True))
    unanswered = sum(label in (DONT_KNOW, UNKNOWN) for label in columns["label"])
    said = f"{len(names) - unanswered} {'presses' if by == 'press' else 'images'} labelled"
    note(f"{shown(out)}: {said}" + (f", {unanswered} not answered" if unanswered else ""))
    exit_incomplete(encoded)


def check_names(adapted: Bideta, risk: float | None, novelty: float | None) -> None:
    """Refuse a class whose name is a word that is written instead of a label."""
    for option, share, word in (("--risk", risk, DONT_KNOW), ("--novelty", novelty, UNKNOWN)):
        if share is not None and word in map(str, adapted.classes_):
            raise ValueError(
                f'the sensor has a class "{word}", which {option} writes for contacts without a label; '
                "rename its folder and adapt again"
            )


def decide(
    answers: Answers, readouts: Readouts, risk: float | None, novelty: float | None
) -> dict[str, list[str]]:
    """Columns by name: the answers and, where asked for, what they would be and how strange the contacts are."""
    adapted, result, hidden = answers.adapted, answers.result, answers.hidden
    if not len(hidden):
        note("warning: no class has two labelled presses: the reliability is a guess from other sensors")
    columns = answers.columns()
    labels = columns["label"]
    if risk is not None or novelty is not None:
        columns["best_guess"] = labels
    if risk is not None:
        decision = reject(adapted, result, readouts, risk, confidence=CONFIDENCE, held=hidden)
        labels = [name if sure else DONT_KNOW for name, sure in zip(labels, decision.accepted, strict=True)]
        if np.isinf(decision.threshold):
            note(f"warning: {no_promise(hidden, risk)}; nothing is answered")
    if novelty is not None:
        strange = find_unknown(adapted, result, readouts, novelty, held=hidden)
        labels = [UNKNOWN if new else name for name, new in zip(labels, strange.unknown, strict=True)]
        columns["novelty"] = [cell(score) for score in strange.score]
        if np.isinf(strange.threshold):
            note(
                f"warning: too few labelled presses for a false-alarm rate of {novelty:g}; none is {UNKNOWN}"
            )
    return columns | {"label": labels}


def no_promise(hidden: HeldOut, risk: float) -> str:
    """Why the hidden contacts cannot promise this risk, and what they can."""
    if not len(hidden):
        return f"a risk of {risk:g} cannot be promised: no class has two labelled presses"
    needed, least = least_contacts(risk, CONFIDENCE), least_risk(hidden, CONFIDENCE)
    if hidden.n_presses < needed:
        reason = (
            f"there are {hidden.n_presses} labelled presses to test it on, it takes {needed} without an error"
        )
    else:
        reason = (
            f"of {len(hidden)} labelled contacts that were hidden {(~hidden.right).sum()} were answered wrongly, "
            "the most reliable ones too often"
        )
    can = f"--risk {least:g} is the smallest that can be" if least < 1 else "no risk can be"
    return f"a risk of {risk:g} cannot be promised: {reason}; {can}, until more contacts are labelled"
