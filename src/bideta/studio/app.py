"""The application: routes, error texts, the page, and the guard around all of it."""

from __future__ import annotations

import asyncio
import contextlib
import gc
import inspect
import logging
import sys
from collections.abc import AsyncIterator, Callable, Iterable
from importlib.metadata import version
from pathlib import Path
from typing import Any

import anyio.to_thread
import numpy as np
from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import FileResponse, HTMLResponse, JSONResponse, PlainTextResponse, Response
from fastapi.staticfiles import StaticFiles
from numpy.typing import NDArray
from PIL import Image
from starlette.exceptions import HTTPException

from bideta.encoders.runners.threads import cores
from bideta.images.png import png
from bideta.plugins import find
from bideta.service.backgrounds import load_against
from bideta.service.choices import DEFAULT_ENCODER
from bideta.service.encoding import Parts
from bideta.studio import (
    api_page,
    conversation,
    page_api,
    quantity_api,
    quantity_page_api,
    serving_api,
    simulated_api,
    store,
)
from bideta.studio.compute import BusyError, Pool, TooLongError
from bideta.studio.guard import Guard, TooLargeError, TooSlowError
from bideta.studio.limits import Limits
from bideta.studio.logins import Logins
from bideta.studio.pictures import Upload, decode
from bideta.studio.refused import RefusedError
from bideta.studio.request_body import problem_text
from bideta.studio.sessions import Sessions
from bideta.studio.state import State
from bideta.studio.texts import LabelError

STATIC = Path(__file__).parent / "static"
DISK_THREADS = 8  # that read and write files beside the compute slots; more only fight for the interpreter
# s until a waiting event loop takes the interpreter back from a computation; Python's own is 0.005. The loop gives it
# away at every read and write, several times for each request: with 256 clients these waits add up to a second.
SWITCH = 0.0003
SWEEP = 60.0  # s between two looks for expired sessions
LOG = logging.getLogger("bideta.studio")


