"""One world: state, inputs, and what a step computes."""

import functools
import itertools
import math
from _thread import get_ident
from typing import TYPE_CHECKING

import numpy as np

from limpet import _errors, _fields, _world
from limpet._errors import InputError, StateError
from limpet._model import Handle, Model, add_named, array_property
from limpet._native import ffi, lib
from limpet._native_words import OBJECTS, OUTCOMES
from limpet._objects import Named, add_elsewhere, find_index, no_attribute, public_names
from limpet._settings import Settings, settings_for

if TYPE_CHECKING:
    from typing import Any

    from numpy.typing import ArrayLike, NDArray

    from limpet._model import Model
    from limpet._native_words import Outcome

# columns of data.contacts whose names say more than those of the arrays: eps_s of regularised
# friction is not the slip that users look for
_RENAMED = {"geom": "pair", "slip_speed": "regularization_speed"}


def _contact_columns():
    """{column: field} of the contact arrays of a world."""
    columns = {}
    for field in _fields.DATA:
        name = field.name.removeprefix("contact_")
        if name != field.name and field.is_array:
            columns[_RENAMED.get(name, name)] = field
    return columns


def _contact_dtype():
    row = []
    for name, field in _COLUMNS.items():
        shape = (3, 3) if name == "frame" else _row_shape(field)
        row.append((name, field.dtype(), shape))
    return np.dtype([*row, ("force_world", "f8", (3,)), ("slip_speed", "f8")])


def _row_shape(field):
    """Dimensions of one row: (3,) of "contact_count x 3"."""
    return tuple(int(part) for part in field.shape.split(" x ")[1:])


# what MuJoCo's arrays are called here
_MUJOCO = {
    **{"qpos": "q", "qvel": "v", "ctrl": "control", "act": "activation", "sensordata": "sensor"},
    **{"qacc": "acceleration, without contact, or the sensors", "qM": "full_mass_matrix()"},
    **{"qfrc_bias": "bias", "qfrc_passive": "passive_force", "qfrc_applied": "applied_force"},
    **{"xfrc_applied": "applied_wrench, in the order [moment; force]", "contact": "contacts"},
    **{"qfrc_actuator": "actuator_joint_force", "qfrc_constraint": "constraint_joint_force"},
    **{"ncon": "contact_count", "xpos": "body_position", "xquat": "body_quaternion"},
    **{"xmat": "body_rotation", "xipos": "body_com", "cvel": "body_velocity"},
    **{"geom_xpos": "geom_position", "geom_xmat": "geom_rotation", "ten_length": "tendon_length"},
    **{"mocap_pos": "mocap_position", "mocap_quat": "mocap_quaternion"},
    **{"efc_force": "contacts, in force", "solver_niter": "info, in iterations"},
}

_COLUMNS = _contact_columns()
CONTACT = _contact_dtype()
# (column, array of the world, bytes of a row)
_SOURCES = [(name, field.name, CONTACT[name].itemsize) for name, field in _COLUMNS.items()]


class ContactRows:
    """Contacts of any number of steps, column by column: taking them copies memory, no more."""

    def __init__(self):
        self._columns = [(array, size, bytearray()) for _, array, size in _SOURCES]
        self._ends = []  # rows after each step

    def take(self, record):
        """Appends the contacts of the last step of a world."""
        count = record.contact_count
        self._ends.append(count + (self._ends[-1] if self._ends else 0))
        if count:
            for array, size, memory in self._columns:
                memory += ffi.buffer(getattr(record, array), count * size)

    def whole(self):
        """All of them as one record array, with what is computed of the columns."""
        contacts = np.empty(self._ends[-1] if self._ends else 0, CONTACT)
        for (name, *_), (_, _, memory) in zip(_SOURCES, self._columns, strict=True):
            column = contacts[name]
            column[...] = np.frombuffer(memory, column.dtype).reshape(column.shape)
        slip, frame, force = contacts["velocity"], contacts["frame"], contacts["force"]
        contacts["slip_speed"] = np.hypot(slip[:, 0], slip[:, 1])
        np.einsum("kij,ki->kj", frame, force, out=contacts["force_world"])
        return contacts.view(np.recarray)

    def split(self):
        """A list of the record arrays of the steps."""
        whole, take = self.whole(), np.ndarray.__getitem__  # np.recarray's own takes 10 us
        begins = [0, *self._ends]
        return [take(whole, slice(*ends)) for ends in itertools.pairwise(begins)]


def alone(method):
    """A method of a world that must not run while another thread steps it."""

    @functools.wraps(method)
    def call(self, *values, **options):
        before = self._claim()
        try:
            return method(self, *values, **options)
        finally:
            self._stepper = before

    return call


