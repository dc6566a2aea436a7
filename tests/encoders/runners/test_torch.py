"""The torch runner: progress and speed."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from numpy.typing import NDArray

from bideta.encoders import tvl
from bideta.encoders.runners.preprocessing import Preprocessing

pytest.importorskip("torch", reason="the runner is torch's (extra torch)")


def test_progress_and_speed_are_shown_when_asked(
    frames: NDArray[np.uint8], capsys: pytest.CaptureFixture[str], caplog: pytest.LogCaptureFixture
) -> None:
    from bideta.encoders.checkpoints.filling import untrained
    from bideta.encoders.networks.released import Shape, TvlNetwork
    from bideta.encoders.runners.torch import TorchEncoder

    shape = Shape(dim=16, depth=1, heads=2, size=32)
    info = replace(tvl.INFO, name="small", readouts=(16, 768))
    networks = [untrained(lambda: TvlNetwork(shape), 0) for _ in range(2)]
    quiet, loud = (TorchEncoder(info, network, Preprocessing(32, 32), "small", progress=progress)
                   for network, progress in zip(networks, (None, True), strict=True))  # fmt: skip
    with caplog.at_level("INFO", logger="bideta.encoders"):
        expected = quiet.encode(frames, batch_size=1)
    assert "small: 2 images, " in caplog.text
    assert capsys.readouterr().err == ""  # nobody watches
    for a, b in zip(loud.encode(frames, batch_size=1), expected, strict=True):
        np.testing.assert_array_equal(a, b)
    shown = capsys.readouterr().err
    assert "small" in shown
    assert "2/2" in shown
    assert quiet.encode(frames[:0])[1].shape == (0, 768)
