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
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from bideta.deploy.labelling.borrowing import borrow as borrow
    from bideta.deploy.labelling.suggestions import Suggestion as Suggestion
    from bideta.deploy.labelling.suggestions import suggest as suggest
    from bideta.deploy.labelling.suggestions import suggestions as suggestions
    from bideta.deploy.online.online_bideta import Answer as Answer
    from bideta.deploy.online.online_bideta import OnlineBideta as OnlineBideta
    from bideta.deploy.trust.calibration import calibrate as calibrate
    from bideta.deploy.trust.calibration import expected_calibration_error as expected_calibration_error
    from bideta.deploy.trust.calibration import reliability_diagram as reliability_diagram
    from bideta.deploy.trust.hidden_support import HeldOut as HeldOut
    from bideta.deploy.trust.hidden_support import hold_out as hold_out
    from bideta.deploy.trust.label_sets import conformal_sets as conformal_sets
    from bideta.deploy.trust.no_contact import touch as touch
    from bideta.deploy.trust.novelty import find_unknown as find_unknown
    from bideta.deploy.trust.novelty import novelty as novelty
    from bideta.deploy.trust.reliability import Decision as Decision
    from bideta.deploy.trust.reliability import least_contacts as least_contacts
    from bideta.deploy.trust.reliability import least_risk as least_risk
    from bideta.deploy.trust.reliability import reject as reject
    from bideta.deploy.trust.reliability import reliability as reliability
    from bideta.deploy.trust.risk_coverage import risk_coverage as risk_coverage
    from bideta.deploy.tuning.tune import Tuned as Tuned
    from bideta.deploy.tuning.tune import tune as tune

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
