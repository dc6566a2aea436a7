"""The sensors: a new one is one entry of ``SENSORS``.

Shapes, colours and dimensions follow what is published of each sensor in kind, not in detail: a design is *like*
a DIGIT or a TacTip and differs the way the real ones differ; it is not a calibrated model.
"""

from __future__ import annotations

from dataclasses import replace

from bideta.sim.design import Light, SensorDesign, Skin
from bideta.spelling import did_you_mean

# LED colours, linear: each leaks a little into the camera's other channels.
RED, GREEN, BLUE, WHITE = (1.0, 0.08, 0.06), (0.06, 1.0, 0.1), (0.08, 0.1, 1.0), (1.0, 0.96, 0.9)

# Each design in the same order: name and field of view; lights; camera; gel; coat and skin.
# fmt: off
_DIGIT = SensorDesign(
    "DIGIT", (16.0, 20.0),
    (Light(-90, BLUE, 0.42), Light(30, RED, 0.42), Light(150, GREEN, 0.34)),
    barrel=0.05,
    dome_radius=100.0, gel_reach=1.3,
    specular=0.06, texture_seed=1,
)
_GELSIGHT_2017 = SensorDesign(
    "GelSight2017", (18.0, 14.0),
    (Light(0, RED, 0.40, 15, 5.0), Light(120, GREEN, 0.40, 15, 5.0), Light(240, BLUE, 0.40, 15, 5.0)),
    ambient=(0.12, 0.12, 0.12),
    dome_radius=120.0, gel_thickness=2.5, gel_reach=1.0,
    coat_blur=0.15, specular=0.0, texture_seed=2,
)
_MINI = SensorDesign(
    "Mini_1", (18.6, 14.3),
    (
        Light(180, RED, 0.36, 13, 4.0), Light(0, BLUE, 0.36, 13, 4.0),
        Light(90, GREEN, 0.30, 12, 4.5), Light(-90, WHITE, 0.10, 12, 6.0),
    ),
    ambient=(0.10, 0.10, 0.11), barrel=-0.03,
    gel_thickness=3.5, gel_reach=1.5,
    specular=0.03, texture_seed=3,
)
_TACVERSE_GELSIGHT = SensorDesign(
    "GelSightNoMarker", (19.0, 15.0),
    (Light(-90, RED, 0.36), Light(30, GREEN, 0.36), Light(150, BLUE, 0.40)),
    ambient=(0.10, 0.10, 0.10),
    texture_seed=9,
)
_WHITE_RING = tuple(Light(60.0 * i, WHITE, 0.07, 16, 9.0) for i in range(6))
_DIM_RING = tuple(replace(light, power=0.006) for light in _WHITE_RING)  # what a black skin reflects
_TACTIP_PINS = Skin(
    "pins", pitch=1.7, radius=0.40, hexagonal=True, lever=2.5, growth=0.4,
    colour=(0.8, 0.8, 0.77), opacity=1.0,
)
_TACTIP = SensorDesign(
    "TacTip", (20.0, 20.0),
    _DIM_RING,
    ambient=(0.02, 0.02, 0.02), barrel=0.15, exposure=1.0, vignetting=0.4,
    dome_radius=45.0, gel_thickness=5.0,
    coat_blur=0.25, texture_seed=12, skin=_TACTIP_PINS,
)

