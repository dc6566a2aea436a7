"""Writes docs/evidence/benchmarks.md and its pictures from the JSON results, without measuring anything."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from benchmarks.measuring import results
from benchmarks.report import growth_tables, plots, tables, waiting
from benchmarks.report.estimates import Answers
from bideta.images.files import write_atomic

TITLES = {
    "shapes": "The method against a straight scikit-learn composition",
    "stages": "Where the time goes",
    "growth": "From a thousand queries to a million",
    "support": "More contacts, more features",
    "latency": "One new contact",
}
TITLE = "# Speed and scale"
OPENING = """\
First what a user waits for: imports, pictures, the encoder, whole commands. Then the method by itself, beside a
scikit-learn composition, with the time of its library calls as the limit.

This page is written by `make bench` from the JSON files in `benchmarks/results`; do not edit it. `python -m
benchmarks.pictures PART` measures what a user waits for, `python -m benchmarks SECTION` the method, `--again` measures
anew, `python -m benchmarks report` only writes this page. Pictures and features are made up: they show what the
computation costs and whether two programs agree, never how well the method recognises touch.

Times are the minimum of several runs in one process, contestants taking turns; the largest batches run once. *CPU*
counts all threads. Every number is measured unless a table calls it an estimate."""
QUICK = """**This is the quick version**: sizes are tiny, whatever the text below says, and nothing on this page is a
result. It shows that the benchmark runs."""
TEXT = {
    "shapes": """The other side is `benchmarks/method/composition.py`: StandardScaler, LinearDiscriminantAnalysis,
LedoitWolf, `numpy.linalg.eigh`, NearestNeighbors and scipy.sparse, same equations, with the settings that the paper
uses for each data set. "max ΔP" is the largest difference of any probability in five draws of the features, against the
composition in the same precision and against the composition in float64 on the same numbers. For that comparison, not
for the times, the composition gets our formulas of Eq. 8: its own lose digits and move probabilities by up to 5e-7. Fit
and inference both count. "Limit" is the ratio that no code around the library calls could pass: the composition's time
over that of our BLAS and LAPACK calls alone, in the run of the next section.""",
    "stages": """CPU milliseconds in float32, one thread. "Library calls alone" is what the BLAS and LAPACK calls of a
stage take by themselves, measured in the same run (`benchmarks/method/calls.py`): code around them only adds to it.
"Arithmetic alone" is the time that the unavoidable floating-point operations would take at this machine's measured GEMM
rate (transform and similarities in float32, everything else in float64, symmetric products counted half). Both leave
out every pass over memory, selection, and sparse work.""",
    "growth": """384 features in each of two readouts, 16 classes, 40 neighbours, 1,280 labelled contacts, float32, all
cores; time and memory of `Bideta.infer`, without the fit. *Clustered*: each query has about a hundred near-copies.
*Whitened*: independent normal coordinates, the hard case that the spectral step tends to. "Recall reported" is the
method's own measurement, "checked" compares 100 queries with float64 similarities to the whole batch. Peak memory is
measured in a process of its own (approximate: in one that has compiled the index before), above the inputs and the
libraries.""",
    "support": """CPU time of `fit`, one readout, 16 classes, one thread. n = 16 is one contact per class, where there
is no covariance to decompose. On the right, every few contacts around n = d.""",
    "latency": """Wall time from a contact's two readouts (384 + 768 features, float32) to its class probabilities, 16
