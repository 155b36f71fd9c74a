"""Trajectories of joints, paths of frames, and forces that follow them."""

from typing import TYPE_CHECKING

import numpy as np

from limpet import _errors
from limpet._data import Data, numbers
from limpet._errors import InputError
from limpet._model import Handle, Model
from limpet._native import ffi, lib
from limpet._objects import find_index

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import ArrayLike, NDArray

    Array = NDArray[np.float64]


def _read(array):
    return ffi.from_buffer("double[]", array)


def _each(rows):
    """Rows of (name, values), one number for each joint, as arrays of one length."""
    count = np.size(rows[0][1])
    if count == 0:
        raise InputError(f"{rows[0][0]}: there is no joint")
    return count, [numbers(np.ravel(values), (count,), name) for name, values in rows]


class Trajectory:
    """Coordinates of some joints over time; made by sinusoid, cubic, quintic or trapezoid."""

    def __init__(self, pointer, error):
        if not isinstance(pointer, ffi.CData):
            raise TypeError("a Trajectory is made by its sinusoid, cubic, quintic or trapezoid")
        _errors.check_pointer(pointer, error)
        self._handle = Handle(pointer, lib.limpet_trajectory_destroy)

    @classmethod
    def sinusoid(
        cls, offset: "ArrayLike", amplitude: "ArrayLike", frequency: "ArrayLike", phase: "ArrayLike"
    ) -> "Trajectory":
        """offset + amplitude sin(2 pi frequency t + phase); each (joints) [m, rad; Hz; rad]."""
        rows = (("offset", offset), ("amplitude", amplitude), ("frequency", frequency))
        count, arrays = _each((*rows, ("phase", phase)))
        error = _errors.new_error()
        return cls(lib.limpet_trajectory_sinusoid(count, *map(_read, arrays), error), error)

    @classmethod
    def _through(cls, function, time, position, velocity):
        times = numbers(np.ravel(time), (np.size(time),), "time")
        places = np.asarray(position, dtype=np.float64)
        if not places.size:
            raise InputError("position: there is no point, or no joint")
        columns = 1 if places.ndim <= 1 else places.shape[-1]
        shape = (len(times), columns)
        places = numbers(places.reshape(-1, columns), shape, "position")
        speeds = ffi.NULL
        if velocity is not None:
            rows = np.asarray(velocity, dtype=np.float64).reshape(-1, columns)
            speeds = _read(numbers(rows, shape, "velocity"))
        error = _errors.new_error()
        return cls(function(columns, len(times), _read(times), _read(places), speeds, error), error)

    @classmethod
    def cubic(
        cls, time: "ArrayLike", position: "ArrayLike", velocity: "ArrayLike | None" = None
    ) -> "Trajectory":
        """Cubics through position (points x joints) [m, rad] at the growing times (points) [s],
        with velocity (points x joints) [m/s, rad/s]; None: at rest there. Raises InputError."""
        return cls._through(lib.limpet_trajectory_cubic, time, position, velocity)

    @classmethod
    def quintic(
        cls, time: "ArrayLike", position: "ArrayLike", velocity: "ArrayLike | None" = None
    ) -> "Trajectory":
        """As cubic, without acceleration at the points."""
        return cls._through(lib.limpet_trajectory_quintic, time, position, velocity)

    @classmethod
    def trapezoid(
        cls,
        start: "ArrayLike",
        end: "ArrayLike",
        speed: "ArrayLike",
        acceleration: "ArrayLike",
        start_time: float = 0.0,
    ) -> "Trajectory":
        """From rest to rest, all joints together, as fast as speed [m/s, rad/s] and acceleration
        [m/s^2, rad/s^2] allow; each (joints), start and end [m, rad]. Raises InputError."""
        rows = (("start", start), ("end", end), ("speed", speed), ("acceleration", acceleration))
        count, arrays = _each(rows)
        error = _errors.new_error()
        pointer = lib.limpet_trajectory_trapezoid(
            count, float(start_time), *map(_read, arrays), error
        )
        return cls(pointer, error)

    def __call__(
        self, time: float
    ) -> "tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.float64]]":
        """q [m, rad], v and a (joints each) at a time [s]."""
        rows = [np.empty(len(self)) for _ in range(3)]
        lib.limpet_trajectory_at(self._handle.pointer, float(time), *map(_read, rows))
        return tuple(rows)

    @property
    def end(self) -> float:
        """When it comes to rest [s]; infinite: never."""
        return lib.limpet_trajectory_end(self._handle.pointer)

    def __len__(self) -> int:
        return lib.limpet_trajectory_count(self._handle.pointer)


def _pose(pose, what):
    """A limpet_pose from a position (3) and a quaternion (4)."""
    try:
        position, quaternion = pose
    except (TypeError, ValueError):
        raise InputError(f"{what}: expected (position, quaternion), got {pose!r}") from None
    made = ffi.new("limpet_pose *")
    made.position = list(numbers(position, (3,), f"{what}, position"))
    made.quaternion = list(numbers(quaternion, (4,), f"{what}, quaternion"))
    return made


