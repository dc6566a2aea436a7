"""The same presses in every format that we read, written with the format's own library or by its published layout."""

from __future__ import annotations

import csv
import io
import json
import pickle
import struct
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from PIL import Image

COLOURS = {"bolt": (200, 60, 40), "key": (60, 190, 60), "nut": (50, 60, 200)}
SIZE = (24, 32)  # height, width
FPS = 10


class Press(NamedTuple):
    """Frames of one touch."""

    label: str
    number: int
    frames: Any  # (n, H, W, 3) uint8


def presses(seed: int, each: int = 2, frames: int = 3) -> list[Press]:
    """``each`` presses of every class, class by class."""
    rng = np.random.default_rng(seed)
    made = []
    for label, colour in COLOURS.items():
        for number in range(1, each + 1):
            noise = rng.normal(0, 25, (frames, *SIZE, 3)) + rng.normal(0, 10, 3)
            made.append(Press(label, number, np.clip(np.array(colour) + noise, 0, 255).astype(np.uint8)))
    return made


def png(picture: Any) -> bytes:
    content = io.BytesIO()
    Image.fromarray(picture).save(content, "PNG")
    return content.getvalue()


def write_folder(root: Path, made: list[Press]) -> Path:
    for press in made:
        home = root / press.label / f"press {press.number}"
        home.mkdir(parents=True)
        for i, frame in enumerate(press.frames):
            (home / f"{i}.png").write_bytes(png(frame))
    return root


def write_manifest(root: Path, made: list[Press]) -> Path:
    write_folder(root / "pictures", made)
    with (root / "list.csv").open("w", newline="") as file:
        table = csv.writer(file)
        table.writerow(["path", "label", "press", "depth_mm"])
        for press in made:
            for i in range(len(press.frames)):
                path = f"pictures/{press.label}/press {press.number}/{i}.png"
                table.writerow([path, press.label, f"{press.label} {press.number}", i / 10])
    return root / "list.csv"


def arrays(made: list[Press]) -> dict[str, Any]:
    return {
        "X": np.concatenate([press.frames for press in made]),
        "y": np.repeat([press.label for press in made], [len(press.frames) for press in made]),
        "press": np.repeat(np.arange(len(made)), [len(press.frames) for press in made]),
    }


def write_npz(root: Path, made: list[Press]) -> Path:
    np.savez(root / "contacts.npz", **arrays(made))
    return root / "contacts.npz"


def write_packed_npz(root: Path, made: list[Press]) -> Path:
    np.savez_compressed(root / "packed.npz", **arrays(made))
    return root / "packed.npz"


def write_hdf5(root: Path, made: list[Press]) -> Path:
    import h5py

    with h5py.File(root / "contacts.h5", "w") as file:
        for name, array in arrays(made).items():
            text = array.dtype.kind == "U"
            file.create_dataset(
                name, data=array.astype("S") if text else array, chunks=True, compression="gzip"
            )
    return root / "contacts.h5"


def write_zarr(root: Path, made: list[Press]) -> Path:
    import zarr

    group = zarr.open_group(root / "contacts.zarr", mode="w")
    for name, array in arrays(made).items():
        if name == "y":  # numbers: text in zarr has no settled form yet
            array = np.unique(array, return_inverse=True)[1]
        group.create_array(name, data=array)
    return root / "contacts.zarr"


def write_video(file: Path, frames: Any, codec: str = "qtrle", pixels: str = "rgb24") -> Path:
    import av

    file.parent.mkdir(parents=True, exist_ok=True)
    with av.open(str(file), "w") as container:
        options = {"qp": "0", "g": "2"} if "264" in codec else {}
        stream = container.add_stream(codec, rate=FPS, options=options)
        stream.height, stream.width, stream.pix_fmt = *frames[0].shape[:2], pixels
        for frame in frames:
            container.mux(
                stream.encode(av.VideoFrame.from_ndarray(frame, format="rgb24").reformat(format=pixels))
            )
        container.mux(stream.encode())
    return file


def write_videos(root: Path, made: list[Press]) -> Path:
    for press in made:
        write_video(root / "videos" / press.label / f"{press.number}.mov", press.frames)
    return root / "videos"


def write_sparsh(root: Path, made: list[Press]) -> Path:
    for press in made:
        file = root / "sparsh" / press.label / f"dataset_{press.number}.pkl"
        file.parent.mkdir(parents=True, exist_ok=True)
        as_arrays = press.number == 1
        file.write_bytes(pickle.dumps([frame if as_arrays else png(frame) for frame in press.frames]))
    return root / "sparsh"


