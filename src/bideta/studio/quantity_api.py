"""Quantities over HTTP: a session's contacts get numbers, and the sensor answers value, lower, upper with units."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from fastapi import APIRouter, Request
from pydantic import BaseModel, ConfigDict, Field

from bideta.encoders import Readouts
from bideta.images.batch_check import BatchCheck
from bideta.quantity_sensor import COVERAGE
from bideta.service.encoding import Parts
from bideta.service.quantity_answers import values
from bideta.studio import analysis, quantity_results
from bideta.studio.pictures import Upload, decode
from bideta.studio.quantity_table import MOST_TARGETS, Known
from bideta.studio.refused import RefusedError
from bideta.studio.request_body import is_form, need, one, read_form, read_json
from bideta.studio.schemas import PROBLEMS, SESSION
from bideta.studio.serving_api import state_of
from bideta.studio.session import Session
from bideta.studio.session_contacts import sketches_of
from bideta.studio.state import State

router = APIRouter(prefix="/v1/quantities", responses=PROBLEMS, tags=["quantities"])


class Measured(BaseModel):
    """Quantities of some contacts of a session."""

    model_config = ConfigDict(extra="forbid")

    session: str = Field(examples=[SESSION])
    targets: list[str] = Field(min_length=1, max_length=MOST_TARGETS, examples=[["depth_mm", "tilt_x_deg"]])
    periods: dict[str, float] = Field({}, description="of angles", examples=[{"turn_deg": 360}])
    values: dict[str, list[float]] = Field(
        description="contact → one number for each target", examples=[{"1-0": [1.2, -3.5]}]
    )


class Asked(BaseModel):
    """Contacts whose quantities are asked: the session's own where no readouts are given."""

    model_config = ConfigDict(extra="forbid")

    session: str = Field(examples=[SESSION])
    coverage: float = Field(COVERAGE, gt=0, lt=1)
    readouts: list[list[list[float]]] | None = None


@router.post("/adapt")
async def adapt(request: Request) -> Any:
    """Learn quantities from contacts of a session; answers how far left-out contacts are off."""
    state, body = state_of(request), await read_json(request, Measured)
    return await state.compute(body.session, _adapt, state, body)


@router.post("/predict")
async def predict(request: Request) -> Any:
    """Value, lower and upper of every quantity: of stored contacts or readouts (JSON), or of images (form)."""
    state = state_of(request)
    if not is_form(request):
        body = await read_json(request, Asked)
        return await state.compute(body.session, _predict, state, body, None)
    fields, uploads = await read_form(request, state.limits, ("session", "coverage"))
    if not uploads:
        raise RefusedError(422, "a form needs at least one image as part 'files'")
    text = one(fields, "coverage") or str(COVERAGE)
    try:
        asked = Asked(session=need(fields, "session"), coverage=float(text))
    except ValueError as error:
        raise RefusedError(422, f"coverage is {text[:20]!r}, expected a share such as 0.9") from error
    return await state.compute(asked.session, _predict, state, asked, uploads)


def _adapt(session: Session, state: State, body: Measured) -> dict[str, Any]:
    with session.lock:
        unknown = [name for name in body.values if name not in session.contacts]
        if unknown or not body.values:
            raise RefusedError(422, f"values names no contact of this session: {str(unknown[:1])[:80]}")
        numbers = list(body.values.values())
        if {len(row) for row in numbers} != {len(body.targets)}:
            raise RefusedError(
                422, f"values: expected {len(body.targets)} numbers for each contact, one per target"
            )
        if not all(math.isfinite(number) for row in numbers for number in row):
            raise RefusedError(422, "values hold NaN or infinity")
        known = Known(body.targets, body.values, learned=list(body.values), periods=body.periods)
        regressor = quantity_results.learn(session, known, state.encoder_settings, state.background)
    sensor = regressor.sensor_
    errors = sensor.left_out_errors()
    off = [None] * len(sensor.targets) if errors is None else errors.tolist()
    found = zip(sensor.targets, off, strict=True)
    return {
        "session": session.id,
        "labelled": len(numbers),
        "targets": [
            {"column": t.column, "name": t.name, "unit": t.unit, "left_out_error": e} for t, e in found
        ],
    }


def _predict(session: Session, state: State, asked: Asked, uploads: list[Upload] | None) -> dict[str, Any]:
    adapted, known = quantity_results.current(session)
    rejected: list[dict[str, str]] = []
    ids: list[str | None]
    looks = None
    if uploads is not None:
        parts = Parts(state.encoder)
        pictures, rejected = decode(uploads, state.limits, parts.add, parts.prepare)
        if not pictures:
            raise RefusedError(422, f"none of the images can be read; the first: {rejected[0]['error']}")
        names = [picture.upload.name for picture in pictures]
        ids = [None] * len(names)
        readouts, looks = parts.readouts(), np.array([picture.sketch for picture in pictures])
    elif asked.readouts is not None:
        readouts = _readouts(asked.readouts)
        names = [str(i) for i in range(len(readouts[0]))]
        ids = [None] * len(names)
    else:
        contacts = list(session.contacts.values())
        readouts = analysis.stack(contacts)
        names, ids = [contact.name for contact in contacts], [contact.id for contact in contacts]
        learned = {contact.id for contact in known.support(session)}
        looks = sketches_of([contact for contact in contacts if contact.id not in learned] or contacts)
    try:
        result = adapted.infer(readouts, asked.coverage, sketches=looks)
    except ValueError as error:
        raise RefusedError(422, str(error)) from error
    rows = [
        {"id": id_, "name": name, "foreign": bool(result.foreign[i]), "values": values(result, i)}
        for i, (id_, name) in enumerate(zip(ids, names, strict=True))
    ]
    check = result.check or BatchCheck("unknown", "readouts have no pictures to be checked")
    return {
        "session": session.id,
        "coverage": asked.coverage,
        "contacts": rows,
        "check": check.facts(),
        "rejected": rejected,
    }


def _readouts(given: list[list[list[float]]]) -> Readouts:
    try:
        return tuple(np.array(rows, np.float32) for rows in given)
    except ValueError as error:
        raise RefusedError(422, "readouts: expected arrays of rows of equal length") from error
