"""Elastic bodies of tetrahedra by themselves: laws, forces, stress, equilibrium. In a world they
are Builder.add_deformable, data.vertex_position and its like."""

from typing import TYPE_CHECKING

import numpy as np

from limpet import _errors
from limpet._data import numbers
from limpet._errors import InputError
from limpet._model import Handle
from limpet._native import ffi, lib
from limpet._native_words import _table, find
from limpet._shapes import _read, _rows

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import ArrayLike, NDArray

    from limpet._native_words import Descriptor

elastic_laws: "Mapping[str, Descriptor]" = _table(
    lib.limpet_elastic_laws(), lib.limpet_elastic_law_descriptor
)
_STATE = ("kinetic", "elastic", "bending", "gravity", "volume", "inverted")


def elastic_energy(
    law: str,
    youngs_modulus: float,
    poissons_ratio: float,
    deformation: "ArrayLike",
) -> "tuple[float, NDArray[np.float64], NDArray[np.float64]]":
    """Energy density [J/m^3] of a law (limpet.elastic_laws) at a deformation gradient F (3 x 3),
    the first Piola stress P (3 x 3) [Pa], and dP/dF (3 x 3 x 3 x 3) [Pa]."""
    row = find(elastic_laws, law, "elastic law").pointer
    E, nu = float(youngs_modulus), float(poissons_ratio)
    if not (0.0 < E < np.inf and -1.0 < nu < 0.5):
        raise InputError(f"E {E:g} Pa, nu {nu:g}; give E above 0 and nu from -1 to 0.5")
    F, P = numbers(deformation, (3, 3), "deformation"), np.empty((3, 3))
    if not np.isfinite(F).all():
        raise InputError("deformation: a number is not finite")
    D = np.empty((3, 3, 3, 3))
    energy = lib.limpet_elastic_energy(row, E, nu, ffi.NULL, _read(F), _read(P))
    lib.limpet_elastic_derivative(row, E, nu, ffi.NULL, _read(F), False, _read(D))
    return energy, P, D