classes, one thread. "Alone" is a batch of one. With a window, the contact joins the last 256: as `OnlineBideta` keeps
them, with the graph of those that stay, or as a batch of 257 that `predict_proba` computes anew. Answers are equal.""",
}
ESTIMATES = """**Estimates.** Larger exact batches, of which only some blocks of rows were measured, against all
queries, on one readout; times for all rows and two readouts follow by proportion. Row blocks multiply the whole
matrix, as workers on several machines do; one process uses symmetry."""


def write_report(folder: Path, docs: Path, sections: list[str], *, quick: bool = False) -> Path:
    """Path of the page; a section without results is named as such."""
    images = docs / "images"
    images.mkdir(parents=True, exist_ok=True)
    answers = {section: results.answers(folder, section) for section in sections}
    parts = [
        TITLE,
        QUICK if quick else waiting.answer(folder),
        OPENING,
        waiting.chapter(folder, images),
    ]
    for section in sorted(sections, key=list(TITLES).index):
        body = "Not measured yet."
        if answers[section]:
            plots.draw(section, answers[section], images / f"benchmark-{section}.png")
            picture = f"![{TITLES[section]}](images/benchmark-{section}.png)"
            body = "\n\n".join([TEXT[section], picture, *_tables(section, answers)])
        parts.append(f"## {TITLES[section]}\n\n{body}")
    parts += [_left_out(folder, sections), _machines(folder, sections)]
    path = docs / "benchmarks.md"
    write_atomic(path, ("\n\n".join(filter(None, parts)) + "\n").encode())
    return path


def _tables(section: str, sections: dict[str, Answers]) -> list[str]:
    answers = sections[section]
    if section == "shapes":
        return [tables.shapes(answers, sections.get("stages", {}))]
    if section == "stages":
        return [tables.stages(answers), tables.gemm(answers)]
    if section == "growth":
        return [part for part in (*_growth(answers), _fallbacks(answers), _ray(answers)) if part]
    return [getattr(tables, section)(answers)]


def _growth(answers: Answers) -> list[str]:
    parts = [
        growth_tables.measured(answers),
        "Growth with m, fitted from 10,000 queries on:",
        growth_tables.slopes(answers),
    ]
    estimates = growth_tables.estimated(answers, "whitened")
    if estimates:
        parts += [ESTIMATES, estimates]
    return parts


def _fallbacks(answers: Answers) -> str:
    said = [
        f"- {result['m']:,} queries: {text}"
        for result in answers.values()
        for text in result.get("warnings", [])
    ]
    return "What the approximate search said:\n\n" + "\n".join(said) if said else ""


def _ray(answers: Answers) -> str:
    on_ray = [result for name, result in answers.items() if name.startswith("Ray")]
    if not on_ray:
        return ""
    ray = on_ray[0]
    there, here, start = (tables.duration(ray[f"{name}_wall"]) for name in ("ray", "local", "start"))
    return (
        f"**On Ray.** {ray['m']:,} whitened queries, `n_jobs={ray['n_jobs']}` on this one machine: {there} against "
        f"{here} in one process (Ray starts in {start} before that); largest difference of a probability "
        f"{ray['difference']:.1e}, equal labels {ray['agreement']:.2%}."
    )


def _machines(folder: Path, sections: list[str]) -> str:
    """What the sections were measured on; once where it is the same for all."""
    described: dict[str, list[str]] = {}
    loads: dict[str, list[float]] = {}
    for section in sections:
        content = results.read(folder, section)
        if content["tasks"]:
            text = _machine(content)
            described.setdefault(text, []).append(section)
            loads.setdefault(text, []).append(content["circumstances"]["load_before"])
    measured = "\n\n".join(
        f"Measured ({', '.join(named)}): {text}; load average before the first section "
        f"{loads[text][0]} (above about 0.5 other work was running and times are too long)."
        for text, named in described.items()
    )
    return f"## Where it was measured\n\n{measured}" if measured else ""


def _machine(content: dict[str, Any]) -> str:
    facts, when = content["machine"], content["circumstances"]
    versions = ", ".join(f"{name} {version}" for name, version in facts["libraries"].items() if version)
    return (
        f"{facts['processor']}, {facts['cores']} cores, {facts['memory_gb']} GB; {facts['system']}, Python "
        f"{facts['python']}; {'; '.join(facts['blas'])}; {versions}; commit {when['commit'] or 'unknown'}"
    )


def _left_out(folder: Path, sections: list[str]) -> str:
    lines = [
        f"- {section}: {name}: {reason}"
        for section in sections
        for name, reason in results.skipped(folder, section).items()
    ]
    return "## Left out\n\n" + "\n".join(lines) if lines else ""