class Path:
    """A pose over time; made by line or circle. Poses are (position (3) [m] in W, quaternion (4)
    w, x, y, z)."""

    def __init__(self, pointer, error):
        if not isinstance(pointer, ffi.CData):
            raise TypeError("a Path is made by Path.line or Path.circle")
        _errors.check_pointer(pointer, error)
        self._handle = Handle(pointer, lib.limpet_path_destroy)

    @classmethod
    def line(cls, time: "ArrayLike", poses: "Sequence[tuple[ArrayLike, ArrayLike]]") -> "Path":
        """Along straight lines from pose to pose, at rest at the growing times (points) [s]. Raises
        InputError."""
        if not len(poses):
            raise InputError("a path has at least one pose")
        times = numbers(np.ravel(time), (len(poses),), "time")
        rows = ffi.new("limpet_pose[]", [_pose(p, f"pose {i}")[0] for i, p in enumerate(poses)])
        error = _errors.new_error()
        return cls(lib.limpet_path_line(len(poses), _read(times), rows, error), error)

    @classmethod
    def circle(
        cls,
        start: "tuple[ArrayLike, ArrayLike]",
        centre: "ArrayLike",
        axis: "ArrayLike",
        angle: float,
        *,
        start_time: float = 0.0,
        end_time: float = 1.0,
        turning: bool = False,
    ) -> "Path":
        """From a pose by an angle [rad] about the line through centre (3) [m, W] along axis (3),
        between two times [s]; turning: the orientation turns, too. Raises InputError."""
        error = _errors.new_error()
        pointer = lib.limpet_path_circle(
            _pose(start, "start"),
            _read(numbers(centre, (3,), "centre")),
            _read(numbers(axis, (3,), "axis")),
            float(angle),
            float(start_time),
            float(end_time),
            bool(turning),
            error,
        )
        return cls(pointer, error)

    def __call__(self, time: float) -> "tuple[tuple[Array, Array], Array, Array]":
        """((position, quaternion), velocity (6) [rad/s; m/s], acceleration (6)) at a time [s]."""
        pose = ffi.new("limpet_pose *")
        velocity, acceleration = np.empty(6), np.empty(6)
        lib.limpet_path_at(
            self._handle.pointer, float(time), pose, _read(velocity), _read(acceleration)
        )
        place = np.array(list(pose.position)), np.array(list(pose.quaternion))
        return place, velocity, acceleration

    @property
    def start(self) -> float:
        """When it begins [s]."""
        return lib.limpet_path_start(self._handle.pointer)

    @property
    def end(self) -> float:
        """When it ends [s]."""
        return lib.limpet_path_end(self._handle.pointer)


def joint_forces(
    data: "Data",
    joints: "Sequence[str | int]",
    acceleration: "ArrayLike",
    *,
    q: "ArrayLike | None" = None,
    v: "ArrayLike | None" = None,
    friction_velocity: "ArrayLike | None" = None,
) -> "NDArray[np.float64]":
    """Forces (joints) [N, N m] of actuators that give joints of one coordinate the accelerations
    (joints), everything else being as in data, which is not changed.

    q, v: coordinates and velocities (joints); None: those of data. friction_velocity (joints): dry
    friction at these speeds is overcome, too. Contacts and limits are ignored.
    """
    _errors.expect(data, Data, "data")
    joints = _errors.items(joints, "joints", "names or numbers")
    index = [find_index(data._model_handle, "joint", joint) for joint in joints]
    error = _errors.new_error()
    pointer = lib.limpet_inverse_dynamics_create(
        data._model_handle.pointer, len(index), index, error
    )
    _errors.check_pointer(pointer, error)
    handle = Handle(pointer, lib.limpet_inverse_dynamics_destroy, holds=data._model_handle)
    shape, keep = (len(index),), []

    def row(values, what):
        if values is None:
            return ffi.NULL
        keep.append(numbers(values, shape, what))
        return _read(keep[-1])

    tau = np.empty(len(index))
    wanted = (row(q, "q"), row(v, "v"), row(acceleration, "acceleration"))
    lib.limpet_inverse_dynamics_forces(
        handle.pointer,
        data._record,
        *wanted,
        row(friction_velocity, "friction_velocity"),
        _read(tau),
    )
    return tau


def joint_actuator(model: "Model", joint: "str | int") -> int:
    """Number of the actuator that alone moves a joint of one coordinate, without a state of its
    own. Raises InputError where there is none or more than one."""
    _errors.expect(model, Model, "model")
    index = find_index(model._model_handle, "joint", joint)
    error = _errors.new_error()
    found = lib.limpet_joint_actuator(model._record, index, error)
    if found == lib.LIMPET_NONE:
        raise _errors.exception(error)
    return found


def actuator_command(
    model: "Model", joint: "str | int", force: float, *, q: float = 0.0, v: float = 0.0
) -> "tuple[float, bool]":
    """Control with which the actuator of a joint (joint_actuator) exerts a force [N, N m] on it at
    the coordinate q [m, rad] and velocity v [m/s, rad/s], and whether its ranges allow it; else the
    nearest. Raises InputError as joint_actuator does."""
    index, control = joint_actuator(model, joint), ffi.new("double *")
    allowed = lib.limpet_actuator_command(
        model._record, index, float(q), float(v), float(force), control
    )
    return control[0], bool(allowed)