class ElasticBody:
    """Tetrahedra of an elastic material: vertices (n x 3) [m] at rest, tetrahedra (n x 4).

    law: of limpet.elastic_laws; quadratic: nodes on the edges, too; youngs_modulus [Pa],
    poissons_ratio, density [kg/m^3]. Positions are (nodes x 3) [m]. Raises InputError, which names
    the tetrahedron.
    """

    def __init__(
        self,
        vertices: "ArrayLike",
        tetrahedra: "ArrayLike",
        *,
        law: str = "linear-corotated",
        quadratic: bool = False,
        youngs_modulus: float = 1e6,
        poissons_ratio: float = 0.4,
        density: float = 1000.0,
    ):
        record = ffi.new("limpet_fem_description *", lib.limpet_fem_description_default())
        points = _rows(vertices, 3, "vertices")
        cells = _rows(tetrahedra, 4, "tetrahedra", len(points))
        record.vertex_count, record.vertices = len(points), _read(points)
        record.tetrahedron_count, record.tetrahedra = len(cells), ffi.from_buffer("int[]", cells)
        record.element = lib.LIMPET_FEM_QUADRATIC if quadratic else lib.LIMPET_FEM_LINEAR
        record.law = find(elastic_laws, law, "elastic law").pointer
        record.youngs_modulus, record.poissons_ratio = float(youngs_modulus), float(poissons_ratio)
        record.density, error = float(density), _errors.new_error()
        pointer = lib.limpet_fem_body_create(record, error)
        self._handle = Handle(_errors.check_pointer(pointer, error), lib.limpet_fem_body_destroy)
        self._info = lib.limpet_fem_body_information(self._handle.pointer)

    @property
    def info(self) -> "dict[str, object]":
        """Its facts, a dict: node_count, mass [kg], volume [m^3], quality_worst [-], ..."""
        names = [name for name, _ in ffi.typeof(self._info).fields if name != "law"]
        return {n: getattr(self._info, n) for n in names} | {"centre": tuple(self._info.centre)}

    @property
    def rest(self) -> "NDArray[np.float64]":
        """Nodes at rest (nodes x 3) [m], a copy."""
        return self._array(lib.limpet_fem_body_rest, (self._info.node_count, 3))

    @property
    def node_mass(self) -> "NDArray[np.float64]":
        """Mass of each node (nodes) [kg]."""
        return self._array(lib.limpet_fem_body_node_mass, (self._info.node_count,))

    @property
    def faces(self) -> "NDArray[np.int32]":
        """Nodes of the triangles of the surface (faces x 3)."""
        return self._array(lib.limpet_fem_body_faces, (self._info.face_count, 3), np.int32)

    @property
    def tetrahedra(self) -> "NDArray[np.int32]":
        """Vertices (tetrahedra x 4), turned to positive volume."""
        shape = (self._info.tetrahedron_count, 4)
        return self._array(lib.limpet_fem_body_tetrahedra, shape, np.int32)

    def _array(self, function, shape, dtype=np.float64):
        pointer = function(self._handle.pointer)
        size = int(np.prod(shape)) * np.dtype(dtype).itemsize
        return np.frombuffer(ffi.buffer(pointer, size), dtype).reshape(shape).copy()

    def _nodes(self, values, what):
        return numbers(values, (self._info.node_count, 3), what)

    def mass_times(self, x: "ArrayLike") -> "NDArray[np.float64]":
        """M x (nodes x 3), by the mass matrix of a step."""
        given = self._nodes(x, "x")
        result = np.empty_like(given)
        lib.limpet_fem_body_mass_multiply(self._handle.pointer, _read(given), _read(result))
        return result

    def force(self, q: "ArrayLike") -> "NDArray[np.float64]":
        """Derivative of the elastic energy (nodes x 3) [N] by the positions q."""
        place = self._nodes(q, "q")
        result = np.empty_like(place)
        lib.limpet_fem_body_force(self._handle.pointer, ffi.NULL, _read(place), _read(result))
        return result

    def stress(self, q: "ArrayLike") -> "tuple[NDArray[np.float64], NDArray[np.float64]]":
        """Of each element (tetrahedron; triangle of a shell, then segment of a rope) at the
        positions q: von Mises (elements) [Pa], Cauchy (elements x 6: xx yy zz yz zx xy) [Pa]."""
        count, place = self._info.element_count, self._nodes(q, "q")
        mises, cauchy = np.empty(count), np.empty((count, 6))
        lib.limpet_fem_body_stress(self._handle.pointer, _read(place), _read(mises), _read(cauchy))
        return mises, cauchy

    def state(self, q: "ArrayLike", v: "ArrayLike | None" = None) -> "dict[str, object]":
        """Energies [J], volume [m^3], momentum (3) [N s] and their like at positions q and
        velocities v (nodes x 3 each; v None: at rest), a dict."""
        place = self._nodes(q, "q")
        speed = None if v is None else self._nodes(v, "v")
        record = lib.limpet_fem_body_state(
            self._handle.pointer,
            _read(place),
            ffi.NULL if speed is None else _read(speed),
            ffi.NULL,
        )
        rows = {name: getattr(record, name) for name in _STATE}
        vectors = ("momentum", "angular_momentum", "centre")
        return rows | {name: tuple(getattr(record, name)) for name in vectors}

    def equilibrium(
        self,
        fixed: "Sequence[int]",
        *,
        q: "ArrayLike | None" = None,
        force: "ArrayLike | None" = None,
        gravity: "ArrayLike" = (0.0, 0.0, 0.0),
    ) -> "tuple[NDArray[np.float64], str]":
        """Positions (nodes x 3) where elastic forces balance gravity (3) [m/s^2] and force
        (nodes x 3) [N], with fixed nodes where q (None: at rest) has them; and the outcome."""
        place = (self.rest if q is None else self._nodes(q, "q")).copy()
        nodes = np.ascontiguousarray(fixed, dtype=np.int32).ravel()
        if nodes.size and not (nodes.min() >= 0 and nodes.max() < len(place)):
            raise InputError(f"fixed: an index is not from 0 to {len(place) - 1}")
        if len(set(nodes.tolist())) != len(nodes):
            raise InputError("fixed: a node stands there twice")
        held = place[nodes]
        record, error = ffi.new("limpet_fem_input *"), _errors.new_error()
        load = None if force is None else self._nodes(force, "force")
        record.gravity = list(numbers(gravity, (3,), "gravity"))
        record.force = ffi.NULL if load is None else _read(load)
        record.fixed_count, record.dt = len(nodes), 1.0
        record.fixed = ffi.from_buffer("int[]", nodes) if len(nodes) else ffi.NULL
        record.position = record.velocity = _read(place)
        pointer = lib.limpet_fem_step_create(self._handle.pointer, error)
        step = Handle(_errors.check_pointer(pointer, error), lib.limpet_fem_step_destroy)
        outcome = lib.limpet_fem_step_equilibrium(step.pointer, record, _read(place))
        place[nodes] = held
        return place, _errors.text(lib.limpet_fem_outcome_name(outcome))
