"""T3: exact to the parameter, the same numbers as timm's blocks put together as T3 does, files as it saves them."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from PIL import Image

from bideta.encoders import t3
from bideta.encoders.checkpoints.keys import CheckpointError
from bideta.encoders.runners.preprocessing import Preprocessing
from bideta.plugins import load_encoder
from support.timm_import import imported_timm

torch = pytest.importorskip("torch", reason="T3 is run by torch (extra torch)")
TOLERANCE = 1e-5


def original() -> tuple[Any, Any]:
    """Stem and trunk of timm's parts: a ViT of three blocks that lost head and norm, nine blocks and a norm."""
    imported_timm()
    from timm.models.vision_transformer import Block, VisionTransformer

    stem = VisionTransformer(
        patch_size=16, embed_dim=768, depth=3, num_heads=12, mlp_ratio=4.0, num_classes=0,
        norm_layer=partial(torch.nn.LayerNorm, eps=1e-6),
    )  # fmt: skip
    del stem.head, stem.norm
    trunk = torch.nn.Module()
    trunk.blocks = torch.nn.Sequential(
        *(Block(768, 12, 4.0, qkv_bias=True, norm_layer=torch.nn.LayerNorm) for _ in range(9))
    )
    trunk.norm = torch.nn.LayerNorm(768)
    generator = torch.Generator().manual_seed(3)
    with torch.no_grad():
        for part in (stem, trunk):
            for name, parameter in part.named_parameters():
                factor = "norm" in name and name.endswith("weight")
                noise = torch.randn(parameter.shape, generator=generator)
                parameter.copy_(1 + 0.2 * noise if factor else 0.03 * noise)
    return stem.eval(), trunk.eval()


def answers(stem: Any, trunk: Any, inputs: Any) -> Any:
    """All normalised tokens, the class token first."""
    with torch.inference_mode():
        patches = stem.patch_embed(inputs)
        tokens = torch.cat([stem.cls_token.expand(len(inputs), -1, -1), patches], 1) + stem.pos_embed
        for block in stem.blocks:
            tokens = block(tokens)
        return trunk.norm(trunk.blocks(tokens)).numpy()


@pytest.fixture(scope="module")
def parts() -> tuple[Any, Any]:
    return original()


@pytest.fixture(scope="module")
def folder(parts: tuple[Any, Any], tmp_path_factory: pytest.TempPathFactory) -> Path:
    """As T3 saves its components: one state for each stem, one for the trunk."""
    root: Path = tmp_path_factory.mktemp("released") / "t3_medium"
    (root / "encoders").mkdir(parents=True)
    stem, trunk = parts
    torch.save(stem.state_dict(), root / "encoders" / "digit.pth")
    torch.save(trunk.state_dict(), root / "trunk.pth")
    return root


def test_the_released_files_give_the_numbers_of_timms_parts(
    folder: Path, parts: tuple[Any, Any], capsys: pytest.CaptureFixture[str]
) -> None:
    from torchvision import transforms

    encoder = load_encoder("t3", weights=folder, device="cpu", threads=1)
    assert "licence MIT" in capsys.readouterr().err
    frames = np.random.default_rng(0).integers(0, 256, (2, 90, 121, 3), dtype=np.uint8)
    prepare = transforms.Compose(
        [
            transforms.Resize(256, interpolation=transforms.InterpolationMode.BILINEAR, antialias=True),
            transforms.CenterCrop(224),
            transforms.ToTensor(),
            transforms.Normalize((0.42094, 0.44041, 0.44151), (0.14661, 0.08972, 0.09041)),
        ]
    )
    inputs = torch.stack([prepare(Image.fromarray(frame)) for frame in frames])
    np.testing.assert_allclose(encoder.preprocessing(frames), inputs, atol=1e-6)
    tokens = answers(*parts, inputs)
    first, second = encoder.encode(frames)
    np.testing.assert_allclose(first, tokens[:, 0], atol=TOLERANCE)
    np.testing.assert_allclose(second, tokens[:, 1:].mean(1), atol=TOLERANCE)


