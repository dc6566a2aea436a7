"""Damaged, lying and hostile files of every format: one clear error, nothing executed, memory bounded."""

from __future__ import annotations

import json
import os
import pickle
import sqlite3
import struct
import subprocess
import sys
import tracemalloc
import zipfile
from contextlib import closing

import numpy as np
import pytest

from bideta.readers import _arrays, _cdr, manifest, npz, open_contacts
from bideta.readers import lerobot as lerobot_reader
from support import formats
from support.formats import presses

GIB = 2**30


def opened(path, **settings):
    """Everything that a command would ask of an input."""
    contacts = open_contacts(path, **settings)
    return contacts, [contacts.pictures[row] for row in range(len(contacts))]


# Arrays


def npy(shape, dtype="|u1", content=b"", extra=""):
    head = f"{{'descr': '{dtype}', 'fortran_order': False, 'shape': {shape}, {extra}}}".encode() + b"\n"
    return b"\x93NUMPY\x01\x00" + struct.pack("<H", len(head)) + head + content


def archive(path, members, compression=zipfile.ZIP_STORED):
    with zipfile.ZipFile(path, "w", compression) as file:
        for name, content in members.items():
            file.writestr(name, content)
    return path


class Evil:
    """Would make a file if it were unpickled."""

    def __init__(self, mark):
        self.mark = mark

    def __reduce__(self):
        return os.mkdir, (str(self.mark),)


def test_a_shape_that_lies_is_refused(tmp_path):
    for shape in ((10**12, 32, 32, 3), (-1, 4, 4, 3), (2, 4, 4, 3)):
        file = archive(tmp_path / "x.npz", {"X.npy": npy(shape, content=b"abc")})
        with pytest.raises(ValueError, match=r"x\.npz.*(says|is \|?u)"):
            open_contacts(file)


@pytest.mark.parametrize(
    ("arrays", "reason"),
    [
        ({"X": np.zeros((2, 3, 8, 9), np.uint8)}, r"channels come last: x\.transpose\(0, 2, 3, 1\)"),
        ({"X": np.zeros((2, 8, 9, 3))}, r"as floats in \[0, 1\]"),
        ({"X": np.zeros((2, 4)), "y": np.array(["a", "b"], object)}, r"y\.astype\(str\)"),
        # the actions of a robot beside pictures of another name are no readouts
        ({"touch": np.zeros((2, 8, 9, 3), np.uint8), "actions": np.zeros((2, 7))}, "--read x=NAME"),
    ],
)
def test_arrays_of_another_layout_say_what_to_do(tmp_path, arrays, reason):
    np.savez(tmp_path / "x.npz", **arrays)
    with pytest.raises(ValueError, match=reason):
        open_contacts(tmp_path / "x.npz")


def test_objects_in_arrays_are_never_unpickled(tmp_path):
    np.savez(tmp_path / "x.npz", X=np.array([Evil(tmp_path / "mark")] * 3, object))
    with pytest.raises(ValueError, match="expected plain numbers or text"):
        open_contacts(tmp_path / "x.npz")
    assert not (tmp_path / "mark").exists()


def test_what_unpacks_to_too_much_is_not_unpacked(tmp_path, monkeypatch):
    content = npy((10**6, 4, 4), content=bytes(16 * 10**6))
    file = archive(tmp_path / "bomb.npz", {"X.npy": content}, zipfile.ZIP_DEFLATED)
    assert file.stat().st_size < 100_000
    monkeypatch.setattr(npz, "UNPACKED", 10**6)
    with pytest.raises(ValueError, match=r"unpacks to 16,0.*at most 1,000,000"):
        open_contacts(file)
    monkeypatch.setattr(_arrays, "MAX_ROWS", 1000)
    monkeypatch.setattr(npz, "UNPACKED", 10**8)
    with pytest.raises(ValueError, match="1,000,000 rows, at most 1,000"):
        open_contacts(file)


