"""Quantities on the page: a table or a sensor comes in, values with intervals and units go out, all of one state."""

from __future__ import annotations

import csv
import io
import shlex
import sys
import zipfile

import numpy as np
import pytest

from bideta import BidetaRegressor
from bideta.cli import main
from support.studio_server import COLOURS, picture


def depth(name: str, seed: int) -> float:
    return round(COLOURS[name][0] / 100 + seed / 50, 3)


def table(rows, head="path,depth_mm,tilt_x_deg"):
    return "\n".join([head, *rows]) + "\n"


def known(names=tuple(COLOURS), count=4, seed=0, home="run 1"):
    return [f"{home}/{n}/{seed + i}.png,{depth(n, seed + i)},{-i}" for n in names for i in range(count)]


def give(client, session, what, content, name):
    files = [("files", (name, content))]
    return client.put(f"/v1/sessions/{session}/quantities/{what}", files=files)


@pytest.fixture
def touched(client):
    """A session with twelve labelled contacts and six new ones, added as folders."""
    session = client.post("/v1/sessions", json={}).json()["session"]
    for name in COLOURS:
        for seed, count, fields in ((0, 4, {"labels": name}), (50, 2, {})):
            files = [
                ("files", (f"run 1/{name}/{seed + i}.png", picture(name, seed + i))) for i in range(count)
            ]
            sent = client.post(f"/v1/sessions/{session}/contacts", files=files, data=fields)
            assert sent.status_code == 200, sent.text
    return session


def shown(client, session, **query):
    answer = client.get(f"/v1/sessions/{session}/quantities", params=query)
    assert answer.status_code == 200, answer.text
    return answer.json()


def test_a_table_teaches_labelled_contacts_and_checks_new_ones(client, touched):
    assert not client.get(f"/v1/sessions/{touched}").json()["measures"]
    rows = known() + known(seed=50, count=2)
    given = give(client, touched, "table", table([*rows, "elsewhere/9.png,1,1"]), "targets.csv").json()
    assert (given["learned"], given["checked"]) == (12, 6)
    assert given["missing"] == ["elsewhere/9.png"]
    assert client.get(f"/v1/sessions/{touched}").json()["measures"]
    told = shown(client, touched)
    assert [(t["name"], t["unit"]) for t in told["targets"]] == [("depth", "mm"), ("tilt_x", "deg")]
    assert len(told["rows"]) == 18
    assert sum(row["learned"] for row in told["rows"]) == 12
    new = [row for row in told["rows"] if not row["learned"]]
    off = np.mean([abs(row["value"][0] - row["truth"][0]) for row in new])
    assert told["targets"][0]["checked"]["mae"] == pytest.approx(off)
    held = [row["lower"][0] <= row["truth"][0] <= row["upper"][0] for row in new]
    assert told["targets"][0]["checked"]["covered"] == pytest.approx(np.mean(held))
    assert np.abs([row["place"] for row in told["rows"]]).max() == pytest.approx(1)


def test_new_contacts_from_elsewhere_are_named_and_lose_their_intervals(client, touched):
    give(client, touched, "table", table(known()), "targets.csv")
    assert shown(client, touched)["warning"] == ""
    files = [("files", (f"{i}.png", picture("bolt", 70 + i, size=(24, 90)))) for i in range(12)]
    assert client.post(f"/v1/sessions/{touched}/contacts", files=files).status_code == 200
    told = shown(client, touched)
    assert "another sensor, or cut" in told["warning"]
    assert "no intervals" in told["warning"]
    for row in told["rows"]:
        assert (row["lower"][0] is None) == (row["upper"][0] is None) == (not row["learned"])
        assert row["value"][0] is not None


def test_learned_contacts_are_answered_without_themselves(client, touched, tmp_path):
    give(client, touched, "table", table(known()), "targets.csv")
    content = client.get(f"/v1/sessions/{touched}/export/quantities.bideta").content
    told = shown(client, touched, coverage=0.8)
    (tmp_path / "tip.bideta").write_bytes(content)
    model = BidetaRegressor.load(tmp_path / "tip.bideta").sensor_.model
    left_out = [row["value"][0] for row in told["rows"] if row["learned"]]
    assert left_out == pytest.approx(model.left_out[:, 0].tolist())
    truth = [row["truth"][0] for row in told["rows"] if row["learned"]]
    assert told["targets"][0]["left_out"]["mae"] == pytest.approx(np.abs(np.subtract(left_out, truth)).mean())
    assert told["targets"][0]["checked"] is None
    inside = [row["lower"][0] <= row["truth"][0] <= row["upper"][0] for row in told["rows"] if row["learned"]]
    assert 0.6 < np.mean(inside) <= 1


def test_a_column_split_says_what_is_learned(client, touched):
    rows = [f"{row},{'train' if i % 2 else 'val'}" for i, row in enumerate(known())]
    given = give(client, touched, "table", table(rows, "path,depth_mm,tilt_x_deg,split"), "t.csv").json()
    assert (given["learned"], given["checked"]) == (6, 6)


