/* cli/info_json.c: a model as JSON, for `limpet info --json`: one list for each kind of object, in
 * the order of the model. */
#include "info_json.h"

#include <math.h>
#include <string.h>

#include "controls.h"
#include "fields.h"
#include "json.h"

static const unsigned disable_bits[] = {LIMPET_DISABLE_CONTACT,       LIMPET_DISABLE_LIMIT,
                                        LIMPET_DISABLE_DRY_FRICTION,  LIMPET_DISABLE_EQUALITY,
                                        LIMPET_DISABLE_SPRING,        LIMPET_DISABLE_DAMPER,
                                        LIMPET_DISABLE_GRAVITY,       LIMPET_DISABLE_ACTUATION,
                                        LIMPET_DISABLE_CLAMP_CONTROL, LIMPET_DISABLE_PARENT_FILTER};
static const char *const disable_words[] = {
    "contact", "limit",   "dry friction", "equality",      "spring",
    "damper",  "gravity", "actuation",    "clamp control", "parent filter"};

const char *limpet_transmission_word(limpet_transmission transmission) {
  static const char *const words[] = {"joint",   "joint in parent", "tendon", "site",
                                      "surface", "slider-crank",    "body"};
  return words[transmission];
}

static const char *activation_word(limpet_activation activation) {
  static const char *const words[] = {"none",         "integrator", "filter",
                                      "exact filter", "muscle",     "motor"};
  return words[activation];
}

static json_t *name_json(const limpet_model *model, limpet_object object, int index) {
  return index < 0 ? json_null() : limpet_json_text(limpet_model_name(model, object, index));
}

// An object that begins with its index and name.
static json_t *object_begin(const limpet_model *model, limpet_object object, int index) {
  return json_pack("{s:i, s:o}", "index", index, "name", name_json(model, object, index));
}

static void put(json_t *object, const char *key, json_t *value) {
  json_object_set_new(object, key, value);
}

static void put_number(json_t *object, const char *key, double value) {
  put(object, key, limpet_json_number(value));
}

// [low, high], null where there is no limit on that side.
static void put_range(json_t *object, const char *key, bool limited, const double *range) {
  put(object, key, limited ? limpet_json_array(range, 2) : json_null());
}

static json_t *indices_json(int first, int count) {
  json_t *list = json_array();
  for (int i = 0; i < count; ++i) json_array_append_new(list, json_integer(first + i));
  return list;
}

static json_t *options_json(const limpet_model *model) {
  const limpet_options *options = &model->options;
  json_t *disabled = json_array();
  for (size_t i = 0; i < sizeof disable_bits / sizeof *disable_bits; ++i) {
    if (options->disabled & disable_bits[i])
      json_array_append_new(disabled, json_string(disable_words[i]));
  }
  const bool maximum = options->friction_rule == LIMPET_FRICTION_MAXIMUM;
  return json_pack("{s:o, s:f, s:o, s:s}", "gravity", limpet_json_array(options->gravity, 3),
                   "time_step", options->time_step, "disabled", disabled, "friction_rule",
                   maximum ? "maximum" : "harmonic mean");
}

static json_t *body_json(const limpet_model *model, int i) {
  json_t *body = object_begin(model, LIMPET_OBJECT_BODY, i);
  put(body, "parent", i == 0 ? json_null() : json_integer(model->body_parent[i]));
  put(body, "parent_name",
      i == 0 ? json_null() : name_json(model, LIMPET_OBJECT_BODY, model->body_parent[i]));
  put(body, "tree", model->body_tree[i] < 0 ? json_null() : json_integer(model->body_tree[i]));
  put(body, "position", limpet_json_array(model->body_position + 3 * i, 3));
  put(body, "quaternion", limpet_json_array(model->body_quaternion + 4 * i, 4));
  put_number(body, "mass", model->body_mass[i]);
  put(body, "centre_of_mass", limpet_json_array(model->body_com + 3 * i, 3));
  put(body, "inertia", limpet_json_matrix(model->body_inertia + 9 * i, 3, 3));
  put_number(body, "gravity_compensation", model->body_gravity_compensation[i]);
  put(body, "mocap", json_boolean(model->body_mocap[i] >= 0));
  put(body, "joints", indices_json(model->body_joint[i], model->body_joint_count[i]));
  put(body, "geoms", indices_json(model->body_geom[i], model->body_geom_count[i]));
  return body;
}

