from __future__ import annotations

import json
import lzma
from dataclasses import replace

import pytest

from bideta.protocol.experiment import Cell
from bideta.protocol.records import FILE, PACKED, Record, Writer, parse, read_log, read_records

CELL = Cell("budgets", "simulated-sitr", "twin-tvl", "Hex", "lda", budget="5%")


def record(seed: int = 0, **fields: object) -> Record:
    facts = {
        "values": {"accuracy": 0.1 + seed},
        "settings": {"prior": [0.5, 0.5]},
        "scale": 0.1,
        "simulated": True,
    }
    return Record(replace(CELL, seed=seed), **{"status": "ok", **facts, **fields})


def write(folder, *records):
    with Writer(folder) as log:
        log.add(records)


def test_a_line_reads_back_as_the_same_record():
    original = record(error="µ and \n newline", arrays={"confusion": [[1, 0], [2, 3]]})
    assert parse(original.line().encode()) == original
    assert "\n" not in original.line()


def test_every_change_of_a_line_is_noticed():
    line = record().line()
    for old, new in (("0.1", "0.2"), ("Hex", "Hax"), ('"ok"', '"no"'), ("true", "false"), ("check", "chuck")):
        assert old in line
        assert parse(line.replace(old, new, 1).encode()) is None
    for junk in (b"", b"{", b"[]", b"null", b'"x"', b"\xff\xfe", b'{"check": 1}', line[:-5].encode()):
        assert parse(junk) is None


def test_records_are_sorted_by_cell_whatever_the_order_of_writing(tmp_path):
    write(tmp_path, record(2), record(0))
    write(tmp_path, record(1))
    assert [found.cell.seed for found in read_records(tmp_path)] == [0, 1, 2]


def test_the_last_good_record_of_a_cell_wins_and_a_failure_never_replaces_a_result(tmp_path):
    write(tmp_path, record(0, status="failed", error="x"), record(0, values={"accuracy": 0.5}))
    write(tmp_path, record(0, status="failed", error="y"))
    (found,) = read_records(tmp_path)
    assert found.status == "ok"
    assert found.values == {"accuracy": 0.5}


def test_packed_records_come_first_and_new_ones_are_written_beside_them(tmp_path):
    write(tmp_path, record(0), record(1))
    packed = lzma.compress((tmp_path / FILE).read_bytes())
    (tmp_path / FILE).unlink()
    (tmp_path / PACKED).write_bytes(packed)
    write(tmp_path, record(1, values={"accuracy": 0.5}), record(0, status="failed", error="x"), record(2))
    assert [found.values["accuracy"] for found in read_records(tmp_path)] == [0.1, 0.5, 2.1]
    new = lzma.compress((tmp_path / FILE).read_bytes())
    (tmp_path / FILE).unlink()
    (tmp_path / PACKED).write_bytes(packed + new)  # xz -c records.jsonl >> records.jsonl.xz
    assert [found.values["accuracy"] for found in read_records(tmp_path)] == [0.1, 0.5, 2.1]
    (tmp_path / PACKED).write_bytes(lzma.compress(b"damaged\n") + packed)
    with (tmp_path / FILE).open("ab") as file:
        file.write(b"one\ntwo\n")
    with pytest.warns(
        UserWarning, match=rf"{PACKED}: 1 damaged lines \(1\); .*jsonl: 2 damaged lines \(1, 2\)"
    ):
        assert len(read_records(tmp_path)) == 2
    (tmp_path / PACKED).write_bytes(packed[:-20])
    with pytest.raises(ValueError, match="is damaged"):
        read_records(tmp_path)


def test_a_torn_last_line_is_ignored_and_cut_before_the_next_is_written(tmp_path):
    write(tmp_path, record(0), record(1))
    path = tmp_path / FILE
    whole = path.read_bytes()
    for cut in (1, 10, len(record(1).line())):
        path.write_bytes(whole[:-cut])
        log = read_log(path)
        assert log.torn
        assert not log.damaged
        assert [cell.seed for cell in log.records] == [0]
        write(tmp_path, record(2))
        assert [found.cell.seed for found in read_records(tmp_path)] == [0, 2]
        assert path.read_bytes().count(b"\n") == 2


def test_a_damaged_line_in_the_middle_is_reported_and_the_others_are_kept(tmp_path):
    write(tmp_path, record(0), record(1), record(2))
    path = tmp_path / FILE
    content = bytearray(path.read_bytes())
    content[content.index(b'"seed": 1') + 8] = ord("7")
    path.write_bytes(bytes(content))
    assert read_log(path).damaged == (2,)
    with pytest.warns(UserWarning, match=r"1 damaged lines \(2\) are ignored"):
        found = read_records(tmp_path)
    assert [one.cell.seed for one in found] == [0, 2]


def test_numbers_that_are_not_finite_are_refused():
    with pytest.raises(ValueError, match="not JSON compliant"):
        record(values={"accuracy": float("nan")}).line()


def test_a_line_is_plain_json_with_the_fields_people_expect():
    content = json.loads(record().line())
    assert list(content)[:3] == ["cell", "status", "values"]
    assert {"digest", "split", "versions", "commit", "seconds", "simulated", "scale", "check"} <= set(content)


def test_an_empty_folder_has_no_records(tmp_path):
    assert read_records(tmp_path) == []


def test_a_writer_must_be_opened(tmp_path):
    with pytest.raises(ValueError, match="not open"):
        Writer(tmp_path).add([record()])


def test_a_line_that_is_nested_too_deeply_is_damaged(tmp_path):
    path = tmp_path / FILE
    path.write_text("[" * 100_000 + "\n" + '{"a":' * 100_000 + "\n")
    assert read_log(path).damaged == (1, 2)
