/* format/robot/geom.h: what is drawn of a link and what touches. */
#ifndef LIMPET_FORMAT_ROBOT_GEOM_H
#define LIMPET_FORMAT_ROBOT_GEOM_H

#include "format/robot/robot.h"

/* A geom of the link without shape and mass: one that touches, in the group of collision geometry,
 * or one that is only drawn. */
limpet_geom_description limpet_robot_geom_default(const limpet_robot_link *link,
                                                  const limpet_xml_element *e, bool touches);
void limpet_robot_geom_add(limpet_robot *robot, const limpet_geom_description *d, const char *name);

// Collision geometry of links of which nothing is drawn is for the eye, too.
void limpet_robot_drawing_settle(limpet_robot *robot);

/* Reads drake:proximity_properties below a <collision>: values stand in attributes `value` (URDF)
 * or in the text (SDFormat). */
void limpet_robot_proximity_read(limpet_robot *robot, const limpet_xml_element *collision,
                                 limpet_geom_description *d);

// Makes the geom the half space below a plane, whose normal (3) is in the frame of the geom.
bool limpet_robot_plane_take(limpet_robot *robot, const limpet_xml_element *e,
                             const double normal[3], limpet_geom_description *d);

/* Makes the geom a sphere; false: it has no radius and is only drawn. One without radius that
 * touches stands for a point. */
bool limpet_robot_sphere_take(limpet_robot *robot, const limpet_xml_element *e,
                              const char *attribute, double radius, limpet_geom_description *d);

// What a robot file says of a mesh.
typedef struct limpet_robot_mesh {
  const limpet_xml_element *element;  // that names the file
  const char *attribute;              // in which the name stands; NULL: in the text
  double scale[3];
  bool concave;  // pressure fields take the faces as they are
} limpet_robot_mesh;

/* Makes the geom the mesh of a file, in the colour of the file; false: what is only drawn has no
 * file, or one that cannot be read, and is to be left out. */
bool limpet_robot_mesh_take(limpet_robot *robot, const limpet_robot_mesh *mesh,
                            limpet_geom_description *d);
/* Reads the file of a mesh that touches into robot->mesh_file and returns its path. A file that is
 * missing or broken, or a scale of zero, ends the reading. */
const char *limpet_robot_mesh_read(limpet_robot *robot, const limpet_robot_mesh *mesh);
/* Whether Drake's tags give a <collision> a pressure field, or a part in one, that follows the
 * faces of its <mesh>. */
bool limpet_robot_concave(const limpet_xml_element *collision, const limpet_xml_element *mesh);

// Value of a tag of Drake below `parent`: attribute `value`, or the text; false: there is none.
bool limpet_robot_tag_number(limpet_robot *robot, const limpet_xml_element *parent,
                             const char *name, double *value);
int limpet_robot_tag_numbers(limpet_robot *robot, const limpet_xml_element *parent,
                             const char *name, double *values, int least, int most);

// Fixed turns about x, y, z, in this order: roll, pitch, yaw [rad].
void limpet_robot_rpy(double quaternion[4], const double rpy[3]);
// Notes angles [rad] of more than a turn: they are likely degrees. `attribute` NULL: the text.
void limpet_robot_angles_note(limpet_robot *robot, const limpet_xml_element *e,
                              const char *attribute, const double rpy[3]);

/* Makes a mesh whose vertices lie in a plane a plate; its thickness [m], before scaling, or 0 where
 * they do not. */
double limpet_robot_plate(limpet_robot *robot, limpet_mesh_description *mesh);

#endif
