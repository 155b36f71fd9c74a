"""Signed distances, pressure fields and contact surfaces of shapes, without a world."""

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from limpet import _errors
from limpet._data import numbers
from limpet._errors import InputError
from limpet._model import Handle
from limpet._native import ffi, lib

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import ArrayLike, NDArray

_KINDS = {
    _errors.text(lib.limpet_shape_kind_word(kind)): kind for kind in range(lib.LIMPET_SHAPE_COUNT)
}
_PRIMITIVES = ("plane", "sphere", "capsule", "ellipsoid", "cylinder", "box")


def _read(array):
    return ffi.from_buffer("double[]", array)


def _kind(name):
    if name not in _PRIMITIVES:
        raise InputError(f"there is no shape {name!r} here; there are: {', '.join(_PRIMITIVES)}")
    return _KINDS[name]


def _size(size, kind):
    given = np.atleast_1d(np.asarray(size, dtype=np.float64))
    if given.ndim != 1 or given.size > 3:
        raise InputError(f"size: expected up to 3 numbers, got {size!r}")
    whole = np.zeros(3)
    whole[: given.size] = given
    need = {"plane": 0, "sphere": 1, "capsule": 2, "cylinder": 2}.get(kind, 3)
    if not (np.isfinite(whole).all() and (whole[:need] > 0.0).all()):
        raise InputError(f"size of a {kind}: expected {need} positive numbers [m], got {size!r}")
    return whole


def _rows(values, columns, what, whole=None):
    """(n x columns) of numbers, or of indices below `whole`."""
    try:
        table = np.atleast_2d(np.asarray(values, dtype=np.float64))
    except (TypeError, ValueError):
        raise InputError(f"{what}: expected numbers, got {values!r}") from None
    table = numbers(table, (len(table), columns), what)
    if not np.isfinite(table).all():
        raise InputError(f"{what}: a number is not finite")
    if whole is None:
        return table
    if table.size and not (table.min() >= 0 and table.max() < whole):
        raise InputError(f"{what}: an index is not from 0 to {whole - 1}")
    return np.ascontiguousarray(table, dtype=np.int32)


class Surface:
    """A closed triangle mesh for exact distances: vertices (n x 3) [m], faces (n x 3) counter-
    clockwise seen from outside. Raises InputError where it is open or inside out."""

    def __init__(self, vertices: "ArrayLike", faces: "ArrayLike"):
        points = _rows(vertices, 3, "vertices")
        triangles, error = _rows(faces, 3, "faces", len(points)), _errors.new_error()
        pointer = lib.limpet_surface_create(
            _read(points), len(points), ffi.from_buffer("int[]", triangles), len(triangles), error
        )
        self._handle = Handle(_errors.check_pointer(pointer, error), lib.limpet_surface_destroy)


def signed_distance(
    shape: "str | Surface",
    points: "ArrayLike",
    *,
    size: "ArrayLike" = (),
    position: "ArrayLike" = (0.0, 0.0, 0.0),
    rotation: "ArrayLike" = ((1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0)),
) -> "tuple[NDArray[np.float64], NDArray[np.float64]]":
    """Distances (n) [m], negative inside, of points (n x 3) [m], and their gradients (n x 3).

    shape: a Surface, or "plane", "sphere", "capsule", "ellipsoid", "cylinder", "box" of a size [m]
    as a geom has it. position (3) [m], rotation (3 x 3): pose of the shape.
    """
    record, at = ffi.new("limpet_shape *"), _rows(points, 3, "points")
    keep = [numbers(position, (3,), "position"), numbers(rotation, (3, 3), "rotation")]
    if isinstance(shape, Surface):
        record.kind, record.surface = _KINDS["mesh"], shape._handle.pointer
        keep.append(np.zeros(3))
    else:
        record.kind = _kind(shape)
        keep.append(_size(size, shape))
    record.position, record.rotation, record.size = map(_read, keep)
    distance, gradient = np.empty(len(at)), np.empty((len(at), 3))
    if len(at):
        lib.limpet_signed_distance(record, _read(at), len(at), _read(distance), _read(gradient))
    return distance, gradient


