"""Arrays as their libraries write them are read to the bit; descriptions that lie are one clear error."""

from __future__ import annotations

import io
import struct
import zipfile
from dataclasses import replace

import numpy as np
import pytest

from bideta.readers import open_contacts
from support.bombs import BYTES, PICTURE, zarr_folder

PICTURES = np.random.default_rng(0).integers(0, 9, (4, 6, 5, 3), np.uint8)


def npz(path, head, content=bytes(12)):
    """An archive whose only array has this header."""
    with zipfile.ZipFile(path, "w") as file:
        file.writestr("X.npy", b"\x93NUMPY\1\0" + struct.pack("<H", len(head)) + head.encode() + content)
    return path


def test_lists_in_records_and_references_are_no_labels(tmp_path):
    """HDF5 takes the memory that a list says it needs, wherever the list lies."""
    h5py = pytest.importorskip("h5py")
    lists = h5py.vlen_dtype(np.dtype("u1"))
    kinds = {
        "record": h5py.h5t.py_create(np.dtype([("a", lists)]), logical=True),
        "array": h5py.h5t.array_create(h5py.h5t.py_create(lists, logical=True), (1,)),
        "reference": h5py.h5t.STD_REF_OBJ,
    }
    with h5py.File(tmp_path / "a.h5", "w") as file:
        file["X"] = PICTURES
        for name, kind in kinds.items():
            h5py.h5d.create(file.id, name.encode(), kind, h5py.h5s.create_simple((4,)))
        file.create_dataset("plain", (4,), [("a", "f4")])
    for name in (*kinds, "plain"):
        with pytest.raises(ValueError, match=r"a\.h5.* expected .*numbers"):
            open_contacts(tmp_path / "a.h5", y=name)


def test_labels_of_a_large_file_are_read_many_at_a_time(tmp_path, monkeypatch):
    h5py = pytest.importorskip("h5py")
    from bideta.readers import hdf5

    with h5py.File(tmp_path / "a.h5", "w") as file:
        file["X"] = np.zeros((1000, 2, 2, 3), np.uint8)
        file["y"] = [f"object {row}" for row in range(1000)]
    with (tmp_path / "a.h5").open("r+b") as stream:
        stream.truncate(2**31)
    reads = []
    plain = hdf5.Checked.__getitem__
    monkeypatch.setattr(hdf5.Checked, "__getitem__", lambda self, rows: reads.append(1) or plain(self, rows))
    contacts = open_contacts(tmp_path / "a.h5")
    assert contacts.labels[999] == "object 999"
    assert len(reads) == 1


def test_a_long_text_is_no_label_whether_it_was_written_or_not(tmp_path):
    h5py = pytest.importorskip("h5py")
    for name, settings in (("written", {}), ("filled", {"fillvalue": "a" * 5000})):
        with h5py.File(tmp_path / f"{name}.h5", "w") as file:
            file["X"] = PICTURES
            labels = file.create_dataset("y", (4,), h5py.string_dtype(), **settings)
            if not settings:
                labels[1] = "a" * 5000
        with pytest.raises(ValueError, match=r"\.h5.*a (text or list of 5,000|long text)"):
            open_contacts(tmp_path / f"{name}.h5")


# HDF5


def test_a_plain_chunk_of_another_size_is_refused(tmp_path):
    """HDF5 would read sixteen bytes, and give what lies in memory for the rest."""
    h5py = pytest.importorskip("h5py")
    with h5py.File(tmp_path / "a.h5", "w") as file:
        file.create_dataset("X", data=PICTURES, chunks=PICTURES.shape)
        size = file["X"].id.get_chunk_info(0).size
    content = (tmp_path / "a.h5").read_bytes()
    said = struct.pack("<IIQ", size, 0, 0)
    assert content.count(said) == 1
    (tmp_path / "a.h5").write_bytes(content.replace(said, struct.pack("<IIQ", 16, 0, 0)))
    with pytest.raises(ValueError, match="a chunk that unpacks to 16 bytes"):
        open_contacts(tmp_path / "a.h5").pictures[0]


