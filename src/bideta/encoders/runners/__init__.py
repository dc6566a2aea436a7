"""Frames → readouts: one preprocessing, then the network, run by torch or by onnxruntime."""

from __future__ import annotations


def require_torch(
    name: str, instead: str = "load an exported file as 'onnx:FILE'", extra: str = "torch"
) -> None:
    """Say what to install, or what to do ``instead``, where torch is missing."""
    try:
        import torch  # noqa: F401
    except ModuleNotFoundError as error:
        raise ModuleNotFoundError(
            f"{name} is run by torch, which is missing: pip install 'bideta[{extra}]', or {instead}"
        ) from error
