"""The artifact, the command line and the API say the same."""

from __future__ import annotations

import csv
import io
import shlex
import sys
import zipfile

import numpy as np
import pytest

from bideta import Bideta, load_encoder
from bideta.cli import main
from bideta.images.folders import image_tree
from bideta.service.encoding import encode_files
from support.studio_server import COLOURS, picture


@pytest.fixture
def bideta(monkeypatch, tmp_path):
    def run(line):
        monkeypatch.chdir(tmp_path)
        monkeypatch.setattr(sys, "argv", shlex.split(line))
        with pytest.raises(SystemExit) as ended:
            main()
        assert not ended.value.code

    return run


def exported(client, session, what):
    answer = client.get(f"/v1/sessions/{session}/export/{what}")
    assert answer.status_code == 200
    return answer.content


def test_artifact_command_line_and_api_give_identical_probabilities(client, session, bideta, tmp_path):
    # A label given on the page and a few more files of other formats: the export must carry them too.
    first = client.post("/v1/predict", json={"session": session}).json()["contacts"][0]["id"]
    client.post("/v1/learn", json={"session": session, "contact": first, "label": "bolt"})
    for i, kind in enumerate(("JPEG", "BMP", "TIFF", "WEBP")):
        sent = [("files", (f"../odd name {i}", picture("key", 90 + i, kind)))]
        client.post(f"/v1/sessions/{session}/contacts", files=sent)
    api = client.post("/v1/predict", json={"session": session}).json()
    proba = np.array([row["proba"] for row in api["contacts"]])

    with zipfile.ZipFile(io.BytesIO(exported(client, session, "contacts.zip"))) as pictures:
        pictures.extractall(tmp_path / "contacts")
    unzip, adapt, predict = exported(client, session, "command.txt").decode().splitlines()
    assert unzip == "unzip contacts.zip -d contacts"
    bideta(adapt)
    bideta(predict)

    # 1. the command line's artifact is the exported one, byte for byte
    artifact = exported(client, session, "sensor.bideta")
    assert (tmp_path / "sensor.bideta").read_bytes() == artifact
    # 2. the artifact on the exported pictures gives the API's probabilities, to the last bit
    paths = image_tree(tmp_path / "contacts" / "unlabelled")
    readouts = encode_files(load_encoder("twin-tvl"), paths).readouts
    np.testing.assert_array_equal(Bideta.load(tmp_path / "sensor.bideta").predict_proba(readouts), proba)
    # 3. and so do both tables
    ours = list(csv.DictReader(io.StringIO(exported(client, session, "predictions.csv").decode())))
    theirs = list(csv.DictReader(io.StringIO((tmp_path / "predictions.csv").read_text())))
    assert ours == theirs


def test_frames_of_one_press_stay_together_on_the_way_to_the_command_line(client, bideta, tmp_path):
    name = client.post("/v1/sessions", json={"title": "presses"}).json()["session"]
    for round_ in range(2):  # the same presses twice: the second half of each comes later
        for label in ("key", "bolt", "nut"):
            seeds = [*range(12 * round_, 12 * round_ + 12)]
            presses = [f"{label}/press {seed % 12 // 2}" if seed % 12 < 10 else "" for seed in seeds]
            files = [("files", (f"{seed}.png", picture(label, seed))) for seed in seeds]
            data = {"labels": label, "presses": presses}
            answer = client.post(f"/v1/sessions/{name}/contacts", files=files, data=data)
            assert [row["press"] or "" for row in answer.json()["added"]] == presses
    files = [("files", (f"{label}.png", picture(label, 90))) for label in COLOURS]
    client.post(f"/v1/sessions/{name}/contacts", files=files)
    assert client.post("/v1/adapt", json={"session": name}).status_code == 200
    with zipfile.ZipFile(io.BytesIO(exported(client, name, "contacts.zip"))) as pictures:
        pictures.extractall(tmp_path / "contacts")
    _, adapt, predict = exported(client, name, "command.txt").decode().splitlines()
    bideta(adapt)
    bideta(predict)
    artifact = exported(client, name, "sensor.bideta")
    assert (tmp_path / "sensor.bideta").read_bytes() == artifact
    ours = exported(
        client, name, "predictions.csv"
    ).decode()  # reliabilities too: the same are held out together
    assert (tmp_path / "predictions.csv").read_text() == ours
    adapted = Bideta.load(tmp_path / "sensor.bideta")
    for c in range(3):
        assert sorted(
            np.unique(adapted.sensor_.presses[adapted.sensor_.labels == c], return_counts=True)[1]
        ) == [
            *[1] * 4,
            *[4] * 5,
        ]


def test_a_new_session_exports_the_sensor_of_the_plain_preset(client, session, bideta, tmp_path):
    with zipfile.ZipFile(io.BytesIO(exported(client, session, "contacts.zip"))) as pictures:
        pictures.extractall(tmp_path / "contacts")
    bideta("bideta adapt contacts/labelled --out plain.bideta --encoder twin-tvl")
    assert (tmp_path / "plain.bideta").read_bytes() == exported(client, session, "sensor.bideta")


def test_without_new_contacts_there_is_nothing_to_predict(client):
    sent = [("files", (f"{i}.png", picture(label, i))) for label in COLOURS for i in range(2)]
    labels = [label for label in COLOURS for _ in range(2)]
    name = client.post("/v1/adapt", data={"labels": labels}, files=sent).json()["session"]
    assert [line.split()[:2] for line in exported(client, name, "command.txt").decode().splitlines()] == [
        ["unzip", "contacts.zip"],
        ["bideta", "adapt"],
    ]


def test_the_archive_holds_only_names_of_ours(client, session):
    sent = [("files", ("../../../etc/cron.d/x\x00.png", picture("key", 3)))]
    client.post(f"/v1/sessions/{session}/contacts", files=sent)
    with zipfile.ZipFile(io.BytesIO(exported(client, session, "contacts.zip"))) as pictures:
        names = pictures.namelist()
    assert sum(name.startswith("labelled/") for name in names) == 15
    assert {name.split("/")[1] for name in names if name.startswith("labelled/")} == set(COLOURS)
    for name in names:
        assert ".." not in name.split("/")
        assert not name.startswith("/")


def test_a_label_that_looks_like_a_formula_stays_text_in_a_spreadsheet(client, session):
    contacts = client.get(f"/v1/sessions/{session}").json()["contacts"]
    for contact in [row["id"] for row in contacts if row["label"] == "bolt"]:
        client.patch(f"/v1/sessions/{session}/contacts/{contact}", json={"label": "=1+1"})
    client.post("/v1/adapt", json={"session": session})
    rows = list(csv.DictReader(io.StringIO(exported(client, session, "predictions.csv").decode())))
    assert not any(row["label"].startswith("=") for row in rows)


def test_exports_that_do_not_exist_yet_say_what_to_do(client):
    name = client.post("/v1/sessions", json={}).json()["session"]
    for what in ("sensor.bideta", "predictions.csv"):
        assert client.get(f"/v1/sessions/{name}/export/{what}").status_code == 409
    assert client.get(f"/v1/sessions/{name}/export/passwd").status_code == 404