def test_rows_can_be_walked_over_and_counted_from_the_end(tmp_path):
    zarr_folder(tmp_path / "a.zarr", PICTURES.tobytes(), [BYTES], shape=list(PICTURES.shape))
    np.savez(tmp_path / "a.npz", X=PICTURES)
    for name in ("a.zarr", "a.npz"):
        pictures = open_contacts(tmp_path / name).pictures
        assert np.array_equal(pictures[-1], PICTURES[-1])
        with pytest.raises(IndexError):
            pictures[4]
        assert np.array_equal(np.stack(list(pictures)), PICTURES)


@pytest.mark.parametrize(
    "head",
    [
        "{'descr': '|zz', 'fortran_order': False, 'shape': (1, 2, 2, 3)}",
        "{'descr': 3, 'fortran_order': False, 'shape': (1, 2, 2, 3)}",
        "{'descr': '|u1', 'fortran_order': False, 'shape': 12}",
        "[1, 2]",
        "-" * 9000 + "1",
    ],
)
def test_a_header_of_numpy_that_is_none_names_the_file(head, tmp_path):
    with pytest.raises(ValueError, match=r"cannot read .*x\.npz"):
        open_contacts(npz(tmp_path / "x.npz", head))


@pytest.mark.parametrize("place", ["start", "end"])
def test_a_shard_that_is_shorter_than_its_index_is_refused(place, tmp_path):
    inside = {"chunk_shape": PICTURE, "codecs": [BYTES], "index_codecs": [BYTES], "index_location": place}
    zarr_folder(tmp_path / "a.zarr", b"abc", [{"name": "sharding_indexed", "configuration": inside}])
    with pytest.raises(ValueError, match=r"cannot read .*a\.zarr: X, row 0"):
        open_contacts(tmp_path / "a.zarr").pictures[0]


@pytest.mark.parametrize("content", [b"", b"ab", struct.pack("<II", 4, 1) + b"a"])
def test_texts_that_break_off_are_refused(content, tmp_path):
    zarr_folder(tmp_path / "a.zarr", bytes(48), [BYTES], shape=[4, 2, 2, 3])
    texts = {"data_type": "string", "fill_value": ""}
    zarr_folder(tmp_path / "b", content, [{"name": "vlen-utf8"}], name="y", shape=[4], **texts)
    (tmp_path / "b" / "y").rename(tmp_path / "a.zarr" / "y")
    with pytest.raises(ValueError, match=r"cannot read .*a\.zarr: y"):
        open_contacts(tmp_path / "a.zarr")


def test_what_lies_beside_the_contacts_does_not_hinder_them(tmp_path):
    beside = {"settings": np.array({"a": 1}), "records": np.zeros(3, [("a", "f4")])}
    np.savez(tmp_path / "a.npz", X=PICTURES, y=list("abcd"), **beside)
    contacts = open_contacts(tmp_path / "a.npz")
    assert np.array_equal(contacts.pictures[3], PICTURES[3])
    assert list(contacts.labels) == list("abcd")
    np.savez(tmp_path / "b.npz", h1=np.zeros((4, 2)), h2=np.zeros((4, 2), object))
    with pytest.raises(ValueError, match="h2: it is object"):
        open_contacts(tmp_path / "b.npz")


def test_what_lies_beside_the_contacts_in_hdf5_does_not_hinder_them(tmp_path):
    h5py = pytest.importorskip("h5py")
    with h5py.File(tmp_path / "a.h5", "w") as file:
        file["X"] = PICTURES
        file.create_dataset("raw", (9, 8000, 8000, 3), "u1", chunks=(1, 8000, 8000, 3))
        layout = h5py.VirtualLayout((4,), "u1")
        file["part"] = np.zeros(4, "u1")
        layout[:] = h5py.VirtualSource(".", "part", (4,))
        file.create_virtual_dataset("virtual", layout)
        h5py.h5d.create(file.id, b"time", h5py.h5t.UNIX_D32LE, h5py.h5s.create_simple((4,)))
    assert np.array_equal(open_contacts(tmp_path / "a.h5").pictures[3], PICTURES[3])
    for name, reason in (("raw", "chunks of"), ("virtual", "another file"), ("time", "No NumPy equivalent")):
        with pytest.raises(ValueError, match=rf"a\.h5: {name}: .*{reason}"):
            open_contacts(tmp_path / "a.h5", y=name)


