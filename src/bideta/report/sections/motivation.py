"""Why adapt: the source head on its own sensor and on others; and how the method works, drawn from a run."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from bideta.protocol.records import Record
from bideta.report import wording
from bideta.report.figures import Figure, across_sensors, method, motivation
from bideta.report.grids import Grid, grids
from bideta.report.run_data import RunData
from bideta.report.section import Section
from bideta.report.tables import Entry, Table

EXPERIMENT = "motivation"


def tables(records: Sequence[Record]) -> list[Table]:
    """The source head's accuracy on every sensor, unchanged."""
    return [_table(grid) for grid in source_first_grids(records)]


def figures(records: Sequence[Record], folder: Path) -> list[Figure]:
    """The same as bars, with chance and what BIDETA reaches."""
    scores = [record for record in records if record.cell.experiment == "budgets"]
    return motivation.draw(source_first_grids(records), grids(scores), folder)


def pictures(records: Sequence[Record], folder: Path, data: RunData) -> list[Figure]:
    """One object across sensors, and the method at work on a small episode."""
    of_datasets = source_first_grids(records)
    made: list[Figure] = [across_sensors.draw(grid, data, folder) for grid in of_datasets]
    if of_datasets:
        grid = of_datasets[0]
        made.append(method.draw(grid.dataset, next(iter(grid.encoders)), data, folder / "method.png"))
    return made


def source_first_grids(records: Sequence[Record]) -> list[Grid]:
    """The records of this experiment, the source sensor first."""
    made = []
    for grid in grids([record for record in records if record.cell.experiment == EXPERIMENT]):
        info = wording.dataset_info(grid.dataset)
        first = [sensor for sensor in grid.sensors if info is not None and sensor == info.source]
        others = [sensor for sensor in grid.sensors if sensor not in first]
        made.append(replace(grid, sensors=[*first, *others]))
    return made


def _table(grid: Grid) -> Table:
    columns = {wording.sensor_label(sensor): sensor for sensor in grid.sensors}
    cells: dict[tuple[str, str], Entry] = {
        (word, column): grid.entry("accuracy", encoder, "frozen", budget="0%", sensors=[sensor])
        for encoder, word in grid.encoders.items()
        for column, sensor in columns.items()
    }
    info = wording.dataset_info(grid.dataset)
    chance = "" if info is None else f" Chance is {100 / len(info.classes):.2f} %."
    source = "" if info is None else f" Learned on {wording.sensor_label(info.source)}."
    return Table(
        name=f"ours:motivation:{grid.role}",
        title=f"{grid.title}: the source head, unchanged, on every sensor",
        caption=grid.caption(
            f"{wording.METRICS['accuracy']}.{source}{chance} The head has no random part"
        ).replace(f"; one seed ({wording.listed(grid.seeds)}), so no standard deviation", ""),
        columns=list(columns),
        rows=list(grid.encoders.values()),
        cells=cells,
        notes=grid.notes(wording.targets(grid.dataset)),
        simulated=grid.simulated,
        stub=("Encoder",),
    )


# The picture shows BIDETA's accuracy of the budgets.
SECTION = Section(
    title="Why adapt, and how the method works",
    tables=tables,
    figures=figures,
    pictures=pictures,
    needs=("budgets",),
)
