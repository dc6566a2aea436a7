"""Eqs. 1–11 and Algorithm 1 written down literally: loops, no shortcuts, nothing shared with the package.

Any number of readouts; for two of them every line is the paper's. Slow on purpose. Distributions and the gate use
200-digit arithmetic, because the paper's exponent p = 0.05 turns the rounding of 1 − 1e-17 into a visible change of the
gate, and a row of a confident memory is as near to certain as 1e-120. Where the paper is silent the rules of
docs/decisions.md are applied, each marked (rule).
"""

from __future__ import annotations

import mpmath
import numpy as np

mpmath.mp.dps = 200
EPS, TIE = 1e-6, 16 * np.finfo(float).eps


def standardize(support, X):
    Z = np.zeros(X.shape)
    for a in range(X.shape[1]):
        column = support[:, a]
        b = sum(column) / len(column)
        s = (sum((h - b) ** 2 for h in column) / len(column)) ** 0.5
        if max(column) == min(column):
            b, s = column[0], 1.0  # the mean of equal numbers, without its rounding
        for i in range(len(X)):
            Z[i, a] = (X[i, a] - b) / s
    return Z


def residual_covariance(Z, y, C):
    n, d = Z.shape
    mu = np.array([sum(Z[i] for i in range(n) if y[i] == c) / sum(y == c) for c in range(C)])
    E = np.array([Z[i] - mu[y[i]] for i in range(n)])
    S = np.zeros((d, d))
    for e in E:
        S += np.outer(e, e) / n
    return mu, E, S


def ledoit_wolf(E, S):
    n, d = E.shape
    m = np.trace(S) / d
    d2 = np.sum((S - m * np.eye(d)) ** 2) / d
    b2 = sum(np.sum((np.outer(e, e) - S) ** 2) / d for e in E) / n**2
    if d2 == 0:
        return 1.0
    return min(b2, d2) / d2


def floor_eigenvalues(S):
    values, U = np.linalg.eigh(S)
    return U @ np.diag(np.maximum(values, EPS)) @ U.T


def lda_scores(Z, mu, Sigma, pi):
    ell = np.zeros((len(Z), len(mu)))
    for c in range(len(mu)):
        w = np.linalg.solve(Sigma, mu[c])
        for j in range(len(Z)):
            ell[j, c] = Z[j] @ w - 0.5 * mu[c] @ w + np.log(pi[c])
    return ell


def softmax(row, tau):
    weights = [mpmath.exp((mpmath.mpf(float(v)) - mpmath.mpf(float(max(row)))) / tau) for v in row]
    return [w / sum(weights) for w in weights]


def entropy(u):
    return -sum(p * mpmath.log(p) for p in u if p > 0)


def kl(u, v):
    return sum(p * mpmath.log(p / q) for p, q in zip(u, v, strict=True) if p > 0)


def spectral_transform(S_lw, gamma):
    values, U = np.linalg.eigh(S_lw)
    g = np.maximum(values, EPS) ** -gamma
    return U @ np.diag(g / np.median(g)) @ U.T


def directed_graph(Z, k, tau):
    m = len(Z)
    q = [z / np.linalg.norm(z) if np.linalg.norm(z) > 0 else z for z in Z]
    W = np.zeros((m, m))
    for j in range(m):
        similarity = {a: float(q[j] @ q[a]) for a in range(m) if a != j}
        kth = sorted(similarity.values(), reverse=True)[k - 1]
        sure = [a for a, s in similarity.items() if s > kth + TIE]
        ties = [a for a, s in similarity.items() if abs(s - kth) <= TIE]  # (rule) lower index first
        chosen = sure + sorted(ties)[: k - len(sure)]
        top = max(similarity[a] for a in chosen)
        weights = {a: np.exp((similarity[a] - top) / tau) for a in chosen}
        for a, w in weights.items():
            W[j, a] = w / sum(weights.values())
    return W


def row_norm(G):
    return np.array([row / row.sum() if row.sum() > 0 else row for row in G])


