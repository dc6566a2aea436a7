from __future__ import annotations

import subprocess
import sys


def test_importing_every_method_does_not_import_torch() -> None:
    code = (
        "import sys; from bideta import plugins; "
        "[plugins.find('method', name) for name in plugins.names('method')]; "
        "assert 'torch' not in sys.modules"
    )
    subprocess.run([sys.executable, "-c", code], check=True)
