from __future__ import annotations

import pytest

from bideta.datasets.simulated.linear_probe import in_domain_accuracy
from bideta.plugins import find, load_dataset

TACVERSE = find("dataset", "simulated-tacverse").INFO
SITR = find("dataset", "simulated-sitr").INFO


@pytest.mark.parametrize("sensor", [TACVERSE.source, *TACVERSE.development, *TACVERSE.targets])
def test_the_shape_is_in_the_picture_of_every_tacverse_sensor(sensor: str):
    dataset = load_dataset("simulated-tacverse", scale=0.15, size=64, difficulty="easy")
    assert in_domain_accuracy(dataset, sensor) > 0.5  # chance is 0.11


@pytest.mark.parametrize("sensor", [SITR.source, *SITR.targets])
def test_the_object_is_in_the_picture_of_every_sitr_sensor(sensor: str):
    dataset = load_dataset("simulated-sitr", scale=0.05, size=64, difficulty="easy")
    assert in_domain_accuracy(dataset, sensor) > 0.6  # chance is 0.06


@pytest.mark.parametrize("sensor", ["DIGIT", "GelSightMini", "DuraGel"])
def test_the_identity_is_in_the_picture_of_every_tacquad_sensor(sensor: str):
    dataset = load_dataset("simulated-tacquad", scale=0.5, size=64, difficulty="easy")
    assert in_domain_accuracy(dataset, sensor) > 0.5  # chance is 0.04