def test_a_cut_archive_is_refused(tmp_path):
    file = formats.write_npz(tmp_path, presses(0))
    content = file.read_bytes()
    for length in (100, len(content) // 2, len(content) - 30):
        file.write_bytes(content[:length])
        with pytest.raises(ValueError, match=r"contacts\.npz"):
            open_contacts(file, format="npz")


def test_datasets_in_other_files_are_not_followed(tmp_path):
    h5py = pytest.importorskip("h5py")
    formats.write_hdf5(tmp_path, presses(0))
    with h5py.File(tmp_path / "link.h5", "w") as file:
        file["X"] = h5py.ExternalLink(str(tmp_path / "contacts.h5"), "X")
    with pytest.raises(ValueError, match="holds nothing; expected X"):
        open_contacts(tmp_path / "link.h5")
    (tmp_path / "secret").write_bytes(bytes(48))
    with h5py.File(tmp_path / "raw.h5", "w") as file:
        file.create_dataset("X", (1, 4, 4, 3), "u1", external=[(str(tmp_path / "secret"), 0, 48)])
    with pytest.raises(ValueError, match="X: it lies in another file"):
        open_contacts(tmp_path / "raw.h5")


def test_a_dataset_of_nothing_that_promises_everything_is_refused(tmp_path):
    h5py = pytest.importorskip("h5py")
    with h5py.File(tmp_path / "x.h5", "w") as file:
        file.create_dataset("X", (2**40, 8, 8, 3), "u1", chunks=(1, 8, 8, 3))
    with pytest.raises(ValueError, match="rows, at most 1,000,000"):
        open_contacts(tmp_path / "x.h5")
    with h5py.File(tmp_path / "y.h5", "w") as file:
        file.create_dataset("X", (2**20, 2**10, 2**10, 3), "u1", chunks=(1024, 1024, 1024, 3))
    with pytest.raises(ValueError, match="chunks of 3,221,225,472 bytes"):
        open_contacts(tmp_path / "y.h5")


def test_arrays_in_inner_groups_are_read_by_their_path(tmp_path):
    zarr = pytest.importorskip("zarr")
    made = formats.arrays(presses(0))
    group = zarr.open_group(tmp_path / "x.zarr", mode="w")
    group.create_group("data").create_array("img", data=made["X"])
    group.create_group("meta").create_array("trial", data=made["press"])
    contacts = open_contacts(tmp_path / "x.zarr", x="data/img", y="meta/trial")
    assert np.array_equal(contacts.pictures[5], made["X"][5])
    assert list(contacts.labels) == [str(number) for number in made["press"]]
    with pytest.raises(ValueError, match=r"holds data/img, meta/trial; expected X .*--read x=NAME"):
        open_contacts(tmp_path / "x.zarr")


def test_chunks_of_zarr_are_bounded_too(tmp_path):
    pytest.importorskip("zarr")
    file = formats.write_zarr(tmp_path, presses(0)) / "X" / "zarr.json"
    facts = json.loads(file.read_text())
    facts["shape"][0] = facts["chunk_grid"]["configuration"]["chunk_shape"][0] = 2**40
    file.write_text(json.dumps(facts))
    with pytest.raises(ValueError, match="chunks of"):
        open_contacts(tmp_path / "contacts.zarr")
    file.write_text("{" * 1000)
    with pytest.raises(ValueError, match=r"cannot read .* as zarr"):
        open_contacts(tmp_path / "contacts.zarr")


# Tables


@pytest.mark.parametrize(
    "path", ["../secret.png", "/etc/passwd", "a/../../x.png", "C:\\x.png", "..\\x.png", "x\0.png"]
)
def test_a_manifest_reads_below_its_folder_only(tmp_path, path):
    (tmp_path / "list.csv").write_text(f"path,label\n{path},a\n")
    with pytest.raises(ValueError, match="does not lie below its folder"):
        open_contacts(tmp_path / "list.csv")


def test_a_link_does_not_lead_out_of_the_folder(tmp_path):
    (tmp_path / "secret.png").write_bytes(formats.png(presses(0)[0].frames[0]))
    (tmp_path / "in").mkdir()
    (tmp_path / "in" / "a.png").symlink_to(tmp_path / "secret.png")
    (tmp_path / "in" / "folder").symlink_to(tmp_path)
    for path in ("a.png", "folder/secret.png", "folder/in/../secret.png", "folder"):
        (tmp_path / "in" / "list.csv").write_text(f"path,label\n{path},x\n")
        with pytest.raises(ValueError, match=r"a link that leads out|does not lie below"):
            open_contacts(tmp_path / "in" / "list.csv")
    (tmp_path / "in" / "here").mkdir()
    (tmp_path / "in" / "here" / "b.png").write_bytes((tmp_path / "secret.png").read_bytes())
    (tmp_path / "in" / "there").symlink_to("here")  # links that stay inside are followed
    (tmp_path / "in" / "c.png").symlink_to("here/b.png")
    (tmp_path / "in" / "list.csv").write_text("path,label\nthere/b.png,x\nc.png,x\n")
    assert len(open_contacts(tmp_path / "in" / "list.csv").pictures[:]) == 2


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("path,path\na.png,b\n", "each once"),
        ("path,label\n,a\n", "line 2: the path is empty"),
        ("path,label\na.png,b,c\n", "more cells than columns"),
        ("path,label\n" + "a" * 20_000 + ",b\n", "cannot be read as CSV"),
        ('path,label\n"a.png,b\n', "cannot be read as CSV|no pictures"),
        ("path,label\n", "lists no pictures"),
    ],
)
def test_a_wrong_manifest_says_what_is_wrong(tmp_path, text, reason):
    (tmp_path / "list.csv").write_text(text)
    with pytest.raises(ValueError, match=reason):
        open_contacts(tmp_path / "list.csv")


