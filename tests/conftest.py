"""Who runs what where two workers share the tests: a file stays with one of them, and the longest come first."""

from __future__ import annotations

from typing import Any

import pytest

# Groups and files that take longest, in this order: one that came last would leave the other worker without work.
LONGEST = (
    *("browser", "benchmarks", "pynndescent", "faults", "load", "attacks/test_attacks", "cli/test_live"),
    *("test_gallery", "test_offline", "baselines/test_change_of_sensor", "test_examples", "encoders/test_t3"),
)


def _place(item: pytest.Item) -> int:
    marks = [mark.args[0] for mark in item.iter_markers("xdist_group")]
    name = marks[0] if marks else item.nodeid.split("::")[0].removeprefix("tests/").removesuffix(".py")
    return LONGEST.index(name) if name in LONGEST else len(LONGEST)


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Only for workers: one process goes through the folders as they are."""
    if hasattr(config, "workerinput"):
        items.sort(key=_place)  # stable: within a file, and among all others, nothing moves


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> Any:
    """Groups as they are marked, all other tests by file: what a file prepares for its tests is prepared once."""
    if config.getoption("dist") != "loadgroup":
        return None
    from xdist.scheduler import LoadGroupScheduling

    class Files(LoadGroupScheduling):
        def _split_scope(self, nodeid: str) -> str:
            scope = super()._split_scope(nodeid)
            return nodeid.split("::")[0] if scope == nodeid else scope

    config.option.loadscopereorder = False  # by the number of tests, which says little about seconds
    return Files(config, log)
