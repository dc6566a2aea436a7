"""What to label first and next, and how good the sensor was with how many labels."""

from __future__ import annotations

import numpy as np
import pytest

from bideta.deploy import hold_out, suggest
from bideta.studio import analysis
from support.studio_server import COLOURS, picture


def points(client, session):
    return client.get(f"/v1/sessions/{session}/results").json()["progress"]


def labelled_ids(client, session):
    return [c["id"] for c in client.get(f"/v1/sessions/{session}").json()["contacts"] if c["label"]]


def test_every_number_of_labels_has_one_point_and_points_taken_back_vanish(client, session):
    assert [point["labels"] for point in points(client, session)] == [15]
    first = client.get(f"/v1/sessions/{session}/suggestions").json()["contacts"][0]["id"]
    client.post("/v1/learn", json={"session": session, "contact": first, "label": "bolt"})
    assert [point["labels"] for point in points(client, session)] == [15, 16]
    client.patch(f"/v1/sessions/{session}/contacts/{first}", json={"label": None})
    taken = points(client, session)
    assert [point["labels"] for point in taken] == [15]
    assert taken == points(client, session)


def test_a_point_is_the_accuracy_on_known_new_contacts_and_on_hidden_labels(client, session):
    results = client.get(f"/v1/sessions/{session}/results").json()
    point = results["progress"][-1]
    assert point["known"] == 9
    assert point["accuracy"] == np.mean([row["label"] == row["truth"] for row in results["rows"]])
    with client.app.state.studio.sessions.use(session) as opened:
        held = hold_out(analysis.current(opened), analysis.stack(opened.queries))
    assert point["hidden"] == len(held)
    assert point["hidden_accuracy"] == held.right.mean()


def test_listed_sessions_have_counts_and_accuracy_in_memory_and_on_disk(client, session):
    client.get(f"/v1/sessions/{session}/results")
    client.delete(f"/v1/sessions/{session}/contacts/{labelled_ids(client, session)[0]}")

    def row():
        return next(row for row in client.get("/v1/sessions").json() if row["id"] == session)

    live = row()
    assert (live["labelled"], live["new"], live["accuracy"]) == (14, 9, 1.0)
    sessions = client.app.state.studio.sessions
    del sessions._live[session]
    assert row() == {**live, "used": row()["used"]}
    client.delete(f"/v1/sessions/{session}/contacts/{labelled_ids(client, session)[0]}")
    del sessions._live[session]
    assert row()["labelled"] == 13, "what was counted before it changed is forgotten"


def test_without_any_label_the_suggestions_are_those_of_the_command_line(client):
    name = client.post("/v1/sessions", json={}).json()["session"]
    for label in COLOURS:
        files = [("files", (f"{i}.png", picture(label, i))) for i in range(6)]
        client.post(f"/v1/sessions/{name}/contacts", files=files)
    said = client.get(f"/v1/sessions/{name}/suggestions").json()
    assert said["cold"] is True
    with client.app.state.studio.sessions.use(name) as opened:
        rows = suggest(analysis.stack(opened.queries), 10)
        expected = [opened.queries[row].id for row in rows]
    assert [contact["id"] for contact in said["contacts"]] == expected
    assert all(contact["likely"] == [] for contact in said["contacts"])
    client.post("/v1/learn", json={"session": name, "contact": expected[0], "label": "bolt"})
    said = client.get(f"/v1/sessions/{name}/suggestions?count=3").json()
    assert said["cold"] is False
    assert {likely["label"] for contact in said["contacts"] for likely in contact["likely"]} == {"bolt"}


def test_likely_objects_are_the_most_probable_ones_in_order(client, session):
    said = client.get(f"/v1/sessions/{session}/suggestions").json()["contacts"]
    answers = client.post("/v1/predict", json={"session": session}).json()
    proba = {row["id"]: row["proba"] for row in answers["contacts"]}
    assert len(said) == 9
    for contact in said:
        order = np.argsort(-np.array(proba[contact["id"]]), kind="stable")
        assert [one["label"] for one in contact["likely"]] == [answers["classes"][c] for c in order]
        assert [one["probability"] for one in contact["likely"]] == [proba[contact["id"]][c] for c in order]


@pytest.mark.parametrize("count", [0, 101, "many"])
def test_a_senseless_number_of_suggestions_is_refused(client, session, count):
    assert client.get(f"/v1/sessions/{session}/suggestions?count={count}").status_code == 422
