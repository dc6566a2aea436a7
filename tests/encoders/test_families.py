"""The other sizes and objectives of TVL and Sparsh: exact to the parameter, keys as released, one table each."""

from __future__ import annotations

import numpy as np
import pytest

from bideta.encoders import sparsh, tvl
from bideta.plugins import load_encoder

torch = pytest.importorskip("torch", reason="TVL and Sparsh are run by torch (extra torch)")
VARIANTS = [("sparsh", name) for name in sparsh.VARIANTS] + [("tvl", name) for name in tvl.VARIANTS]


@pytest.mark.parametrize(("family", "variant"), VARIANTS)
def test_parameters_are_those_of_the_table(family, variant):
    from bideta.encoders.networks.released import Shape, SparshNetwork, TvlNetwork

    with torch.device("meta"):  # shapes without numbers
        if family == "sparsh":
            chosen = sparsh.VARIANTS[variant]
            shape = Shape(channels=6, dim=chosen.dim, heads=chosen.heads)
            network = SparshNetwork(shape, registers=chosen.registers)
            assert ("register_tokens" in network.state_dict()) == bool(chosen.registers)
        else:
            chosen = tvl.VARIANTS[variant]
            network = TvlNetwork(Shape(dim=chosen.dim, heads=chosen.heads))
    assert sum(p.numel() for p in network.parameters()) == chosen.parameters
    assert chosen.dim == 64 * chosen.heads


@pytest.mark.parametrize("name", ["tvl:tiny", "sparsh:mae-small"])
def test_a_variant_answers_in_its_own_widths(name):
    encoder = load_encoder(name, random_weights=True, device="cpu", threads=1)
    frames = np.random.default_rng(0).integers(0, 256, (2, 40, 50, 3), dtype=np.uint8)
    for readout, width in zip(encoder.encode(frames), encoder.info.readouts, strict=True):
        assert readout.shape == (2, width)
        assert np.isfinite(readout).all()
    assert encoder.info.name == name
    assert encoder.fingerprint != load_encoder(name, random_weights=True, device="cpu", seed=1).fingerprint


def test_the_default_is_the_variant_of_the_same_name():
    plain, named = (load_encoder(name, random_weights=True, device="cpu") for name in ("tvl", "tvl:small"))
    assert plain.fingerprint == named.fingerprint
    assert plain.info == named.info


@pytest.mark.parametrize(
    ("name", "prefix"),
    [
        ("sparsh:mae-small", "encoder."),
        ("sparsh:ijepa-small", "target_encoder."),
        ("tvl:tiny", "tactile_encoder."),
    ],
)
def test_a_checkpoint_in_the_released_layout_is_found_and_loaded(name, prefix, tmp_path, monkeypatch):
    monkeypatch.setenv("BIDETA_WEIGHTS", str(tmp_path))
    untrained = load_encoder(name, random_weights=True, device="cpu", threads=1)
    family, _, variant = name.partition(":")
    release = {"sparsh": sparsh, "tvl": tvl}[family].release(variant)
    state = {f"{prefix}{key}": value for key, value in untrained.network.state_dict().items()}
    torch.save({"model": state}, tmp_path / release.names()[1 if family == "sparsh" else 0])
    loaded = load_encoder(name, device="cpu", threads=1)
    assert loaded.fingerprint == untrained.fingerprint


def test_an_unknown_variant_lists_the_known_ones():
    with pytest.raises(
        ValueError, match=r"sparsh:vjepa-base is not released; expected one of dino-small, dino-base"
    ):
        load_encoder("sparsh:vjepa-base")
    with pytest.raises(ValueError, match=r"tvl:large is not released; expected one of small, tiny, base"):
        load_encoder("tvl:large")


@pytest.mark.parametrize(("name", "allowed"), [("tvl:tiny", True), ("sparsh:/tmp/x.ckpt", False)])
def test_a_sensor_file_may_name_a_variant_but_no_file(name, allowed):
    from pathlib import Path

    from bideta.artifact import ArtifactError
    from bideta.service.noted_encoder import NotedEncoder

    noted = NotedEncoder(name, {}, "0" * 64)
    if allowed:
        assert noted.usable_name(Path("s.bideta")) == name
    else:
        with pytest.raises(ArtifactError, match="does not decide which other file is opened"):
            noted.usable_name(Path("s.bideta"))
