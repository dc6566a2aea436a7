"""Shrinkage LDA on both readouts: the paper's anchor P₀ (Eqs. 1–3) and nothing after it.

R. A. Fisher: "The use of multiple measurements in taxonomic problems", Annals of Eugenics 1936; the covariance
is shrunk as O. Ledoit and M. Wolf: "A well-conditioned estimator for large-dimensional covariance matrices",
J. Multivariate Analysis 2004, with one intensity for the pooled class residuals. (scikit-learn's
``shrinkage="auto"`` shrinks every class by itself, which needs more than two contacts of each.)
The control that shows what the graph adds.
"""

from __future__ import annotations

from functools import partial

from bideta.baselines import MethodInfo
from bideta.baselines._adapter import Infer, loader
from bideta.baselines._anchor import adapt_readouts, log_anchor
from bideta.baselines._inputs import Task
from bideta.baselines._settings import Amount, Positive
from bideta.checks import check_number

INFO = MethodInfo(
    name="lda",
    title="LDA",
    reference="Fisher, Annals of Eugenics, 1936; Ledoit and Wolf, J. Multivariate Analysis, 2004",
    licence="no original code",
    transductive=False,
    readout="both",
)


def learn(
    task: Task, *, shrinkage: float | str = "auto", memory_temperature: Positive = 1.0, alpha: Amount = 0.5
) -> Infer:
    """Memories of both readouts."""
    if shrinkage != "auto":
        check_number("shrinkage", shrinkage, float, low=0, high=1, alternative='"auto"')
    check_number("alpha", alpha, float, low=0, high=1)
    return partial(log_anchor, adapt_readouts(task, shrinkage), temperature=memory_temperature, alpha=alpha)


load = loader(INFO, learn, scored=True)
