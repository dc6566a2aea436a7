"""Routes of the page's simulated source: which object a press touches, and its frames."""

from __future__ import annotations

from typing import Any

from fastapi import APIRouter, Request
from fastapi.responses import Response

from bideta.studio import example
from bideta.studio.refused import RefusedError
from bideta.studio.schemas import PROBLEMS
from bideta.studio.serving_api import state_of
from bideta.studio.simulated_touch import MOST, PAUSE, SimulatedPress, simulated_press

router = APIRouter(prefix="/v1/simulated/{sensor}/{press}", responses=PROBLEMS, tags=["studio"])
DAY = {"cache-control": "private, max-age=86400, immutable"}  # a press never changes


async def _press(request: Request, sensor: str, number: int) -> SimulatedPress:
    if sensor not in example.sensors():
        raise RefusedError(404, f"unknown sensor; expected one of {', '.join(example.sensors())}")
    if not 0 <= number < MOST:
        raise RefusedError(404, f"press {number}, expected 0 to {MOST - 1}")
    return await state_of(request).pool.run(simulated_press, sensor, number)


@router.get("")
async def press(request: Request, sensor: str, press: int) -> dict[str, Any]:
    """The object of a simulated press, its frames, and how many of them are untouched at the start."""
    found = await _press(request, sensor, press)
    return {"object": found.object, "frames": len(found.frames), "untouched": PAUSE}


@router.get("/{frame}")
async def frame(request: Request, sensor: str, press: int, frame: int) -> Response:
    """One frame as PNG."""
    found = await _press(request, sensor, press)
    if not 0 <= frame < len(found.frames):
        raise RefusedError(404, f"frame {frame}, expected 0 to {len(found.frames) - 1}")
    return Response(found.frames[frame], media_type="image/png", headers=DAY)
