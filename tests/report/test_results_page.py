"""The page as a whole: nothing from elsewhere, everything escaped, where the numbers come from on top."""

import json
import re
from dataclasses import replace
from html.parser import HTMLParser

import pytest
from PIL import Image

from bideta.report.chapters import Chapter, all_tables, chapters
from bideta.report.figures import Figure
from bideta.report.formats.csvfile import tables_csv
from bideta.report.provenance import Run, errors, lines, narrow, open_run
from bideta.report.results_page import page_html, page_markdown, slug
from support import synthetic_records as synthetic


@pytest.fixture(scope="module")
def run(tmp_path_factory):
    tmp_path = tmp_path_factory.mktemp("run")
    records = synthetic.run(experiments=["ranking", "budgets"], seeds=(0, 1))
    broken = [
        synthetic.record(r.cell, status="failed") if (r.cell.target, r.cell.seed) == ("DuraGel", 1) else r
        for r in records
    ]
    synthetic.write(tmp_path, broken)
    (tmp_path / "run.json").write_text(json.dumps({"command": "bideta bench paper --out DIR"}))
    return open_run(tmp_path)


@pytest.fixture(scope="module")
def made(run):
    return chapters(run, None, compare=True)


def page(run, made, figures=()):
    made = [replace(made[0], figures=figures), *made[1:]]
    facts = lines(run, ["bideta", "report", "DIR"])
    return (
        page_html(made, facts, errors(run), simulated=run.simulated),
        page_markdown(made, facts, errors(run), "images/results", simulated=run.simulated),
    )


def test_the_page_loads_nothing_from_elsewhere(run, made, tmp_path):
    Image.new("RGB", (4, 4)).save(tmp_path / "x.png")
    text, _ = page(run, made, [Figure(tmp_path / "x.png", "<img src=https://evil.example/x.png>")])
    loads = Loads()
    loads.feed(text)
    assert loads.sources
    assert all(source.startswith(("data:image/", "#")) for source in loads.sources)
    assert "url(" not in text
    assert "@import" not in text


def test_links_of_the_contents_lead_somewhere(run, made):
    text, markdown = page(run, made)
    loads = Loads()
    loads.feed(text)
    assert {source[1:] for source in loads.sources if source.startswith("#")} <= loads.ids
    heads = {
        slug(line.lstrip("# ").replace("\\", "")) for line in markdown.splitlines() if line.startswith("#")
    }
    assert set(re.findall(r"\]\(#([^)]*)\)", markdown)) <= heads


def test_errors_of_failed_cells_are_counted_shown_and_escaped(run, made):
    text, markdown = page(run, made)
    failed = len(run.failed)
    assert f"{failed} failed" in text
    assert f"{failed} × ValueError: &lt;script&gt;" in text
    for shown, last in ((text, "</table>"), (markdown, "</details>")):
        assert shown.index("× ValueError") > shown.rindex(last)  # what could be measured comes first
    assert "<script" not in text + markdown


def test_provenance_stands_on_top_of_the_html_and_after_the_answer_in_the_manual(run, made):
    text, markdown = page(run, made)
    for what in ("bideta bench paper --out DIR", "bideta report DIR", "abc1234", "numpy 2.0", "0 and 1"):
        assert text.index(what) < text.index("<nav")
        assert (
            markdown.rindex(what) > markdown.index("## How it was measured") > markdown.index("## In short")
        )


def test_a_simulated_page_says_so_in_title_and_text(run, made):
    text, markdown = page(run, made)
    assert re.search(r"<title>[^<]*simulated", text)
    assert markdown.startswith("# BIDETA results (simulated)")
    assert "Every number on this page is simulated" in markdown


def test_without_dates_the_facts_depend_on_the_records_alone(run):
    what = [name for name, _ in lines(run, dates=False)]
    assert "Page written" not in what
    assert "Last record" not in what


def test_main_tables_come_before_details(run, made):
    _, markdown = page(run, made)
    assert (
        markdown.index("SITR: accuracy by encoder")
        < markdown.index("TacQuad: MRR")
        < markdown.index("<details>")
    )


