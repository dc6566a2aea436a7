"""The leaderboard: who is compared with whom, what stands beside each figure, what a stranger's file cannot do."""

from __future__ import annotations

import json
import re
import shlex
from dataclasses import replace
from html.parser import HTMLParser
from pathlib import Path

import pytest
import typer

from bideta.cli import build
from bideta.protocol import records
from bideta.protocol.experiment import Cell
from bideta.protocol.records import LONGEST_LINE, Record, parse
from bideta.report.leaderboard.page import page
from bideta.report.leaderboard.rows import best_of, make_rows
from bideta.report.leaderboard.submissions import open_submission, open_submissions
from support import synthetic_records as synthetic

NASTY = "<script>alert(1)</script>'\"\u202e\x1b[31m"


def cell(**changes):
    asked = {
        "experiment": "real", "dataset": "mini-day2", "encoder": "twin-tvl", "target": "from mini-day1",
        "method": "touch", "variant": "balanced", "budget": "5-shot", "seed": 0,
    }  # fmt: skip
    return Cell(**{**asked, **changes})


def record(accuracy=0.5, *, simulated=False, commit="abc1234", **changes):
    return Record(cell(**changes), "ok", {"accuracy": accuracy}, simulated=simulated, commit=commit)


def write(folder, records, facts=None):
    folder.mkdir()
    synthetic.write(folder, records)
    if facts is not None:
        (folder / "run.json").write_text(json.dumps(facts))
    return folder


class Reader(HTMLParser):
    """Tags and texts of a page."""

    def __init__(self, text):
        super().__init__()
        self.tags, self.texts = [], []
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        self.tags.append((tag, dict(attrs)))

    def handle_data(self, data):
        self.texts.append(data)


@pytest.fixture
def two_runs(tmp_path):
    ours = [record(0.8, seed=0), record(0.9, seed=1), record(0.6, method="lda"), record(target="within")]
    twin = synthetic.run(experiments=["ranking", "ablation", "cost"], seeds=(0, 1))
    facts = {
        "datasets": {"simulated-tacquad": {"settings": {"scale": 1.0, "difficulty": "hard"}}},
        "command": "c",
    }
    return [write(tmp_path / "lab", ours), write(tmp_path / "twin", twin, facts)]


def test_seeds_are_put_together_and_the_best_line_comes_first(two_runs):
    rows = [row for row in make_rows(open_submissions(two_runs)) if not row.simulated]
    assert [row.method for row in rows] == ["touch", "lda", "touch"]
    assert rows[0].figures[0].mean == pytest.approx(85)
    assert rows[0].figures[0].deviation == pytest.approx(50**0.5)
    assert (rows[0].seeds, rows[0].commits, rows[0].run) == ((0, 1), ("abc1234",), "lab")
    assert [row.fair for row in rows] == [True, True, False]
    assert best_of(rows) == {rows[0]}  # the last has no rival


def test_lines_that_look_alike_are_best_together(tmp_path):
    folder = write(
        tmp_path / "run", [record(0.60001), record(0.60002, method="lda"), record(0.5, method="tim")]
    )
    rows = make_rows(open_submissions([folder]))
    assert {row.method for row in best_of(rows)} == {"touch", "lda"}


def test_real_stands_before_simulated_and_never_in_one_table(two_runs):
    text = page(open_submissions(two_runs))
    real, simulated = text.index("<h2>Real</h2>"), text.index("<section id='simulated'>")
    assert real < text.index("mini-day2") < simulated < text.index("simulated-tacquad (difficulty hard)")
    assert "simulated" not in text[real:simulated]
    assert "Every figure below is simulated" in text


def test_a_twin_that_is_called_real_stands_among_the_simulated(tmp_path):
    folder = write(tmp_path / "run", [record(dataset="simulated-sitr", experiment="budgets", budget="5%")])
    assert [row.simulated for row in make_rows(open_submissions([folder]))] == [True]


def test_other_scales_are_other_questions(tmp_path):
    small = replace(record(0.9, experiment="budgets", dataset="simulated-sitr", simulated=True), scale=0.1)
    large = record(0.8, experiment="budgets", dataset="simulated-sitr", method="lda", simulated=True)
    rows = make_rows(open_submissions([write(tmp_path / "run", [small, large])]))
    assert best_of(rows) == set()


def test_sensors_whose_names_are_a_guess_are_called_so_and_meet_no_others(tmp_path):
    """Hex of one run may be Wedge of another."""
    asked = {"dataset": "sitr", "target": "Hex", "experiment": "budgets", "budget": "5%", "variant": ""}
    facts = {"datasets": {"sitr": {"settings": {}, "assumed": "0000 = Mini_1, <likely>."}}}
    guessed = write(tmp_path / "guessed", [record(0.9, **asked)], facts)
    settled = write(tmp_path / "settled", [record(0.8, **{**asked, "method": "lda"})])
    runs = open_submissions([guessed, settled])
    assert {row.dataset for row in make_rows(runs)} == {"sitr", "sitr (sensors assumed)"}
    assert best_of(make_rows(runs)) == set()
    assert "<p class='simulated'>guessed: 0000 = Mini_1, &lt;likely&gt;.</p>" in page(runs)


