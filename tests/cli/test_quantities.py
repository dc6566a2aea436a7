"""Quantities on the command line: adapt, predict, evaluate, suggest, inspect; classes and quantities in one file."""

from __future__ import annotations

import csv
import shutil

import numpy as np
import pytest
from PIL import Image

from bideta import Bideta, BidetaRegressor

pytest.importorskip("matplotlib")
HANDMADE = ("--encoder", "handmade")


def picture(size: float, across: float, rng: np.random.Generator) -> Image.Image:
    """A disc whose size is the depth, at a place across the picture."""
    y, x = np.mgrid[:48, :48] / 48
    disc = np.hypot(x - across, y - 0.5) < size
    pixels = np.where(disc[..., None], (220, 180, 60), (40, 60, 90)) + rng.normal(0, 3, (48, 48, 3))
    return Image.fromarray(np.clip(pixels, 0, 255).astype(np.uint8))


def write_contacts(home, name: str, n: int, seed: int):
    """``name``/{round,late}/*.png and ``name``/targets.csv; classes are the halves of the picture."""
    rng = np.random.default_rng(seed)
    rows = []
    for i in range(n):
        depth, across = rng.uniform(0.5, 2.0), rng.uniform(0.3, 0.7)
        label = "left" if across < 0.5 else "right"
        folder = home / name / label
        folder.mkdir(parents=True, exist_ok=True)
        picture(depth / 8, across, rng).save(folder / f"{i:03d}.png")
        rows.append(
            (f"{label}/{i:03d}.png", "train" if i % 3 else "test", f"{depth:.4f}", f"{20 * across:.4f}")
        )
    with (home / name / "targets.csv").open("w", newline="") as file:
        csv.writer(file).writerows([("path", "split", "depth_mm", "x_mm"), *rows])
    return home / name


@pytest.fixture(scope="module")
def home(tmp_path_factory):
    home = tmp_path_factory.mktemp("quantities")
    write_contacts(home, "known", 45, 0)
    write_contacts(home, "new", 20, 1)
    return home


@pytest.fixture
def sensor(home, bideta):
    path = home / "disc.bideta"
    if not path.exists():
        code, said = bideta(
            "adapt", home / "known", "--targets", home / "known" / "targets.csv", "-o", path, *HANDMADE
        )
        assert code == 0, said
        assert "depth_mm, x_mm from 45 labelled images" in said
        assert "depth: mean error" in said
    return path


def rows_of(path):
    with path.open(newline="") as file:
        return list(csv.DictReader(file))


def test_predict_writes_value_lower_and_upper_of_every_quantity(home, sensor, bideta, tmp_path):
    out = tmp_path / "answers.csv"
    code, said = bideta("predict", sensor, home / "new", "-o", out)
    assert code == 0, said
    assert "depth_mm, x_mm of 20 images" in said
    rows = rows_of(out)
    names = ("depth_mm", "depth_mm_lower", "depth_mm_upper", "x_mm", "x_mm_lower", "x_mm_upper")
    assert tuple(rows[0]) == ("path", *names)
    truth = {row["path"]: float(row["depth_mm"]) for row in rows_of(home / "new" / "targets.csv")}
    errors = [abs(float(row["depth_mm"]) - truth[row["path"]]) for row in rows]
    assert np.mean(errors) < 0.2
    assert all(
        float(row["depth_mm_lower"]) <= float(row["depth_mm"]) <= float(row["depth_mm_upper"]) for row in rows
    )


def test_predict_does_not_answer_what_is_too_wide_or_foreign(home, sensor, bideta, tmp_path):
    out = tmp_path / "answers.csv"
    code, said = bideta("predict", sensor, home / "new", "-o", out, "--widest", "depth_mm=0.000001")
    assert code == 0, said
    assert {row["depth_mm"] for row in rows_of(out)} == {"don't know"}
    assert "don't know" not in {row["x_mm"] for row in rows_of(out)}
    assert "depth_mm, x_mm of 20 images; 20 of depth_mm not answered\n" in said
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    rng = np.random.default_rng(0)
    for i in range(6):
        Image.fromarray(rng.integers(0, 255, (48, 48, 3), np.uint8)).save(elsewhere / f"{i}.png")
    code, said = bideta("predict", sensor, elsewhere, "-o", out, "--novelty", "0.05")
    assert code == 0, said
    assert "they come from elsewhere" in said
    assert {row["depth_mm"] for row in rows_of(out)} == {"unknown"}
    assert "of 6 images; 6 of depth_mm, 6 of x_mm not answered\n" in said
    assert min(float(row["strangeness"]) for row in rows_of(out)) > 1


