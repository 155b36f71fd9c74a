"""The finger of "Irrotational Contact Fields", section XII-C: a motor drives two gears. One, the
proximal gear, rides on the thread of a worm and is held there by a clutch; the worm drives the
wheel of the proximal link. The other is fixed to a worm that drives the wheel of the distal link.

CAD is not public: all shapes are made by the parameters below. Axes of motor and worms along z,
those of the wheels along y.

    motor     x = -8 mm   pinion of 8 teeth, rigid
    proximal  x = 0       gear of 24 teeth, compliant, with a rigid internal thread and face
                          worm, rigid, with a compliant threaded shaft and clutch
              x = 16 mm   wheel of 30 teeth, compliant, with the link
    distal    x = -16 mm  gear of 24 teeth, compliant, on a rigid worm
              x = -32 mm  wheel of 30 teeth, compliant; a pulley turns the distal link
"""

import math
from dataclasses import dataclass

import _gear_shapes as shapes

MM = 1e-3


@dataclass(frozen=True)
class Finger:
    """Parameters of the finger; SI units."""

    # spur gears
    module: float = 0.5 * MM
    pinion_teeth: int = 8
    gear_teeth: int = 24
    spur_angle: float = math.radians(25)  # a pinion of 8 teeth is not undercut
    spur_backlash: float = 0.03 * MM
    # worms and wheels
    worm_module: float = 0.8 * MM
    worm_radius: float = 4 * MM  # of its pitch
    wheel_teeth: int = 30
    worm_angle: float = math.radians(20)
    worm_backlash: float = 0.04 * MM
    # thread, clutch
    thread_pitch: float = 0.8 * MM
    thread_play: float = 0.02 * MM
    clutch_inner: float = 3 * MM
    clutch_outer: float = 4 * MM
    clutch_gap: float = 0.1 * MM
    # materials
    gear_modulus: float = 1e8  # [Pa]
    wheel_modulus: float = 5e8
    thread_modulus: float = 1e7
    clutch_modulus: float = 4e5
    dissipation: float = 10.0  # [s/m]
    clutch_friction: float = 1.0
    worm_friction: float = 1.05  # of tan(lead angle)
    # motor
    speed: float = 200.0  # [rad/s]
    gain: float = 2e-4  # [N m s]
    load: float = 0.6e-2  # [N m]  at the proximal gear, in the loading phase
    drive: float = 0.66e-2
    # links
    obstacle: float = 0.44  # [rad]  of the proximal link

    @property
    def lead(self):
        """Tangent of the lead angle of the worms."""
        return self.worm_pitch / (2 * math.pi * self.worm_radius)

    @property
    def worm_pitch(self):
        """[m]  along the axis"""
        return math.pi * self.worm_module

    @property
    def ratio(self):
        """Turns of the motor for one of a gear."""
        return self.gear_teeth / self.pinion_teeth


def make_parts(finger, folder):
    """Writes the parts as VTK files; their tetrahedra by name."""
    folder.mkdir(parents=True, exist_ok=True)
    spur = {"pressure_angle": finger.spur_angle, "backlash": finger.spur_backlash}
    gear = {"width": 3 * MM, "addendum": 0.75, "dedendum": 1.15, **spur}
    half_pitch = math.pi / finger.gear_teeth
    worm_half = finger.worm_pitch / 4 - finger.worm_backlash / 2
    slope = math.tan(finger.worm_angle)
    worm_radii = [finger.worm_radius + k * finger.worm_module for k in (-1.2, -0.4, 0.4, 1.0)]
    worm_widths = [worm_half - (r - finger.worm_radius) * slope for r in worm_radii]
    worm = {"radii": worm_radii, "half_widths": worm_widths, "pitch": finger.worm_pitch}
    pitch = finger.thread_pitch
    # both ridges are pitch/4 thick in the middle of their flanks, less half the play
    middle, flat = pitch / 4 - finger.thread_play / 4, 0.1
    outer = [2.0 * MM, 2.35 * MM, 2.6 * MM]
    inner = [2.75 * MM, 2.4 * MM, 2.15 * MM]
    widths = [middle + flat * d * MM for d in (0.35, 0.0, -0.25)]
    wheel = shapes.gear(
        finger.wheel_teeth,
        finger.worm_module,
        3.6 * MM,
        addendum=0.9,
        dedendum=1.1,
        pressure_angle=finger.worm_angle,
        backlash=finger.worm_backlash,
        lead=finger.lead,
    )
    parts = {
        "pinion": shapes.gear(
            finger.pinion_teeth,
            finger.module,
            4 * MM,
            addendum=1.0,
            dedendum=0.9,
            **spur,
        ),
        "gear": shapes.gear(finger.gear_teeth, finger.module, phase=half_pitch, **gear),
        # ridges of the worms at z = k pitch: the proximal one between, where its wheel has a tooth
        "worm": shapes.thread(
            turns=6, segments=24, start=-6 * math.pi, shift=finger.worm_pitch / 2, **worm
        ),
        "distal_worm": shapes.thread(turns=6, segments=24, start=-6 * math.pi, **worm),
        "wheel": wheel,
        "shaft": shapes.thread(outer, widths, pitch, 5.0, segments=12, start=-2 * math.pi),
        "nut": shapes.thread(
            inner, widths, pitch, 2.0, segments=12, start=0.0, shift=pitch / 2
        ),
        "clutch": shapes.ring(
            finger.clutch_inner, finger.clutch_outer, -1.5 * MM, 0.0, segments=32
        ),
    }
    parts["fine_worm"] = shapes.thread(
        turns=2.5, segments=128, start=-2.5 * math.pi, shift=finger.worm_pitch / 2, **worm
    )
    for name, part in parts.items():
        part.write(folder / f"{name}.vtk", name)
    return {name: len(part.tetrahedra) for name, part in parts.items()}


