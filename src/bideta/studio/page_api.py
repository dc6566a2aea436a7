"""Routes of the page: sessions, contacts, results, one contact explained, exports, the example."""

from __future__ import annotations

import secrets
from collections.abc import Callable, Iterator
from importlib.metadata import version
from typing import Annotated, Any

from fastapi import APIRouter, Query, Request
from fastapi.concurrency import run_in_threadpool
from fastapi.responses import JSONResponse, Response, StreamingResponse

from bideta.service import to_label
from bideta.service.choices import PRESETS, PRIORS, preset_prior
from bideta.studio import (
    analysis,
    example,
    export,
    looks,
    page_data,
    quantity_export,
    quantity_results,
    schemas,
    store,
)
from bideta.studio.refused import RefusedError
from bideta.studio.request_body import one, read_form
from bideta.studio.schemas import PROBLEMS
from bideta.studio.serving_api import FILES, LABELS, TEXTS, form, state_of
from bideta.studio.session import Prepared, Session
from bideta.studio.session_contacts import Contact
from bideta.studio.state import State
from bideta.studio.texts import clean_name
from bideta.studio.words import WORDS
from bideta.studio.zip_stream import zipped

router = APIRouter(prefix="/v1", responses=PROBLEMS, tags=["studio"])
SOON = {"cache-control": "private, max-age=60"}  # the background may become another
FOREVER = {"cache-control": "private, max-age=86400, immutable"}  # a contact's picture never changes


@router.post("/login")
async def login(request: Request, body: schemas.Token) -> Response:
    """Exchange the token for a cookie, so that pictures and the stream work in a browser."""
    logins = state_of(request).logins
    if not logins.admits(body.token):
        await logins.pause()
        raise RefusedError(401, "that is not this server's token")
    response = JSONResponse({"status": "ok"})
    if logins.token is not None:
        name, value = logins.cookie()
        response.set_cookie(name, value, httponly=True, samesite="strict")
    return response


@router.get("/info")
async def info(request: Request) -> dict[str, Any]:
    """Version, encoder, limits, and the sensors of the example."""
    state = state_of(request)
    limits = state.limits
    return {
        "version": version("bideta"),
        "encoder": state.encoder_name,
        "readouts": list(state.encoder.info.readouts),
        "image_bytes": limits.image_bytes,
        "request_bytes": limits.request_bytes,
        "files_per_request": limits.files_per_request,
        "lifetime": limits.lifetime,
        "presets": list(PRESETS),
        "priors": list(PRIORS),
        "preset_priors": {name: preset_prior(name) for name in PRESETS},
        "example_sensors": example.sensors(),
        "words": {word: line for word, (line, _) in WORDS.items()},
    }


@router.get("/sessions")
def sessions(request: Request) -> list[dict[str, Any]]:
    """All sessions, last used first."""
    return state_of(request).sessions.listing()


@router.post("/sessions", response_model=schemas.SessionRef, status_code=201)
def create(request: Request, body: schemas.NewSession) -> Any:
    """Start a session."""
    return {"session": state_of(request).sessions.create(body.title).id}


@router.get("/sessions/{session}", response_model=schemas.SessionView)
def view(request: Request, session: str) -> Any:
    """A session's contacts and settings."""
    state = state_of(request)
    with state.sessions.use(session) as opened:
        return _view(opened, state.background)


@router.patch("/sessions/{session}", response_model=schemas.SessionView)
def rename(request: Request, session: str, body: schemas.TitleChange) -> Any:
    """Change a session's title."""
    state = state_of(request)
    with state.sessions.use(session) as opened:
        opened.change(title=clean_name(body.title, opened.limits)[:80])
        return _view(opened, state.background)


@router.delete("/sessions/{session}", status_code=204)
def delete(request: Request, session: str) -> None:
    """Delete a session with all it holds."""
    state_of(request).sessions.delete(session)


