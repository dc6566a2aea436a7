"""``bideta report`` from a folder of records to files."""

import csv
import lzma
import sys
from importlib.resources import files

import pytest
from typer.testing import CliRunner

from bideta.cli import build, main
from bideta.protocol.records import FILE, PACKED
from support import synthetic_records as synthetic

run_command = CliRunner()


def report(*arguments):
    return run_command.invoke(build(), ["report", *map(str, arguments)])


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    path = tmp_path_factory.mktemp("run")
    synthetic.write(path, synthetic.run(experiments=["ranking", "ablation"], seeds=(0, 1)))
    return path


def test_every_format_is_written(folder, tmp_path):
    result = report(folder, "--out", tmp_path, "--no-figures")
    assert result.exit_code == 0, result.output
    assert sorted(path.name for path in tmp_path.iterdir()) == [
        "report.html",
        "tables.csv",
        "tables.md",
        "tables.tex",
    ]
    for path in tmp_path.iterdir():
        assert "simulated" in path.read_text().lower(), path.name


def test_the_same_records_give_the_same_bytes(folder, tmp_path):
    for name in ("a", "b"):
        assert (
            report(folder, "--out", tmp_path / name, "--format", "md,latex,csv", "--no-figures").exit_code
            == 0
        )
    for path in (tmp_path / "a").iterdir():
        assert path.read_bytes() == (tmp_path / "b" / path.name).read_bytes()


def test_packed_records_are_reported_with_those_measured_since(folder, tmp_path):
    lines = (folder / FILE).read_bytes().splitlines(keepends=True)
    (tmp_path / PACKED).write_bytes(lzma.compress(b"".join(lines[::2])))
    (tmp_path / FILE).write_bytes(b"".join(lines[1::2]))
    for source, name in ((folder, "whole.csv"), (tmp_path, "parts.csv")):
        result = report(source, "--csv", tmp_path / name)
        assert result.exit_code == 0, result.output
    assert (tmp_path / "parts.csv").read_bytes() == (tmp_path / "whole.csv").read_bytes()
    (tmp_path / FILE).unlink()
    assert report(tmp_path, "--csv", tmp_path / "half.csv").exit_code == 0


def test_csv_has_the_header_of_the_published_numbers(folder, tmp_path):
    result = report(folder, "--csv", tmp_path / "ours.csv")
    assert result.exit_code == 0, result.output
    theirs = (files("bideta.report") / "published.csv").read_text().splitlines()
    header = next(line for line in theirs if not line.startswith("#"))
    lines = (tmp_path / "ours.csv").read_text().splitlines()
    assert lines[0] == header
    assert {line["table"] for line in csv.DictReader(lines)} == {
        "tab:tacquad", "tab:ablation", "tab:ranking5", "tab:ranking6", "tab:fullablationf1", "simulated",
    }  # fmt: skip
    assert list(tmp_path.iterdir()) == [tmp_path / "ours.csv"]


def test_the_results_page_has_its_pictures_beside_it(folder, tmp_path):
    result = report(folder, "--page", tmp_path / "results.md")
    assert result.exit_code == 0, result.output
    text = (tmp_path / "results.md").read_text()
    assert "](images/results/ablation.png)" in text
    assert (tmp_path / "images" / "results" / "ablation.png").stat().st_size > 5000
    assert str(tmp_path) not in text
    assert str(folder) not in text


def test_against_published_refuses_on_simulated_records(folder, tmp_path):
    result = report(
        folder, "--out", tmp_path, "--against", "published", "--no-figures", "--format", "md,html"
    )
    assert result.exit_code == 0, result.output
    assert "no value is set beside a published one" in result.output
    assert "reproduc" not in result.output.lower()
    for name in ("tables.md", "report.html"):
        assert "reproduc" not in (tmp_path / name).read_text().lower()
        assert "Does each step of the ablation point the same way?" in (tmp_path / name).read_text()


def test_against_published_goes_cell_by_cell_on_real_records(tmp_path):
    synthetic.write(tmp_path, synthetic.run(experiments=["ranking"], simulated=False))
    result = report(tmp_path, "--against", "published", "--no-figures")
    assert result.exit_code == 0, result.output
    assert "of 144 cells are within one standard deviation" in result.output  # 48 + 48 + 48
    assert "| TVL 10% | BIDETA" in result.output


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--format", "pdf"], "Known: md, latex, csv, html"),
        (["--against", "me"], "expected published"),
        (["--only", "fake"], "expected real or simulated"),
        (["--csv", "no/such/folder/x.csv"], "does not exist"),
    ],
)
def test_bad_options_are_refused_before_anything_is_written(folder, options, message):
    result = report(folder, *options)
    assert result.exit_code != 0
    assert message in str(result.exception)


def test_a_missing_folder_ends_with_one_line(tmp_path, monkeypatch, capsys):
    monkeypatch.setattr(sys, "argv", ["bideta", "report", str(tmp_path / "nothing")])
    with pytest.raises(SystemExit) as stopped:
        main()
    assert stopped.value.code == 2
    said = capsys.readouterr().err
    assert said.startswith("error: no records in ")
    assert said.count("\n") == 1