def test_every_command_of_the_page_is_understood(two_runs, tmp_path):
    extra = [
        record(
            experiment="budgets",
            dataset="simulated-sitr",
            target="Hex",
            budget="5%",
            variant="",
            simulated=True,
        ),
        record(
            experiment="quantities",
            dataset="simulated",
            target="Hex",
            budget="20",
            variant="",
            simulated=True,
        ),
        record(method="source", budget="0-shot", target="source mini-day1"),
    ]
    extra[1] = replace(extra[1], values={"normalised": 0.3})
    facts = {"quick": True, "datasets": {"simulated-sitr": {"settings": {"size": 16, "scale": 0.1}}}}
    runs = open_submissions([*two_runs, write(tmp_path / "more", extra, facts)])
    bench = typer.main.get_command(build("bench")).commands["bench"]
    commands = {row.command for row in make_rows(runs)}
    assert len(commands) > 10
    assert not any("--method source" in command for command in commands)
    for command in commands:
        with bench.make_context("bench", shlex.split(command)[2:]) as context:  # parses, runs nothing
            assert Path(context.params["out"]).name == "RUN"  # its text, with an older typer
    assert any("--set simulated-sitr.size=16" in command for command in commands)


def test_a_strangers_words_are_shown_and_do_nothing(tmp_path):
    nasty = [record(dataset=NASTY, target=NASTY, encoder=NASTY, method=NASTY, commit=NASTY[:8])]
    text = page(open_submissions([write(tmp_path / "run", nasty, {"command": NASTY})]))
    read = Reader(text)
    assert [tag for tag, _ in read.tags].count("script") == 1
    assert any("<script>alert(1)</script>'\"\\u202e\\x1b[31m" in words for words in read.texts)
    assert not re.search("[\u202e\x1b]", text)
    assert not any(name.startswith("on") for _, attributes in read.tags for name in attributes)


def test_the_page_asks_for_nothing(two_runs):
    text = page(open_submissions(two_runs))
    assert not re.search(r"(src|href)=|url\(|https?://|@import", text)
    assert "default-src 'none'" in text


def test_what_belongs_to_no_board_is_left_out_and_nothing_at_all_is_refused(tmp_path):
    folder = write(tmp_path / "run", synthetic.run(experiments=["ablation"], seeds=(0,)))
    with pytest.raises(ValueError, match="no record belongs on the leaderboard"):
        page(open_submissions([folder]))


def test_two_runs_of_one_name_are_refused(tmp_path):
    (tmp_path / "a").mkdir()
    folders = [write(tmp_path / "a" / "run", [record()]), write(tmp_path / "run", [record()])]
    with pytest.raises(ValueError, match="two folders are called 'run'"):
        open_submissions(folders)


def test_a_file_beyond_the_limit_is_refused_unread(tmp_path, monkeypatch):
    folder = write(tmp_path / "run", [record()])
    monkeypatch.setattr(records, "LARGEST", 10)
    with pytest.raises(ValueError, match=r"records\.jsonl is larger than 10 bytes"):
        open_submission(folder)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("[" * 100_000, "not the JSON"),
        ("{", "not the JSON"),
        ("[]", "not as bideta bench writes it"),
        ('{"encoders": {"a": {"fingerprint": 3}}}', "not as bideta bench writes it"),
        ('{"datasets": {"a": {"assumed": 5}}}', "not as bideta bench writes it"),
        ('{"datasets": [1]}', "not as bideta bench writes it"),
        (f'{{"a": "{"b" * 1_000_001}"}}', "is larger than"),
    ],
)
def test_a_run_file_of_another_kind_is_refused(tmp_path, content, message):
    folder = write(tmp_path / "run", [record()])
    (folder / "run.json").write_text(content)
    with pytest.raises(ValueError, match=message):
        open_submission(folder)


@pytest.mark.parametrize(
    "changes",
    [
        {"status": "splendid"}, {"values": {"accuracy": "1"}}, {"values": {"accuracy": True}}, {"values": [1]},
        {"simulated": "no"}, {"commit": 3}, {"commit": "a" * 501}, {"versions": {"a": 1}}, {"scale": None},
        {"arrays": []}, {"settings": 1}, {"seconds": 10**400},
    ],
)  # fmt: skip
def test_a_line_with_another_kind_of_value_is_damaged_although_its_checksum_fits(changes):
    assert parse(record().line().encode()) is not None
    assert parse(replace(record(), **changes).line().encode()) is None


@pytest.mark.parametrize(
    "changes", [{"seed": -1}, {"seed": 2**32}, {"seed": "0"}, {"target": 7}, {"method": None}]
)
def test_a_cell_of_other_kinds_is_damaged(changes):
    assert parse(replace(record(), cell=cell(**changes)).line().encode()) is None


def test_a_line_that_is_too_long_or_too_deep_is_damaged():
    assert parse(replace(record(), error="e" * LONGEST_LINE).line().encode()) is None
    assert parse(b'{"arrays": ' + b"[" * 100_000 + b"}") is None