class PressureField:
    """A compliant shape whose pressure grows inwards (docs/pressure-fields.md).

    shape: "sphere", "box", ... of a size [m] as a geom has it; or vertices (n x 3) [m] with
    tetrahedra (n x 4), or with faces (n x 3) of a closed mesh that is filled. modulus [Pa]:
    pressure in the core, infinite: rigid. function: of a place (3) [m], the pressure over the
    modulus, 1 in the core, 0 on the boundary, negative outside; with faces or tetrahedra. Raises
    InputError, which names what is wrong, and what `function` raises. Ctrl-C ends it.
    """

    def __init__(
        self,
        shape: "str | None" = None,
        *,
        size: "ArrayLike" = (),
        vertices: "ArrayLike | None" = None,
        tetrahedra: "ArrayLike | None" = None,
        faces: "ArrayLike | None" = None,
        modulus: float = 1e7,
        slab_thickness: float = 0.1,
        function: "Callable[[tuple[float, float, float]], float] | None" = None,
    ):
        material = ffi.new("limpet_pressure_material *", lib.limpet_pressure_material_default())
        material.modulus = _errors.number(modulus, "modulus")
        material.slab_thickness = _errors.number(slab_thickness, "slab_thickness")
        error, raised, watcher = _errors.new_error(), [], _errors.signals_watcher("ask_of_field")
        material.progress, material.progress_context = watcher.function, watcher.context
        if function is not None:
            if shape is not None:
                raise InputError("a function gives the field of faces or tetrahedra, not a shape's")
            call, raised = _errors.function_of_place(
                ffi.typeof("limpet_pressure_function *"), function
            )
            material.function = call
        if shape is not None:
            kind, whole = _kind(shape), _size(size, shape)
            pointer = lib.limpet_pressure_field_of_shape(
                kind, _read(whole), ffi.NULL, material, error
            )
        elif vertices is not None and (tetrahedra is None) != (faces is None):
            pointer = self._of_mesh(vertices, tetrahedra, faces, material, error)
        else:
            raise InputError("give a shape and its size, or vertices with tetrahedra or faces")
        if raised:
            lib.limpet_pressure_field_destroy(pointer)
            raise raised.pop()
        watcher.check()
        self._handle = Handle(
            _errors.check_pointer(pointer, error), lib.limpet_pressure_field_destroy
        )

    @staticmethod
    def _of_mesh(vertices, tetrahedra, faces, material, error):
        points = _rows(vertices, 3, "vertices")
        name, columns = ("faces", 3) if tetrahedra is None else ("tetrahedra", 4)
        cells = _rows(faces if tetrahedra is None else tetrahedra, columns, name, len(points))
        where = _read(points), len(points), ffi.from_buffer("int[]", cells), len(cells)
        if tetrahedra is None:
            return lib.limpet_pressure_field_of_triangles(*where, material, error)
        depth = ffi.NULL
        if material.function != ffi.NULL:
            values = [material.function(ffi.NULL, _read(point)) for point in points]
            depth = ffi.new("double[]", values)
        return lib.limpet_pressure_field_of_tetrahedra(*where, depth, material, error)

    @property
    def info(self) -> "dict[str, object]":
        """Its facts, a dict: rigid, exact, elements, modulus [Pa], volume [m^3], depth [m], ..."""
        info = lib.limpet_pressure_field_info(self._handle.pointer)
        rows = {name: getattr(info, name) for name, _ in ffi.typeof(info).fields}
        return rows | {name: tuple(rows[name]) for name in ("low", "high")}

    def __call__(self, points: "ArrayLike") -> "tuple[NDArray[np.float64], NDArray[np.float64]]":
        """Pressure (n) [Pa] at points (n x 3) [m] in its frame, negative outside, and its gradient
        (n x 3) [Pa/m]. Raises InputError for a rigid one."""
        if self.info["rigid"]:
            raise InputError("a rigid body has no pressure inside")
        at = _rows(points, 3, "points")
        pressure, gradient, row = np.empty(len(at)), np.zeros((len(at), 3)), np.empty(3)
        for i, point in enumerate(at):
            row[:] = 0.0
            pressure[i] = lib.limpet_pressure_field_value(
                self._handle.pointer, _read(np.ascontiguousarray(point)), _read(row)
            )
            gradient[i] = row
        return pressure, gradient


