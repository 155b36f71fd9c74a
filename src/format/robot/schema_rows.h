/* format/robot/schema_rows.h: rows that the tables of URDF and SDFormat share: Drake's tags below a
 * collision, a robot and a model. A value stands in an attribute in URDF, in the text in SDFormat.
 */
#ifndef LIMPET_FORMAT_ROBOT_SCHEMA_ROWS_H
#define LIMPET_FORMAT_ROBOT_SCHEMA_ROWS_H

#include "format/read/schema.h"

#define LIMPET_ROBOT_VALUE(name, attributes) \
  { name, LIMPET_SCHEMA_USED, NULL, attributes, "", "", "" }

// keys of the rows below, for the children of <robot> and <model>
#define LIMPET_ROBOT_EXTENSIONS                           \
  "drake:collision_filter_group drake:ball_constraint "   \
  "drake:distance_constraint drake:linear_spring_damper " \
  "drake:tendon_constraint drake:linear_bushing_rpy "

// `v`: where a value stands; `link`, `group`: where names stand
#define LIMPET_ROBOT_PROXIMITY_ROWS(v)                                                     \
  {"drake:proximity_properties",                                                           \
   LIMPET_SCHEMA_USED,                                                                     \
   NULL,                                                                                   \
   "",                                                                                     \
   "",                                                                                     \
   "",                                                                                     \
   "drake:mu_dynamic drake:mu_static drake:point_contact_stiffness "                       \
   "drake:hunt_crossley_dissipation drake:relaxation_time drake:rigid_hydroelastic "       \
   "drake:compliant_hydroelastic drake:soft_hydroelastic drake:hydroelastic_modulus "      \
   "drake:hydroelastic_margin drake:mesh_resolution_hint"},                                \
      LIMPET_ROBOT_VALUE("drake:mu_dynamic", v), LIMPET_ROBOT_VALUE("drake:mu_static", v), \
      LIMPET_ROBOT_VALUE("drake:point_contact_stiffness", v),                              \
      LIMPET_ROBOT_VALUE("drake:hunt_crossley_dissipation", v),                            \
      LIMPET_ROBOT_VALUE("drake:relaxation_time", v),                                      \
      LIMPET_ROBOT_VALUE("drake:rigid_hydroelastic", v),                                   \
      LIMPET_ROBOT_VALUE("drake:compliant_hydroelastic", v),                               \
      LIMPET_ROBOT_VALUE("drake:soft_hydroelastic", v),                                    \
      LIMPET_ROBOT_VALUE("drake:hydroelastic_modulus", v),                                 \
      LIMPET_ROBOT_VALUE("drake:hydroelastic_margin", v),                                  \
      LIMPET_ROBOT_VALUE("drake:mesh_resolution_hint", v)

#define LIMPET_ROBOT_CONNECTION_ROWS(tag, n, v, lengths)                          \
  {tag,                                                                           \
   LIMPET_SCHEMA_USED,                                                            \
   NULL,                                                                          \
   "",                                                                            \
   "",                                                                            \
   "",                                                                            \
   tag "_body_A " tag "_body_B " tag "_p_AP " tag "_p_BQ " lengths},              \
      LIMPET_ROBOT_VALUE(tag "_body_A", n), LIMPET_ROBOT_VALUE(tag "_body_B", n), \
      LIMPET_ROBOT_VALUE(tag "_p_AP", v), LIMPET_ROBOT_VALUE(tag "_p_BQ", v)

#define LIMPET_ROBOT_EXTENSION_ROWS(link, n, v)                                                  \
  {"drake:collision_filter_group",                                                               \
   LIMPET_SCHEMA_USED,                                                                           \
   NULL,                                                                                         \
   "name ignore",                                                                                \
   "",                                                                                           \
   "",                                                                                           \
   "drake:member drake:member_group drake:ignored_collision_filter_group"},                      \
      LIMPET_ROBOT_VALUE("drake:member", link), LIMPET_ROBOT_VALUE("drake:member_group", n),     \
      LIMPET_ROBOT_VALUE("drake:ignored_collision_filter_group", n),                             \
      LIMPET_ROBOT_CONNECTION_ROWS("drake:ball_constraint", n, v, ""),                           \
      LIMPET_ROBOT_CONNECTION_ROWS("drake:distance_constraint", n, v,                            \
                                   "drake:distance_constraint_distance "                         \
                                   "drake:distance_constraint_stiffness "                        \
                                   "drake:distance_constraint_damping"),                         \
      LIMPET_ROBOT_VALUE("drake:distance_constraint_distance", v),                               \
      LIMPET_ROBOT_VALUE("drake:distance_constraint_stiffness", v),                              \
      LIMPET_ROBOT_VALUE("drake:distance_constraint_damping", v),                                \
      LIMPET_ROBOT_CONNECTION_ROWS("drake:linear_spring_damper", n, v,                           \
                                   "drake:linear_spring_damper_free_length "                     \
                                   "drake:linear_spring_damper_stiffness "                       \
                                   "drake:linear_spring_damper_damping"),                        \
      LIMPET_ROBOT_VALUE("drake:linear_spring_damper_free_length", v),                           \
      LIMPET_ROBOT_VALUE("drake:linear_spring_damper_stiffness", v),                             \
      LIMPET_ROBOT_VALUE("drake:linear_spring_damper_damping", v),                               \
      {"drake:tendon_constraint",                                                                \
       LIMPET_SCHEMA_USED,                                                                       \
       NULL,                                                                                     \
       "",                                                                                       \
       "",                                                                                       \
       "",                                                                                       \
       "drake:tendon_constraint_joint drake:tendon_constraint_offset "                           \
       "drake:tendon_constraint_lower_limit drake:tendon_constraint_upper_limit "                \
       "drake:tendon_constraint_stiffness drake:tendon_constraint_damping"},                     \
      LIMPET_ROBOT_VALUE("drake:tendon_constraint_joint", "name a"),                             \
      LIMPET_ROBOT_VALUE("drake:tendon_constraint_offset", v),                                   \
      LIMPET_ROBOT_VALUE("drake:tendon_constraint_lower_limit", v),                              \
      LIMPET_ROBOT_VALUE("drake:tendon_constraint_upper_limit", v),                              \
      LIMPET_ROBOT_VALUE("drake:tendon_constraint_stiffness", v),                                \
      LIMPET_ROBOT_VALUE("drake:tendon_constraint_damping", v), {                                \
    "drake:linear_bushing_rpy", LIMPET_SCHEMA_UNSUPPORTED, "bushings are not simulated", "", "", \
        "", "*"                                                                                  \
  }

#endif