static json_t *joint_json(const limpet_model *model, int i) {
  json_t *joint = object_begin(model, LIMPET_OBJECT_JOINT, i);
  const limpet_joint_kind kind = model->joint_kind[i];
  const int v = model->joint_v[i], count = limpet_joint_kind_nv(kind);
  put(joint, "kind", json_string(limpet_joint_kind_word(kind)));
  put(joint, "body", json_integer(model->joint_body[i]));
  put(joint, "body_name", name_json(model, LIMPET_OBJECT_BODY, model->joint_body[i]));
  put(joint, "q_offset", json_integer(model->joint_q[i]));
  put(joint, "q_count", json_integer(limpet_joint_kind_nq(kind)));
  put(joint, "v_offset", json_integer(v));
  put(joint, "v_count", json_integer(count));
  put(joint, "position", limpet_json_array(model->joint_position + 3 * i, 3));
  put(joint, "axis", limpet_json_array(model->joint_axis + 3 * i, 3));
  if (kind == LIMPET_JOINT_SCREW) put_number(joint, "advance", model->joint_advance[i]);
  put_range(joint, "range", model->joint_limited[i], model->joint_range + 2 * i);
  put_range(joint, "effort_range", model->joint_effort_limited[i],
            model->joint_effort_range + 2 * i);
  put_number(joint, "stiffness", model->joint_stiffness[i]);
  put(joint, "stiffness_growth", limpet_json_array(model->joint_stiffness_growth + 2 * i, 2));
  put(joint, "damping", limpet_json_array(model->dof_damping + v, count));
  put(joint, "damping_growth", limpet_json_array(model->dof_damping_growth + 2 * v, 2));
  put(joint, "armature", limpet_json_array(model->dof_armature + v, count));
  put(joint, "dry_friction", limpet_json_array(model->dof_dry_friction + v, count));
  put(joint, "q_reference",
      limpet_json_array(model->q_reference + model->joint_q[i], limpet_joint_kind_nq(kind)));
  put(joint, "q_spring",
      limpet_json_array(model->q_spring + model->joint_q[i], limpet_joint_kind_nq(kind)));
  return joint;
}

static json_t *material_json(const limpet_material *material) {
  json_t *object = json_object();
  put_number(object, "friction", material->friction);
  put_number(object, "friction_torsional", material->friction_torsional);
  put_number(object, "friction_rolling", material->friction_rolling);
  put_number(object, "stiffness", material->stiffness);
  put_number(object, "dissipation", material->dissipation);
  put_number(object, "relaxation_time", material->relaxation_time);
  put_number(object, "friction_static",
             isnan(material->friction_static) ? material->friction : material->friction_static);
  put_number(object, "friction_ratio", material->friction_ratio);
  put_number(object, "restitution", material->restitution);
  put(object, "friction_axis", limpet_json_array(material->friction_axis, 3));
  put(object, "surface_velocity", limpet_json_array(material->surface_velocity, 3));
  put(object, "surface_angular_velocity", limpet_json_array(material->surface_angular_velocity, 3));
  put_number(object, "adhesion", material->adhesion);
  const limpet_impedance *impedance = &material->impedance;
  put(object, "solref",
      material->has_impedance ? limpet_json_array(impedance->reference, 2) : json_null());
  put(object, "solimp",
      material->has_impedance ? limpet_json_array(impedance->impedance, 5) : json_null());
  return object;
}