@dataclass(frozen=True)
class ContactSurface:
    """Where two pressure fields meet: area [m^2], force (3) [N] on B, moment (3) [N m] on B about
    the origin, centre_of_pressure (3) [m], pressure_most [Pa], error [-]; and its points: position
    (n x 3) [m], normal (n x 3) from A to B, point_area (n) [m^2], pressure (n) [Pa]."""

    area: float
    force: np.ndarray
    moment: np.ndarray
    centre_of_pressure: np.ndarray
    pressure_most: float
    error: float
    position: np.ndarray
    normal: np.ndarray
    point_area: np.ndarray
    pressure: np.ndarray


_STILL = ((0.0, 0.0, 0.0), ((1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0)))


def contact_surface(
    a: "PressureField",
    b: "PressureField",
    *,
    pose_a: "tuple[ArrayLike, ArrayLike]" = _STILL,
    pose_b: "tuple[ArrayLike, ArrayLike]" = _STILL,
    tolerance: float = 1e-3,
) -> "ContactSurface":
    """The surface where two fields have equal pressure, in poses (position (3) [m], rotation
    (3 x 3)). tolerance: relative error of force and area, where a field is curved. Raises
    InputError for two rigid ones."""
    if not (isinstance(a, PressureField) and isinstance(b, PressureField)):
        raise TypeError("a and b are limpet.PressureField")
    if a.info["rigid"] and b.info["rigid"]:
        raise InputError("two rigid bodies have no contact surface; give one of them a modulus")
    tolerance = _errors.number(tolerance, "tolerance")
    if not 0.0 < tolerance < 1.0:
        raise InputError(f"tolerance is {tolerance:g}; give a number between 0 and 1")
    bodies, keep = [], []
    for field, pose in ((a, pose_a), (b, pose_b)):
        try:
            position, rotation = pose
        except (TypeError, ValueError):
            raise InputError(f"a pose is (position, rotation), not {pose!r}") from None
        body = ffi.new("limpet_pressure_body *")
        keep += [numbers(position, (3,), "position"), numbers(rotation, (3, 3), "rotation")]
        body.field, body.position, body.rotation = field._handle.pointer, *map(_read, keep[-2:])
        bodies.append(body)
    query = ffi.new("limpet_pressure_query *", lib.limpet_pressure_query_default())
    query.tolerance, error = tolerance, _errors.new_error()
    pointer = lib.limpet_pressure_surface_create(error)
    handle = Handle(_errors.check_pointer(pointer, error), lib.limpet_pressure_surface_destroy)
    surface = handle.pointer
    if lib.limpet_pressure_surface_compute(surface, *bodies, query) != lib.LIMPET_OK:
        raise MemoryError("the system gave no memory")
    points = [surface.point[i] for i in range(surface.point_count)]
    return ContactSurface(
        surface.area,
        *(np.array(list(getattr(surface, n))) for n in ("force", "moment", "centre_of_pressure")),
        surface.pressure_most,
        surface.error,
        np.array([list(p.position) for p in points]).reshape(-1, 3),
        np.array([list(p.normal) for p in points]).reshape(-1, 3),
        np.array([p.area for p in points]),
        np.array([p.pressure for p in points]),
    )
