"""The chapter on what a user waits for, from pictures.json; parts that were not measured are named."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

from benchmarks.report import plots
from benchmarks.report.estimates import Answers
from benchmarks.report.tables import duration, markdown
from bideta.service.choices import DEFAULT_ENCODER

TITLE = "## What a user waits for"
TEXT = {
    "ready": """### Ten pictures

Processor seconds of whole commands, each in a process of its own, fastest of three: Python starts, imports what it
needs, opens the sensor, decodes ten JPEGs of 640 × 480, encodes them, answers, writes the table. `handmade` is the
encoder of the base install. Which modules are absent is a test (`tests/cli/test_ready.py`).""",
    "pipeline": """### A folder of JPEGs

Pictures of 640 × 480 are decoded and made smaller by threads while the encoder works. "Slower half" is the larger of
the encoder on pictures that are already decoded, called as any program calls it (it resizes in one thread), and of
decoding alone in as many threads as cores. At most 1.15 was asked for. With the two small encoders it is more: both
halves want the same cores, and every picture is also sketched and its mean colour taken, which neither half does
(0.6 ms a picture). Memory is the most that was added; what grows with the pictures are their readouts and
sketches, which the answer needs.""",
    "one core": """### The encoder on one core

Milliseconds for one decoded picture of 640 × 480, made smaller and encoded, in a process that may use one core.""",
    "networks": """### ViT-S on a CPU

TVL's ViT-S, one thread, torch against onnxruntime in one run, in turns. Weights are random, so accuracy (simulated
contacts, eight labels a class, the method on top) only shows what a way loses against torch. Calibrated: ranges of
activations from 64 labelled contacts. Opening and the first batch of eight are paid once in a process and are not part
of the milliseconds.""",
    "beside": """### Beside the program that one would write

`benchmarks/pictures/composed.py`: PIL, onnxruntime or torch as they come, scikit-learn. Same pictures, same network,
same settings; wall seconds from two folders to a table, imports included. Ours are two commands, `adapt` and `predict`.
For 1,000 pictures and more both run once. "Encoder alone" is the ratio if nothing but the encoder took time: the
program's time over that of the encoder on as many decoded pictures, by the table of a folder of JPEGs. Only threads
that resize meanwhile can pass it, by a tenth. Most of the time is the network's on both sides, so little is left to
save. With ViT-S ours runs the exported file by onnxruntime, the program runs torch: how far the two are apart
depends on the processor. On an older one (AMD family 25) a thread of each took as long; there both were level before
ours were run three pictures at a time, which saves a quarter.""",
    "whole": """### A whole command, from a thousand contacts on

