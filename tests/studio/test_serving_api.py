from __future__ import annotations

import numpy as np
import pytest

from bideta import Bideta, load_encoder
from bideta.images.batch_check import BatchCheck
from bideta.service.answers import TOO_FEW
from support.studio_server import COLOURS, labelled, picture


def files(*contents, name="a.png"):
    return [("files", (name, content)) for content in contents]


@pytest.mark.parametrize("label", ["３", "٣", "१", "3a３", "Ⅷ"])
def test_a_label_in_digits_of_another_script_leaves_the_session_usable(client, session, label):
    first = client.post("/v1/predict", json={"session": session}).json()["contacts"][0]["id"]
    answer = client.post("/v1/learn", json={"session": session, "contact": first, "label": label})
    assert answer.status_code == 200
    assert label in answer.json()["classes"]
    assert client.get(f"/v1/sessions/{session}").status_code == 200
    assert client.get(f"/v1/sessions/{session}/results").status_code == 200


def test_large_json_waits_in_the_queue_as_arrays_and_is_read_one_at_a_time(client, session):
    rows = [[[0.0] * 128] * 300, [[0.0] * 256] * 300]
    answer = client.post("/v1/rank", json={"session": session, "readouts": rows, "top": 2})
    assert answer.status_code == 200
    assert len(answer.json()["contacts"]) == 300
    ragged = [[[0.0] * 40_000, [0.0]], [[0.0]]]
    answer = client.post("/v1/predict", json={"session": session, "readouts": ragged})
    assert answer.status_code == 422
    assert "rows of equal length" in answer.json()["error"]
    assert not client.app.state.studio.parsing.locked()


@pytest.mark.parametrize("top", ["9" * 5000, "３", "-1", "0", "1001", "1e3", " 3"])
def test_a_top_that_is_no_number_from_1_to_1000_is_refused(client, session, top):
    sent = [("files", ("a.png", picture("key", 3)))]
    answer = client.post("/v1/rank", data={"session": session, "top": top}, files=sent)
    assert answer.status_code == 422
    assert "expected a number from 1 to 1000" in answer.json()["error"]


def test_adapt_predict_and_rank_answer_the_sessions_contacts(client, session):
    answer = client.post("/v1/predict", json={"session": session}).json()
    assert answer["classes"] == sorted(COLOURS)
    for row in answer["contacts"]:
        assert abs(sum(row["proba"]) - 1) < 1e-9
        assert 0 <= row["reliability"] <= 1
        assert row["label"] == answer["classes"][int(np.argmax(row["proba"]))]
    ranking = client.post("/v1/rank", json={"session": session, "top": 2}).json()["contacts"]
    assert [row["ranking"][0] for row in ranking] == [row["label"] for row in answer["contacts"]]
    assert {len(row["ranking"]) for row in ranking} == {2}


def test_images_in_a_form_are_answered_as_the_library_would_and_not_stored(client, session, tmp_path):
    pictures = [picture(name, 70 + i) for name in COLOURS for i in range(4)]
    answer = client.post("/v1/predict", data={"session": session}, files=files(*pictures)).json()
    (tmp_path / "sensor.bideta").write_bytes(
        client.get(f"/v1/sessions/{session}/export/sensor.bideta").content
    )
    from bideta.images.reading import read_image

    frames = []
    for i, content in enumerate(pictures):
        (tmp_path / f"{i}.png").write_bytes(content)
        frames.append(read_image(tmp_path / f"{i}.png"))
    expected = Bideta.load(tmp_path / "sensor.bideta").predict_proba(
        load_encoder("twin-tvl", threads=1).encode(frames)
    )
    np.testing.assert_array_equal([row["proba"] for row in answer["contacts"]], expected)
    assert len(client.get(f"/v1/sessions/{session}").json()["contacts"]) == 24


def test_readouts_of_the_callers_own_encoder_are_answered(client, session):
    rng = np.random.default_rng(0)
    given = [rng.normal(size=(5, d)).tolist() for d in (128, 256)]
    answer = client.post("/v1/predict", json={"session": session, "readouts": given}).json()
    assert len(answer["contacts"]) == 5


