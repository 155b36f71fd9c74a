"""Checks of numbers: each has a value, what is expected, and a tolerance or a bound; all are
printed, failed or not."""

import math
from dataclasses import dataclass, replace


@dataclass(frozen=True)
class Check:
    """One comparison and its outcome."""

    text: str
    value: float
    expected: str  # in words: "0.1165 +- 0.004", "< 5"
    unit: str
    passed: bool
    missed: bool = False  # outside the bounds of an acceptance sheet, as is known

    def line(self):
        """The check as printed."""
        return (
            f"{self.verdict() if self.passed else 'FAIL'}  {self.text}: "
            f"{shown(self.value)}{self.suffix()}, expected {self.expected}{self.suffix()}"
        )

    def verdict(self):
        return ("miss" if self.missed else "pass") if self.passed else "fail"

    def suffix(self):
        return f" {self.unit}" if self.unit else ""


def shown(value, digits=5):
    """A number for people: `digits` significant digits, exponents only where they are needed."""
    if isinstance(value, (bool, str)):
        return str(value).lower() if isinstance(value, bool) else value
    if isinstance(value, int):
        return str(value)
    return f"{float(value):.{digits}g}"


def near(text, value, expected, unit="", absolute=0.0, relative=0.0):
    """The value is the expected one, within an absolute tolerance plus a share of the expected
    value."""
    tolerance = absolute + relative * abs(expected)
    passed = bool(math.isfinite(value) and abs(value - expected) <= tolerance)
    return Check(text, value, f"{shown(expected)} ± {shown(tolerance, 2)}", unit, passed)


def within(text, value, low=-math.inf, high=math.inf, unit=""):
    """The value lies between two bounds, of which one may be left out."""
    words = f"{shown(low)} to {shown(high)}"
    if math.isinf(low):
        words = f"at most {shown(high)}"
    elif math.isinf(high):
        words = f"at least {shown(low)}"
    return Check(text, value, words, unit, bool(low <= value <= high))


def sheet(text, value, low=-math.inf, high=math.inf, unit="", accepted=(-math.inf, math.inf)):
    """The value lies between two bounds of an acceptance sheet. Outside them, but within `accepted`
    (low, high), it is a known miss, which is shown as such and fails no study."""
    check = within(text, value, low, high, unit)
    known = bool(accepted[0] <= value <= accepted[1])
    return replace(check, passed=check.passed or known, missed=not check.passed)


def holds(text, condition):
    """A statement is true."""
    return Check(text, bool(condition), "true", "", bool(condition))
