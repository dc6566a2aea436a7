"""Weight files: where they are found, how they are read without running them, how an encoder is exported."""

from __future__ import annotations

from collections.abc import Collection
from pathlib import Path


def refuse_weights_of_control(weights: str | Path | None) -> None:
    """The untrained control takes no weight file."""
    if weights is not None:
        raise ValueError(
            f"random_weights=True draws its own weights; weights is {str(weights)!r}, expected None"
        )


def variant_or_file(
    family: str, which: str | Path, weights: str | Path | None, variants: Collection[str]
) -> tuple[str, str | Path | None]:
    """Variant and weight file of ``family:which``: a variant by its name, or a file of the first variant."""
    if which in variants:
        return str(which), weights
    if weights is None and Path(which).suffix:
        return next(iter(variants)), which
    raise ValueError(f"{family}:{which} is not released; expected one of {', '.join(variants)}")
