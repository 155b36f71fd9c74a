"""Scene of the caging test: a finger, held at its base, is pushed at half its length by a round bar
with a given force, across its face, without gravity."""

from _finray_mesh import mesh

BAR = 0.01  # [m]  radius
DAMPING = 20.0  # [N s/m]  of the bar's slide
MATERIAL = 'young="2.5e6" poisson="0.49" density="1000" damping="0.01" friction="0.6"'


def scene(finger, file, force, element="linear"):
    """Text of the scene; `file` holds the mesh."""
    return f"""<mujoco model="pushed finger">
  <option timestep="0.01" gravity="0 0 0"/>
  <worldbody>
    <body name="bar" pos="{0.5 * finger.length} {-BAR - 1e-4} 0">
      <joint name="push" type="slide" axis="0 1 0" damping="{DAMPING}"/>
      <geom type="capsule" size="{BAR} 0.02" mass="1" friction="0.6"/>
    </body>
    <limpet:deformable name="finger" file="{file}" element="{element}" {MATERIAL}>
      <limpet:tie body="world" box="-1 -1 -1 1e-6 1 1"/>
    </limpet:deformable>
  </worldbody>
  <actuator><motor name="push" joint="push" ctrlrange="0 100"/></actuator>
  <keyframe><key name="push" ctrl="{force}"/></keyframe>
</mujoco>
"""


def tip(finger):
    """Numbers of the vertices at the tip's face that grips."""
    place, _ = mesh(finger)
    return (place[:, 0] > finger.length - 1e-9) & (place[:, 1] < 1e-9)
