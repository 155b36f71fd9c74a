/* limpet/sense.h: sensors. Floor 7. docs/sensors.md shows the kinds.
 *
 * The values of all sensors stand one after the other in data->sensor, in the order of the model:
 * MuJoCo's `sensordata`, number by number. limpet_step fills it where the model has sensors. All
 * values then belong to the start of the step: positions and velocities of that moment, the
 * accelerations (v1 - v0)/dt and the mean forces of the step. After limpet_step the sensors are
 * thus one step older than data->q, as after MuJoCo's mj_step. A step that fails (numerical
 * failure, out of memory) leaves them as they were.
 *
 * No noise is added. The `noise` of a description is for programs that add noise of their own. */
#ifndef LIMPET_SENSE_H
#define LIMPET_SENSE_H

#include "limpet/data.h"

#ifdef __cplusplus
extern "C" {
#endif

// The table of sensor kinds, ended by NULL; and look-up by name (that of MJCF), NULL if there is
// none.
LIMPET_API const limpet_sensor_kind *const *limpet_sensor_kinds(void);
LIMPET_API const limpet_sensor_kind *limpet_sensor_kind_find(const char *name);
LIMPET_API const limpet_descriptor *limpet_sensor_kind_descriptor(const limpet_sensor_kind *kind);
// "m/s^2", ..., "1" for pure numbers; of joint and tendon sensors both that apply: "m, rad".
LIMPET_API const char *limpet_sensor_kind_unit(const limpet_sensor_kind *kind);
LIMPET_API limpet_sensor_stage limpet_sensor_kind_stage(const limpet_sensor_kind *kind);
// "position", "velocity", "acceleration"
LIMPET_API const char *limpet_sensor_stage_word(limpet_sensor_stage stage);
// How many numbers a sensor of the kind has; 0: the description says.
LIMPET_API int limpet_sensor_kind_size(const limpet_sensor_kind *kind);
// Bits 1 << limpet_object of what it can measure, and of what its reference can be; 0: it has none.
LIMPET_API unsigned limpet_sensor_kind_objects(const limpet_sensor_kind *kind);
LIMPET_API unsigned limpet_sensor_kind_references(const limpet_sensor_kind *kind);

/* All sensors at the present state, without a step: runs limpet_forward_dynamics and fills
 * data->sensor. Accelerations are those without contacts and constraints (data->acceleration):
 * contacts, limits and couplers do not act on accelerometers and force sensors; touch and limit
 * forces are zero. To read sensors in contact at the present state, make a step: it leaves them in
 * data->sensor. */
LIMPET_API void limpet_sensors_evaluate(const limpet_model *model, limpet_data *data);

#ifdef __cplusplus
}
#endif
#endif