def test_one_form_adapts_a_new_sensor(client):
    pictures = [(label, content) for label, contents in labelled().items() for content in contents]
    answer = client.post(
        "/v1/adapt",
        data={"labels": [label for label, _ in pictures]},
        files=files(*(content for _, content in pictures)),
    ).json()
    assert answer["labelled"] == 15
    assert (
        client.post(
            "/v1/predict", data={"session": answer["session"]}, files=files(picture("key", 9))
        ).status_code
        == 200
    )


def test_frames_of_one_press_are_suggested_once_and_held_out_together(client, tmp_path):
    data = {"labels": ["key"] * 4 + ["nut"] * 4, "presses": ["a", "a", "", "", "a", "a", "b", "b"]}
    sent = files(*(picture(label, i) for i, label in enumerate(data["labels"])))
    name = client.post("/v1/adapt", data=data, files=sent).json()["session"]
    saved = client.get(f"/v1/sessions/{name}/export/sensor.bideta").content
    (tmp_path / "sensor.bideta").write_bytes(saved)
    assert Bideta.load(tmp_path / "sensor.bideta").sensor_.presses.tolist() == [0, 1, 2, 2, 3, 3, 4, 4]
    sent = files(*(picture("key", 20 + i) for i in range(5)))
    client.post(f"/v1/sessions/{name}/contacts", data={"presses": ["c", "c", "c", "d", "d"]}, files=sent)
    found = client.get(f"/v1/sessions/{name}/results").json()
    contacts = client.get(f"/v1/sessions/{name}").json()["contacts"]
    press = {contact["id"]: contact["press"] for contact in contacts}
    assert sorted(press[one] for one in found["suggestions"]) == ["c", "d"]
    assert client.post("/v1/adapt", json={"session": name}).json()["presses"] == 5
    wrong = client.post("/v1/adapt", data={"labels": "key", "press": "a"}, files=sent)
    assert wrong.status_code == 422
    assert "a field of another name; expected files, labels, presses, " in wrong.json()["error"]
    wrong = client.post("/v1/adapt", data={"labels": "key", "presses": ["a", "b"]}, files=sent)
    assert wrong.status_code == 422
    assert "5 files and 2 fields 'presses'" in wrong.json()["error"]


def test_a_preset_brings_its_own_prior_unless_one_is_given(client, session):
    def settings():
        view = client.get(f"/v1/sessions/{session}").json()
        return view["preset"], view["prior"]

    assert settings() == ("touch", "relaxed")
    for asked, kept in (
        ({"prior": "none"}, ("touch", "none")),
        ({}, ("touch", "none")),
        ({"preset": "ranking"}, ("ranking", "support")),
        ({"preset": "robot"}, ("robot", "auto")),
        ({"preset": "classification", "prior": "auto"}, ("classification", "auto")),
    ):
        assert client.post("/v1/adapt", json={"session": session, **asked}).status_code == 200
        assert settings() == kept
        line = client.get(f"/v1/sessions/{session}/export/command.txt").text.splitlines()[1]
        assert line.endswith(" --preset {} --prior {}".format(*kept))


def test_learning_moves_a_contact_to_the_support_and_may_enrol_a_class(client, session):
    contact = client.post("/v1/predict", json={"session": session}).json()["contacts"][0]["id"]
    answer = client.post("/v1/learn", json={"session": session, "contact": contact, "label": "washer"}).json()
    assert answer["classes"] == ["bolt", "key", "nut", "washer"]
    assert (answer["labelled"], answer["unlabelled"]) == (16, 8)
    answer = client.post(
        "/v1/learn", data={"session": session, "label": "gear"}, files=files(picture("nut", 5))
    ).json()
    assert "gear" in answer["classes"]


