/* model/sensor_kind.h: what a kind of sensor is: a row of the table in sense/sense.c. The type
 * stands here, below the folders that read sensors (sense, step), so that both go through the rows
 * that a model points to and need not know each other. */
#ifndef LIMPET_MODEL_SENSOR_KIND_H
#define LIMPET_MODEL_SENSOR_KIND_H

#include "limpet/data.h"

typedef enum limpet_sensor_range {  // what a cutoff does to the values
  LIMPET_SENSOR_REAL,               // clamps to +-cutoff
  LIMPET_SENSOR_POSITIVE,           // clamps to cutoff from above
  LIMPET_SENSOR_UNIT,               // nothing, and it must be 0: axes and quaternions
  LIMPET_SENSOR_REACH,              // says how far a distance is looked for
  LIMPET_SENSOR_UNCUT               // nothing
} limpet_sensor_range;

typedef enum limpet_sensor_joints {  // which joints will do
  LIMPET_SENSOR_JOINTS_SCALAR,       // slide and hinge
  LIMPET_SENSOR_JOINTS_BALL,
  LIMPET_SENSOR_JOINTS_LIMITED
} limpet_sensor_joints;

/* What a sensor may read. Poses, velocities, tendons, actuators, mass matrix of data are those of
 * the state that is sensed. */
typedef struct limpet_sensor_reading {
  const limpet_model *model;
  const limpet_data *data;
  // (body_count x 6)  limpet_body_accelerations; NULL if no sensor needs it
  const double *acceleration;
  // (body_count x 6)  limpet_joint_wrenches; NULL if no sensor needs it
  const double *joint_wrench;
  bool contact;  // contact and constraint arrays of data belong to that state; else there are none
} limpet_sensor_reading;

struct limpet_sensor_kind {
  limpet_descriptor descriptor;
  const char *unit;
  limpet_sensor_stage stage;
  int size;  // numbers; 0: the description says how many
  limpet_sensor_range range;
  unsigned objects, references;  // bits 1 << limpet_object
  bool object_optional, reference_needed;
  limpet_sensor_joints joints;
  bool needs_acceleration, needs_wrench;  // of the reading
  bool casts_rays;                        // at all geoms: meshes get a tree of their faces
  // where the size depends on more; else NULL. `camera`: what it measures, where that is one
  int (*size_of)(const limpet_sensor_description *sensor, const limpet_camera_description *camera);
  void (*read)(const limpet_sensor_reading *reading, int sensor, double *value);
};

enum {
  LIMPET_SENSES_BODY = 1 << LIMPET_OBJECT_BODY,
  LIMPET_SENSES_JOINT = 1 << LIMPET_OBJECT_JOINT,
  LIMPET_SENSES_GEOM = 1 << LIMPET_OBJECT_GEOM,
  LIMPET_SENSES_SITE = 1 << LIMPET_OBJECT_SITE,
  LIMPET_SENSES_TENDON = 1 << LIMPET_OBJECT_TENDON,
  LIMPET_SENSES_ACTUATOR = 1 << LIMPET_OBJECT_ACTUATOR,
  LIMPET_SENSES_CAMERA = 1 << LIMPET_OBJECT_CAMERA,
  LIMPET_SENSES_FRAME =
      LIMPET_SENSES_BODY | LIMPET_SENSES_GEOM | LIMPET_SENSES_SITE | LIMPET_SENSES_CAMERA
};

// Whether any sensor of the model needs accelerations of bodies (wrenches of joints imply them), or
// wrenches of joints.
bool limpet_sensors_need_acceleration(const limpet_model *model);
bool limpet_sensors_need_wrench(const limpet_model *model);
// All sensors, cutoffs applied, to data->sensor.
void limpet_sensors_read(const limpet_sensor_reading *reading, limpet_data *data);

#endif
