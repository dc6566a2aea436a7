"""The evaluation objects: 16 from a household, the nine TacVerse shapes, 56 identities, calibration tools."""

from __future__ import annotations

from bideta.sim.shapes import Geometry, Part


def _named(objects: dict[str, tuple[Part, ...]]) -> tuple[Geometry, ...]:
    return tuple(Geometry(name, parts) for name, parts in objects.items())


# mm; an arc, so that a bead chain is not a straight lattice
_BEADS = ((-6.0, -1.9), (-3.8, 0.3), (-1.0, 1.4), (2.0, 1.2), (4.6, -0.4), (6.2, -3.0))

# Everyday objects, each a few millimetres to a centimetre and a half across.
HOUSEHOLD = _named(
    {
        "key": (
            Part("disc", 3.4, x=-4.2),
            Part("disc", 1.5, x=-4.8, top=-2, carve=True),
            Part("box", 4.6, 1.1, 0.2, x=2.8),
            *(Part("box", 0.45, 0.9, 0.1, x=x, y=-1.5) for x in (1.6, 3.6, 5.6, 6.9)),
            Part("box", 4.0, 0.25, x=2.8, y=0.3, top=-0.5, carve=True),
        ),
        "coin": (
            Part("disc", 5.2, top=-0.35),
            Part("ring", 4.9, 0.35),
            Part("star", 2.2, 5, 0.7, top=-0.05, crown=0.2),
        ),
        "screw": (
            Part("disc", 4.0, crown=0.9),
            Part("box", 2.6, 0.5, x=0, top=-1.6, carve=True),
            Part("box", 0.5, 2.6, x=0, top=-1.6, carve=True),
        ),
        "nut": (Part("polygon", 4.2, 6), Part("disc", 2.2, top=-2.5, carve=True)),
        "cap": (
            Part("star", 5.0, 18, 0.35, top=-0.1),
            Part("disc", 4.1, top=-1.1, carve=True),
            Part("ring", 2.0, 0.3, top=-0.6),
        ),
        "washer": (Part("ring", 3.1, 0.9),),
        "gear": (Part("star", 4.3, 9, 0.9), Part("disc", 1.1, top=-2.5, carve=True)),
        "paperclip": (
            Part("frame", 6.2, 2.3, 0.45, crown=0.35),
            Part("frame", 4.4, 1.3, 0.45, x=1.0, crown=0.35),
        ),
        "button": (
            Part("disc", 4.8, top=-0.3),
            Part("ring", 4.3, 0.5, crown=0.2),
            *(Part("disc", 0.75, x=x, y=y, top=-2, carve=True) for x in (-1.1, 1.1) for y in (-1.1, 1.1)),
        ),
        "brick": (
            Part("box", 5.0, 5.0, 0.2, top=-1.1),
            *(Part("disc", 1.5, x=x, y=y) for x in (-2.4, 2.4) for y in (-2.4, 2.4)),
        ),
        "comb": (
            Part("box", 7.0, 1.2, 0.4, y=3.4, crown=0.3),
            *(Part("box", 0.4, 3.2, 0.3, x=x, y=-0.6, crown=0.2) for x in (-6, -4, -2, 0, 2, 4, 6)),
        ),
        "plug": (
            Part("box", 5.8, 2.4, 0.2),
            Part("box", 5.1, 1.7, 0.1, top=-1.2, carve=True),
            Part("box", 5.1, 0.7, 0.1, y=-0.9, top=-0.3),
            *(Part("box", 0.7, 0.6, x=x, y=1.7, top=-1.4, carve=True) for x in (-2.4, 2.4)),
        ),
        "die": (
            Part("box", 4.4, 4.4, 0.8),
            *(
                Part("disc", 0.8, x=x, y=y, top=-0.9, carve=True)
                for x, y in ((0, 0), (-2.3, -2.3), (2.3, 2.3), (-2.3, 2.3), (2.3, -2.3))
            ),
        ),
        "spring": tuple(
            Part("box", 2.6, 0.5, 0.4, x=x, angle=78, crown=0.5) for x in (-5.6, -3.8, -2, 0, 2, 3.8, 5.6)
        ),
        "beads": tuple(Part("disc", 1.4, x=x, y=y, crown=1.0) for x, y in _BEADS),
        "hexkey": (
            Part("box", 6.0, 0.9, 0.2, y=-2.8, crown=0.15),
            Part("box", 0.9, 3.4, 0.2, x=-5.1, y=0.6, crown=0.15),
            Part("disc", 1.0, x=-4.9, y=-2.6, crown=0.1),
        ),
    }
)
# The nine printed stamps of TacVerse, by name; sizes are ours.
TACVERSE = _named(
    {
        "column": (Part("disc", 2.6),),
        "cuboid": (Part("box", 4.6, 2.6, 0.1),),
        "dots": tuple(Part("disc", 0.9, x=x, y=y) for x in (-3.2, 0, 3.2) for y in (-3.2, 0, 3.2)),
        "edge": (Part("box", 8.0, 0.6, 0.1),),
        "hexagon": (Part("polygon", 4.3, 6),),
        "moon": (Part("moon", 4.8, 4.2, 2.4),),
        "ring": (Part("ring", 3.9, 0.8),),
        "triangles": tuple(
            Part("polygon", 1.3, 3, x=x, y=y, angle=90) for x, y in ((-2.7, -1.9), (2.7, -1.9), (0, 2.6))
        ),
        "wave": (Part("box", 5.6, 5.0, 0.2), Part("wave", 3.4, 0.5, 0.9, top=-1.2, carve=True)),
    }
)

_BODIES: dict[str, tuple[Part, ...]] = {
    "disc": (Part("disc", 4.4),),
    "square": (Part("box", 4.0, 4.0, 0.4),),
    "hexagon": (Part("polygon", 4.0, 6),),
    "triangle": (Part("polygon", 2.9, 3),),
    "oval": (Part("ellipse", 6.0, 3.2),),
    "bar": (Part("box", 6.5, 2.2, 0.6),),
    "cross": (Part("box", 5.4, 1.7, 0.2), Part("box", 1.7, 5.4, 0.2)),
    "star": (Part("star", 4.0, 5, 1.3),),
}
_DETAILS: dict[str, tuple[Part, ...]] = {
    "plain": (),
    "bored": (Part("disc", 1.5, top=-1.6, carve=True),),
    "slotted": (Part("box", 7.0, 0.6, top=-1.4, angle=25, carve=True),),
    "ribbed": (Part("stripes", 2.2, 0.5, top=-0.7, carve=True),),
    "pitted": (Part("dots", 2.4, 0.65, top=-0.9, carve=True),),
    "grooved": (Part("ring", 2.4, 0.45, top=-0.9, carve=True),),
    "notched": (Part("half", -1.0, x=0.4, angle=30, top=-0.7, carve=True),),
}

# 8 bodies × 7 details: each identity shares its body with six others and its detail with seven.
IDENTITIES = tuple(
    Geometry(f"{detail}-{body}", parts + carving)
    for body, parts in _BODIES.items()
    for detail, carving in _DETAILS.items()
)
# Calibration tools. Near its top a ball of radius R falls by r²/2R; at r = R = 2 mm that is 1 mm.
BALL = Geometry("ball", (Part("disc", 2.0, crown=1.0),))
# A cube pressed corner first: three faces that fall √2 mm per mm, from a tip blunted by 0.05 mm.
CORNER = Geometry("corner", (Part("polygon", 0.05, 3, angle=90, slope=2**0.5),))