def test_keys_and_parameters_are_those_of_timms_parts(parts: tuple[Any, Any]) -> None:
    from bideta.encoders.networks.released import Shape
    from bideta.encoders.networks.t3 import T3Network, T3Stem, T3Trunk

    with torch.device("meta"):  # shapes without numbers
        ours = T3Stem(Shape(dim=768, heads=12, depth=3)), T3Trunk(Shape(dim=768, heads=12, depth=9))
    for mine, theirs in zip(ours, parts, strict=True):
        shapes = {key: value.shape for key, value in theirs.state_dict().items()}
        assert {key: value.shape for key, value in mine.state_dict().items()} == shapes
    counted = sum(parameter.numel() for parameter in T3Network(*ours).parameters())
    assert counted == t3.INFO.parameters == 85_798_656


def test_stem_and_trunk_keep_their_own_epsilon(parts: tuple[Any, Any]) -> None:
    """Tokens of a thousandth: with the other epsilon the norms would answer otherwise."""
    from bideta.encoders.networks.released import Shape
    from bideta.encoders.networks.t3 import T3Stem, T3Trunk

    theirs = parts
    stem, trunk = T3Stem(Shape(dim=768, heads=12, depth=3)), T3Trunk(Shape(dim=768, heads=12, depth=9))
    stem.load_state_dict(theirs[0].state_dict())
    trunk.load_state_dict(theirs[1].state_dict())
    tokens = 1e-3 * torch.randn(1, 5, 768, generator=torch.Generator().manual_seed(0))
    with torch.inference_mode():
        np.testing.assert_allclose(stem.blocks[0](tokens), theirs[0].blocks[0](tokens), atol=TOLERANCE)
        np.testing.assert_allclose(trunk.blocks[0](tokens), theirs[1].blocks[0](tokens), atol=TOLERANCE)
        np.testing.assert_allclose(trunk.norm(tokens), theirs[1].norm(tokens), atol=TOLERANCE)
        assert not np.allclose(stem.blocks[0].norm1(tokens), trunk.blocks[0].norm1(tokens), atol=0.1)


def test_files_are_found_in_the_weights_folder_as_they_were_released(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, no_hub: None
) -> None:
    monkeypatch.setenv("BIDETA_WEIGHTS", str(folder.parent))
    assert t3.INFO.weights_at() == (str(folder / "encoders" / "digit.pth"), True)
    found = load_encoder("t3", device="cpu")
    stem = folder / "encoders" / "digit.pth"
    named = load_encoder(f"t3:{stem}", device="cpu")  # the trunk is where it was released
    assert found.fingerprint == named.fingerprint
    assert not t3.weights_at("mini")[1]
    (tmp_path / "t3_medium" / "encoders").mkdir(parents=True)
    (tmp_path / "t3_medium" / "encoders" / "digit.pth").write_bytes(stem.read_bytes())
    monkeypatch.setenv("BIDETA_WEIGHTS", str(tmp_path))
    assert t3.INFO.weights_at() == (str(tmp_path / "t3_medium" / "trunk.pth"), False)
    missing = r"expected as t3_medium/trunk.pth.*datasets/alanz-mit/FoundationTactile.*models/t3_medium/trunk"
    with pytest.raises(FileNotFoundError, match=missing):
        load_encoder("t3")


def test_a_part_in_the_place_of_the_other_is_refused(folder: Path, tmp_path: Path) -> None:
    (tmp_path / "encoders").mkdir()
    (tmp_path / "encoders" / "digit.pth").write_bytes((folder / "trunk.pth").read_bytes())
    with pytest.raises(CheckpointError, match=r"digit.pth holds no encoder of 't3': no key patch_embed"):
        load_encoder("t3", weights=tmp_path)
    with pytest.raises(ValueError, match=r"trunk.pth has sha256 .* expected 00.* pass trunk_sha256='"):
        load_encoder("t3", weights=folder, trunk_sha256="00")


