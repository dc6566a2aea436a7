from __future__ import annotations

import pytest

from bideta import Bideta
from bideta.service.choices import PRESETS, PRIORS, Preset, check_choice, parameters, preset_prior


def test_every_choice_is_accepted_by_the_estimator():
    for preset in PRESETS:
        for prior in (None, *PRIORS):
            Bideta(**parameters(preset, prior)).get_params()


def test_the_names_of_the_api_are_those_of_the_presets():
    assert list(PRESETS) == list(Preset.__args__)


def test_a_preset_without_a_prior_has_that_of_the_estimator():
    assert preset_prior("classification") == Bideta().prior
    assert preset_prior("robot") == "auto"


def test_parameters_are_a_copy():
    parameters("robot")["gamma"] = -1
    assert PRESETS["robot"]["gamma"] != -1


def test_another_name_is_refused_with_the_known_ones():
    with pytest.raises(
        ValueError, match="preset is 'nope', expected touch or robot or classification or ranking"
    ):
        parameters("nope")
    with pytest.raises(
        ValueError, match="prior is 'flat', expected relaxed or auto or support or none or mixed"
    ):
        parameters("robot", "flat")
    with pytest.raises(ValueError, match=r"--prior is 'x{40}', "):
        check_choice("--prior", "x" * 99, PRIORS)