def test_foreign_pictures_are_named_and_get_values_without_intervals(home, sensor, bideta, tmp_path):
    out, table = tmp_path / "answers.csv", tmp_path / "bgr" / "targets.csv"
    for path in (home / "new").rglob("*.png"):
        there = tmp_path / "bgr" / path.relative_to(home / "new")
        there.parent.mkdir(parents=True, exist_ok=True)
        Image.fromarray(np.asarray(Image.open(path))[..., ::-1]).save(there)
    table.write_bytes((home / "new" / "targets.csv").read_bytes())
    code, said = bideta("predict", sensor, home / "new", "-o", out)
    assert code == 0, said
    assert "look like BGR" not in said
    code, said = bideta("predict", sensor, tmp_path / "bgr", "-o", out)
    assert code == 0, said
    assert said.count("these look like BGR") == 1
    assert "no intervals are given" in " ".join(said.split())
    assert "reliability" not in said
    assert "one labelled press" not in said
    for row in rows_of(out):
        assert np.isfinite(float(row["depth_mm"]))
        assert (row["depth_mm_lower"], row["depth_mm_upper"], row["x_mm_upper"]) == ("", "", "")
    code, said = bideta("predict", sensor, tmp_path / "bgr", "-o", out, "--widest", "depth_mm=1000")
    assert code == 0, said
    assert {row["depth_mm"] for row in rows_of(out)} == {"don't know"}
    code, said = bideta("evaluate", sensor, tmp_path / "bgr", "--targets", table)
    assert code == 0, said
    assert "these look like BGR" in said
    both = tmp_path / "both.bideta"
    known = home / "known" / "targets.csv"
    code, said = bideta("adapt", home / "known", "--labels", "--targets", known, "-o", both, *HANDMADE)
    assert code == 0, said
    code, said = bideta("predict", both, tmp_path / "bgr", "-o", out)
    assert code == 0, said
    assert said.count("these look like BGR") == 1
    assert {(row["reliability"], row["depth_mm_lower"]) for row in rows_of(out)} == {("", "")}
    code, said = bideta("predict", both, home / "new", "-o", out, "--widest", "depth_mm=0.000001")
    assert code == 0, said
    assert "20 images labelled; 20 of depth_mm not answered\n" in said


def test_evaluate_prints_errors_with_units_and_draws(home, sensor, bideta, tmp_path):
    drawn = tmp_path / "scatter.png"
    table = home / "new" / "targets.csv"
    code, said = bideta(
        "evaluate", sensor, home / "new", "--targets", table, "--picture", drawn, "--coverage", 0.8
    )
    assert code == 0, said
    for word in ("MAE", "RMSE", "R²", "held by 80% intervals", "width", "mm"):
        assert word in said
    with Image.open(drawn) as shown:
        assert shown.width > 300
    code, said = bideta("evaluate", sensor, home / "known", "--targets", "targets.csv", "--split", "test")
    assert code == 0, said
    assert "15 images" in said
    assert "look foreign (5% would be usual)" in said


def test_evaluate_takes_a_table_that_knows_some_of_the_quantities(home, sensor, bideta, tmp_path):
    rows = rows_of(home / "new" / "targets.csv")
    table = tmp_path / "some.csv"
    with table.open("w", newline="") as file:
        csv.writer(file).writerows([("path", "x_mm"), *((row["path"], row["x_mm"]) for row in rows)])
    code, whole = bideta("evaluate", sensor, home / "new", "--targets", home / "new" / "targets.csv")
    assert code == 0, whole
    code, said = bideta("evaluate", sensor, home / "new", "--targets", table)
    assert code == 0, said
    assert "not in the table: depth_mm" in said
    (row,) = [line for line in whole.splitlines() if line.startswith("x ")]
    assert row.split() in [line.split() for line in said.splitlines()]
    table.write_text(table.read_text().replace("x_mm", "x_cm"))
    code, said = bideta("evaluate", sensor, home / "new", "--targets", table)
    assert code == 2
    assert "the table has no column depth_mm, x_mm; it has x_cm" in said


def test_evaluate_says_which_images_the_sensor_was_adapted_from(home, sensor, bideta):
    code, said = bideta("evaluate", sensor, home / "known", "--targets", "targets.csv")
    assert code == 0, said
    assert "adapted from 45 of these 45 images, which flatters" in said
    assert "flatters" not in bideta("evaluate", sensor, home / "new", "--targets", "targets.csv")[1]


