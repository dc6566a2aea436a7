"""``bideta report --site`` and ``--check``, from records to a page and a verdict."""

from __future__ import annotations

import json

from bideta.protocol.records import read_log
from support import synthetic_records as synthetic
from support.real_sets import write_set


def test_runs_become_a_page_and_a_record_is_checked(bideta, tmp_path):
    sets, run = tmp_path / "sets", tmp_path / "run"
    write_set(sets, "mini-day1", seed=1)
    write_set(sets, "mini-day2", seed=2)
    asked = ("--encoder", "twin-tvl", "--method", "lda", "--labels", 1, "--draws", 1)
    assert bideta("bench", "real", "--root", sets, *asked, "--out", run)[0] == 0
    assert "--root DIR" in json.loads((run / "run.json").read_text())["command"]

    code, said = bideta("report", run, "--check", "--seed", 1, "--root", sets)
    assert code == 0, said
    assert "SAME" in said
    code, said = bideta("report", run, "--check", "--seed", 1)
    assert (code, "--root DIR" in said) == (2, True)

    twin = tmp_path / "twin"
    twin.mkdir()
    synthetic.write(twin, synthetic.run(experiments=["ranking"], seeds=(0,)))
    code, said = bideta("report", run, twin, "--site", tmp_path / "site")
    assert code == 0, said
    text = (tmp_path / "site" / "index.html").read_text()
    assert "1 same" in text
    assert str(tmp_path) not in text

    code, said = bideta("report", run, twin)
    assert (code, "add --site DIR" in said) == (2, True)


def test_a_record_that_does_not_hold_ends_with_one(bideta, tmp_path):
    sets, run, forged = tmp_path / "sets", tmp_path / "run", tmp_path / "forged"
    write_set(sets, "mini-day1", seed=1)
    asked = ("--encoder", "twin-tvl", "--method", "lda", "--labels", 1, "--draws", 1)
    bideta("bench", "real", "--root", sets, *asked, "--out", run)
    forged.mkdir()
    (forged / "run.json").write_bytes((run / "run.json").read_bytes())
    found = list(read_log(run / "records.jsonl").records.values())
    for record in found:
        record.values["accuracy"] = 0.123
    synthetic.write(forged, found)
    code, said = bideta("report", forged, "--check", "--root", sets)
    assert code == 1, said
    assert "DIFFERENT" in said
    assert "0.1230 in the record" in said

    (run / "records.jsonl").write_bytes((run / "records.jsonl").read_bytes() + b"{}\n")
    code, said = bideta("report", run, "--check", "--root", sets)
    assert (code, "must be whole" in said) == (2, True)
