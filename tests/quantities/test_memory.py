"""A memory is a Gaussian process: scikit-learn's with the same kernel, a refit without each press, plain averages."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.gaussian_process import GaussianProcessRegressor
from sklearn.gaussian_process.kernels import ConstantKernel, Matern

from bideta.quantities import kernels, memory
from bideta.quantities.leave_one_out import by_size, leave_out
from support.quantities import contacts, gaussian_process, without_each_press

PRESSES = {
    "single contacts": np.arange(30),
    "presses of three": np.arange(30) // 3,
    "presses of all sizes": np.sort(np.random.default_rng(1).integers(0, 9, 30)),
    "presses out of order": np.random.default_rng(2).integers(0, 12, 30),
}


def products(A: np.ndarray, B: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    return A @ B.T, (A * A).sum(1), (B * B).sum(1)


def test_kernel_is_scikit_learns_matern_plus_a_constant() -> None:
    c = contacts()
    A, B = c.support[0], c.queries[0]
    theirs = Matern(length_scale=1.7, nu=2.5)(A, B) + 1
    np.testing.assert_allclose(kernels.Matern(1.7**2)(*products(A, B)), theirs, atol=1e-12)
    np.testing.assert_allclose(kernels.Matern(1.7**2).diagonal(np.ones(4)), 2.0)


def test_contacts_at_infinity_are_like_nothing() -> None:
    K = kernels.Matern(1.0)(np.zeros((1, 1)), np.array([np.inf]), np.zeros(1))
    np.testing.assert_array_equal(K, [[1.0]])


@pytest.mark.parametrize("noise", memory.NOISES[[0, 2, 4]])
def test_answers_are_those_of_scikit_learns_process_with_the_same_kernel(monkeypatch, noise) -> None:
    c = contacts()
    monkeypatch.setattr(memory, "NOISES", np.array([noise]))
    A, B, y = c.support[0], c.queries[0], c.values[:, :1]
    fitted = memory.fit_memory([(kernels.Matern(4.0), 0.0)], *products(A, A)[:2], y, by_size(np.arange(30)))
    mean, variance = fitted(fitted.kernel(*products(B, A)), np.full(len(B), 2.0))
    sigma2 = fitted.amplitude[0]
    kernel = ConstantKernel(sigma2, "fixed") * (Matern(2.0, "fixed", nu=2.5) + ConstantKernel(1.0, "fixed"))
    theirs = GaussianProcessRegressor(kernel, alpha=sigma2 * noise, optimizer=None).fit(A, y[:, 0])
    expected, deviation = theirs.predict(B, return_std=True)
    np.testing.assert_allclose(mean[:, 0], expected, atol=1e-7)
    np.testing.assert_allclose(variance[:, 0], deviation**2 + sigma2 * noise, rtol=1e-6, atol=1e-9)


@pytest.mark.parametrize("presses", PRESSES.values(), ids=PRESSES)
def test_leaving_out_a_press_is_a_fit_without_it(presses) -> None:
    c = contacts()
    A, Y = c.support[1], c.values
    K = kernels.Matern(9.0)(*products(A, A))
    values, U = np.linalg.eigh(K)
    noises = np.array([1e-3, 0.1, 5.0])
    groups = by_size(np.unique(presses, return_inverse=True)[1])
    out = leave_out(values, U, Y, noises, groups)
    for i, noise in enumerate(noises):
        for k in range(Y.shape[1]):
            residuals, variances = without_each_press(K, Y[:, k], noise, presses)
            np.testing.assert_allclose(out.residuals[i, :, k], residuals, rtol=1e-7, atol=1e-8)
        np.testing.assert_allclose(out.variances[i], variances, rtol=1e-7)


def test_noises_are_averaged_by_the_likelihood_of_left_out_presses() -> None:
    c = contacts()
    A, B, y = c.support[0], c.queries[0], c.values[:, 0] / 2
    presses = np.arange(30) // 2
    K, k = kernels.Matern(5.0)(*products(A, A)), kernels.Matern(5.0)(*products(B, A))
    scores, means, variances = [], [], []
    for noise in memory.NOISES:
        r, v = without_each_press(K, y, noise, presses)
        sigma2 = np.mean([np.mean((r**2 / v)[presses == press]) for press in range(15)])
        logs = sum(np.mean(np.log(v)[presses == press]) for press in range(15))
        scores.append(-0.5 * (logs + 15 * np.log(sigma2)) - 0.1 * (np.log10(noise) + 3) ** 2)
        mean, variance = gaussian_process(K, k, np.full(len(B), 2.0), y, noise)
        means.append(mean)
        variances.append(variance * sigma2)
    w = np.exp(np.array(scores) - max(scores))
    evidence = max(scores) + np.log(w.sum())
    w /= w.sum()
    fitted = memory.fit_memory(
        [(kernels.Matern(5.0), -0.5)], *products(A, A)[:2], y[:, None], by_size(presses)
    )
    mean, variance = fitted(k, np.full(len(B), 2.0))
    np.testing.assert_allclose(mean[:, 0], w @ means, rtol=1e-6, atol=1e-8)
    np.testing.assert_allclose(variance[:, 0], w @ variances, rtol=1e-6)
    assert fitted.evidence == pytest.approx(evidence - 0.5)


def test_the_kernel_with_more_evidence_is_taken() -> None:
    c = contacts()
    A = c.support[0]
    offered = [(kernels.Matern(length), 0.0) for length in (1e-4, 10.0)]
    fitted = memory.fit_memory(offered, *products(A, A)[:2], c.values, by_size(np.arange(30)))
    assert fitted.kernel == offered[1][0]
    told = memory.fit_memory(
        [offered[0], (offered[1][0], -1e6)], *products(A, A)[:2], c.values, by_size(np.arange(30))
    )
    assert told.kernel == offered[0][0]
