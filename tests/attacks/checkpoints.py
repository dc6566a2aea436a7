"""Weight files: flipped bits, pickles of random instructions, and bombs. Read, or refused; nothing else changes."""

from __future__ import annotations

import argparse
import collections
import io
import os
import struct
import tempfile
import zipfile
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import numpy as np

from attacks.tally import Tally
from attacks.worker import judged

NAMES = (
    "collections OrderedDict", "argparse Namespace", "torch Size", "torch FloatStorage",
    "torch._utils _rebuild_tensor_v2", "torch._utils _rebuild_parameter", "os system", "builtins eval",
    "builtins bytearray", "numpy.core.multiarray scalar",
)  # fmt: skip
KEPT = 3  # times its size that a file may leave in the cache


@cache
def originals() -> tuple[bytes, ...]:
    """A checkpoint as training scripts write it, with an optimiser and foreign objects, and one of before the zip."""
    import torch

    rng = torch.Generator().manual_seed(0)
    state = {
        f"module.{name}": torch.rand(shape, generator=rng)
        for name, shape in {
            "patch_embed.proj.weight": (8, 3, 4, 4),
            "norm.weight": (8,),
            "head.weight": (5, 8),
        }.items()
    }
    beside = {"args": argparse.Namespace(lr=0.1), "epoch": 3, "size": torch.Size([2, 3]), "seen": {1, 2}}
    made = []
    for content, new in (({"model": state, **beside}, True), (state, False)):
        stream = io.BytesIO()
        torch.save(content, stream, _use_new_zipfile_serialization=new)
        made.append(stream.getvalue())
    return tuple(made)


def entries(content: bytes) -> dict[str, bytes]:
    """Names and contents of an archive."""
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


def archived(parts: dict[str, bytes], compression: int = zipfile.ZIP_STORED) -> bytes:
    """An archive whose checksums are right."""
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w", compression) as archive:
        for name, part in parts.items():
            archive.writestr(name, part)
    return stream.getvalue()


def with_pickle(code: bytes) -> bytes:
    """The honest archive with another pickle in it."""
    parts = entries(originals()[0])
    (name,) = [name for name in parts if name.endswith("data.pkl")]
    return archived({**parts, name: code})


def instructions(rng: np.random.Generator) -> bytes:
    """A pickle of random instructions, some of them with hostile numbers."""
    huge = struct.pack("<I", int(rng.choice([2**31 - 1, 2**32 - 1, 10**6])))
    long = struct.pack("<Q", 2**31)
    pieces = [
        b"}", b"]", b")", b"(", b"N", b"0", b"1", b"2", b"K\x03", b"X\x01\x00\x00\x00a", b"\x85", b"\x86", b"\x87",
        b"t", b"R", b"b", b"\x81", b"s", b"u", b"a", b"e", b"Q", b"q\x00", b"h\x00", b"\x94", b"\x8f", b"\x90",
        b"\x8a\x02ab", b"r" + huge, b"j" + huge, b"X" + huge, b"B" + huge, b"\x96" + long, b"\x8d" + long,
        b"\x8b" + huge, b"\x95" + long, b"J" + huge, b"\x82\x01", b"\x93", b"d", b"l",
    ]  # fmt: skip
    pieces += [b"c" + name.replace(" ", "\n").encode() + b"\n" for name in NAMES]
    chosen = rng.integers(0, len(pieces), int(rng.integers(1, 60)))
    return b"\x80\x02" + b"".join(pieces[i] for i in chosen) + b"."


