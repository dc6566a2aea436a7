"""Files of some kilobytes that unpack to gigabytes, or promise them: one clear error, in bounded memory."""

from __future__ import annotations

import json
import re
import sqlite3
import struct
import sys
import zipfile
import zlib
from contextlib import closing

import numpy as np
import pytest

from bideta.readers import open_contacts
from support.bombs import BYTES, PICTURE, ZEROS, costs, deflated, hdf5_file, zarr_folder, zstd

MEGABYTES = 400  # that one file may add; a bomb unpacks to two thousand
pytestmark = pytest.mark.skipif(not sys.platform.startswith("linux"), reason="measures forks")

TOO_MUCH = "made to fill the memory"
GZIP, ZSTD = {"name": "gzip", "configuration": {"level": 5}}, {"name": "zstd", "configuration": {"level": 0}}
INDEX = {"index_codecs": [BYTES], "index_location": "end"}
SHARDED = [
    {"name": "sharding_indexed", "configuration": {"chunk_shape": PICTURE, "codecs": [BYTES, ZSTD], **INDEX}}
]
TEXT = {"name": "y", "shape": [4], "data_type": "string", "fill_value": ""}
BLOSC = struct.pack("<BBBBIII", 2, 1, 0x21, 1, ZEROS, ZEROS, 20) + bytes(4)
PACKED = zstd(says=ZEROS)
SHARD = PACKED + struct.pack("<QQ", 0, len(PACKED))

# File → content, codecs, anything else; the error.
ZARR = {
    "2 gzip": (deflated(wbits=31), {"id": "gzip"}, {}, "holds a chunk of"),
    "2 gzip, less": (deflated(5 * 10**8, 31), {"id": "gzip"}, {}, TOO_MUCH),
    "2 zlib": (deflated(5 * 10**8), {"id": "zlib"}, {}, TOO_MUCH),
    "2 zstd": (PACKED, {"id": "zstd"}, {}, TOO_MUCH),
    "2 zstd of unknown size": (zstd(), {"id": "zstd"}, {}, "damaged zstd"),
    "2 zstd that lies": (zstd(says=786_432), {"id": "zstd"}, {}, "damaged zstd"),
    "2 blosc": (BLOSC, {"id": "blosc"}, {}, TOO_MUCH),
    "2 lz4": (struct.pack("<I", ZEROS) + b"\x1f\0\1\0" + b"\xff" * 9, {"id": "lz4"}, {}, TOO_MUCH),
    "2 pickle": (b"", {"id": "pickle"}, {}, "packed with pickle; expected one of"),
    "2 twice": (b"", {"id": "gzip"}, {"filters": [{"id": "gzip"}]}, "packed with gzip, then gzip"),
    "2 long text": (b"", None, {"dtype": "|S999999999"}, "cannot read"),
    "3 gzip": (deflated(5 * 10**8, 31), [BYTES, GZIP], {}, TOO_MUCH),
    "3 zstd": (PACKED, [BYTES, ZSTD], {}, TOO_MUCH),
    "3 shard": (SHARD, SHARDED, {}, TOO_MUCH),
    "3 shard that lies": (struct.pack("<QQ", 0, 2**40), SHARDED, {}, "holds a chunk of"),
    "3 text": (PACKED, [{"name": "vlen-utf8"}, ZSTD], TEXT, TOO_MUCH),
    "3 another codec": (b"", [BYTES, {"name": "evil.module"}], {}, "packed with evil.module"),
}


def write_zarr(home):
    for name, (content, codecs, more, _) in ZARR.items():
        zarr_folder(home / f"{name}.zarr", content, codecs, **more)
        if "name" in more:
            zarr_folder(home / "other", bytes(48), [BYTES], shape=[4, 2, 2, 3])
            (home / "other" / "X").rename(home / f"{name}.zarr" / "X")
            (home / "other" / "zarr.json").unlink()
            (home / "other").rmdir()
    return {f"{name}.zarr": reason for name, (*_, reason) in ZARR.items()}


