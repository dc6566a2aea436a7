"""Single pictures of a batch that are foreign by themselves: a few grey frames must not pass as a shift of the gel."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from bideta.images.batch_check import REASONS, BatchCheck, check_pictures
from bideta.images.looks import WIDTH, Look

# What a picture of the sensor is never called (docs/evidence/foreign.md); in the others one of 500 of its own is.
CERTAIN = {*REASONS, "another shape"} - {"cut"}
FEWEST, SHARE = 4, 0.1  # pictures, and their share of the batch, from which the uncertain reasons count


def check_batch(look: Look, pictures: ArrayLike, background: Any = None) -> BatchCheck:
    """``check_pictures`` of a batch; where only some pictures are foreign, of the others, and ``odd`` names those.

    Every picture of a batch that is not foreign as a whole is looked at alone, but for contacts: light ones are told in
    larger numbers only. A batch that is shifted evenly stays as it is.
    """
    S = np.asarray(pictures, np.float64).reshape(-1, WIDTH)
    whole = check_pictures(look, S, background)
    if whole.level not in ("fine", "shifted") or len(S) < 2:
        return whole
    alone = {row: check_pictures(look, S[row]) for row in range(len(S))}
    odd = {row: found for row, found in alone.items() if found.level == "foreign"}
    odd = _counted(odd, len(S))
    others = check_pictures(look, np.delete(S, list(odd), axis=0), background)
    if others.level == "shifted":  # evenly: then its pictures may look like another sensor's by chance
        odd = {row: found for row, found in odd.items() if found.kind in CERTAIN}
    if not odd or others.level not in ("fine", "shifted"):
        return whole
    kinds = Counter(found.kind for found in odd.values())
    reasons = {found.kind: found.reason for found in odd.values()}
    said = "; ".join(f"{count} of {len(S)} pictures: {reasons[kind]}" for kind, count in kinds.most_common())
    return replace(others, kind=others.kind or kinds.most_common(1)[0][0], odd=tuple(odd), odd_reason=said)


def _counted(odd: dict[int, BatchCheck], m: int) -> dict[int, BatchCheck]:
    """Without those whose reason is too rare to be believed."""
    unsure = [row for row, found in odd.items() if found.kind not in CERTAIN]
    rare = len(unsure) < max(FEWEST, SHARE * m)
    return {row: found for row, found in odd.items() if not (rare and row in unsure)}