def _view(session: Session, background: Any) -> dict[str, Any]:
    meta, adapted = session.meta, session.adapted
    with session.lock:
        stale = adapted is not None and analysis.changed_since(session, adapted)
        rows = [_row(c) for c in session.contacts.values()]
    return {
        "session": session.id,
        "title": meta.title,
        "encoder": meta.encoder,
        "preset": meta.preset,
        "prior": meta.prior,
        "simulated": meta.simulated,
        "adapted": adapted is not None,
        "stale": stale,
        "measures": quantity_results.exists(session),
        "bytes": session.bytes,
        "background": looks.has_background(session, background),
        "damaged": list(session.damaged.values()),
        "contacts": rows,
    }


def _row(contact: Contact) -> dict[str, Any]:
    return {name: getattr(contact, name) for name in schemas.ContactRow.model_fields}


KEY = {"type": "string", "description": "a repeated upload with the same key is stored once"}
FORM = {
    "requestBody": {
        "required": True,
        "content": form({"required": ["files"]}, files=FILES, **LABELS, truths=TEXTS, key=KEY),
    }
}


@router.post("/sessions/{session}/contacts", response_model=schemas.Stored, openapi_extra=FORM)
async def add(request: Request, session: str) -> Any:
    """Add images. With ``labels`` they join the support; ``truths`` are for scoring only.

    Frames of one press are nearly alike: with the same text in ``presses`` they are left out together wherever the
    sensor is tested on its own labelled contacts. One of each for all files, or one for each file. Files that cannot be
    read are named, the others are stored.
    """
    state = state_of(request)
    fields, uploads = await read_form(request, state.limits, ("labels", "truths", "presses", "key"))
    if not uploads:
        raise RefusedError(422, "there is no image in the form: send them as parts called 'files'")
    key = (one(fields, "key") or secrets.token_hex(8))[:64]
    done = await state.compute(session, Session.prepare, uploads, state.encoder, key)
    return await run_in_threadpool(_store, state, session, done)  # the disk is slow, and needs no slot


def _store(state: State, name: str, done: Prepared) -> dict[str, Any]:
    with state.sessions.use(name) as session:
        part = session.store(done)
        return {"added": [_row(contact) for contact in part.contacts], "rejected": part.rejected}


@router.patch("/sessions/{session}/contacts/{contact}", response_model=schemas.ContactRow)
def label(request: Request, session: str, contact: str, body: schemas.LabelChange) -> Any:
    """Change a contact's label without adapting again."""
    with state_of(request).sessions.use(session) as opened:
        return _row(opened.set_label(contact, body.label))


@router.delete("/sessions/{session}/contacts/{contact}", status_code=204)
def remove(request: Request, session: str, contact: str) -> None:
    """Remove a contact."""
    with state_of(request).sessions.use(session) as opened:
        opened.remove(contact)


@router.put("/sessions/{session}/contacts/{contact}", response_model=schemas.ContactRow)
def bring_back(request: Request, session: str, contact: str, body: schemas.LabelChange) -> Any:
    """Bring back a contact that was removed, with this label."""
    with state_of(request).sessions.use(session) as opened:
        return _row(opened.bring_back(contact, body.label))


@router.get("/sessions/{session}/contacts/{contact}/image")
def image(
    request: Request, session: str, contact: str, look: looks.Look = "picture", large: bool = False
) -> Response:
    """The contact's picture as PNG: as it is, minus the background, or with enlarged contrast."""
    state = state_of(request)
    with state.sessions.use(session) as opened:
        content = looks.shown(opened, opened.find(contact), look, large, state.background)
    headers = SOON if look == "difference" else FOREVER
    return Response(content, media_type="image/png", headers=headers)


@router.get("/sessions/{session}/contacts/{contact}/explain")
async def explain(request: Request, session: str, contact: str) -> Any:
    """Why an unlabelled contact got its label."""

    def work(opened: Session) -> dict[str, Any]:
        query = opened.find(contact)
        if query.label is not None:
            raise RefusedError(409, "this contact has a label; only unlabelled ones are explained")
        return page_data.explain(analysis.outcome(opened), query)

    return JSONResponse(await state_of(request).compute(session, work))