def test_a_line_without_an_end_is_not_read(tmp_path, monkeypatch):
    (tmp_path / "list.csv").write_bytes(b"path,label\n" + bytes(2_000_000))
    with pytest.raises(ValueError, match="a line of more than 1,000,000 characters"):
        open_contacts(tmp_path / "list.csv")
    monkeypatch.setattr(manifest, "MAX_ROWS", 3)
    (tmp_path / "list.csv").write_text("path,label\n" + "a.png,b\n" * 4)
    with pytest.raises(ValueError, match="more than 3 lines; cut it into files"):
        open_contacts(tmp_path / "list.csv")


# Pickles


def test_a_pickle_is_never_executed(tmp_path):
    for content in ([Evil(tmp_path / "mark")], {"a": Evil(tmp_path / "mark")}, Evil(tmp_path / "mark")):
        for protocol in (2, 4, 5):
            (tmp_path / "x.pkl").write_bytes(pickle.dumps(content, protocol))
            with pytest.raises(ValueError, match=r"no pictures in|cannot read"):
                open_contacts(tmp_path / "x.pkl", format="sparsh")
    (tmp_path / "x.pkl").write_bytes(b"cos\nmkdir\n(S'" + bytes(tmp_path / "mark") + b"'\ntR.")
    with pytest.raises(ValueError, match="cannot read"):
        open_contacts(tmp_path / "x.pkl", format="sparsh")
    assert not (tmp_path / "mark").exists()


@pytest.mark.parametrize(
    "content",
    [
        b"\x80\x04\x8e" + struct.pack("<Q", 2**50) + b"abc.",  # bytes of a petabyte
        b"\x80\x04" + b"(" * 5000 + b".",
        b"\x80\x04]" + b"h\x00" * 10 + b"e.",  # a memory that nobody filled
        b"\x80\x04]q\x00h\x00a.",  # a list in itself
        b"\x80\x04N.",
        b"\x80",
        b"\x80\x04K\x01a.",
    ],
)
def test_a_lying_pickle_is_refused(tmp_path, content):
    (tmp_path / "x.pkl").write_bytes(content)
    with pytest.raises(ValueError, match=r"x\.pkl"):
        open_contacts(tmp_path / "x.pkl", format="sparsh")


TUPLES = b")" + b"q\x00h\x00\x86" * 60  # of the same tuples: as a text, longer than any disk
PICTURES = b"\x80\x04}(X\x01\x00\x00\x00p]C\x02abaX\x01\x00\x00\x00l]"


