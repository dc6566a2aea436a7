"""A folder of images, or any other input → a table of labels, of quantities with intervals, or of both."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import numpy as np
import typer

from bideta.checks import check_number
from bideta.classifier import Classifier
from bideta.cli._encoding import (
    encode_queries,
    exit_incomplete,
    open_file,
    open_file_quantities,
    readable_names,
    warn_of_batch,
    warn_of_pictures,
)
from bideta.cli._inputs import open_queries
from bideta.cli._label_sets import check_sets, sets_column
from bideta.cli._lerobot import check_lerobot, write_lerobot
from bideta.cli._options import (
    Background,
    BatchSize,
    EncoderSettings,
    Format,
    FramesPerPress,
    Input,
    MinusUntouched,
    Reading,
    SensorFile,
    SensorsEncoder,
    TableOut,
)
from bideta.cli._places import check_order, output_place
from bideta.cli._table import check_table_place, write_table
from bideta.cli._targets import Coverage, parse_numbers
from bideta.cli._terminal import note
from bideta.cli._threads import threads_for
from bideta.deploy import HeldOut, find_unknown, least_contacts, least_risk, reject
from bideta.encoders import Readouts
from bideta.images.batch_check import INTERVALS, RELIABILITY
from bideta.images.reading import shown
from bideta.quantity_sensor import COVERAGE, FALSE_ALARMS, Quantities
from bideta.readers import Contacts
from bideta.service import quantity_answers
from bideta.service.answers import COMPANY, Answers, answer, hide_among
from bideta.service.choices import check_choice
from bideta.service.encoding import Encoded
from bideta.service.sensors import OpenQuantities, answers_classes
from bideta.service.table import cell
from bideta.spelling import counted

DONT_KNOW, UNKNOWN = (
    quantity_answers.DONT_KNOW,
    quantity_answers.UNKNOWN,
)  # written instead of a label or value
USUAL = "labels.csv"  # the file to write where none is named
CONFIDENCE = 0.9  # of --risk

EXAMPLES = """
bideta predict hex.bideta queries/ -o labels.csv
bideta predict hex.bideta queries/ -o labels.csv --risk 0.05
"""


def main(
    sensor: SensorFile,
    queries: Input,
    out: TableOut = None,
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
    sets: Annotated[
        float | None,
        typer.Option(help="adds a column possible: all classes, true one included in this share, e.g. 0.9"),
    ] = None,
    sets_by_class: Annotated[
        bool, typer.Option(help="keep the promise of --sets for every class by itself, rare ones too")
    ] = False,
    by: Annotated[
        str,
        typer.Option(
            help='frame: one answer per image; press: one for the frames of a press, in a folder called "press 1", …'
        ),
    ] = "frame",
    presses: Annotated[
        bool, typer.Option("--presses", help="with --by press: images in the same folder are one press")
    ] = False,
    coverage: Coverage = COVERAGE,
    widest: Annotated[
        list[str] | None,
        typer.Option(
            help="widest interval of a quantity that is of use, e.g. depth_mm=0.5; others become "
            f'"{DONT_KNOW}"; may be repeated'
        ),
    ] = None,
    background: Background = None,
    minus_untouched: MinusUntouched = False,
    format: Format = "",
    frames: FramesPerPress = None,
    read: Reading = None,
    lerobot: Annotated[
        Path | None,
        typer.Option(
            help="new folder: a copy of the LeRobot dataset with label, probability and reliability"
        ),
    ] = None,
) -> None:
    """Label all contacts of an input jointly; columns path, label, probability, reliability, second_choice.

    A sensor that was adapted to quantities writes, for every one of them, the columns depth_mm, depth_mm_lower and
    depth_mm_upper: intervals hold the truth of a share --coverage of contacts that come as the labelled ones did.

    Reliability is the probability that the answer is right, measured on the sensor's own labelled contacts, and
    reliability_lower what it is at least, with a confidence of 90 %. Both are empty where too few presses are labelled
    to say, and where the images do not come from this sensor (so are the intervals of quantities) or show objects that
    were never enrolled. With
    --risk or --novelty there is a column best_guess: what the answer would be where the label is withheld. A press of
    several frames is told better than one frame: --by press. --sets writes all classes that a contact may be of.
    """
    for option, share in (("--risk", risk), ("--novelty", novelty)):
        if share is not None:
            check_number(option, share, float, above=0, below=1, hint="a share, such as 0.05")
    check_choice("--by", by, ("frame", "press"))
    if by == "press" and (risk is not None or novelty is not None):
        raise ValueError("--by press gives one answer per press; --risk and --novelty decide about frames")
    if presses and by != "press":
        raise ValueError("--presses says which images are one press: it goes with --by press")
    if by == "press" and lerobot is not None:
        raise ValueError("--lerobot writes an answer for every frame, --by press one for a press")
    check_sets(sets, sets_by_class, by)
    limits = parse_numbers("--widest", widest)
    check_number("--coverage", coverage, float, above=0, below=1, hint="a share, such as 0.9")
    check_table_place(out)
    check_order(sensor, queries)
    if lerobot is not None:
        frames = check_lerobot(queries, format, lerobot, frames)
    contacts = open_queries(queries, format, frames, read, presses)
    measured = open_file_quantities(sensor, encoder, settings, background)
    if measured is not None:
        check_limits(limits, [target.column for target in measured.adapted.sensor_.targets])
        if by == "press":
            raise ValueError("--by press gives one label per press; quantities change within a press")
    elif limits:
        raise ValueError(f"--widest is about quantities; {shown(sensor)} answers classes only")
    if measured is not None and not answers_classes(sensor):
        if risk is not None:
            raise ValueError(f"--risk is about labels; {shown(sensor)} answers quantities only: --widest")
        if sets is not None:
            raise ValueError(f"--sets is about labels; {shown(sensor)} answers quantities only: --coverage")
        if lerobot is not None:
            raise ValueError(f"--lerobot writes labels; {shown(sensor)} answers quantities only: -o")
        encoded = encode_queries(measured, contacts, batch_size, queries, minus_untouched)
        warn_of_pictures(measured, encoded, (INTERVALS,))
        result = answer_quantities(measured, encoded, coverage, novelty)
        names = readable_names(contacts, encoded)
        columns = {"path": names} | quantity_columns(result, limits, novelty)
        out = output_place(out, USUAL)
        write_table(out, list(columns), zip(*columns.values(), strict=True))
        targets = [target.column for target in result.targets]
        note(
            f"{shown(out)}: {', '.join(targets)} of {counted(len(names), 'image')}"
            f"{quantity_answers.withheld(columns, targets)}"
        )
        exit_incomplete(encoded)
        return
    if by == "press" and not any(contacts.presses or ()):
        raise ValueError(
            f"--by press: nothing in {shown(queries)} says which images are frames of one press. Put them into folders "
            'called "press 1", "press 2", … (of other names: --presses) or give the table or arrays a press; without '
            "--by press every image is answered by itself"
        )
    opened = open_file(sensor, encoder, settings, background)
    check_names(opened.adapted, risk, novelty)
    encoded = encode_queries(opened, contacts, batch_size, queries, minus_untouched)
    with threads_for(COMPANY):  # however many the queries are
        hidden = hide_among(opened.adapted, encoded.readouts)
    with threads_for(len(encoded.rows)):
        answers = answer(opened.adapted, encoded.readouts, hidden, encoded.sketches)
    names = readable_names(contacts, encoded)
    if by == "press":
        warn_of_scattered(contacts)
        first, answers = answers.by_press(contacts.press_numbers[encoded.rows].tolist())
        told = contacts.press_names
        names = [told[row] for row in encoded.rows[first]]
    gives = (RELIABILITY,) if measured is None else (RELIABILITY, INTERVALS)
    warn_of_batch(answers, gives, hint=novelty is None)
    columns = {"path": names} | decide(answers, encoded.readouts, risk, novelty)
    if sets is not None:
        columns["possible"] = sets_column(answers, encoded.readouts, sets, sets_by_class)
    withheld = ""
    if measured is not None:
        result = answer_quantities(measured, encoded, coverage, novelty)
        columns |= quantity_columns(result, limits, novelty)
        withheld = quantity_answers.withheld(columns, [target.column for target in result.targets])
    out = output_place(out, USUAL)
    write_table(out, list(columns), zip(*columns.values(), strict=True))
    if lerobot is not None:
        write_lerobot(queries, lerobot, names, columns)
    unanswered = sum(label in (DONT_KNOW, UNKNOWN) for label in columns["label"])
    said = f"{counted(len(names) - unanswered, 'press' if by == 'press' else 'image')} labelled"
    note(f"{shown(out)}: {said}" + (f", {unanswered} not answered" if unanswered else "") + withheld)
    exit_incomplete(encoded)


def warn_of_scattered(contacts: Contacts) -> None:
    """A warning where numbers of presses seem to begin anew, and no label tells these presses apart."""
    number = contacts.press_numbers
    runs = 1 + int((np.diff(number) != 0).sum())
    if contacts.labels is None and runs > len(np.unique(number)):
        note(
            "warning: images of a press do not follow each other. Where numbers begin anew for every object, several "
            "presses are answered as one: give each a name of its own, or leave the presses out and use folders"
        )


def answer_quantities(
    measured: OpenQuantities, encoded: Encoded, coverage: float, novelty: float | None
) -> Quantities:
    """Values of every image, and intervals unless the images are foreign."""
    return measured.adapted.infer(encoded.readouts, coverage, novelty or FALSE_ALARMS, encoded.sketches)


def quantity_columns(
    result: Quantities, widest: dict[str, float], novelty: float | None
) -> dict[str, list[str]]:
    """Columns of the quantities; a warning where the images come from elsewhere."""
    odd = quantity_answers.foreign_warning(result, novelty or FALSE_ALARMS)
    if odd:
        note(f"warning: {odd}")
    if np.isinf(result.upper).any():
        note("warning: one labelled press promises no interval; label more")
    columns = quantity_answers.columns(result, widest, novelty is not None)
    if novelty is not None:
        columns["strangeness"] = [cell(score) for score in result.strangeness.tolist()]
    return columns


def check_limits(widest: dict[str, float], known: list[str]) -> None:
    """Refuse a limit of a quantity that the sensor does not answer."""
    for name in widest:
        if name not in known:
            raise ValueError(
                f"--widest names {shown(name)}; the sensor answers {', '.join(map(shown, known))}"
            )


def check_names(adapted: Classifier, risk: float | None, novelty: float | None) -> None:
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
    withheld = answers.check.withheld
    if not (answers.intervals.known or withheld):
        note(f"warning: no reliability: {answers.no_reliability}")
    columns = answers.columns()
    labels = columns["label"]
    if risk is not None or novelty is not None:
        columns["best_guess"] = labels
    if risk is not None:
        vouching = answers.vouching  # as the batch is shifted
        decision = reject(adapted, result, readouts, risk, confidence=CONFIDENCE, held=vouching)
        given = decision.accepted & (not withheld)  # no promise is about another sensor, or other objects
        given[[*answers.check.odd]] = False
        labels = [name if sure else DONT_KNOW for name, sure in zip(labels, given, strict=True)]
        if np.isinf(decision.threshold):
            note(f"warning: {no_promise(vouching, risk)}; nothing is answered")
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
            f"there {'is' if hidden.n_presses == 1 else 'are'} {counted(hidden.n_presses, 'labelled press')} to test "
            f"it on, it takes {needed} without an error"
        )
    else:
        reason = (
            f"of {len(hidden)} labelled contacts that were hidden and asked in a batch like this one (adapt asks them "
            f"by themselves) {(~hidden.right).sum()} were answered wrongly, the most reliable ones too often"
        )
    can = f"--risk {least:g} is the smallest that can be" if least < 1 else "no risk can be"
    return f"a risk of {risk:g} cannot be promised: {reason}; {can}, until more contacts are labelled"
