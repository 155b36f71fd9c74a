"""Style of the figures: one colour for each contact model, thin frames, SVG for the docs and PNG to
look at."""

import os

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt  # noqa: E402  the backend comes first

# contact models as they appear in legends, in the order in which they are drawn
LABELS = {
    "sap": "SAP",
    "similar": "Similar",
    "lagged": "Lagged",
    "regularized": "Lagged, regularised",
    "reference": "reference",
}
COLOURS = {
    "sap": "#d1495b",
    "similar": "#2e8b57",
    "lagged": "#1f5fa8",
    "regularized": "#e39b2d",
    "reference": "#222222",
}
MARKERS = {"sap": "^", "similar": "s", "lagged": "o", "regularized": "D", "reference": ""}

plt.rcParams.update(
    {
        "figure.constrained_layout.use": True,
        "figure.dpi": 100,
        "savefig.dpi": 150,
        "font.size": 9,
        "axes.titlesize": 9,
        "axes.grid": True,
        "grid.color": "#dddddd",
        "grid.linewidth": 0.5,
        "axes.spines.top": False,
        "axes.spines.right": False,
        "lines.linewidth": 1.1,
        "lines.markersize": 4.5,
        "legend.frameon": False,
        "svg.fonttype": "path",
        "path.simplify": True,
        "path.simplify_threshold": 0.5,
        "svg.hashsalt": "limpet",
    }
)


def style(model, **changes):
    """Keywords of a curve of this contact model."""
    return {"color": COLOURS[model], "label": LABELS[model], **changes}


def grid(rows=1, columns=1, width=7.0, height=None, **keywords):
    """Figure and axes; sizes in inches."""
    return plt.subplots(rows, columns, figsize=(width, height or 2.6 * rows), **keywords)


def thinned(count, limit=2000):
    """Indices of at most about `limit` of `count` points, so that a picture stays small."""
    return slice(None, None, max(1, -(-count // limit)))


def slope_line(axis, x, y_at_first, slope=1.0):
    """Dashed line of this slope in a log-log plot, from the point (x[0], y_at_first)."""
    axis.loglog(
        x,
        [y_at_first * (value / x[0]) ** slope for value in x],
        "--",
        color="#888888",
        lw=0.8,
        label=f"slope {slope:.3g}",
    )


def save(figure, folder, name, formats=("svg", "png")):
    """Writes NAME.svg and NAME.png and closes the figure. Equal figures give equal files."""
    folder.mkdir(parents=True, exist_ok=True)
    for kind in formats:
        figure.savefig(
            os.fspath(folder / f"{name}.{kind}"),
            metadata={"Date": None} if kind == "svg" else {"Software": None},
        )
    plt.close(figure)


def convergence(series, steps, finer_step, error):
    """e_q of each series over the steps of the paper and, hollow, a finer one; the line of first
    order."""
    figure, axis = grid(width=4.2, height=3.2)
    every = (*steps, finer_step)
    slope_line(axis, [every[0], every[-1]], 2.0 * error["lagged"][0])
    for model in series:
        axis.loglog(steps, error[model][: len(steps)], marker=MARKERS[model], **style(model))
        axis.loglog(
            every[-2:],
            error[model][-2:],
            ":",
            marker=MARKERS[model],
            mfc="none",
            color=COLOURS[model],
            zorder=1,
        )
    axis.set(xlabel="time step [s]", ylabel="$e_q$ [m]")
    axis.legend()
    return figure
