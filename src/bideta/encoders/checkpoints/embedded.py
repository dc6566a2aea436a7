"""The embedded encoders (the twins): the shipped files, the choice between onnxruntime and torch, the control."""

from __future__ import annotations

from pathlib import Path
from typing import Literal

import numpy as np
from numpy.typing import NDArray
from safetensors.numpy import load_file

from bideta.encoders import Encoder, EncoderInfo
from bideta.encoders.checkpoints import refuse_weights_of_control
from bideta.encoders.runners import require_torch
from bideta.encoders.runners.fingerprint import of_file
from bideta.encoders.runners.onnx import OnnxEncoder, open_session
from bideta.encoders.runners.preprocessing import Preprocessing
from bideta.encoders.runners.threads import as_many

WEIGHTS = Path(__file__).parents[1] / "weights"
AT_ONCE = 16  # frames of a piece; pieces side by side, one thread each, are a tenth to a third faster than shared ones


def load_embedded(
    info: EncoderInfo,
    preprocessing: Preprocessing,
    kind: Literal["pooled", "blocks"],
    weights: str | Path | None,
    threads: int | None,
    random_weights: bool,
    seed: int,
) -> Encoder:
    """The shipped ONNX file, another ``.onnx`` or ``.safetensors`` (run by torch), or the untrained control."""
    if random_weights:
        refuse_weights_of_control(weights)
    path = WEIGHTS / f"{info.name}.onnx" if weights is None else Path(weights)
    content = control(info.name, seed) if random_weights else _read(path, info.name)
    fingerprint = of_file(content, preprocessing)
    if path.suffix == ".onnx":
        session = open_session(content, path.name, 1)
        return OnnxEncoder(info, session, preprocessing, fingerprint, AT_ONCE, as_many(threads))
    require_torch(path.name, "pass the .onnx file")
    from safetensors.torch import load

    from bideta.encoders.networks.embedded import Shape, TwinViT
    from bideta.encoders.runners.torch import TorchEncoder

    network = TwinViT(Shape(channels=preprocessing.channels), kind)
    network.load_state_dict(load(content))
    return TorchEncoder(info, network, preprocessing, fingerprint, "cpu", threads, progress=False)


def _read(path: Path, name: str) -> bytes:
    if path.suffix not in (".onnx", ".safetensors"):
        raise ValueError(f"weights is {path.name!r}, expected a .onnx or a .safetensors file")
    if not path.is_file():
        raise FileNotFoundError(f"weights of {name!r} not found: {path}")
    return path.read_bytes()


def control(name: str, seed: int) -> bytes:
    """The shipped ONNX file with every weight drawn anew: the same network as it was before training.

    The two shipped files hold the same tensors byte for byte, so each is found in the ONNX file by its content
    and replaced in place; neither torch nor onnx is needed.
    """
    rng = np.random.default_rng(seed)
    content = (WEIGHTS / f"{name}.onnx").read_bytes()
    tensors = load_file(WEIGHTS / f"{name}.safetensors")
    for key in sorted(tensors):
        trained = tensors[key].tobytes()
        if content.count(trained) != 1:
            raise ValueError(f"{name}.onnx and {name}.safetensors do not belong together: {key!r} differs")
        content = content.replace(trained, initial(key, tensors, rng).tobytes())
    return content


def initial(
    key: str, tensors: dict[str, NDArray[np.float32]], rng: np.random.Generator
) -> NDArray[np.float32]:
    """torch's initial values: norms are 1 and 0, others uniform within ± 1 / √(inputs of the layer)."""
    layer, _, field = key.rpartition(".")
    kernel = tensors[f"{layer}.weight"]
    if kernel.ndim == 1:
        return np.full_like(kernel, 1.0 if field == "weight" else 0.0)
    bound = 1 / np.sqrt(kernel[0].size)
    return rng.uniform(-bound, bound, tensors[key].shape).astype(np.float32)
