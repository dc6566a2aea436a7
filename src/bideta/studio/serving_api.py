"""The serving API: adapt, predict, rank, learn. Bodies are parsed here, computing happens in the pool."""

from __future__ import annotations

import re
import secrets
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from fastapi import APIRouter, Request

from bideta.classifier import Classifier
from bideta.encoders import Readouts
from bideta.service.answers import Answers
from bideta.service.encoding import Parts
from bideta.studio import analysis, schemas
from bideta.studio.compute import BusyError
from bideta.studio.pictures import Upload, decode
from bideta.studio.refused import RefusedError
from bideta.studio.request_body import is_form, need, one, read_form, read_json
from bideta.studio.schemas import PROBLEMS
from bideta.studio.session import Session
from bideta.studio.session_contacts import press_numbers
from bideta.studio.state import State
from bideta.studio.texts import clean_label

router = APIRouter(prefix="/v1", responses=PROBLEMS, tags=["serving"])
FILES = {"type": "array", "items": {"type": "string", "format": "binary"}}


def state_of(request: Any) -> State:
    """The server's state."""
    return request.app.state.studio


def either(model: type[Any], **fields: Any) -> dict[str, Any]:
    """OpenAPI of a body that is JSON, or a form with images."""
    schema = model.model_json_schema(ref_template="#/components/schemas/{model}")
    forms = form({}, session={"type": "string"}, files=FILES, **fields)
    return {"requestBody": {"required": True, "content": {"application/json": {"schema": schema}, **forms}}}


def form(facts: dict[str, Any], **fields: Any) -> dict[str, Any]:
    """OpenAPI of a form with these fields; ``facts`` say more about it."""
    return {"multipart/form-data": {"schema": {"type": "object", **facts, "properties": fields}}}


TEXTS = {"type": "array", "items": {"type": "string"}}
LABELS = {
    "labels": {**TEXTS, "description": "one for all files, or one each"},
    "presses": {**TEXTS, "description": "equal for frames of one press; empty: a press of its own"},
}


@router.post("/adapt", response_model=schemas.Adapted, openapi_extra=either(schemas.AdaptRequest, **LABELS))
async def adapt(request: Request) -> Any:
    """Adapt to labelled contacts: those of a session (JSON), or images with labels (form).

    A form without ``session`` starts a new one; with it, the images are added first.
    """
    state = state_of(request)
    if not is_form(request):
        body = await read_json(request, schemas.AdaptRequest)
        return await state.compute(body.session, _adapt, state, body.preset, body.prior)
    fields, uploads = await read_form(
        request, state.limits, ("labels", "presses", "session", "preset", "prior")
    )
    if not uploads or "labels" not in fields:
        raise RefusedError(422, "a form to /v1/adapt needs 'files' and 'labels'")
    texts = (one(fields, name) for name in ("session", "preset", "prior"))
    return await state.pool.run(_adapt_images, state, uploads, *texts)


def _adapt(session: Session, state: State, preset: str | None, prior: str | None) -> dict[str, Any]:
    state.adapt(session, preset, prior)
    return _adapted(session)


def _adapt_images(
    state: State, uploads: list[Upload], name: str | None, preset: str | None = None, prior: str | None = None
) -> dict[str, Any]:
    with state.sessions.use(name or state.sessions.create().id) as session:
        try:
            part = session.add(uploads, state.encoder, secrets.token_hex(8))
            if not part.contacts:
                raise RefusedError(
                    422, f"none of the images can be read; the first: {part.rejected[0]['error']}"
                )
            state.adapt(session, preset, prior)
        except (RefusedError, BusyError, ValueError, OSError):
            if name is None:  # the session was made for this request, and no client knows of it
                state.sessions.delete(session.id)
            raise
        return {**_adapted(session), "rejected": part.rejected}


def _adapted(session: Session) -> dict[str, Any]:
    return {
        "session": session.id,
        "classes": [str(c) for c in analysis.need_adapted(session).classes_],
        "labelled": len(session.support),
        "presses": len(set(press_numbers(session.support))),
        "unlabelled": len(session.queries),
    }


@router.post("/predict", response_model=schemas.Predictions, openapi_extra=either(schemas.PredictRequest))
async def predict(request: Request) -> Any:
    """Label a batch jointly: the session's unlabelled contacts or given readouts (JSON), or images (form).

    Images in a form are answered and forgotten.
    """
    state = state_of(request)
    batch = await _batch(request, schemas.PredictRequest)
    return await state.compute(batch.session, _predict, state, batch)


@router.post(
    "/rank",
    response_model=schemas.Rankings,
    openapi_extra=either(schemas.RankRequest, top={"type": "integer", "default": schemas.TOP}),
)
async def rank(request: Request) -> Any:
    """Rank the enrolled identities for a batch, best first; the same bodies as ``/v1/predict``, and ``top``."""
    state = state_of(request)
    batch = await _batch(request, schemas.RankRequest)
    return await state.compute(batch.session, _rank, state, batch)


@dataclass(frozen=True)
class Batch:
    """What a request wants answered: uploads, readouts, or without both the session's unlabelled contacts."""

    session: str
    top: int = schemas.TOP
    readouts: Readouts | None = None
    uploads: list[Upload] | None = None


