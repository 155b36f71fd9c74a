/* format/robot/extension.h: tags of Drake below a robot or a model: filters of collisions, springs
 * and constraints between links. They refer to links and joints that are built. */
#ifndef LIMPET_FORMAT_ROBOT_EXTENSION_H
#define LIMPET_FORMAT_ROBOT_EXTENSION_H

#include "format/robot/robot.h"

// Finds the link that a name in the model means; URDF has one space of names, SDFormat several.
typedef limpet_robot_link *limpet_robot_link_finder(void *context, const limpet_xml_element *e,
                                                    const char *attribute, const char *name);
typedef limpet_robot_joint *limpet_robot_joint_finder(void *context, const limpet_xml_element *e,
                                                      const char *attribute, const char *name);

typedef struct limpet_robot_scope {
  limpet_robot *robot;
  const limpet_xml_element *root;  // <robot> or <model>
  limpet_robot_link_finder *link;
  limpet_robot_joint_finder *joint;
  void *context;
} limpet_robot_scope;

// drake:collision_filter_group: pairs of links that never touch.
void limpet_robot_filters_read(const limpet_robot_scope *scope);
// drake:ball_constraint, distance_constraint, linear_spring_damper, tendon_constraint.
void limpet_robot_constraints_read(const limpet_robot_scope *scope);

#endif
