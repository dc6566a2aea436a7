"""docs/explain/method.md prints the code that runs, and lists the files that there are."""

from __future__ import annotations

import inspect
import re
from pathlib import Path

from bideta.method import algorithm

PAGE = (Path(__file__).parent.parent / "docs" / "explain" / "method.md").read_text()


def test_algorithm_1_is_printed_word_for_word() -> None:
    (printed,) = re.findall(r"```python\n(.*?)```", PAGE, re.DOTALL)
    assert printed == inspect.getsource(algorithm.infer)


def test_every_file_of_the_method_is_listed_and_no_other() -> None:
    listed = set(re.findall(r"^\d\. \*\*`(\w+\.py)`", PAGE, re.MULTILINE))
    assert listed == {path.name for path in Path(algorithm.__file__).parent.glob("*.py")} - {"__init__.py"}
