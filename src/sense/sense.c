/* sense/sense.c: the table of sensor kinds, and all sensors at the present state. */
#include "limpet/sense.h"

#include <assert.h>
#include <string.h>

#include "dynamics/body_forces.h"
#include "dynamics/tendon_wrench.h"
#include "limpet/dynamics.h"
#include "model/workspace.h"
#include "sense/kinds.h"

static const limpet_sensor_kind *const kinds[] = {
    &limpet_sensor_contact,
    &limpet_sensor_touch,
    &limpet_sensor_taxels,
    &limpet_sensor_tactile,
    &limpet_sensor_accelerometer,
    &limpet_sensor_velocimeter,
    &limpet_sensor_gyro,
    &limpet_sensor_force,
    &limpet_sensor_torque,
    &limpet_sensor_magnetometer,
    &limpet_sensor_camprojection,
    &limpet_sensor_rangefinder,
    &limpet_sensor_jointpos,
    &limpet_sensor_jointvel,
    &limpet_sensor_tendonpos,
    &limpet_sensor_tendonvel,
    &limpet_sensor_actuatorpos,
    &limpet_sensor_actuatorvel,
    &limpet_sensor_actuatorfrc,
    &limpet_sensor_jointactuatorfrc,
    &limpet_sensor_tendonactuatorfrc,
    &limpet_sensor_ballquat,
    &limpet_sensor_ballangvel,
    &limpet_sensor_jointlimitpos,
    &limpet_sensor_jointlimitvel,
    &limpet_sensor_jointlimitfrc,
    &limpet_sensor_tendonlimitpos,
    &limpet_sensor_tendonlimitvel,
    &limpet_sensor_tendonlimitfrc,
    &limpet_sensor_framepos,
    &limpet_sensor_framequat,
    &limpet_sensor_framexaxis,
    &limpet_sensor_frameyaxis,
    &limpet_sensor_framezaxis,
    &limpet_sensor_framelinvel,
    &limpet_sensor_frameangvel,
    &limpet_sensor_framelinacc,
    &limpet_sensor_frameangacc,
    &limpet_sensor_subtreecom,
    &limpet_sensor_subtreelinvel,
    &limpet_sensor_subtreeangmom,
    &limpet_sensor_insidesite,
    &limpet_sensor_distance,
    &limpet_sensor_normal,
    &limpet_sensor_fromto,
    &limpet_sensor_e_potential,
    &limpet_sensor_e_kinetic,
    &limpet_sensor_clock,
    &limpet_sensor_zeros,
    NULL,
};

const limpet_sensor_kind *const *limpet_sensor_kinds(void) { return kinds; }

const limpet_sensor_kind *limpet_sensor_kind_find(const char *name) {
  assert(name);
  for (int i = 0; kinds[i]; ++i)
    if (strcmp(kinds[i]->descriptor.name, name) == 0) return kinds[i];
  return NULL;
}

const limpet_descriptor *limpet_sensor_kind_descriptor(const limpet_sensor_kind *kind) {
  assert(kind);
  return &kind->descriptor;
}
const char *limpet_sensor_kind_unit(const limpet_sensor_kind *kind) {
  assert(kind);
  return kind->unit;
}
limpet_sensor_stage limpet_sensor_kind_stage(const limpet_sensor_kind *kind) {
  assert(kind);
  return kind->stage;
}
int limpet_sensor_kind_size(const limpet_sensor_kind *kind) {
  assert(kind);
  return kind->size;
}
unsigned limpet_sensor_kind_objects(const limpet_sensor_kind *kind) {
  assert(kind);
  return kind->objects;
}
unsigned limpet_sensor_kind_references(const limpet_sensor_kind *kind) {
  assert(kind);
  return kind->references;
}

const char *limpet_sensor_stage_word(limpet_sensor_stage stage) {
  static const char *const words[] = {"position", "velocity", "acceleration"};
  assert((unsigned)stage < sizeof words / sizeof words[0]);
  return words[stage];
}

void limpet_sensors_evaluate(const limpet_model *model, limpet_data *data) {
  assert(limpet_data_ready(model, data, 0));
  limpet_forward_dynamics(model, data);
  const size_t size = 6 * (size_t)model->body_count;
  double *acceleration = limpet_scratch_begin(data->workspace, 2 * size),
         *wrench = acceleration + size;
  limpet_body_accelerations(model, data, data->acceleration, acceleration);
  memcpy(wrench, data->applied_wrench, size * sizeof *wrench);
  for (int t = 0; t < model->tendon_count; ++t)
    limpet_tendon_wrench_add(model, data, t,
                             limpet_tendon_passive_force(model, data, t) +
                                 limpet_tendon_driving_force(model, data, t, data->acceleration),
                             wrench);
  limpet_joint_wrenches(model, data, acceleration, wrench);
  limpet_sensors_read(&(limpet_sensor_reading){model, data, acceleration, wrench, false}, data);
  limpet_scratch_end(data->workspace);
}
