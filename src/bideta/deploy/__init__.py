"""What the paper leaves out and a robot needs: single contacts, doubt, few labels, settings that fit.

The names below are the front door; docs/explain/deploy.md has a section for each. Inner rooms:
``online`` (one contact at a time), ``health`` (worn gels), ``trust`` (reliability, don't know, label sets,
calibration), ``labelling`` (what to label next), ``tuning`` (settings).
"""

from __future__ import annotations

import sys
import warnings
from types import ModuleType
from typing import Any

from bideta.deploy.earlier import Kept, keep_earlier
from bideta.deploy.health.untouched import GelChange, compare_gels
from bideta.deploy.health.watch import GelHealth, Health
from bideta.deploy.labelling.quantity_suggestions import suggest_quantities
from bideta.deploy.labelling.suggestions import Suggestion, suggest, suggestions
from bideta.deploy.online.anytime import AnytimePress, Frames, PressAnswer, measure_frames
from bideta.deploy.online.online_bideta import Answer, OnlineBideta
from bideta.deploy.trust.calibration import calibrate, expected_calibration_error, reliability_diagram
from bideta.deploy.trust.hidden_support import HeldOut, hidden_answers, hold_out
from bideta.deploy.trust.intervals import Intervals, reliability_intervals
from bideta.deploy.trust.label_sets import conformal_sets
from bideta.deploy.trust.no_contact import touch
from bideta.deploy.trust.novelty import find_unknown, novelty
from bideta.deploy.trust.reliability import Decision, least_contacts, least_risk, reject, reliability
from bideta.deploy.trust.risk_coverage import risk_coverage
from bideta.deploy.trust.strangers import check_strangers
from bideta.deploy.tuning.tune import Tuned, tune
from bideta.deprecation import removed
from bideta.extensions.presses import pool_presses

__all__ = [
    "Answer",
    "AnytimePress",
    "Decision",
    "Frames",
    "GelChange",
    "GelHealth",
    "Health",
    "HeldOut",
    "Intervals",
    "Kept",
    "OnlineBideta",
    "PressAnswer",
    "Suggestion",
    "Tuned",
    "calibrate",
    "check_strangers",
    "compare_gels",
    "conformal_sets",
    "expected_calibration_error",
    "find_unknown",
    "hidden_answers",
    "hold_out",
    "keep_earlier",
    "least_contacts",
    "least_risk",
    "measure_frames",
    "novelty",
    "pool_presses",
    "reject",
    "reliability",
    "reliability_diagram",
    "reliability_intervals",
    "risk_coverage",
    "suggest",
    "suggest_quantities",
    "suggestions",
    "touch",
    "tune",
]

# Of version 0.1, for one release.
borrow = removed(
    "bideta.deploy.borrow",
    "it cost accuracy on real sensors. The second pass takes its place: Bideta(**presets.TOUCH), or second_pass=True",
)


class _OldModule(ModuleType):
    """``from bideta.deploy.reject import reject`` of version 0.1, for one release."""

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        old = f"{self.__name__}.{name}"
        new = "reliability_diagram" if old == "bideta.deploy.calibration.reliability" else name
        value = getattr(sys.modules[__name__], new)
        warnings.warn(f"{old} is now bideta.deploy.{new}", DeprecationWarning, stacklevel=2)
        return value


_OLD = ("calibration", "conformal", "fewshot", "heldout", "novelty", "reject", "risk", "suggest", "tune")
for _name in (*_OLD, "untouched"):
    sys.modules[f"{__name__}.{_name}"] = _OldModule(f"{__name__}.{_name}")
