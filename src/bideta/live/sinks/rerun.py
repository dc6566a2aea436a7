"""Frames, labels and probabilities as a rerun recording to scroll through later (extra ``rerun``)."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from bideta.live.events import Event


class Rerun:
    """An ``.rrd`` file: the frames, the label as a log, probability and latency as curves."""

    def __init__(self, path: str | Path) -> None:
        try:
            import rerun
        except ImportError as error:
            raise ImportError("rerun recordings need rerun-sdk: pip install 'bideta[rerun]'") from error
        self.name = f"rerun {path}"
        self._rerun = rerun
        self._stream = rerun.RecordingStream("bideta")
        self._stream.save(str(path))

    def write(self, event: Event, image: Any) -> None:
        """Log the frame and its answer at the time the frame arrived."""
        rerun, stream = self._rerun, self._stream
        stream.set_time("arrived", timestamp=event.time)
        stream.set_time("frame", sequence=event.frame)
        stream.log("sensor/image", rerun.Image(image))
        if not event.contact:
            stream.log("contact/log", rerun.TextLog("contact ended"))
            return
        stream.log("contact/log", rerun.TextLog(f"{event.label} {event.probability:.2f}"))
        stream.log("contact/probability", rerun.Scalars(event.probability))
        stream.log("timing/latency_ms", rerun.Scalars(event.latency_ms))

    def close(self) -> None:
        """Flush the file."""
        self._stream.flush()
        self._stream.disconnect()