def consensus(graphs, fusion):
    V = len(graphs)
    mean = sum(graphs) / V
    if fusion == "arithmetic":
        return row_norm(mean)
    if not isinstance(fusion, str):  # ours: a power mean
        return row_norm((sum(Gv**fusion for Gv in graphs) / V) ** (1 / fusion))
    G = np.zeros(mean.shape)
    for j in range(len(G)):
        for i in range(G.shape[1]):
            product = mpmath.mpf(1)
            for Gv in graphs:
                product *= mpmath.mpf(float(Gv[j, i]))
            G[j, i] = float(mpmath.root(product, V))
        if G[j].sum() == 0:
            G[j] = mean[j]
    return row_norm(G)


def readout_weights(alpha, V):
    if V == 1:
        return [mpmath.mpf(1)]
    if np.ndim(alpha) == 1:
        given = [mpmath.mpf(float(a)) for a in alpha]
        return [a / sum(given) for a in given]  # they sum to one, without rounding
    if V == 2:
        return [mpmath.mpf(alpha), 1 - mpmath.mpf(alpha)]
    return [mpmath.mpf(1) / V] * V  # (rule) a number says nothing about three: all weigh the same


def disagreement(rows):
    V = len(rows)
    if V == 1:
        return mpmath.mpf(0)
    middle = [sum(column) / V for column in zip(*rows, strict=True)]
    js = sum(kl(row, middle) for row in rows) / V
    return mpmath.sqrt(max(js, 0) / mpmath.log(V))


def normalize_prior(V, pi):
    V = np.maximum(V, 1e-8)
    m, C = V.shape
    for _ in range(5):
        for c in range(C):
            V[:, c] = V[:, c] * m * pi[c] / (V[:, c].sum() + 1e-12)
        for j in range(m):
            V[j] = V[j] / (V[j].sum() + 1e-12)
    return V


def bideta(support, y, queries, **p):
    """(m, C) probabilities; ``p`` holds every parameter of the estimator, ``prior`` already as an array or None."""
    C, m = int(max(y)) + 1, len(queries[0])
    counts = np.array([sum(y == c) for c in range(C)])
    pi = counts / len(y) if p["prior"] is None else p["prior"]
    P, G, standardized = [], [], []
    for H, Hq in zip(support, queries, strict=True):
        Z, Zq = standardize(H, H), standardize(H, Hq)
        standardized.append((Z, Zq))
        mu, E, S = residual_covariance(Z, y, C)
        d = Z.shape[1]
        if np.trace(S) / d <= (len(Z) * np.finfo(float).eps) ** 2:  # (rule) no residual: identity
            S, delta = np.eye(d), 1.0
        else:
            delta = ledoit_wolf(E, S)
        shrunk = lambda rho, S=S, d=d: (1 - rho) * S + rho * np.trace(S) / d * np.eye(d)  # noqa: E731
        rho = delta if p["shrinkage"] == "auto" else p["shrinkage"]
        ell = lda_scores(Zq, mu, floor_eigenvalues(shrunk(rho)), pi)
        P.append([softmax(row, p["memory_temperature"]) for row in ell])
        if p.get("support_nodes"):  # ours: the labelled contacts are nodes after the queries
            Hq, Zq = np.vstack([Hq, H]), np.vstack([Zq, Z])
        elif m == 1:
            continue
        geometry = Hq if p["geometry"] == "raw" else Zq @ spectral_transform(shrunk(delta), p["gamma"])
        W = directed_graph(geometry, min(p["n_neighbors"], len(Hq) - 1), p["graph_temperature"])
        G.append(row_norm((W + W.T) / 2))
    small = m == 1 or (p["prior"] is not None and m < C)  # (rule) too small for the prior step
    clamped = np.eye(C)[y] if p.get("support_nodes") else np.zeros((0, C))
    answers = joint_answer(P, G, clamped, pi, small, p, p.get("label_spread", 0))
    held = p["prior"] is not None and not small and p["n_iter"] > 0 and np.allclose(pi, counts / len(y))
    if p.get("second_pass") and held:  # ours: the answers teach the memory
        taught = [taught_scores(Z, Zq, y, answers, p["shrinkage"], pi) for Z, Zq in standardized]
        P = [[softmax(row, p["memory_temperature"]) for row in ell] for ell in taught]
        answers = joint_answer(P, G, clamped, pi, small, p)
    return answers


