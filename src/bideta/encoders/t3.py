"""T3: a stem for each kind of sensor before one trunk; class token and mean patch token. ``t3`` is the DIGIT stem,
``t3:mini`` that of the GelSight Mini, and so on.

Zhao et al., Transferable Tactile Transformers for Representation Learning Across Diverse Sensors and Tasks, CoRL 2024.
The size is the one its repository configures (``t3_medium``). A frame's shorter side becomes 256 pixels and the middle
224 × 224 are cut out, as in T3's evaluation; ``crop=False`` squeezes the whole frame into 224 × 224. T3 scales every
recording with its own statistics: pass those of your sensor as ``mean`` and ``std``. That both readouts are used is our
choice: T3's decoders take the one for classes and the other for numbers.
"""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

from bideta.encoders import Encoder, EncoderInfo
from bideta.encoders.checkpoints import variant_or_file
from bideta.encoders.checkpoints.release import Release, status
from bideta.encoders.runners import require_torch
from bideta.encoders.runners.preprocessing import Preprocessing, Resize, triple

LICENCE = "MIT"  # of the dataset's page, where the checkpoints are, and of the code
SIZE = "t3_medium"
DIM, HEADS, STEM_DEPTH, TRUNK_DEPTH = 768, 12, 3, 9
SHORTER, SIDE = 256, 224  # pixels
PARAMETERS = 85_798_656  # 22,006,272 of a stem and 63,792,384 of the trunk


class Stem(NamedTuple):
    """What differs between the stems; the statistics are in [0, 1]."""

    sensor: str
    mean: tuple[float, float, float]
    std: tuple[float, float, float]


DEFAULT = "digit"
# Statistics are T3's own of one recording where a stem has seen one. Of several we take the largest set (digit: TVL;
# gs_green: VisGel), the first (gs_360_v2, finray), or the mean of the 124 and 40 recordings of the arm (mini, wedge).
VARIANTS = {
    "digit": Stem("DIGIT", (0.42094, 0.44041, 0.44151), (0.14661, 0.08972, 0.09041)),
    "mini": Stem("GelSight Mini", (0.29268, 0.46274, 0.29882), (0.09924, 0.08981, 0.09912)),
    "wedge": Stem("GelSight Wedge", (0.47980, 0.46857, 0.54382), (0.14343, 0.10715, 0.12776)),
    "finray": Stem("GelSight Finray", (0.01000, 0.04490, 0.07897), (0.06394, 0.14283, 0.20100)),
    "gs_green": Stem("GelSight of VisGel", (0.36917, 0.51738, 0.51782), (0.13530, 0.11039, 0.10001)),
    "gs_black": Stem("GelSight of ObjectFolder Real", (0.46676, 0.45028, 0.45292), (0.08171, 0.06973, 0.08618)),
    "gs_tag": Stem("GelSight of Touch and Go", (0.51808, 0.50300, 0.51457), (0.13893, 0.11343, 0.13497)),
    "gs_360_v2": Stem("GelSight 360", (0.48141, 0.24831, 0.30964), (0.07714, 0.07175, 0.07466)),
}  # fmt: skip


def releases(variant: str) -> tuple[Release, Release]:
    """The files of a stem and of the trunk; both keep their places below ``t3_medium``."""
    name = "t3" if variant == DEFAULT else f"t3:{variant}"
    marks = {f"encoders/{variant}.pth": "patch_embed.proj.weight", "trunk.pth": "norm.weight"}
    stem, trunk = (
        Release(
            encoder=name,
            repository="alanz-mit/FoundationTactile",
            files=(f"models/{SIZE}/{file}",),
            prefixes=("",),
            licence=LICENCE,
            local=f"{SIZE}/{file}",
            kind="dataset",
            mark=mark,
            pin="trunk_sha256" if file == "trunk.pth" else "sha256",
        )
        for file, mark in marks.items()
    )
    return stem, trunk


