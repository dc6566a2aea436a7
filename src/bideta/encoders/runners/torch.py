"""Encoders run by torch: batched, on the best device there is, with progress and speed. Importing it imports torch."""

from __future__ import annotations

import logging
import sys
import time
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

import torch
from torch import nn

from bideta.encoders import EncoderInfo, Readouts
from bideta.encoders.runners.batches import batches, joined
from bideta.encoders.runners.prepared import Prepared
from bideta.encoders.runners.preprocessing import Floats, Preprocessing
from bideta.encoders.runners.threads import equal_pieces

AT_ONCE = 8  # frames on a CPU: of ViT-S 48 ms each instead of 58 in batches of 64, equal but for rounding
LOG = logging.getLogger(__name__)


class TorchEncoder:
    """A network with two outputs ``(B, d)``, in evaluation mode and float32 (bf16 is ten times slower on CPUs).

    ``progress`` None shows a bar where someone watches (a terminal, more than one batch). After ``encode``,
    ``images_per_second`` is the speed of the last call; it is also logged.
    """

    def __init__(
        self,
        info: EncoderInfo,
        network: nn.Module,
        preprocessing: Preprocessing,
        fingerprint: str,
        device: str = "auto",
        threads: int | None = None,
        progress: bool | None = None,
    ) -> None:
        if threads is not None:
            torch.set_num_threads(threads)  # of the whole process: torch knows no other
        self.info, self.preprocessing, self.fingerprint = info, preprocessing, fingerprint
        self.device, self.progress = chosen(device), progress
        self.network = network.eval().requires_grad_(False).float().to(self.device)
        self.images_per_second: float | None = None

    def encode(self, images: Any, previous: Any = None, batch_size: int = 64) -> Readouts:
        """Two float32 readouts of ``(N, H, W, 3)`` uint8 RGB frames of any size."""
        start = time.perf_counter()
        inputs = batches(self.preprocessing, images, previous, batch_size)
        watched = self.progress
        if watched is None:
            watched = sys.stderr.isatty() and len(images) > batch_size
        if watched:
            inputs = shown(inputs, len(images), self.info.name)
        with torch.inference_mode():
            parts = [self._run(batch) for batch in inputs]
        seconds = time.perf_counter() - start
        if parts:
            self.images_per_second = speed = len(images) / seconds
            LOG.info("%s: %d images, %.1f images/s, %s", self.info.name, len(images), speed, self.device)
        return joined(parts, self.info)

    def prepare(self, image: Any, previous: Any = None) -> Prepared:
        """The frame at the network's size."""
        return self.preprocessing.prepare(image, previous)

    def encode_prepared(self, prepared: Sequence[Prepared]) -> Readouts:
        """Two float32 readouts of what ``prepare`` made of a batch."""
        with torch.inference_mode():
            return self._run(self.preprocessing.stack(prepared))

    def _run(self, batch: Floats) -> Readouts:
        at_once = AT_ONCE if self.device.type == "cpu" else max(1, len(batch))
        pieces = [batch[rows[0] : rows[-1] + 1] for rows in equal_pieces(range(len(batch)), at_once)]
        run = (self.network(torch.from_numpy(piece).to(self.device)) for piece in pieces)
        return joined([[H.cpu().numpy() for H in readouts] for readouts in run], self.info)


def chosen(device: str) -> torch.device:
    """``"auto"`` is CUDA, then Apple's MPS, then the CPU; anything else is used as it is named, if it is there."""
    if device == "auto":
        if torch.cuda.is_available():
            return torch.device("cuda")
        return torch.device("mps" if torch.backends.mps.is_available() else "cpu")
    try:
        torch.empty(0, device=device)
    except (RuntimeError, AssertionError, NotImplementedError) as error:
        raise ValueError(
            f"device is {device!r}, which cannot be used here ({error}); try 'auto' or 'cpu'"
        ) from error
    return torch.device(device)


def shown(inputs: Iterable[Floats], total: int, name: str) -> Iterator[Floats]:
    """The same batches behind a progress bar with images/s, on standard error."""
    from rich import progress
    from rich.console import Console
    from rich.text import Text

    class Speed(progress.ProgressColumn):
        def render(self, task: progress.Task) -> Text:
            return Text(f"{task.speed:.1f} images/s" if task.speed else "")

    counted, remaining = progress.MofNCompleteColumn(), progress.TimeRemainingColumn()
    columns = ("{task.description}", progress.BarColumn(), counted, Speed(), remaining)
    with progress.Progress(*columns, console=Console(stderr=True)) as bar:
        task = bar.add_task(name, total=total)
        for batch in inputs:
            yield batch
            bar.advance(task, len(batch))  # after the network has seen it
