"""The live loop on the simulated source: frame rates, latency, drops: ``python -m benchmarks.live``.

Sensors are simulated, encoders and loop are real. The table goes into ``docs/reference/live.md`` between its
two marks, the figures to ``benchmarks/results/live.json``.
"""

from __future__ import annotations

import argparse
import json
from pathlib import Path
from typing import Any

from benchmarks.measuring.machine import facts
from benchmarks.measuring.results import FOLDER
from bideta.cli.live import open_or_adapt
from bideta.deploy.online import OnlineBideta
from bideta.images.files import write_atomic
from bideta.live.capture import Capture
from bideta.live.contact import ContactDetector
from bideta.live.loop import Live
from bideta.live.sources import Simulated

PAGE = Path("docs/reference/live.md")
BEGIN, END = "<!-- measured: begin -->", "<!-- measured: end -->"
RATES = (25, 60, 120)  # GelSight Mini, DIGIT, and more than any camera sends
COLUMNS = {
    "captured_fps": "frames/s in",
    "answers_per_second": "answers/s",
    "dropped": "dropped",
    "captured": "of frames",
    "frame_age_p50_ms": "age p50 ms",
    "frame_age_p99_ms": "age p99 ms",
    "latency_p50_ms": "latency p50 ms",
    "latency_p99_ms": "latency p99 ms",
    "accuracy": "accuracy (simulated)",
}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=float, default=20.0)
    parser.add_argument("--page", type=Path, default=PAGE)
    parser.add_argument("--results", type=Path, default=FOLDER / "live.json")
    arguments = parser.parse_args()
    rows = []
    for encoder in ("twin-tvl", "twin-sparsh"):
        for rate in RATES:
            rows.append({"encoder": encoder, "rate": rate, **measure(encoder, rate, arguments.seconds)})
            print(json.dumps(rows[-1]), flush=True)
    record = {"machine": facts(), "seconds": arguments.seconds, "rows": rows}
    write_atomic(arguments.results, json.dumps(record, indent=1).encode())
    write_table(arguments.page, rows)


def measure(encoder: str, rate: float, seconds: float) -> dict[str, Any]:
    """Figures of one run on the simulated Mini_1, 16 objects, 8 labelled contacts each."""
    source = Simulated("Mini_1", fps=rate)
    opened = open_or_adapt(None, source, encoder, ["threads=1"])
    opened.encoder.encode(source_frame(source))
    live = Live(Capture(source), opened.encoder, OnlineBideta(opened.adapted), [], ContactDetector())
    return live.run(seconds).summary()


def source_frame(source: Simulated) -> Any:
    """One picture, so that the encoder's first and slow call is over before the clock runs."""
    source.open()
    picture = source.read()
    assert picture is not None
    return picture.image[None]


def write_table(page: Path, rows: list[dict[str, Any]]) -> None:
    """Replace what stands between the two marks."""
    text = page.read_text()
    before, _, rest = text.partition(BEGIN)
    _, mark, after = rest.partition(END)
    if not mark:
        raise ValueError(f"{page} has no marks {BEGIN} … {END} to write the table between")
    head = ["encoder", "source fps", *COLUMNS.values()]
    lines = ["| " + " | ".join(head) + " |", "|---" * len(head) + "|"]
    for row in rows:
        cells = [row["encoder"], str(row["rate"]), *(_text(name, row.get(name)) for name in COLUMNS)]
        lines.append("| " + " | ".join(cells) + " |")
    write_atomic(page, f"{before}{BEGIN}\n{chr(10).join(lines)}\n{END}{after}".encode())


def _text(name: str, value: Any) -> str:
    if value is None:
        return "–"
    return f"{value:.1%}" if name == "accuracy" else str(value)
