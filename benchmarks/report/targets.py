"""What was promised before measuring; the report puts it beside what was found."""

from __future__ import annotations

# CPU time of the scikit-learn composition over ours, one BLAS thread.
RATIO = {"SITR 10 %": 6.0, "SITR 1 %": 7.0, "TacVerse": 10.0, "TacQuad": 25.0}
# Same answers: share of equal labels at least, difference of probabilities at most.
AGREEMENT = 0.999
DIFFERENCE = {"float32": 1e-3, "float64": 1e-8}
GEMM_SHARE = 0.60  # of the measured float32 GEMM rate, neighbour stage, m ≥ 10,000
GEMM_FROM = 10_000
MEMORY_MB = {3_200: 200.0, 100_000: 1_500.0}  # above the inputs
EXACT_MINUTES = (100_000, 10.0)  # "minutes": our reading is under ten, two readouts on two cores
MILLION_GB, MILLION_RECALL = 16.0, 0.95
WINDOW_P99_MS = 10.0