class Info:
    """What the last step says of itself; one attribute for each field of limpet_step_info."""

    def __init__(self, record, handle):
        self._record = record
        self._handle = handle

    @property
    def outcome(self) -> "Outcome":
        """The outcome of the last step."""
        return OUTCOMES[self._record.outcome]

    def __repr__(self):
        return f"<limpet.Info {self.outcome.text}, {self.iterations} iterations>"


class Data(_world.World):
    """One world of a model, made by model.data() or Data(model).

    Arrays of state and input are views that stay valid as long as anything holds them. Contacts
    move from step to step: data.contacts is a copy.
    """

    model: "Model"
    info: "Info"
    _arrays = {}
    _computed = {"site": ("position", "rotation")}
    # a misspelt array that is set is an error
    __slots__ = (
        *("info", "_model_handle", "_handle", "_record", "_views", "_defaults"),
        "__weakref__",
    )

    def __init__(self, model: "Model"):
        _errors.expect(model, Model, "model")
        self._model_handle = model._model_handle
        pointer = _errors.out_of_memory(lib.limpet_data_create(model._model_handle.pointer))
        self._handle = Handle(pointer, lib.limpet_data_destroy, holds=model._model_handle)
        self._record = self._handle.pointer
        self._views = {}
        self._defaults = None
        # of _world.World: the view that shows this world, the thread that steps it (0: none), and
        # the arguments of limpet_step, which its first step knows
        self._live = None
        self._stepper = 0
        self._set_call(0, 0, 0)
        self._model = model
        self.info = Info(ffi.addressof(self._record[0], "info"), self._handle)

    def _scopes(self):
        return [
            _fields.DATA.scope(self._record),
            _fields.MODEL.scope(self._model_handle.pointer),
            _fields.OPTIONS.scope(ffi.addressof(self._model_handle.pointer[0], "options")),
        ]

    def _view(self, field):
        shape = field.dimensions(self._scopes())
        view = field.view(self._record, shape, self._handle, writable=True)
        if field.moves:
            return view.copy()
        self._views[field.name] = view
        return view

    @property
    def settings(self) -> "Settings":
        """Settings of step() where none are given; change them in place."""
        if self._defaults is None:
            self._defaults = Settings(self.model)
        return self._defaults

    def _claim(self):
        """Marks the world as this thread's: a step lets other threads run, which must leave it
        alone. Returns what _stepper becomes again."""
        before, thread = self._stepper, get_ident()
        if before not in (0, thread):
            raise StateError("another thread steps this world; each thread needs one: model.data()")
        self._stepper = thread
        return before

    @alone
    def reset(self, keyframe: "str | int | None" = None) -> None:
        """The reference pose, or a keyframe (name or number); inputs and counts as when new."""
        if keyframe is None:
            lib.limpet_data_reset(self._model_handle.pointer, self._record)
        else:
            index = find_index(self._model_handle, "keyframe", keyframe)
            lib.limpet_data_reset_keyframe(self._model_handle.pointer, self._record, index)

    # ------------------------------------------------------------------------------- state

    @alone
    def get_state(self) -> "NDArray[np.float64]":
        """The full state as one vector: two worlds of equal state and input go on bit for bit
        alike."""
        state = np.empty(lib.limpet_data_state_size(self._model_handle.pointer))
        lib.limpet_data_state_read(
            self._model_handle.pointer, self._record, ffi.from_buffer("double[]", state)
        )
        return state

    @alone
    def set_state(self, state: "ArrayLike") -> None:
        """Puts the world into a full state (state size) that get_state gave. Raises InputError for
        another shape."""
        state = numbers(state, (lib.limpet_data_state_size(self._model_handle.pointer),), "state")
        lib.limpet_data_state_write(
            self._model_handle.pointer, self._record, ffi.from_buffer("double[]", state)
        )

    @alone
    def set_pose(
        self, q: "ArrayLike", v: "ArrayLike | None" = None, *, time: "float | None" = None
    ) -> None:
        """Puts the world into a pose that another program recorded: q (nq), v (nv; None: at rest),
        time [s]. What contacts carry is forgotten. Raises InputError for another shape."""
        pose = numbers(q, (self.model.nq,), "q")
        speed = np.zeros(self.model.nv) if v is None else numbers(v, (self.model.nv,), "v")
        kept = {name: getattr(self, name).copy() for name in _INPUTS}
        now = self.time if time is None else _errors.number(time, "time")
        if not math.isfinite(now):
            raise InputError(f"time is {now}; give a finite number")
        lib.limpet_data_reset(self._model_handle.pointer, self._record)
        self.q[:], self.v[:], self._record.time = pose, speed, now
        for name, values in kept.items():
            getattr(self, name)[...] = values

    @property
    @alone
    def state_hash(self) -> int:
        """A number of the full state: equal states have equal ones."""
        return int(lib.limpet_data_state_hash(self._model_handle.pointer, self._record))

    @property
    def bad_input(self) -> str:
        """After a step whose outcome is BAD_INPUT, ISLAND_FAILED or NUMERICAL_FAILURE: which number
        of inputs, or of q and v, is not finite, is too large to be squared, or begins a quaternion
        without a direction; "" where there is none."""
        room = ffi.new("char[]", 512)
        return _errors.text(lib.limpet_bad_input_text(self._record, room, 512))

    @alone
    def copy(self) -> "Data":
        """Another world of the same state and inputs. Results of the last step are not copied."""
        other = Data(self.model)
        lib.limpet_data_state_copy(self._record, other._record)
        for name in _INPUTS:
            getattr(other, name)[...] = getattr(self, name)
        if self._defaults is not None:
            other._defaults = self._defaults.copy()
        return other

    def __reduce__(self):
        return _make_again, (
            self.model,
            self.get_state(),
            {name: getattr(self, name).copy() for name in _INPUTS},
            self._defaults,
        )

    # ---------------------------------------------------------------------------- contacts

    @property
    @alone
    def contacts(self) -> "np.recarray[Any, Any]":
        """Contacts of the last step, a copy as a record array.

        pair: geoms A, B. position [m] and frame (rows t1, t2, n) in W, n from A to B. distance [m],
        negative inside. velocity [m/s] of B relative to A and force [N] on B in the contact frame;
        force_world [N] the same force in W. slip_speed [m/s]: tangential. The other fields are
        those of data->contact_*.
        """
        rows = ContactRows()
        rows.take(self._record)
        return rows.whole()

    # ------------------------------------------------------------------------------- sites

    @property
    def site_position(self) -> "NDArray[np.float64]":
        """(site_count x 3) [m] in the world frame, from the poses of bodies; a copy."""
        body = self.model.site_body
        turned = np.einsum("sij,sj->si", self._site_bodies(), self.model.site_position)
        return _fixed(self.body_position[body] + turned)

    @property
    def site_rotation(self) -> "NDArray[np.float64]":
        """(site_count x 9) row-major, axes of the site to the world, from the poses of bodies; a
        copy."""
        w, x, y, z = self.model.site_quaternion.T
        own = [1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)]
        own += [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)]
        own += [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)]
        own = np.stack(own, axis=1).reshape(-1, 3, 3)
        return _fixed((self._site_bodies() @ own).reshape(-1, 9))

    def _site_bodies(self):
        return self.body_rotation[self.model.site_body].reshape(-1, 3, 3)

    # ---------------------------------------------------------------------- access by name

    def _named(self, kind, name):
        index = find_index(self._model_handle, kind, name)
        return Named(self, kind, index, _slices(self.model, kind, index))

    def sensor_values(self, name: "str | int") -> "NDArray[np.float64]":
        """What the sensor of that name or number reads, a view into data.sensor."""
        index = find_index(self._model_handle, "sensor", name)
        begin = int(self.model.sensor_address[index])
        return self.sensor[begin : begin + int(self.model.sensor_size[index])]

    if not TYPE_CHECKING:  # what has no name here is an error of types, too

        def __getattr__(self, name):
            raise no_attribute(self, name)

    def _unknown(self, name):
        raise no_attribute(self, name)

    def __dir__(self):
        return public_names(type(self))

    @alone
    def _repr_html_(self):
        """The world as it is now, inline, as Jupyter shows it."""
        from limpet._simulate import inline, write_pose

        return inline(self, functools.partial(write_pose, self))

    def __repr__(self):
        return f"<limpet.Data of {self.model.name!r} at {self.time:g} s>"


