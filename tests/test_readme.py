"""The README's code runs as printed and its links lead somewhere."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from benchmarks import readme
from bideta import Bideta

ROOT = Path(__file__).parents[1]


def test_the_ten_lines_run_and_reach_what_their_comment_says(tmp_path, monkeypatch, capsys) -> None:
    (code,) = re.findall(r"```python\n(.*?)```", (ROOT / "README.md").read_text(), re.DOTALL)
    monkeypatch.chdir(tmp_path)
    exec(compile(code, "README.md", "exec"), {})
    assert float(capsys.readouterr().out) == pytest.approx(0.82, abs=0.03)
    assert (tmp_path / "hex.bideta").is_file()


def test_the_lines_about_scikit_learn_run() -> None:
    text = (ROOT / "docs/reference/api.md").read_text()
    pipeline, search = (
        re.search(rf"`({name}[(].*?)`", text)[1] for name in ("make_pipeline", "GridSearchCV")
    )
    rng = np.random.default_rng(0)
    labels = np.arange(100) % 2
    h1, h2 = (rng.normal(size=(100, d)) + 2 * labels[:, None] for d in (384, 40))
    known = {
        "make_pipeline": make_pipeline,
        "GridSearchCV": GridSearchCV,
        "StandardScaler": StandardScaler,
        "Bideta": Bideta,
    }
    values = {**known, "np": np, "h1": h1, "h2": h2, "labels": labels}
    X = np.hstack([h1, h2])
    assert eval(pipeline, values).fit(X[:50], labels[:50]).score(X[50:], labels[50:]) > 0.9  # noqa: S307
    assert eval(search, values).best_params_["gamma"] in (0.3, 0.6)  # noqa: S307


def test_the_table_of_real_results_is_that_of_the_evidence() -> None:
    made = readme.table(readme.means(readme.cells(readme.PAGE.read_text(encoding="utf-8"))))
    assert made.count("%") == 3 * 5
    for place in readme.PLACES:
        assert made in place.read_text(encoding="utf-8"), f"{place}: run python -m benchmarks.readme"


def test_the_pair_of_real_sensors_is_on_the_first_page() -> None:
    said = readme.pair(readme.PAGE.read_text(encoding="utf-8"))
    assert len(re.findall(r"\d+ (?:and \d+ )?%", said)) == 2
    assert said in (ROOT / "README.md").read_text(encoding="utf-8"), "run python -m benchmarks.readme"


def test_the_readme_is_short_and_its_lines_are_wrapped() -> None:
    lines = (ROOT / "README.md").read_text(encoding="utf-8").splitlines()
    assert len(lines) < 90
    assert max(map(len, lines)) <= 130


@pytest.mark.parametrize(
    "page",
    [
        "README.md",
        "CONTRIBUTING.md",
        *(p.relative_to(ROOT).as_posix() for p in (ROOT / "docs").rglob("*.md")),
    ],
)
def test_links_to_files_lead_to_files(page: str) -> None:
    for target in re.findall(r"\]\(([^)#\s]+)[^)]*\)", (ROOT / page).read_text()):
        if not target.startswith("http"):
            assert (ROOT / page).parent.joinpath(target).exists(), target
