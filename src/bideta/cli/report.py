"""Records of "bideta bench" → every table and figure, on one page."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console

from bideta.cli._leaderboard import check_record, write_site
from bideta.cli._settings import plugin_settings
from bideta.cli._table import check_place
from bideta.images.files import write_atomic
from bideta.images.reading import shown
from bideta.protocol.measure_again import Given
from bideta.report.chapters import COMPARISON, Chapter, all_tables, chapters
from bideta.report.formats.csvfile import tables_csv
from bideta.report.formats.latex import document
from bideta.report.formats.markdown import table_markdown
from bideta.report.provenance import Run, errors, lines, narrow, open_run
from bideta.report.results_page import heading, page_html, page_markdown

FORMATS = ("md", "latex", "csv", "html")
PUBLISHED = "published"
KINDS = ("real", "simulated")
IMAGES = Path("images")  # beside a page, with a folder of the page's name in it

DIFFERENT = 1  # exit code: a cell did not come out as recorded

EXAMPLES = """
bideta report quick --out report
bideta report runs/a runs/b --site leaderboard
bideta report runs/a --check
"""


def main(
    folders: Annotated[
        list[Path],
        typer.Argument(
            help="folder of bideta bench, finished or still running; with --site any number of them"
        ),
    ],
    out: Annotated[Path | None, typer.Option(help="folder to write to; FOLDER/report unless given")] = None,
    formats: Annotated[
        str, typer.Option("--format", help="any of md, latex, csv, html, with commas")
    ] = ",".join(FORMATS),
    csv: Annotated[
        Path | None, typer.Option(help="only write this CSV, in the layout of the published numbers")
    ] = None,
    page: Annotated[
        Path | None, typer.Option(help="only write this Markdown page, pictures in images/ beside it")
    ] = None,
    against: Annotated[str | None, typer.Option(help="published: set the tables beside the paper's")] = None,
    only: Annotated[str | None, typer.Option(help="real or simulated, where the folder holds both")] = None,
    figures: Annotated[bool, typer.Option(help="draw the pictures (needs matplotlib)")] = True,
    site: Annotated[
        Path | None, typer.Option(help="only write DIR/index.html: the leaderboard of all these runs")
    ] = None,
    check: Annotated[
        bool, typer.Option("--check", help="only measure one cell again, drawn by chance, and compare")
    ] = False,
    seed: Annotated[
        int | None, typer.Option(min=0, help="with --check: draws the cell; else a new one")
    ] = None,
    root: Annotated[
        list[str] | None, typer.Option(help="with --check: folder of the recordings, as of bideta bench")
    ] = None,
    encoder: Annotated[
        str | None, typer.Option(help="with --check: your file of the record's encoder, onnx:FILE")
    ] = None,
    settings: Annotated[
        list[str] | None,
        typer.Option("--set", help="with --check: setting of an encoder or dataset, plugin.name=value"),
    ] = None,
    cache: Annotated[Path | None, typer.Option(help="with --check: folder of readouts to use")] = None,
) -> None:
    """Write every table and figure of a run; or the leaderboard of many; or check a record.

    --check ends with exit code 0 where the cell came out as recorded, 1 where it did not, and 2 where it cannot be
    measured here.
    """
    if site is not None:
        write_site(folders, site)
        return
    if len(folders) > 1:
        raise ValueError(f"{len(folders)} folders; name one, or add --site DIR for a page of them all")
    if check:
        given = Given(tuple(root or ()), encoder, plugin_settings(settings or []), cache)
        if not check_record(folders[0], seed, given):
            raise typer.Exit(DIFFERENT)
        return
    folder = folders[0]
    wanted = _check(formats, against, only)
    for place in (csv, page):
        if place is not None:
            check_place(place)
    run = narrow(open_run(folder), only)
    console = Console(stderr=True, soft_wrap=True, highlight=False, markup=False)
    compare = against is not None
    made: list[Chapter] = []
    written: list[Path] = []
    if csv is not None:
        made = chapters(run, None, compare=compare)
        write_atomic(csv, tables_csv(all_tables(made)).encode())
        written.append(csv)
    if page is not None:
        made = chapters(run, page.parent / IMAGES / page.stem if figures else None, compare=compare)
        facts = lines(
            run, _command("--page", page.name if page.is_absolute() else page.as_posix(), against=against)
        )
        images = (IMAGES / page.stem).as_posix()
        text = page_markdown(made, facts, errors(run), images, simulated=run.simulated)
        write_atomic(page, text.encode())
        written.append(page)
    if csv is None and page is None:
        place = out or folder / "report"
        place.mkdir(parents=True, exist_ok=True)
        made = chapters(run, place / "figures" if figures else None, compare=compare)
        written += _write_all(place, made, run, wanted, against)
    if compare:
        _print_comparison(made[-1])
    for path in written:
        console.print(f"{path}{' (simulated)' if run.simulated else ''}")
    if run.damage:
        console.print(f"warning: {shown(run.damage)}", markup=False)
    if run.failed:
        first = shown(errors(run)[0])
        console.print(
            f"{len(run.failed)} of {len(run.records)} cells failed; the first: {first}", markup=False
        )


def _check(formats: str, against: str | None, only: str | None) -> list[str]:
    """The formats asked for; refuses options that mean nothing."""
    wanted = [name.strip() for name in formats.split(",") if name.strip()]
    strangers = [name for name in wanted if name not in FORMATS]
    if strangers or not wanted:
        raise ValueError(f"unknown format {formats!r}. Known: {', '.join(FORMATS)}")
    if against not in (None, PUBLISHED):
        raise ValueError(f"--against is {against!r}, expected {PUBLISHED}")
    if only not in (None, *KINDS):
        raise ValueError(f"--only is {only!r}, expected {' or '.join(KINDS)}")
    return wanted


def _write_all(
    place: Path, made: list[Chapter], run: Run, wanted: list[str], against: str | None
) -> list[Path]:
    plain = [f"{what}: {value}" for what, value in lines(run, dates=False)]  # same records, same bytes
    tables = all_tables(made)
    shown = [*tables, *(table for c in made if c.name == COMPARISON for table in c.tables)]
    texts: dict[str, str] = {}
    if "md" in wanted:
        head = [f"# {heading(run.simulated)}", "", *(f"- {line}" for line in plain)]
        texts["tables.md"] = "\n".join([*head, "", *(table_markdown(table, 2) for table in shown)])
    if "latex" in wanted:
        texts["tables.tex"] = document(shown, [heading(run.simulated), *plain])
    if "csv" in wanted:
        texts["tables.csv"] = tables_csv(tables)
    if "html" in wanted:
        facts = lines(run, _command(against=against))
        texts["report.html"] = page_html(made, facts, errors(run), simulated=run.simulated)
    for name, text in texts.items():
        write_atomic(place / name, text.encode())
    return [place / name for name in texts]


def _print_comparison(chapter: Chapter) -> None:
    console = Console(soft_wrap=True, highlight=False, markup=False)
    console.print(f"{chapter.title}\n\n{chapter.text}\n")
    for table in chapter.tables:
        console.print(table_markdown(table))


def _command(*options: str, against: str | None) -> list[str]:
    """The command as others would type it: folders of this machine are left to them."""
    return ["bideta", "report", "DIR", *options, *(["--against", against] if against else [])]
