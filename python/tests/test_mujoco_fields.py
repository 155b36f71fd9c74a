"""Random MJCF files, beside MuJoCo: verdicts, and every field that both have.

Each file of `random_mjcf.py` is compiled by both, and the models are compared field by field; then
poses, mass matrix, forces, energies and sensors in three states without constraints. What differs
on purpose is in the table EXCEPTIONS of `mujoco_fields.py`, with its reason.

    LIMPET_MJCF_FILES=1000 pytest python/tests/test_mujoco_fields.py
    python python/tests/test_mujoco_fields.py COUNT [FIRST SEED]    all differences, no test
    python python/tests/random_mjcf.py SEED                         the file of a seed

Needs MuJoCo (PyPI: mujoco-core 4.0.1): without it the test is skipped.
"""

import os
import sys
import warnings
from collections import Counter

import numpy as np
import pytest
from random_mjcf import draw

import limpet

try:
    import mujoco
except ImportError:
    if __name__ == "__main__":
        print("skipped: not installed: mujoco")
        sys.exit(77)
    pytest.skip("not installed: mujoco", allow_module_level=True)
from mujoco_fields import (  # noqa: E402
    BALL,
    EXCEPTIONS,
    FREE,
    MODEL,
    REFUSED,
    ROUNDING,
    ROWS,
    SENSORS,
    SLIDE,
    OUTPUTS,
    STATE,
    outputs,
    with_actuators,
)

mujoco.set_mju_user_warning(lambda text: None)

FILES = int(os.environ.get("LIMPET_MJCF_FILES", "60"))
SIZES = {"SPHERE": 1, "CAPSULE": 2, "ELLIPSOID": 3, "CYLINDER": 2, "BOX": 3}


def moments(m):
    """Inertias of all bodies in their own frames."""
    result = np.zeros((m.nbody, 3, 3))
    for b in range(m.nbody):
        rotation = np.zeros(9)
        mujoco.mju_quat2Mat(rotation, m.body_iquat[b])
        rotation = rotation.reshape(3, 3)
        result[b] = rotation @ np.diag(m.body_inertia[b]) @ rotation.T
    return result[1:]


def sizes(m, values):
    """Those numbers of each size that mean something."""
    kinds = [SIZES.get(mujoco.mjtGeom(kind).name[7:], 0) for kind in m.geom_type]
    return [value for kind, size in zip(kinds, values) for value in size[:kind]]


