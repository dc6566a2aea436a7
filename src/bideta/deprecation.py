"""Names of the version before: for one release they work with a warning, or say what took their place."""

from __future__ import annotations

import functools
import operator
import warnings
from collections.abc import Callable
from typing import Any, NoReturn, TypeVar

Function = TypeVar("Function", bound=Callable[..., Any])


def renamed(old: str, new: str) -> Any:
    """A read-only attribute that stands for another one."""

    def read(self: Any) -> Any:
        try:
            value = operator.attrgetter(new)(self)
        except AttributeError:
            raise AttributeError(f"{type(self).__name__!r} object has no attribute {old!r}") from None
        warnings.warn(f"{old} is now {new}", DeprecationWarning, stacklevel=2)
        return value

    return property(read)


def renamed_argument(old: str, new: str) -> Callable[[Function], Function]:
    """A function that also takes its argument by the name it had."""

    def decorate(function: Function) -> Function:
        @functools.wraps(function)
        def call(*args: Any, **settings: Any) -> Any:
            if old in settings:
                warnings.warn(f"the argument {old} is now {new}", DeprecationWarning, stacklevel=2)
                settings[new] = settings.pop(old)
            return function(*args, **settings)

        return call  # type: ignore[return-value]

    return decorate


def removed(old: str, reason: str) -> Callable[..., NoReturn]:
    """A function that is gone: calling it says why, and what to use."""

    def call(*args: Any, **settings: Any) -> NoReturn:
        raise NotImplementedError(f"{old} was removed: {reason}")

    return call
