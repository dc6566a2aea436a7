"""The artifact, the command line and the API say the same."""

from __future__ import annotations

import csv
import io
import json
import shlex
import sys
import zipfile
from urllib.parse import quote

import numpy as np
import pytest
from fastapi.testclient import TestClient

from bideta import Bideta, load_encoder
from bideta.cli import main
from bideta.images.folders import image_tree
from bideta.service.encoding import encode_files
from bideta.studio.app import create_app
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


def without_original(text):
    rows = list(csv.DictReader(io.StringIO(text)))
    return [{name: value for name, value in row.items() if name != "original"} for row in rows]


EDITS = {
    "a label is taken away": lambda c, at, ids: c.patch(f"{at}/{ids['labelled']}", json={"label": None}),
    "a label is changed": lambda c, at, ids: c.patch(f"{at}/{ids['labelled']}", json={"label": "nut"}),
    "a new contact is labelled": lambda c, at, ids: c.patch(f"{at}/{ids['new']}", json={"label": "key"}),
    "a labelled contact is removed": lambda c, at, ids: c.delete(f"{at}/{ids['labelled']}"),
    "a new contact is removed": lambda c, at, ids: c.delete(f"{at}/{ids['new']}"),
    "labelled contacts come": lambda c, at, ids: c.post(
        at, files=[("files", ("x/y.png", picture("nut", 70)))], data={"labels": "nut"}
    ),
    "new contacts come": lambda c, at, ids: c.post(at, files=[("files", ("x/y.png", picture("nut", 71)))]),
    "a removed one comes back": lambda c, at, ids: (
        c.delete(f"{at}/{ids['labelled']}"),
        c.put(f"{at}/{ids['labelled']}", json={"label": "washer"}),
    )[1],
}


@pytest.mark.parametrize("edit", EDITS)
def test_what_is_shown_and_exported_is_one_state_after_every_edit(client, session, bideta, tmp_path, edit):
    at = f"/v1/sessions/{session}/contacts"
    contacts = client.get(f"/v1/sessions/{session}").json()["contacts"]
    ids = {
        kind: next(c["id"] for c in contacts if (c["label"] is None) == (kind == "new"))
        for kind in ("new", "labelled")
    }
    assert EDITS[edit](client, at, ids).status_code in (200, 204)
    results = client.get(f"/v1/sessions/{session}/results").json()
    with zipfile.ZipFile(io.BytesIO(exported(client, session, "contacts.zip"))) as pictures:
        pictures.extractall(tmp_path / "contacts")
        assert sum(name.startswith("labelled/") for name in pictures.namelist()) == len(results["support"])
    _, adapt, predict = exported(client, session, "command.txt").decode().splitlines()
    bideta(adapt)
    bideta(predict)
    assert (tmp_path / "sensor.bideta").read_bytes() == exported(client, session, "sensor.bideta")
    ours = without_original(exported(client, session, "predictions.csv").decode())
    assert ours == without_original((tmp_path / "predictions.csv").read_text())
    assert [row["label"] for row in ours] == [row["label"] for row in results["rows"]]


def test_without_any_label_left_nothing_is_exported(client, session):
    for contact in client.get(f"/v1/sessions/{session}").json()["contacts"]:
        client.patch(f"/v1/sessions/{session}/contacts/{contact['id']}", json={"label": None})
    for what in ("sensor.bideta", "predictions.csv"):
        answer = client.get(f"/v1/sessions/{session}/export/{what}")
        assert answer.status_code == 409
        assert "all labels were taken away since the last adaptation" in answer.json()["error"]


def test_the_same_pictures_are_recognised_by_content(client, session):
    at = f"/v1/sessions/{session}/contacts"
    before = client.get(f"/v1/sessions/{session}").json()["contacts"]
    fresh = picture("nut", 99)
    sent = [fresh, fresh, picture("bolt", 50)]  # the last is here, without a label
    files = [("files", (f"other name {i}.png", content)) for i, content in enumerate(sent)]
    answer = client.post(at, files=files, data={"labels": ["nut", "nut", "bolt"]}).json()
    assert [row["name"] for row in answer["added"]] == ["other name 0.png"]
    assert [row["error"] for row in answer["rejected"]] == [
        "other name 1.png is here already, as other name 0.png; skipped",
        "other name 2.png is here already, as new0.png, which is now labelled bolt; skipped",
    ]
    after = client.get(f"/v1/sessions/{session}").json()["contacts"]
    assert len(after) == len(before) + 1
    assert [c["label"] for c in after if c["name"] == "new0.png"].count("bolt") == 1
    answer = client.post(at, files=[("files", ("third.png", fresh))], data={"labels": "key"}).json()
    assert answer["added"] == []
    assert "labelled nut; it was not labelled key; skipped" in answer["rejected"][0]["error"]
    answer = client.post(at, files=[("files", ("other name 0.png", fresh))]).json()
    assert answer["rejected"][0]["error"] == "other name 0.png is here already; skipped"


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
    assert [row.pop("original") for row in ours][-1] == "../odd name 3"
    assert ours == theirs


def test_a_background_goes_with_the_sensor_to_the_command_line(bideta, tmp_path):
    background = np.random.default_rng(0).integers(0, 256, (24, 24, 3), dtype=np.uint8)
    app = create_app(tmp_path / "home", "difference:handmade", background=background)
    with TestClient(app, base_url="http://127.0.0.1") as client:
        name = client.post("/v1/sessions", json={"title": "gel"}).json()["session"]
        for label in COLOURS:
            files = [("files", (f"{i}.png", picture(label, i))) for i in range(3)]
            client.post(f"/v1/sessions/{name}/contacts", files=files, data={"labels": label})
        assert client.post("/v1/adapt", json={"session": name}).status_code == 200
        artifact = exported(client, name, "sensor.bideta")
        with zipfile.ZipFile(io.BytesIO(exported(client, name, "contacts.zip"))) as pictures:
            pictures.extractall(tmp_path / "contacts")
        _, adapt = exported(client, name, "command.txt").decode().splitlines()
    bideta(adapt)
    assert (tmp_path / "sensor.bideta").read_bytes() == artifact
    np.testing.assert_array_equal(Bideta.load(tmp_path / "sensor.bideta").sensor_.background, background)


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
    assert without_original(ours) == without_original((tmp_path / "predictions.csv").read_text())
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


def test_what_to_label_next_is_exported_for_labelling_tools(client, session):
    listed = set(zipfile.ZipFile(io.BytesIO(exported(client, session, "contacts.zip"))).namelist())
    asked = client.get(f"/v1/sessions/{session}/suggestions", params={"count": 100}).json()["contacts"]
    labels = json.loads(exported(client, session, "fiftyone.json"))["labels"]
    tasks = json.loads(exported(client, session, "label-studio.json"))
    assert len(labels) == len(tasks) == len(asked) > 0
    pictures = {task["data"]["path"] for task in tasks}
    assert pictures <= listed
    # FiftyOne lists the files below data_path without their ending; with it, it does not find them
    assert set(labels) == {picture.rpartition(".")[0] for picture in pictures}
    assert {task["data"]["image"] for task in tasks} == {
        f"/data/local-files/?d={quote(one)}" for one in pictures
    }
    guesses = [task["predictions"][0]["result"][0]["value"]["choices"] for task in tasks]
    assert guesses == [[one["likely"][0]["label"]] for one in asked]
    assert [label["confidence"] for label in labels.values()] == pytest.approx(
        [one["likely"][0]["probability"] for one in asked], abs=1e-6
    )
