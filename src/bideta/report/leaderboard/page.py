"""Lines → one HTML page that loads nothing: real first, simulated apart, sorted and filtered by a script inside."""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Iterable, Sequence
from html import escape
from importlib.resources import files

from bideta.images.reading import shown
from bideta.report.leaderboard import checks
from bideta.report.leaderboard.rows import (
    BOARDS,
    Board,
    Figure,
    Metric,
    Row,
    best_of,
    is_simulated,
    make_rows,
)
from bideta.report.leaderboard.submissions import run_name
from bideta.report.provenance import COMMIT_SHOWN, Run, assumptions

TITLE = "Unseen tactile sensors: leaderboard"
INTRO = (
    "A frozen encoder meets a sensor that it has never seen; a method is given a few labelled contacts of it and "
    "answers the others. Lines compare where dataset, sensor, batch and labels are the same; the best of these is "
    "marked. Deviations are over seeds. A line opens to the command that measures it again."
)
REAL = "Recorded with real sensors."
SIMULATED = (
    "Every figure below is simulated: sensors are rendered. It shows which effects to expect, not their size."
)
FLATTERED = "drift within the recording can flatter this split"
TEXTS = (
    "dataset",
    "sensor",
    "batch",
    "labels",
    "encoder",
    "method",
)  # columns that the script offers as filters
SEEDS_SHOWN = 12


def page(runs: Sequence[Run]) -> str:
    """The leaderboard of these runs."""
    rows = make_rows(runs)
    if not rows:
        raise ValueError(
            "no record belongs on the leaderboard: expected measured cells of budgets, shots, taps, ranking, real or "
            "quantities"
        )
    best = best_of(rows)
    parts = []
    for simulated, words in ((False, REAL), (True, SIMULATED)):
        kind = "Simulated" if simulated else "Real"
        chosen = [row for row in rows if row.simulated == simulated]
        tables = [_board(board, chosen, best, kind) for board in BOARDS]
        body = "".join(tables) or "<p>No record yet.</p>"
        mark = " class='simulated'" if simulated else ""
        parts.append(
            f"<section id='{kind.lower()}'><h2>{kind}</h2><p{mark}>{escape(words)}</p>{body}</section>"
        )
    shared, own, script = (
        files("bideta.report").joinpath(name).read_text(encoding="utf-8")
        for name in ("page.css", "leaderboard/board.css", "leaderboard/sort.js")
    )
    style = shared + own
    policy = f"default-src 'none'; style-src '{_hash(style)}'; script-src '{_hash(script)}'"
    return (
        "<!doctype html>\n<html lang='en'><head><meta charset='utf-8'>"
        f'<meta http-equiv="Content-Security-Policy" content="{policy}">'
        "<meta name='viewport' content='width=device-width, initial-scale=1'>"
        f"<title>{TITLE}</title><style>{style}</style></head><body>\n"
        f"<header><h1>{TITLE}</h1><p>{escape(INTRO)}</p>"
        "<p>Yours is missing? <code>bideta help submit-a-record</code> says how to add it.</p>"
        "<p id='filters' hidden></p></header>\n<main>\n"
        + "\n".join(parts)
        + _runs(runs)
        + f"</main>\n<script>{script}</script></body></html>\n"
    )


def _board(board: Board, rows: Iterable[Row], best: set[Row], kind: str) -> str:
    own = [row for row in rows if row.board == board.name]
    if not own:
        return ""
    metrics = [m for i, m in enumerate(board.metrics) if any(row.figures[i] is not None for row in own)]
    titles = [*TEXTS, *(metric.title for metric in metrics), "seeds", "commit", "run"]
    head = "".join(f"<th scope='col'>{escape(title)}</th>" for title in titles)
    body = "".join(_row(row, board, metrics, row in best) for row in own)
    label = escape(f"{kind}: {board.title}")
    return (
        f"<h3>{escape(board.title)}</h3><p>{escape(board.text)}</p>"
        f"<div class='scroll' tabindex='0' role='region' aria-label='{label}'>"
        f"<table class='board'><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table></div>\n"
    )


def _row(row: Row, board: Board, metrics: Sequence[Metric], best: bool) -> str:
    texts = (row.dataset, row.sensor, row.batch, row.labels, row.encoder, row.method)
    cells = [f"<td>{_text(text)}</td>" for text in texts]
    if not row.fair:
        cells[1] = f"<td>{_text(row.sensor)} <span class='flattered' title='{FLATTERED}'>leak</span></td>"
    for metric in metrics:
        figure = row.figures[board.metrics.index(metric)]
        cells.append(_figure(figure, metric, best and metric == board.metrics[0]))
    seeds = ", ".join(map(str, row.seeds[:SEEDS_SHOWN])) + (" …" if len(row.seeds) > SEEDS_SHOWN else "")
    commits = ", ".join(commit[:COMMIT_SHOWN] for commit in row.commits)
    cells.append(f"<td>{seeds}</td><td>{_text(commits)}</td>")
    cells.append(
        f"<td><details><summary>{_text(row.run)}</summary><code>{_text(row.command)}</code></details></td>"
    )
    return f"<tr>{''.join(cells)}</tr>"


def _figure(figure: Figure | None, metric: Metric, best: bool) -> str:
    if figure is None:
        return "<td class='number'>–</td>"
    spread = "" if figure.deviation is None else f" <small>± {figure.deviation:.{metric.digits}f}</small>"
    mark = " best" if best else ""
    return f"<td class='number{mark}' data-value='{figure.mean:.9g}'>{figure.mean:.{metric.digits}f}{spread}</td>"


def _runs(runs: Sequence[Run]) -> str:
    rows = []
    for run in runs:
        versions = sorted({f"{name} {v}" for r in run.records for name, v in r.versions.items()})
        simulated = sum(map(is_simulated, run.records))
        facts = (
            run_name(run),
            f"{len(run.records) - simulated} real, {simulated} simulated, {len(run.failed)} failed",
            checks.summary(run.folder),
            ", ".join(sorted({r.commit[:COMMIT_SHOWN] or "unknown" for r in run.records})),
            str(run.facts.get("command") or "not noted"),
            ", ".join(versions),
        )
        rows.append(f"<tr>{''.join(f'<td>{_text(fact)}</td>' for fact in facts)}</tr>")
    guesses = dict.fromkeys(f"{run_name(run)}: {text}" for run in runs for text in assumptions(run))
    assumed = "".join(f"<p class='simulated'>{_text(guess)}</p>" for guess in guesses)
    titles = ("run", "records", "cells measured again", "commit", "command", "versions")
    head = "".join(f"<th scope='col'>{title}</th>" for title in titles)
    return (
        "<section id='runs'><h2>Runs</h2><p>One cell of a run is drawn by chance and measured again by whoever keeps "
        f"this page: <em>same</em> means the same answers, <em>close</em> values within a hundredth.</p>{assumed}"
        f"<div class='scroll' tabindex='0' role='region' aria-label='Runs'><table class='runs'><thead><tr>{head}</tr>"
        f"</thead><tbody>{''.join(rows)}</tbody></table></div></section>"
    )


def _text(text: str) -> str:
    """A stranger's word: one line, no markup, nothing that turns the direction of writing."""
    return escape(shown(text))


def _hash(content: str) -> str:
    return f"sha256-{base64.b64encode(hashlib.sha256(content.encode()).digest()).decode()}"
