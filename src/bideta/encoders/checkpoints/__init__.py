"""Weight files: where they are found, how they are read without running them, how an encoder is exported."""

from __future__ import annotations

from pathlib import Path


def refuse_weights_of_control(weights: str | Path | None) -> None:
    """The untrained control takes no weight file."""
    if weights is not None:
        raise ValueError(
            f"random_weights=True draws its own weights; weights is {str(weights)!r}, expected None"
        )
