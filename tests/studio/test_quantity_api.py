"""Quantities over HTTP: names and units travel, and what does not fit is an answer."""

from __future__ import annotations

import numpy as np
import pytest

from bideta import load_encoder
from support.studio_server import COLOURS, picture


@pytest.fixture
def measured(client, session):
    """A session whose labelled contacts, five of each object, have a redness and a time."""
    contacts = [c for c in client.get(f"/v1/sessions/{session}").json()["contacts"] if c["label"]]
    values = {
        c["id"]: [float(COLOURS[c["label"] or c["truth"]][0]), float(i)] for i, c in enumerate(contacts)
    }
    body = {"session": session, "targets": ["red_level", "time_s"], "values": values}
    answer = client.post("/v1/quantities/adapt", json=body)
    assert answer.status_code == 200, answer.text
    return session, answer.json()


def test_values_with_units_come_back_for_contacts_and_images(client, measured):
    session, adapted = measured
    assert [(one["name"], one["unit"]) for one in adapted["targets"]] == [("red", "level"), ("time", "s")]
    assert adapted["labelled"] == 15
    stored = client.post("/v1/quantities/predict", json={"session": session}).json()["contacts"]
    assert len(stored) == 24
    red = stored[0]["values"]["red_level"]
    assert red["unit"] == "level"
    assert red["lower"] <= red["value"] <= red["upper"]
    files = [("files", (f"{name}.png", picture(name, 99))) for name in COLOURS]
    told = client.post("/v1/quantities/predict", data={"session": session}, files=files).json()["contacts"]
    found = {row["name"]: row["values"]["red_level"]["value"] for row in told}
    assert max(found, key=found.get) == "bolt.png"


def test_pictures_from_elsewhere_are_named_and_get_values_without_intervals(client, measured):
    session, _ = measured
    files = [("files", (f"{name}.png", picture(name, 99))) for name in COLOURS]
    own = client.post("/v1/quantities/predict", data={"session": session}, files=files).json()
    assert own["check"] == {"level": "fine", "kind": "", "warning": ""}
    files = [("files", (f"{name}.png", picture(name, 99, size=(24, 40)))) for name in COLOURS]
    told = client.post("/v1/quantities/predict", data={"session": session}, files=files).json()
    assert (told["check"]["level"], told["check"]["kind"]) == ("foreign", "another shape")
    assert "no intervals" in told["check"]["warning"]
    for row in told["contacts"]:
        red = row["values"]["red_level"]
        assert red["value"] is not None
        assert (red["lower"], red["upper"]) == (None, None)
    stored = client.post("/v1/quantities/predict", json={"session": session}).json()
    assert stored["check"]["level"] == "fine"
    readouts = [np.zeros((2, width)).tolist() for width in load_encoder("twin-tvl").info.readouts]
    given = client.post("/v1/quantities/predict", json={"session": session, "readouts": readouts}).json()
    assert given["check"] == {"level": "unknown", "kind": "", "warning": ""}


def test_a_wider_promise_is_wider(client, measured):
    session, _ = measured
    widths = []
    for coverage in (0.5, 0.9):
        rows = client.post("/v1/quantities/predict", json={"session": session, "coverage": coverage}).json()[
            "contacts"
        ]
        widths.append(
            np.mean([row["values"]["time_s"]["upper"] - row["values"]["time_s"]["lower"] for row in rows])
        )
    assert widths[0] < widths[1]


def test_what_does_not_fit_is_refused(client, session):
    asked = client.post("/v1/quantities/predict", json={"session": session})
    assert asked.status_code == 409
    contact = client.get(f"/v1/sessions/{session}").json()["contacts"][0]["id"]
    for targets, values in (
        (["a_mm"], {"nobody": [1.0]}),
        (["a_mm"], {}),
        (["a_mm", "b_mm"], {contact: [1.0]}),
        (["a_mm", "a_mm"], {contact: [1.0, 2.0]}),
        ([], {contact: []}),
    ):
        body = {"session": session, "targets": targets, "values": values}
        assert client.post("/v1/quantities/adapt", json=body).status_code == 422
    text = f'{{"session": "{session}", "targets": ["a"], "values": {{"{contact}": [NaN]}}}}'
    headers = {"content-type": "application/json"}
    assert client.post("/v1/quantities/adapt", content=text, headers=headers).status_code == 422


def test_readouts_of_another_encoder_are_refused(client, measured):
    session, _ = measured
    body = {"session": session, "readouts": [[[0.0] * 3]]}
    answer = client.post("/v1/quantities/predict", json=body)
    assert answer.status_code == 422
    assert "features" in answer.text


def test_errors_of_left_out_angles_go_the_short_way_round(client, session):
    contacts = client.get(f"/v1/sessions/{session}").json()["contacts"][:15]
    values = {c["id"]: [(350.0 + 2 * i) % 360] for i, c in enumerate(contacts)}
    body = {"session": session, "targets": ["turn_deg"], "periods": {"turn_deg": 360}, "values": values}
    answer = client.post("/v1/quantities/adapt", json=body)
    assert answer.status_code == 200, answer.text
    assert answer.json()["targets"][0]["left_out_error"] < 20  # all within 28°


def test_one_contact_promises_no_error(client, session):
    contact = client.get(f"/v1/sessions/{session}").json()["contacts"][0]["id"]
    body = {"session": session, "targets": ["depth_mm"], "values": {contact: [1.0]}}
    answer = client.post("/v1/quantities/adapt", json=body)
    assert answer.status_code == 200, answer.text
    assert answer.json()["targets"][0]["left_out_error"] is None
    assert client.get(f"/v1/sessions/{session}/quantities").json()["targets"][0]["left_out"] is None
