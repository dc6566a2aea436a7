"""Routes of the page for quantities: give a table or a sensor that measures, see what it says."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import Any

from fastapi import APIRouter, Request
from fastapi.responses import JSONResponse

from bideta.quantity_sensor import COVERAGE
from bideta.studio import quantity_results, quantity_table, store
from bideta.studio.pictures import Upload
from bideta.studio.quantity_table import Known
from bideta.studio.refused import RefusedError
from bideta.studio.request_body import one, read_form
from bideta.studio.schemas import PROBLEMS
from bideta.studio.serving_api import state_of
from bideta.studio.session import Session
from bideta.studio.state import State
from bideta.studio.texts import clean_name

router = APIRouter(prefix="/v1/sessions/{session}/quantities", responses=PROBLEMS, tags=["quantities"])


@router.get("")
async def results(request: Request, session: str, coverage: float = COVERAGE) -> Any:
    """Values, intervals, truths and places on a map of all contacts."""
    if not 0 < coverage < 1:
        raise RefusedError(422, f"coverage is {coverage}, expected a share such as 0.9")
    return JSONResponse(
        await state_of(request).compute(
            session, lambda opened: quantity_results.shown(quantity_results.measured(opened, coverage))
        )
    )


@router.put("/table")
async def give_table(request: Request, session: str) -> Any:
    """Learn from a CSV with the columns path,depth_mm,… (form with one file); with an opened sensor it only checks.

    The field ``periods`` names angles and their periods: ``turn_deg=360``, several with commas.
    """
    state = state_of(request)
    upload, fields = await _file(request, "a CSV with the columns path,depth_mm,…", "periods")
    periods = _periods(one(fields, "periods") or "")
    return await state.compute(session, _give_table, state, upload, periods)


@router.put("/sensor")
async def give_sensor(request: Request, session: str) -> Any:
    """Measure with a ``.bideta`` file (form with one file) that was adapted to quantities with the same encoder."""
    state = state_of(request)
    upload, _ = await _file(request, "a .bideta file that measures")
    return await state.compute(session, _give_sensor, state, upload)


@router.delete("", status_code=204)
async def forget(request: Request, session: str) -> None:
    """Take table and sensor away."""
    await state_of(request).compute(session, quantity_results.forget)


async def _file(request: Request, expected: str, *known: str) -> tuple[Upload, dict[str, list[str]]]:
    fields, uploads = await read_form(request, state_of(request).limits, known)
    if len(uploads) != 1:
        raise RefusedError(422, f"the form holds {len(uploads)} files, expected one: {expected}")
    return uploads[0], fields


def _periods(text: str) -> dict[str, float]:
    found: dict[str, float] = {}
    for pair in filter(None, (part.strip() for part in text.split(","))):
        name, _, number = pair.partition("=")
        try:
            found[name.strip()] = float(number)
        except ValueError as error:
            raise RefusedError(
                422, f"periods: {pair[:40]!r}, expected an angle such as turn_deg=360"
            ) from error
    return found


def _give_table(session: Session, state: State, upload: Upload, periods: dict[str, float]) -> dict[str, Any]:
    name = clean_name(upload.name, state.limits)
    with session.lock:
        before = quantity_table.read(session)
        try:
            known, missing = quantity_table.parse(upload.content, name, list(session.contacts.values()))
        except ValueError as error:
            raise RefusedError(422, str(error)) from error
        known = Known(**{**vars(known), "periods": periods})
        if before is not None and before.opened:
            adapted, _ = quantity_results.current(session)
            columns = [target.column for target in adapted.sensor_.targets]
            if not set(columns) & set(known.columns):
                raise RefusedError(
                    422,
                    f"{name} has none of {', '.join(columns)}, which {before.opened} measures; nothing to check",
                )
            known = Known(**{**vars(known), "opened": before.opened})
            quantity_results.keep(session, known, adapted)
        else:
            quantity_results.learn(session, known, state.encoder_settings, state.background)
        learned = len(known.support(session))
    return {
        "session": session.id,
        "targets": known.columns,
        "learned": learned,
        "checked": len(known.values) - learned,
        "missing": missing[:20],
        "missing_count": len(missing),
    }


def _give_sensor(session: Session, state: State, upload: Upload) -> dict[str, Any]:
    from bideta.regressor import BidetaRegressor

    name = clean_name(upload.name, state.limits)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "opened.bideta"
        path.write_bytes(upload.content)
        try:
            adapted = BidetaRegressor.load(path)
        except store.DAMAGE as error:
            raise RefusedError(422, f"cannot open {name}: {str(error).replace(str(path), name)}") from error
    fingerprint = adapted.sensor_.origin.get("fingerprint")
    if fingerprint != session.meta.fingerprint:
        raise RefusedError(
            409,
            f"{name} was adapted with the encoder {str(adapted.sensor_.origin.get('encoder'))[:80]!r}, this session "
            f"uses {session.meta.encoder!r}; start the studio with that one",
        )
    with session.lock:
        before = quantity_table.read(session) or Known()
        quantity_results.keep(session, Known(**{**vars(before), "opened": name}), adapted)
    return {
        "session": session.id,
        "targets": [target.column for target in adapted.sensor_.targets],
        "opened": name,
    }