def test_suggest_names_pictures_and_what_is_known_of_them(home, sensor, bideta, tmp_path):
    out = tmp_path / "next.csv"
    code, said = bideta("suggest", home / "new", "--sensor", sensor, "--budget", 3, "--csv", out)
    assert code == 0, said
    assert "guess: depth" in said
    assert "labelled contacts settle" in said
    assert len({row["path"] for row in rows_of(out)}) == 3


def test_inspect_shows_quantities(sensor, bideta):
    code, said = bideta("inspect", sensor)
    assert code == 0, said
    assert "measured contacts  45" in said
    assert "depth_mm" in said
    assert "labelled from" in said


def test_one_file_answers_classes_and_quantities(home, bideta, tmp_path):
    both, out = tmp_path / "both.bideta", tmp_path / "answers.csv"
    table = home / "known" / "targets.csv"
    code, said = bideta("adapt", home / "known", "--labels", "--targets", table, "-o", both, *HANDMADE)
    assert code == 0, said
    assert "2 classes" in said
    code, said = bideta("predict", both, home / "new", "-o", out)
    assert code == 0, said
    rows = rows_of(out)
    assert {"label", "reliability", "depth_mm", "x_mm_upper"} <= set(rows[0])
    assert np.mean([row["path"].startswith(row["label"]) for row in rows]) > 0.7
    code, said = bideta("inspect", both)
    assert code == 0, said
    assert "classes" in said
    assert "measured contacts" in said
    assert Bideta.load(both).classes_.tolist() == ["left", "right"]
    assert BidetaRegressor.load(both).targets == ["depth_mm", "x_mm"]


@pytest.mark.parametrize("also", [(), ("--labels",)], ids=["quantities", "both"])
def test_quantities_are_seen_against_the_background_of_their_file(home, bideta, tmp_path, also):
    """An offset of a few grey values on all pictures and on the background of today changes nothing."""
    sensor, table = tmp_path / "disc.bideta", home / "known" / "targets.csv"
    Image.new("RGB", (48, 48), (40, 60, 90)).save(tmp_path / "empty.png")
    options = ("--encoder", "difference:handmade", "--background", tmp_path / "empty.png")
    code, said = bideta("adapt", home / "known", "--targets", table, "-o", sensor, *also, *options)
    assert code == 0, said
    kept = BidetaRegressor.load(sensor).sensor_.background
    np.testing.assert_array_equal(kept, np.full((48, 48, 3), (40, 60, 90)))
    code, said = bideta("inspect", sensor, "--background-picture", tmp_path / "kept.png")
    assert code == 0, said
    np.testing.assert_array_equal(np.asarray(Image.open(tmp_path / "kept.png")), kept)
    code, said = bideta("predict", sensor, home / "new", "-o", tmp_path / "a.csv")
    assert code == 0, said
    truth = {row["path"]: float(row["depth_mm"]) for row in rows_of(home / "new" / "targets.csv")}
    rows = rows_of(tmp_path / "a.csv")
    assert np.mean([abs(float(row["depth_mm"]) - truth[row["path"]]) for row in rows]) < 0.2
    for path in (home / "new").rglob("*.png"):
        there = tmp_path / "bright" / path.relative_to(home / "new")
        there.parent.mkdir(parents=True, exist_ok=True)
        Image.fromarray(np.asarray(Image.open(path)) + np.uint8(5)).save(there)
    Image.new("RGB", (48, 48), (45, 65, 95)).save(tmp_path / "today.png")
    today = ("--background", tmp_path / "today.png")
    code, said = bideta("predict", sensor, tmp_path / "bright", "-o", tmp_path / "b.csv", *today)
    assert code == 0, said
    assert [row["depth_mm"] for row in rows_of(tmp_path / "b.csv")] == [row["depth_mm"] for row in rows]
    code, said = bideta(
        "evaluate", sensor, tmp_path / "bright", "--targets", home / "new" / "targets.csv", *today
    )
    assert code == 0, said
    code, said = bideta("suggest", home / "new", "--sensor", sensor, "--budget", 2)
    assert code == 0, said


