"""The linear classifier of the source sensor, on the final readout."""

from __future__ import annotations

import numpy as np
from sklearn.linear_model import LogisticRegression

from bideta.baselines._inputs import Floats, Labelled
from bideta.baselines._prototypes import unit_rows

FEATURE_SCALE = 10.0  # unit-length features are lengthened to this, or the penalty would drown them
INVERSE_PENALTY = 10.0  # scikit-learn's C
MAX_ITER = 2000
TOLERANCE = 1e-4  # of the gradient


def fit_source_head(source: Labelled) -> LogisticRegression:
    """Multinomial logistic regression on the unit-length final readout of the source sensor.

    The paper says "linear classifier on the final readout" and no more. This one has no random part.
    """
    head = LogisticRegression(C=INVERSE_PENALTY, max_iter=MAX_ITER, tol=TOLERANCE)
    return head.fit(FEATURE_SCALE * unit_rows(source.readouts[-1]), source.y)


def head_logits(model: LogisticRegression, H: Floats) -> Floats:
    """(m, C) logits of the final readout H; with two classes scikit-learn keeps their difference only."""
    scores = model.decision_function(FEATURE_SCALE * unit_rows(H))
    if scores.ndim == 1:
        return np.stack([np.zeros_like(scores), scores], axis=1)
    logits: Floats = scores
    return logits