# npz


@pytest.mark.parametrize("save", [np.savez, np.savez_compressed])
def test_fortran_order_is_read_to_the_bit(save, tmp_path):
    save(tmp_path / "x.npz", X=np.asfortranarray(PICTURES))
    assert np.array_equal(np.stack(list(open_contacts(tmp_path / "x.npz").pictures)), PICTURES)
    readouts = np.random.default_rng(0).normal(size=(3, 4)).astype("f4").T
    save(tmp_path / "h.npz", h=readouts)
    contacts = open_contacts(tmp_path / "h.npz")
    assert all(np.array_equal(contacts.pictures[row][0], readouts[row]) for row in range(4))


def test_large_arrays_in_fortran_order_are_refused(tmp_path, monkeypatch):
    np.savez(tmp_path / "x.npz", X=np.asfortranarray(PICTURES))
    monkeypatch.setattr("bideta.readers.npz.UNPACKED", 100)
    with pytest.raises(ValueError, match=r"X: in Fortran order; save numpy\.ascontiguousarray"):
        open_contacts(tmp_path / "x.npz")


@pytest.mark.parametrize("version", [(1, 0), (2, 0), (3, 0)])
def test_every_version_of_numpys_header_is_read(version, tmp_path):
    stream = io.BytesIO()
    np.lib.format.write_array(stream, PICTURES, version)
    with zipfile.ZipFile(tmp_path / "x.npz", "w") as file:
        file.writestr("X.npy", stream.getvalue())
    assert np.array_equal(open_contacts(tmp_path / "x.npz").pictures[3], PICTURES[3])


def test_a_long_list_of_members_is_not_read(tmp_path):
    entry = struct.pack("<4s6H3I5H2I", b"PK\1\2", 20, 20, 0, 0, 0, 33, 0, 0, 0, 5, 0, 0, 0, 0, 0, 0)
    names = (entry + b"a.npy") * 50_000
    end = struct.pack("<4s4H2IH", b"PK\5\6", 0, 0, 50_000, 50_000, len(names), 0, 0)
    (tmp_path / "x.npz").write_bytes(names + end)
    with pytest.raises(ValueError, match=r"x\.npz.*a list of members of 2,550,000 bytes"):
        open_contacts(tmp_path / "x.npz", format="npz")


@pytest.mark.parametrize("library", ["h5py", "zarr"])
def test_labels_in_chunks_of_one_are_refused_where_they_are_many(library, tmp_path):
    pytest.importorskip(library)
    if library == "h5py":
        import h5py

        with h5py.File(tmp_path / "a", "w") as file:
            file.create_dataset("X", (10**6, 2, 2, 3), "u1", chunks=(1, 2, 2, 3))
            file.create_dataset("y", (10**6,), "i8", chunks=(1,))[3] = 1
    else:
        import zarr

        group = zarr.open_group(tmp_path / "a", mode="w")
        group.create_array("X", shape=(10**6, 2, 2, 3), chunks=(1, 2, 2, 3), dtype="u1")
        group.create_array("y", shape=(10**6,), chunks=(1,), dtype="i8")
    with pytest.raises(ValueError, match="1,000,000 values in chunks of 1, at most 65,536"):
        open_contacts(tmp_path / "a")