def test_what_is_shown_follows_every_edit(client, touched):
    give(client, touched, "table", table(known()), "targets.csv")
    before = shown(client, touched)
    contact = before["rows"][0]["id"]
    client.delete(f"/v1/sessions/{touched}/contacts/{contact}")
    told = shown(client, touched)
    assert told["learned"] == before["learned"] - 1
    assert len(told["rows"]) == 17
    client.put(f"/v1/sessions/{touched}/contacts/{contact}", json={"label": "bolt"})
    assert shown(client, touched)["rows"] == before["rows"]
    assert client.delete(f"/v1/sessions/{touched}/quantities").status_code == 204
    assert client.get(f"/v1/sessions/{touched}/quantities").status_code == 409


def test_the_printed_commands_give_the_same_values(client, touched, tmp_path, monkeypatch):
    give(client, touched, "table", table(known()), "targets.csv")
    client.patch(
        f"/v1/sessions/{touched}/contacts/{shown(client, touched)['rows'][1]['id']}", json={"label": None}
    )
    exported = f"/v1/sessions/{touched}/export"
    ours = list(csv.reader(io.StringIO(client.get(f"{exported}/quantities.csv").text)))
    assert ours[0] == [
        "path",
        *(f"{t}{e}" for t in ("depth_mm", "tilt_x_deg") for e in ("", "_lower", "_upper")),
        "original",
    ]
    assert len(ours) == 8
    monkeypatch.chdir(tmp_path)
    with zipfile.ZipFile(io.BytesIO(client.get(f"{exported}/contacts.zip").content)) as archive:
        archive.extractall("contacts")
    lines = [line for line in client.get(f"{exported}/command.txt").text.splitlines() if "quantities" in line]
    assert len(lines) == 2
    for line in lines:
        monkeypatch.setattr(sys, "argv", shlex.split(line))
        with pytest.raises(SystemExit) as ended:
            main()
        assert not ended.value.code
    theirs = list(csv.reader(io.StringIO((tmp_path / "quantities.csv").read_text())))
    assert [row[:7] for row in ours] == theirs
    (tmp_path / "ours.bideta").write_bytes(client.get(f"{exported}/quantities.bideta").content)
    a, b = (
        BidetaRegressor.load(tmp_path / name).sensor_.model for name in ("ours.bideta", "quantities.bideta")
    )
    np.testing.assert_array_equal(a.left_out, b.left_out)


def test_a_sensor_that_measures_is_opened_and_a_table_then_only_checks(client, touched):
    give(client, touched, "table", table(known()), "targets.csv")
    content = client.get(f"/v1/sessions/{touched}/export/quantities.bideta").content
    expected = {row["id"]: row["value"] for row in shown(client, touched)["rows"] if not row["learned"]}
    client.delete(f"/v1/sessions/{touched}/quantities")
    opened = give(client, touched, "sensor", content, "tip.bideta").json()
    assert opened["targets"] == ["depth_mm", "tilt_x_deg"]
    told = shown(client, touched)
    assert told["opened"] == "tip.bideta"
    assert not any(row["learned"] for row in told["rows"])
    for row in told["rows"]:
        if row["id"] in expected:
            assert row["value"] == pytest.approx(expected[row["id"]])
    given = give(client, touched, "table", table(known(seed=50, count=2)), "check.csv").json()
    assert (given["learned"], given["checked"]) == (0, 6)
    assert shown(client, touched)["targets"][0]["checked"]["count"] == 6
    refused = give(client, touched, "table", "path,force_N\nbolt/50.png,1\n", "other.csv")
    assert refused.status_code == 422
    assert "none of depth_mm, tilt_x_deg" in refused.text


def test_what_cannot_be_used_is_named(client, touched, session):
    for content, words in (
        ("path\nx.png\n", "has the columns path; expected path and at least one quantity"),
        ("path,depth_mm\nbolt/0.png,deep\n", "line 2: depth_mm is 'deep', expected a number"),
        ("path,depth_mm\nnowhere.png,1\n", "add the pictures first"),
        (b"\xff\xfe\x00", "no text in UTF-8"),
    ):
        refused = give(client, touched, "table", content, "targets.csv")
        assert refused.status_code == 422, refused.text
        assert words in refused.json()["error"]
    ambiguous = give(client, touched, "table", "path,depth_mm\n0.png,1\nkey/0.png,2\n", "t.csv").json()
    assert ambiguous["missing"] == ["0.png"]
    classes = client.get(f"/v1/sessions/{session}/export/sensor.bideta").content
    refused = give(client, touched, "sensor", classes, "classes.bideta")
    assert refused.status_code == 422
    assert "classes.bideta answers classes, not quantities" in refused.text
    assert give(client, touched, "sensor", b"nonsense", "x.bideta").status_code == 422
    assert client.get(f"/v1/sessions/{touched}/quantities", params={"coverage": 2}).status_code == 422
