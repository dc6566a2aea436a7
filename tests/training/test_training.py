"""The training script: batches without labels, a resumed run equals an uninterrupted one, exports agree."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("torch")
pytest.importorskip("onnxscript")
pytest.importorskip("matplotlib")

ROOT = Path(__file__).parents[2]


@pytest.fixture(autouse=True)
def training_on_path(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    import torch

    monkeypatch.syspath_prepend(str(ROOT))
    threads = torch.get_num_threads()
    torch.set_num_threads(1)  # small batches: a second thread costs more than it brings
    yield
    torch.set_num_threads(threads)


@pytest.mark.parametrize(("sensor", "channels"), [("DIGIT", 3), ("GelSight2017", 6)])
def test_a_batch_is_a_function_of_its_seed(sensor: str, channels: int) -> None:
    from training.data import pairs

    from bideta.sim import SENSORS

    one, two, other = (pairs(np.random.default_rng([0, s]), SENSORS[sensor], 3, channels) for s in (4, 4, 5))
    assert one.first.shape == one.second.shape == (3, 64, 64, channels)
    assert one.heights.shape == (6, 1, 32, 32)
    assert one.description.shape == (3, 1, 32, 32)
    np.testing.assert_array_equal(one.second, two.second)
    assert (one.first != other.first).any()
    assert (one.first != one.second).any()


def test_training_uses_random_geometry_and_no_test_sensor() -> None:
    from training.recipes import RECIPES

    from bideta.sim import SENSORS

    assert [sensor.name for sensor in RECIPES["twin-tvl"].sensors] == ["DIGIT"]
    digit, gelsight, mini = RECIPES["twin-sparsh"].sensors
    assert (digit.name, gelsight.name) == ("DIGIT", "GelSight2017")
    assert mini not in SENSORS.values()
    for path in (ROOT / "training").glob("*.py"):
        assert not {"HOUSEHOLD", "TACVERSE", "IDENTITIES"} & set(path.read_text(encoding="utf-8").split()), (
            path
        )


def test_the_schedule_warms_up_and_ends_at_zero() -> None:
    from training.loop import LEARNING_RATE, WARM_UP, learning_rate

    assert learning_rate(0.0) < LEARNING_RATE / 100
    assert learning_rate(WARM_UP) == pytest.approx(LEARNING_RATE)
    assert learning_rate(1.0) == pytest.approx(0.0)


def test_the_curve_is_drawn(tmp_path: Path) -> None:
    from PIL import Image
    from training.curve import draw

    history = [{"step": 20 * i, "loss": 1 / i, "terms": {"touch": 1 / i}} for i in (1, 2, 3)]
    draw(
        history,
        [{"step": 0, "accuracy": 0.1}, {"step": 60, "accuracy": 0.8}],
        "title",
        tmp_path / "curve.png",
    )
    with Image.open(tmp_path / "curve.png") as picture:
        assert np.asarray(picture.convert("L")).std() > 5


def test_contrast_is_low_only_for_matching_rows() -> None:
    import torch
    from training.objectives import contrast

    a = torch.randn(16, 8, generator=torch.Generator().manual_seed(0))
    unrelated = torch.randn(16, 8, generator=torch.Generator().manual_seed(1))
    assert contrast(a, a + 100).item() < 0.1  # a shared background changes nothing
    assert contrast(a, unrelated).item() > math.log(16) / 2


@pytest.mark.parametrize("name", ["twin-tvl", "twin-sparsh"])
def test_a_resumed_run_equals_an_uninterrupted_one(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    import torch
    from training.loop import _Run, train
    from training.recipes import RECIPES

    from training import loop, probe

    monkeypatch.setattr(loop, "PROBES", 1)
    monkeypatch.setattr(probe, "OBJECTS", 2)
    monkeypatch.setattr(probe, "PRESSES", 3)
    monkeypatch.setattr(probe, "HELD_OUT", 1)
    recipe = replace(RECIPES[name], pairs=4)
    straight, state = train(recipe, tmp_path / "a", seed=3, minutes=1, steps=4)
    assert state["step"] == 4

    class StopError(Exception):
        pass

    step = _Run.step

    def interrupted(run: _Run) -> float:
        if run.state["step"] == 2:
            run.save()
            raise StopError
        return step(run)

    with monkeypatch.context() as patch:
        patch.setattr(_Run, "step", interrupted)
        with pytest.raises(StopError):
            train(recipe, tmp_path / "b", seed=3, minutes=1, steps=4)
    resumed, again = train(recipe, tmp_path / "b", seed=3, minutes=1, steps=4, resume=True)
    assert again["step"] == 4
    for key, value in straight.state_dict().items():
        torch.testing.assert_close(resumed.state_dict()[key], value, rtol=0, atol=0, msg=key)
    with pytest.raises(ValueError, match="seed 3, not 4"):
        train(recipe, tmp_path / "b", seed=4, minutes=1, steps=4, resume=True)
    with pytest.raises(FileNotFoundError, match="nothing to resume"):
        train(recipe, tmp_path / "c", seed=3, minutes=1, steps=4, resume=True)


def test_export_folds_batch_norm_and_agrees(tmp_path: Path) -> None:
    import torch
    from training.export import export

    from bideta.encoders import twin_sparsh
    from bideta.encoders.checkpoints.export import TOLERANCE
    from bideta.encoders.networks.embedded import Shape, TwinViT

    torch.manual_seed(0)
    model = TwinViT(Shape(channels=6), "blocks", batch_norm=True)
    model(torch.rand(8, 6, 64, 64))  # moves the running statistics away from 0 and 1
    assert export(model, "twin-sparsh", tmp_path) <= TOLERANCE
    frames = np.random.default_rng(0).integers(0, 256, (3, 64, 64, 3), dtype=np.uint8)
    with torch.inference_mode():
        expected = model.eval()(torch.from_numpy(twin_sparsh.PREPROCESSING(frames)))
    for suffix in ("onnx", "safetensors"):
        encoder = twin_sparsh.load(tmp_path / f"twin-sparsh.{suffix}")
        for a, b in zip(encoder.encode(frames), expected, strict=True):
            np.testing.assert_allclose(a, b.numpy(), atol=1e-4)