@pytest.mark.timeout(20)
@pytest.mark.parametrize(
    "content",
    [
        b"\x80\x04}" + TUPLES + b"Ns.",
        b"\x80\x04" + TUPLES + b"X\x01\x00\x00\x00a\x93.",
        b"\x80\x04X\x01\x00\x00\x00a" + TUPLES + b"\x93.",
        PICTURES + TUPLES + b"au.",
        b"\x80\x04cnumpy.core.multiarray\n_reconstruct\n)R(K\x01(K\x01tcnumpy\ndtype\n"
        + TUPLES
        + b"\x85R\x89C\x01atb.",
    ],
    ids=["key", "module", "name", "label", "dtype"],
)
def test_a_pickle_of_the_same_tuples_is_refused_at_once(tmp_path, content):
    (tmp_path / "x.pkl").write_bytes(content)
    with pytest.raises(ValueError, match=r"x\.pkl"):
        open_contacts(tmp_path / "x.pkl", format="sparsh", key="p", label="l")


def test_a_cut_pickle_is_named_and_the_rest_is_used(tmp_path):
    home = formats.write_sparsh(tmp_path, presses(0))
    file = home / "key" / "dataset_1.pkl"
    file.write_bytes(file.read_bytes()[:-100])
    contacts, _ = opened(home)
    assert len(contacts) == 15
    assert len(contacts.broken) == 1
    assert "key/dataset_1.pkl" in contacts.broken[0]


# Videos


def test_what_a_playlist_names_is_not_opened(tmp_path):
    pytest.importorskip("av")
    (tmp_path / "x.mp4").write_text("#EXTM3U\n#EXTINF:1,\nfile:///etc/passwd\n")
    with pytest.raises(ValueError, match="of no format that we know"):
        open_contacts(tmp_path / "x.mp4")
    (tmp_path / "y.mp4").write_text("ffconcat version 1.0\nfile /etc/passwd\n")
    with pytest.raises(ValueError, match=r"no contact in 1 recordings; the first: .*not an MP4"):
        open_contacts(tmp_path / "y.mp4", format="video")


def test_a_cut_video_is_named_and_the_others_are_used(tmp_path):
    pytest.importorskip("av")
    home = formats.write_videos(tmp_path, presses(0))
    for name, length in (("bolt/1.mov", 200), ("nut/2.mov", 20)):
        (home / name).write_bytes((home / name).read_bytes()[:length])
    contacts, pictures = opened(home)
    assert len(pictures) == 12
    assert len(contacts.broken) == 2
    assert "bolt/1.mov" in contacts.broken[0]


def test_a_picture_of_four_thousand_million_points_is_not_decoded(tmp_path):
    pytest.importorskip("av")
    head = b"GIF89a" + struct.pack("<HH", 65535, 65535) + b"\x80\0\0" + bytes(6)
    picture = b"," + struct.pack("<HHHHB", 0, 0, 65535, 65535, 0) + b"\x02\x02\x4c\x01\0;"
    (tmp_path / "x.gif").write_bytes(head + picture)
    with pytest.raises(ValueError, match=r"x\.gif"):
        open_contacts(tmp_path / "x.gif", cut="whole")


# LeRobot


def lerobot(tmp_path, **changes):
    pytest.importorskip("pyarrow")
    home = formats.write_lerobot(tmp_path, presses(0))
    file = home / "meta" / "info.json"
    file.write_text(json.dumps(json.loads(file.read_text()) | changes))
    return home


@pytest.mark.parametrize(
    ("template", "reason"),
    [
        ("../../../etc/passwd", "which is outside"),
        ("/etc/passwd", "which is outside"),
        ("{chunk_index:099999999d}", "."),
        ("{chunk_index.__class__}", "."),
    ],
)
def test_a_dataset_reads_below_its_folder_only(tmp_path, template, reason):
    with pytest.raises(ValueError, match=reason):
        open_contacts(lerobot(tmp_path, data_path=template))


def test_tasks_that_are_the_same_megabytes_again_and_again_take_little_memory(tmp_path):
    home = lerobot(tmp_path)
    import pyarrow as arrow
    import pyarrow.parquet as parquet

    n, length = 1000, 1_000_000
    texts = arrow.DictionaryArray.from_arrays(
        arrow.array([0] * n, arrow.int32()), arrow.array(["a" * length])
    )
    table = arrow.table({"task_index": arrow.array(range(n)), "task": texts})
    parquet.write_table(table, home / "meta" / "tasks.parquet", compression="zstd")
    tracemalloc.start()
    try:
        contacts, _ = opened(home)
        assert tracemalloc.get_traced_memory()[1] < 50 * length
    finally:
        tracemalloc.stop()
    assert set(contacts.labels) == {"a" * 200}