def test_results_hold_everything_the_page_shows(client, session):
    results = client.get(f"/v1/sessions/{session}/results").json()
    assert len(results["rows"]) == 9
    assert len(results["support"]) == 15
    assert max(abs(x) for row in results["rows"] + results["support"] for x in row["place"]) <= 1
    methods = {method["name"]: method for method in results["methods"]}
    assert set(methods) == {"bideta", "anchor", "simpleshot"}
    for method in methods.values():
        confusion = np.array(method["confusion"])
        assert confusion.sum() == method["known"] == 9
        assert method["accuracy"] == pytest.approx(np.trace(confusion) / 9)
    assert [len(readout["values"]) + readout["n_rest"] for readout in results["gains"]] == [128, 256]
    assert set(results["suggestions"]) <= {row["id"] for row in results["rows"]}


def test_frames_of_one_press_get_one_answer_as_well(client, session):
    sent = files(*(picture(name, 40 + i) for name in ("key", "nut") for i in range(3)))
    said = {"presses": ["p"] * 3 + ["q"] * 3, "truths": ["key"] * 3 + ["nut"] * 3}
    client.post(f"/v1/sessions/{session}/contacts", data=said, files=sent)
    frames = client.post("/v1/predict", json={"session": session}).json()["contacts"][-6:]
    classes = sorted(COLOURS)
    expected = [
        classes[int(np.log([row["proba"] for row in press]).sum(axis=0).argmax())]
        for press in (frames[:3], frames[3:])
    ]
    told = [
        client.get(f"/v1/sessions/{session}/contacts/{row['id']}/explain").json()["press"] for row in frames
    ]
    assert told == [expected[0]] * 3 + [expected[1]] * 3
    methods = client.get(f"/v1/sessions/{session}/results").json()["methods"]
    per_press = next(method for method in methods if method["name"] == "press")
    assert per_press["known"] == 15
    right = np.array(per_press["confusion"])
    assert per_press["accuracy"] == pytest.approx(np.trace(right) / 15)


def test_an_explanation_is_consistent_with_the_prediction(client, session):
    row = client.post("/v1/predict", json={"session": session}).json()["contacts"][4]
    why = client.get(f"/v1/sessions/{session}/contacts/{row['id']}/explain").json()
    assert why["final"] == row["proba"]
    assert why["label"] == row["label"]
    assert why["press"] is None
    assert why["r_min"] <= why["gate"] <= why["r_max"]
    assert [len(list_) for list_ in why["neighbours"]] == [6, 6]
    for near in why["neighbours"]:
        assert row["id"] not in [other["id"] for other in near]
        assert [other["value"] for other in near] == sorted((other["value"] for other in near), reverse=True)
    assert all(other["label"] in COLOURS for list_ in why["labelled"] for other in list_)


def test_pictures_are_png_of_ours_whatever_was_uploaded(client):
    name = client.post("/v1/sessions", json={}).json()["session"]
    added = client.post(f"/v1/sessions/{name}/contacts", files=files(picture("bolt", 0, "TIFF"))).json()[
        "added"
    ]
    answer = client.get(f"/v1/sessions/{name}/contacts/{added[0]['id']}/image")
    assert answer.headers["content-type"] == "image/png"
    assert answer.content.startswith(b"\x89PNG")


def test_bad_files_are_named_and_good_ones_stored(client):
    name = client.post("/v1/sessions", json={}).json()["session"]
    sent = [("files", ("notes.txt", b"hello")), ("files", ("good.png", picture("bolt", 0)))]
    answer = client.post(f"/v1/sessions/{name}/contacts", files=sent, data={"labels": ["key", "bolt"]}).json()
    assert [row["name"] for row in answer["rejected"]] == ["notes.txt"]
    assert [(row["name"], row["label"]) for row in answer["added"]] == [("good.png", "bolt")]


