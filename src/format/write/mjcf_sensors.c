/* format/write/mjcf_sensors.c: cameras and sensors as MJCF. The element of a sensor is called as
 * its kind; which attributes name what it measures follows from what the kind can measure. */
#include <math.h>
#include <string.h>

#include "format/write/writer.h"
#include "limpet/sense.h"
#include "math/vec3.h"

void limpet_write_mjcf_camera(limpet_writer *w, int camera) {
  const limpet_model *m = w->model;
  const int *resolution = m->camera_resolution + 2 * camera;
  const double *focal = m->camera_focal + 2 * camera, *centre = m->camera_centre + 2 * camera;
  const bool flat = m->camera_orthographic[camera];
  limpet_write_begin(w, "camera");
  limpet_write_name(w, "name", LIMPET_OBJECT_CAMERA, camera);
  limpet_write_numbers(w, "pos", m->camera_position + 3 * camera, 3);
  limpet_write_numbers(w, "quat", m->camera_quaternion + 4 * camera, 4);
  const double pixels[2] = {resolution[0], resolution[1]};
  limpet_write_numbers(w, "resolution", pixels, 2);
  if (flat) limpet_write_text(w, "projection", "orthographic");
  const double offset[2] = {centre[0] - 0.5 * pixels[0], centre[1] - 0.5 * pixels[1]};
  const bool plain = offset[0] == 0.0 && offset[1] == 0.0 && (flat || focal[0] == focal[1]);
  if (plain) {
    const double height = pixels[1] / focal[1];
    limpet_write_number(w, "fovy", flat ? height : 360.0 / LIMPET_PI * atan(0.5 * height));
  } else {  // an image sensor whose pixels measure 1
    limpet_write_numbers(w, "sensorsize", pixels, 2);
    limpet_write_numbers(w, "focalpixel", focal, 2);
    limpet_write_numbers(w, "principalpixel", offset, 2);
  }
  limpet_write_end(w, "camera");
}

// ---------------------------------------------------------------------------------- sensors

// A frame: what it is and its name.
static void write_frame(limpet_writer *w, const char *type, const char *name, limpet_object object,
                        int index, bool inertial) {
  const bool body = object == LIMPET_OBJECT_BODY;
  limpet_write_text(w, type, body && !inertial ? "xbody" : limpet_object_word(object));
  limpet_write_name(w, name, object, index);
}

static void write_words(limpet_writer *w, const char *const *words, unsigned fields) {
  char text[128] = "";
  for (int i = 0; words[i]; ++i) {
    if (!(fields >> i & 1u)) continue;
    if (*text) strcat(text, " ");
    strcat(text, words[i]);
  }
  limpet_write_text(w, "data", text);
}

static void write_side(limpet_writer *w, int side, limpet_object object, int index, bool subtree) {
  static const char *const attributes[2][3] = {{"geom1", "body1", "subtree1"},
                                               {"geom2", "body2", "subtree2"}};
  if (index == LIMPET_NONE) return;
  if (object == LIMPET_OBJECT_SITE) {
    limpet_write_name(w, "site", object, index);
    return;
  }
  limpet_write_name(w,
                    attributes[side][object == LIMPET_OBJECT_GEOM ? 0
                                     : subtree                    ? 2
                                                                  : 1],
                    object, index);
}

static void write_contact(limpet_writer *w, int sensor) {
  static const char *const fields[] = {"found",  "force",   "torque", "dist",   "pos",
                                       "normal", "tangent", "linvel", "angvel", NULL};
  static const char *const reductions[] = {"none", "mindist", "maxforce", "netforce"};
  const limpet_model *m = w->model;
  const limpet_contact_sensor *spec = &m->sensor_contact[sensor];
  write_side(w, 0, m->sensor_object_type[sensor], m->sensor_object[sensor], spec->object_subtree);
  write_side(w, 1, m->sensor_reference_type[sensor], m->sensor_reference[sensor],
             spec->reference_subtree);
  write_words(w, fields, spec->fields);
  limpet_write_text(w, "reduce", reductions[spec->reduction]);
  limpet_write_integer(w, "num", spec->slots);
}

