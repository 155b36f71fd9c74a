"""Logs of `limpet run` as NumPy arrays (layout: docs/log.md)."""

from functools import cached_property

import h5py
import numpy


class Recording:
    """One log. Arrays are read when they are first asked for; the first dimension is that of
    records."""

    def __init__(self, path):
        self.path = path

    def read(self, name):
        """A dataset by its name in docs/log.md."""
        with h5py.File(self.path, "r") as file:
            return file[name][()]

    def setting(self, name):
        """A setting of the run, in SI units."""
        with h5py.File(self.path, "r") as file:
            value = file["settings"].attrs[name]
        return value.decode() if isinstance(value, bytes) else value

    def names(self, kind):
        """Names by index of 'body', 'joint', 'geom' or 'actuator'."""
        return [
            name.decode() if isinstance(name, bytes) else name
            for name in self.read(f"names/{kind}")
        ]

    @cached_property
    def time(self):
        """(T)  [s]"""
        return self.read("time")

    @cached_property
    def q(self):
        """(T, nq)"""
        return self.read("q")

    @cached_property
    def v(self):
        """(T, nv)"""
        return self.read("v")

    @cached_property
    def iterations(self):
        """(T)  Newton iterations of the step"""
        return self.read("info/iterations")

    @cached_property
    def contact_count(self):
        """(T)  contacts of each record, with or without a force"""
        return numpy.diff(self.read("contact_begin"))

    @cached_property
    def contact_record(self):
        """(C)  number of the record of each contact"""
        return numpy.repeat(numpy.arange(len(self.contact_count)), self.contact_count)

    @cached_property
    def force(self):
        """(T, 3)  [N]  sum of all contact forces on B, world axes: for scenes in which one pair of
        bodies touches"""
        total = numpy.zeros((len(self.contact_count), 3))
        if self.contact_count.any():
            numpy.add.at(total, self.contact_record, self.read("contact/force"))
        return total

    @cached_property
    def distance(self):
        """(T)  [m]  smallest distance of a contact at the start of the step; NaN without
        contacts"""
        least = numpy.full(len(self.contact_count), numpy.inf)
        if self.contact_count.any():
            numpy.minimum.at(least, self.contact_record, self.read("contact/distance"))
        return numpy.where(numpy.isinf(least), numpy.nan, least)


def sampled(time, values, at):
    """Rows of `values` (T, n) at the times `at` [s], linear between records."""
    values = numpy.asarray(values)
    if values.ndim == 1:
        return numpy.interp(at, time, values)
    return numpy.column_stack(
        [numpy.interp(at, time, values[:, k]) for k in range(values.shape[1])]
    )