static json_t *geom_json(const limpet_model *model, int i) {
  json_t *geom = object_begin(model, LIMPET_OBJECT_GEOM, i);
  put(geom, "kind", json_string(limpet_shape_kind_word(model->geom_kind[i])));
  put(geom, "body", json_integer(model->geom_body[i]));
  put(geom, "body_name", name_json(model, LIMPET_OBJECT_BODY, model->geom_body[i]));
  put(geom, "size", limpet_json_array(model->geom_size + 3 * i, 3));
  put(geom, "position", limpet_json_array(model->geom_position + 3 * i, 3));
  put(geom, "quaternion", limpet_json_array(model->geom_quaternion + 4 * i, 4));
  put(geom, "mesh", model->geom_mesh[i] < 0 ? json_null() : json_integer(model->geom_mesh[i]));
  put(geom, "cloud", model->geom_cloud[i] < 0 ? json_null() : json_integer(model->geom_cloud[i]));
  put(geom, "collides", json_boolean(model->geom_collider[i] >= 0));
  put(geom, "contype", json_integer(model->geom_contype[i]));
  put(geom, "conaffinity", json_integer(model->geom_conaffinity[i]));
  put(geom, "condim", json_integer(model->geom_condim[i]));
  put(geom, "priority", json_integer(model->geom_priority[i]));
  put(geom, "group", json_integer(model->geom_group[i]));
  put_number(geom, "margin", model->geom_margin[i]);
  put_number(geom, "gap", model->geom_gap[i]);
  put(geom, "field", limpet_field_json(model, i));
  put(geom, "material", material_json(&model->geom_material[i]));
  const float *rgba = model->geom_rgba + 4 * i;
  put(geom, "rgba",
      json_pack("[f, f, f, f]", (double)rgba[0], (double)rgba[1], (double)rgba[2],
                (double)rgba[3]));
  return geom;
}

static json_t *site_json(const limpet_model *model, int i) {
  json_t *site = object_begin(model, LIMPET_OBJECT_SITE, i);
  put(site, "body", json_integer(model->site_body[i]));
  put(site, "body_name", name_json(model, LIMPET_OBJECT_BODY, model->site_body[i]));
  put(site, "position", limpet_json_array(model->site_position + 3 * i, 3));
  put(site, "quaternion", limpet_json_array(model->site_quaternion + 4 * i, 4));
  put(site, "kind", json_string(limpet_shape_kind_word(model->site_kind[i])));
  put(site, "size", limpet_json_array(model->site_size + 3 * i, 3));
  return site;
}

static json_t *mesh_json(const limpet_model *model, int i) {
  const limpet_mesh *mesh = &model->mesh[i];
  json_t *object = object_begin(model, LIMPET_OBJECT_MESH, i);
  put(object, "file", limpet_json_text(mesh->file));
  put(object, "vertices", json_integer(mesh->vertex_count));
  put(object, "faces", json_integer(mesh->face_count));
  put(object, "hull_vertices", mesh->hull ? json_integer(mesh->hull->vertex_count) : json_null());
  put(object, "position", limpet_json_array(mesh->position, 3));
  put(object, "quaternion", limpet_json_array(mesh->quaternion, 4));
  put_number(object, "volume", mesh->volume);
  return object;
}

static json_t *cloud_json(const limpet_model *model, int i) {
  const limpet_cloud *cloud = model->cloud[i];
  json_t *object = object_begin(model, LIMPET_OBJECT_CLOUD, i);
  put(object, "file", limpet_json_text(cloud->file));
  put(object, "points", json_integer(cloud->point_count));
  put_number(object, "point_radius", cloud->point_radius);
  put(object, "contact_points", json_integer(cloud->contact_points));
  put(object, "centroid", limpet_json_array(cloud->centroid, 3));
  return object;
}

// What only actuators with the activation or the curves of a muscle have.
static void put_muscle(json_t *actuator, const limpet_model *model, int i) {
  const bool gain = model->actuator_gain_law[i] == LIMPET_ACTUATOR_MUSCLE,
             bias = model->actuator_bias_law[i] == LIMPET_ACTUATOR_MUSCLE;
  if (model->actuator_activation[i] == LIMPET_ACTIVATION_MUSCLE) {
    put_number(actuator, "deactivation_time", model->actuator_deactivation_time[i]);
    put_number(actuator, "activation_smoothing", model->actuator_activation_smoothing[i]);
  }
  if (!gain && !bias) return;
  const limpet_muscle *muscle = &model->actuator_muscle[i];
  json_t *curves = json_object();
  put(curves, "gain", json_boolean(gain));
  put(curves, "bias", json_boolean(bias));
  put(curves, "range", limpet_json_array(muscle->range, 2));
  put_number(curves, "force", muscle->force);
  put_number(curves, "shortest", muscle->shortest);
  put_number(curves, "longest", muscle->longest);
  put_number(curves, "fastest", muscle->fastest);
  put_number(curves, "passive_force", muscle->passive_force);
  put_number(curves, "lengthening_force", muscle->lengthening_force);
  put(actuator, "muscle", curves);
  put(actuator, "length_range", limpet_json_array(model->actuator_length_range + 2 * i, 2));
}

