"""The contact models as the paper "Irrotational Contact Fields" runs them: names of series, contact
model, options of `limpet run`.

The paper regularises friction by v_s = 1e-4 m/s (Lagged, Similar) or sigma = 1e-3 (SAP), solves to
a relative tolerance of 1e-5 (in its section XII), looks for contacts within 0.1 m, and has no
near-rigid limit; every step moves with the velocity at its end. Our own refinements (contacts that
follow curved paths, flight to second order) are off.
"""

PAPER_OPTIONS = (
    "--stiction-speed",
    "1e-4",
    "--near-rigid-ratio",
    "0",
    "--speculative-distance",
    "0.1",
    "--no-curved-paths",
    "--plain-flight",
)

CONTACT = {"sap": "sap", "similar": "similar", "lagged": "lagged", "regularized": "lagged"}
SIGMA = {"sap": "1e-3", "similar": "0", "lagged": "0", "regularized": "1e-3"}
SERIES = ("sap", "similar", "lagged")  # those of every figure


def options(series, tolerance="1e-5"):
    """Further words of the command line for a series. The tolerance is relative to momenta: a body
    that moves fast while a small step adds little to its momentum needs a smaller one.
    """
    return (*PAPER_OPTIONS, "--friction-regularization", SIGMA[series], "--tolerance", tolerance)
