// tests/support/golden_pressure.c: see golden_pressure.h.
#include "golden_pressure.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "limpet/format.h"
#include "math/quaternion.h"

static double number_or(const json_t *object, const char *key, double value) {
  const json_t *item = json_object_get(object, key);
  return json_is_number(item) ? json_number_value(item) : value;
}

static const char *text_of(const json_t *object, const char *key) {
  return json_string_value(json_object_get(object, key));
}

// Field of a shape at x, as a share of the modulus: the README's table. Volume meshes: NAN.
static double field_at(const json_t *shape, const double x[3]) {
  const char *type = text_of(shape, "type");
  const double R = number_or(shape, "radius", 0.0), L = number_or(shape, "length", 0.0);
  double s[3] = {0.0, 0.0, 0.0};
  if (strcmp(type, "sphere") == 0) return 1.0 - limpet_vec3_norm(x) / R;
  if (strcmp(type, "box") == 0) {
    json_numbers(json_object_get(shape, "size"), s, 3);
    double inside = INFINITY, least = INFINITY;
    for (int i = 0; i < 3; ++i)
      inside = fmin(inside, 0.5 * s[i] - fabs(x[i])), least = fmin(least, 0.5 * s[i]);
    return inside / least;
  }
  if (strcmp(type, "cylinder") == 0)
    return fmin(R - hypot(x[0], x[1]), 0.5 * L - fabs(x[2])) / fmin(R, 0.5 * L);
  if (strcmp(type, "capsule") == 0) {
    const double z = fmax(fabs(x[2]) - 0.5 * L, 0.0);
    return 1.0 - sqrt(x[0] * x[0] + x[1] * x[1] + z * z) / R;
  }
  assert_string_equal(type, "ellipsoid");
  json_numbers(json_object_get(shape, "semi_axes"), s, 3);
  const double y[3] = {x[0] / s[0], x[1] / s[1], x[2] / s[2]};
  return 1.0 - limpet_vec3_norm(y);
}

// ------------------------------------------------------------------------------------- the scene

static const json_t *joint_of(const json_t *root, const char *body) {
  size_t i;
  json_t *joint;
  json_array_foreach(json_object_get(root, "joints"), i, joint) {
    if (strcmp(text_of(joint, "child"), body) == 0) return joint;
  }
  return NULL;
}

static void add_body(limpet_builder *builder, const json_t *root, const json_t *body) {
  const json_t *source = joint_of(root, text_of(body, "name"));
  limpet_body_description d = limpet_body_description_default();
  d.name = text_of(body, "name");
  d.has_inertial = true;
  d.mass = number_or(body, "mass", NAN);
  json_numbers(json_object_get(body, "com"), d.com, 3);
  json_numbers(json_object_get(body, "inertia"), d.inertia, 6);
  limpet_joint_description j = limpet_joint_description_default();
  j.body = limpet_builder_add_body(builder, &d);
  j.kind = LIMPET_JOINT_FREE;
  if (source) {
    j.name = text_of(source, "name");
    j.kind = strcmp(text_of(source, "type"), "revolute") == 0 ? LIMPET_JOINT_REVOLUTE
                                                              : LIMPET_JOINT_PRISMATIC;
    json_numbers(json_object_get(source, "axis"), j.axis, 3);
    j.damping = number_or(source, "damping", 0.0);
  }
  limpet_builder_add_joint(builder, &j);
}

static int add_file_mesh(limpet_builder *builder, const char *file) {
  char path[300];
  snprintf(path, sizeof path, "models/soft/shapes/%s", file);
  limpet_mesh_file content;
  limpet_error error;
  if (limpet_mesh_file_read(&content, shared_path(path), &error) != LIMPET_OK)
    fail_msg("%s", error.message);
  limpet_mesh_description m = limpet_mesh_description_default();
  m.vertex_count = content.vertex_count, m.vertices = content.vertices;
  m.face_count = content.face_count, m.faces = content.faces;
  m.tetrahedron_count = content.tetrahedron_count, m.tetrahedra = content.tetrahedra;
  m.concave = true;
  const int handle = limpet_builder_add_mesh(builder, &m);
  limpet_mesh_file_free(&content);
  return handle;
}

// The tetrahedra of the scene's own mesh of a shape; the boundary is not needed, as hulls do.
static int add_scene_mesh(limpet_builder *builder, const json_t *mesh, const json_t *shape) {
  const json_t *points = json_object_get(mesh, "vertices"),
               *cells = json_object_get(mesh, "elements");
  limpet_mesh_description m = limpet_mesh_description_default();
  m.vertex_count = (int)json_array_size(points), m.tetrahedron_count = (int)json_array_size(cells);
  double *vertices = malloc(3 * (size_t)m.vertex_count * sizeof *vertices),
         *field = malloc((size_t)m.vertex_count * sizeof *field);
  int *tetrahedra = malloc(4 * (size_t)m.tetrahedron_count * sizeof *tetrahedra);
  for (int i = 0; i < m.vertex_count; ++i) {
    json_numbers(json_array_get(points, (size_t)i), vertices + 3 * i, 3);
    field[i] = fmax(0.0, field_at(shape, vertices + 3 * i));
    if (field[i] < 1e-12) field[i] = 0.0;
  }
  for (int t = 0; t < m.tetrahedron_count; ++t) {
    double corner[4];
    json_numbers(json_array_get(cells, (size_t)t), corner, 4);
    for (int k = 0; k < 4; ++k) tetrahedra[4 * t + k] = (int)corner[k];
  }
  m.vertices = vertices, m.field = field, m.tetrahedra = tetrahedra;
  const int handle = limpet_builder_add_mesh(builder, &m);
  free(vertices), free(field), free(tetrahedra);
  return handle;
}