def taught_scores(Z, Zq, y, answers, shrinkage, pi):
    """LDA scores of the queries by a memory that they joined with their answers."""
    C, d = answers.shape[1], Z.shape[1]
    rows, W = np.vstack([Z, Zq]), np.zeros((len(Z) + len(Zq), C))
    for i, c in enumerate(y):
        W[i, c] = 1.0
    for c in range(C):
        together = answers[:, c].sum()
        W[len(Z) :, c] = answers[:, c] * min(1.0, sum(y == c) / together if together > 0 else 1.0)
    mu = np.array([sum(W[i, c] * rows[i] for i in range(len(rows))) / W[:, c].sum() for c in range(C)])
    S, fourth = np.zeros((d, d)), 0.0
    for i in range(len(rows)):
        for c in range(C):
            e = rows[i] - mu[c]
            S += W[i, c] * np.outer(e, e) / W.sum()
            fourth += W[i, c] * (e @ e) ** 2 / W.sum()
    level = np.trace(S) / d
    distance, error = np.sum((S - level * np.eye(d)) ** 2) / d, (fourth - np.sum(S**2)) / (len(rows) * d)
    rho = shrinkage
    if shrinkage == "auto":
        rho = 0.0 if error <= 0 else 1.0 if distance <= 0 else min(error / distance, 1.0)
    Sigma = (1 - rho) * S + max(rho * level, EPS) * np.eye(d)
    return lda_scores(Zq, mu, Sigma, pi)


def spread_labels(fused, clamped, m):
    """Where walks from each query end that go on with 0.99: the class of the first label, zeros without one."""
    F = np.zeros((m, clamped.shape[1]))
    for _ in range(4000):
        F = fused[:m, m:] @ clamped + 0.99 * fused[:m, :m] @ F
    return row_norm(np.where(F.sum(axis=1, keepdims=True) > 1e-9, F, 0))  # (rule) less is out of reach


def joint_answer(P, G, clamped, pi, small, p, label_spread=0):
    """Anchor, gate and recurrence from the views P and the graphs G."""
    m, C = len(P[0]), len(P[0][0])
    weights = readout_weights(p["alpha"], len(P))
    P0 = [
        [sum(w * view[j][c] for w, view in zip(weights, P, strict=True)) for c in range(C)] for j in range(m)
    ]
    anchor = np.array([[float(u) for u in row] for row in P0])
    if small and not p.get("support_nodes"):  # … and for a joint answer
        return anchor
    fused = consensus(G, p["fusion"])
    if label_spread and p["n_iter"] > 0 and len(clamped):  # ours: the labels have a part of the anchor
        F = spread_labels(fused, clamped, m)
        for j in range(m):
            if F[j].sum() > 0:
                P0[j] = [(1 - label_spread) * P0[j][c] + label_spread * F[j, c] for c in range(C)]
        anchor = np.array([[float(u) for u in row] for row in P0])
    r = np.zeros(m)
    for j in range(m):
        a = entropy(P0[j]) / mpmath.log(C) if C > 1 else mpmath.mpf(0)
        distance = disagreement([view[j] for view in P])
        s = min(max((1 - p["disagreement_weight"]) * a + p["disagreement_weight"] * distance, 0), 1)
        r[j] = p["r_min"] + (p["r_max"] - p["r_min"]) * float(s ** mpmath.mpf(p["gate_exponent"]))
    V = anchor.copy()
    for _ in range(p["n_iter"]):
        V = np.diag(1 - r) @ anchor + np.diag(r) @ (fused @ np.vstack([V, clamped]))[:m]
        if p["prior"] is not None and not small:
            V = normalize_prior(V, pi)
    return V
