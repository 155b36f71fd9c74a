"""Variants of scenes/iiwa_tennis_ball.xml: what the paper does not say about arm and grasp, chosen
otherwise."""

import xml.etree.ElementTree as xml
from dataclasses import dataclass

import numpy as np
from support.command import ROOT

SCENE = ROOT / "scenes/iiwa_tennis_ball.xml"
START = ("--keyframe", "grasp", "--controller", str(SCENE.with_suffix(".json")))
RADIUS = 0.0335  # [m]  of the ball
BALL_MASS, JAW_MASS, ACCELERATION = 0.058, 0.1, 100.0  # [kg], [kg], [m/s^2]


@dataclass(frozen=True)
class Variant:
    """One choice of all that; the defaults are those of the scene."""

    jaw_mass: float = JAW_MASS  # [kg]  times ACCELERATION it is the squeeze
    friction: float = 0.6
    coupled: bool = False  # both jaws open alike, by an equality
    height: float = 0.0  # [m]  of the jaws' centres of mass over the contacts, towards the floor
    facets: bool = False  # a polyhedron with 80 triangles, one of which lies flat on each jaw
    overlap: float = 0.0  # [m]  of either jaw with the ball at the start
    stiffness: float = (
        np.inf
    )  # [N/m]  of the contact between a jaw and the ball, two equal springs in series

    def scene(self, study, name):
        """Path of the scene, which is written unless it is that of the repository."""
        return SCENE if self == Variant() else study.write_scene(f"{name}.xml", self.text())

    def text(self):
        """The scene as MJCF."""
        root = xml.parse(SCENE).getroot()
        material = root.find("./default/geom")
        material.set("friction", f"{self.friction!r} 0.005 0.0001")
        if self.stiffness < np.inf:
            material.set("limpet:stiffness", repr(2.0 * self.stiffness))
        jaw = root.find("./default/default[@class='jaw']/geom")
        jaw.set("mass", repr(self.jaw_mass))
        jaw.set("pos", f"0.008 0 {self.height!r}")
        if self.coupled:
            xml.SubElement(
                xml.SubElement(root, "equality"), "joint", joint1="left_jaw", joint2="right_jaw"
            )
        if self.overlap > 0.0:
            key = root.find("./keyframe/key")
            key.set(
                "qpos",
                key.get("qpos").replace(
                    f"{RADIUS} {RADIUS}", f"{RADIUS - self.overlap!r} {RADIUS - self.overlap!r}"
                ),
            )
        if self.facets:
            xml.SubElement(
                xml.SubElement(root, "asset"),
                "mesh",
                name="ball",
                vertex=" ".join(f"{x:.12g}" for x in facets().ravel()),
            )
            ball = root.find(".//geom[@name='ball']")
            del ball.attrib["size"]
            ball.attrib.update(type="mesh", mesh="ball", mass="0")
        return xml.tostring(root, encoding="unicode")


def facets():
    """(42, 3)  [m]  corners of an icosahedron whose triangles are cut in four, turned so that two
    of them lie at x = +-RADIUS."""
    g = (1.0 + np.sqrt(5.0)) / 2.0
    corners = np.array(
        [p for a in (-1.0, 1.0) for b in (-g, g) for p in ((0.0, a, b), (a, b, 0.0), (b, 0.0, a))]
    )
    near = (
        np.linalg.norm(corners[:, None] - corners, axis=2) < 2.1
    )  # ends of one edge, whose length is 2; or the same corner
    middles = np.array([corners[i] + corners[k] for i in range(12) for k in range(i) if near[i, k]])
    points = np.vstack([corners / np.linalg.norm(corners[0]), middles / np.linalg.norm(middles[0])])

    # turned by the axes of the first triangle: its normal, an altitude
    i, k, j = next(
        (i, k, j)
        for i in range(12)
        for k in range(i)
        for j in range(k)
        if near[i, k] and near[k, j] and near[i, j]
    )
    x = corners[i] + corners[k] + corners[j]
    z = np.cross(x, corners[i])
    axes = np.column_stack([x, np.cross(z, x), z])
    turned = points @ (axes / np.linalg.norm(axes, axis=0))
    return turned * RADIUS / turned[:, 0].max()