static void add_geom(limpet_builder *builder, const json_t *root, const json_t *geometry) {
  limpet_geom_description g = limpet_geom_description_default();
  const json_t *shape = json_object_get(geometry, "shape"),
               *material = json_object_get(geometry, "material"),
               *mesh = json_object_get(json_object_get(root, "meshes"), text_of(geometry, "name"));
  const char *type = text_of(shape, "type"), *body = text_of(geometry, "body");
  g.name = text_of(geometry, "name");
  g.body = strcmp(body, "world") == 0 ? 0 : limpet_builder_find(builder, LIMPET_OBJECT_BODY, body);
  g.kind = strcmp(type, "half_space") == 0 ? LIMPET_SHAPE_PLANE : LIMPET_SHAPE_MESH;
  if (mesh) g.mesh = add_scene_mesh(builder, mesh, shape);
  else if (text_of(shape, "file")) g.mesh = add_file_mesh(builder, text_of(shape, "file"));
  g.material.elastic_modulus = number_or(material, "hydroelastic_modulus", INFINITY);
  g.material.dissipation = number_or(material, "dissipation", 0.0);
  g.material.relaxation_time = number_or(material, "relaxation_time", 0.0);
  g.material.friction = number_or(material, "friction", 0.0);
  limpet_builder_add_geom(builder, &g);
}

static void add_actuator(limpet_builder *builder, const json_t *actuator) {
  limpet_actuator_description a = limpet_actuator_description_default();
  a.name = text_of(actuator, "name");
  a.target = limpet_builder_find(builder, LIMPET_OBJECT_JOINT, text_of(actuator, "joint"));
  a.gain[0] = 1.0, a.gain[1] = a.gain[2] = 0.0;
  limpet_builder_add_actuator(builder, &a);
}

limpet_model *golden_pressure_compile(const json_t *root) {
  limpet_builder *builder = limpet_builder_create();
  limpet_options *options = limpet_builder_options(builder);
  json_numbers(json_object_get(root, "gravity"), options->gravity, 3);
  options->friction_rule = LIMPET_FRICTION_HARMONIC_MEAN;
  size_t i;
  json_t *item;
  for (int jointed = 1; jointed >= 0; --jointed)
    json_array_foreach(json_object_get(root, "bodies"), i, item) {
      if ((joint_of(root, text_of(item, "name")) != NULL) == jointed) add_body(builder, root, item);
    }
  json_array_foreach(json_object_get(root, "geometries"), i, item) add_geom(builder, root, item);
  json_array_foreach(json_object_get(root, "actuators"), i, item) add_actuator(builder, item);
  json_array_foreach(json_object_get(root, "filtered_pairs"), i, item) limpet_builder_add_exclude(
      builder,
      limpet_builder_find(builder, LIMPET_OBJECT_BODY, json_string_value(json_array_get(item, 0))),
      limpet_builder_find(builder, LIMPET_OBJECT_BODY, json_string_value(json_array_get(item, 1))));
  limpet_error error;
  limpet_model *model = limpet_builder_compile(builder, &error);
  if (!model) fail_msg("%s", error.message);
  limpet_builder_destroy(builder);
  return model;
}

void golden_pressure_state(const limpet_model *model, const json_t *state, double *q, double *v) {
  double scene_q[64], scene_v[64];
  json_numbers(json_object_get(state, "q"), scene_q, 64);
  json_numbers(json_object_get(state, "v"), scene_v, 64);
  for (int j = 0; j < model->joint_count; ++j) {
    const int a = model->joint_q[j], b = model->joint_v[j];
    q[a] = scene_q[a], v[b] = scene_v[b];
    if (model->joint_kind[j] != LIMPET_JOINT_FREE) continue;
    double R[9];
    limpet_quaternion_copy(q + a + 3, scene_q + a);
    limpet_quaternion_normalize(q + a + 3);
    limpet_vec3_copy(q + a, scene_q + a + 4);
    limpet_quaternion_to_matrix(R, q + a + 3);
    limpet_vec3_copy(v + b, scene_v + b + 3);
    limpet_mat3_tmul_vec(v + b + 3, R, scene_v + b);
  }
}

limpet_step_settings golden_pressure_settings(const limpet_model *model, const json_t *root,
                                              const char *contact_model) {
  limpet_step_settings settings;
  assert_true(limpet_step_settings_preset(&settings, model, "drake"));
  settings.contact_model = limpet_contact_model_find(contact_model);
  settings.time_step = number_or(root, "time_step", NAN);
  settings.stiction_speed = number_or(root, "stiction_tolerance", NAN);
  settings.near_rigid_ratio = number_or(root, "near_rigid_threshold", NAN);
  settings.tolerance = 1e-15;
  settings.iteration_limit = 500;
  return settings;
}

void golden_pressure_controls(const json_t *root, limpet_data *data) {
  size_t i;
  json_t *item;
  json_array_foreach(json_object_get(root, "actuators"), i, item) data->control[i] =
      number_or(item, "input", 0.0);
}
