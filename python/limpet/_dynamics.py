"""Dynamics of a world without contact, as methods of Data. W is the world frame; spatial vectors
are [angular; linear]."""

from typing import TYPE_CHECKING

import numpy as np

from limpet._data import Data, alone, numbers
from limpet._native import ffi, lib
from limpet._objects import find_index

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray


def _read(array):
    return ffi.from_buffer("double[]", array)


def _write(array):
    return ffi.from_buffer("double[]", array, require_writable=True)


def _pair(data):
    return data._model_handle.pointer, data._record


def forward_dynamics(self) -> None:
    """Kinematics, mass matrix, bias, passive and actuator forces, and the acceleration of the
    present state without contacts and constraints."""
    lib.limpet_forward_dynamics(*_pair(self))
    lib.limpet_geom_kinematics(*_pair(self), True)


def kinematics(self) -> None:
    """Poses of bodies and geoms, and velocities of bodies, of the present state."""
    lib.limpet_kinematics(*_pair(self))
    lib.limpet_geom_kinematics(*_pair(self), True)
    lib.limpet_velocity_kinematics(*_pair(self))


def full_mass_matrix(self) -> "NDArray[np.float64]":
    """M (nv x nv) [kg, kg m, kg m^2] of the present state, armature included."""
    lib.limpet_kinematics(*_pair(self))
    lib.limpet_mass_matrix(*_pair(self))
    return _full(self.model, self.mass_matrix)


def inverse_dynamics(self, acceleration: "ArrayLike") -> "NDArray[np.float64]":
    """Generalised forces (nv) [N, N m] that give the acceleration (nv): M vdot + bias."""
    vdot = numbers(acceleration, (self.model.nv,), "acceleration")
    lib.limpet_kinematics(*_pair(self))
    lib.limpet_velocity_kinematics(*_pair(self))
    tau = np.empty(self.model.nv)
    lib.limpet_rnea(*_pair(self), _read(vdot), _write(tau))
    return tau


def jacobian(self, body: "str | int", point: "ArrayLike | None" = None) -> "NDArray[np.float64]":
    """J (6 x nv): [angular; linear] velocity in W of a point fixed to the body, by v.

    point (3) [m] in W; None: the origin of the body.
    """
    index = find_index(self._model_handle, "body", body)
    lib.limpet_kinematics(*_pair(self))
    place = self.body_position[index] if point is None else point
    place = numbers(place, (3,), "point")
    result = np.empty((6, self.model.nv))
    lib.limpet_jacobian(*_pair(self), index, _read(place), _write(result))
    return result


def centre_of_mass(self, body: "str | int" = 0) -> "NDArray[np.float64]":
    """Centre of mass (3) [m] of the subtree of a body, in W; body 0: of everything."""
    index = find_index(self._model_handle, "body", body)
    lib.limpet_kinematics(*_pair(self))
    com = np.empty(3)
    lib.limpet_centre_of_mass(*_pair(self), index, _write(com))
    return com


def momentum(
    self, body: "str | int" = 0, point: "ArrayLike" = (0.0, 0.0, 0.0)
) -> "NDArray[np.float64]":
    """Momentum (6) of a body's subtree about a point of W: [angular N m s; linear N s]."""
    index = find_index(self._model_handle, "body", body)
    lib.limpet_kinematics(*_pair(self))
    lib.limpet_velocity_kinematics(*_pair(self))
    result = np.empty(6)
    place = numbers(point, (3,), "point")
    lib.limpet_momentum(*_pair(self), index, _read(place), _write(result))
    return result


def kinetic_energy(self) -> float:
    """1/2 v' M v [J] of the present state, armature included."""
    lib.limpet_kinematics(*_pair(self))
    lib.limpet_mass_matrix(*_pair(self))
    return lib.limpet_kinetic_energy(*_pair(self))


def potential_energy(self) -> float:
    """Energy of gravity and springs [J] of the present state."""
    lib.limpet_kinematics(*_pair(self))
    lib.limpet_tendon_kinematics(*_pair(self))
    return lib.limpet_potential_energy(*_pair(self))


def integrate(self, displacement: "ArrayLike") -> None:
    """Moves q by a displacement (nv) [m, rad] in velocity coordinates."""
    d = numbers(displacement, (self.model.nv,), "displacement")
    q = _write(self.q) if self.q.size else ffi.NULL
    lib.limpet_integrate_position(self._model_handle.pointer, q, q, _read(d), 1.0, False)


def difference(self, q: "ArrayLike") -> "NDArray[np.float64]":
    """Displacement (nv) [m, rad] that takes the present q to that one."""
    other = numbers(q, (self.model.nq,), "q")
    result = np.empty(self.model.nv)
    lib.limpet_difference_position(
        self._model_handle.pointer, _write(result), _read(self.q), _read(other)
    )
    return result


def acceleration_from(self, force: "ArrayLike") -> "NDArray[np.float64]":
    """Acceleration (nv) [m/s^2, rad/s^2] that generalised forces (nv) [N, N m] give the present
    state, by the articulated-body algorithm: M^-1 (force - bias)."""
    tau = numbers(force, (self.model.nv,), "force")
    lib.limpet_kinematics(*_pair(self))
    lib.limpet_velocity_kinematics(*_pair(self))
    vdot = np.empty(self.model.nv)
    lib.limpet_aba(*_pair(self), _read(tau), ffi.NULL, _write(vdot))
    return vdot


def mass_times(self, x: "ArrayLike") -> "NDArray[np.float64]":
    """M x (nv) of the present state, x (nv)."""
    return _by_mass(self, x, lib.limpet_mass_mul)


