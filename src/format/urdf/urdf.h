/* format/urdf/urdf.h: what is known while a URDF file is read. */
#ifndef LIMPET_FORMAT_URDF_H
#define LIMPET_FORMAT_URDF_H

#include "format/robot/robot.h"

typedef struct limpet_urdf {
  limpet_robot robot;
  const limpet_xml_element *root;  // <robot>
  limpet_table materials;          // by name: double[4], rgba
} limpet_urdf;

// <origin>: pose [m, rad] of an element in its parent; identity where there is none.
void limpet_urdf_origin_read(limpet_urdf *u, const limpet_xml_element *e, double position[3],
                             double quaternion[4]);

// Enters links with their inertia, then joints; both in the order of the file.
void limpet_urdf_links_read(limpet_urdf *u);
void limpet_urdf_joints_read(limpet_urdf *u);

/* What needs the bodies of the builder: <visual> and <collision> of links, <mimic>,
 * <transmission>. */
void limpet_urdf_geoms_read(limpet_urdf *u);
void limpet_urdf_mimics_read(limpet_urdf *u);
void limpet_urdf_transmissions_read(limpet_urdf *u);

#endif