@pytest.mark.parametrize(
    ("path", "body", "status", "says"),
    [
        ("/v1/adapt", {"session": "0" * 32}, 404, "no such session"),
        ("/v1/adapt", {"session": "../../etc"}, 404, "no such session"),
        ("/v1/adapt", {"session": 7}, 422, "session"),
        ("/v1/adapt", {"session": "0" * 32, "extra": 1}, 422, "extra"),
        ("/v1/adapt", {"session": "0" * 32, "prior": "flat"}, 422, "'auto', 'support', 'none' or 'mixed'"),
        ("/v1/adapt", [], 422, "valid dictionary"),
        ("/v1/predict", {}, 422, "session: Field required"),
        ("/v1/rank", {"session": "0" * 32, "top": 0}, 422, "top"),
        ("/v1/learn", {"session": "0" * 32, "contact": "x", "label": "y"}, 404, "no such session"),
        ("/v1/example", {"sensor": "../Hex"}, 422, "unknown sensor"),
        ("/v1/sessions", {"title": "x" * 300}, 422, "title"),
    ],
)
def test_requests_that_make_no_sense_get_one_readable_line(client, path, body, status, says):
    answer = client.post(path, json=body)
    assert answer.status_code == status
    assert says in answer.json()["error"]


@pytest.mark.parametrize("body", [b"", b"{", b"nope", b"[" * 100_000, b"\xff\xfe", b'{"session": NaN}'])
def test_invalid_json_is_said_to_be_so(client, body):
    answer = client.post("/v1/predict", content=body, headers={"content-type": "application/json"})
    assert answer.status_code == 422
    assert "Traceback" not in answer.text


def test_states_that_do_not_fit_are_explained(client):
    name = client.post("/v1/sessions", json={}).json()["session"]
    assert "no labelled contacts" in client.post("/v1/adapt", json={"session": name}).json()["error"]
    answer = client.post("/v1/predict", json={"session": name})
    assert answer.status_code == 409
    assert "not adapted yet" in answer.json()["error"]


def test_a_form_that_fails_leaves_no_session_behind(client):
    before = client.get("/healthz").json()["sessions"]
    answer = client.post("/v1/adapt", data={"labels": "bolt"}, files=files(b"no image"))
    assert answer.status_code == 422
    assert "cannot read a.png" in answer.json()["error"]
    assert (
        client.post("/v1/adapt", data={"labels": "../x"}, files=files(picture("bolt", 0))).status_code == 422
    )
    assert client.get("/healthz").json()["sessions"] == before


def test_readouts_of_another_width_are_refused(client, session):
    for given in ([[[1.0]], [[1.0]]], [[[1.0, 2.0], [3.0]], [[1.0]]], [[], []], [[[1.0]]]):
        answer = client.post("/v1/predict", json={"session": session, "readouts": given})
        assert answer.status_code == 422, given
        assert "readouts" in answer.json()["error"]


def test_one_class_and_one_query_still_answer(client):
    answer = client.post(
        "/v1/adapt", data={"labels": "bolt"}, files=files(picture("bolt", 0), picture("bolt", 1))
    ).json()
    name = answer["session"]
    client.post(f"/v1/sessions/{name}/contacts", files=files(picture("key", 0)))
    results = client.get(f"/v1/sessions/{name}/results").json()
    assert results["rows"][0]["label"] == "bolt"
    assert "single class" in results["unavailable"]["SimpleShot"]
    why = client.get(f"/v1/sessions/{name}/contacts/{results['rows'][0]['id']}/explain").json()
    assert why["neighbours"] == [[], []]
    assert len(why["labelled"][0]) == 2
    answer = client.post("/v1/adapt", json={"session": name, "preset": "classification"})
    assert answer.status_code == 200
    why = client.get(f"/v1/sessions/{name}/contacts/{results['rows'][0]['id']}/explain").json()
    assert not why["joint"], "without its labelled contacts a single one has nobody to ask"


def test_the_description_names_every_route_and_has_examples(client):
    description = client.get("/openapi.json").json()
    for path in ("/v1/adapt", "/v1/predict", "/v1/rank", "/v1/learn", "/healthz", "/metrics"):
        assert path in description["paths"]
    body = description["paths"]["/v1/predict"]["post"]["requestBody"]["content"]
    assert set(body) == {"application/json", "multipart/form-data"}
    assert description["components"]["schemas"]["Prediction"]["properties"]["label"]["examples"] == ["bolt"]


