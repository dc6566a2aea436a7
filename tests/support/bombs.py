"""Small files that unpack to gigabytes, and what opening any file costs in a process of its own."""

from __future__ import annotations

import json
import struct
import subprocess
import sys
import zlib
from pathlib import Path
from typing import Any

ZEROS = 2 * 10**9  # bytes that a bomb unpacks to
PICTURE = [1, 512, 512, 3]  # a chunk of an honest size: 786,432 bytes
BYTES = {"name": "bytes", "configuration": {"endian": "little"}}  # the first codec of an array in format 3

# Every file is opened in a fork of one process that has loaded the libraries: its peak is that of the file alone.
OPENER = """
import importlib, os, resource, signal, sys
from pathlib import Path
for name in ("h5py", "numcodecs.blosc", "numcodecs.zstd", "zstandard", "lz4.frame", "pyarrow.parquet", "av"):
    try:
        importlib.import_module(name)
    except ImportError:
        pass
from bideta.readers import open_contacts
for path in sorted(Path(sys.argv[1]).iterdir()):
    child = os.fork()
    if not child:
        signal.alarm(60)
        before, said = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss, "read"
        try:
            whole = path.suffix in (".mcap", ".db3", ".touch")
            contacts = open_contacts(path, **({"cut": "whole"} if whole else {}))
            for row in range(min(len(contacts), 4)):
                contacts.pictures[row]
        except ValueError as error:
            said = str(error).replace("\\n", " ")
        added = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before
        print(path.name, added // 1024, said, sep="\\t", flush=True)
        os._exit(0)
    if status := os.waitpid(child, 0)[1]:
        print(path.name, 10**6, f"ended with {status}", sep="\\t", flush=True)
"""


def costs(folder: Path) -> dict[str, tuple[int, str]]:
    """File → megabytes that opening it added, and the error or "read"."""
    done = subprocess.run(
        [sys.executable, "-c", OPENER, folder], capture_output=True, text=True, timeout=300, check=False
    )
    assert done.returncode == 0, done.stderr[-2000:]
    lines = (line.split("\t") for line in done.stdout.splitlines())
    return {name: (int(megabytes), said) for name, megabytes, said in lines}


def deflated(size: int = ZEROS, wbits: int = zlib.MAX_WBITS) -> bytes:
    """A stream of zeros; the same packed piece again and again, behind a flush."""
    packer, piece = zlib.compressobj(9, zlib.DEFLATED, wbits), bytes(2**20)
    first, again = (packer.compress(piece) + packer.flush(zlib.Z_FULL_FLUSH) for _ in range(2))
    return first + again * (size // 2**20)


def zstd(size: int = ZEROS, says: int | None = None) -> bytes:
    """A frame of zeros, four bytes for each 128 kB; ``says``: the size in its header, which may be left out."""
    block, count = 2**17, size // 2**17
    header = b"\x28\xb5\x2f\xfd" + (b"\x00\x38" if says is None else b"\xa0" + struct.pack("<I", says))
    same = (block << 3 | 2).to_bytes(3, "little") + b"\0"  # a block of one repeated byte
    return header + same * (count - 1) + bytes([same[0] | 1]) + same[1:]  # the last one says so


def zarr_folder(
    path: Path, chunk: bytes, codecs: Any, name: str = "X", shape: list[int] = PICTURE, **changes: Any
) -> None:
    """One array of one chunk: in format 3 with a list of codecs, in format 2 with one compressor."""
    (path / name).mkdir(parents=True)
    if isinstance(codecs, list):
        (path / "zarr.json").write_text('{"zarr_format": 3, "node_type": "group", "attributes": {}}')
        facts = {
            "zarr_format": 3, "node_type": "array", "shape": shape, "data_type": "uint8", "fill_value": 0,
            "chunk_grid": {"name": "regular", "configuration": {"chunk_shape": shape}},
            "chunk_key_encoding": {"name": "v2", "configuration": {"separator": "."}},
            "codecs": codecs, "attributes": {},
        }  # fmt: skip
    else:
        (path / ".zgroup").write_text('{"zarr_format": 2}')
        facts = {
            "zarr_format": 2, "shape": shape, "chunks": shape, "dtype": "|u1", "fill_value": 0, "order": "C",
            "filters": None, "compressor": codecs,
        }  # fmt: skip
    description = "zarr.json" if isinstance(codecs, list) else ".zarray"
    (path / name / description).write_text(json.dumps(facts | changes))
    (path / name / ".".join("0" for _ in shape)).write_bytes(chunk)


def hdf5_file(path: Path, chunk: bytes, mask: int = 0, **filters: Any) -> None:
    """A dataset ``X`` of four pictures, each in a chunk that was packed elsewhere."""
    import h5py

    with h5py.File(path, "w") as file:
        made = file.create_dataset("X", (4, *PICTURE[1:]), "u1", chunks=tuple(PICTURE), **filters)
        for row in range(4):
            made.id.write_direct_chunk((row, 0, 0, 0), chunk, mask)