class Twin:
    """One file in both programs."""

    def __init__(self, seed):
        self.seed, self.text, self.differences = seed, draw(seed), []
        self.exceptions = set()
        self.condition = 1.0  # of the mass matrix, the worst so far
        self.theirs, self.refusal = self.load(mujoco.MjModel.from_xml_string)
        self.ours, self.our_refusal = self.load(limpet.load_text)

    def load(self, read):
        try:
            return read(self.text), None
        except (ValueError, mujoco.FatalError, limpet.LimpetError) as error:
            return None, str(error)

    def differ(self, field, text):
        name = field.split()[0]
        for key, exception in EXCEPTIONS.items():
            if name in exception.fields and exception.where(self, self.theirs):
                self.exceptions.add(key)
                return
        self.differences.append((field, text))

    def compare(self, field, ours, theirs, tolerance=ROUNDING):
        a = np.asarray(ours, dtype=float).ravel()
        b = np.asarray(theirs, dtype=float).ravel()
        if a.size != b.size:
            self.differ(field, f"{a.size} numbers, MuJoCo has {b.size}")
            return
        if a.size == 0:
            return
        if "quat" in field:
            a, b = a.reshape(-1, 4), b.reshape(-1, 4)
            a = (a * np.where((a * b).sum(1) < 0, -1, 1)[:, None]).ravel()
            b = b.ravel()
        error = np.abs(a - b) / max(1.0, np.abs(b).max())
        worst = int(np.argmax(error))  # of a NaN, if there is one
        if not error[worst] <= tolerance:
            self.differ(field, f"[{worst}] is {a[worst]:.12g}, MuJoCo's {b[worst]:.12g}")

    def compare_models(self):
        ours, theirs = self.ours, self.theirs
        sums = with_actuators(theirs)
        for a, b, rows, *tolerance in MODEL:
            a_values, b_values = getattr(ours, a), sums.get(b, getattr(theirs, b))
            rows = ROWS[rows](theirs)
            if a.startswith("actuator") and theirs.nu > theirs.nactuator:
                continue  # each input of a motor is an actuator here
            if len(a_values) != len(b_values):
                self.differ(a, f"{len(a_values)} rows, MuJoCo has {len(b_values)}")
            else:
                self.compare(a, a_values[rows], b_values[rows], *tolerance)
        self.compare("body_inertia", ours.body_inertia[1:], moments(theirs), 1e-10)
        if ours.geom_count == theirs.ngeom:
            sizes_of = [sizes(theirs, values) for values in (ours.geom_size, theirs.geom_size)]
            self.compare("geom_size", *sizes_of)
            material, names = ours.geom_material, ("", "_torsional", "_rolling")
            friction = np.stack([material["friction" + name] for name in names], 1)
            self.compare("geom_friction", friction, theirs.geom_friction)
            self.compare("geom_solref", material["impedance"]["reference"], theirs.geom_solref)
            self.compare("geom_solimp", material["impedance"]["impedance"], theirs.geom_solimp)

    def draw_state(self, r, data):
        """Positions within 0.3 m and 1 rad, any rotations, speeds over two decades."""
        m = self.theirs
        for j, (kind, a) in enumerate(zip(m.jnt_type, m.jnt_qposadr)):
            if kind == FREE:
                data.qpos[a : a + 3] += r.uniform(-0.3, 0.3, 3)
            if kind in (FREE, BALL):
                quaternion, a = r.normal(size=4), a + 3 * (kind == FREE)
                data.qpos[a : a + 4] = quaternion / np.linalg.norm(quaternion)
            else:
                data.qpos[a] += r.uniform(-1, 1) * (0.3 if kind == SLIDE else 1.0)
        data.qvel[:] = r.normal(size=m.nv) * 0.5 * 10 ** r.uniform(-1, 1)
        data.ctrl[:] = r.uniform(-1.5, 1.5, len(data.ctrl))
        data.act[:] = r.uniform(-1, 1, m.na)

    def compare_states(self):
        """The reference pose at rest, and two random states."""
        m, r = self.theirs, np.random.default_rng(self.seed)
        m.opt.enableflags |= int(mujoco.mjtEnableBit.mjENBL_ENERGY)
        theirs, ours = mujoco.MjData(m), self.ours.data()
        for state in range(3):
            if state:
                mujoco.mj_resetData(m, theirs)
                ours.reset()
                self.draw_state(r, theirs)
            for a, b in zip(("q", "v", "control", "activation"), ("qpos", "qvel", "ctrl", "act")):
                if len(getattr(theirs, b)):
                    getattr(ours, a)[:] = getattr(theirs, b)
            self.forward(theirs)
            ours.forward_dynamics()
            ours.evaluate_sensors()
            self.compare_state(ours, theirs)
            if self.differences:
                self.differences = [(f, f"{t} (state {state})") for f, t in self.differences]
                return

    def forward(self, data):
        """Without constraints, of which sensors of position and velocity tell limits."""
        m, constraint = self.theirs, int(mujoco.mjtDisableBit.mjDSBL_CONSTRAINT)
        mujoco.mj_forward(m, data)
        values = data.sensordata.copy()
        m.opt.disableflags |= constraint
        mujoco.mj_forward(m, data)
        m.opt.disableflags &= ~constraint
        for i, stage in enumerate(m.sensor_needstage):
            if stage != int(mujoco.mjtStage.mjSTAGE_ACC):
                at = slice(m.sensor_adr[i], m.sensor_adr[i] + m.sensor_dim[i])
                data.sensordata[at] = values[at]

    def compare_state(self, ours, theirs):
        m = self.theirs
        mass = np.zeros((m.nv, m.nv))
        if m.nv:
            mujoco.mj_fullM(m, theirs, mass)
            self.condition = max(self.condition, np.linalg.cond(mass))
        self.compare("mass_matrix", ours.full_mass_matrix(), mass)
        wraps = bool(np.isin(m.wrap_type, (4, 5)).any())  # round spheres and cylinders
        medium = m.opt.density > 0 or m.opt.viscosity > 0
        for a, b, *tolerances in STATE:
            applies = (True, wraps, medium)
            tolerance = max(t for t, here in zip(tolerances, applies) if here)
            mine = getattr(ours, a)
            if a in OUTPUTS:
                mine = mine[outputs(m)]
            self.compare(a, mine, getattr(theirs, b), tolerance)
        self.compare("potential_energy", ours.potential_energy(), theirs.energy[0], 1e-9)
        self.compare("kinetic_energy", ours.kinetic_energy(), theirs.energy[1], 1e-10)
        if self.ours.nsensor != m.nsensordata:
            self.differ("nsensor", f"{self.ours.nsensor}, MuJoCo has {m.nsensordata}")
            return
        for i, (kind, a, count) in enumerate(zip(m.sensor_type, m.sensor_adr, m.sensor_dim)):
            values = ours.sensor[a : a + count], theirs.sensordata[a : a + count]
            name = mujoco.mjtSensor(kind).name[7:].lower()
            if name in SENSORS and self.overlap(theirs, i):
                continue
            tolerance = max(1e-5 if wraps or medium else 1e-7, SENSORS.get(name, 0))
            self.compare(f"sensor {name}", *values, tolerance)

    def overlap(self, data, sensor):
        """Of geoms that overlap MuJoCo finds some way out, not always the shallowest."""
        m = self.theirs
        pair = m.sensor_objid[sensor], m.sensor_refid[sensor]
        return mujoco.mj_geomDistance(m, data, *pair, m.sensor_cutoff[sensor], np.zeros(6)) < 0

    def compare_all(self):
        if self.theirs and self.ours:
            self.compare_models()
            if not self.differences:
                self.compare_states()
        elif self.theirs or (self.ours and not any(text in self.refusal for text in REFUSED)):
            verdicts = f"Limpet: {self.our_refusal}, MuJoCo: {self.refusal}"
            self.differences.append(("verdict", verdicts))
        return self.differences


@pytest.mark.filterwarnings("ignore")
def test_random_files_are_mujocos():
    compared = 0
    for seed in range(FILES):
        twin = Twin(seed)
        assert not twin.compare_all(), f"seed {seed}: {twin.differences}"
        compared += twin.theirs is not None
    assert compared > 0.8 * FILES


def main(count, first=0):
    """Prints all differences, and how many files use each exception."""
    uses = Counter()
    for seed in range(first, first + count):
        twin = Twin(seed)
        for field, text in twin.compare_all():
            print(f"seed {seed}: {field}: {text}")
        uses.update(twin.exceptions)
        uses["compared"] += bool(twin.theirs and twin.ours)
    print(*(f"{uses[key]:6} {key}" for key in ("compared", *EXCEPTIONS)), sep="\n")


if __name__ == "__main__":
    warnings.simplefilter("ignore")
    main(*(int(argument) for argument in sys.argv[1:]))
