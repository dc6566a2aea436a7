from __future__ import annotations

import importlib.util

import pytest

from bideta.protocol.extras import require_extras, trained_methods
from bideta.protocol.plan import Request, make_plan


@pytest.fixture
def without_torch(monkeypatch):
    found = importlib.util.find_spec
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None if name == "torch" else found(name))


def test_a_missing_extra_is_named_before_any_cell_runs(without_torch):
    cells = make_plan(["paper"], Request()).cells()
    trained = trained_methods()
    needed = sum(cell.method in trained for cell in cells)
    with pytest.raises(
        ModuleNotFoundError, match=r"pip install 'bideta\[torch\]'.*--without-torch"
    ) as refused:
        require_extras(cells)
    assert f"({needed} cells)" in str(refused.value)
    assert "anytouch-match, ctsrl-csm, sitr-calib, sitr-support" in str(refused.value)


def test_the_flag_leaves_those_methods_out(without_torch):
    cells = make_plan(["paper"], Request(without_torch=True)).cells()
    require_extras(cells)
    assert cells
    assert not {cell.method for cell in cells} & set(trained_methods())


def test_cells_that_train_nothing_need_no_torch(without_torch):
    require_extras(make_plan(["ablation"], Request()).cells())