def test_every_stem_has_its_name_and_statistics() -> None:
    assert set(t3.VARIANTS) == {
        "digit",
        "mini",
        "wedge",
        "finray",
        "gs_green",
        "gs_black",
        "gs_tag",
        "gs_360_v2",
    }
    mini = load_encoder("t3:mini", random_weights=True, device="cpu")
    assert (mini.info.name, mini.info.readouts) == ("t3:mini", (768, 768))
    assert mini.preprocessing.mean == t3.VARIANTS["mini"].mean
    assert len({stem.mean for stem in t3.VARIANTS.values()}) == len(t3.VARIANTS)
    with pytest.raises(ValueError, match=r"t3:gelslim is not released; expected one of digit, mini"):
        load_encoder("t3:gelslim")


def test_settings_that_change_the_numbers_change_the_fingerprint() -> None:
    own = {"mean": [0.5, 0.5, 0.5], "std": [0.2, 0.2, 0.2]}
    kinds: list[dict[str, Any]] = [{}, {"crop": False}, {"resize": "pil-bicubic"}, {"seed": 1}, own]
    assert len({load_encoder("t3", random_weights=True, **kind).fingerprint for kind in kinds}) == len(kinds)
    with pytest.raises(ValueError, match="give both or neither"):
        t3.load(random_weights=True, mean=(0.5, 0.5, 0.5))
    with pytest.raises(ValueError, match=r"std is .* expected numbers above zero"):
        t3.load(random_weights=True, mean=(0.5, 0.5, 0.5), std=(0, 1, 1))


@pytest.mark.parametrize("shape", [(40, 40), (40, 53), (61, 40), (16, 16)])
def test_the_middle_is_cut_out_of_a_frame_of_any_shape(shape: tuple[int, int]) -> None:
    frame: NDArray[np.uint8] = np.random.default_rng(1).integers(0, 256, (*shape, 3), dtype=np.uint8)
    prepared = Preprocessing(14, 14, resize="pil-bilinear", shorter=16)(frame[None])[0]
    height, width = (
        (16, 16 * shape[1] // shape[0]) if shape[0] <= shape[1] else (16 * shape[0] // shape[1], 16)
    )
    whole = np.asarray(Image.fromarray(frame).resize((width, height), Image.Resampling.BILINEAR))
    top, left = round((height - 14) / 2), round((width - 14) / 2)
    expected = whole[top : top + 14, left : left + 14].transpose(2, 0, 1)
    np.testing.assert_array_equal((prepared * 255).round(), expected)


def test_a_frame_that_would_grow_without_end_is_refused() -> None:
    with pytest.raises(ValueError, match=r"a frame is 5000×1, expected at most 16 times as long as wide"):
        Preprocessing(224, 224, shorter=256)(np.zeros((1, 1, 5000, 3), np.uint8))


def test_an_exported_stem_cuts_out_the_middle_too(tmp_path: Path, frames: NDArray[np.uint8]) -> None:
    pytest.importorskip("onnxscript", reason="export needs onnxscript (extra export)")
    from bideta.encoders.checkpoints.export import TOLERANCE, export
    from bideta.encoders.checkpoints.filling import untrained
    from bideta.encoders.networks.released import Shape
    from bideta.encoders.networks.t3 import T3Network, T3Stem, T3Trunk
    from bideta.encoders.runners.torch import TorchEncoder

    shape = Shape(dim=64, heads=1, depth=1)
    network = untrained(lambda: T3Network(T3Stem(shape), T3Trunk(shape)), 0)
    cut = Preprocessing(224, 224, 3, *t3.VARIANTS["digit"][1:], resize="pil-bilinear", shorter=256)
    encoder = TorchEncoder(t3.INFO, network, cut, "0" * 64, "cpu")
    assert export(encoder, tmp_path / "t3.onnx") <= TOLERANCE
    loaded = load_encoder(f"onnx:{tmp_path / 't3.onnx'}", threads=1)
    assert loaded.preprocessing == cut
    for ours, theirs in zip(encoder.encode(frames), loaded.encode(frames), strict=True):
        np.testing.assert_allclose(theirs, ours, atol=TOLERANCE)