@pytest.mark.parametrize("fill", [10**400, 10**30, 300, [1, 2, 3]])
@pytest.mark.parametrize("codecs", [None, [BYTES]])
def test_a_fill_value_that_does_not_fit_names_the_folder(fill, codecs, tmp_path):
    zarr_folder(tmp_path / "a.zarr", bytes(786_432), codecs, fill_value=fill)
    with pytest.raises(ValueError, match=r"cannot read .*a\.zarr: X"):
        open_contacts(tmp_path / "a.zarr")


# zarr


def test_threads_that_read_the_same_folder_take_nothing_from_each_other(tmp_path):
    class OfAnotherThread(dict):
        """Another thread reads its own chunk as soon as we have ours."""

        def __setitem__(self, key, chunk):
            super().__setitem__(key, chunk)
            self.clear()

    zarr_folder(tmp_path / "a.zarr", PICTURES.tobytes(), [BYTES], shape=list(PICTURES.shape))
    array = replace(open_contacts(tmp_path / "a.zarr").pictures.array, last=OfAnotherThread())
    assert np.array_equal(array[2], PICTURES[2])


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("format", [2, 3])
def test_values_that_were_never_written_are_as_the_library_says(format, tmp_path):
    zarr = pytest.importorskip("zarr")
    group = zarr.open_group(tmp_path, mode="w", zarr_format=format)
    group.create_array("X", shape=(4, 2, 2, 3), chunks=(4, 2, 2, 3), dtype="u1")
    long = "a" * 100
    for dtype, fill in (("S4", b""), ("S4", b"no"), (str, long), ("u8", 2**64 - 1), ("f4", float("inf"))):
        written = np.array(list("ab"), object if dtype is str else None)
        kinds = {"chunks": (2,), "dtype": dtype, "fill_value": fill, "overwrite": True}
        group.create_array("y", shape=(4,), **kinds)[:2] = written if dtype in ("S4", str) else 1
        expected = [fill.decode() if isinstance(fill, bytes) else str(fill)] * 2
        assert list(open_contacts(tmp_path).labels)[2:] == expected


@pytest.mark.filterwarnings("ignore")
def test_shards_that_are_packed_once_more_are_refused(tmp_path):
    zarr = pytest.importorskip("zarr")
    codecs = [
        zarr.codecs.ShardingCodec(chunk_shape=(1, 6, 5, 3), index_location="end"),
        zarr.codecs.Crc32cCodec(),
    ]
    array = zarr.create(
        store=str(tmp_path),
        shape=PICTURES.shape,
        chunks=PICTURES.shape,
        dtype="u1",
        zarr_format=3,
        codecs=codecs,
    )
    array[:] = PICTURES
    with pytest.raises(ValueError, match="whole shards that are packed once more"):
        open_contacts(tmp_path)


def test_what_describes_arrays_is_bounded_in_all(tmp_path):
    zarr_folder(tmp_path / "a.zarr", bytes(786_432), [BYTES])
    for number in range(3):
        (tmp_path / "a.zarr" / str(number)).mkdir()
        group = '{"zarr_format": 3, "node_type": "group", "attributes": {"a": "' + "b" * 6_000_000 + '"}}'
        (tmp_path / "a.zarr" / str(number) / "zarr.json").write_text(group)
    with pytest.raises(ValueError, match="longer than any description of arrays"):
        open_contacts(tmp_path / "a.zarr")


def test_chunks_of_more_texts_than_any_array_has_are_refused(tmp_path):
    zarr_folder(tmp_path / "a.zarr", bytes(48), [BYTES], shape=[4, 2, 2, 3])
    grid = {"name": "regular", "configuration": {"chunk_shape": [8_000_000]}}
    texts = {"data_type": "string", "fill_value": "", "chunk_grid": grid}
    zarr_folder(tmp_path / "b", b"", [{"name": "vlen-utf8"}], name="y", shape=[4], **texts)
    (tmp_path / "b" / "y").rename(tmp_path / "a.zarr" / "y")
    with pytest.raises(ValueError, match="8,000,000 texts in a chunk"):
        open_contacts(tmp_path / "a.zarr")
