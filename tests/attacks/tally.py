"""What came of an attack, in counts; every case is in exactly one of the columns behind ``tried``."""

from __future__ import annotations

from dataclasses import dataclass, field

MEMORY = 500 * 10**6  # bytes that one case may add
SECONDS = 10.0  # that one case may take


@dataclass
class Tally:
    """Counts of one kind of attack."""

    kind: str
    tried: int = 0
    refused: int = 0  # with a message that names the file or the argument
    answered: int = 0  # and the answer is sound
    crashed: int = 0  # any other error, a process that died, an answer that is not sound
    over_memory: int = 0
    over_time: int = 0
    found: list[str] = field(default_factory=list)  # a line for each case in the last three columns

    @property
    def failures(self) -> int:
        """What must be zero."""
        return self.crashed + self.over_memory + self.over_time

    def count(self, verdict: str, line: str = "") -> None:
        """One more case; ``verdict`` is the name of its column."""
        self.tried += 1
        setattr(self, verdict, getattr(self, verdict) + 1)
        if verdict not in ("refused", "answered"):
            self.found.append(f"{self.kind} {self.tried - 1}: {verdict}: {line}")
