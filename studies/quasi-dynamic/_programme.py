"""A quadratic programme solver of its own: what Limpet's steps are checked against. It shares no
code with Limpet.

    minimise 1/2 x'Qx + c'x   subject to   G x + h >= 0

With Q = L L', y = L'x and A = G L^-T the dual is a least-squares problem without negative numbers,
minimise 1/2 |A'z - L^-1 c|² + h'z over z >= 0, which the method of Lawson and Hanson solves: rows
come in one at a time and leave where their multiplier would turn negative.
"""

import numpy as np


def solve(Q, c, G, h):
    """x and multipliers."""
    L = np.linalg.cholesky(Q)
    whole, target = np.linalg.solve(L, G.T).T, np.linalg.solve(L, c)
    length = np.linalg.norm(whole, axis=1)
    A, b = whole / length[:, None], h / length
    K, r = A @ A.T, A @ target - b
    z, active = np.zeros(len(b)), np.zeros(len(b), dtype=bool)
    for _ in range(10 * len(b)):
        left = np.where(active, -np.inf, r - K @ z)
        row = int(np.argmax(left))
        if left[row] < 1e-13 * (np.abs(target).max() + np.abs(b).min()):
            break
        active[row] = True
        while True:
            trial = np.zeros_like(z)
            trial[active] = np.linalg.lstsq(K[np.ix_(active, active)], r[active], rcond=1e-13)[0]
            down = active & (trial < 0)
            if not down.any():
                z = trial
                break
            share = (z[down] / np.maximum(z[down] - trial[down], 1e-300)).min()
            z = z + share * (trial - z)
            out = down & (z <= 1e-15 * max(1e-300, np.abs(z).max()))
            z[out], active = 0.0, active & ~out
            if not out.any():
                break
    return np.linalg.solve(L.T, A.T @ z - target), z / length


def residuals(Q, c, G, h, x, z):
    """Stationarity over its largest term, most negative slack, most negative multiplier, largest |s
    z|."""
    terms = np.abs(Q @ x).max(), np.abs(c).max(), np.abs(G.T @ z).max()
    s = G @ x + h
    return (
        np.abs(Q @ x + c - G.T @ z).max() / max(terms),
        min(0.0, s.min()),
        min(0.0, z.min()),
        np.abs(s * z).max(),
    )
