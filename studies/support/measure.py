"""Quantities that several studies measure on logs."""

import numpy as np

from .recording import sampled


def position_error(log, reference, duration, columns=slice(None)):
    """e_q(dt) = sqrt(1/T integral |q(t) - q_ref(t)|^2 dt): mean over the ends of the steps of
    `log`, the reference linear between its records. `columns` chooses coordinates. Unit: that of q.
    """
    known = (log.time <= duration * (1 + 1e-9)) & (log.time <= reference.time[-1] * (1 + 1e-9))
    difference = log.q[known][:, columns] - sampled(
        reference.time, reference.q[:, columns], log.time[known]
    )
    return float(np.sqrt(np.mean(np.sum(difference**2, axis=1))))


def slopes(steps, errors):
    """Slope of a straight line through all points of log(error) over log(step), by least squares;
    and those between neighbours."""
    x, y = np.log(steps), np.log(errors)
    return float(np.polyfit(x, y, 1)[0]), [float(value) for value in np.diff(y) / np.diff(x)]
