"""Settings of a step, by the table of limpet_step_settings."""

from typing import TYPE_CHECKING

import numpy as np

from limpet import _errors, _fields
from limpet._errors import InputError, text
from limpet._model import Model
from limpet._native import ffi, lib
from limpet._native_words import contact_models, find, normal_laws, schemes

if TYPE_CHECKING:
    from typing import Any

# short names, as on the command line
_ALIASES = {"contact": "contact_model", "dt": "time_step"}
_TABLES = {"contact_model": contact_models, "scheme": schemes, "normal_law": normal_laws}
_FIELDS = {f.last_name: f for f in _fields.SETTINGS}


class Settings:
    """How a step is made: scheme, contact model, constants, tolerances.

    Settings(model, contact="sap", time_step=1e-3): defaults of the model, then what is given.
    preset: "limpet" or "drake", before all else; its numbers stay with any contact model. Every
    field of limpet_step_settings is an attribute, fields of `compatibility` too. Values out of
    range raise InputError.
    """

    __slots__ = ("_preset", "_record")

    def __init__(self, model: "Model", preset: "str | None" = None, **values: "Any"):
        _errors.expect(model, Model, "model")
        record = ffi.new("limpet_step_settings *")
        record[0] = lib.limpet_step_settings_default(model._model_handle.pointer)
        object.__setattr__(self, "_record", record)
        object.__setattr__(self, "_preset", "limpet" if preset is None else str(preset))
        if preset is not None and not lib.limpet_step_settings_preset(
            record, model._model_handle.pointer, str(preset).encode()
        ):
            raise InputError(f"there is no preset {preset!r}; there are: {', '.join(presets())}")
        # a scheme brings its contact model, and a contact model its constants: they come first
        names = {_ALIASES.get(name, name): value for name, value in values.items()}
        for name in sorted(names, key=lambda n: list(_FIELDS).index(n) if n in _FIELDS else 0):
            setattr(self, name, names[name])

    def __getattr__(self, name):
        field = _field(name)
        if field.last_name in _TABLES:
            row = getattr(self._record, field.name)
            return next(d for d in _TABLES[field.last_name].values() if d.pointer == row)
        if field.is_array:
            shape = field.dimensions([])
            return field.view(self._record, shape, self._record, writable=True)
        return field.number(self._record)

    def __setattr__(self, name, value):
        field = _field(name)
        before = self._record[0]
        backup = ffi.new("limpet_step_settings *", before)
        if field.last_name in _TABLES:
            self._set_descriptor(field.last_name, value)
        elif field.is_array:
            getattr(self, name)[...] = value
        else:
            field.assign(self._record, _number_of(field, value))
        error = _errors.new_error()
        status = lib.limpet_step_settings_check(self._record, error)
        if status != lib.LIMPET_OK:
            self._record[0] = backup[0]
            raise _errors.exception(error)

    def _set_descriptor(self, name, value):
        row = find(_TABLES[name], value, name.replace("_", " ")).pointer
        if name == "normal_law":
            self._check_law()
        if name == "contact_model":
            lib.limpet_step_settings_preset_model(self._record, self._preset.encode(), row)
        else:
            getattr(lib, f"limpet_step_settings_{name}")(self._record, row)

    def _check_law(self):
        """Some contact models have a normal law of their own, or none, and take no other."""
        model = self._record.contact_model
        law = lib.limpet_contact_model_normal_law(model)
        compliant = lib.limpet_contact_model_family(model) == lib.LIMPET_CONTACT_COMPLIANT
        if compliant and law == ffi.NULL:
            return
        has = "no normal law"
        if law != ffi.NULL:
            has = f"the law {text(ffi.cast('const limpet_descriptor *', law).name)} built in"
        raise InputError(
            f"the contact model {self.contact_model.name!r} has {has}; coulomb, lagged and "
            "similar take any"
        )

    def copy(self) -> "Settings":
        """Settings of the same values."""
        return _settings_of(ffi.new("limpet_step_settings *", self._record[0]), self._preset)

    def __reduce__(self):
        values = {}
        for name, field in _FIELDS.items():
            value = getattr(self, name)
            values[name] = value.name if name in _TABLES else np.array(value)
        return _make_again, (self._preset, values)

    def __dir__(self):
        return [*_FIELDS, "copy"]

    def __repr__(self):
        return (
            f"<limpet.Settings scheme {self.scheme.name}, contact {self.contact_model.name}, "
            f"time step {self.time_step:g} s>"
        )


def _settings_of(record, preset):
    settings = object.__new__(Settings)
    object.__setattr__(settings, "_record", record)
    object.__setattr__(settings, "_preset", preset)
    return settings


def _make_again(preset, values):
    """Settings from values by name, as pickle keeps them."""
    record = ffi.new("limpet_step_settings *")
    for name, value in values.items():
        field = _FIELDS[name]
        if name in _TABLES:
            setattr(record, field.name, find(_TABLES[name], value, name).pointer)
            continue
        for index, number in enumerate(np.ravel(value)):
            field.assign(record, number, index)
    return _settings_of(record, preset)


def _number_of(field, value):
    """A number for a field, or an error that names it."""
    try:
        number = float(value)
    except (TypeError, ValueError):
        raise InputError(
            f"the setting {field.last_name!r} is {value!r}; give a number, in SI units"
        ) from None
    whole = field.dtype().kind in "iu"
    if whole and not (number.is_integer() and abs(number) < 2**31):
        raise InputError(f"the setting {field.last_name!r} is {value!r}; give a whole number")
    return number


def _field(name):
    field = _FIELDS.get(_ALIASES.get(name, name))
    if field is None:
        known = [*_ALIASES, *_FIELDS]
        raise AttributeError(f"there is no setting {name!r}; {_errors.near_words(name, known)}")
    return field


def presets() -> "list[str]":
    """Names of the presets."""
    rows = lib.limpet_presets()
    names = []
    while rows[len(names)].name != ffi.NULL:
        names.append(text(rows[len(names)].name))
    return names


def settings_for(model, settings, values):
    """What a function that takes `settings` and keyword arguments means."""
    if settings is None:
        return Settings(model, **values)
    if not isinstance(settings, Settings):
        raise TypeError(f"settings are a limpet.Settings, not {type(settings).__name__}")
    if not values:
        return settings
    settings = settings.copy()
    for name, value in values.items():
        setattr(settings, name, value)
    return settings
