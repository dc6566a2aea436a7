from __future__ import annotations

import grimp
import pytest

from support.contracts import PrivateModules, inside


@pytest.mark.parametrize(
    ("importer", "kept"),
    [("bideta.cli.adapt", True), ("bideta.cli", True), ("bideta.live.loop", False), ("bideta.client", False)],
)
def test_a_private_module_is_for_its_package_only(importer: str, kept: bool) -> None:
    graph = grimp.ImportGraph()
    for module in (importer, "bideta.cli._table"):
        graph.add_module(module)
    graph.add_import(importer=importer, imported="bideta.cli._table")
    contract = PrivateModules("private", session_options={}, contract_options={})
    assert contract.check(graph, verbose=False).kept is kept
    assert inside(importer, "bideta.cli") is kept