def write_touch(root: Path, made: list[Press]) -> Path:
    import h5py

    (root / "touch").mkdir()
    for press in made:
        with h5py.File(root / "touch" / f"{press.label} {press.number}.touch", "w") as file:
            kind = h5py.special_dtype(vlen=np.dtype("uint8"))
            chunks = file.create_dataset("sensor_chunks", shape=(2,), maxshape=(None,), dtype=kind)
            for number, some in enumerate((press.frames[:1], press.frames[1:])):
                chunks[number] = np.frombuffer(touch_chunk(some), np.uint8)
            payload = [{"type": "text_input", "label": "Grasped object", "default": press.label}]
            sensors = [{"sensor_name": "thumb", "sensor_type": "Digit"}]
            file["config"] = json.dumps({"group_name": "hand", "sensors": sensors, "payload": payload})
    return root / "touch"


def touch_chunk(frames: Any) -> bytes:
    """Sensors, streams and events with their lengths, as opentouch packs them."""

    def sized(content: bytes) -> bytes:
        return struct.pack("I", len(content)) + content

    events = b""
    for frame in frames:
        head = struct.pack("32s d", b"camera", 0.1) + struct.pack("III", *frame.shape)
        events += sized(head + frame.tobytes())
    streams = (
        sized(b"serial") + struct.pack("I", 0) + sized(b"camera") + struct.pack("I", len(frames)) + events
    )
    return struct.pack("I", 1) + sized(b"thumb") + struct.pack("I", 2) + streams


def image_message(store: Any, frame: Any, seconds: float, kind: str) -> bytes:
    """A picture as a ROS 2 message: its bytes by rosbags."""
    types = store.types
    stamp = types["builtin_interfaces/msg/Time"](sec=int(seconds), nanosec=0)
    header = types["std_msgs/msg/Header"](stamp=stamp, frame_id="thumb")
    if kind.endswith("CompressedImage"):
        fields = {"format": "png", "data": np.frombuffer(png(frame), np.uint8)}
    else:
        height, width = frame.shape[:2]
        fields = {
            "height": height, "width": width, "encoding": "bgr8", "is_bigendian": 0, "step": 3 * width,
            "data": np.ascontiguousarray(frame[..., ::-1]).ravel(),
        }  # fmt: skip
    return bytes(store.serialize_cdr(types[kind](header=header, **fields), kind))


def messages(made: list[Press], kind: str) -> list[tuple[str, str, int, bytes]]:
    """Topic, kind, time and bytes: a text with the label before each press, then its pictures."""
    from rosbags.typesys import Stores, get_typestore

    store = get_typestore(Stores.ROS2_HUMBLE)
    out, seconds = [], 1_700_000_000.0
    for press in made:
        text = store.types["std_msgs/msg/String"](data=press.label)
        data = bytes(store.serialize_cdr(text, "std_msgs/msg/String"))
        out.append(("/label", "std_msgs/msg/String", round(seconds * 1e9), data))
        for frame in press.frames:
            seconds += 1 / FPS
            data = image_message(store, frame, seconds, kind)
            out.append(("/thumb/image", kind, round(seconds * 1e9), data))
        seconds += 1
    return out


def write_mcap(
    root: Path, made: list[Press], kind: str = "sensor_msgs/msg/Image", compression: str = "ZSTD"
) -> Path:
    from mcap.writer import CompressionType, Writer

    with (root / "bag.mcap").open("wb") as file:
        writer = Writer(file, chunk_size=8192, compression=CompressionType[compression])
        writer.start(profile="ros2", library="test")
        channels: dict[str, int] = {}
        for topic, name, nanoseconds, data in messages(made, kind):
            if topic not in channels:
                schema = writer.register_schema(name=name, encoding="ros2msg", data=b"")
                channels[topic] = writer.register_channel(topic, "cdr", schema)
            writer.add_message(channels[topic], nanoseconds, data, nanoseconds)
        writer.finish()
    return root / "bag.mcap"


def write_bag(
    root: Path, made: list[Press], kind: str = "sensor_msgs/msg/CompressedImage", packed: str = ""
) -> Path:
    from rosbags.rosbag2 import CompressionFormat, CompressionMode, Writer
    from rosbags.typesys import Stores, get_typestore

    store = get_typestore(Stores.ROS2_HUMBLE)
    bag = Writer(root / "bag", version=8)
    if packed:
        bag.set_compression(CompressionMode[packed], CompressionFormat.ZSTD)
    with bag as writer:
        connections: dict[str, Any] = {}
        for topic, name, nanoseconds, data in messages(made, kind):
            if topic not in connections:
                connections[topic] = writer.add_connection(topic, name, typestore=store)
            writer.write(connections[topic], nanoseconds, data)
    return root / "bag"


