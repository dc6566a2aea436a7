"""Where answers go. One file per sink; its optional library is imported when the sink is made."""

from __future__ import annotations

from typing import Any, Protocol

from bideta.live.events import Event


class Sink(Protocol):
    """What every sink offers; ``write`` must not wait for slow readers."""

    name: str

    def write(self, event: Event, image: Any) -> None:
        """Take one event and the frame (H, W, 3) RGB it is about."""
        ...

    def close(self) -> None:
        """Finish; whatever was written is complete afterwards."""
        ...
