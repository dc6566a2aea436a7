"""Input that cannot be used: refused with an error that names the argument and the fix."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from scipy.sparse import csr_matrix

from bideta import Bideta
from support.sensor_shift import episode, replaced

BASE = episode(11, C=4, shots=5, per_class=6, dims=(6, 9))
S, Y, Q = BASE.support, BASE.labels, BASE.queries


def ask(support, labels, queries, **parameters) -> np.ndarray:
    return Bideta(**parameters).fit(support, labels).predict_proba(queries)


# name → (attempt, message)
ERRORS: dict[str, tuple[Callable[[], object], str]] = {
    "nan in the support": (lambda: ask(replaced(S, (0, 0), np.nan), Y, Q), "readout 1 of X contains NaN"),
    "inf in the support": (
        lambda: ask(replaced(S, (0, 0), np.inf, 1), Y, Q),
        "readout 2 of X contains infinity",
    ),
    "nan in the queries": (
        lambda: ask(S, Y, replaced(Q, (3, 2), np.nan)),
        r"readout 1 of X contains NaN in row 3 \(1 of 24 rows\)",
    ),
    "minus inf in the queries": (lambda: ask(S, Y, replaced(Q, (3, 2), -np.inf)), "contains infinity"),
    "nan labels": (lambda: ask(S, np.where(Y == 1, np.nan, Y), Q), "y contains NaN"),
    "nan among object labels": (lambda: ask(S, [np.nan, *map(str, Y[1:])], Q), "y contains NaN"),
    "continuous labels": (lambda: ask(S, Y + 0.5, Q), "Unknown label type: continuous"),
    "no labels": (lambda: ask(S, None, Q), "the target y is None"),
    "too few labels": (lambda: ask(S, Y[:-1], Q), "X and y disagree on the number of contacts: 20 and 19"),
    "two-column labels": (lambda: ask(S, np.c_[Y, Y], Q), "y should be a 1d array"),
    "unhashable labels": (lambda: ask(S, [{"a"}] * 20, Q), "not hashable"),
    "empty support": (
        lambda: ask(tuple(H[:0] for H in S), Y[:0], Q),
        r"readout 1 of X has shape \(0, 6\), expected at least one contact",
    ),
    "empty queries": (lambda: ask(S, Y, tuple(H[:0] for H in Q)), "expected at least one contact"),
    "no features": (lambda: ask((S[0][:, :0], S[1]), Y, Q), "and one feature"),
    "one contact as a vector": (
        lambda: ask(S, Y, (Q[0][0], Q[1][0])),
        r"readout 1 of X has shape \(6,\), expected \(contacts, features\); one contact is .* H\[None\]",
    ),
    "three-dimensional readout": (
        lambda: ask((S[0][None], S[1]), Y, Q),
        r"readout 1 of X has shape \(1, 20, 6\), expected \(contacts, features\)$",
    ),
    "mismatched readouts": (
        lambda: ask((S[0], S[1][:-1]), Y, Q),
        "readouts of X disagree on the number of contacts: 20 and 19",
    ),
    "readouts in a list": (lambda: Bideta().fit(list(S), Y), r"readouts go in a tuple: fit\(\(h1, h2\), y\)"),
    "two readouts at predict, three at fit": (
        lambda: ask((*S, S[0]), Y, Q),
        r"X has readouts of \[6, 9\] features, Bideta was fitted on \[6, 9, 6\]",
    ),
    "no readouts": (lambda: ask((), Y, Q), "X is an empty tuple; expected at least one readout"),
    "unseen width at predict": (
        lambda: ask(S, Y, (Q[0][:, :5], Q[1])),
        r"readouts of \[5, 9\] features.*fitted on \[6, 9\]",
    ),
    "one readout at predict, two at fit": (
        lambda: ask(S, Y, (Q[0],)),
        r"readouts of \[6\] features.*fitted on \[6, 9\]",
    ),
    "swapped readouts at predict": (lambda: ask(S, Y, Q[::-1]), r"readouts of \[9, 6\] features"),
    "sparse readout": (
        lambda: ask((csr_matrix(S[0]), S[1]), Y, Q),
        "readout 1 of X is sparse; expected a dense array",
    ),
    "complex readout": (
        lambda: ask((S[0] + 1j, S[1]), Y, Q),
        "readout 1 of X does not hold numbers \\(complex numbers\\)",
    ),
    "words for features": (
        lambda: ask((np.full((20, 2), "touch"), S[1]), Y, Q),
        "could not convert|dtype='numeric'",
    ),
    "k = 0": (
        lambda: ask(S, Y, Q, n_neighbors=0),
        "n_neighbors=0: expected an integer >= 1; n_iter=0 leaves the graph out",
    ),
    "fractional k": (lambda: ask(S, Y, Q, n_neighbors=2.5), "n_neighbors=2.5: expected an integer"),
    "k = True": (lambda: ask(S, Y, Q, n_neighbors=True), "n_neighbors=True"),
    "negative iterations": (lambda: ask(S, Y, Q, n_iter=-1), "n_iter=-1: expected an integer >= 0"),
    "r_max = 1": (lambda: ask(S, Y, Q, r_max=1.0), "r_max=1.0: expected a number >= 0.7 and < 1"),
    "r_max below r_min": (lambda: ask(S, Y, Q, r_max=0.5), "r_max=0.5: expected a number >= 0.7"),
    "negative r_min": (lambda: ask(S, Y, Q, r_min=-0.1), "r_min=-0.1"),
    "zero memory temperature": (
        lambda: ask(S, Y, Q, memory_temperature=0),
        "memory_temperature=0: expected a number > 0",
    ),
    "zero graph temperature": (
        lambda: ask(S, Y, Q, graph_temperature=0.0),
        "graph_temperature=0.0: expected a number > 0",
    ),
    "infinite temperature": (lambda: ask(S, Y, Q, graph_temperature=np.inf), "graph_temperature=inf"),
    "nan gamma": (lambda: ask(S, Y, Q, gamma=np.nan), "gamma=nan: expected a number >= 0 and <= 10"),
    "negative gamma": (lambda: ask(S, Y, Q, gamma=-1), "gamma=-1"),
    "huge gamma": (lambda: ask(S, Y, Q, gamma=1e300), "gamma=1e"),
    "zero gate exponent": (lambda: ask(S, Y, Q, gate_exponent=0), "gate_exponent=0: expected a number > 0"),
    "alpha beyond one": (lambda: ask(S, Y, Q, alpha=1.1), "alpha=1.1"),
    "a word for alpha": (
        lambda: ask(S, Y, Q, alpha="half"),
        "alpha='half': expected a number >= 0 and <= 1, or one weight per readout",
    ),
    "one number for three readouts": (
        lambda: ask((*S, S[0]), Y, (*Q, Q[0]), alpha=0.3),
        "alpha=0.3: a number is the weight of the first of two readouts, and there are 3; give one weight per "
        "readout, or leave it at 0.5",
    ),
    "two weights for three readouts": (
        lambda: ask((*S, S[0]), Y, (*Q, Q[0]), alpha=[0.5, 0.5]),
        r"alpha has shape \(2,\): expected one number for each of 3 readouts",
    ),
    "three weights for two readouts": (
        lambda: ask(S, Y, Q, alpha=[0.5, 0.3, 0.2]),
        r"alpha has shape \(3,\): expected one number for each of 2 readouts",
    ),
    "weights that do not sum to one": (
        lambda: ask(S, Y, Q, alpha=[0.5, 0.6]),
        r"alpha=\[0.5, 0.6\]: expected numbers >= 0 that sum to one",
    ),
    "a negative weight": (lambda: ask(S, Y, Q, alpha=[1.5, -0.5]), "alpha=.*expected numbers >= 0"),
    "a weight that is NaN": (lambda: ask(S, Y, Q, alpha=[np.nan, 1.0]), "alpha=.*that sum to one"),
    "words for weights": (
        lambda: ask(S, Y, Q, alpha=["first", "second"]),
        "alpha=.*expected a number or one weight per readout",
    ),
    "shrinkage beyond one": (
        lambda: ask(S, Y, Q, shrinkage=2),
        'shrinkage=2: expected a number >= 0 and <= 1, or "auto"',
    ),
    "unknown shrinkage": (lambda: ask(S, Y, Q, shrinkage="oas"), "shrinkage='oas'"),
    "unknown fusion": (
        lambda: ask(S, Y, Q, fusion="product"),
        "fusion='product': expected one of 'geometric', 'arithmetic'",
    ),
    "unknown geometry": (lambda: ask(S, Y, Q, geometry="flat"), "geometry='flat'"),
    "unknown prior": (lambda: ask(S, Y, Q, prior="auto?"), "prior='auto\\?'"),
    "prior of the wrong length": (lambda: ask(S, Y, Q, prior=[0.5, 0.5]), r"prior has shape \(2,\)"),
    "prior that does not sum to one": (lambda: ask(S, Y, Q, prior=[0.5] * 4), "sum to one"),
    "negative prior": (lambda: ask(S, Y, Q, prior=[1.5, -0.5, 0, 0]), ">= 0"),
    "split beyond the columns": (
        lambda: ask(S[0], Y, Q[0], split=6),
        "split=6 must leave columns on both sides: X has 6",
    ),
    "columns of split out of order": (
        lambda: ask(S[0], Y, Q[0], split=[4, 2]),
        r"split=\[4, 2\] must leave columns on both sides: X has 6",
    ),
    "a split that repeats a column": (lambda: ask(S[0], Y, Q[0], split=[2, 2]), r"split=\[2, 2\] must leave"),
    "the last column of split beyond the array": (
        lambda: ask(S[0], Y, Q[0], split=(2, 6)),
        r"split=\(2, 6\) must leave",
    ),
    "a fraction in split": (
        lambda: ask(S[0], Y, Q[0], split=[2, 3.5]),
        "split=3.5: expected an integer >= 1",
    ),
    "split = 0": (lambda: ask(S[0], Y, Q[0], split=0), "split=0: expected an integer >= 1, or None"),
}


@pytest.mark.parametrize("name", ERRORS)
def test_bad_input_is_refused_with_the_reason(name: str) -> None:
    attempt, message = ERRORS[name]
    with pytest.raises((ValueError, TypeError), match=message):
        attempt()


def test_bad_setting_after_fit_is_refused_too() -> None:
    adapted = Bideta().fit(S, Y).set_params(r_max=1.5)
    with pytest.raises(ValueError, match=r"r_max=1.5"):
        adapted.predict(Q)


@pytest.mark.parametrize(
    ("readouts", "alpha"), [(2, [0.5, 0.3, 0.2]), (2, [0.5, 0.6]), (3, 0.3), (3, [0.5, 0.5])]
)
@pytest.mark.parametrize("settings", [{}, {"support_nodes": True, "prior": "auto"}])
def test_weights_that_were_changed_after_the_fit_are_refused_too(readouts: int, alpha, settings) -> None:
    support, queries = (*S, S[0])[:readouts], (*Q, Q[0])[:readouts]
    adapted = Bideta(**settings).fit(support, Y).set_params(alpha=alpha)
    with pytest.raises(ValueError, match="alpha"):
        adapted.predict(queries)
