/* model/compile_sensors.c: sensors: what they measure exists and suits their kind; where their
 * numbers stand in data->sensor. */
#include <string.h>

#include "model/compile.h"
#include "model/history.h"
#include "model/sensor_kind.h"

enum { TAXEL_LIMIT = 1000 };  // rows, columns of a tactile sensor

// "site or body": the kinds of objects in a set of bits.
static const char *words_of(char text[96], unsigned objects) {
  text[0] = '\0';
  for (int i = 0; i < LIMPET_OBJECT_COUNT; ++i) {
    if (!(objects >> i & 1u)) continue;
    if (text[0]) strcat(text, " or ");
    strcat(text, limpet_object_word((limpet_object)i));
  }
  return text;
}

static limpet_status check_target(const limpet_compiler *compiler, int s, const char *role,
                                  unsigned allowed, bool needed, limpet_object type, int handle) {
  const limpet_sensor_kind *kind = limpet_builder_sensors(compiler->builder)[s].kind;
  const int list = LIMPET_OBJECT_SENSOR;
  char words[96];
  if (handle == LIMPET_NONE) {
    if (!needed) return LIMPET_OK;
    return limpet_compile_error(compiler, list, s, " (%s) has no %s; name a %s",
                                kind->descriptor.name, role, words_of(words, allowed));
  }
  if (allowed == 0)
    return limpet_compile_error(compiler, list, s, ": a %s has no %s; leave it out",
                                kind->descriptor.name, role);
  if (type < 0 || type >= LIMPET_OBJECT_COUNT || !(allowed >> type & 1u))
    return limpet_compile_error(compiler, list, s, ": the %s of a %s must be a %s", role,
                                kind->descriptor.name, words_of(words, allowed));
  if (handle < 0 || handle >= compiler->builder->list[type].count)
    return limpet_compile_error(
        compiler, list, s,
        ": its %s is %s number %d, but there are %d; use a handle that the builder gave", role,
        limpet_object_word(type), handle, compiler->builder->list[type].count);
  return LIMPET_OK;
}

// Whether a joint (or tendon) is of the sort that the kind of sensor asks for.
static limpet_status check_joint(const limpet_compiler *compiler, int s) {
  const limpet_sensor_description *sensor = limpet_builder_sensors(compiler->builder) + s;
  const char *name = sensor->kind->descriptor.name;
  const int list = LIMPET_OBJECT_SENSOR;
  if (sensor->object_type == LIMPET_OBJECT_TENDON &&
      sensor->kind->joints == LIMPET_SENSOR_JOINTS_LIMITED &&
      !limpet_builder_tendons(compiler->builder)[sensor->object].limited)
    return limpet_compile_error(compiler, list, s, ": a %s needs a tendon with limits", name);
  if (sensor->object_type != LIMPET_OBJECT_JOINT) return LIMPET_OK;
  const limpet_joint_description *joint = limpet_builder_joints(compiler->builder) + sensor->object;
  const char *word = limpet_joint_kind_word(joint->kind);
  if (sensor->kind->joints == LIMPET_SENSOR_JOINTS_SCALAR && limpet_joint_kind_nv(joint->kind) != 1)
    return limpet_compile_error(
        compiler, list, s, ": a %s needs a joint with one coordinate, not a %s one", name, word);
  if (sensor->kind->joints == LIMPET_SENSOR_JOINTS_BALL && joint->kind != LIMPET_JOINT_BALL)
    return limpet_compile_error(compiler, list, s, ": a %s needs a ball joint, not a %s one", name,
                                word);
  if (sensor->kind->joints == LIMPET_SENSOR_JOINTS_LIMITED && !joint->limited)
    return limpet_compile_error(compiler, list, s, ": a %s needs a joint with limits", name);
  return LIMPET_OK;
}