_ALL = (
    _DIGIT,
    _GELSIGHT_2017,
    _MINI,
    # Four more units of the same design: another gel, other LEDs, another focus, another background.
    replace(
        _MINI, name="Mini_2",
        lights=(
            Light(172, (1.0, 0.15, 0.1), 0.30, 13, 4.4), Light(-6, (0.1, 0.2, 1.0), 0.42, 13, 3.8),
            Light(96, (0.1, 1.0, 0.2), 0.24, 12, 4.8), Light(-90, WHITE, 0.16, 12, 6.0),
        ),
        rotation=3.0, focus_blur=0.16,
        gel_thickness=2.8, gel_reach=1.1,
        texture=0.05, texture_seed=4,
    ),
    replace(
        _MINI, name="Mini_3", field_of_view=(17.6, 13.6),
        lights=(
            Light(188, (1.0, 0.1, 0.15), 0.42, 13, 3.6), Light(8, (0.2, 0.1, 1.0), 0.28, 13, 4.6),
            Light(84, (0.15, 1.0, 0.1), 0.36, 12, 4.2), Light(-90, WHITE, 0.06, 12, 6.0),
        ),
        rotation=-4.0, focus_blur=0.22,
        gel_reach=1.8,
        coat_blur=0.24, specular=0.06, texture=0.05, texture_seed=5,
    ),
    replace(
        _MINI, name="Mini_4", field_of_view=(19.4, 15.0),
        lights=(
            Light(180, (1.0, 0.3, 0.1), 0.26, 13, 4.8), Light(0, (0.1, 0.3, 1.0), 0.26, 13, 4.8),
            Light(90, (0.1, 1.0, 0.3), 0.42, 12, 3.8), Light(-90, WHITE, 0.12, 12, 6.0),
        ),
        ambient=(0.16, 0.15, 0.14), noise=2.5, focus_blur=0.12,
        gel_thickness=3.0, gel_reach=1.3,
        texture=0.06, texture_seed=6,
    ),
    replace(
        _MINI, name="GelSightMini", field_of_view=(18.2, 14.0),
        lights=(
            Light(176, (1.0, 0.12, 0.1), 0.34, 13, 4.2), Light(4, (0.12, 0.15, 1.0), 0.32, 13, 4.2),
            Light(92, (0.1, 1.0, 0.15), 0.34, 12, 4.4), Light(-90, WHITE, 0.08, 12, 6.0),
        ),
        rotation=2.0,
        gel_thickness=3.2,
        texture=0.04, texture_seed=11,
    ),
    SensorDesign(
        "Hex", (17.0, 17.0),
        tuple(Light(60.0 * i + 30, (GREEN, RED, BLUE)[i // 2], 0.22, 11, 3.2) for i in range(6)),
        ambient=(0.06, 0.06, 0.06), rotation=90.0, barrel=0.18, vignetting=0.45, exposure=0.45,
        dome_radius=28.0, gel_thickness=4.0, gel_reach=1.8,
        coat_blur=0.2, specular=0.12, texture_seed=8,
    ),
    SensorDesign(
        "Wedge", (15.0, 18.0),
        (Light(-90, WHITE, 0.22, 16, 5.0), Light(0, RED, 0.40, 9, 2.8), Light(180, BLUE, 0.44, 9, 2.8)),
        ambient=(0.05, 0.06, 0.05), rotation=180.0, mirror=True, keystone=0.35, vignetting=0.35,
        gel_thickness=2.2, gel_reach=0.9,
        specular=0.02, texture_seed=7,
    ),
    _TACVERSE_GELSIGHT,
    replace(
        _TACVERSE_GELSIGHT, name="GelSightMarker",
        texture_seed=10, skin=Skin("markers", pitch=1.9, radius=0.32, opacity=0.92, lever=0.5),
    ),
    SensorDesign(
        "MagicGripper", (20.0, 20.0),
        # Most of the light from one side, so that relief shows on a clear or grid skin.
        (Light(-60, WHITE, 0.25, 14, 5.0), Light(130, (0.8, 0.9, 1.0), 0.12, 14, 5.0)),
        ambient=(0.16, 0.16, 0.18), rotation=45.0, barrel=0.10, vignetting=0.3,
        gel_thickness=5.0, gel_reach=1.1,
        coat_blur=0.25, relief=0.35, texture_seed=14,
        skin=Skin("grid", pitch=2.8, radius=0.22, colour=(0.03, 0.25, 0.4), lever=2.2, growth=0.5),
    ),
    SensorDesign(
        "MagicTac", (19.0, 19.0),
        _WHITE_RING,
        barrel=0.06, exposure=1.0,
        gel_thickness=4.5, gel_reach=1.0,
        coat_blur=0.2, relief=0.8, texture_seed=15,
        skin=Skin("grid", pitch=2.2, radius=0.2, lever=2.0, growth=0.6),
    ),
    _TACTIP,
    SensorDesign(
        "ViTac", (20.0, 17.0),
        _WHITE_RING,
        ambient=(0.10, 0.10, 0.10), mirror=True,
        gel_thickness=4.0, gel_reach=1.4,
        coat_blur=0.2, relief=0.5, specular=0.08, texture_seed=16,
        skin=Skin("plain", see_through=0.8, fog=1.2),
    ),
    replace(
        _TACTIP, name="ViTacTip",
        ambient=(0.10, 0.10, 0.09), rotation=180.0, exposure=0.8,
        texture_seed=13, skin=replace(_TACTIP_PINS, opacity=0.75, see_through=0.6),
    ),
    SensorDesign(
        "DuraGel", (20.0, 15.0),
        (
            Light(-90, WHITE, 0.30, 13, 4.0), Light(90, (1.0, 0.75, 0.4), 0.26, 13, 4.0),
            Light(180, (0.4, 0.6, 1.0), 0.18, 16, 5.0),
        ),
        barrel=0.08,
        dome_radius=45.0, gel_thickness=4.0, gel_reach=1.8,
        coat_blur=0.2, specular=0.10, texture_seed=17,
        skin=Skin("markers", pitch=2.6, opacity=0.8, lever=0.5),
    ),
)
# fmt: on
SENSORS: dict[str, SensorDesign] = {design.name: design for design in _ALL}


def find_sensor(name: str) -> SensorDesign:
    """The design of that name; an unknown name raises an error that lists the known ones."""
    if name not in SENSORS:
        raise ValueError(f"unknown sensor {name!r}.{did_you_mean(name, SENSORS)} Known: {', '.join(SENSORS)}")
    return SENSORS[name]
