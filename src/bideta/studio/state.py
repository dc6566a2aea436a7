"""What every route needs, in one place: sessions, encoder, pool, running jobs."""

from __future__ import annotations

import asyncio
import secrets
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any, Concatenate, ParamSpec, TypeVar

import numpy as np
from numpy.typing import NDArray

from bideta.encoders import Encoder
from bideta.service.choices import parameters, preset_prior
from bideta.studio import analysis
from bideta.studio.compute import BusyError, Pool, TooLongError
from bideta.studio.example import DOING, Example
from bideta.studio.limits import Limits
from bideta.studio.logins import Logins
from bideta.studio.metrics import Metrics
from bideta.studio.refused import RefusedError
from bideta.studio.session import Session
from bideta.studio.sessions import Sessions

P = ParamSpec("P")
T = TypeVar("T")
KEPT_JOBS = 64  # finished ones that can still be asked about
PATIENCE = 0.2  # s before a job that met a full queue asks again


@dataclass
class Job:
    """Long work that the page watches."""

    id: str
    title: str
    total: int
    done: int = 0
    doing: str = "Beginning"  # what is under way, in words
    session: str | None = None  # once it is ready
    error: str | None = None


@dataclass
class State:
    """The server's state; one per process."""

    encoder: Encoder
    encoder_name: str
    encoder_settings: dict[str, Any]
    sessions: Sessions
    pool: Pool
    limits: Limits
    logins: Logins
    background: NDArray[np.uint8] | None = None  # the sensor without a contact; kept with what is adapted
    metrics: Metrics = field(default_factory=Metrics)
    jobs: dict[str, Job] = field(default_factory=dict)
    tasks: set[asyncio.Task[None]] = field(default_factory=set)
    parsing: asyncio.Lock = field(default_factory=asyncio.Lock)  # held while large JSON is read
    left_behind: bool = False  # a computation still ran when the server stopped

    async def compute(
        self, name: str, job: Callable[Concatenate[Session, P], T], *args: P.args, **kwargs: P.kwargs
    ) -> T:
        """What the job returns for the session of that id; it runs in the pool."""

        def work() -> T:
            with self.sessions.use(name) as session:
                return job(session, *args, **kwargs)

        return await self.pool.run(work)

    def adapt(self, session: Session, preset: str | None = None, prior: str | None = None) -> None:
        """Change the settings where asked, then adapt. A preset brings its own prior unless one is named."""
        try:
            parameters(preset or session.meta.preset, prior)
        except ValueError as error:
            raise RefusedError(422, str(error)) from error
        if preset is not None and prior is None:
            prior = preset_prior(preset)
        with session.lock:
            meta = session.meta
            wanted = preset or meta.preset, prior or meta.prior
            if wanted != (meta.preset, meta.prior):
                session.change(preset=wanted[0], prior=wanted[1])
            analysis.adapt(session, self.encoder_settings, self.background)

    def start_example(self, sensor: str) -> Job:
        """Begin to make an example session; the job says how far it is."""
        running = sum(job.session is None and job.error is None for job in self.jobs.values())
        if running >= self.pool.slots * 2:
            raise BusyError(self.pool.retry_after())
        example = Example(sensor)
        steps = example.steps()
        job = Job(secrets.token_hex(16), example.title, len(steps) + 1)
        self.jobs[job.id] = job
        while len(self.jobs) > KEPT_JOBS:
            del self.jobs[next(iter(self.jobs))]
        task = asyncio.create_task(self._example(example, steps, job))
        self.tasks.add(task)
        task.add_done_callback(self.tasks.discard)
        return job

    async def _example(self, example: Example, steps: list[Any], job: Job) -> None:
        try:
            session = await asyncio.to_thread(self.sessions.create, example.title, simulated=True)
        except (RefusedError, OSError) as error:
            job.error = str(error)
            return
        try:
            with self.sessions.use(session.id):
                for step in steps:
                    job.doing = DOING[step.role]
                    await self._patiently(example.run, step, session, self.encoder)
                    job.done += 1
                job.doing = "Adapting, and answering the new touches"
                await self._patiently(self._finish, example, session)
            job.done, job.session = job.total, session.id
        except (RefusedError, TooLongError, ValueError, OSError) as error:
            job.error = str(error)
            with suppress(RefusedError):  # somebody else has deleted it
                await asyncio.to_thread(self.sessions.delete, session.id)

    def _finish(self, example: Example, session: Session) -> None:
        example.finish(session)
        self.adapt(session, "classification", "support")  # the paper's: the example's batch is balanced
        analysis.outcome(session)

    async def _patiently(self, work: Any, *args: Any) -> None:
        while True:
            try:
                await self.pool.run(work, *args)
            except BusyError:
                await asyncio.sleep(PATIENCE)
            else:
                return

    def health(self) -> dict[str, Any]:
        """What ``/healthz`` says."""
        return {
            "status": "ok",
            "encoder": self.encoder_name,
            "sessions": len(self.sessions),
            "running": self.pool.running,
            "waiting": self.pool.waiting,
        }

    def gauges(self) -> dict[str, tuple[str, float]]:
        """What ``/metrics`` adds to the counters."""
        return {
            "bideta_compute_slots": ("Computations that can run at a time.", self.pool.slots),
            "bideta_compute_running": ("Computations that run.", self.pool.running),
            "bideta_compute_waiting": ("Computations that wait for a slot.", self.pool.waiting),
            "bideta_sessions": ("Sessions on disk.", len(self.sessions)),
            "bideta_session_bytes": ("Bytes of all sessions on disk.", self.sessions.bytes),
        }