static limpet_status check_numbers(const limpet_compiler *compiler, int s) {
  const limpet_sensor_description *sensor = limpet_builder_sensors(compiler->builder) + s;
  const limpet_sensor_kind *kind = sensor->kind;
  const int list = LIMPET_OBJECT_SENSOR;
  if (sensor->cutoff < 0.0 || sensor->noise < 0.0)
    return limpet_compile_error(compiler, list, s, ": cutoff %g, noise %g; give 0 or more",
                                sensor->cutoff, sensor->noise);
  if (sensor->delay < 0.0 || sensor->interval[0] < 0.0 || sensor->interval[1] > 0.0 ||
      sensor->interval[1] < -sensor->interval[0])
    return limpet_compile_error(
        compiler, list, s,
        ": delay %g s, interval %g s, last reading at %g s; give 0 or more, and a last reading "
        "between minus the interval and 0",
        sensor->delay, sensor->interval[0], sensor->interval[1]);
  const int size = limpet_compile_sensor_size(compiler->builder, s);
  if (sensor->delay_samples < 0 || (sensor->delay > 0.0 && sensor->delay_samples == 0) ||
      (sensor->delay_samples > 0 && !limpet_history_sensor_size(sensor->delay_samples, size)))
    return limpet_compile_error(compiler, list, s,
                                ": it remembers %d readings; give as many as steps fit into its "
                                "delay of %g s and one more, %d numbers in all at most",
                                sensor->delay_samples, sensor->delay, LIMPET_HISTORY_LIMIT);
  if (kind->range == LIMPET_SENSOR_UNIT && sensor->cutoff > 0.0)
    return limpet_compile_error(compiler, list, s,
                                ": a %s is a direction, which cannot be cut off; leave cutoff out",
                                kind->descriptor.name);
  if (kind->size == 0 && (sensor->size < 0 || sensor->size > 1 << 24))
    return limpet_compile_error(compiler, list, s, ": its size is %d numbers; give 0 to 16777216",
                                sensor->size);
  const limpet_contact_sensor *contact = &sensor->contact;
  if (kind->size_of &&
      (contact->slots < 1 || contact->slots > 1 << 20 || contact->fields == 0 ||
       contact->fields >= LIMPET_CONTACT_ANGULAR_VELOCITY << 1 ||
       contact->reduction < LIMPET_CONTACT_FIRST || contact->reduction > LIMPET_CONTACT_NET))
    return limpet_compile_error(compiler, list, s,
                                ": %d slots, fields %u, reduction %d; give 1 to 1048576 slots, "
                                "some of the fields, a reduction "
                                "of the enumeration",
                                contact->slots, contact->fields, (int)contact->reduction);
  if (sensor->range_fields == 0 || sensor->range_fields >= LIMPET_RANGE_DEPTH << 1)
    return limpet_compile_error(compiler, list, s,
                                ": its range fields are %u; give some of the LIMPET_RANGE_ bits",
                                sensor->range_fields);
  if (kind->size_of && kind->objects == LIMPET_SENSES_SITE &&
      limpet_builder_sites(compiler->builder)[sensor->object].kind != LIMPET_SHAPE_BOX)
    return limpet_compile_error(
        compiler, list, s, ": its site is a %s; a grid of taxels needs a site that is a box",
        limpet_shape_kind_word(limpet_builder_sites(compiler->builder)[sensor->object].kind));
  for (int k = 0; k < 2; ++k)
    if (sensor->taxels[k] < 1 || sensor->taxels[k] > TAXEL_LIMIT)
      return limpet_compile_error(compiler, list, s,
                                  ": it has %d x %d taxels; give 1 to %d of each",
                                  sensor->taxels[0], sensor->taxels[1], TAXEL_LIMIT);
  const bool inside = kind->references == LIMPET_SENSES_SITE;  // a site lies in its own volume
  if (kind->reference_needed && !inside && sensor->object == sensor->reference &&
      sensor->object_type == sensor->reference_type)
    return limpet_compile_error(compiler, list, s,
                                " measures between a thing and itself; name two different ones");
  return LIMPET_OK;
}

