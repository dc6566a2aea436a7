"""A run that takes a second: two sensors of a very small twin, a tiny encoder, cheap methods."""

from __future__ import annotations

from pathlib import Path

from bideta.protocol.plan import Plan, Request, make_plan
from support.releases import tiny_onnx

PLUGIN = "simulated-sitr"
SETTINGS = {PLUGIN: {"size": 16}}


def tiny_encoder(folder: Path) -> str:
    path = folder / "tiny.onnx"
    return f"onnx:{path if path.is_file() else tiny_onnx(path)}"


def tiny_request(folder: Path, **changes: object) -> Request:
    asked = {
        "dataset": PLUGIN,
        "encoders": (tiny_encoder(folder),),
        "methods": ("simpleshot", "lda", "bideta"),
        "seeds": (0, 1),
        "targets": ("Mini_3", "Hex"),
        "scale": 0.02,
        "settings": SETTINGS,
    }
    return Request(**{**asked, **changes})


def tiny_plan(folder: Path, *experiments: str, **changes: object) -> Plan:
    return make_plan(experiments or ("budgets",), tiny_request(folder, **changes))