def test_other_versions_say_how_to_convert(tmp_path):
    with pytest.raises(ValueError, match=r"version v2.1, expected v3.0; convert it with"):
        open_contacts(lerobot(tmp_path, codebase_version="v2.1"))


@pytest.mark.parametrize("damage", ["empty header", "another header", "no footer", "no length"])
def test_damaged_tasks_name_their_file(damage, tmp_path):
    home = lerobot(tmp_path)
    file = home / "meta" / "tasks.parquet"
    content = file.read_bytes()
    damaged = {
        "empty header": content[:4] + b"\0" + content[5:],  # of the first page
        "another header": content[:4] + b"\x19" + content[5:],
        "no footer": content[:-200],
        "no length": content[:-8] + b"\xff\xff\xff\x7fPAR1",
    }
    file.write_bytes(damaged[damage])
    with pytest.raises(ValueError, match=r"cannot read .*tasks\.parquet as Parquet"):
        open_contacts(home)


def test_a_broken_file_loses_its_episodes_only(tmp_path):
    home = lerobot(tmp_path)
    file = home / "data/chunk-000/file-000.parquet"
    content = file.read_bytes()
    for damaged in (
        content[:-200],
        content[:100],
        bytes(len(content)),
        content[:-8] + b"\xff\xff\xff\x7fPAR1",
    ):
        file.write_bytes(damaged)
        contacts, _ = opened(home, frames=0)
        assert len(contacts.broken) == 4  # those of the first file
        assert contacts.broken[0].startswith("episode 0 of")
        assert set(contacts.presses) == {"episode 4", "episode 5"}


def test_a_missing_video_loses_its_episodes_only(tmp_path):
    for library in ("pyarrow", "av"):
        pytest.importorskip(library)
    home = formats.write_lerobot_video(tmp_path, presses(0))
    (home / "videos/observation.images.touch/chunk-000/file-000.mp4").unlink()
    contacts, _ = opened(home, frames=0)
    assert len(contacts.broken) == 4
    assert set(contacts.presses) == {"episode 4", "episode 5"}


def test_more_rows_than_a_file_can_hold_are_not_kept(tmp_path, monkeypatch):
    monkeypatch.setattr(lerobot_reader, "FRAMES_OF_FILE", 3)
    with pytest.raises(ValueError, match="holds more than 3 frames"):
        open_contacts(lerobot(tmp_path))


def test_cells_that_are_empty_lose_their_episodes_only(tmp_path):
    home = lerobot(tmp_path)
    import pyarrow as pa
    import pyarrow.parquet as pq

    for name, column in (
        ("meta/episodes/chunk-000/file-000", "length"),
        ("data/chunk-000/file-000", "episode_index"),
    ):
        file = home / f"{name}.parquet"
        content, table = file.read_bytes(), pq.read_table(file)
        empty = pa.nulls(len(table), pa.int64())
        pq.write_table(table.set_column(table.column_names.index(column), column, empty), file)
        if column == "length":
            with pytest.raises(ValueError, match="an episode without a number or a length"):
                open_contacts(home)
        else:
            assert len(opened(home)[0].broken) == 4
        file.write_bytes(content)


@pytest.mark.parametrize(
    "text", ["", "{", "[]", '{"features": 3}', "[" * 100_000, '{"codebase_version": "v3.0"}']
)
def test_a_wrong_description_is_refused(tmp_path, text):
    (tmp_path / "meta").mkdir()
    (tmp_path / "meta" / "info.json").write_text(text)
    with pytest.raises(ValueError, match=r"info\.json"):
        open_contacts(tmp_path)


# Bags


