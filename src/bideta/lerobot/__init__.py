"""A plug-in for LeRobot: touch labels in every observation, and a simulated tactile camera.

Importing this package registers both with LeRobot: the processor step ``bideta_touch`` and the camera
``simulated-touch``. On LeRobot's command line: ``--robot.discover_packages_path=bideta.lerobot``. LeRobot pins its own
versions of torch and much else, so it is an extra of its own.

step     ``TouchLabels``, the processor step (what it computes is ``live.touch_numbers``, which needs no LeRobot)
camera   ``SimulatedTouch``, the camera
"""

from __future__ import annotations

try:
    import lerobot.processor  # noqa: F401
except ModuleNotFoundError as error:
    if (error.name or "").partition(".")[0] != "lerobot":
        raise  # LeRobot is here, and lacks something of its own
    raise ImportError(
        "bideta.lerobot needs LeRobot: pip install 'bideta[lerobot]' (0.4 for Python 3.11, 0.6 from 3.12 on)"
    ) from error

from bideta.lerobot.camera import SimulatedTouch, SimulatedTouchConfig
from bideta.lerobot.step import TouchLabels

__all__ = ["SimulatedTouch", "SimulatedTouchConfig", "TouchLabels"]
