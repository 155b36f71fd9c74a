"""Words of the library's enumerations, and its tables of descriptors."""

import enum
from dataclasses import dataclass
from typing import TYPE_CHECKING

from limpet._errors import InputError, near_words, text
from limpet._native import ffi, lib

if TYPE_CHECKING:
    from collections.abc import Mapping

# what has names, by the word of the library: {"body": 0, ...}
OBJECTS = {text(lib.limpet_object_word(kind)): kind for kind in range(lib.LIMPET_OBJECT_COUNT)}


class Outcome(enum.IntEnum):
    """What became of a step, from good to bad: the worse one of two is the larger one."""

    SOLVED = lib.LIMPET_OUTCOME_SOLVED
    FRICTION_MISSED = lib.LIMPET_OUTCOME_FRICTION_MISSED
    PRECISION_LIMIT = lib.LIMPET_OUTCOME_PRECISION_LIMIT
    ITERATION_LIMIT = lib.LIMPET_OUTCOME_ITERATION_LIMIT
    INFEASIBLE = lib.LIMPET_OUTCOME_INFEASIBLE
    ISLAND_FAILED = lib.LIMPET_OUTCOME_ISLAND_FAILED
    NUMERICAL_FAILURE = lib.LIMPET_OUTCOME_NUMERICAL_FAILURE
    OUT_OF_MEMORY = lib.LIMPET_OUTCOME_OUT_OF_MEMORY
    BAD_INPUT = lib.LIMPET_OUTCOME_BAD_INPUT

    @property
    def failed(self) -> bool:
        """Whether the step kept the state before it."""
        return bool(lib.limpet_outcome_failed(self.value))

    @property
    def text(self) -> str:
        """The words that the command prints."""
        return text(lib.limpet_outcome_word(self.value))

    def __str__(self):
        return self.text


OUTCOMES = tuple(Outcome)


@dataclass(frozen=True)
class Parameter:
    """A parameter of a descriptor; minimum and maximum NaN: not bounded."""

    name: str
    unit: str
    value: float
    minimum: float
    maximum: float
    text: str


class Descriptor:
    """What a table of the library says of one of its rows: name, text, reference, parameters."""

    name: str
    text: str
    reference: "str | None"
    parameters: "Mapping[str, Parameter]"

    def __init__(self, pointer, descriptor):
        self.pointer = pointer
        self.name = text(descriptor.name)
        self.text = text(descriptor.text)
        self.reference = text(descriptor.reference)
        self.parameters = _Names()
        for i in range(descriptor.parameter_count):
            # the rest of a parameter that is a setting stands with the setting
            p = lib.limpet_step_parameter(descriptor.parameters + i)
            self.parameters[text(p.name)] = Parameter(
                text(p.name), text(p.unit), p.value, p.minimum, p.maximum, text(p.text)
            )

    def __reduce__(self):
        import limpet

        for word in ("contact_models", "schemes", "normal_laws", "constraint_kinds", "sensor_kinds",
                     "controller_kinds", "elastic_laws"):
            if getattr(limpet, word).get(self.name) is self:
                return _descriptor_again, (word, self.name)
        raise TypeError(f"{self!r} is of no table of limpet")

    def __repr__(self):
        return f"<{self.name}: {self.text}>"


def _descriptor_again(word, name):
    import limpet

    return getattr(limpet, word)[name]


class _Names(dict):
    """Rows by name; a name that is not there is told which are near."""

    def __missing__(self, name):
        raise KeyError(f"there is no {name!r}; {near_words(name, self)}")


def _table(rows, descriptor_of):
    table = _Names()
    i = 0
    while rows[i] != ffi.NULL:
        row = Descriptor(rows[i], descriptor_of(rows[i])[0])
        table[row.name] = row
        i += 1
    return table


contact_models = _table(lib.limpet_contact_models(), lib.limpet_contact_model_descriptor)
schemes = _table(lib.limpet_schemes(), lib.limpet_scheme_descriptor)
normal_laws = _table(
    lib.limpet_normal_laws(), lambda law: ffi.cast("const limpet_descriptor *", law)
)
constraint_kinds = _table(lib.limpet_constraint_kinds(), lib.limpet_constraint_kind_descriptor)
sensor_kinds = _table(lib.limpet_sensor_kinds(), lib.limpet_sensor_kind_descriptor)
controller_kinds = _table(lib.limpet_controller_kinds(), lib.limpet_controller_kind_descriptor)


def find(table, name, what):
    """The row of that name, or an error that says which there are."""
    if isinstance(name, Descriptor) and table.get(name.name) is name:
        return name
    try:
        return table[name]
    except (KeyError, TypeError):
        raise InputError(f"there is no {what} {name!r}; {near_words(name, table)}") from None
