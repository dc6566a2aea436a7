"""What the paper leaves out and a robot needs: single contacts, doubt, few labels, settings that fit.

The names below are the front door; each is loaded when it is first used. docs/deploy.md has a section for each, with
measured figures. Inner rooms: ``online`` (one contact at a time), ``trust`` (reliability, don't know, label sets,
calibration), ``labelling`` (what to label next), ``tuning`` (settings).
"""

from __future__ import annotations

import importlib
import sys
import warnings
from types import ModuleType
from typing import Any

_HOME = {
    "Answer": "online.online_bideta",
    "OnlineBideta": "online.online_bideta",
    "HeldOut": "trust.hidden_support",
    "hold_out": "trust.hidden_support",
    "Decision": "trust.reliability",
    "reliability": "trust.reliability",
    "reject": "trust.reliability",
    "least_risk": "trust.reliability",
    "least_contacts": "trust.reliability",
    "risk_coverage": "trust.risk_coverage",
    "find_unknown": "trust.novelty",
    "novelty": "trust.novelty",
    "conformal_sets": "trust.label_sets",
    "calibrate": "trust.calibration",
    "expected_calibration_error": "trust.calibration",
    "reliability_diagram": "trust.calibration",
    "touch": "trust.no_contact",
    "Suggestion": "labelling.suggestions",
    "suggest": "labelling.suggestions",
    "suggestions": "labelling.suggestions",
    "borrow": "labelling.borrowing",
    "Tuned": "tuning.tune",
    "tune": "tuning.tune",
}
__all__ = sorted(_HOME)
_OLD_MODULES = (
    "calibration",
    "conformal",
    "fewshot",
    "heldout",
    "novelty",
    "reject",
    "risk",
    "suggest",
    "tune",
    "untouched",
)


def __getattr__(name: str) -> Any:
    """A public name, from the room it lives in."""
    if name not in _HOME:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(importlib.import_module(f"{__name__}.{_HOME[name]}"), name)


class _OldModule(ModuleType):
    """``from bideta.deploy.reject import reject`` of version 0.1, for one release."""

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        warnings.warn(f"{self.__name__}.{name} is now bideta.deploy.{name}", DeprecationWarning, stacklevel=2)
        return getattr(sys.modules[__name__], name)


for _name in _OLD_MODULES:
    sys.modules[f"{__name__}.{_name}"] = _OldModule(f"{__name__}.{_name}")
