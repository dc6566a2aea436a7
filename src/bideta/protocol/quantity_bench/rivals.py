"""Regressors of scikit-learn beside ours: the same readouts, the same standardisation, small grids of settings.

Features of every readout are scaled as ours are and put side by side. All but the random forest see nothing but inner
products of contacts, so they get the contacts in the space that the labelled ones span: the same answers, much faster.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bideta.encoders import Readouts
from bideta.quantities.scaling import fit_scaler

Array = NDArray[np.float64]
FOLDS = 5  # of the search over a grid; fewer where there are fewer contacts
OURS = "bideta"


def ridge() -> Any:
    """RidgeCV: penalty by leave-one-out, one for each target."""
    from sklearn.linear_model import RidgeCV

    return RidgeCV(np.logspace(-4, 2, 13), alpha_per_target=True)


def bayesian_ridge() -> Any:
    """BayesianRidge: penalty by evidence."""
    from sklearn.linear_model import BayesianRidge
    from sklearn.multioutput import MultiOutputRegressor

    return MultiOutputRegressor(BayesianRidge())


def kernel_ridge(n: int, length: float) -> Any:
    """Kernel ridge with a Gaussian kernel."""
    from sklearn.kernel_ridge import KernelRidge

    widths = [1 / (length * factor) for factor in (1, 4, 16, 64)]
    return _search(KernelRidge(kernel="rbf"), {"alpha": np.logspace(-4, 0, 5), "gamma": widths}, n)


def gaussian_process(n: int, length: float) -> Any:
    """A Gaussian process with Matérn 5/2 and noise, settings by marginal likelihood (gradient ascent)."""
    from sklearn.gaussian_process import GaussianProcessRegressor
    from sklearn.gaussian_process.kernels import ConstantKernel, Matern, WhiteKernel
    from sklearn.multioutput import MultiOutputRegressor

    kernel = ConstantKernel(1.0) * Matern(2 * np.sqrt(length), nu=2.5) + WhiteKernel(0.1)
    return MultiOutputRegressor(GaussianProcessRegressor(kernel, random_state=0))


def svr(n: int, length: float) -> Any:
    """Support vector regression with a Gaussian kernel."""
    from sklearn.svm import SVR

    widths = [1 / (length * factor) for factor in (1, 4, 16)]
    return _search(SVR(epsilon=0.05), {"C": [1.0, 10.0, 100.0], "gamma": widths}, n)


def pls(n: int, length: float) -> Any:
    """Partial least squares."""
    from sklearn.cross_decomposition import PLSRegression

    most = max(1, n - -(-n // min(FOLDS, n)) - 1)
    parts = [part for part in (1, 2, 3, 5, 8, 12, 20) if part <= most] or [1]
    return _search(PLSRegression(scale=False), {"n_components": parts}, n)


def k_nearest(n: int, length: float) -> Any:
    """k nearest neighbours, near ones weighing more."""
    from sklearn.neighbors import KNeighborsRegressor

    most = max(1, n - -(-n // min(FOLDS, n)))
    numbers = [k for k in (1, 2, 3, 5, 8, 12) if k <= most]
    return _search(KNeighborsRegressor(weights="distance"), {"n_neighbors": numbers}, n)


def random_forest() -> Any:
    """A random forest."""
    from sklearn.ensemble import RandomForestRegressor

    return RandomForestRegressor(100, max_features=0.3, random_state=0)


PLAIN: dict[str, Callable[[], Any]] = {
    "ridge": ridge,
    "bayesian-ridge": bayesian_ridge,
    "random-forest": random_forest,
}
SIZED: dict[str, Callable[[int, float], Any]] = {
    "kernel-ridge": kernel_ridge,
    "gaussian-process": gaussian_process,
    "svr": svr,
    "pls": pls,
    "k-nearest": k_nearest,
}
RIVALS = (*PLAIN, *SIZED)
QUICK_RIVALS = ("ridge", "bayesian-ridge")


def answer(method: str, support: Readouts, Y: Array, queries: Readouts) -> Array:
    """(m, T) answers of a rival; targets are centred and divided by their spread first."""
    center, spread = Y.mean(axis=0), Y.std(axis=0)
    spread = np.where(spread > 0, spread, 1.0)
    X, Q = scaled(support, queries) if method == "random-forest" else spanned(*scaled(support, queries))
    if method in PLAIN:
        model = PLAIN[method]()
    else:
        distances = np.square(X[:, None] - X).sum(axis=2)[np.triu_indices(len(X), 1)]
        model = SIZED[method](len(X), float(np.median(distances)) or 1.0)
    import warnings

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # optimisers that stop at a bound of their settings
        found = np.asarray(model.fit(X, (Y - center) / spread).predict(Q))
    answers: Array = found.reshape(len(Q), -1) * spread + center
    return answers


def scaled(support: Readouts, queries: Readouts) -> tuple[Array, Array]:
    """All readouts side by side, each scaled by the labelled contacts."""
    scalers = [fit_scaler(H) for H in support]
    X, Q = (
        np.concatenate([scaler(H) for scaler, H in zip(scalers, part, strict=True)], axis=1)
        for part in (support, queries)
    )
    return X, Q


def spanned(X: Array, Q: Array) -> tuple[Array, Array]:
    """The same contacts in coordinates of the space that X spans, and one more for what of Q lies outside it."""
    _, values, rotation = np.linalg.svd(X, full_matrices=False)
    basis = rotation[values > 1e-10 * values.max(initial=0)].T
    inside = Q @ basis
    outside = np.sqrt(np.maximum(np.square(Q).sum(axis=1) - np.square(inside).sum(axis=1), 0))
    return np.column_stack([X @ basis, np.zeros(len(X))]), np.column_stack([inside, outside])


def _search(model: Any, grid: dict[str, Any], n: int) -> Any:
    from sklearn.model_selection import GridSearchCV, KFold
    from sklearn.multioutput import MultiOutputRegressor

    folds = KFold(min(FOLDS, n), shuffle=True, random_state=0)
    return MultiOutputRegressor(GridSearchCV(model, grid, cv=folds, scoring="neg_mean_squared_error"))