def test_quantities_of_differences_to_untouched_frames_are_remembered(home, bideta, tmp_path):
    for name in ("known", "new"):
        shutil.copytree(home / name, tmp_path / name)
        for label in ("left", "right"):
            place = tmp_path / f"{name}-untouched" / label
            place.mkdir(parents=True)
            Image.new("RGB", (48, 48), (40, 60, 90)).save(place / "0.png")
    sensor, table = tmp_path / "disc.bideta", tmp_path / "known" / "targets.csv"
    code, said = bideta(
        "adapt", tmp_path / "known", "--targets", table, "-o", sensor, "--minus-untouched", *HANDMADE
    )
    assert code == 0, said
    with_own, with_kept = tmp_path / "a.csv", tmp_path / "b.csv"
    code, said = bideta("predict", sensor, tmp_path / "new", "-o", with_own)
    assert code == 0, said
    assert "no untouched frames" not in said
    code, said = bideta("predict", sensor, home / "new", "-o", with_kept)
    assert code == 0, said
    assert (
        "no untouched frames" in said
    )  # the median of the untouched frames is in the file, and the same picture here
    assert rows_of(with_own) == rows_of(with_kept)
    code, said = bideta(
        "adapt", tmp_path / "new", "--targets", table, "-o", sensor, "--minus-untouched", *HANDMADE
    )
    assert code != 0
    assert "is not inside" in said


def test_classes_may_come_from_the_column_label(home, bideta, tmp_path):
    table, both = tmp_path / "manifest.csv", tmp_path / "both.bideta"
    rows = rows_of(home / "known" / "targets.csv")
    with table.open("w", newline="") as file:
        listed = [
            (home / "known" / row["path"], "" if i == 0 else f"half {row['path'][0]}", row["depth_mm"])
            for i, row in enumerate(rows)
        ]
        csv.writer(file).writerows([("path", "label", "depth_mm"), *listed])
    code, said = bideta("adapt", home, "--labels", "--targets", table, "-o", both, *HANDMADE)
    assert code == 0, said
    assert "2 classes of the column label" in said
    assert Bideta.load(both).classes_.tolist() == ["half l", "half r"]
    assert len(Bideta.load(both).sensor_.labels) == 44
    assert len(BidetaRegressor.load(both).sensor_.values) == 45


def test_a_manifest_without_labels_is_a_table_of_quantities(home, bideta, tmp_path):
    by_folder, by_manifest = tmp_path / "folder.bideta", tmp_path / "manifest.bideta"
    table = home / "known" / "targets.csv"
    assert bideta("adapt", home / "known", "--targets", table, "-o", by_folder, *HANDMADE)[0] == 0
    code, said = bideta("adapt", table, "-o", by_manifest, *HANDMADE)
    assert code == 0, said
    assert by_manifest.read_bytes() == by_folder.read_bytes()
    code, said = bideta("evaluate", by_manifest, table)
    assert code == 0, said
    assert "RMSE" in said


def test_a_number_is_read_as_a_spreadsheet_would(home, bideta, tmp_path):
    (tmp_path / "a.csv").write_text("path,depth_mm\na.png,1_0\n")
    code, said = bideta("adapt", tmp_path / "a.csv", *HANDMADE)
    assert code == 2
    assert "line 2: depth_mm is '1_0', expected a number such as 1.25" in said


