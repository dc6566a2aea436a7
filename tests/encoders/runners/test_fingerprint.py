"""Fingerprints are stored in sensor files and caches: they never change."""

from __future__ import annotations

import hashlib

import numpy as np
import pytest

from bideta.encoders.runners.fingerprint import full_text, of_network, plain_text
from bideta.encoders.runners.preprocessing import Preprocessing
from bideta.plugins import load_encoder


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("twin-tvl", "c4495d452b2468e2b434955e1a74fde729a9afae2553f1423d8fd10ea909859a"),
        ("twin-sparsh", "39fb336b29fb35b245d39e960337d37c3c0b739ab695ea618b72c19013bc943c"),
    ],
)
def test_the_embedded_encoders_keep_their_fingerprints(name: str, expected: str) -> None:
    assert load_encoder(name, threads=1).fingerprint == expected


def test_the_hashed_texts_keep_the_names_of_their_first_version() -> None:
    assert plain_text(Preprocessing(64, 64)) == "Preprocessing(size=64, channels=3, mean=None, std=None)"
    background = np.zeros((4, 4, 3), np.uint8)
    text = full_text(Preprocessing(32, 48, 6, (0.1, 0.2, 0.3), (1.0, 1.0, 1.0), background=background))
    assert text == (
        "Frames(height=32, width=48, channels=6, mean=(0.1, 0.2, 0.3), std=(1.0, 1.0, 1.0), "
        f"resize='pil-bicubic', pad_and_rotate=False){hashlib.sha256(background.tobytes()).hexdigest()}"
    )


def test_a_networks_fingerprint_is_that_of_its_text_and_its_sorted_tensors() -> None:
    torch = pytest.importorskip("torch", reason="networks are torch's (extra torch)")
    network = torch.nn.Linear(2, 1)
    preprocessing = Preprocessing(8, 8)
    digest = hashlib.sha256(f"{full_text(preprocessing)}small".encode())
    for key in ("bias", "weight"):
        values = network.state_dict()[key].numpy()
        digest.update(f"{key} {values.shape}".encode() + values.tobytes())
    assert of_network(network, preprocessing, "small") == digest.hexdigest()