limpet_status limpet_compile_sensor_handles(limpet_compiler *compiler) {
  limpet_status status = LIMPET_OK;
  for (int s = 0; s < compiler->builder->list[LIMPET_OBJECT_SENSOR].count && !status; ++s) {
    const limpet_sensor_description *sensor = limpet_builder_sensors(compiler->builder) + s;
    const limpet_sensor_kind *kind = sensor->kind;
    if (!kind)
      return limpet_compile_error(compiler, LIMPET_OBJECT_SENSOR, s,
                                  " has no kind; use one that limpet_sensor_kind_find gives");
    status = check_target(compiler, s, "object", kind->objects,
                          kind->objects != 0 && !kind->object_optional, sensor->object_type,
                          sensor->object);
    if (!status)
      status = check_target(compiler, s, "reference", kind->references, kind->reference_needed,
                            sensor->reference_type, sensor->reference);
    if (!status) status = check_joint(compiler, s);
    if (!status) status = check_numbers(compiler, s);
  }
  return status;
}

int limpet_compile_sensor_size(const limpet_builder *builder, int sensor) {
  const limpet_sensor_description *s = limpet_builder_sensors(builder) + sensor;
  if (s->reference_type == LIMPET_OBJECT_MESH && s->reference != LIMPET_NONE)
    return 3 * limpet_builder_meshes(builder)[s->reference].vertex_count;
  if (!s->kind->size_of) return s->kind->size > 0 ? s->kind->size : s->size;
  const bool camera = s->object_type == LIMPET_OBJECT_CAMERA && s->object != LIMPET_NONE;
  return s->kind->size_of(s, camera ? limpet_builder_cameras(builder) + s->object : NULL);
}

bool limpet_compile_sensor_remembers(const limpet_builder *builder, int sensor) {
  const limpet_sensor_description *s = limpet_builder_sensors(builder) + sensor;
  return s->delay_samples > 0 && (s->delay > 0.0 || s->interval[0] > 0.0);
}

static int index_of(const limpet_compiler *compiler, limpet_object type, int handle) {
  if (handle == LIMPET_NONE) return LIMPET_NONE;
  switch (type) {
    case LIMPET_OBJECT_BODY: return compiler->body.index[handle];
    case LIMPET_OBJECT_JOINT: return compiler->joint.index[handle];
    case LIMPET_OBJECT_GEOM: return compiler->geom.index[handle];
    case LIMPET_OBJECT_SITE: return compiler->site.index[handle];
    case LIMPET_OBJECT_CAMERA: return compiler->camera.index[handle];
    default: return handle;
  }
}

limpet_status limpet_compile_sensors(limpet_compiler *compiler) {
  limpet_model *model = compiler->model;
  int address = 0, history = 0;
  for (int a = 0; a < model->actuator_count; ++a)
    if (model->actuator_history[a] >= 0)
      history += limpet_history_control_size(model->actuator_delay_samples[a]);
  for (int s = 0; s < model->sensor_count; ++s) {
    const limpet_sensor_description *sensor = limpet_builder_sensors(compiler->builder) + s;
    model->sensor_kind[s] = sensor->kind;
    model->sensor_object_type[s] = sensor->object_type;
    model->sensor_object[s] = index_of(compiler, sensor->object_type, sensor->object);
    model->sensor_object_inertial[s] = sensor->object_inertial;
    model->sensor_reference_type[s] = sensor->reference_type;
    model->sensor_reference[s] = index_of(compiler, sensor->reference_type, sensor->reference);
    model->sensor_reference_inertial[s] = sensor->reference_inertial;
    model->sensor_contact[s] = sensor->contact;
    model->sensor_range_fields[s] = sensor->range_fields;
    for (int k = 0; k < 2; ++k) model->sensor_taxels[2 * s + k] = sensor->taxels[k];
    model->sensor_address[s] = address;
    model->sensor_size[s] = limpet_compile_sensor_size(compiler->builder, s);
    model->sensor_cutoff[s] = sensor->cutoff;
    model->sensor_noise[s] = sensor->noise;
    address += model->sensor_size[s];
    model->sensor_delay[s] = sensor->delay;
    for (int k = 0; k < 2; ++k) model->sensor_interval[2 * s + k] = sensor->interval[k];
    model->sensor_delay_samples[s] = sensor->delay_samples;
    model->sensor_delay_interpolation[s] = sensor->delay_interpolation;
    const bool remembers = limpet_compile_sensor_remembers(compiler->builder, s);
    model->sensor_history[s] = remembers ? history : -1;
    if (remembers)
      history += limpet_history_sensor_size(sensor->delay_samples, model->sensor_size[s]);
  }
  return LIMPET_OK;
}
