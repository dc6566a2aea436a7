"""How many threads linear algebra gets: small work is slower on two, and burns the other core while it waits."""

from __future__ import annotations

from contextlib import AbstractContextManager, nullcontext
from typing import Any

# Contacts. Below, threads gain at most tenths of a second of the answers and lose more where labelled contacts are
# hidden in turn; where others use the cores too, they take ten times as long.
SMALL = 10_000


def threads_for(contacts: int) -> AbstractContextManager[Any]:
    """One thread where few contacts are answered; as many as there are otherwise."""
    if contacts >= SMALL:
        return nullcontext()
    from threadpoolctl import threadpool_limits

    return threadpool_limits(1, "blas")