def _fixed(array):
    array.flags.writeable = False  # what is written into a copy would be lost
    return array


def _slices(model, kind, index):
    """Attributes of an object that are ranges of the arrays of a world."""
    if kind == "joint":
        first_q, first_v = int(model.joint_q[index]), int(model.joint_v[index])
        joint_kind = int(model.joint_kind[index])
        nq = lib.limpet_joint_kind_nq(joint_kind)
        nv = lib.limpet_joint_kind_nv(joint_kind)
        q = {"q": ("q", first_q, nq)}
        names = ("v", "applied_force", "bias", "passive_force", "acceleration")
        forces = ("actuator_joint_force", "constraint_joint_force")
        return q | {name: (name, first_v, nv) for name in (*names, *forces)}
    if kind == "actuator":
        return {"control": ("control", index, 1)}
    if kind == "body":
        return {"applied_wrench": ("applied_wrench", index, 0)}
    return {}


def _make_again(model, state, inputs, settings=None):
    data = Data(model)
    data._defaults = settings
    data.set_state(state)
    for name, value in inputs.items():
        getattr(data, name)[...] = value
    return data


_INPUTS = ("control", "applied_force", "applied_wrench")


def doubles(values, what):
    """Contiguous doubles, or an error that says what is wrong."""
    try:
        if (given := np.asarray(values)).dtype.kind not in "biuf":  # None would be taken for NaN
            raise TypeError
        return np.ascontiguousarray(given, dtype=np.float64)
    except (TypeError, ValueError):
        raise InputError(f"{what}: expected numbers, got {values!r}") from None


