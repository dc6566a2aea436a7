"""bideta: a frozen tactile encoder on a sensor it has never seen."""

from bideta import presets
from bideta.estimator import Bideta
from bideta.plugins import load_dataset, load_encoder, load_method

__all__ = ["Bideta", "load_dataset", "load_encoder", "load_method", "presets"]