def mass_solve(self, y: "ArrayLike") -> "NDArray[np.float64]":
    """M^-1 y (nv) of the present state, y (nv)."""
    return _by_mass(self, y, lib.limpet_mass_solve)


def _by_mass(self, values, function):
    x = numbers(values, (self.model.nv,), "vector")
    lib.limpet_kinematics(*_pair(self))
    lib.limpet_mass_matrix(*_pair(self))
    result = np.empty(self.model.nv)
    function(*_pair(self), _read(x), _write(result))
    return result


def wrench_to_joints(
    self, body: "str | int", wrench: "ArrayLike", point: "ArrayLike | None" = None
) -> "NDArray[np.float64]":
    """J' w (nv) [N, N m]: generalised force of a wrench (6) on a body, [moment N m; force N] in W.

    point (3) [m] in W where it acts; None: the origin of the body.
    """
    index = find_index(self._model_handle, "body", body)
    lib.limpet_kinematics(*_pair(self))
    place = numbers(self.body_position[index] if point is None else point, (3,), "point")
    w, tau = numbers(wrench, (6,), "wrench"), np.zeros(self.model.nv)
    lib.limpet_wrench_to_joints(*_pair(self), index, _read(place), _read(w), _write(tau))
    return tau


def transmission(self, actuator: "str | int") -> "NDArray[np.float64]":
    """Row (nv) of an actuator: its velocity is row @ v, its force f gives the joints row * f."""
    index = find_index(self._model_handle, "actuator", actuator)
    lib.limpet_kinematics(*_pair(self))
    lib.limpet_tendon_kinematics(*_pair(self))
    room = max(1, 2 * self.model.nv)
    dof, values = ffi.new("int[]", room), ffi.new("double[]", room)
    count = lib.limpet_actuator_row(*_pair(self), index, dof, values)
    row = np.zeros(self.model.nv)
    for k in range(count):
        row[dof[k]] += values[k]
    return row


def inverse_dynamics_derivatives(
    self, acceleration: "ArrayLike | None" = None
) -> "tuple[NDArray[np.float64], NDArray[np.float64]]":
    """Derivatives (nv x nv each) of inverse_dynamics by pose and velocity, the acceleration (nv)
    held; None: zero. A pose moves in velocity coordinates, as integrate moves it."""
    m = self.model
    zero = np.zeros(m.nv)
    vdot = zero if acceleration is None else numbers(acceleration, (m.nv,), "acceleration")
    lib.limpet_kinematics(*_pair(self))
    lib.limpet_velocity_kinematics(*_pair(self))
    return _blocks(self, lambda by: lib.limpet_rnea_derivatives(*_pair(self), _read(vdot), *by))


def mass_derivative(self, x: "ArrayLike") -> "NDArray[np.float64]":
    """Derivative (nv x nv) of M x by the pose, x (nv) held."""
    vector = numbers(x, (self.model.nv,), "vector")
    lib.limpet_kinematics(*_pair(self))
    return _blocks(
        self, lambda by: lib.limpet_mass_derivative(*_pair(self), _read(vector), *by), count=1
    )[0]


def passive_derivatives(self) -> "tuple[NDArray[np.float64], NDArray[np.float64]]":
    """Derivatives (nv x nv each) of springs and dampers by pose and velocity."""
    lib.limpet_kinematics(*_pair(self))
    lib.limpet_tendon_kinematics(*_pair(self))
    return _blocks(self, lambda by: lib.limpet_passive_derivatives(*_pair(self), *by))


def _blocks(self, fill, count=2):
    """Full matrices of what the library gives as one block for each tree."""
    model = self.model
    packed = [np.zeros(max(1, self.mass_matrix.size)) for _ in range(count)]
    fill([_write(array) for array in packed])
    return tuple(_full(model, array) for array in packed)


def _full(model, packed):
    full = np.zeros((model.nv, model.nv))
    for tree in range(model.tree_count):
        first, count = int(model.tree_dof[tree]), int(model.tree_dof_count[tree])
        begin, block = int(model.tree_mass[tree]), slice(first, first + count)
        full[block, block] = packed[begin : begin + count * count].reshape(count, count)
    return full


def find_contacts(self, single: bool = False) -> int:
    """Contacts of the present pose, without a step: fills data.contacts, forces zero. Returns how
    many. single: the deepest point of each pair of geoms alone."""
    kinematics(self)
    count = lib.limpet_contacts_find(*_pair(self), bool(single))
    if count < 0:
        raise MemoryError("the system gave no memory")
    return count


def evaluate_sensors(self) -> None:
    """Fills data.sensor at the present state, without a step and so without contact forces."""
    lib.limpet_sensors_evaluate(*_pair(self))


def loop_gap(self, loop: "str | int") -> float:
    """How far the points of a closed loop are from where it holds them [m]."""
    index = find_index(self._model_handle, "loop", loop)
    lib.limpet_kinematics(*_pair(self))
    return lib.limpet_loop_gap(*_pair(self), index)


def loop_turn(self, loop: "str | int") -> float:
    """By what angle the frames of a weld are turned from each other [rad]; 0 for other loops."""
    index = find_index(self._model_handle, "loop", loop)
    lib.limpet_kinematics(*_pair(self))
    return lib.limpet_loop_turn(*_pair(self), index)


METHODS = (
    *(forward_dynamics, kinematics, full_mass_matrix, inverse_dynamics, jacobian, centre_of_mass),
    *(momentum, kinetic_energy, potential_energy, integrate, difference, acceleration_from),
    *(mass_times, mass_solve, wrench_to_joints, transmission, inverse_dynamics_derivatives),
    *(mass_derivative, passive_derivatives, find_contacts, evaluate_sensors, loop_gap),
    loop_turn,
)
for _method in METHODS:
    setattr(Data, _method.__name__, alone(_method))
