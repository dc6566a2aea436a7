"""A camera that is not there: a simulated tactile sensor that presses objects of its own choice."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from lerobot.cameras import Camera, CameraConfig
from numpy.typing import NDArray

from bideta.live.sources import Simulated
from bideta.sim import SENSORS

RATE = 60  # frames per second
SIDE = 64  # pixels of a simulated picture


@CameraConfig.register_subclass("simulated-touch")
@dataclass(kw_only=True)
class SimulatedTouchConfig(CameraConfig):
    """Which simulated sensor, and from which seed."""

    fps: int | None = RATE  # LeRobot refuses a robot's camera that leaves rate or size open
    width: int | None = SIDE
    height: int | None = SIDE
    sensor: str = "Mini_1"
    seed: int = 0
    presses: int = 16  # rendered; they repeat

    def __post_init__(self) -> None:
        if (self.width, self.height) != (SIDE, SIDE):
            raise ValueError(
                f"simulated-touch is asked for {self.width} × {self.height} pixels, it has {SIDE} × {SIDE}; leave "
                "width and height out"
            )


class SimulatedTouch(Camera):
    """Frames of a simulated sensor at its rate; ``truth`` is what the last one touches."""

    def __init__(self, config: SimulatedTouchConfig) -> None:
        super().__init__(config)
        self._source = Simulated(
            config.sensor, fps=float(config.fps or RATE), seed=config.seed, n_presses=config.presses
        )
        self._open = False
        self._last: NDArray[np.uint8] | None = None
        self.truth = ""
        self.height, self.width = SIDE, SIDE  # a robot asks for the size before it connects

    @property
    def is_connected(self) -> bool:
        """Whether frames can be read."""
        return self._open

    @staticmethod
    def find_cameras() -> list[dict[str, Any]]:
        """Every simulated sensor."""
        return [{"type": "simulated-touch", "id": name, "name": name} for name in SENSORS]

    def connect(self, warmup: bool = True) -> None:
        """Render the presses, the first time."""
        self._source.open()
        self._open = True

    def read(self, *_: Any, **__: Any) -> NDArray[np.uint8]:
        """The next frame, when it is due."""
        if not self._open:
            raise ConnectionError("the simulated camera is not connected; call connect()")
        picture = self._source.read()
        assert picture is not None  # without a limit it never ends
        self._last, self.truth = picture.image, picture.truth or ""
        return picture.image

    def async_read(self, timeout_ms: float = 200) -> NDArray[np.uint8]:
        """The same: frames are made when they are asked for."""
        return self.read()

    def read_latest(self, max_age_ms: int = 500) -> NDArray[np.uint8]:
        """The last frame once more, or the first one."""
        return self.read() if self._last is None else self._last

    def disconnect(self) -> None:
        """Nothing is held open."""
        self._open = False