def _geom(mesh, bits, *, modulus=None, friction=0.0, place="", rgba="0.7 0.7 0.7 1", extra=""):
    compliant = f' limpet:elastic_modulus="{modulus!r}"' if modulus else ""
    return (
        f'<geom type="mesh" mesh="{mesh}" name="{extra or mesh}" contype="{bits}" '
        f'conaffinity="{bits}" friction="{friction!r} 0 0" {place} rgba="{rgba}"{compliant}/>'
    )


def scene(finger, folder, path, *, clutch_gap=None):
    """Writes the scene; meshes are those of `folder`."""
    gap = finger.clutch_gap if clutch_gap is None else clutch_gap
    worm_friction = finger.worm_friction * finger.lead
    spur_distance = (finger.pinion_teeth + finger.gear_teeth) * finger.module / 2
    worm_distance = finger.worm_radius + finger.wheel_teeth * finger.worm_module / 2
    modulus = finger.gear_modulus
    upright = 'quat="0.7071067811865476 -0.7071067811865476 0 0"'
    names = ("pinion", "gear", "worm", "distal_worm", "wheel", "shaft", "nut", "clutch")
    meshes = "".join(f'<mesh name="{n}" file="{folder / n}.vtk"/>' for n in names)
    inertia = '<inertial pos="0 0 0" mass="{0}" diaginertia="{1} {1} {1}"/>'
    text = f"""<mujoco model="finger" xmlns:limpet="limpet">
  <!-- made by studies/irrotational-contact-fields/_gear_scene.py -->
  <option gravity="0 0 0"/>
  <asset>{meshes}</asset>
  <default><geom limpet:dissipation="{finger.dissipation!r}"/></default>
  <worldbody>
    <body name="motor" pos="{-spur_distance!r} 0 0">
      {inertia.format(5e-3, 1e-9)}
      <joint name="motor" type="hinge" axis="0 0 1" damping="1e-7"/>
      {_geom("pinion", 1, rgba="0.35 0.35 0.4 1")}
    </body>
    <body name="proximal_gear">
      {inertia.format(3e-3, 5e-9)}
      <joint name="nut_slide" type="slide" axis="0 0 1" damping="1e-2"/>
      <joint name="nut" type="hinge" axis="0 0 1" damping="1e-7"/>
      {_geom("gear", 1, modulus=modulus, rgba="0.3 0.5 0.9 1", extra="proximal_teeth")}
      {_geom("nut", 2, rgba="0.3 0.5 0.9 1")}
      <geom name="face" type="box" size="0.005 0.005 0.00025" pos="0 0 {-2.25 * MM!r}" contype="4"
            conaffinity="4" friction="{finger.clutch_friction!r} 0 0" rgba="0.3 0.5 0.9 1"/>
    </body>
    <body name="proximal_worm">
      {inertia.format(4e-3, 4e-8)}
      <joint name="proximal_worm" type="hinge" axis="0 0 1" damping="1e-7"/>
      {_geom("shaft", 2, modulus=finger.thread_modulus, rgba="0.4 0.75 0.4 1")}
      {_geom("clutch", 4, modulus=finger.clutch_modulus, friction=finger.clutch_friction,
             rgba="0.95 0.6 0.75 1", place=f'pos="0 0 {-2.5 * MM - gap!r}"')}
      {_geom("worm", 8, friction=worm_friction, rgba="0.4 0.75 0.4 1",
             place=f'pos="0 0 {-16 * MM!r}"', extra="proximal_worm")}
    </body>
    <body name="proximal_wheel" pos="{worm_distance!r} 0 {-16 * MM!r}">
      {inertia.format(0.03, 1e-5)}
      <joint name="proximal_link" type="hinge" axis="0 -1 0" limited="true" damping="5e-3"
             range="0 {math.degrees(finger.obstacle)!r}"/>
      {_geom("wheel", 8, modulus=finger.wheel_modulus, friction=worm_friction, place=upright,
             rgba="0.6 0.4 0.8 1", extra="proximal_wheel")}
    </body>
    <body name="distal_worm" pos="{-2 * spur_distance!r} 0 0">
      {inertia.format(4e-3, 6e-8)}
      <joint name="distal_worm" type="hinge" axis="0 0 1" damping="1e-7"/>
      {_geom("gear", 1, modulus=modulus, rgba="0.9 0.85 0.3 1", extra="distal_teeth")}
      {_geom("distal_worm", 8, friction=worm_friction, rgba="0.85 0.3 0.3 1",
             place=f'pos="0 0 {-16 * MM!r}"')}
    </body>
    <body name="distal_wheel" pos="{-2 * spur_distance - worm_distance!r} 0 {-16 * MM!r}">
      {inertia.format(5e-3, 5e-7)}
      <joint name="distal_wheel" type="hinge" axis="0 -1 0" damping="1e-6"/>
      {_geom("wheel", 8, modulus=finger.wheel_modulus, friction=worm_friction, place=upright,
             rgba="0.95 0.6 0.2 1", extra="distal_wheel")}
    </body>
    <body name="distal_link" pos="{-2 * spur_distance - worm_distance!r} 0 0.02">
      {inertia.format(0.02, 3e-6)}
      <joint name="distal_link" type="hinge" axis="0 -1 0"/>
      <geom type="capsule" fromto="0 0 0 0 0 0.03" size="0.004" contype="0" conaffinity="0"
            rgba="0.8 0.8 0.8 0.4"/>
    </body>
  </worldbody>
  <equality><joint name="pulley" joint1="distal_link" joint2="distal_wheel"/></equality>
  <actuator>
    <!-- each pushes one way and gives nothing while its speed is far on the other side -->
    <velocity name="load" joint="motor" kv="{finger.gain!r}"
              forcerange="0 {finger.load / finger.ratio!r}"/>
    <velocity name="drive" joint="motor" kv="{finger.gain!r}"
              forcerange="{-finger.drive / finger.ratio!r} 0"/>
  </actuator>
</mujoco>
"""
    path.write_text(text)
    return path


