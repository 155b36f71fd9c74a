/* record/log_quantity.c: what a log records: one line for each dataset, whose type and shape are
 * those of a field of limpet_data, and all results in limpet_step_info, by the tables of fields.
 * docs/log.md shows it. */
#include <assert.h>
#include <stdio.h>
#include <string.h>

#include "record/log.h"

static void contact_end(void *rows, const limpet_log *log, const limpet_data *data);
static void surface_end(void *rows, const limpet_log *log, const limpet_data *data);

static void contact_normal(void *rows, const limpet_log *log, const limpet_data *data) {
  (void)log;
  double *normal = rows;
  for (int i = 0; i < data->contact_count; ++i)
    memcpy(&normal[3 * i], &data->contact_frame[9 * i + 6], 3 * sizeof(double));
}

// World axes from the contact frame.
static void to_world(double *world, const limpet_data *data, const double *local) {
  for (int i = 0; i < data->contact_count; ++i) {
    const double *frame = &data->contact_frame[9 * i], *x = &local[3 * i];
    for (int k = 0; k < 3; ++k)
      world[3 * i + k] = x[0] * frame[k] + x[1] * frame[3 + k] + x[2] * frame[6 + k];
  }
}

static void contact_velocity(void *rows, const limpet_log *log, const limpet_data *data) {
  (void)log;
  to_world(rows, data, data->contact_velocity);
}

static void contact_force(void *rows, const limpet_log *log, const limpet_data *data) {
  (void)log;
  to_world(rows, data, data->contact_force);
}

static void contact_rolling(void *rows, const limpet_log *log, const limpet_data *data) {
  (void)log;
  double *world = rows;
  for (int i = 0; i < data->contact_count; ++i) {
    const double *t1 = &data->contact_frame[9 * i], *t2 = t1 + 3;
    const double *torque = &data->contact_rolling[2 * i];
    for (int k = 0; k < 3; ++k) world[3 * i + k] = torque[0] * t1[k] + torque[1] * t2[k];
  }
}

typedef struct dataset {
  const char *name;
  const char *field;  // of limpet_data that it is; computed: whose type and shape it has
  limpet_log_axis axis;
  limpet_log_source source;
  limpet_log_compute *compute;
  const char *unit, *text;
} dataset;