def write_hdf5(home):
    import h5py

    lzf = b"\0\0" + b"\xe0\xff\0" * (7 * 10**7 // 264)
    hdf5_file(home / "gzip.h5", deflated(), compression="gzip")
    hdf5_file(home / "gzip, less.h5", deflated(5 * 10**8), compression="gzip", shuffle=True)
    hdf5_file(home / "checksum.h5", deflated(5 * 10**8) + bytes(4), compression="gzip", fletcher32=True)
    hdf5_file(home / "lzf.h5", lzf, compression="lzf")
    hdf5_file(home / "short.h5", zlib.compress(b"short"), compression="gzip")
    hdf5_file(home / "masked.h5", b"short", mask=1, compression="gzip")
    hdf5_file(home / "scaled.h5", b"short", scaleoffset=3)
    with h5py.File(home / "tiny.h5", "w") as file:
        file.create_dataset("X", (1, 5000, 5000, 3), "u1", chunks=(1, 1, 1, 1), compression="gzip")
    for name, chunk in (("text", deflated(5 * 10**8)), ("texts", None)):
        rows = 500 if chunk else 10**6
        with h5py.File(home / f"{name}.h5", "w") as file:
            file.create_dataset("X", (rows, 8, 8, 3), "u1", chunks=(1, 8, 8, 3))
            made = file.create_dataset(
                "y", (rows,), "S1000", chunks=(500,), compression="gzip", fillvalue=b"a" * 999
            )
            if chunk:
                made.id.write_direct_chunk((0,), chunk)
    with h5py.File(home / "lists.h5", "w") as file:
        file["X"] = np.zeros((4, 8, 8, 3), np.uint8)
        file.create_dataset("y", (4,), h5py.vlen_dtype(np.dtype("f8")))
    with h5py.File(home / "readouts.h5", "w") as file:
        for number in range(200):
            file.create_dataset(f"h{number}", (1000, 250_000), "f4", chunks=(1, 250_000), compression="gzip")
    with h5py.File(home / "config.touch", "w") as file:
        file.create_dataset("config", (ZEROS,), "u1", chunks=(10**6,), fillvalue=7)
    bytes_of_any_length = h5py.vlen_dtype(np.dtype("u1"))
    for name in ("packed", "long"):
        with h5py.File(home / f"{name}.touch", "w") as file:
            file["config"] = json.dumps({"sensors": [{"sensor_name": "a"}]})
            packed = {"compression": "gzip"} if name == "packed" else {}
            made = file.create_dataset("sensor_chunks", (1,), bytes_of_any_length, chunks=(1,), **packed)
            if packed:
                made.id.write_direct_chunk((0,), deflated(5 * 10**7))
            else:
                made[0] = np.zeros(100, np.uint8)
                place = made.id.get_chunk_info(0).byte_offset
    with (home / "long.touch").open("r+b") as file:
        file.seek(place)
        file.write(struct.pack("<I", 2**32 - 1))  # bytes that the first row says it has
    with h5py.File(home / "linked.touch", "w") as file:
        file["config"] = h5py.ExternalLink("long.touch", "config")
    return {
        "gzip.h5": "is stored in more than",
        "gzip, less.h5": TOO_MUCH,
        "checksum.h5": TOO_MUCH,
        "lzf.h5": TOO_MUCH,
        "short.h5": "unpacks to 5 bytes",
        "masked.h5": "unpacks to 5 bytes",
        "scaled.h5": r"filters are number 6; expected gzip or lzf.*compression='gzip'",
        "tiny.h5": r"75,000,000 chunks of 1 bytes.*write it again",
        "text.h5": TOO_MUCH,
        "texts.h5": "names of more than",
        "lists.h5": "expected .* names or numbers",
        "readouts.h5": "readouts of 50,000,000 numbers",
        "config.touch": "its config is no text",
        "packed.touch": TOO_MUCH,
        "long.touch": "a text or list of 4,294,967,295 bytes",
        "linked.touch": "cannot read .*config",
    }


def mcap(*records):
    """A file of records: their code and content."""
    packed = (struct.pack("<BQ", code, len(content)) + content for code, content in records)
    return b"\x89MCAP0\r\n" + b"".join(packed)


def text(content):
    return struct.pack("<I", len(content)) + content


def write_bags(home):
    zstandard = pytest.importorskip("zstandard")

    def chunk(content):
        packed = zstandard.compress(content)
        head = struct.pack("<QQQI", 0, 0, len(content), 0) + text(b"zstd")
        return 6, head + struct.pack("<Q", len(packed)) + packed

    schema = 3, struct.pack("<H", 1) + text(b"sensor_msgs/msg/Image") + text(b"") + text(b"")
    channel = 4, struct.pack("<HH", 1, 1) + text(b"/i") + text(b"cdr") + bytes(4)
    names = [
        chunk(mcap((4, struct.pack("<HH", number, 1) + text(b"%d" % number + b"a" * 30_000_000)))[8:])
        for number in range(20)
    ]
    message = mcap((5, struct.pack("<HIQQ", 1, 0, 0, 0)))[8:]
    (home / "names.mcap").write_bytes(mcap(schema, *names))
    (home / "messages.mcap").write_bytes(mcap(schema, channel, chunk(message * 60_000), (2, bytes(20))))
    (home / "index.mcap").write_bytes(mcap(schema, channel, (7, bytes(2 * 10**7)), (2, bytes(20))))
    tables = {
        "computed": "CREATE TABLE messages (id, topic_id, timestamp, data AS (zeroblob(100000000)))",
        "virtual": "CREATE VIRTUAL TABLE messages USING rtree(id, a, b)",
    }
    for name, table in tables.items():
        with closing(sqlite3.connect(home / f"{name}.db3")) as bag, bag:
            bag.execute("CREATE TABLE topics (id INTEGER PRIMARY KEY, name, type, serialization_format)")
            bag.execute("INSERT INTO topics VALUES (1, '/i', 'sensor_msgs/msg/Image', 'cdr')")
            bag.execute(table)
            if name == "computed":
                bag.executemany("INSERT INTO messages VALUES (?, 1, 0)", [(row,) for row in range(20)])
    return {
        "names.mcap": "a name of 30,000,00",
        "messages.mcap": "picture 10000",
        "index.mcap": "no contact",
        "computed.db3": "no tables topics and messages",
        "virtual.db3": "no tables topics and messages",
    }


def write_lerobot(home):
    import pyarrow as pa
    import pyarrow.parquet as pq

    from support import formats

    def tasks(name, texts, **settings):
        (home.parent / name).mkdir()
        root = formats.write_lerobot(home.parent / name, formats.presses(0)).rename(home / name)
        file = root / "meta" / "tasks.parquet"
        table = pa.table({"task_index": list(range(len(texts))), "task": texts})
        pq.write_table(table, file, compression="zstd", write_statistics=False, **settings)
        return file

    file = tasks("lying", ["a" * 300_000_000], use_dictionary=False)
    true = 2 * pq.ParquetFile(file).metadata.row_group(0).column(1).total_uncompressed_size  # Thrift's zigzag
    said, small = (
        bytes(n >> shift & 127 | 128 * (shift < 28) for shift in range(0, 35, 7)) for n in (true, 2)
    )
    file.write_bytes(small.join(file.read_bytes().rsplit(said, 1)))  # what the end of the file says
    assert pq.ParquetFile(file).metadata.row_group(0).column(1).total_uncompressed_size == 1
    same = pa.DictionaryArray.from_arrays(pa.array([0] * 100, pa.int32()), pa.array(["a" * 10_000_000]))
    tasks("same", same)
    return {"lying": "a page of 300,000,", "same": "read"}


def write_npz(home):
    kinds = {"deflate": zipfile.ZIP_DEFLATED, "bz2": zipfile.ZIP_BZIP2, "lzma": zipfile.ZIP_LZMA}
    for rows, name in ((20_000, "bz2"), (320_000, "deflate"), (20_000, "lzma")):
        head = f"{{'descr': '|u1', 'fortran_order': False, 'shape': ({rows}, 16, 16, 3)}}".encode()
        with (
            zipfile.ZipFile(home / f"{name}.npz", "w", kinds[name], compresslevel=1) as file,
            file.open("X.npy", "w") as stream,
        ):
            stream.write(b"\x93NUMPY\1\0" + struct.pack("<H", len(head)) + head)
            for _ in range(rows // 20_000):
                stream.write(bytes(20_000 * 768))
    return {
        "bz2.npz": "not packed as numpy does",
        "lzma.npz": "not packed as numpy does",
        "deflate.npz": "read",
    }


@pytest.mark.parametrize(
    ("write", "libraries"),
    [
        (write_zarr, ("numcodecs",)),
        (write_hdf5, ("h5py",)),
        (write_bags, ("zstandard",)),
        (write_lerobot, ("pyarrow",)),
        (write_npz, ()),
    ],
    ids=["zarr", "hdf5", "bags", "lerobot", "npz"],
)
def test_bombs_are_refused_in_little_memory(write, libraries, tmp_path):
    for library in libraries:
        pytest.importorskip(library)
    expected, told = write(tmp_path), costs(tmp_path)
    wrong = {
        name: told.get(name)
        for name, reason in expected.items()
        if name not in told or told[name][0] > MEGABYTES or not re.search(reason, told[name][1])
    }
    assert wrong == {}, "\n".join(map(str, wrong.items()))
    assert told.keys() == expected.keys()


@pytest.mark.parametrize("codec", ["gzip", "zlib", "bz2", "lzma", "zstd", "blosc", "lz4", None])
@pytest.mark.parametrize("order", ["C", "F"])
def test_every_codec_of_zarr_2_is_read_to_the_bit(codec, order, tmp_path):
    zarr, numcodecs = pytest.importorskip("zarr"), pytest.importorskip("numcodecs")
    made = np.random.default_rng(0).integers(0, 9, (7, 10, 9, 3), np.uint8)
    group = zarr.open_group(tmp_path, mode="w", zarr_format=2)
    settings = {"shape": made.shape, "chunks": (3, 4, 9, 2), "dtype": "u1", "order": order, "fill_value": 5}
    packing = numcodecs.get_codec({"id": codec}) if codec else None
    array = group.create_array("X", compressors=packing, **settings)
    array[:5] = made[:5]  # the last chunk of rows is never written
    made[5:] = 5
    contacts = open_contacts(tmp_path)
    assert all(np.array_equal(contacts.pictures[row], made[row]) for row in range(7))


@pytest.mark.parametrize("codec", ["GzipCodec", "ZstdCodec", "BloscCodec", None])
@pytest.mark.parametrize("shards", [None, (6, 8, 9, 4)])
@pytest.mark.parametrize(("dtype", "endian"), [("u1", "little"), ("f4", "big"), ("f2", "little")])
def test_every_codec_of_zarr_3_is_read_to_the_bit(codec, shards, dtype, endian, tmp_path):
    zarr = pytest.importorskip("zarr")
    made = np.random.default_rng(0).integers(0, 9, (7, 10, 9, 3)).astype(dtype)
    made = made if dtype == "u1" else made[..., 0]
    n = made.ndim
    packing = (getattr(zarr.codecs, codec)(),) if codec else None
    settings = {"chunks": (3, 4, 9, 2)[:n], "shards": shards and shards[:n], "compressors": packing}
    settings["serializer"] = zarr.codecs.BytesCodec(endian=endian)
    zarr.open_group(tmp_path, mode="w").create_array("X", shape=made.shape, dtype=dtype, **settings)[:] = made
    contacts = open_contacts(tmp_path)
    assert all(np.array_equal(contacts.pictures[row], made[row]) for row in range(7))


@pytest.mark.parametrize("format", [2, 3])
def test_texts_of_zarr_are_labels(format, tmp_path):
    zarr = pytest.importorskip("zarr")
    group = zarr.open_group(tmp_path, mode="w", zarr_format=format)
    group.create_array("X", shape=(3, 4, 4, 3), chunks=(2, 4, 4, 3), dtype="u1")
    words = ["nut", "a longer word with ü", ""]
    group.create_array("y", shape=(3,), chunks=(2,), dtype=str)[:] = np.array(words, object)
    assert list(open_contacts(tmp_path).labels) == words


def test_a_codec_that_nobody_asks_for_hinders_nobody(tmp_path):
    zarr_folder(tmp_path / "a.zarr", bytes(786_432), None)
    zarr_folder(tmp_path / "a.zarr", b"", {"id": "pickle"}, name="other")
    assert open_contacts(tmp_path / "a.zarr").pictures[0].shape == tuple(PICTURE[1:])


def test_what_is_no_zarr_folder_says_what_is_expected(tmp_path):
    with pytest.raises(ValueError, match=r"as zarr: expected a folder with zarr\.json"):
        open_contacts(tmp_path, format="zarr")


def test_a_chunk_that_is_a_link_is_not_followed(tmp_path):
    zarr_folder(tmp_path / "a.zarr", b"", None)
    chunk = tmp_path / "a.zarr" / "X" / "0.0.0.0"
    (tmp_path / "secret").write_bytes(bytes(786_432))
    chunk.unlink()
    chunk.symlink_to(tmp_path / "secret")
    with pytest.raises(ValueError, match="a link that leads out"):
        open_contacts(tmp_path / "a.zarr").pictures[0]


@pytest.mark.parametrize(
    "filters",
    [
        {},
        {"compression": "gzip"},
        {"compression": "lzf"},
        {"compression": "gzip", "shuffle": True, "fletcher32": True},
        {"compression": "lzf", "shuffle": True, "fletcher32": True},
        {"shuffle": True},
    ],
    ids=str,
)
def test_every_filter_of_hdf5_is_read_to_the_bit(filters, tmp_path):
    h5py = pytest.importorskip("h5py")
    rng = np.random.default_rng(0)
    made = rng.integers(0, 9, (7, 100, 90, 3), np.uint8)
    made[1] = rng.integers(0, 256, made[1].shape)  # what cannot be packed
    made[2] = 0
    words = ["nut", "key"] * 3 + ["ü"]
    with h5py.File(tmp_path / "a.h5", "w") as file:
        array = file.create_dataset("X", made.shape, "u1", chunks=(3, 40, 90, 2), fillvalue=5, **filters)
        array[:6] = made[:6]
        made[6] = 5  # never written
        packing = {name: value for name, value in filters.items() if name != "fletcher32" and value != "lzf"}
        file.create_dataset("y", data=words, dtype=h5py.string_dtype(), chunks=(2,), **packing)
        file["press"] = words
    contacts = open_contacts(tmp_path / "a.h5")
    assert all(np.array_equal(contacts.pictures[row], made[row]) for row in range(7))
    assert list(contacts.labels) == words
    assert list(contacts.presses) == [f"press {word}" for word in words]


def test_pages_of_a_database_that_lead_to_the_same_ones_come_to_an_end(tmp_path):
    """Five pages, each with three hundred times the one before: more rows than anybody can wait for."""
    file = tmp_path / "a.db3"
    with closing(sqlite3.connect(file)) as bag, bag:
        bag.execute("CREATE TABLE topics (id INTEGER PRIMARY KEY, name, type, serialization_format)")
        bag.execute("INSERT INTO topics VALUES (1, '/i', 'sensor_msgs/msg/Image', 'cdr')")
        bag.execute("CREATE TABLE messages (id INTEGER PRIMARY KEY, topic_id, timestamp, data)")
        bag.executemany("INSERT INTO messages VALUES (NULL, 2, 0, ?)", [(bytes(100),)] * 300)
        (root,) = bag.execute("SELECT rootpage FROM sqlite_master WHERE name = 'messages'").fetchone()
    content = bytearray(file.read_bytes())
    first = 4096 * (root - 1)
    (cell,) = struct.unpack_from(">H", content, first + 12)
    (child,) = struct.unpack_from(">I", content, first + cell)
    for _ in range(5):
        cells, places = struct.pack(">IB", child, 1) * 300, [4096 - 5 * n for n in range(300, 0, -1)]
        page = struct.pack(">BHHHBI", 5, 0, 300, places[0], 0, child) + struct.pack(">300H", *places)
        content += page.ljust(places[0], b"\0") + cells
        child = len(content) // 4096
    content[first : first + 4096] = content[-4096:]
    content[28:32] = struct.pack(">I", child)
    file.write_bytes(content)
    with pytest.raises(ValueError, match=r"a\.db3.*messages of more bytes than the file"):
        open_contacts(file, cut="whole")


def test_large_chunks_and_labels_are_not_kept(tmp_path):
    zstandard = pytest.importorskip("zstandard")
    image = b"\0\1\0\0" + bytes(8) + text(b"c\0\0\0") + struct.pack("<II", 4, 4) + text(b"rgb8\0") + bytes(3)
    image += struct.pack("<II", 12, 120_000_000) + bytes(120_000_000)
    label = b"\0\1\0\0" + text(b"a" * 100_000_000 + b"\0")

    def chunk(number, data):
        content = mcap((5, struct.pack("<HIQQ", number, 0, 0, 0) + data))[8:]
        packed = zstandard.compress(content)
        head = struct.pack("<QQQI", 0, 0, len(content), 0) + text(b"zstd")
        return 6, head + struct.pack("<Q", len(packed)) + packed

    def channel(number, name, kind):
        schema = struct.pack("<H", number) + text(kind) + text(b"") + text(b"")
        return (3, schema), (4, struct.pack("<HH", number, number) + text(name) + text(b"cdr") + bytes(4))

    topics = *channel(1, b"/i", b"sensor_msgs/msg/Image"), *channel(2, b"/label", b"std_msgs/msg/String")
    (tmp_path / "images.mcap").write_bytes(mcap(*topics, *[chunk(3, image)] * 4, (2, bytes(20))))
    assert costs(tmp_path)["images.mcap"][0] < 200
    small = image[:-120_000_000] + bytes(48)
    small = small.replace(struct.pack("<I", 120_000_000), struct.pack("<I", 48))
    (tmp_path / "labels.mcap").write_bytes(
        mcap(*topics, *[chunk(2, label), chunk(1, small)] * 3, (2, bytes(20)))
    )
    contacts = open_contacts(tmp_path / "labels.mcap", label_topic="/label", cut="whole")
    assert set(contacts.labels) == {"a" * 200}


@pytest.mark.timeout(20)
@pytest.mark.parametrize("sign", [1, -1])
@pytest.mark.parametrize("kind", ["dictionary", "memory"])
def test_numbers_of_the_same_hash_take_no_time(kind, sign, tmp_path):
    same = [sign * number * (2**61 - 1) for number in range(1, 60_000)]
    if kind == "dictionary":
        items = b"".join(b"\x8a\x0a" + number.to_bytes(10, "little", signed=True) + b"N" for number in same)
        content = b"\x80\x04}(" + items + b"u."
    else:
        content = b"\x80\x04]" + b"".join(b"Np%d\n0" % number for number in same) + b"."
    (tmp_path / "x.pkl").write_bytes(content)
    with pytest.raises(ValueError, match=r"x\.pkl"):
        open_contacts(tmp_path / "x.pkl")
