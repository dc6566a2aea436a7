"""bideta: a frozen tactile encoder on a sensor it has never seen."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from bideta import presets
from bideta.plugins import load_dataset, load_encoder, load_method

if TYPE_CHECKING:
    from bideta.datasets.folder import load_folder
    from bideta.estimator import Bideta
    from bideta.regressor import BidetaRegressor

    __version__: str

__all__ = [
    "Bideta",
    "BidetaRegressor",
    "__version__",
    "load_dataset",
    "load_encoder",
    "load_folder",
    "load_method",
    "presets",
]


def __getattr__(name: str) -> Any:
    """What takes time to import, when it is first used: ``bideta --help`` does without scikit-learn and Pillow."""
    if name == "__version__":
        from importlib.metadata import version

        return version("bideta")
    if name == "load_folder":
        from bideta.datasets.folder import load_folder

        return load_folder
    if name == "Bideta":
        from bideta.estimator import Bideta

        return Bideta
    if name == "BidetaRegressor":
        from bideta.regressor import BidetaRegressor

        return BidetaRegressor
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
