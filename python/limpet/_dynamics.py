"""Dynamics of a world without contact, as methods of Data. W is the world frame; spatial vectors
are [angular; linear]."""

from typing import TYPE_CHECKING

import numpy as np

from limpet._data import Data, numbers
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


def kinematics(self) -> None:
    """Poses of bodies and geoms, and velocities of bodies, of the present state."""
    lib.limpet_kinematics(*_pair(self))
    lib.limpet_geom_kinematics(*_pair(self), True)
    lib.limpet_velocity_kinematics(*_pair(self))


def full_mass_matrix(self) -> "NDArray[np.float64]":
    """M (nv x nv) [kg, kg m, kg m^2] of the present state, armature included."""
    lib.limpet_kinematics(*_pair(self))
    lib.limpet_mass_matrix(*_pair(self))
    model, full = self.model, np.zeros((self.model.nv, self.model.nv))
    for tree in range(model.tree_count):
        first, count = int(model.tree_dof[tree]), int(model.tree_dof_count[tree])
        begin, block = int(model.tree_mass[tree]), slice(first, first + count)
        full[block, block] = self.mass_matrix[begin : begin + count * count].reshape(count, count)
    return full


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


METHODS = (
    *(forward_dynamics, kinematics, full_mass_matrix, inverse_dynamics, jacobian, centre_of_mass),
    *(momentum, kinetic_energy, potential_energy, integrate, difference),
)
for _method in METHODS:
    setattr(Data, _method.__name__, _method)
