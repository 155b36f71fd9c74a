"""What the studies of the quasi-dynamic paper share: runs in the scheme, controls over time as
CSV."""

from support.study import Run

GRAVITY = 9.81  # [m/s²]


def quasi_dynamic(name, scene, dt, time, *options, contact="anitescu", log=True):
    """A run in the scheme `quasi-dynamic`."""
    return Run(name, scene, contact, dt, time, ("--scheme", "quasi-dynamic", *options), log)


def controls(study, name, times, **columns):
    """Writes a CSV file of controls, linear between the times; returns its path."""
    path = study.out / "controls" / f"{name}.csv"
    path.parent.mkdir(parents=True, exist_ok=True)
    rows = zip(times, *columns.values(), strict=True)
    path.write_text(
        "\n".join(
            [
                ",".join(["time", *columns]),
                *(",".join(repr(float(value)) for value in row) for row in rows),
            ]
        )
        + "\n"
    )
    return path
