"""Every example of the gallery draws its picture, every notebook runs, and the page shows them all."""

from __future__ import annotations

import importlib.util
import re
from pathlib import Path

import pytest
from PIL import Image

ROOT = Path(__file__).parents[1]
NOTEBOOKS = sorted((ROOT / "notebooks").glob("*.ipynb"))
PAGE = (ROOT / "docs/gallery/index.md").read_text()
pytest.importorskip("matplotlib")


def gallery():
    spec = importlib.util.spec_from_file_location("draw_gallery", ROOT / "examples/draw_gallery.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


EXAMPLES = gallery().names()


def test_there_are_ten_and_the_page_shows_each_with_its_picture():
    assert len(EXAMPLES) == 10
    assert sorted(re.findall(r"examples/gallery/(\w+)\.py", PAGE)) == EXAMPLES
    assert sorted(re.findall(r"\(images/(\w+)\.png\)", PAGE)) == EXAMPLES
    assert sorted(path.stem for path in (ROOT / "docs/gallery/images").iterdir()) == EXAMPLES


@pytest.mark.parametrize("name", EXAMPLES)
def test_the_example_draws_a_picture_that_says_simulated(name, tmp_path, monkeypatch):
    monkeypatch.setenv("MPLBACKEND", "Agg")
    with Image.open(gallery().draw(name, tmp_path)) as picture:
        assert min(picture.size) >= 200
        assert len(set(picture.convert("L").resize((60, 60)).tobytes())) > 5  # something was drawn
    text = (ROOT / f"examples/gallery/{name}.py").read_text()
    assert "(simulated)" in text
    assert text.count("\n") < 40


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_the_notebook_runs_and_says_that_it_is_simulated(path, monkeypatch):
    nbclient, nbformat = pytest.importorskip("nbclient"), pytest.importorskip("nbformat")
    monkeypatch.delenv("BIDETA_RECORDINGS", raising=False)
    monkeypatch.delenv("BIDETA_ENCODER", raising=False)
    notebook = nbformat.read(path, as_version=4)
    assert not any(cell.get("outputs") for cell in notebook.cells)  # kept without outputs
    with pytest.MonkeyPatch.context() as quiet:
        quiet.setenv("PYDEVD_DISABLE_FILE_VALIDATION", "1")
        done = nbclient.NotebookClient(notebook, timeout=200, kernel_name="python3").execute()
    said = "".join(output.get("text", "") for cell in done.cells for output in cell.get("outputs", []))
    assert "simulated" in said


def test_there_are_three_notebooks():
    assert [path.stem for path in NOTEBOOKS] == ["first_sensor", "quantities", "real_touch"]
    assert all(path.stem in PAGE for path in NOTEBOOKS)
