"""A session's quantities: the sensor of its present contacts, and what it says about them, as the page shows it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from bideta.images.batch_check import BatchCheck
from bideta.protocol.quantity_metrics import measure
from bideta.quantities.algorithm import half_widths
from bideta.quantities.targets import wrap
from bideta.quantity_sensor import COVERAGE, Quantities
from bideta.service import sensors
from bideta.service.quantity_answers import foreign_warning
from bideta.studio import analysis, feature_map, quantity_table, store
from bideta.studio.quantity_table import SENSOR, Known
from bideta.studio.refused import RefusedError
from bideta.studio.session import Session
from bideta.studio.session_contacts import Contact, sketches_of

if TYPE_CHECKING:  # with scikit-learn, which those who only answer classes go without
    from bideta.regressor import BidetaRegressor


@dataclass(frozen=True)
class Measured:
    """What a sensor says about the contacts of a session; learned ones are answered without their own press."""

    adapted: BidetaRegressor
    known: Known
    contacts: list[Contact]
    learned: NDArray[np.bool_]  # (m,)
    result: Quantities  # rows are the contacts
    truth: NDArray[np.float64]  # (m, T), NaN where it is not known
    check: BatchCheck  # whether the contacts that it did not learn from come from this sensor


def learn(
    session: Session, known: Known, settings: Mapping[str, Any], background: NDArray[np.uint8] | None = None
) -> BidetaRegressor:
    """Fit the contacts to learn from, and keep table and sensor."""
    from bideta.regressor import BidetaRegressor

    with session.lock:
        contacts, meta = known.support(session), session.meta
        if not contacts:
            raise RefusedError(422, "no contact with known quantities is left to learn from; add some")
        readouts = analysis.stack(contacts)
        colour = np.mean([contact.colour for contact in contacts], axis=0).tolist()
        origin = sensors.describe_origin(meta.encoder, dict(settings), meta.fingerprint, readouts, colour)
        try:
            regressor = BidetaRegressor(known.columns, known.periods or None).fit(
                readouts,
                np.array([known.values[contact.id] for contact in contacts]),
                known.press_keys(contacts),
                origin=origin,
                background=background,
                sketches=sketches_of(contacts),
            )
        except ValueError as error:
            raise RefusedError(422, str(error)) from error
        keep(session, known, regressor)
        return regressor


def keep(session: Session, known: Known, adapted: BidetaRegressor) -> None:
    """Store table and sensor."""
    with session.lock:
        adapted.save(session.folder / SENSOR)
        quantity_table.write(session, known)
        session.cache.pop("measured", None)
        session.cache["quantities"] = adapted


def forget(session: Session) -> None:
    """Remove both."""
    with session.lock:
        for name in (SENSOR, quantity_table.TABLE):
            (session.folder / name).unlink(missing_ok=True)
        session.cache.pop("measured", None)
        session.cache.pop("quantities", None)


def exists(session: Session) -> bool:
    """Whether the session measures."""
    return (session.folder / SENSOR).is_file()


def current(session: Session) -> tuple[BidetaRegressor, Known]:
    """The sensor of the present contacts, fitted again where they changed, and what is known of them."""
    from bideta.regressor import BidetaRegressor

    with session.lock:
        if "quantities" not in session.cache:
            if not exists(session):
                raise RefusedError(409, "this session has no quantities yet: POST /v1/quantities/adapt")
            try:
                session.cache["quantities"] = BidetaRegressor.load(session.folder / SENSOR)
            except store.DAMAGE as error:
                raise RefusedError(
                    409, f"the sensor of quantities cannot be read: {error}. Give the table again"
                ) from error
        adapted: BidetaRegressor = session.cache["quantities"]
        known = quantity_table.read(session) or Known(opened=SENSOR)
        if not known.opened and _changed(session, known, adapted):
            origin = adapted.sensor_.origin
            adapted = learn(session, known, origin["settings"], adapted.sensor_.background)
        return adapted, known


def _changed(session: Session, known: Known, adapted: BidetaRegressor) -> bool:
    """Whether the contacts to learn from are others than those that the sensor learned from."""
    contacts, sensor = known.support(session), adapted.sensor_
    _, presses = np.unique(sensor.presses, return_inverse=True)
    return (
        [known.values[c.id] for c in contacts] != sensor.values.tolist()
        or _grouped(known.press_keys(contacts)) != _grouped(presses.tolist())
        or not all(map(np.array_equal, analysis.stack(contacts), sensor.support))
    )


def _grouped(keys: Sequence[Any]) -> list[int]:
    first: dict[Any, int] = {}
    return [first.setdefault(key, len(first)) for key in keys]


def measured(session: Session, coverage: float = COVERAGE) -> Measured:
    """Answers for all contacts; kept until something changes."""
    with session.lock:
        adapted, known = current(session)
        cached = session.cache.get("measured")
        if cached is None or cached.adapted is not adapted or cached.result.coverage != coverage:
            cached = session.cache["measured"] = _measured(session, adapted, known, coverage)
        return cached


def _measured(session: Session, adapted: BidetaRegressor, known: Known, coverage: float) -> Measured:
    contacts = list(session.contacts.values())
    if not contacts:
        raise RefusedError(422, "there are no contacts to measure; add some")
    try:
        result = adapted.infer(analysis.stack(contacts), coverage)
    except ValueError as error:
        raise RefusedError(422, str(error)) from error
    support = [contact.id for contact in known.support(session)]
    rows = {contact.id: i for i, contact in enumerate(contacts)}
    at = np.array([rows[name] for name in support], int)
    if len(at):
        result = _left_out(adapted, result, at)
    learned = np.zeros(len(contacts), bool)
    learned[at] = True
    targets = adapted.sensor_.targets
    places = [known.columns.index(t.column) if t.column in known.columns else None for t in targets]
    truth = np.array(
        [
            [np.nan if k is None or c.id not in known.values else known.values[c.id][k] for k in places]
            for c in contacts
        ]
    )
    check = adapted.sensor_.check(sketches_of([c for c in contacts if c.id not in support]))
    return Measured(adapted, known, contacts, learned, result, truth, check)


def _left_out(adapted: BidetaRegressor, result: Quantities, at: NDArray[np.int_]) -> Quantities:
    """The answers, with those of the learned contacts (rows ``at``) as given without their press."""
    sensor, model = adapted.sensor_, adapted.sensor_.model
    value, deviation = result.value.copy(), result.deviation.copy()
    off = np.stack(
        [
            np.abs(wrap(sensor.values[:, t] - model.left_out[:, t], one))
            for t, one in enumerate(sensor.targets)
        ],
        1,
    )
    value[at] = model.left_out
    # A score is |residual| / deviation; without a residual the deviation is not known, and that of the fit stands.
    deviation[at] = np.divide(off, model.scores, out=deviation[at], where=model.scores > 0)
    half = half_widths(model, deviation, result.coverage)
    return replace(result, value=value, lower=value - half, upper=value + half, deviation=deviation)


def shown(outcome: Measured) -> dict[str, Any]:
    """What the page draws."""
    result, sensor = outcome.result, outcome.adapted.sensor_
    known = np.asarray(np.isfinite(outcome.truth).all(axis=1))
    scaled = tuple(
        scaler(H) for scaler, H in zip(sensor.model.scalers, analysis.stack(outcome.contacts), strict=True)
    )
    places = feature_map.flat_map(scaled).tolist()
    checks = _scores(outcome, known & ~outcome.learned)
    # One press leaves nothing to learn from when it is left out.
    left_out = _scores(outcome, known & outcome.learned) if sensor.model.n_presses > 1 else []
    new = [i for i in range(len(known)) if not outcome.learned[i]]
    strange = foreign_warning(_rows(result, np.array(new))) if new else ""
    withheld = ~outcome.learned & (outcome.check.level == "foreign")
    return {
        "targets": [
            {
                "column": target.column,
                "name": target.name,
                "unit": target.unit,
                "period": target.period,
                "checked": checks[t] if checks else None,
                "left_out": left_out[t] if left_out else None,
            }
            for t, target in enumerate(sensor.targets)
        ],
        "coverage": result.coverage,
        "learned": len(sensor.values),
        "opened": outcome.known.opened,
        "checked": int((known & ~outcome.learned).sum()),
        "warning": outcome.check.warning or strange,
        "rows": [
            {
                "id": contact.id,
                "name": contact.name,
                "learned": bool(outcome.learned[i]),
                "foreign": bool(result.foreign[i]) and not bool(outcome.learned[i]),
                "value": _numbers(result.value[i]),
                "lower": _numbers(np.where(withheld[i], np.nan, result.lower[i])),
                "upper": _numbers(np.where(withheld[i], np.nan, result.upper[i])),
                "truth": _numbers(outcome.truth[i]),
                "place": places[i],
            }
            for i, contact in enumerate(outcome.contacts)
        ],
    }


def _scores(outcome: Measured, rows: NDArray[np.bool_]) -> list[dict[str, Any]]:
    if not rows.any():
        return []
    found = measure(_rows(outcome.result, np.flatnonzero(rows)), outcome.truth[rows])
    return [
        {name: _number(value) for name, value in one.items()} | {"count": int(rows.sum())} for one in found
    ]


def _rows(result: Quantities, rows: NDArray[np.intp]) -> Quantities:
    names = ("value", "lower", "upper", "deviation", "strangeness", "foreign")
    return replace(result, **{name: getattr(result, name)[rows] for name in names})


def _numbers(row: NDArray[np.float64]) -> list[float | None]:
    return [_number(value) for value in row.tolist()]


def _number(value: float) -> float | None:
    """For JSON, which has no NaN and no infinity."""
    return value if np.isfinite(value) else None