// clang-format off
static const dataset datasets[] = {
    {"time", "time", LIMPET_LOG_RECORD, LIMPET_LOG_MEMBER, NULL, "s", "time at the end of the step"},
    {"step", "step_count", LIMPET_LOG_RECORD, LIMPET_LOG_MEMBER, NULL, "1", "number of the step; 0: the start"},
    {"q", "q", LIMPET_LOG_RECORD, LIMPET_LOG_MEMBER, NULL, "m, rad or 1, by joint", "coordinates"},
    {"v", "v", LIMPET_LOG_RECORD, LIMPET_LOG_MEMBER, NULL, "m/s or rad/s, by joint", "velocities"},
    {"activation", "activation", LIMPET_LOG_RECORD, LIMPET_LOG_MEMBER, NULL, "by actuator", "activation states"},
    {"control", "control", LIMPET_LOG_RECORD, LIMPET_LOG_MEMBER, NULL, "by actuator", "controls during the step"},
    {"actuator_force", "actuator_force", LIMPET_LOG_RECORD, LIMPET_LOG_MEMBER, NULL, "N or N m, by actuator", "forces of the actuators, mean over the step"},
    {"sensor", "sensor", LIMPET_LOG_RECORD, LIMPET_LOG_MEMBER, NULL, "by sensor", "values of the sensors at the start of the step, with the accelerations and forces of the step"},
    {"body_position", "body_position", LIMPET_LOG_RECORD, LIMPET_LOG_POSE, NULL, "m", "body origins in the world"},
    {"body_quaternion", "body_quaternion", LIMPET_LOG_RECORD, LIMPET_LOG_POSE, NULL, "1", "body orientations (w, x, y, z), body axes to world axes"},
    {"vertex_position", "vertex_position", LIMPET_LOG_VERTEX, LIMPET_LOG_MEMBER, NULL, "m", "vertices of deformable bodies in the world: of every record, or of each vertex_stride-th"},
    {"deformable/energy", "deformable_energy", LIMPET_LOG_RECORD, LIMPET_LOG_MEMBER, NULL, "J", "elastic energy of each deformable body"},
    {"deformable/volume", "deformable_volume", LIMPET_LOG_RECORD, LIMPET_LOG_MEMBER, NULL, "m^3", "its volume"},
    {"deformable/stress", "deformable_stress", LIMPET_LOG_RECORD, LIMPET_LOG_MEMBER, NULL, "Pa", "von Mises, largest of its elements"},
    {"deformable/inverted", "deformable_inverted", LIMPET_LOG_RECORD, LIMPET_LOG_MEMBER, NULL, "1", "its elements with a point of negative volume"},
    {"deformable/force", "deformable_force", LIMPET_LOG_RECORD, LIMPET_LOG_MEMBER, NULL, "N", "contact forces on it, world, mean over the step"},
    {"contact_begin", "step_count", LIMPET_LOG_RECORD_END, LIMPET_LOG_COMPUTED, contact_end, "1", "contacts of record i are the rows contact_begin[i] to contact_begin[i + 1] - 1 of contact/*"},
    {"contact/geom", "contact_geom", LIMPET_LOG_CONTACT, LIMPET_LOG_MEMBER, NULL, "1", "geoms A and B, indices into names/geom"},
    {"contact/position", "contact_position", LIMPET_LOG_CONTACT, LIMPET_LOG_MEMBER, NULL, "m", "where the force acts, world, start of the step"},
    {"contact/normal", "contact_position", LIMPET_LOG_CONTACT, LIMPET_LOG_COMPUTED, contact_normal, "1", "from A to B, world"},
    {"contact/distance", "contact_distance", LIMPET_LOG_CONTACT, LIMPET_LOG_MEMBER, NULL, "m", "signed distance, negative inside, start of the step"},
    {"contact/area", "contact_area", LIMPET_LOG_CONTACT, LIMPET_LOG_MEMBER, NULL, "m^2", "of a point of a contact surface: normal force over it is the pressure; 0: a point of two shapes"},
    {"contact/velocity", "contact_velocity", LIMPET_LOG_CONTACT, LIMPET_LOG_COMPUTED, contact_velocity, "m/s", "B relative to A where the force acts, world, end of the step"},
    {"contact/slip_speed", "contact_slip_speed", LIMPET_LOG_CONTACT, LIMPET_LOG_MEMBER, NULL, "m/s", "slip speed below which friction was regularised"},
    {"contact/force", "contact_force", LIMPET_LOG_CONTACT, LIMPET_LOG_COMPUTED, contact_force, "N", "force on B, world, mean over the step"},
    {"contact/torsion", "contact_torsion", LIMPET_LOG_CONTACT, LIMPET_LOG_MEMBER, NULL, "N m", "torque on B about the normal, mean over the step; lagged, coulomb and rigid contact models"},
    {"contact/rolling", "contact_force", LIMPET_LOG_CONTACT, LIMPET_LOG_COMPUTED, contact_rolling, "N m", "rolling resistance on B, world, mean over the step; lagged and coulomb"},
    {"surface_begin", "step_count", LIMPET_LOG_RECORD_END, LIMPET_LOG_COMPUTED, surface_end, "1", "contact surfaces of record i are the rows surface_begin[i] to surface_begin[i + 1] - 1 of surface/*"},
    {"surface/geom", "surface_geom", LIMPET_LOG_SURFACE, LIMPET_LOG_MEMBER, NULL, "1", "geoms A and B, indices into names/geom"},
    {"surface/area", "surface_area", LIMPET_LOG_SURFACE, LIMPET_LOG_MEMBER, NULL, "m^2", "where there is a normal force"},
    {"surface/force", "surface_force", LIMPET_LOG_SURFACE, LIMPET_LOG_MEMBER, NULL, "N", "resultant on B, world, mean over the step"},
    {"surface/torque", "surface_torque", LIMPET_LOG_SURFACE, LIMPET_LOG_MEMBER, NULL, "N m", "on B about the centre of pressure, world, mean over the step"},
    {"surface/centre", "surface_centre", LIMPET_LOG_SURFACE, LIMPET_LOG_MEMBER, NULL, "m", "centre of pressure, world"},
    {"surface/deepest", "surface_deepest", LIMPET_LOG_SURFACE, LIMPET_LOG_MEMBER, NULL, "m", "where the bodies overlap most, world"},
    {"surface/depth", "surface_depth", LIMPET_LOG_SURFACE, LIMPET_LOG_MEMBER, NULL, "m", "there, at the start of the step"},
    {"surface/pressure", "surface_pressure", LIMPET_LOG_SURFACE, LIMPET_LOG_MEMBER, NULL, "Pa", "largest at a point, mean over the step"},
    {"every_step/time", "time", LIMPET_LOG_STEP, LIMPET_LOG_MEMBER, NULL, "s", "time at the end of every step"},
    {"every_step/control", "control", LIMPET_LOG_STEP, LIMPET_LOG_MEMBER, NULL, "by actuator", "controls during every step"},
};
// clang-format on