def numbers(values, shape, what):
    """Contiguous doubles of a given shape, or an error that says what is wrong."""
    array = doubles(values, what)
    if array.shape != shape:
        raise InputError(f"{what}: expected the shape {shape}, got {array.shape}")
    return array


def _writable_array_property(field):
    read = array_property(field)

    def write(self, value):
        if field.is_result:
            raise AttributeError(f"{field.name} is a result of {field.stage} and cannot be set")
        if value is None:  # NumPy would take it for NaN
            raise TypeError(f"{field.name}: expected numbers, got None")
        try:
            read.fget(self)[...] = value
        except (TypeError, ValueError) as reason:
            raise InputError(f"{field.name}: {reason}") from None

    return property(read.fget, write, doc=field.doc)


def _writable_number_property(field):
    def get(self):
        return field.number(self._record)

    def write(self, value):
        now = _errors.number(value, field.name)
        if not math.isfinite(now):
            raise InputError(f"{field.name} is {now}; give a finite number")
        field.assign(self._record, now)

    return property(get, write if field.name == "time" else None, doc=field.doc)


def _info_property(field):
    if field.is_array:

        def get(self):
            shape = field.dimensions([])
            return field.view(self._record, shape, self._handle, writable=False).copy()
    else:

        def get(self):
            return field.number(self._record)

    get.__doc__ = field.doc
    return property(get)


def _add_fields():
    for field in _fields.DATA:
        if field.is_array and field.dtype() is not None:
            Data._arrays[field.name] = field
            setattr(Data, field.name, _writable_array_property(field))
        elif field.is_number:
            setattr(Data, field.name, _writable_number_property(field))
    for field in _fields.INFO:
        if field.name != "outcome":
            setattr(Info, field.name, _info_property(field))
    add_named(Data, OBJECTS)
    add_elsewhere(Data, _MUJOCO | {"step": "limpet.step(model, data)"})


_add_fields()


def same_model(model, data):
    """Raises unless the world is of that model."""
    _errors.expect(data, Data, "data")
    _errors.expect(model, Model, "model")
    if model._model_handle is not data._model_handle:
        raise StateError("the data belongs to another model; make it by model.data()")


# {function of C: the function of Python that it was made of}
GENERAL = {}


def _address(pointer):
    return int(ffi.cast("uintptr_t", pointer))


def _in_c(general):
    """The function of C that takes the usual case of step, and passes on all others."""
    text = f"step(model, data, count=1, settings=None, **values)\n--\n\n{general.__doc__}"
    where = _address(ffi.addressof(lib, "limpet_step"))
    quick = _world.make_step(where, Data, OUTCOMES, general, text.encode())
    GENERAL[quick] = general
    return quick


@_in_c
def step(
    model: "Model",
    data: "Data",
    count: int = 1,
    settings: "Settings | None" = None,
    **values: "Any",
) -> "Outcome":
    """Steps a world `count` times and returns the worst outcome of them.

    settings: a Settings, or None: data.settings; further keywords are settings of this call, such
    as contact="sap". Other Python threads run meanwhile, and may step other worlds. A step that
    fails keeps the state. Raises StateError where another thread steps this world.
    """
    same_model(model, data)
    if settings is None and not values:
        # the next step is the usual case
        call = data._model_handle.pointer, data._record, data.settings._record
        data._set_call(*map(_address, call))
    settings = settings_for(model, data.settings if settings is None else settings, values)
    count = _errors.whole(count, "count")
    if count < 0:
        raise InputError(f"cannot step {count} times")
    worst, before = 0, data._claim()
    try:
        for _ in range(count):
            worst = max(worst, lib.limpet_step(model._record, data._record, settings._record))
            if data._live is not None:
                lib.limpet_live_show(data._live.pointer)
        return OUTCOMES[worst]
    finally:
        data._stepper = before
