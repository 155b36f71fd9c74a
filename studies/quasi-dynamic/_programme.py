"""A quadratic programme solver of its own, and Pang's velocity form of a step: what Limpet's steps are checked against.

    minimise 1/2 x'Qx + c'x   subject to   G x + h >= 0

Primal-dual interior point (Mehrotra), then the equations of the rows that came out active. Shares no code with Limpet.
"""
import numpy as np


def solve(Q, c, G, h, iterations=60):
    """x, multipliers. Rows are scaled to length 1 inside; the variables should be of one size."""
    length = np.maximum(np.linalg.norm(G, axis=1), 1e-300)
    A, b = G / length[:, None], h / length
    x = np.linalg.solve(Q, -c)
    s, z = np.maximum(A @ x + b, 1.0), np.ones(len(b)) * max(1.0, np.abs(c).max())
    for _ in range(iterations):
        dual, primal, gap = Q @ x + c - A.T @ z, A @ x + b - s, s @ z / len(b)
        if max(np.abs(dual).max() / (1 + np.abs(c).max()), np.abs(primal).max(), gap) < 1e-11:  # the rest is for polish
            break
        K = Q + A.T @ ((z / s)[:, None] * A)

        def direction(target, K=K, dual=dual, primal=primal, s=s, z=z):
            # s z + s dz + z ds = target, A dx - ds = -primal, Q dx - A' dz = -dual
            dx = np.linalg.solve(K, -dual + A.T @ ((target - z * primal) / s - z))
            ds = A @ dx + primal
            return dx, ds, (target - z * ds) / s - z

        def reach(value, change):
            down = change < 0
            return min(1.0, (-value[down] / change[down]).min()) if down.any() else 1.0

        dx, ds, dz = direction(np.zeros_like(s))
        step = min(reach(s, ds), reach(z, dz))
        centre = ((s + step * ds) @ (z + step * dz) / (s @ z)) ** 3
        dx, ds, dz = direction(centre * gap - ds * dz)
        step = min(1.0, 0.99 * min(reach(s, ds), reach(z, dz)))
        x, s, z = x + step * dx, s + step * ds, z + step * dz
    x, z = polish(Q, c, A, b, x, s, z)
    return x, z / length


def polish(Q, c, A, b, x, s, z):
    """Solves the equations of the active rows; keeps that only if it is feasible and its multipliers are not negative."""
    active = z > s
    R = A[active]
    if not len(R):
        return np.linalg.solve(Q, -c), np.zeros_like(z)
    inverse = np.linalg.solve(Q, np.column_stack([R.T, c]))
    multipliers = np.linalg.lstsq(R @ inverse[:, :-1], R @ inverse[:, -1] - b[active], rcond=1e-12)[0]
    better = inverse[:, :-1] @ multipliers - inverse[:, -1]
    if (A @ better + b).min() < -1e-11 or multipliers.min() < -1e-9 * max(1.0, np.abs(multipliers).max()):
        return x, z
    full = np.zeros_like(z)
    full[active] = multipliers
    return better, full


def residuals(Q, c, G, h, x, z):
    """Stationarity over its largest term, most negative slack, most negative multiplier, largest |s z|."""
    terms = np.abs(Q @ x).max(), np.abs(c).max(), np.abs(G.T @ z).max()
    s = G @ x + h
    return np.abs(Q @ x + c - G.T @ z).max() / max(terms), min(0.0, s.min()), min(0.0, z.min()), np.abs(s * z).max()