`bideta predict` on cached readouts (two of 384 features, 16 classes, 128 labelled contacts): imports, reading, answers,
table. Memory is the peak of the process, inputs and libraries included.""",
}


def chapter(folder: Path, images: Path) -> str:
    """All parts that were measured, each with its table."""
    record = _read(folder)
    parts = [TITLE]
    for part, text in TEXT.items():
        if part in record:
            answers = record[part]["results"]
            when = record[part]["circumstances"]
            noted = f"Commit {when['commit'] or 'unknown'}, load average before {when['load_before']}."
            table = beside(answers, _alone(record)) if part == "beside" else TABLES[part](answers)
            parts += [text, table, noted]
            if part == "whole":
                plots.draw("whole", answers, images / "benchmark-whole.png")
                parts.append("![Time and memory of a whole command](images/benchmark-whole.png)")
    missing = [part for part in TEXT if part not in record]
    if missing:
        parts.append(f"Not measured here: {', '.join(missing)} (`python -m benchmarks.pictures`).")
    return "\n\n".join(parts)


def _read(folder: Path) -> Answers:
    file = folder / "pictures.json"
    record: Answers = json.loads(file.read_text(encoding="utf-8")) if file.is_file() else {}
    return record


def answer(folder: Path) -> str:
    """What the default encoder makes a user wait for, in two sentences; nothing where it was not measured."""
    record = _read(folder)
    ten, alone, both = (record.get(part, {}).get("results", {}) for part in ("ready", "pipeline", "beside"))
    if DEFAULT_ENCODER not in ten or DEFAULT_ENCODER not in alone or f"{DEFAULT_ENCODER} | 1000" not in both:
        return ""
    seconds = both[f"{DEFAULT_ENCODER} | 1000"]["seconds"]
    start = ten[DEFAULT_ENCODER]["predict"]
    encoding = 1000 * _alone(record)[DEFAULT_ENCODER]
    return (
        f"**With the default encoder ten pictures are answered in {start:.1f} s of processor\n"
        f"time, a thousand in {seconds['adapt'] + seconds['predict']:.0f} s from two folders to a table**, of which\n"
        f"{encoding:.0f} s are the encoder's. The program that one would write takes {seconds['composed']:.0f} s."
    )


def ready(answers: Answers) -> str:
    """Processor seconds by encoder and command."""
    names = list(next(iter(answers.values())))
    rows = [[encoder, *(f"{taken[name]:.2f} s" for name in names)] for encoder, taken in answers.items()]
    return markdown(["encoder", *names], rows)


def pipeline(answers: Answers) -> str:
    """The whole against its halves."""
    rows = []
    for encoder, taken in answers.items():
        seconds, memory = taken["seconds"], {int(n): b for n, b in taken["peak_bytes"].items()}
        walls = [duration(seconds[name]["wall"]) for name in ("encoder", "decoding", "both")]
        few, many = min(memory), max(memory)
        held = f"{memory[few] / 1e6:.0f} and {memory[many] / 1e6:.0f} MB"
        rows.append(
            [encoder, f"{many:,}", *walls, duration(seconds["both"]["cpu"]), f"{taken['ratio']:.2f}×", held]
        )
    header = ["encoder", "pictures", "encoder alone", "decoding alone", "both, wall", "both, CPU"]
    return markdown([*header, "both / slower half", "memory for a quarter, for all"], rows)


def one_core(answers: Answers) -> str:
    """Milliseconds."""
    rows = [[encoder, f"{taken['milliseconds']:.1f}"] for encoder, taken in answers.items()]
    return markdown(["encoder", "ms a picture"], rows)


def networks(answers: Answers) -> str:
    """Every way beside torch."""
    header = ["way", "ms a picture (torch)", "ratio", "accuracy (torch)", "cosine of readouts"]
    header += ["opening (torch)", "first batch (torch)", "file"]
    rows = []
    for way, taken in answers.items():
        ms, right, opened, first = (
            taken[name] for name in ("milliseconds", "accuracy", "opening_s", "first_batch_s")
        )
        rows.append(
            [
                way,
                f"{ms['this']:.0f} ({ms['torch']:.0f})",
                f"{ms['torch'] / ms['this']:.2f}×",
                f"{right['this']:.1%} ({right['torch']:.1%})",
                ", ".join(f"{one:.3f}" for one in taken["cosine"]),
                *(f"{duration(cost['this'])} ({duration(cost['torch'])})" for cost in (opened, first)),
                f"{taken['bytes'] / 1e6:.0f} MB",
            ]
        )
    return markdown(header, rows)


def _alone(record: Answers) -> dict[str, float]:
    """Seconds of a decoded picture, by encoder, all cores."""
    measured = record.get("pipeline", {"results": {}})["results"]
    return {
        encoder: taken["seconds"]["encoder"]["wall"] / max(map(int, taken["peak_bytes"]))
        for encoder, taken in measured.items()
    }


def beside(answers: Answers, alone: dict[str, float]) -> str:
    """Seconds of both programs; ``alone``: seconds of a picture for the encoder by itself."""
    rows = []
    for name, taken in answers.items():
        encoder, _ = name.split(" | ")
        walls = [duration(taken["seconds"][part]) for part in ("composed", "adapt", "predict")]
        limit = ""
        if encoder in alone:
            limit = f"{taken['seconds']['composed'] / (taken['count'] * alone[encoder]):.2f}×"
        rows.append(
            [encoder, f"{taken['count']:,}", *walls, f"{taken['ratio']:.2f}×", limit, f"{taken['equal']:.2%}"]
        )
    header = ["encoder", "pictures", "program", "adapt", "predict", "ratio", "encoder alone", "equal labels"]
    return markdown(header, rows)


def whole(answers: Answers) -> str:
    """Time and memory by size."""
    rows = [
        [
            f"{taken['count']:,}",
            duration(taken["wall"]),
            duration(taken["cpu"]),
            f"{taken['peak_bytes'] / 1e6:,.0f} MB",
        ]
        for taken in sorted(answers.values(), key=lambda taken: taken["count"])
    ]
    return markdown(["contacts", "wall", "CPU", "peak memory"], rows)


TABLES: dict[str, Callable[[Answers], str]] = {
    "ready": ready,
    "pipeline": pipeline,
    "one core": one_core,
    "networks": networks,
    "whole": whole,
}