// What only PID controllers and electrical motors have: all numbers of limpet_motor.
static void put_motor(json_t *actuator, const limpet_model *model, int i) {
  static const char *const words[] = {"position", "velocity", "force", "voltage"};
  if (model->actuator_gain_law[i] != LIMPET_ACTUATOR_MOTOR) return;
  const limpet_motor *motor = &model->actuator_motor[i];
  const limpet_field_table *table = limpet_motor_fields();
  json_t *numbers = json_object(), *inputs = json_array();
  for (unsigned k = 0; k < 4; ++k)
    if (motor->inputs & 1u << k) json_array_append_new(inputs, json_string(words[k]));
  for (int k = 0; k < table->count; ++k) {
    const limpet_field *field = &table->fields[k];
    if (strcmp(limpet_field_last_name(field), "inputs") != 0)
      put_number(numbers, limpet_field_last_name(field), limpet_field_number(field, motor, 0));
  }
  put(numbers, "inputs", inputs);
  put(numbers, "part", json_integer(model->actuator_part[i]));
  put(actuator, "motor", numbers);
  put(actuator, "activation_count", json_integer(model->actuator_act_count[i]));
}

// What only actuators whose control is delayed, and parts of orientation servos have.
static void put_delay(json_t *object, double delay, int samples, limpet_interpolation by) {
  static const char *const words[] = {"hold", "linear", "cubic"};
  put_number(object, "delay", delay);
  put(object, "delay_samples", json_integer(samples));
  put(object, "delay_interpolation", json_string(words[by]));
}

static void put_part(json_t *actuator, const limpet_model *model, int i) {
  if (model->actuator_history[i] >= 0)
    put_delay(actuator, model->actuator_delay[i], model->actuator_delay_samples[i],
              model->actuator_delay_interpolation[i]);
  if (model->actuator_gain_law[i] != LIMPET_ACTUATOR_ORIENTATION) return;
  put(actuator, "orientation_part", json_integer(model->actuator_part[i]));
  put(actuator, "orientation_part_count", json_integer(model->actuator_part_count[i]));
}

static json_t *camera_json(const limpet_model *model, int i) {
  json_t *camera = object_begin(model, LIMPET_OBJECT_CAMERA, i);
  const int *resolution = model->camera_resolution + 2 * i;
  put(camera, "body", json_integer(model->camera_body[i]));
  put(camera, "body_name", name_json(model, LIMPET_OBJECT_BODY, model->camera_body[i]));
  put(camera, "position", limpet_json_array(model->camera_position + 3 * i, 3));
  put(camera, "quaternion", limpet_json_array(model->camera_quaternion + 4 * i, 4));
  put(camera, "orthographic", json_boolean(model->camera_orthographic[i]));
  put(camera, "resolution", json_pack("[ii]", resolution[0], resolution[1]));
  put(camera, "focal", limpet_json_array(model->camera_focal + 2 * i, 2));
  put(camera, "centre", limpet_json_array(model->camera_centre + 2 * i, 2));
  return camera;
}