def test_the_page_begins_with_the_run_in_short(run, made):
    assert made[0].name == "short"
    (table,) = made[0].tables
    assert list(table.rows)[:2] == ["SITR | TVL 10%", "SITR | Sparsh 10%"]
    main = next(t for c in made for t in c.tables if t.name == "tab:sitr")
    own = main.entry("BIDETA | T", "TVL 10%")
    rivals = {row: main.entry(row, "TVL 10%").mean for row in main.rows if row != "BIDETA | T"}
    assert table.entry("SITR | TVL 10%", "Gain").text == f"{own.mean - max(rivals.values()):+.2f}"
    assert table.entry("TacQuad | TVL 30%", "BIDETA").note == "1 of 2 seeds, 1 failed"
    assert table.entry("TacQuad | TVL 30%", "Gain").state == "missing"
    assert "ours:headline" not in tables_csv(all_tables(made))


def test_pictures_whose_data_are_gone_are_left_out_and_said(tmp_path):
    records = [
        r for r in synthetic.run(experiments=["motivation"], simulated=False) if r.cell.dataset == "sitr"
    ]
    synthetic.write(tmp_path, records)
    (tmp_path / "run.json").write_text(
        json.dumps({"datasets": {"sitr": {"settings": {"root": "/no/such/place"}}}})
    )
    (chapter,) = chapters(open_run(tmp_path), tmp_path / "figures")
    assert "Some pictures are left out" in chapter.text
    assert [figure.path.name for figure in chapter.figures] == ["motivation.png"]


def test_real_and_simulated_records_are_never_mixed(tmp_path):
    synthetic.write(
        tmp_path,
        [*synthetic.run(experiments=["ranking"]), *synthetic.run(experiments=["ranking"], simulated=False)],
    )
    run = open_run(tmp_path)
    with pytest.raises(ValueError, match="--only real"):
        narrow(run, None)
    assert not narrow(run, "real").simulated
    assert all(record.simulated for record in narrow(run, "simulated").records)


def test_a_folder_without_records_says_what_to_run(tmp_path):
    with pytest.raises(FileNotFoundError, match="bideta bench"):
        open_run(tmp_path)
    (tmp_path / "records.jsonl").write_text("")
    with pytest.raises(ValueError, match="no usable record"):
        open_run(tmp_path)


def test_damaged_lines_are_named(tmp_path):
    synthetic.write(tmp_path, synthetic.run(experiments=["ranking"], seeds=(0,)))
    path = tmp_path / "records.jsonl"
    path.write_text(path.read_text().replace('"seed": 0', '"seed": 7', 1))
    assert "1 damaged lines (1)" in dict(lines(open_run(tmp_path)))["Damaged"]


def test_a_chapter_with_only_details_has_no_link_to_itself():
    assert "below" not in page_markdown([Chapter("x", "X", "", (), ())], [], [], "images", simulated=False)


class Loads(HTMLParser):
    def __init__(self):
        super().__init__()
        self.sources, self.ids = [], set()

    def handle_starttag(self, tag, attrs):
        found = dict(attrs)
        self.ids.add(found.get("id"))
        self.sources += [found[name] for name in ("src", "href", "srcset", "data", "action") if name in found]
        assert tag not in ("script", "iframe", "object", "embed", "link")


def test_errors_are_told_without_file_and_line(tmp_path):
    cell = synthetic.run(experiments=["budgets"])[0].cell
    broken = replace(synthetic.record(cell, status="failed"), error="ValueError: no (x) (a.py:3 < b.py:4)")
    assert errors(Run(tmp_path, [broken], {})) == [f"1 × ValueError: no (x) (for example {cell})"]


def test_a_run_that_does_not_say_how_pictures_were_resized_has_a_page(run):
    facts = {"readings": {"tvl on sitr": {}, "tvl on tacquad": {"settings": {"resize": "torch-bilinear"}}}}
    told = dict(lines(replace(run, facts=facts)))["Pictures"]
    assert told == "sitr resized by a way that is not noted; tacquad resized by torch-bilinear"


def test_an_assumed_map_of_sensors_is_said_in_bold_on_every_page(run, made):
    facts = lines(replace(run, facts={"datasets": {"simulated-sitr": {"assumed": "0000 = Mini_1, likely."}}}))
    assert "**Assumed: 0000 = Mini\\_1, likely.**" in page_markdown(made, facts, [], "images", simulated=True)
    assert "<p class='simulated'>Assumed: 0000 = Mini_1, likely.</p>" in page_html(
        made, facts, [], simulated=True
    )
