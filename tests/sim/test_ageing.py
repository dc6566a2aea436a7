from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from bideta.sim import HOUSEHOLD, Conditions, Wear, presses, render
from bideta.sim.ageing import KINDS

CONTACTS = presses(HOUSEHOLD, [0, 3], np.random.default_rng(0), frames=2)
AWAY = replace(CONTACTS, depth=np.full(4, -3.0, np.float32))


def pictures(sensor: str, contacts=CONTACTS, **wear: float) -> np.ndarray:
    worn = Wear(**wear) if wear else None
    return render(contacts, sensor, size=32, conditions=Conditions(noise=0, wear=worn)).astype(float)


def test_no_wear_is_the_sensor_as_new() -> None:
    np.testing.assert_array_equal(pictures("DuraGel", seed=4), pictures("DuraGel"))


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("sensor", ["Mini_3", "DuraGel", "MagicTac"])
def test_every_kind_of_wear_shows_and_grows_with_its_strength(kind: str, sensor: str) -> None:
    new = pictures(sensor)
    little, much = (np.abs(pictures(sensor, **{kind: strength}) - new).mean() for strength in (0.2, 1.0))
    assert 0 < little < much


def test_fading_darkens_and_changes_colours() -> None:
    new, old = pictures("Mini_3").mean(axis=(0, 1, 2)), pictures("Mini_3", fading=1.0).mean(axis=(0, 1, 2))
    assert (old < new).all()
    assert np.ptp(old / new) > 0.05


def test_haze_takes_contrast() -> None:
    assert pictures("DuraGel", haze=1.0).std(axis=(1, 2)).mean() < pictures("DuraGel").std(axis=(1, 2)).mean()


def test_scratches_and_dust_stay_where_they_are() -> None:
    for kind in ("scratches", "dust", "bubble"):
        one, other = (pictures("Mini_3", AWAY, **{kind: 1.0, "seed": seed}) for seed in (0, 1))
        np.testing.assert_array_equal(one[0], one[1])
        assert np.abs(one - other).max() > 10


def test_nothing_is_felt_in_a_bubble() -> None:
    def felt(**wear: float) -> float:
        return float(np.abs(pictures("Mini_3", **wear) - pictures("Mini_3", AWAY, **wear)).sum())

    assert felt(bubble=1.0) < felt()


def test_a_strength_beyond_one_is_refused() -> None:
    with pytest.raises(ValueError, match=r"haze is 1\.5"):
        Wear(haze=1.5)
