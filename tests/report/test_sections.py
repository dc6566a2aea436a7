"""Every table of the paper, by name, from the records of a whole run, of a part, and of more than the paper has."""

import json
from dataclasses import replace
from pathlib import Path

import pytest

from bideta.report import sections
from bideta.report.formats.csvfile import tables_csv
from bideta.report.published import in_order
from bideta.report.tables import Table
from support import synthetic_records as synthetic

LABELS = json.loads((Path(__file__).parent / "labels.json").read_text())  # of the paper's 32 results tables


def tables(records):
    made = [
        table
        for name in sections.reported(records)
        for table in sections.find(name).tables(sections.records_for(name, records))
    ]
    return {table.name: table for table in in_order(made)}


@pytest.fixture(scope="module")
def whole():
    return tables(synthetic.run())


def test_a_whole_run_gives_all_32_tables_in_the_papers_order(whole):
    assert [name for name in whole if name.startswith("tab:")] == list(LABELS)
    assert len(LABELS) == 32


@pytest.mark.parametrize("name", LABELS)
def test_labels_and_their_order_are_the_papers(whole, name):
    table = whole[name]
    rows = [f"{table.groups[row]} >> {row}" if table.groups.get(row) else row for row in table.rows]
    assert rows == LABELS[name]["rows"]
    assert list(table.columns) == LABELS[name]["columns"]
    assert not table.incomplete
    assert "simulated" in table.heading
    assert "seeds 0, 1 and 2" in table.caption


def test_real_and_simulated_records_have_the_same_labels(whole):
    real = tables(synthetic.run(simulated=False))
    assert [(t.name, list(t.rows), list(t.columns)) for t in real.values()] == [
        (t.name, list(t.rows), list(t.columns)) for t in whole.values()
    ]
    assert "simulated" not in tables_csv(real.values()).lower()
    assert not any("simulated" in table.caption.lower() for table in real.values())


def test_the_cell_is_the_mean_over_seeds_of_the_mean_over_sensors(whole):
    records = [
        record
        for record in synthetic.run(experiments=["budgets"])
        if (record.cell.dataset, record.cell.encoder) == ("simulated-sitr", "twin-tvl")
        and (record.cell.method, record.cell.budget) == ("bideta", "5%")
    ]
    seeds = [
        100 * sum(r.values["accuracy"] for r in records if r.cell.seed == seed) / 6
        for seed in synthetic.SEEDS
    ]
    mean = sum(seeds) / 3
    std = (sum((value - mean) ** 2 for value in seeds) / 2) ** 0.5
    for entry in (
        whole["tab:sitr"].entry("BIDETA | T", "TVL 5%"),
        whole["tab:detail1"].entry("BIDETA | 5%", "Mean"),
    ):
        assert (entry.mean, entry.std) == (pytest.approx(mean), pytest.approx(std))


def test_the_source_head_is_the_same_at_every_budget(whole):
    entries = {
        whole["tab:sitr"].entry("Frozen backbone | I", f"TVL {budget}").text for budget in ("1%", "5%", "10%")
    }
    assert len(entries) == 1


def test_what_cannot_run_is_a_dash_even_where_nothing_was_recorded():
    records = [r for r in synthetic.run(experiments=["budgets"]) if r.status == "ok"]
    table = tables(records)["tab:tacverse"]
    assert table.entry("SITR-Calib | I", "TVL 1%").text == "–"


def test_methods_the_paper_does_not_have_come_last_and_may_win():
    records = [
        replace(r, values=dict.fromkeys(r.values, 0.99)) if r.cell.method == "lda" else r
        for r in synthetic.run(extra=["lda", "logistic"], experiments=["budgets", "ranking", "shots", "cost"])
    ]
    found = tables(records)
    assert list(found["tab:sitr"].rows)[-2:] == ["LDA | I", "Logistic regression | I"]
    assert found["tab:sitr"].entry("LDA | I", "TVL 5%").mark == "best"
    assert found["tab:sitr"].entry("BIDETA | T", "TVL 5%").mark == "second"
    assert list(found["tab:costcomparison"].rows)[-1] == "Sparsh | Logistic regression | I"
    lines = tables_csv(found.values()).splitlines()
    assert any(line.startswith("tab:sitr,,LDA | I,TVL 5%,99.00,,best") for line in lines)


def test_a_run_still_going_gives_tables_that_say_what_is_missing():
    records = synthetic.run(experiments=["budgets"])
    part = [
        r for r in records if r.cell.encoder == "twin-tvl" and (r.cell.seed < 2 or r.cell.target != "Hex")
    ]
    found = tables(part)
    assert set(found) == {
        "tab:sitr",
        "tab:tacverse",
        *(f"tab:detail{i}{s}" for i in (1, 3) for s in ("", "f1")),
    }
    entry = found["tab:sitr"].entry("BIDETA | T", "TVL 10%")
    assert (entry.state, entry.note) == ("incomplete", "2 of 3 seeds")
    assert not any(entry.mark for entry in found["tab:sitr"].cells.values())
    assert found["tab:tacverse"].entry("BIDETA | T", "TVL 10%").state == "value"


def test_missing_sensors_methods_and_a_reduced_scale_are_noted():
    records = [
        replace(r, scale=0.1)
        for r in synthetic.run(experiments=["budgets"])
        if r.cell.target in ("Mini_1", "Mini_3") and r.cell.method in ("bideta", "simpleshot")
    ]
    notes = " ".join(tables(records)["tab:sitr"].notes)
    assert "no records of Mini 2, Mini 4, Hex and Wedge" in notes
    assert "no records of Frozen backbone, Tip-Adapter" in notes
    assert "Reduced scale: 0.1" in notes