static json_t *actuator_json(const limpet_model *model, int i) {
  json_t *actuator = object_begin(model, LIMPET_OBJECT_ACTUATOR, i);
  const limpet_transmission transmission = model->actuator_transmission[i];
  put(actuator, "transmission", json_string(limpet_transmission_word(transmission)));
  put(actuator, "target", json_integer(model->actuator_target[i]));
  put(actuator, "target_name",
      name_json(model, limpet_transmission_object(transmission), model->actuator_target[i]));
  put(actuator, "gear", limpet_json_array(model->actuator_gear + 6 * i, 6));
  put(actuator, "control_unit", json_string(limpet_control_unit(model, i)));
  put_range(actuator, "control_range", model->actuator_control_limited[i],
            model->actuator_control_range + 2 * i);
  put_range(actuator, "force_range", model->actuator_force_limited[i],
            model->actuator_force_range + 2 * i);
  put_range(actuator, "activation_range", model->actuator_activation_limited[i],
            model->actuator_activation_range + 2 * i);
  put(actuator, "activation", json_string(activation_word(model->actuator_activation[i])));
  put(actuator, "activation_offset",
      model->actuator_act[i] < 0 ? json_null() : json_integer(model->actuator_act[i]));
  put_number(actuator, "activation_time", model->actuator_activation_time[i]);
  put(actuator, "gain", limpet_json_array(model->actuator_gain + 3 * i, 3));
  put(actuator, "bias", limpet_json_array(model->actuator_bias + 3 * i, 3));
  put_muscle(actuator, model, i);
  put_motor(actuator, model, i);
  put_part(actuator, model, i);
  if (transmission == LIMPET_TRANSMISSION_SLIDER_CRANK)
    put_number(actuator, "crank_length", model->actuator_crank_length[i]);
  put(actuator, "group", json_integer(model->actuator_group[i]));
  put(actuator, "disabled", json_boolean(model->actuator_disabled[i]));
  return actuator;
}

static json_t *tendon_points_json(const limpet_model *model, int tendon) {
  static const char *const words[] = {"site", "geom", "pulley"};
  json_t *points = json_array();
  for (int k = model->tendon_point_begin[tendon]; k < model->tendon_point_begin[tendon + 1]; ++k) {
    const limpet_tendon_point_kind kind = model->tendon_point_kind[k];
    json_t *point = json_object();
    put(point, "kind", json_string(words[kind]));
    if (kind == LIMPET_TENDON_PULLEY) put_number(point, "divisor", model->tendon_point_divisor[k]);
    else put(point, words[kind], json_integer(model->tendon_point_object[k]));
    if (model->tendon_point_side[k] != LIMPET_NONE)
      put(point, "side_site", json_integer(model->tendon_point_side[k]));
    json_array_append_new(points, point);
  }
  return points;
}

static json_t *tendon_json(const limpet_model *model, int i) {
  json_t *tendon = object_begin(model, LIMPET_OBJECT_TENDON, i), *terms = json_array();
  for (int k = model->tendon_begin[i]; k < model->tendon_begin[i + 1]; ++k) {
    const int joint = model->tendon_joint[k];
    json_array_append_new(terms, json_pack("{s:i, s:o, s:f}", "joint", joint, "joint_name",
                                           name_json(model, LIMPET_OBJECT_JOINT, joint),
                                           "coefficient", model->tendon_coefficient[k]));
  }
  put(tendon, "terms", terms);
  put(tendon, "points", tendon_points_json(model, i));
  put_number(tendon, "reference_length", model->tendon_reference_length[i]);
  put_range(tendon, "range", model->tendon_limited[i], model->tendon_range + 2 * i);
  put_range(tendon, "effort_range", model->tendon_effort_limited[i],
            model->tendon_effort_range + 2 * i);
  put(tendon, "spring_range", limpet_json_array(model->tendon_spring_range + 2 * i, 2));
  put_number(tendon, "stiffness", model->tendon_stiffness[i]);
  put_number(tendon, "damping", model->tendon_damping[i]);
  put(tendon, "stiffness_growth", limpet_json_array(model->tendon_stiffness_growth + 2 * i, 2));
  put(tendon, "damping_growth", limpet_json_array(model->tendon_damping_growth + 2 * i, 2));
  put_number(tendon, "armature", model->tendon_armature[i]);
  put_number(tendon, "dry_friction", model->tendon_dry_friction[i]);
  return tendon;
}

static json_t *coupler_json(const limpet_model *model, int i) {
  json_t *coupler = object_begin(model, LIMPET_OBJECT_COUPLER, i);
  const limpet_object object =
      model->coupler_tendon[i] ? LIMPET_OBJECT_TENDON : LIMPET_OBJECT_JOINT;
  put(coupler, "couples", json_string(limpet_object_word(object)));
  put(coupler, "y", json_integer(model->coupler_y[i]));
  put(coupler, "y_name", name_json(model, object, model->coupler_y[i]));
  put(coupler, "x", model->coupler_x[i] < 0 ? json_null() : json_integer(model->coupler_x[i]));
  put(coupler, "x_name", name_json(model, object, model->coupler_x[i]));
  put(coupler, "coefficient", limpet_json_array(model->coupler_coefficient + 5 * i, 5));
  put(coupler, "active", json_boolean(model->coupler_active[i]));
  return coupler;
}