def worm_scene(finger, folder, path, friction, *, driven=False):
    """Writes a scene of the proximal worm and its wheel alone. A motor `turn` acts on the wheel;
    or, where it is `driven`, the finger's motor turns the worm and the link damps the wheel."""
    worm_distance = finger.worm_radius + finger.wheel_teeth * finger.worm_module / 2
    upright = 'quat="0.7071067811865476 -0.7071067811865476 0 0"'
    damping = (1e-7, 5e-3) if driven else (0.0, 0.0)  # [N m s]
    motor = (
        f'<velocity name="drive" joint="worm" kv="{finger.ratio**2 * finger.gain!r}" '
        f'forcerange="{-finger.drive!r} {finger.drive!r}"/>'
        if driven
        else '<motor name="turn" joint="wheel"/>'
    )
    path.write_text(f"""<mujoco model="worm" xmlns:limpet="limpet">
  <option gravity="0 0 0"/>
  <asset><mesh name="worm" file="{folder / 'fine_worm.vtk'}"/>
    <mesh name="wheel" file="{folder / 'wheel.vtk'}"/></asset>
  <default><geom limpet:dissipation="{finger.dissipation!r}"/></default>
  <worldbody>
    <body name="worm">
      <inertial pos="0 0 0" mass="0.004" diaginertia="4e-8 4e-8 4e-8"/>
      <joint name="worm" type="hinge" axis="0 0 1" damping="{damping[0]!r}"/>
      {_geom("worm", 8, friction=friction)}
    </body>
    <body name="wheel" pos="{worm_distance!r} 0 0">
      <inertial pos="0 0 0" mass="0.03" diaginertia="1e-5 1e-5 1e-5"/>
      <joint name="wheel" type="hinge" axis="0 -1 0" damping="{damping[1]!r}"/>
      {_geom("wheel", 8, modulus=finger.wheel_modulus, friction=friction, place=upright)}
    </body>
  </worldbody>
  <actuator>{motor}</actuator>
</mujoco>
""")
    return path
