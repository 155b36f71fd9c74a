/* format/write/urdf.h: what is known while a model is written as URDF. */
#ifndef LIMPET_FORMAT_WRITE_URDF_H
#define LIMPET_FORMAT_WRITE_URDF_H

#include "format/write/writer.h"

// What URDF cannot say; each is counted, and told once with its number.
typedef enum limpet_urdf_loss {
  LIMPET_URDF_JOINTS_BETWEEN,  // links of almost no mass stand between joints of a body
  LIMPET_URDF_DRAKE_JOINTS,
  LIMPET_URDF_REFERENCES,
  LIMPET_URDF_SPRINGS,
  LIMPET_URDF_ARMATURES,
  LIMPET_URDF_SOFT_FRICTIONS,
  LIMPET_URDF_BALL_LIMITS,
  LIMPET_URDF_MOCAPS,
  LIMPET_URDF_SHAPES,
  LIMPET_URDF_ELLIPSOIDS,
  LIMPET_URDF_FILTERS,
  LIMPET_URDF_RULES,
  LIMPET_URDF_ACTUATORS,
  LIMPET_URDF_FORCES,
  LIMPET_URDF_COUPLERS,
  LIMPET_URDF_LOOPS,
  LIMPET_URDF_TENDONS,
  LIMPET_URDF_PAIRS,
  LIMPET_URDF_SENSORS,
  LIMPET_URDF_KEYFRAMES,
  LIMPET_URDF_GRAVITIES,
  LIMPET_URDF_MEDIA,
  LIMPET_URDF_DEFORMABLES,
  LIMPET_URDF_LOSS_COUNT
} limpet_urdf_loss;

typedef struct limpet_urdf_writer {
  limpet_writer writer;
  const char *path;    // of the file
  const char *folder;  // of the meshes, as the file names it
  int lost[LIMPET_URDF_LOSS_COUNT];
  limpet_error *error;
  limpet_status status;  // of the meshes
} limpet_urdf_writer;

// A pose [m] in a parent frame.
typedef struct limpet_urdf_pose {
  double position[3], quaternion[4];
} limpet_urdf_pose;

// The attributes xyz and rpy; <origin> with them.
void limpet_urdf_write_pose(limpet_writer *w, const limpet_urdf_pose *pose);
void limpet_urdf_write_origin(limpet_writer *w, const limpet_urdf_pose *pose);

// In urdf_link.c: <link> with inertia, shapes; and the files of the meshes that they use.
void limpet_urdf_write_link(limpet_urdf_writer *u, int body);
void limpet_urdf_write_meshes(limpet_urdf_writer *u);
// In urdf_joint.c: the joints of a body, with the links between them.
void limpet_urdf_write_joints(limpet_urdf_writer *u, int body);
// The joint of one coordinate that an actuator drives; LIMPET_NONE: it drives something else.
int limpet_urdf_driven_joint(const limpet_model *model, int actuator);
// Whether the body is a link that no joint carries: it floats where URDF lets it float.
bool limpet_urdf_is_root(const limpet_model *model, int body);

#endif