def test_a_failed_cell_is_not_averaged():
    records = synthetic.run(experiments=["ranking"])
    broken = [synthetic.record(r.cell, status="failed") if r.cell.seed == 1 else r for r in records]
    entry = tables(broken)["tab:tacquad"].entry("BIDETA | T", "TVL 10%")
    assert (entry.state, entry.note) == ("incomplete", "2 of 3 seeds, 2 failed")


def test_an_unknown_encoder_and_method_keep_their_own_names():
    records = [
        replace(
            r, cell=replace(r.cell, encoder="my-encoder", method=r.cell.method.replace("lda", "my-method"))
        )
        for r in synthetic.run(extra=["lda"], experiments=["budgets"], simulated=False)
        if r.cell.encoder == "tvl"
    ]
    found = tables(records)
    assert "my-encoder 5%" in found["tab:sitr"].columns
    assert list(found["tab:sitr"].rows)[-1] == "my-method | ?"
    assert "ours:detail:sitr:my-encoder:accuracy" in found


def test_a_twin_beside_the_original_is_not_called_by_its_name():
    records = synthetic.run(experiments=["budgets"], simulated=False)
    twins = [replace(r, cell=replace(r.cell, encoder="twin-tvl")) for r in records if r.cell.encoder == "tvl"]
    columns = tables([*records, *twins])["tab:sitr"].columns
    assert [c for c in columns if c.endswith(" 5%")] == ["TVL 5%", "twin-tvl 5%", "Sparsh 5%"]


def test_every_section_keeps_the_contract():
    for name in sections.names():
        section = sections.find(name)
        assert section.title
        assert section.tables([]) == []


def test_sections_are_given_their_own_records_and_those_they_need():
    records = synthetic.run(experiments=["cost", "budgets", "shots"])
    assert {r.cell.experiment for r in sections.records_for("cost", records)} == {"cost", "budgets"}
    assert {r.cell.experiment for r in sections.records_for("shots", records)} == {"shots"}
    assert all(
        isinstance(table, Table)
        for table in sections.find("shots").tables(sections.records_for("shots", records))
    )


def test_the_other_datasets_way_of_conditioning_is_not_a_row_of_the_paper():
    records = synthetic.run(extra=["sitr-support"], experiments=["budgets"])
    found = tables(records)["tab:sitr"]
    assert "SITR-Support | I" in found.extra
    calibrated = [
        replace(synthetic.record(replace(r.cell, method="sitr-calib")), status="unavailable", values={})
        for r in synthetic.run(experiments=["ranking"])
        if r.cell.method == "sitr-support"
    ]
    ranked = tables([*synthetic.run(experiments=["ranking"]), *calibrated])["tab:tacquad"]
    assert not any(row.startswith("SITR-Calib") for row in ranked.rows), (
        "a row of dashes that the paper does not have"
    )


def test_a_reduced_set_says_how_many_of_how_many_were_labelled():
    """A tenth of SITR: 80 labels of a pool of 80 are not "10%"."""
    records = [
        replace(r, scale=0.1, values={**r.values, "labels": 80.0, "pool": 80.0})
        for r in synthetic.run(experiments=["budgets"])
        if r.cell.budget in ("0%", "10%") and r.cell.dataset == "simulated-sitr"
    ]
    (table, *details) = sections.find("budgets").tables(records)
    assert list(table.columns) == ["TVL 80/80", "Sparsh 80/80"]
    assert "Budgets are labelled contacts of the pool they are drawn from, per class." in table.notes
    assert "BIDETA | 80/80" in details[0].rows
    whole = [r for r in synthetic.run(experiments=["budgets"]) if r.cell.dataset == "simulated-sitr"]
    assert "TVL 10%" in sections.find("budgets").tables(whole)[0].columns


def test_the_abstracts_line_sets_bideta_beside_the_most_accurate_comparison():
    records = [
        replace(
            r, values={**r.values, "adapt_seconds": 0.5 if r.cell.method == "bideta" else 10.0 + r.cell.seed}
        )
        for r in synthetic.run(experiments=["cost", "budgets", "ranking"])
    ]
    table = {t.name: t for t in sections.find("cost").tables(records)}["ours:speed"]
    best = table.entry("SITR | TVL 10%", "Best comparison").text
    assert best in ("SITR-Calib", "AnyTouch Match", "CTSRL CSM", "LaplacianShot", "SimpleShot", "Tip-Adapter")
    ratio = table.entry("SITR | TVL 10%", "Times faster")
    assert (ratio.mean, ratio.std) == (pytest.approx(22.0), pytest.approx(2.0))
    assert table.entry("SITR | TVL 10%", "BIDETA adapt. (s)").text.startswith("0.500")


def test_both_orders_of_methods_stand_side_by_side():
    pressed = synthetic.run(extra=["lda"], experiments=["budgets"])
    tapped = [
        replace(
            r,
            cell=replace(r.cell, experiment="taps", dataset=f"{r.cell.dataset}-taps"),
            values={
                **r.values,
                "accuracy": 0.9 if r.cell.method == "lda" else 0.1 + r.values["accuracy"] / 2,
            },
        )
        for r in pressed
        if r.cell.method in ("lda", "bideta", "simpleshot") and r.cell.budget in ("1%", "10%")
    ]
    table = {t.name: t for t in sections.find("taps").tables([*pressed, *tapped])}["ours:taps:sitr-taps:TVL"]
    assert list(table.rows) == ["BIDETA", "LDA", "SimpleShot"]
    assert table.entry("BIDETA", "10% presses, place").text == "1"
    assert table.entry("LDA", "10% taps, place").text == "1"
    assert "At 10% the best on presses is BIDETA, on single taps LDA." in table.notes
