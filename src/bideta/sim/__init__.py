"""Tactile sensors in numpy: shapes → contacts → gel → light → skin → camera.

>>> import numpy as np
>>> from bideta.sim import random_presses, render
>>> contacts = random_presses(np.random.default_rng(0), count=2, frames=4)
>>> render(contacts, "DIGIT", size=32).shape
(8, 32, 32, 3)
"""

from bideta.sim.ageing import Wear
from bideta.sim.design import Light, SensorDesign, Skin
from bideta.sim.objects import HOUSEHOLD, IDENTITIES, TACVERSE
from bideta.sim.pressing import Contacts, PressRange, presses
from bideta.sim.random_shapes import random_geometry, random_presses
from bideta.sim.render import Conditions, render
from bideta.sim.sensors import SENSORS, find_sensor
from bideta.sim.shapes import Geometry, Part

__all__ = [
    "HOUSEHOLD",
    "IDENTITIES",
    "SENSORS",
    "TACVERSE",
    "Conditions",
    "Contacts",
    "Geometry",
    "Light",
    "Part",
    "PressRange",
    "SensorDesign",
    "Skin",
    "Wear",
    "find_sensor",
    "presses",
    "random_geometry",
    "random_presses",
    "render",
]