def write_packed_bag(root: Path, made: list[Press]) -> Path:
    """Each message compressed by itself, as ``ros2 bag record --compression-mode message`` does."""
    return write_bag(root, made, packed="MESSAGE")


def write_times(root: Path, made: list[Press]) -> Path:
    """The time table of such a bag, in seconds from its first picture."""
    lines, seconds = ["start,end,label"], -1 / FPS
    for press in made:
        end = seconds + len(press.frames) / FPS
        lines.append(f"{seconds + 0.5 / FPS},{end + 0.5 / FPS},{press.label}")
        seconds = end + 1
    (root / "times.csv").write_text("\n".join(lines) + "\n")
    return root / "times.csv"


def write_lerobot(root: Path, made: list[Press], video: bool = False, per_file: int = 4) -> Path:
    """A dataset of LeRobot's version 3: an episode for each press, its label as the task and as a column."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    home, key = root / "lerobot", "observation.images.touch"
    tasks = list(dict.fromkeys(press.label for press in made))
    shape = [*made[0].frames.shape[1:]]
    camera = {
        "dtype": "video" if video else "image",
        "shape": shape,
        "names": ["height", "width", "channels"],
    }
    numbers = ("frame_index", "episode_index", "index", "task_index")
    features = {key: camera, "object": {"dtype": "string", "shape": [1], "names": None}} | {
        name: {"dtype": "int64", "shape": [1], "names": None} for name in numbers
    }
    features["timestamp"] = {"dtype": "float32", "shape": [1], "names": None}
    total = sum(len(press.frames) for press in made)
    info = {
        "codebase_version": "v3.0", "robot_type": None, "total_episodes": len(made), "total_frames": total,
        "total_tasks": len(tasks), "chunks_size": 1000, "data_files_size_in_mb": 100,
        "video_files_size_in_mb": 200, "fps": FPS, "splits": {"train": f"0:{len(made)}"},
        "data_path": "data/chunk-{chunk_index:03d}/file-{file_index:03d}.parquet",
        "video_path": "videos/{video_key}/chunk-{chunk_index:03d}/file-{file_index:03d}.mp4" if video else None,
        "features": features,
    }  # fmt: skip
    (home / "meta" / "episodes" / "chunk-000").mkdir(parents=True)
    (home / "data" / "chunk-000").mkdir(parents=True)
    (home / "meta" / "info.json").write_text(json.dumps(info))
    index = pa.table({"task_index": list(range(len(tasks))), "__index_level_0__": tasks})
    pq.write_table(index, home / "meta" / "tasks.parquet")
    episodes, row = [], 0
    for file, start in enumerate(range(0, len(made), per_file)):
        rows: dict[str, list[Any]] = {name: [] for name in ("timestamp", *numbers, "object", key)}
        in_file = 0
        for number, press in list(enumerate(made))[start : start + per_file]:
            episode = {
                "episode_index": number, "tasks": [press.label], "length": len(press.frames),
                "data/chunk_index": 0, "data/file_index": file, "dataset_from_index": row,
                "dataset_to_index": row + len(press.frames),
            }  # fmt: skip
            if video:
                episode |= {
                    f"videos/{key}/chunk_index": 0, f"videos/{key}/file_index": file,
                    f"videos/{key}/from_timestamp": in_file / FPS,
                    f"videos/{key}/to_timestamp": (in_file + len(press.frames)) / FPS,
                }  # fmt: skip
            episodes.append(episode)
            for i, frame in enumerate(press.frames):
                values = (
                    i / FPS,
                    i,
                    number,
                    row,
                    tasks.index(press.label),
                    press.label,
                    {"bytes": png(frame), "path": ""},
                )
                for name, value in zip(rows, values, strict=True):
                    rows[name].append(value)
                row += 1
            in_file += len(press.frames)
        if video:
            del rows[key]
            frames = np.concatenate([press.frames for press in made[start : start + per_file]])
            write_video(
                home / "videos" / key / "chunk-000" / f"file-{file:03d}.mp4", frames, "libx264rgb", "rgb24"
            )
        table = pa.table(rows)
        pq.write_table(
            table.set_column(0, "timestamp", table["timestamp"].cast(pa.float32())),
            home / f"data/chunk-000/file-{file:03d}.parquet",
        )
    pq.write_table(pa.Table.from_pylist(episodes), home / "meta/episodes/chunk-000/file-000.parquet")
    return home


def write_lerobot_video(root: Path, made: list[Press]) -> Path:
    return write_lerobot(root, made, video=True)
