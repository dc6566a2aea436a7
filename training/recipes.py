"""The two recipes: which network, which sensors, which objective."""

from __future__ import annotations

from bideta.encoders import twin_sparsh, twin_tvl
from bideta.encoders.networks.embedded import Shape, TwinViT
from bideta.sim import SENSORS
from training.data import MINI_FOR_TRAINING
from training.loop import Recipe
from training.objectives import SelfSupervised, TouchAndDescription

RECIPES = {
    "twin-tvl": Recipe(
        "twin-tvl",
        twin_tvl.PREPROCESSING,
        sensors=(SENSORS["DIGIT"],),
        build=lambda: TouchAndDescription(TwinViT(Shape(channels=3), "pooled", batch_norm=True)),
        described=True,
    ),
    "twin-sparsh": Recipe(
        "twin-sparsh",
        twin_sparsh.PREPROCESSING,
        sensors=(SENSORS["DIGIT"], SENSORS["GelSight2017"], MINI_FOR_TRAINING),
        build=lambda: SelfSupervised(TwinViT(Shape(channels=6), "blocks", batch_norm=True)),
        described=False,
    ),
}