static json_t *loop_json(const limpet_model *model, int i) {
  static const char *const kinds[] = {"connect", "weld", "distance"};
  json_t *loop = object_begin(model, LIMPET_OBJECT_LOOP, i);
  const int *body = model->loop_body + 2 * i;
  const bool distance = model->loop_kind[i] == LIMPET_LOOP_DISTANCE;
  put(loop, "kind", json_string(kinds[model->loop_kind[i]]));
  put(loop, "body_a", json_integer(body[0]));
  put(loop, "body_a_name", name_json(model, LIMPET_OBJECT_BODY, body[0]));
  put(loop, "body_b", json_integer(body[1]));
  put(loop, "body_b_name", name_json(model, LIMPET_OBJECT_BODY, body[1]));
  put(loop, "position_a", limpet_json_array(model->loop_position + 6 * i, 3));
  put(loop, "quaternion_a", limpet_json_array(model->loop_quaternion + 8 * i, 4));
  put(loop, "position_b", limpet_json_array(model->loop_position + 6 * i + 3, 3));
  put(loop, "quaternion_b", limpet_json_array(model->loop_quaternion + 8 * i + 4, 4));
  put(loop, "length", distance ? limpet_json_number(model->loop_length[i]) : json_null());
  put(loop, "stiffness", distance ? limpet_json_number(model->loop_stiffness[i]) : json_null());
  put(loop, "damping", distance ? limpet_json_number(model->loop_damping[i]) : json_null());
  put(loop, "torque_scale",
      model->loop_kind[i] == LIMPET_LOOP_WELD ? json_real(model->loop_torque_scale[i])
                                              : json_null());
  put(loop, "solref",
      model->loop_has_impedance[i] ? limpet_json_array(model->loop_impedance[i].reference, 2)
                                   : json_null());
  put(loop, "solimp",
      model->loop_has_impedance[i] ? limpet_json_array(model->loop_impedance[i].impedance, 5)
                                   : json_null());
  put(loop, "active", json_boolean(model->loop_active[i]));
  return loop;
}

static void put_target(json_t *sensor, const char *key, const limpet_model *model,
                       limpet_object type, int index, bool inertial) {
  put(sensor, key,
      index < 0 ? json_null()
                : json_pack("{s:s, s:i, s:o, s:b}", "type", limpet_object_word(type), "index",
                            index, "name", name_json(model, type, index), "inertial", inertial));
}

static json_t *sensor_json(const limpet_model *model, int i) {
  json_t *sensor = object_begin(model, LIMPET_OBJECT_SENSOR, i);
  put(sensor, "kind", json_string(limpet_sensor_kind_descriptor(model->sensor_kind[i])->name));
  put(sensor, "unit", json_string(limpet_sensor_kind_unit(model->sensor_kind[i])));
  put(sensor, "address", json_integer(model->sensor_address[i]));
  put(sensor, "size", json_integer(model->sensor_size[i]));
  put_target(sensor, "object", model, model->sensor_object_type[i], model->sensor_object[i],
             model->sensor_object_inertial[i]);
  put_target(sensor, "reference", model, model->sensor_reference_type[i],
             model->sensor_reference[i], model->sensor_reference_inertial[i]);
  put_number(sensor, "cutoff", model->sensor_cutoff[i]);
  put_number(sensor, "noise", model->sensor_noise[i]);
  if (model->sensor_history[i] < 0) return sensor;
  put_delay(sensor, model->sensor_delay[i], model->sensor_delay_samples[i],
            model->sensor_delay_interpolation[i]);
  put(sensor, "interval", limpet_json_array(model->sensor_interval + 2 * i, 2));
  return sensor;
}