def test_an_angle_is_declared_by_its_period(home, bideta, tmp_path):
    path = tmp_path / "turn.bideta"
    table = tmp_path / "turn.csv"
    rows = rows_of(home / "known" / "targets.csv")
    with table.open("w", newline="") as file:
        turns = [(home / "known" / row["path"], 18 * float(row["x_mm"])) for row in rows]
        csv.writer(file).writerows([("path", "turn_deg"), *turns])
    code, said = bideta("adapt", home, "--targets", table, "--period", "turn_deg=360", "-o", path, *HANDMADE)
    assert code == 0, said
    assert BidetaRegressor.load(path).periods == {"turn_deg": 360.0}


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("--labels",), "go with --targets"),
        (("--split", "test"), "go with --targets"),
        (("--targets", "no.csv"), "no table"),
        (("--targets", "targets.csv", "--split", "val"), "its splits are"),
        (("--targets", "targets.csv", "--period", "turn_deg"), "expected name=number"),
        (("--targets", "targets.csv", "--period", "turn_deg=360"), "periods names 'turn_deg'"),
        (("--targets", "targets.csv", "--tune"), "it needs --labels"),
    ],
)
def test_adapt_refuses_what_does_not_go_together(home, bideta, tmp_path, arguments, message):
    code, said = bideta("adapt", home / "known", "-o", tmp_path / "a.bideta", *HANDMADE, *arguments)
    assert code == 2
    assert message in said
    assert not (tmp_path / "a.bideta").exists()


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("--widest", "tilt_deg=1"), "the sensor answers depth_mm, x_mm"),
        (("--risk", "0.1"), "--risk is about labels"),
        (("--by", "press"), "quantities change within a press"),
        (("--coverage", "2"), "--coverage=2"),
    ],
)
def test_predict_refuses_what_does_not_fit_quantities(home, sensor, bideta, tmp_path, arguments, message):
    code, said = bideta("predict", sensor, home / "new", "-o", tmp_path / "a.csv", *arguments)
    assert code == 2
    assert message in said


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("name,depth_mm\na.png,1\n", "expected path and at least one"),
        ("path,label\na.png,x\n", "expected path and at least one"),
        ("path,depth_mm,depth_mm\na.png,1,2\n", "each once"),
        ("path,depth_mm\na.png,deep\n", "line 2: depth_mm is 'deep'"),
        ('path,depth_mm\na.png,"1,25"\n', "depth_mm is '1,25', expected a number such as 1.25"),
        ("path,depth_mm\na.png,1,25\n", "line 2: more cells than columns; numbers have a decimal point"),
        ("path;depth_mm\na.png;1.25\n", "with commas between them"),
        ("path,depth_mm,note\na.png,1,\nb.png,80%,\n", "line 3: depth_mm is '80%'"),
        ("path,depth_mm\na.png,\n", "line 2: depth_mm is ''"),
        ("path,depth_mm\na.png,nan\n", "expected a number"),
        ("path,depth_mm\n,1\n", "the path is empty"),
        ("path,depth_mm\n", "lists no pictures"),
        ("path,sensor,depth_mm\na.png,x,1\nb.png,y,2\n", "pictures of 2 sensors (x, y)"),
    ],
)
def test_a_table_that_cannot_be_used_is_refused_by_line(home, bideta, tmp_path, text, message):
    table = tmp_path / "t.csv"
    table.write_text(text)
    code, said = bideta("adapt", home / "known", "--targets", table, "-o", tmp_path / "a.bideta", *HANDMADE)
    assert code == 2
    assert message in said


def test_a_table_that_is_no_text_is_named(home, bideta, tmp_path):
    table = tmp_path / "t.csv"
    for content in ("path,tiefe_µm\na.png,1\n".encode("latin-1"), "path,depth_mm\n".encode("utf-16")):
        table.write_bytes(content)
        code, said = bideta(
            "adapt", home / "known", "--targets", table, "-o", tmp_path / "a.bideta", *HANDMADE
        )
        assert code == 2
        assert "t.csv is no text in UTF-8" in said


def test_columns_without_a_number_are_no_quantities(home, sensor, bideta, tmp_path):
    rows = rows_of(home / "known" / "targets.csv")
    table = tmp_path / "known.csv"
    with table.open("w", newline="") as file:
        csv.writer(file).writerows(
            [
                ("path", "object", "depth_mm", "x_mm", "note", ""),
                *((r["path"], "disc", r["depth_mm"], r["x_mm"], "", "") for r in rows),
            ]
        )
    code, said = bideta("adapt", home / "known", "--targets", table, "-o", tmp_path / "a.bideta", *HANDMADE)
    assert code == 0, said
    assert "columns without a number are left out: object, note" in said
    assert [one.column for one in BidetaRegressor.load(tmp_path / "a.bideta").sensor_.targets] == [
        "depth_mm",
        "x_mm",
    ]
    assert bideta("evaluate", sensor, home / "known", "--targets", table)[0] == 0


def test_one_labelled_contact_promises_neither_error_nor_interval(home, bideta, tmp_path):
    lines = (home / "known" / "targets.csv").read_text().splitlines(keepends=True)
    (tmp_path / "one.csv").write_text("".join(lines[:2]))
    code, said = bideta(
        "adapt", home / "known", "--targets", tmp_path / "one.csv", "-o", tmp_path / "a.bideta", *HANDMADE
    )
    assert code == 0, said
    assert "how far quantities are off cannot be measured" in said
    for name in ("a.csv", "a.jsonl"):
        code, said = bideta("predict", tmp_path / "a.bideta", home / "new", "-o", tmp_path / name)
        assert code == 0, said
        assert "inf" not in (tmp_path / name).read_text().lower()
    first = rows_of(tmp_path / "a.csv")[0]
    assert (first["depth_mm_lower"], first["depth_mm_upper"]) == ("", "")
    assert float(first["depth_mm"]) > 0


def test_the_table_in_the_folder_is_no_file_that_was_overlooked(home, bideta, tmp_path):
    code, said = bideta(
        "adapt",
        home / "known",
        "--labels",
        "--targets",
        "targets.csv",
        "-o",
        tmp_path / "a.bideta",
        *HANDMADE,
    )
    assert code == 0, said
    assert "not read" not in said
