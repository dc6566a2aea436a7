"""Import contracts of the project that import-linter does not have."""

from __future__ import annotations

from grimp import ImportGraph
from importlinter import Contract, ContractCheck, output


class PrivateModules(Contract):
    """A module whose name begins with an underscore is imported inside the package it lies in only."""

    def check(self, graph: ImportGraph, verbose: bool) -> ContractCheck:
        broken = []
        for module in sorted(graph.modules):
            home, _, name = module.rpartition(".")
            if not name.startswith("_") or not home.startswith("bideta"):
                continue
            importers = graph.find_modules_that_directly_import(module)
            broken += [f"{importer} imports {module}" for importer in importers if not inside(importer, home)]
        return ContractCheck(kept=not broken, metadata={"broken": broken})

    def render_broken_contract(self, check: ContractCheck) -> None:
        for line in check.metadata["broken"]:
            output.print_error(line)


def inside(module: str, package: str) -> bool:
    """Whether a module is the package or lies in it."""
    return module == package or module.startswith(f"{package}.")