def weights_at(variant: str) -> tuple[str, bool]:
    """Where the stem is, or the first of both files that is missing; and whether both are there."""
    found = [status(release) for release in releases(variant)]
    missing = [place for place, there in found if not there]
    return (missing or [found[0][0]])[0], not missing


INFO = EncoderInfo(
    name="t3",
    title="T3 medium, DIGIT stem; t3:mini and others",
    readouts=(DIM, DIM),
    parameters=PARAMETERS,
    trained_on="touch of DIGIT, GelSight and other sensors",
    licence=LICENCE,
    reference="Zhao et al., Transferable Tactile Transformers for Representation Learning, CoRL 2024",
    url="https://github.com/alanzjl/t3",
    variants=tuple(VARIANTS),
    extra="torch",
    run_by="torch",
    decisive=("resize", "crop", "mean", "std", "random_weights", "seed"),
    weights_at=partial(weights_at, DEFAULT),
)


def load(
    variant: str | Path = DEFAULT,
    *,
    weights: str | Path | None = None,
    download: bool = False,
    revision: str | None = None,
    sha256: str | None = None,
    trunk_sha256: str | None = None,
    device: str = "auto",
    threads: int | None = None,
    progress: bool | None = None,
    resize: Resize = "pil-bilinear",
    crop: bool = True,
    mean: Any = None,
    std: Any = None,
    random_weights: bool = False,
    seed: int = 0,
) -> Encoder:
    """The encoder; ``weights`` is the folder of ``encoders`` and ``trunk.pth``, or a stem's file two folders below it.

    ``random_weights=True`` is the untrained control, drawn from ``seed``.
    """
    variant, weights = variant_or_file("t3", variant, weights, VARIANTS)
    chosen, info = VARIANTS[variant], INFO
    if (mean is None) != (std is None):
        raise ValueError(f"mean is {mean} and std is {std}: give both or neither")
    scale = triple(mean, "mean") or chosen.mean, triple(std, "std") or chosen.std
    preprocessing = Preprocessing(SIDE, SIDE, 3, *scale, resize=resize, shorter=SHORTER if crop else None)
    stem_release, trunk_release = releases(variant)
    if variant != DEFAULT:
        info = replace(
            info,
            name=stem_release.encoder,
            title=f"T3 medium, stem of {chosen.sensor}",
            weights_at=partial(weights_at, variant),
        )
    stem_file, trunk_file = parts(variant, weights)
    require_torch(INFO.name)
    from bideta.encoders.checkpoints.filling import released_network
    from bideta.encoders.networks.released import Shape
    from bideta.encoders.networks.t3 import T3Network, T3Stem, T3Trunk
    from bideta.encoders.runners.fingerprint import of_network
    from bideta.encoders.runners.torch import TorchEncoder

    filled = partial(
        released_network, download=download, revision=revision, random_weights=random_weights, seed=seed
    )
    stem_shape, trunk_shape = (
        Shape(dim=DIM, heads=HEADS, depth=depth) for depth in (STEM_DEPTH, TRUNK_DEPTH)
    )
    stem = filled(lambda: T3Stem(stem_shape), stem_release, stem_file, sha256=sha256)
    trunk = filled(lambda: T3Trunk(trunk_shape), trunk_release, trunk_file, sha256=trunk_sha256)
    network = T3Network(stem, trunk)
    fingerprint = of_network(network, preprocessing, stem_release.encoder)
    return TorchEncoder(info, network, preprocessing, fingerprint, device, threads, progress)


def parts(variant: str, weights: str | Path | None) -> tuple[Path | None, Path | None]:
    """Files of stem and trunk in the folder ``weights``, laid out as released."""
    if weights is None:
        return None, None
    path = Path(weights).expanduser()
    if path.is_file():
        return path, path.parent.parent / "trunk.pth"
    return path / "encoders" / f"{variant}.pth", path / "trunk.pth"
