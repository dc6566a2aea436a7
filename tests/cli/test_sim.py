"""bideta sim contacts: a folder to try the other commands on."""

from __future__ import annotations

from typer.testing import CliRunner

from bideta.cli import build


def test_contacts_end_with_the_next_command(tmp_path):
    place = tmp_path / "a try"
    arguments = ["sim", "contacts", str(place), "--labelled", "1", "--queries", "1", "--size", "16"]
    result = CliRunner().invoke(build(), arguments)
    assert result.exit_code == 0, result.output
    assert result.stderr.splitlines()[-2:] == [
        f"{place}: 32 images, simulated",
        f"next: bideta adapt '{place}/support' -o sensor.bideta",
    ]
    assert len(list((place / "support").iterdir())) == 16
