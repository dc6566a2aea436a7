"""The same records and the same cache from a local Ray cluster with two workers, one of which is killed."""

from __future__ import annotations

import os
import signal
import threading
import time
from dataclasses import replace

import pytest

from bideta.protocol.engine import Engine
from bideta.protocol.execute import execute, fill_cache
from bideta.protocol.needed_splits import needed_splits
from bideta.protocol.readout_cache import read_or_encode
from bideta.protocol.records import read_records
from bideta.protocol.stamp import Stamp
from support.tiny_run import PLUGIN, tiny_plan

ray = pytest.importorskip("ray")
pytest.importorskip("pyarrow")
cluster = pytest.importorskip("bideta.protocol.ray")

pytestmark = [
    pytest.mark.alone,
    pytest.mark.timeout(240, method="thread"),  # a signal does not reach a call that waits inside Ray
    # Ray's own: sockets and files of its subprocesses, and a deprecation of its Data API.
    pytest.mark.filterwarnings("ignore::ResourceWarning"),
    pytest.mark.filterwarnings("ignore::DeprecationWarning"),
    pytest.mark.filterwarnings("ignore::FutureWarning"),
    pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning"),
]
ENGINE = Engine("ray", jobs=2)
STAMP = Stamp(0.02, {}, "")


@pytest.fixture(scope="module")
def tiny(tmp_path_factory):
    folder = tmp_path_factory.mktemp("ray")
    plan = tiny_plan(folder)
    yield plan.cells(), plan.supply(folder / "cache")
    ray.shutdown()


def measured(cells, supply, folder, engine):
    folder.mkdir()
    execute(cells, supply, STAMP, folder, engine, lambda _: None)
    found = read_records(folder)
    assert {record.engine for record in found if record.status == "ok"} <= {"local", "ray, 1 node"}
    return [replace(record, seconds=0.0, engine="") for record in found]


def test_the_cache_is_filled_as_one_process_would(tiny, tmp_path):
    cells, supply = tiny
    splits = []
    assert fill_cache(cells, supply, ENGINE, lambda split, *_: splits.append(split)) == []
    assert set(splits) == set(needed_splits(cells, supply))
    (encoder,) = supply.encoders.values()
    frames = supply.frames(PLUGIN, "Hex", "train")
    title = f"{PLUGIN} Hex train"
    theirs = cluster.Job(encoder, frames, supply.cache, title).folder / "features.safetensors"
    read_or_encode(encoder, frames, tmp_path, title=title)
    (ours,) = tmp_path.glob("*/features.safetensors")
    assert theirs.parent.name == ours.parent.name
    assert theirs.read_bytes() == ours.read_bytes()


def test_records_are_those_of_one_process_although_a_worker_is_killed(tiny, tmp_path):
    cells, supply = tiny
    alone = measured(cells, supply, tmp_path / "alone", Engine(jobs=1))
    killed = []

    def hunt():
        deadline = time.monotonic() + 120
        while not killed and time.monotonic() < deadline:
            for process in workers():
                os.kill(process, signal.SIGKILL)
                killed.append(process)
                return
            time.sleep(0.01)

    cluster.connect(ENGINE)
    hunter = threading.Thread(target=hunt)
    hunter.start()
    together = measured(cells, supply, tmp_path / "together", ENGINE)
    hunter.join()
    assert killed
    assert together == alone
    assert len(together) == len(cells)


def workers() -> list[int]:
    """Processes that run a batch of cells at this moment, by the title that Ray gives them."""
    found = []
    for folder in os.listdir("/proc"):
        if folder.isdecimal():
            try:
                with open(f"/proc/{folder}/cmdline", "rb") as file:
                    title = file.read()
            except OSError:
                continue
            if title.startswith(b"ray::compute_batch"):
                found.append(int(folder))
    return found


def test_a_split_that_cannot_be_encoded_fails_its_cells_only(tiny, tmp_path):
    cells, supply = tiny
    broken = replace(supply, cache=tmp_path, loaded={})

    def frames(dataset, sensor, split):
        whole = supply.frames(dataset, sensor, split)
        return replace(whole, images=[None] * len(whole)) if sensor == "Hex" else whole

    broken.frames = frames
    problems = fill_cache(cells[:1] + cells[-1:], broken, ENGINE, lambda *_: None)
    assert problems
    records = measured(cells[:1] + cells[-1:], broken, tmp_path / "out", ENGINE)
    assert {(record.cell.target, record.status) for record in records} == {
        ("Mini_3", "ok"),
        ("Hex", "failed"),
    }


def test_two_nodes_give_the_records_of_one_process_and_the_page_says_so(tiny, tmp_path):
    from ray.cluster_utils import Cluster

    from bideta.report.provenance import Run, lines

    cells, supply = tiny
    ray.shutdown()
    nodes = Cluster(initialize_head=True, head_node_args={"num_cpus": 1})
    try:
        nodes.add_node(num_cpus=1)
        both = Engine("ray", jobs=2, address=nodes.address)
        fill_cache(cells, supply, both, lambda *_: None)
        (tmp_path / "two").mkdir()
        execute(cells, supply, STAMP, tmp_path / "two", both, lambda _: None)
        found = read_records(tmp_path / "two")
    finally:
        ray.shutdown()
        nodes.shutdown()
    alone = measured(cells, supply, tmp_path / "alone", Engine(jobs=1))
    assert {record.engine for record in found} == {"ray, 2 nodes"}
    assert [replace(record, seconds=0.0, engine="") for record in found] == alone
    assert dict(lines(Run(tmp_path, found, {})))["Engine"] == "budgets by ray, 2 nodes"