def test_metrics_count_by_route_not_by_what_clients_type(client, session):
    client.get("/v1/nonsense%22%0A%7Bevil%3D%221%22%7D")
    text = client.get("/metrics").text
    assert 'bideta_requests_total{route="/v1/adapt",status="200"}' in text
    assert "bideta_compute_slots" in text
    assert "nonsense" not in text
    assert session not in text


@pytest.mark.parametrize("field", ["labels", "truths", "presses"])
def test_texts_are_one_for_all_files_or_one_each(client, field):
    files = [("files", (f"{i}.png", picture("bolt", i))) for i in range(3)]
    for texts, kept in ((["a"], ["a"] * 3), (["a", "", "b"], ["a", None, "b"])):
        name = client.post("/v1/sessions", json={}).json()["session"]  # a new one: copies are skipped
        answer = client.post(f"/v1/sessions/{name}/contacts", files=files, data={field: texts})
        assert [
            row[field.removesuffix("es" if field == "presses" else "s")] for row in answer.json()["added"]
        ] == kept
    answer = client.post(f"/v1/sessions/{name}/contacts", files=files, data={field: ["a", "b"]})
    assert answer.status_code == 422
    assert answer.json()["error"] == f"3 files and 2 fields '{field}': expected one for all, or one each"


def test_images_of_another_sensor_get_labels_a_reason_and_no_reliability(client, session):
    for size, level in (((24, 20), "fine"), ((40, 20), "foreign")):
        sent = files(*(picture(name, 70, size=size) for name in COLOURS))
        answer = client.post("/v1/predict", data={"session": session}, files=sent).json()
        assert answer["check"]["level"] == level
        rows = answer["contacts"]
        assert all((row["reliability"] is None) == (level == "foreign") for row in rows)
        assert all(row["label"] in COLOURS for row in rows)


def test_objects_that_were_never_enrolled_are_named_to_predict_and_rank(client, session, monkeypatch):
    found = BatchCheck("shifted", "many of these contacts were never enrolled", "strangers")
    monkeypatch.setattr("bideta.deploy.trust.intervals.check_strangers", lambda *arguments: found)
    for route in ("predict", "rank"):
        sent = files(*(picture(name, 70) for name in COLOURS))
        answer = client.post(f"/v1/{route}", data={"session": session}, files=sent).json()
        assert answer["check"] == found.facts()
    assert {
        row["reliability"]
        for row in client.post(
            "/v1/predict", data={"session": session}, files=files(picture("bolt", 70))
        ).json()["contacts"]
    } == {None}


def test_the_answer_says_why_it_has_no_reliability(client, session):
    def ask(name):
        sent = files(*(picture(label, 70) for label in COLOURS))
        return client.post("/v1/predict", data={"session": name}, files=sent).json()

    assert ask(session)["no_reliability"] == ""
    sent = files(*(picture(label, i) for label in COLOURS for i in range(4)))
    given = {
        "labels": [label for label in COLOURS for _ in range(4)],
        "presses": [str(i // 2) for _ in COLOURS for i in range(4)],
    }
    adapted = client.post("/v1/adapt", data=given, files=sent).json()
    assert adapted["presses"] == 6
    answer = ask(adapted["session"])
    assert {row["reliability"] for row in answer["contacts"]} == {None}
    assert answer["no_reliability"] == f"6 labelled presses {TOO_FEW}"
    sent = files(*(picture(label, 70, size=(40, 20)) for label in COLOURS))
    answer = client.post("/v1/predict", data={"session": session}, files=sent).json()
    assert answer["no_reliability"] == answer["check"]["warning"] != ""
    described = client.get("/openapi.json").json()["components"]["schemas"]["Predictions"]
    assert "no_reliability" in described["properties"]
    assert "no_reliability" not in described["required"]
