"""A request's body as files and fields: multipart with images, or JSON."""

from __future__ import annotations

import json
from collections.abc import Collection
from dataclasses import replace
from typing import Any, TypeVar

from fastapi import Request
from fastapi.concurrency import run_in_threadpool
from pydantic import BaseModel, ValidationError
from starlette.datastructures import UploadFile
from starlette.exceptions import HTTPException

from bideta.studio.limits import Limits
from bideta.studio.pictures import Upload
from bideta.studio.refused import RefusedError

M = TypeVar("M", bound=BaseModel)
FIELD_BYTES = 64 * 1024  # of a text field
TOO_MANY = "Too many files"  # how starlette's complaint about their number begins
LARGE = 64 * 1024  # bytes of JSON that would hold up the event loop


async def read_form(
    request: Request, limits: Limits, known: Collection[str]
) -> tuple[dict[str, list[str]], list[Upload]]:
    """Text fields and files of a multipart body; files are parts called ``files``, other names must be ``known``.

    The fields ``labels``, ``truths`` and ``presses`` say something about the files: one for all, or one each.
    """
    if not is_form(request):
        raise RefusedError(415, "expected multipart/form-data with the images as parts called 'files'")
    fields: dict[str, list[str]] = {}
    uploads = []
    try:
        async with request.form(
            max_files=limits.files_per_request,
            max_fields=4 * limits.files_per_request,
            max_part_size=FIELD_BYTES,
        ) as form:
            for name, value in form.multi_items():
                if isinstance(value, UploadFile):
                    uploads.append(Upload(value.filename or "unnamed", await value.read()))
                else:
                    fields.setdefault(name, []).append(value)
    except HTTPException as error:
        if str(error.detail).startswith(TOO_MANY):
            raise RefusedError(
                413,
                f"the form has more than {limits.files_per_request} files, the most of one request: add them to a "
                "session in parts (POST /v1/sessions/{session}/contacts), then adapt or predict with the session alone",
            ) from error
        raise RefusedError(422, f"the form cannot be read: {error.detail}") from error
    if not fields.keys() <= set(known):  # a misspelt one must not be lost without a word
        raise RefusedError(422, f"the form has a field of another name; expected files, {', '.join(known)}")
    texts = [_each(fields, name, len(uploads)) for name in ("labels", "truths", "presses")]
    return fields, [
        replace(upload, label=label, truth=truth, press=press)
        for upload, label, truth, press in zip(uploads, *texts, strict=True)
    ]


def is_form(request: Request) -> bool:
    """True for multipart bodies."""
    return request.headers.get("content-type", "").lower().startswith("multipart/form-data")


async def read_json(request: Request, model: type[M]) -> M:
    """The body as a model; a readable error otherwise."""
    content = await request.body()
    try:
        if len(content) < LARGE:
            return model.model_validate(json.loads(content))
        async with request.app.state.studio.parsing:  # one at a time: it takes a hundred times the text
            return await run_in_threadpool(lambda: model.model_validate(json.loads(content)))
    except ValidationError as error:
        raise RefusedError(422, problem_text(error.errors())) from error
    except (ValueError, RecursionError) as error:
        raise RefusedError(422, "the body is not valid JSON") from error


def one(fields: dict[str, list[str]], name: str) -> str | None:
    """The only value of a field, or None."""
    values = fields.get(name, [])
    if len(values) > 1:
        raise RefusedError(422, f"the field {name!r} came {len(values)} times, expected once")
    return values[0] if values else None


def need(fields: dict[str, list[str]], name: str) -> str:
    """The value of a field that must be there."""
    value = one(fields, name)
    if not value:
        raise RefusedError(422, f"the field {name!r} is missing")
    return value


def _each(fields: dict[str, list[str]], name: str, count: int) -> list[str | None]:
    """One value for every file: one given for all is repeated; None where none came, or an empty text."""
    values = fields.get(name, [""])
    if count and len(values) not in (1, count):
        raise RefusedError(
            422, f"{count} files and {len(values)} fields {name!r}: expected one for all, or one each"
        )
    return [value or None for value in (values * count if len(values) == 1 else values)][:count]


def problem_text(errors: Any) -> str:
    """pydantic's complaints in one line; what the client sent is not repeated."""
    lines = []
    for error in list(errors)[:5]:
        place = ".".join(str(part) for part in error.get("loc", ()) if part != "body")[:80]
        lines.append(f"{place}: {error.get('msg', 'invalid')}" if place else str(error.get("msg", "invalid")))
    return "; ".join(lines)
