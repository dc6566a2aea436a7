"""The processor step: what a tactile camera touches, as numbers in the observation."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from lerobot.configs.types import PipelineFeatureType
from lerobot.processor import ObservationProcessorStep, ProcessorStepRegistry

from bideta.live.touch_numbers import TouchNumbers


@ProcessorStepRegistry.register("bideta_touch")
@dataclass
class TouchLabels(ObservationProcessorStep):
    """Adds ``touch.contact``, one probability for each class of an adapted sensor, and ``touch.foreign``.

    Put it into the robot-observation pipeline, where pictures are raw and carry the camera's name.
    """

    sensor: str  # file written by bideta adapt
    camera: str = "touch"  # name of the tactile camera in the robot's configuration
    prefix: str = "touch"  # of the numbers

    def __post_init__(self) -> None:
        self._touch = TouchNumbers(self.sensor, self.prefix)

    def observation(self, observation: dict[str, Any]) -> dict[str, Any]:
        """The observation with the numbers."""
        if self.camera not in observation:
            raise KeyError(f"no picture {self.camera!r} in the observation; it has {', '.join(observation)}")
        return {**observation, **self._touch.see(observation[self.camera])}

    def transform_features(self, features: dict[Any, dict[str, Any]]) -> dict[Any, dict[str, Any]]:
        """The features with the numbers, each a scalar."""
        numbers = dict.fromkeys(self._touch.names, float)
        kind = PipelineFeatureType.OBSERVATION
        return {**features, kind: {**features.get(kind, {}), **numbers}}

    def get_config(self) -> dict[str, Any]:
        """What a saved pipeline keeps of the step."""
        return {"sensor": self.sensor, "camera": self.camera, "prefix": self.prefix}

    def reset(self) -> None:
        """Begin an episode."""
        self._touch.reset()