def create_app(
    home: Path,
    encoder: str = DEFAULT_ENCODER,
    settings: dict[str, Any] | None = None,
    *,
    limits: Limits | None = None,
    slots: int | None = None,
    token: str | None = None,
    hosts: Iterable[str] = (),
    download: bool = False,
    any_address: bool = False,
    background: NDArray[np.uint8] | None = None,
) -> FastAPI:
    """The server as an ASGI application; ``home`` is where sessions are kept.

    ``slots`` computations run at a time, each with its share of the cores. ``token`` is asked of every request
    where it is set. ``hosts`` are names of this machine beside loopback's. ``download`` allows the encoder to fetch
    its weights. ``background`` is the sensor without a contact, for encoders that ask for it; sensors keep it.
    """
    limits, settings = limits or Limits(), dict(settings or {})
    logins = Logins(token)  # before anything is loaded: a bad token is said at once
    slots = cores() if slots is None else slots
    threads = max(1, cores() // slots)
    shared = _with_threads(encoder, settings, threads)
    loaded = load_against(encoder, shared, background, download=download)
    state = State(
        encoder=loaded,
        encoder_name=encoder,
        encoder_settings=settings,
        background=background,
        sessions=Sessions(home, loaded, encoder, limits),
        pool=Pool(slots, limits.queue, threads, limits.answer_seconds),
        limits=limits,
        logins=logins,
    )
    app = FastAPI(
        title="bideta",
        version=version("bideta"),
        description="Adapt a frozen tactile encoder to a new sensor, and ask it.",
        docs_url=None,  # its page loads scripts from elsewhere; ours is ``api_page``
        redoc_url=None,
        lifespan=_lifespan,
    )
    app.state.studio = state
    for routes in (serving_api, quantity_api, quantity_page_api, page_api, simulated_api, conversation):
        app.include_router(routes.router)
    app.add_api_route("/", _page, include_in_schema=False)
    app.add_api_route("/docs", _docs, include_in_schema=False)
    app.add_api_route("/metrics", _metrics, response_class=PlainTextResponse, tags=["operation"])
    app.add_api_route("/healthz", _health, tags=["operation"])  # for the description; the guard answers it
    app.mount("/static", StaticFiles(directory=STATIC), name="static")
    for kind in PROBLEMS:
        app.add_exception_handler(kind, _problem)
    app.add_middleware(Guard, state=state, hosts=hosts, any_address=any_address)
    return app


def _with_threads(encoder: str, settings: dict[str, Any], threads: int) -> dict[str, Any]:
    """The settings, with the slot's share of threads where the encoder takes such a setting and none was given."""
    known = inspect.signature(find("encoder", encoder).load).parameters
    return {"threads": threads, **settings} if "threads" in known else settings


@contextlib.asynccontextmanager
async def _lifespan(app: FastAPI) -> AsyncIterator[None]:
    state: State = app.state.studio
    anyio.to_thread.current_default_thread_limiter().total_tokens = DISK_THREADS
    sys.setswitchinterval(SWITCH)
    await asyncio.to_thread(_warm_up, app)
    sweeper = asyncio.create_task(_sweep(state))
    try:
        yield
    finally:
        sweeper.cancel()
        gc.unfreeze()
        for task in list(state.tasks):
            task.cancel()
        state.left_behind = not await asyncio.to_thread(state.pool.close)
        state.sessions.close()


def _warm_up(app: FastAPI) -> None:
    """Work that would delay the first request, and every health check beside it, is done before."""
    state: State = app.state.studio
    app.openapi()  # builds all models
    blank = png(Image.new("RGB", (64, 64)))
    parts = Parts(state.encoder)
    decode([Upload("blank", blank)], state.limits, parts.add, parts.prepare)
    parts.readouts()
    # What exists now stays. Without this the collector walks over all of it again and again, 0.2 s each time.
    gc.collect()
    gc.freeze()


async def _sweep(state: State) -> None:
    while True:
        try:
            await asyncio.to_thread(state.sessions.sweep)
        except OSError:
            LOG.exception("cannot remove expired sessions")
        await asyncio.sleep(SWEEP)


async def _page() -> FileResponse:
    """The page."""
    return FileResponse(STATIC / "index.html", headers={"cache-control": "no-cache"})


async def _docs(request: Request) -> HTMLResponse:
    """The API for people."""
    return HTMLResponse(api_page.page(request.app.openapi()))


async def _metrics(request: Request) -> PlainTextResponse:
    """Counters in Prometheus' text format."""
    state = serving_api.state_of(request)
    return PlainTextResponse(state.metrics.text(state.gauges()), media_type="text/plain; version=0.0.4")


async def _health(request: Request) -> dict[str, Any]:
    """The server is up; answered without waiting for any computation."""
    return serving_api.state_of(request).health()


CLOSE = {"connection": "close"}  # the body may still be on its way
# Error → status, text and headers of the answer.
PROBLEMS: dict[type[Exception], Callable[[Any], tuple[int, str, dict[str, str]]]] = {
    RefusedError: lambda error: (error.status, str(error), {}),
    BusyError: lambda error: (429, str(error), {"retry-after": str(error.retry_after), **CLOSE}),
    TooLongError: lambda error: (504, str(error), {}),
    OSError: lambda error: _disk(error),
    LabelError: lambda error: (422, str(error), {}),
    RequestValidationError: lambda error: (422, problem_text(error.errors()), {}),
    HTTPException: lambda error: (error.status_code, str(error.detail), {}),
    TooLargeError: lambda error: (413, str(error), CLOSE),
    TooSlowError: lambda error: (408, "the request did not arrive in time", CLOSE),
}


def _disk(error: OSError) -> tuple[int, str, dict[str, str]]:
    if not store.disk_full(error):
        raise error
    return 507, "the server's disk is full; nothing was changed. Delete sessions, or make room", {}


async def _problem(request: Request, error: Exception) -> Response:
    kind = next(kind for kind in type(error).__mro__ if kind in PROBLEMS)
    status, text, headers = PROBLEMS[kind](error)
    return JSONResponse({"error": text}, status, headers)