@router.get("/sessions/{session}/results")
async def results(request: Request, session: str) -> Any:
    """Everything the page shows about an adapted session."""

    def work(opened: Session) -> dict[str, Any]:
        made = page_data.results(analysis.outcome(opened))
        return {**made, "progress": opened.meta.progress}

    return JSONResponse(await state_of(request).compute(session, work))


@router.get("/sessions/{session}/health")
async def health(request: Request, session: str) -> dict[str, Any]:
    """How the gel was after every press of the session's live stream: state, score, loss, what to label."""
    state = state_of(request)
    await state.compute(session, lambda known: known.id)  # or 404
    return {"points": state.gels.history(session)}


@router.get("/sessions/{session}/suggestions", response_model=schemas.Suggestions)
async def suggestions(
    request: Request, session: str, count: Annotated[int, Query(ge=1, le=100)] = analysis.SUGGESTED
) -> Any:
    """Contacts to label next, best first, and what they probably are. Before any label they stand for the others."""
    return await state_of(request).compute(session, analysis.to_label, count)


def _artifact(session: Session) -> bytes:
    with session.lock:
        analysis.current(session)
        return (session.folder / store.SENSOR).read_bytes()


def _zip(state: State, name: str) -> Iterator[bytes]:
    """The session stays in memory until the last piece is sent."""
    with state.sessions.use(name) as session:
        yield from zipped(export.files(session))


ARCHIVE = "contacts.zip"
EXPORTS: dict[str, tuple[str, Callable[[Session], bytes]]] = {
    "sensor.bideta": ("application/octet-stream", _artifact),
    "predictions.csv": ("text/csv; charset=utf-8", lambda s: export.table(analysis.outcome(s)).encode()),
    "quantities.bideta": ("application/octet-stream", quantity_export.artifact),
    "quantities.csv": (
        "text/csv; charset=utf-8",
        lambda s: quantity_export.table(s, export.paths(s)).encode(),
    ),
    "fiftyone.json": ("application/json", lambda s: to_label.fiftyone(export.doubtful(s))),
    "label-studio.json": ("application/json", lambda s: to_label.label_studio(export.doubtful(s))),
    ARCHIVE: ("application/zip", lambda s: b""),  # sent piece by piece, once the session is known to open
    "command.txt": ("text/plain; charset=utf-8", lambda s: export.command(s).encode()),
}


@router.get("/sessions/{session}/export/{what}")
async def export_file(request: Request, session: str, what: str) -> Response:
    """Download the sensor, its answers, its quantities, its contacts or the commands that repeat them (``EXPORTS``)."""
    if what not in EXPORTS:
        raise RefusedError(404, f"there is no such export; expected {', '.join(EXPORTS)}")
    media, make = EXPORTS[what]
    state = state_of(request)
    content = await state.compute(session, make)
    headers = {"content-disposition": f'attachment; filename="{what}"'}
    if what == ARCHIVE:
        return StreamingResponse(_zip(state, session), media_type=media, headers=headers)
    return Response(content, media_type=media, headers=headers)


@router.post("/example", status_code=202)
async def open_example(request: Request, body: schemas.ExampleRequest) -> dict[str, Any]:
    """Start to make an example session with a simulated sensor; watch ``/v1/jobs/{job}``."""
    if body.sensor not in example.sensors():
        raise RefusedError(422, f"unknown sensor; expected one of {', '.join(example.sensors())}")
    return vars(state_of(request).start_example(body.sensor))


@router.get("/jobs/{job}")
async def job(request: Request, job: str) -> dict[str, Any]:
    """How far a long job is."""
    running = state_of(request).jobs.get(job)
    if running is None:
        raise RefusedError(404, "there is no such job; the server may have been restarted. Start it again")
    return vars(running)