enum { DATASET_COUNT = (int)(sizeof datasets / sizeof datasets[0]) };

static limpet_log_quantity of_dataset(const dataset *set) {
  const limpet_field *field = limpet_field_find(limpet_data_fields(), set->field);
  assert(field);
  limpet_log_quantity quantity = {.unit = set->unit,
                                  .text = set->text,
                                  .axis = set->axis,
                                  .source = set->source,
                                  .field = field,
                                  .offset = field->offset,
                                  .compute = set->compute};
  snprintf(quantity.name, sizeof quantity.name, "%s", set->name);
  return quantity;
}

static limpet_log_quantity of_info(const limpet_field *field) {
  limpet_log_quantity quantity = {.unit = field->unit ? field->unit : "1",
                                  .text = field->text,
                                  .axis = LIMPET_LOG_RECORD,
                                  .source = LIMPET_LOG_MEMBER,
                                  .field = field,
                                  .offset = offsetof(limpet_data, info) + field->offset};
  snprintf(quantity.name, sizeof quantity.name, "info/%s", field->name);
  return quantity;
}

int limpet_log_quantities(limpet_log_quantity quantities[LIMPET_LOG_QUANTITY_LIMIT]) {
  const limpet_field_table *info = limpet_step_info_fields();
  assert(DATASET_COUNT + info->count <= LIMPET_LOG_QUANTITY_LIMIT);
  int count = 0;
  for (int i = 0; i < DATASET_COUNT; ++i) quantities[count++] = of_dataset(&datasets[i]);
  for (int i = 0; i < info->count; ++i)
    if (info->fields[i].uses & LIMPET_FIELD_RESULT) quantities[count++] = of_info(&info->fields[i]);
  return count;
}

int limpet_log_quantity_shape(const limpet_log_quantity *quantity, const limpet_data *data,
                              int shape[LIMPET_FIELD_RANK]) {
  const limpet_field_scope scope[] = {{limpet_data_fields(), data},
                                      {limpet_model_fields(), data->model}};
  int rank = limpet_field_shape(quantity->field, scope, 2, shape);

  // rows are contacts or surfaces already
  if (quantity->axis == LIMPET_LOG_CONTACT || quantity->axis == LIMPET_LOG_SURFACE) {
    --rank;
    memmove(shape, shape + 1, (size_t)rank * sizeof *shape);
  }
  return rank;
}

// Rows of an axis with those of this record, which are appended after this one.
static void rows_end(void *rows, const limpet_log *log, limpet_log_axis axis, int count) {
  int64_t end = count;
  for (int c = 0; c < log->column_count; ++c) {
    if (log->column[c].quantity.axis != axis) continue;
    end += (int64_t)log->column[c].total;
    break;
  }
  memcpy(rows, &end, sizeof end);
}

static void contact_end(void *rows, const limpet_log *log, const limpet_data *data) {
  rows_end(rows, log, LIMPET_LOG_CONTACT, data->contact_count);
}

static void surface_end(void *rows, const limpet_log *log, const limpet_data *data) {
  rows_end(rows, log, LIMPET_LOG_SURFACE, data->surface_count);
}

bool limpet_log_quantity_of_surfaces(const limpet_log_quantity *quantity) {
  return quantity->axis == LIMPET_LOG_SURFACE || quantity->compute == surface_end;
}