def test_a_cut_bag_gives_what_came_before(tmp_path):
    for library in ("mcap", "rosbags"):
        pytest.importorskip(library)
    file = formats.write_mcap(tmp_path, presses(0))
    content = file.read_bytes()
    file.write_bytes(content[: len(content) // 2])
    contacts, pictures = opened(file, cut="whole", frames=0)
    assert 0 < len(pictures) < 18
    assert "cannot read" in contacts.broken[0]
    file.write_bytes(content[:40])
    with pytest.raises(ValueError, match=r"bag\.mcap"):
        open_contacts(file)


@pytest.mark.parametrize("compression", ["ZSTD", "LZ4", "NONE"])
def test_a_chunk_unpacks_to_what_it_says(tmp_path, compression):
    for library in ("mcap", "rosbags"):
        pytest.importorskip(library)
    file = formats.write_mcap(tmp_path, presses(0), compression=compression)
    assert len(opened(file, cut="whole", frames=0)[1]) == 18


def test_a_chunk_that_lies_about_its_size_is_refused(tmp_path):
    for library in ("mcap", "zstandard"):
        pytest.importorskip(library)
    import zstandard

    packed = zstandard.ZstdCompressor().compress(bytes(GIB))
    for said in (100, GIB):
        chunk = struct.pack("<QQQI", 0, 0, said, 0) + struct.pack("<I", 4) + b"zstd"
        chunk += struct.pack("<Q", len(packed)) + packed
        header = struct.pack("<I", 4) + b"ros2" + struct.pack("<I", 0)
        records = b"".join(
            bytes([code]) + struct.pack("<Q", len(body)) + body for code, body in ((1, header), (6, chunk))
        )
        (tmp_path / "x.mcap").write_bytes(b"\x89MCAP0\r\n" + records)
        with pytest.raises(ValueError, match=r"x\.mcap.*(another size|unpacks to 1,073,741,824)"):
            open_contacts(tmp_path / "x.mcap")


def test_a_compressed_message_that_lies_is_named(tmp_path, monkeypatch):
    for library in ("rosbags", "zstandard"):
        pytest.importorskip(library)
    home = formats.write_packed_bag(tmp_path, presses(0))
    (file,) = home.glob("*.db3")
    with closing(sqlite3.connect(file)) as bag, bag:
        bag.execute("UPDATE messages SET data = substr(data, 1, 40) WHERE id = 2")
    contacts = open_contacts(home, cut="whole", frames=0)
    with pytest.raises(ValueError, match="picture 0"):
        contacts.pictures[0]
    assert contacts.pictures[1].shape == (*formats.SIZE, 3)
    monkeypatch.setattr(_cdr, "UNPACKED", 100)
    with pytest.raises(ValueError, match="at most 100 are unpacked"):
        contacts.pictures[1]


def test_files_that_are_compressed_as_a_whole_say_how_to_unpack_them(tmp_path):
    for library in ("rosbags", "zstandard"):
        pytest.importorskip(library)
    home = formats.write_bag(tmp_path, presses(0), packed="FILE")
    with pytest.raises(ValueError, match=r"unpack them: zstd -d .*\.db3\.zstd"):
        open_contacts(home)


def test_depth_is_no_picture():
    said = b"16UC1; compressedDepth png\0"
    head = bytes(8) + struct.pack("<I", 1) + bytes(4)  # time, frame_id
    message = b"\0\1\0\0" + head + struct.pack("<I", len(said)) + said
    with pytest.raises(ValueError, match="compressedDepth png' is depth, no picture"):
        _cdr.picture(message, _cdr.COMPRESSED, "x")


def test_views_of_a_database_are_not_run(tmp_path):
    bag = sqlite3.connect(tmp_path / "x.db3")
    bag.executescript(
        "CREATE TABLE topics (id, name, type, serialization_format);"
        "INSERT INTO topics VALUES (1, '/image', 'sensor_msgs/msg/Image', 'cdr');"
        "CREATE VIEW messages AS WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) "
        "SELECT i AS id, 1 AS topic_id, i AS timestamp, zeroblob(1000000) AS data FROM n;"
    )
    bag.commit()
    bag.close()
    with pytest.raises(ValueError, match="no tables topics and messages"):
        open_contacts(tmp_path / "x.db3")


def test_more_topics_than_a_bag_can_have_are_refused(tmp_path):
    with closing(sqlite3.connect(tmp_path / "x.db3")) as bag, bag:
        bag.execute("CREATE TABLE topics (id, name, type, serialization_format)")
        topic = "sensor_msgs/msg/Image", "cdr"
        bag.executemany(
            "INSERT INTO topics VALUES (?, ?, ?, ?)", ((i, f"/{i}", *topic) for i in range(10_001))
        )
        bag.execute("CREATE TABLE messages (id, topic_id, timestamp, data)")
    with pytest.raises(ValueError, match=r"x\.db3.*more than 10,000 topics"):
        open_contacts(tmp_path / "x.db3")


def test_messages_that_lie_are_named(tmp_path):
    pytest.importorskip("rosbags")
    home = formats.write_bag(tmp_path, presses(0))
    (file,) = home.glob("*.db3")
    bag = sqlite3.connect(file)
    bag.execute("UPDATE messages SET data = substr(data, 1, 40) WHERE id = 2")
    bag.execute("UPDATE messages SET data = x'00010000ffffffffffffffffffffffff' WHERE id = 3")
    bag.commit()
    bag.close()
    contacts = open_contacts(home, cut="whole", frames=0)
    for row in (0, 1):
        with pytest.raises(ValueError, match=f"picture {row}: "):
            contacts.pictures[row]
    assert contacts.pictures[2].shape == (*formats.SIZE, 3)


# opentouch


def test_lengths_of_a_touch_file_are_checked(tmp_path):
    h5py = pytest.importorskip("h5py")
    home = formats.write_touch(tmp_path, presses(0))
    with h5py.File(home / "bolt 1.touch", "a") as file:
        lie = file["sensor_chunks"][1].tobytes().replace(struct.pack("I", 2), struct.pack("I", 2**31))
        file["sensor_chunks"][1] = np.frombuffer(lie, np.uint8)
    with h5py.File(home / "key 1.touch", "a") as file:
        del file["config"]
        file["config"] = "[" * 10_000
    (home / "nut 1.touch").write_bytes((home / "nut 1.touch").read_bytes()[:3000])
    contacts, pictures = opened(home, cut="whole", frames=0)
    assert len(contacts.broken) == 3
    assert {name.split("/")[0] for name in contacts.names} >= {"bolt 2.touch", "key 2.touch", "nut 2.touch"}
    assert len(pictures) == 3 + 9  # what came before the lie, and the other files


def test_a_touch_file_without_what_is_needed_says_what_and_why(tmp_path):
    h5py = pytest.importorskip("h5py")
    home = formats.write_touch(tmp_path, presses(0))
    with h5py.File(home / "bolt 1.touch", "a") as file:
        del file["config"]
    with h5py.File(home / "key 1.touch", "a") as file:
        del file["sensor_chunks"]
        layout = h5py.VirtualLayout((1,), "u1")
        layout[:] = h5py.VirtualSource("elsewhere.h5", "a", (1,))
        file.create_virtual_dataset("sensor_chunks", layout)
    config, chunks = open_contacts(home, cut="whole").broken
    assert "config: it is not there, or in another file" in config
    assert chunks.endswith("sensor_chunks: it lies in another file")


# All of them


def test_altered_bytes_give_answers_or_one_kind_of_error(tmp_path):
    """A few hundred files with some bytes changed; a fuzzer of its own kind for every format that is one file."""
    rng = np.random.default_rng(0)
    made = presses(0, each=1)
    writers = [formats.write_npz, formats.write_packed_npz, formats.write_manifest]
    for library, writer in (("h5py", formats.write_hdf5), ("mcap", formats.write_mcap)):
        try:
            __import__(library)
        except ImportError:
            continue
        writers.append(writer)
    files = [writer(tmp_path, made) for writer in writers]
    files.append(formats.write_sparsh(tmp_path, made) / "key" / "dataset_1.pkl")
    survived = 0
    for file in files:
        content = np.frombuffer(file.read_bytes(), np.uint8)
        settings = {"cut": "whole"} if file.suffix == ".mcap" else {}
        for _ in range(25):
            altered = content.copy()
            altered[rng.integers(0, len(content), 4)] = rng.integers(0, 256, 4)
            place = file.with_name(f"altered{file.suffix}")
            place.write_bytes(altered.tobytes())
            try:
                opened(place, **settings)
                survived += 1
            except ValueError:
                pass
    assert survived > 0


def test_bombs_are_refused_in_little_memory(tmp_path):
    """The same promises with a limit of the operating system: 2 GiB for a process that has imported all readers."""
    for library in ("h5py", "mcap", "av", "zstandard"):
        pytest.importorskip(library)
    import h5py
    import zstandard

    archive(tmp_path / "a.npz", {"X.npy": npy((2**36, 8), "<f4")})
    with h5py.File(tmp_path / "b.h5", "w") as file:
        file.create_dataset("X", (2**19, 2**12, 2**12, 3), "u1", chunks=(1, 1, 2**12, 3))
        file.create_dataset("y", (2**19,), "i8")
    (tmp_path / "c.pkl").write_bytes(b"\x80\x04]\x8e" + struct.pack("<Q", 2**45) + b"x")
    packed = zstandard.ZstdCompressor().compress(bytes(4 * GIB // 16)) * 16
    chunk = (
        struct.pack("<QQQI", 0, 0, 2**60, 0) + struct.pack("<I", 4) + b"zstd" + struct.pack("<Q", len(packed))
    )
    (tmp_path / "d.mcap").write_bytes(
        b"\x89MCAP0\r\n\x06" + struct.pack("<Q", len(chunk) + len(packed)) + chunk + packed
    )
    (tmp_path / "e.gif").write_bytes(
        b"GIF89a\xff\xff\xff\xff\x80\0\0" + bytes(6) + b",\0\0\0\0\xff\xff\xff\xff\0\x02\x02L\x01\0;"
    )
    n, words = 1000, h5py.string_dtype()
    with h5py.File(tmp_path / "f.h5", "w") as file:
        file["X"] = np.zeros((n, 8, 8, 3), np.uint8)
        file.create_dataset("y", (n,), words)[0] = "a" * 8_000_000
        start = file["y"].id.get_offset()
    content = bytearray((tmp_path / "f.h5").read_bytes())
    content[start : start + 16 * n] = (
        content[start : start + 16] * n
    )  # every label is the same eight megabytes
    (tmp_path / "f.h5").write_bytes(content)
    code = """
import resource, sys
from pathlib import Path
import h5py, av, mcap, zstandard
from bideta.readers import open_contacts
resource.setrlimit(resource.RLIMIT_AS, (2 * 2**30, 2 * 2**30))
for path in sorted(Path(sys.argv[1]).iterdir()):
    try:
        contacts = open_contacts(path)
        contacts.pictures[0]
        print(path.name, "read")
    except ValueError as error:
        print(path.name, "refused", "emory" in str(error))
"""
    done = subprocess.run(
        [sys.executable, "-c", code, tmp_path], capture_output=True, text=True, timeout=120, check=False
    )
    assert done.returncode == 0, done.stderr[-2000:]
    told = dict(line.split(" ", 1) for line in done.stdout.splitlines())
    assert told.pop("b.h5") in ("read", "refused False")
    assert told == dict.fromkeys(["a.npz", "c.pkl", "d.mcap", "e.gif", "f.h5"], "refused False")


def test_a_broken_episode_is_named_and_the_exit_code_is_one(bideta, tmp_path):
    pytest.importorskip("pyarrow")
    formats.write_folder(tmp_path / "support", presses(0))
    sensor, table = tmp_path / "s.bideta", tmp_path / "t.csv"
    assert bideta("adapt", tmp_path / "support", "-o", sensor, "--encoder", "handmade")[0] == 0
    home = lerobot(tmp_path)
    (home / "data/chunk-000/file-001.parquet").write_bytes(b"PAR1 nothing PAR1")
    code, said = bideta("predict", sensor, home, "-o", table)
    assert code == 1
    assert "episode 4 of" in said
    assert "episode 5 of" in said
    assert len(table.read_text().splitlines()) == 1 + 12
    code, said = bideta("evaluate", sensor, home)
    assert code == 1, said
    code, said = bideta("adapt", home, "-o", tmp_path / "again.bideta", "--encoder", "handmade")
    assert code == 1, said
    assert (tmp_path / "again.bideta").exists()


def test_a_table_has_a_bounded_number_of_cells(tmp_path):
    header = "path," + ",".join(f"{number:x}" for number in range(100_000))
    (tmp_path / "list.csv").write_text(header + "\n" + "a.png\n" * 100)
    with pytest.raises(ValueError, match=r"list\.csv has more than 5,000,000 cells"):
        open_contacts(tmp_path / "list.csv")