static void write_target(limpet_writer *w, int sensor) {
  const limpet_model *m = w->model;
  const limpet_sensor_kind *kind = m->sensor_kind[sensor];
  const unsigned objects = limpet_sensor_kind_objects(kind);
  const limpet_object type = m->sensor_object_type[sensor],
                      other_type = m->sensor_reference_type[sensor];
  const int index = m->sensor_object[sensor], other = m->sensor_reference[sensor];
  const unsigned solid = 1u << LIMPET_OBJECT_GEOM | 1u << LIMPET_OBJECT_BODY,
                 frame = solid | 1u << LIMPET_OBJECT_SITE | 1u << LIMPET_OBJECT_CAMERA;
  if (index == LIMPET_NONE) return;
  if (objects == solid) {
    write_side(w, 0, type, index, false);
    write_side(w, 1, other_type, other, false);
    return;
  }
  if (objects != frame) {
    const bool servo = type == LIMPET_OBJECT_ACTUATOR && m->actuator_part_count[index] > 0;
    limpet_write_name(w, limpet_object_word(type), type,
                      servo ? index - m->actuator_part[index] : index);
    if (other != LIMPET_NONE)
      limpet_write_name(w, limpet_object_word(other_type), other_type, other);
    return;
  }
  write_frame(w, "objtype", "objname", type, index, m->sensor_object_inertial[sensor]);
  if (other == LIMPET_NONE) return;
  if (limpet_sensor_kind_references(kind) == 1u << LIMPET_OBJECT_SITE)
    limpet_write_name(w, "site", other_type, other);
  else
    write_frame(w, "reftype", "refname", other_type, other, m->sensor_reference_inertial[sensor]);
}

// Whether MuJoCo knows the kind, and what it measures is in the file.
static bool is_writable(const limpet_model *m, int sensor) {
  const char *name = limpet_sensor_kind_descriptor(m->sensor_kind[sensor])->name;
  if (strcmp(name, "zeros") == 0 || strcmp(name, "taxels") == 0 || strcmp(name, "tactile") == 0)
    return false;
  const limpet_object type[2] = {m->sensor_object_type[sensor], m->sensor_reference_type[sensor]};
  const int index[2] = {m->sensor_object[sensor], m->sensor_reference[sensor]};
  for (int k = 0; k < 2; ++k) {
    if (index[k] == LIMPET_NONE) continue;
    if (type[k] == LIMPET_OBJECT_ACTUATOR &&
        m->actuator_transmission[index[k]] == LIMPET_TRANSMISSION_SURFACE)
      return false;
    if (type[k] == LIMPET_OBJECT_GEOM && (m->geom_kind[index[k]] == LIMPET_SHAPE_SOFT ||
                                          m->geom_kind[index[k]] == LIMPET_SHAPE_CLOUD))
      return false;
  }
  return true;
}

// Another axis of an orientation servo: the sensor of the first stands for all three.
static bool is_other_axis(const limpet_model *m, int sensor) {
  const int a = m->sensor_object[sensor];
  if (m->sensor_object_type[sensor] != LIMPET_OBJECT_ACTUATOR || a == LIMPET_NONE) return false;
  return m->actuator_gain_law[a] == LIMPET_ACTUATOR_ORIENTATION &&
         m->actuator_part[a] != (m->actuator_part_count[a] == 4 ? 1 : 0);
}

static void write_delay(limpet_writer *w, int sensor) {
  const limpet_model *m = w->model;
  const double *interval = m->sensor_interval + 2 * sensor;
  if (m->sensor_history[sensor] < 0) return;
  limpet_write_delay(w, m->sensor_delay[sensor], m->sensor_delay_samples[sensor],
                     m->sensor_delay_interpolation[sensor]);
  if (interval[0] > 0.0) limpet_write_numbers(w, "interval", interval, 2);
}

static void write_sensor(limpet_writer *w, int sensor) {
  static const char *const fields[] = {"dist", "dir", "origin", "point", "normal", "depth", NULL};
  const limpet_model *m = w->model;
  const char *kind = limpet_sensor_kind_descriptor(m->sensor_kind[sensor])->name;
  char name[LIMPET_WRITER_NAME_SIZE];
  if (is_other_axis(m, sensor)) return;
  if (!is_writable(m, sensor)) {
    limpet_writer_leave_out(w, "sensor %s (%s): MJCF has no such sensor",
                            limpet_writer_name(w, LIMPET_OBJECT_SENSOR, sensor, name), kind);
    return;
  }
  limpet_write_begin(w, kind);
  limpet_write_name(w, "name", LIMPET_OBJECT_SENSOR, sensor);
  if (strcmp(kind, "contact") == 0) write_contact(w, sensor);
  else write_target(w, sensor);
  if (strcmp(kind, "rangefinder") == 0) write_words(w, fields, m->sensor_range_fields[sensor]);
  limpet_write_unless(w, "cutoff", m->sensor_cutoff[sensor], 0.0);
  limpet_write_unless(w, "noise", m->sensor_noise[sensor], 0.0);
  write_delay(w, sensor);
  limpet_write_end(w, kind);
}

void limpet_write_mjcf_sensors(limpet_writer *w) {
  if (w->model->sensor_count == 0) return;
  limpet_write_begin(w, "sensor");
  for (int s = 0; s < w->model->sensor_count; ++s) write_sensor(w, s);
  limpet_write_end(w, "sensor");
}
