"""SITR-Calib: a trained head whose features are conditioned on the sensors' calibration images.

H. Gupta, Y. Mo, S. Jin, W. Yuan: "Sensor-Invariant Tactile Representation", ICLR 2025.

Theirs is a transformer that reads 18 calibration images (a sphere and a cube corner at nine places) minus the
untouched one as tokens beside the contact image. With a frozen encoder the calibration enters as a mean readout: of the
19 images the first is the untouched sensor, whose readout is subtracted from the mean of the other 18; the condition is
the difference of the two sensors. Loop and losses in ``_heads``, the module in ``_film``. Without calibration images
(TacVerse, TacQuad) the method is not available, which tables show as –.
"""

from __future__ import annotations

from bideta.baselines import MethodInfo, NotAvailableError
from bideta.baselines._film import conditioned
from bideta.baselines._heads import Idea, head_loader
from bideta.baselines._inputs import Floats, Task, require_source

INFO = MethodInfo(
    name="sitr-calib",
    title="SITR-Calib",
    reference="Gupta et al., Sensor-Invariant Tactile Representation, ICLR 2025",
    licence="MIT (said in the README; no licence file)",
    transductive=False,
    readout="final",
    needs_source=True,
    needs_calibration=True,
    needs_torch=True,
    url="https://github.com/hgupt3/gsrl",
)


def idea(task: Task) -> Idea:
    """Conditioned on the calibration images' mean minus the background, of the target minus that of the source."""
    if task.calibration is None or task.source_calibration is None:
        raise NotAvailableError(
            "sitr-calib needs calibration images of both sensors: fit(…, calibration=…, source_calibration=…)"
        )
    source = require_source(task, INFO.name)
    return conditioned(
        against_background(task.calibration[-1]), against_background(task.source_calibration[-1]), source
    )


def against_background(H: Floats) -> Floats:
    """Readouts (18, d) of the touched calibration images minus that of the first, untouched one."""
    if len(H) < 2:
        raise ValueError(
            f"calibration has {len(H)} image; expected the untouched sensor and at least one touch"
        )
    return H[1:] - H[0]


load = head_loader(INFO, idea)
