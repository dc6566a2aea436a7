"""Pictures and readouts behind the records, for the figures that show them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from bideta.datasets import Dataset
from bideta.encoders import Encoder
from bideta.plugins import load_dataset, load_encoder


@dataclass(frozen=True)
class RunData:
    """Opens datasets and encoders as the run did; ``facts`` is the run's run.json."""

    facts: Mapping[str, Any] = field(default_factory=dict)

    def dataset(self, name: str, **settings: Any) -> Dataset:
        """The dataset with the run's settings, changed by ``settings``."""
        opened: Dataset = load_dataset(name, **{**self._settings("datasets", name), **settings})
        return opened

    def encoder(self, name: str) -> Encoder:
        """The encoder with the run's settings."""
        opened: Encoder = load_encoder(name, **self._settings("encoders", name))
        return opened

    def _settings(self, kind: str, name: str) -> dict[str, Any]:
        return dict(self.facts.get(kind, {}).get(name, {}).get("settings", {}))
