"""What a setting of a method may be: its type in the signature of ``learn`` says it, and is checked before any data."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from math import inf
from typing import Annotated, Any, Literal, get_args, get_origin

from bideta.checks import check_choice, check_number


@dataclass(frozen=True)
class Bounds:
    """low ≤ value, above < value."""

    low: float = -inf
    above: float = -inf


Count = Annotated[int, Bounds(low=1)]
Natural = Annotated[int, Bounds(low=0)]  # seeds, and limits that zero switches off
Amount = Annotated[float, Bounds(low=0)]
Positive = Annotated[float, Bounds(above=0)]  # divides, or multiplies distances


def parameters(learn: Callable[..., Any]) -> list[inspect.Parameter]:
    """The settings of a method, with their types."""
    return [
        p for p in inspect.signature(learn, eval_str=True).parameters.values() if p.kind is p.KEYWORD_ONLY
    ]


def check_settings(method: str, learn: Callable[..., Any], settings: Mapping[str, Any]) -> None:
    """Refuse unknown names and impossible values."""
    types = {parameter.name: parameter.annotation for parameter in parameters(learn)}
    for name, value in settings.items():
        if name not in types:
            raise ValueError(f"{method} has no setting {name}; known: {', '.join(types) or 'none'}")
        if get_origin(types[name]) is Literal:
            check_choice(name, value, get_args(types[name]))
        elif get_origin(types[name]) is Annotated:
            kind, bounds = get_args(types[name])
            check_number(name, value, kind, low=bounds.low, above=bounds.above)
        elif types[name] is bool and not isinstance(value, bool):
            raise ValueError(f"{name}={value!r}: expected True or False")