async def _batch(request: Request, model: type[schemas.PredictRequest]) -> Batch:
    state = state_of(request)
    if not is_form(request):
        body = await read_json(request, model)
        top = body.top if isinstance(body, schemas.RankRequest) else schemas.TOP
        # Arrays at once: numbers of Python take eight times as much, and many requests may wait in the queue.
        return Batch(body.session, top, None if body.readouts is None else _arrays(body.readouts))
    fields, uploads = await read_form(request, state.limits, ("session", "top"))
    if not uploads:
        raise RefusedError(422, "a form needs at least one image as part 'files'")
    text = one(fields, "top") or str(schemas.TOP)
    if not re.fullmatch("[0-9]{1,9}", text) or not 1 <= int(text) <= schemas.MOST:
        raise RefusedError(422, f"top is {text[:20]!r}, expected a number from 1 to {schemas.MOST}")
    return Batch(need(fields, "session"), int(text), uploads=uploads)


def _answer(
    session: Session, state: State, batch: Batch
) -> tuple[Answers, list[tuple[str | None, str]], list[dict[str, str]]]:
    """Answers, id and name of every contact, and what could not be read."""
    adapted = analysis.need_adapted(session)
    rejected: list[dict[str, str]] = []
    if batch.uploads is not None:
        parts = Parts(state.encoder)
        pictures, rejected = decode(batch.uploads, state.limits, parts.add, parts.prepare)
        if not pictures:
            raise RefusedError(422, f"none of the images can be read; the first: {rejected[0]['error']}")
        names = [picture.upload.name for picture in pictures]
        readouts, looks = parts.readouts(), np.array([picture.sketch for picture in pictures])
    elif batch.readouts is not None:
        _check_readouts(batch.readouts, adapted)
        readouts, looks = batch.readouts, None
        names = [str(i) for i in range(len(readouts[0]))]
    else:
        outcome = analysis.outcome(session)
        return outcome.answers, [(contact.id, contact.name) for contact in outcome.queries], []
    return analysis.answer(session, adapted, readouts, looks), [(None, name) for name in names], rejected


def _arrays(given: list[list[list[float]]]) -> Readouts:
    """The caller's readouts as arrays."""
    try:
        return tuple(np.array(rows, np.float32) for rows in given)
    except ValueError as error:
        raise RefusedError(422, "readouts: expected arrays of rows of equal length") from error


def _check_readouts(readouts: Readouts, adapted: Classifier) -> None:
    """An error where they are not those of the sensor's encoder."""
    widths, m = adapted.sensor_.widths, len(readouts[0])
    if not m or [H.shape for H in readouts] != [(m, width) for width in widths]:
        shapes = " and ".join(str(H.shape) for H in readouts[:8])
        expected = " and ".join(f"(m, {width})" for width in widths)
        raise RefusedError(422, f"readouts have shapes {shapes}, expected {expected}")
    if not all(np.isfinite(H).all() for H in readouts):
        raise RefusedError(422, "readouts hold NaN or infinity")


def _predict(session: Session, state: State, batch: Batch) -> dict[str, Any]:
    answers, contacts, rejected = _answer(session, state, batch)
    rows = [
        {"id": id_, "name": name, "proba": proba, **row}
        for (id_, name), row, proba in zip(
            contacts, answers.rows(), answers.result.proba.tolist(), strict=True
        )
    ]
    return {
        "session": batch.session,
        "classes": answers.classes,
        "contacts": rows,
        "check": answers.check.facts(),
        "no_reliability": answers.no_reliability,
        "rejected": rejected,
    }


def _rank(session: Session, state: State, batch: Batch) -> dict[str, Any]:
    answers, contacts, rejected = _answer(session, state, batch)
    classes = answers.classes
    rows = [
        {"id": id_, "name": name, "ranking": [classes[c] for c in best[: batch.top]]}
        for (id_, name), best in zip(contacts, answers.order.tolist(), strict=True)
    ]
    return {
        "session": batch.session,
        "contacts": rows,
        "check": answers.check.facts(),
        "rejected": rejected,
    }


@router.post(
    "/learn",
    response_model=schemas.Adapted,
    openapi_extra=either(schemas.LearnRequest, label={"type": "string"}),
)
async def learn(request: Request) -> Any:
    """Add a label and adapt again: of a stored contact (JSON), or of a new image (form)."""
    state = state_of(request)
    if not is_form(request):
        body = await read_json(request, schemas.LearnRequest)
        return await state.compute(body.session, _learn, state, body.contact, body.label)
    fields, uploads = await read_form(request, state.limits, ("session", "label"))
    label = need(fields, "label")
    labelled = [replace(upload, label=label) for upload in uploads]
    if not labelled:
        raise RefusedError(422, "a form to /v1/learn needs 'files' and 'label'")
    return await state.pool.run(_adapt_images, state, labelled, need(fields, "session"))


def _learn(session: Session, state: State, contact: str, label: str) -> dict[str, Any]:
    if clean_label(label, state.limits) is None:
        raise RefusedError(422, "the label is empty")
    session.set_label(contact, label)
    state.adapt(session)
    return _adapted(session)