def bomb(rng: np.random.Generator) -> bytes:
    """Small files that ask for much."""
    kind, parts = int(rng.integers(9)), entries(originals()[0])
    tensor = (
        b"(X\x07\x00\x00\x00storagectorch\nFloatStorage\nX\x01\x00\x00\x000X\x03\x00\x00\x00cpuM\x00\x01tQ"
    )
    rebuild = b"ctorch._utils\n_rebuild_tensor_v2\n("
    if kind == 0:  # a length that is allocated before it is read
        return with_pickle(b"\x80\x05\x96" + struct.pack("<Q", int(rng.integers(2**30, 2**33))) + b".")
    if kind == 1:  # a place in a memo that is made as long
        return with_pickle(b"\x80\x02}r" + struct.pack("<I", int(rng.integers(2**30, 2**32))) + b".")
    if kind == 2:  # tuples of the same tuples, as a key
        return with_pickle(b"\x80\x02})" + b"q\x00h\x00\x86" * int(rng.integers(25, 60)) + b"Ns.")
    if kind == 3:  # one number shown a billion times
        size = struct.pack("<i", int(rng.integers(10**4, 2 * 10**9)))
        view = b"K\x00J" + size + b"\x85K\x00\x85" + b"\x89ccollections\nOrderedDict\n)RtR"
        name = b"X\x17\x00\x00\x00patch_embed.proj.weight"
        return with_pickle(b"\x80\x02}" + name + rebuild + tensor + view + b"s.")
    if kind == 4:  # zeros, compressed
        (name,) = [name for name in parts if name.endswith("data/0")]
        return archived({**parts, name: bytes(int(rng.integers(10**7, 10**8)))}, zipfile.ZIP_DEFLATED)
    if kind == 5:  # attributes of a class that the process shares
        state = b"}X\x04\x00\x00\x00evilK\x01s"
        return with_pickle(
            b"\x80\x02c" + NAMES[int(rng.integers(2))].replace(" ", "\n").encode() + b"\n" + state + b"b."
        )
    if kind == 6:  # a pickle that is nothing but containers
        return with_pickle(b"\x80\x02(" + b"}\x94" * int(rng.integers(10**5, 3 * 10**6)) + b"t.")
    if kind == 7:  # the same storage under a thousand names
        view = rebuild + tensor + b"K\x00M\x00\x01\x85K\x01\x85\x89ccollections\nOrderedDict\n)RtR"
        names = b"".join(b"X\x04\x00\x00\x00%04d" % i + b"h\x00" for i in range(3000))
        key = b"X\x17\x00\x00\x00patch_embed.proj.weight"
        return with_pickle(b"\x80\x02}" + key + view + b"q\x00s(" + names + b"u.")
    before = originals()[1]  # lengths in the old format
    at = before.rindex(b".") + 1
    return before[:at] + struct.pack("<Q", int(rng.integers(2**30, 2**60))) + before[at + 8 :]


def flipped(content: bytes, rng: np.random.Generator) -> bytes:
    """A few bits changed, or the end cut off."""
    altered = bytearray(content)
    for place in rng.integers(0, len(content), int(rng.integers(1, 4))):
        altered[place] ^= 1 << int(rng.integers(8))
    return bytes(altered[: int(rng.integers(len(content)))]) if rng.random() < 0.1 else bytes(altered)


def cases(rng: np.random.Generator, tries: int) -> Iterator[bytes]:
    """A quarter of each kind: damaged files, damaged pickles in whole archives, random instructions, bombs."""
    (code,) = [part for name, part in entries(originals()[0]).items() if name.endswith("data.pkl")]
    for number in range(tries):
        if number % 4 == 0:
            yield flipped(originals()[int(rng.integers(2))], rng)
        elif number % 4 == 1:
            yield with_pickle(flipped(code, rng))
        elif number % 4 == 2:
            yield with_pickle(instructions(rng)) if rng.random() < 0.7 else instructions(rng) * 5
        else:
            yield bomb(rng)


def answer(content: bytes) -> None:
    """Read the file as an encoder's weights; the process is as before, and the cache has not grown beyond reason."""
    from bideta.encoders.checkpoints.checkpoint import encoder_tensors
    from bideta.encoders.checkpoints.folders import FOLDER_VARIABLE, sha256_of
    from bideta.encoders.checkpoints.release import Release

    release = Release("small", "somebody/small", ("small.ckpt",), ("",), "CC0")
    with tempfile.TemporaryDirectory() as folder:
        path, kept = Path(folder, "attack.ckpt"), Path(folder, "kept")
        path.write_bytes(content)
        os.environ[FOLDER_VARIABLE] = str(kept)
        try:
            encoder_tensors(path, sha256_of(path), release)
        finally:
            left = sum(file.stat().st_size for file in kept.rglob("*") if file.is_file())
            assert left <= KEPT * len(content) + 10_000, f"{left:,} bytes left in the cache"
            assert "evil" not in vars(argparse.Namespace)
            assert "evil" not in vars(collections.OrderedDict)


def warm_up() -> None:
    """Load what the first answer loads."""
    for content in originals():
        answer(content)


def attack(rng: np.random.Generator, tries: int) -> Tally:
    """Damage, random pickles and bombs."""
    return judged("checkpoints", cases(rng, tries), answer)
