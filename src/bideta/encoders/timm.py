"""``timm:<model>``: any vision transformer of timm; the mean normalised patch tokens of its last two blocks.

Class and register tokens are left out. Where a model normalises after pooling (``fc_norm``) the mean is normalised
instead of the tokens. Frames are resized straight to the input size and scaled with the model's own statistics.
Weights come from a local ``.safetensors`` file, or from the hub's cache, or with ``download=True`` from the hub.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

from bideta.encoders import Encoder, EncoderInfo
from bideta.encoders.checkpoints.release import Release, locate
from bideta.encoders.runners import require_torch
from bideta.encoders.runners.preprocessing import Preprocessing, Resize


def weights_at() -> tuple[str, bool]:
    """In the weights folder under the model's name, or in the hub's cache; it depends on the model."""
    return "MODEL.safetensors, or the hub's cache", False


INFO = EncoderInfo(
    name="timm",
    title="Any timm vision transformer (DINOv2, DINOv3, …)",
    tactile=False,
    trained_on="what the model was trained on, photographs as a rule",
    licence="that of the model",
    reference="Wightman, PyTorch Image Models, 2019",
    url="https://github.com/huggingface/pytorch-image-models",
    family="model",
    extra="timm",
    run_by="torch",
    decisive=("size", "resize", "random_weights", "seed"),
    weights_at=weights_at,
)
HUB_FILE = "model.safetensors"  # in every repository that timm publishes
MAX_SIDE = 1024  # pixels; a sensor's file may name a size, and attention takes its fourth power


def load(
    model: str = "",
    weights: str | Path | None = None,
    *,
    download: bool = False,
    revision: str | None = None,
    sha256: str | None = None,
    size: int | None = None,
    device: str = "auto",
    threads: int | None = None,
    progress: bool | None = None,
    resize: Resize = "pil-bicubic",
    random_weights: bool = False,
    seed: int = 0,
) -> Encoder:
    """The encoder; ``size`` changes the input size where the model allows it (DINOv2's own is 518)."""
    if not model:
        raise ValueError("which model? Name it after the colon, as in timm:vit_small_patch14_dinov2")
    if size is not None and size not in range(1, MAX_SIDE + 1):
        raise ValueError(f"size is {size}, expected 1 to {MAX_SIDE:,} pixels a side")
    require_torch(f"timm:{model}", extra="timm")
    timm = _package()
    from bideta.encoders.checkpoints.filling import untrained
    from bideta.encoders.runners.fingerprint import of_network
    from bideta.encoders.runners.torch import TorchEncoder

    if not timm.is_model(model):
        close = ", ".join(timm.list_models(f"*{model.split('.')[0]}*")[:5])
        raise ValueError(f"timm knows no model {model!r}" + (f"; it has {close}" if close else ""))
    settings: dict[str, Any] = {"num_classes": 0} | ({} if size is None else {"img_size": size})
    if random_weights:
        network: Any = untrained(lambda: timm.create_model(model, **settings), seed)
    else:
        release = _release(timm, model, weights)
        file, _ = locate(release, weights, download=download, revision=revision, sha256=sha256)
        local = {"file": str(file), "custom_load": False}  # custom_load would mean another file format
        network = timm.create_model(model, pretrained=True, pretrained_cfg_overlay=local, **settings)
        _require_all(network, file, model)
    pooled = _pooled(network, model)
    config = timm.data.resolve_model_data_config(network)
    side = config["input_size"][-1] if size is None else size
    info = replace(
        INFO, name=f"timm:{model}", title=f"timm {model} (not tactile)", input_size=side, family="",
        readouts=(network.num_features, network.num_features),
        parameters=sum(parameter.numel() for parameter in network.parameters()),
        licence=str(network.pretrained_cfg.get("license") or "see the model's page"),
    )  # fmt: skip
    preprocessing = Preprocessing(side, side, 3, tuple(config["mean"]), tuple(config["std"]), resize=resize)
    fingerprint = of_network(pooled, preprocessing, f"timm {model} {random_weights}")
    return TorchEncoder(info, pooled, preprocessing, fingerprint, device, threads, progress)


def _package() -> Any:
    try:
        import timm
        import timm.data
    except ModuleNotFoundError as error:
        raise ModuleNotFoundError(f"{error.name} is missing: pip install 'bideta[timm]'") from error
    except (
        RuntimeError,
        ImportError,
        OSError,
    ) as error:  # torchvision is compiled for one torch, and says so like this
        from importlib.metadata import version

        raise ImportError(
            f"timm cannot be imported, because its torchvision does not fit torch {version('torch')} "
            f"({str(error).splitlines()[0]}): pip install --upgrade 'bideta[timm]', with torch and "
            "torchvision from the same place"
        ) from error
    return timm


def _release(timm: Any, model: str, weights: str | Path | None) -> Release:
    """The model's ``.safetensors`` file on the hub; files of another kind could run code and are refused."""
    config = timm.get_pretrained_cfg(model)
    repository = (config and config.hf_hub_id) or ""
    if weights is None and not repository:
        raise ValueError(f"timm has no pretrained weights for {model!r}; pass weights=FILE.safetensors")
    if weights is not None and Path(weights).suffix != ".safetensors":
        raise ValueError(
            f"weights is {Path(weights).name!r}, expected a .safetensors file (others can run code)"
        )
    licence = str((config and config.license) or "see the model's page")
    # In the weights folder it bears the model's name: on the hub all of them are called model.safetensors.
    local = f"{model}.safetensors"
    return Release(f"timm:{model}", repository or "timm", (HUB_FILE,), ("",), licence, local)


def _require_all(network: Any, file: Path, model: str) -> None:
    """Every parameter must be in the file: timm itself ignores missing ones where the classifier differs."""
    import safetensors

    from bideta.encoders.checkpoints.keys import CheckpointError, listed

    with safetensors.safe_open(file, framework="pt") as stream:
        missing = {name for name, _ in network.named_parameters()} - set(stream.keys())
    if missing:
        raise CheckpointError(
            f"{file.name} does not fit timm:{model}: missing ({len(missing)}): {listed(missing)}. Expected the file "
            "that timm publishes for this model, with timm's own keys"
        )


def _pooled(network: Any, model: str) -> Any:
    """A module with two outputs: mean tokens of the last two blocks."""
    from torch import Tensor, nn

    if not hasattr(network, "forward_intermediates") or not hasattr(network, "blocks"):
        raise ValueError(f"timm:{model} is not a vision transformer: it has no blocks of tokens")

    class LastTwo(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.network = network
            self.pooled_norm = isinstance(network.norm, nn.Identity) and hasattr(network, "fc_norm")

        def forward(self, frames: Tensor) -> tuple[Tensor, Tensor]:
            body: Any = self.network
            layers = body.forward_intermediates(
                frames, indices=2, norm=True, output_fmt="NLC", intermediates_only=True
            )
            means = [layer.mean(1) for layer in layers]
            first, second = (body.fc_norm(mean) for mean in means) if self.pooled_norm else means
            return first, second

    return LastTwo()
