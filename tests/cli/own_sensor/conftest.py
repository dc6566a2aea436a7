from __future__ import annotations

import pytest

from support.coloured_folders import draw
from support.releases import tiny_onnx

pytest.importorskip("onnx")


@pytest.fixture(scope="module")
def home(tmp_path_factory):
    home = tmp_path_factory.mktemp("own")
    tiny_onnx(home / "tiny.onnx")
    tiny_onnx(home / "other.onnx", seed=1)
    draw(home / "support", 6, 0)
    draw(home / "queries", 10, 1)
    return home


@pytest.fixture
def bideta(bideta, home):
    """The command; where a sensor is opened, its weights are typed, for a file does not decide what is opened."""

    def run(command, *arguments):
        opens = command in ("predict", "evaluate", "rank") and not {"--set", "--encoder"} & set(arguments)
        return bideta(command, *arguments, *(("--set", f"weights={home / 'tiny.onnx'}") if opens else ()))

    return run


@pytest.fixture
def sensor(home, bideta):
    path = home / "sensor.bideta"
    if not path.exists():
        code, said = bideta(
            "adapt",
            home / "support",
            "-o",
            path,
            "--encoder",
            "twin-tvl",
            "--set",
            f"weights={home / 'tiny.onnx'}",
        )
        assert code == 0, said
        assert "3 classes, 6 labelled images each" in said
    return path