static json_t *keyframe_json(const limpet_model *model, int i) {
  json_t *keyframe = object_begin(model, LIMPET_OBJECT_KEYFRAME, i);
  put_number(keyframe, "time", model->keyframe_time[i]);
  put(keyframe, "q",
      limpet_json_array(model->keyframe_q + (size_t)i * (size_t)model->nq, model->nq));
  put(keyframe, "v",
      limpet_json_array(model->keyframe_v + (size_t)i * (size_t)model->nv, model->nv));
  put(keyframe, "control",
      limpet_json_array(model->keyframe_control + (size_t)i * (size_t)model->nu, model->nu));
  put(keyframe, "activation",
      limpet_json_array(model->keyframe_activation + (size_t)i * (size_t)model->na, model->na));
  return keyframe;
}

static json_t *deformable_json(const limpet_model *model, int i) {
  const limpet_fem_body_info info = limpet_fem_body_information(model->deformable_body[i]);
  json_t *object = object_begin(model, LIMPET_OBJECT_DEFORMABLE, i);
  put(object, "geom", json_integer(model->deformable_geom[i]));
  put(object, "vertices", json_integer(info.node_count));
  put(object, "tetrahedra", json_integer(info.tetrahedron_count));
  put(object, "faces", json_integer(info.face_count));
  put(object, "ties", json_integer(model->deformable_tie[i + 1] - model->deformable_tie[i]));
  put_number(object, "quality_worst", info.quality_worst);
  put(object, "quality_element", json_integer(info.quality_element));
  put_number(object, "quality_mean", info.quality_mean);
  put_number(object, "mass", info.mass);
  put_number(object, "volume", info.volume);
  put(object, "law", json_string(limpet_elastic_law_descriptor(info.law)->name));
  put_number(object, "youngs_modulus", info.youngs_modulus);
  put_number(object, "poissons_ratio", info.poissons_ratio);
  put_number(object, "density", info.density);
  put_number(object, "mass_damping", info.mass_damping);
  put_number(object, "stiffness_damping", info.stiffness_damping);
  return object;
}

json_t *limpet_info_json(const limpet_model *model, const char *path) {
  json_t *root = json_pack("{s:s, s:s, s:o, s:o, s:o}", "schema", "limpet.info/1", "version",
                           limpet_version(), "file", limpet_json_text(path), "name",
                           limpet_json_text(model->name), "hash", limpet_json_hash(model->hash));
  put(root, "nq", json_integer(model->nq));
  put(root, "nv", json_integer(model->nv));
  put(root, "nu", json_integer(model->nu));
  put(root, "na", json_integer(model->na));
  put(root, "nsensor", json_integer(model->nsensor));
  put_number(root, "total_mass", model->total_mass);
  put(root, "options", options_json(model));
  static const struct {
    const char *key;
    limpet_object object;
    json_t *(*make)(const limpet_model *model, int index);
  } lists[] = {{"bodies", LIMPET_OBJECT_BODY, body_json},
               {"joints", LIMPET_OBJECT_JOINT, joint_json},
               {"geoms", LIMPET_OBJECT_GEOM, geom_json},
               {"sites", LIMPET_OBJECT_SITE, site_json},
               {"meshes", LIMPET_OBJECT_MESH, mesh_json},
               {"clouds", LIMPET_OBJECT_CLOUD, cloud_json},
               {"actuators", LIMPET_OBJECT_ACTUATOR, actuator_json},
               {"tendons", LIMPET_OBJECT_TENDON, tendon_json},
               {"couplers", LIMPET_OBJECT_COUPLER, coupler_json},
               {"loops", LIMPET_OBJECT_LOOP, loop_json},
               {"sensors", LIMPET_OBJECT_SENSOR, sensor_json},
               {"cameras", LIMPET_OBJECT_CAMERA, camera_json},
               {"deformables", LIMPET_OBJECT_DEFORMABLE, deformable_json},
               {"keyframes", LIMPET_OBJECT_KEYFRAME, keyframe_json}};
  for (size_t k = 0; k < sizeof lists / sizeof *lists; ++k) {
    json_t *list = json_array();
    const int count = limpet_model_count(model, lists[k].object);
    for (int i = 0; i < count; ++i) json_array_append_new(list, lists[k].make(model, i));
    put(root, lists[k].key, list);
  }
  return root;
}
