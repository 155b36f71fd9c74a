/* tests/format/test_golden_robots.c: URDF and SDFormat files against what Drake makes of them, in
 * golden/dynamics: masses, inertias, joints, actuators, geometry, filters, poses, M, bias, gravity.
 *
 * Drake's velocities of a floating base are (angular, linear), both in world axes; with
 * v_drake = T v_limpet, M_limpet = T' M_drake T and f_limpet = T' f_drake (README there). */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "collide/colliders.h"
#include "golden_dynamics.h"
#include "limpet/format.h"
#include "math/quaternion.h"

static int file_total, state_total, geom_total, pair_total, continuous_total, neighbour_total;

typedef struct comparison {
  const json_t *file;
  const limpet_model *model;
  limpet_data *data;
  const char *name;
  int body_count, nv, *body;  // body of the model for each of Drake's
  double *T;                  // (nv x nv)  to Drake's velocities, in the state that is compared
  bool good;
} comparison;

static const json_t *at(const json_t *array, int i) { return json_array_get(array, (size_t)i); }

static void check(comparison *c, const char *what, const char *of, const double *ours,
                  const json_t *expected, int count, double tolerance) {
  double values[64];
  char text[512];
  assert_true(count <= 64);
  snprintf(text, sizeof text, "%s, %s of %s", c->name, what, of);
  if (json_numbers(expected, values, 64) != count) {
    printf("%s: not %d numbers\n", text, count);
    c->good = false;
  } else if (!arrays_agree(text, ours, values, count, tolerance)) {
    c->good = false;
  }
}

static void complain(comparison *c, const char *what, const char *of) {
  printf("%s: %s '%s'\n", c->name, what, of);
  c->good = false;
}

// ----------------------------------------------------------------------------------- bodies

static void compare_bodies(comparison *c) {
  const json_t *bodies = json_object_get(c->file, "bodies");
  c->body_count = (int)json_array_size(bodies);
  c->body = calloc((size_t)c->body_count, sizeof *c->body);
  if (c->body_count != c->model->body_count) complain(c, "other number of bodies than", "expected");
  for (int i = 1; i < c->body_count; ++i) {
    const char *name = golden_string(at(bodies, i), "name");
    const int b = c->body[i] = limpet_model_find(c->model, LIMPET_OBJECT_BODY, name);
    if (b < 0) {
      complain(c, "no body", name);
      c->body[i] = 0;
      continue;
    }
    check(c, "mass", name, &c->model->body_mass[b], json_object_get(at(bodies, i), "mass"), 1,
          1e-12);
    // without a mass there is no centre of it
    if (c->model->body_mass[b] > 0.0)
      check(c, "com", name, c->model->body_com + 3 * b, json_object_get(at(bodies, i), "com"), 3,
            1e-12);
    check(c, "inertia", name, c->model->body_inertia + 9 * b,
          json_object_get(at(bodies, i), "inertia"), 9, 1e-12);
  }
}

// ----------------------------------------------------------------------------------- joints

// the joint of the model that a joint of Drake is; a floating base has the name of its body
static int joint_of(const comparison *c, const json_t *joint) {
  const bool floats = strcmp(golden_string(joint, "type"), "quaternion_floating") == 0;
  return limpet_model_find(c->model, LIMPET_OBJECT_JOINT,
                           golden_string(joint, floats ? "child" : "name"));
}

// Drake takes limits of continuous joints, which URDF says have none
static void compare_limits(comparison *c, const json_t *joint, int j) {
  const json_t *lower = json_object_get(joint, "position_lower"),
               *upper = json_object_get(joint, "position_upper");
  const double range[2] = {golden_number(joint, "num_positions") == 1 ? 0.0 : NAN, 0.0};
  if (isnan(range[0])) return;
  double expected[2] = {-INFINITY, INFINITY};
  if (!json_is_null(at(lower, 0))) json_numbers(lower, &expected[0], 1);
  if (!json_is_null(at(upper, 0))) json_numbers(upper, &expected[1], 1);
  const bool turns = expected[1] - expected[0] >= 2.0 * LIMPET_PI;
  if (turns && !c->model->joint_limited[j]) {
    ++continuous_total;
    return;
  }
  for (int k = 0; k < 2; ++k)
    if (c->model->joint_range[2 * j + k] != expected[k])
      complain(c, "other limits of the joint", golden_string(joint, "name"));
  check(c, "damping", golden_string(joint, "name"), &c->model->dof_damping[c->model->joint_v[j]],
        json_object_get(joint, "damping"), 1, 1e-12);
}

static void compare_joints(comparison *c) {
  const json_t *joints = json_object_get(c->file, "joints");
  for (int i = 0; i < (int)json_array_size(joints); ++i) {
    if (strcmp(golden_string(at(joints, i), "type"), "weld") == 0) continue;
    const int j = joint_of(c, at(joints, i));
    if (j < 0) complain(c, "no joint", golden_string(at(joints, i), "name"));
    else compare_limits(c, at(joints, i), j);
  }
}

static void compare_actuators(comparison *c) {
  const json_t *actuators = json_object_get(c->file, "actuators");
  if (c->model->nu != (int)json_array_size(actuators))
    complain(c, "other number of actuators than", "expected");
  for (int i = 0; i < c->model->nu && i < (int)json_array_size(actuators); ++i) {
    const json_t *a = at(actuators, i);
    const int j = c->model->actuator_target[i];
    const char *name = golden_string(a, "joint");
    if (strcmp(limpet_model_name(c->model, LIMPET_OBJECT_JOINT, j), name) != 0)
      complain(c, "the actuator drives another joint than", name);
    check(c, "reflected inertia", name, &c->model->dof_armature[c->model->joint_v[j]],
          json_object_get(a, "reflected_inertia"), 1, 1e-12);
    if (c->model->actuator_force_limited[i])
      check(c, "effort", name, &c->model->actuator_force_range[2 * i + 1],
            json_object_get(a, "effort_limit"), 1, 1e-12);
  }
}

// --------------------------------------------------------------------------------- geometry

// half lengths as Limpet has them; count 0: a shape without, or a mesh
static int expected_size(const json_t *shape, double size[3]) {
  const char *type = golden_string(shape, "type");
  int count = 0;
  if (strcmp(type, "box") == 0) {
    count = json_numbers(json_object_get(shape, "size"), size, 3);
    for (int k = 0; k < 3; ++k) size[k] *= 0.5;
  } else if (strcmp(type, "sphere") == 0) {
    size[0] = golden_number(shape, "radius");
    count = size[0] > 0.0;  // a point has a radius of its own here
  } else if (strcmp(type, "ellipsoid") == 0) {
    count = json_numbers(json_object_get(shape, "semiaxes"), size, 3);
  } else if (strcmp(type, "cylinder") == 0 || strcmp(type, "capsule") == 0) {
    size[0] = golden_number(shape, "radius"), size[1] = 0.5 * golden_number(shape, "length");
    count = 2;
  }
  return count;
}

// pose of a geom as the file gives it: that of a mesh is that of its inertial frame
static void file_pose(const limpet_model *model, int g, double position[3], double quaternion[4]) {
  memcpy(position, model->geom_position + 3 * g, 3 * sizeof *position);
  memcpy(quaternion, model->geom_quaternion + 4 * g, 4 * sizeof *quaternion);
  if (model->geom_kind[g] != LIMPET_SHAPE_MESH) return;
  const limpet_mesh *mesh = &model->mesh[model->geom_mesh[g]];
  double back[4], turned[3], product[4];
  limpet_quaternion_conjugate(back, mesh->quaternion);
  limpet_quaternion_mul(product, quaternion, back);
  limpet_quaternion_copy(quaternion, product);
  limpet_quaternion_rotate(turned, quaternion, mesh->position);
  for (int k = 0; k < 3; ++k) position[k] -= turned[k];
}

// half lengths of the box about a convex hull, in the axes of the file
static void hull_box(const limpet_mesh *mesh, double low[3], double high[3]) {
  for (int k = 0; k < 3; ++k) low[k] = INFINITY, high[k] = -INFINITY;
  for (int v = 0; v < mesh->vertex_count; ++v) {
    double p[3];
    limpet_quaternion_rotate(p, mesh->quaternion, mesh->vertices + 3 * v);
    for (int k = 0; k < 3; ++k) {
      low[k] = fmin(low[k], p[k] + mesh->position[k]);
      high[k] = fmax(high[k], p[k] + mesh->position[k]);
    }
  }
}

static void compare_shape(comparison *c, const json_t *geometry, int g, const char *name) {
  const json_t *shape = json_object_get(geometry, "shape");
  double size[3];
  const int count = expected_size(shape, size);
  for (int k = 0; k < count; ++k)
    if (fabs(c->model->geom_size[3 * g + k] - size[k]) > 1e-12) complain(c, "other size of", name);
  if (c->model->geom_kind[g] != LIMPET_SHAPE_MESH) return;
  const limpet_mesh *mesh = &c->model->mesh[c->model->geom_mesh[g]];
  double low[3], high[3];
  hull_box(mesh, low, high);
  check(c, "lower corner", name, low, json_object_get(shape, "hull_lower"), 3, 1e-6);
  check(c, "upper corner", name, high, json_object_get(shape, "hull_upper"), 3, 1e-6);
}

static void compare_material(comparison *c, const json_t *geometry, int g, const char *name) {
  const limpet_material *material = &c->model->geom_material[g];
  const json_t *p = json_object_get(geometry, "proximity"),
               *friction = json_object_get(p, "material/coulomb_friction"),
               *dissipation = json_object_get(p, "material/hunt_crossley_dissipation");
  if (friction) {
    const double rest =
        isnan(material->friction_static) ? material->friction : material->friction_static;
    check(c, "friction", name, &material->friction, json_object_get(friction, "dynamic"), 1, 1e-12);
    check(c, "static friction", name, &rest, json_object_get(friction, "static"), 1, 1e-12);
  }
  if (dissipation) check(c, "dissipation", name, &material->dissipation, dissipation, 1, 1e-12);
}

// the rigid units of two geoms are parent and child: Limpet filters such pairs, Drake only those of
// the two bodies that the joint connects
static bool units_are_neighbours(const limpet_model *model, int g, int h) {
  const int a = model->body_weld[model->geom_body[g]], b = model->body_weld[model->geom_body[h]];
  return model->body_weld[model->body_parent[a]] == b ||
         model->body_weld[model->body_parent[b]] == a;
}

// pairs of geoms that never touch; `geom` is the model's for each of Drake's
static void compare_filters(comparison *c, const int *geom, int count) {
  const json_t *pairs = json_object_get(c->file, "filtered_pairs");
  bool *filtered = calloc((size_t)(count * count) + 1, sizeof *filtered);
  limpet_data *data = limpet_data_create(c->model);
  const limpet_colliders *colliders = limpet_colliders_of(c->model, data);
  for (int i = 0; i < (int)json_array_size(pairs); ++i) {
    double pair[2];
    json_numbers(at(pairs, i), pair, 2);
    const int a = (int)pair[0], b = (int)pair[1];
    filtered[a * count + b] = filtered[b * count + a] = true;
  }
  for (int a = 0; a < count; ++a)
    for (int b = a + 1; b < count; ++b, ++pair_total) {
      const bool allowed = limpet_colliders_allowed(
          colliders, c->model, c->model->geom_collider[geom[a]], c->model->geom_collider[geom[b]]);
      if (allowed == !filtered[a * count + b]) continue;
      if (!allowed && units_are_neighbours(c->model, geom[a], geom[b])) {
        ++neighbour_total;
        continue;
      }
      printf("%s: geoms %d, %d %s\n", c->name, a, b, allowed ? "may touch" : "are filtered");
      c->good = false;
    }
  limpet_data_destroy(data);
  free(filtered);
}

// colliders of each body come in the order of the file, and so do Drake's
static void compare_geometry(comparison *c) {
  const json_t *geometry = json_object_get(c->file, "geometry");
  const int count = (int)json_array_size(geometry);
  int *next = calloc((size_t)c->model->body_count, sizeof *next),
      *geom = calloc((size_t)count + 1, sizeof *geom);
  bool complete = true;
  for (int i = 0; i < count; ++i) {
    const int body = c->body[(int)golden_number(at(geometry, i), "body")];
    const char *name = golden_string(at(geometry, i), "name");
    int g = c->model->body_geom[body] + next[body];
    const int end = c->model->body_geom[body] + c->model->body_geom_count[body];
    while (g < end && c->model->geom_collider[g] < 0) ++g;
    next[body] = g + 1 - c->model->body_geom[body];
    if (g >= end) {
      complain(c, "no geom", name);
      complete = false;
      continue;
    }
    geom[i] = g;
    double position[3], quaternion[4], expected[4], dot = 0.0;
    file_pose(c->model, g, position, quaternion);
    json_numbers(json_object_get(at(geometry, i), "quat"), expected, 4);
    for (int k = 0; k < 4; ++k) dot += quaternion[k] * expected[k];
    for (int k = 0; k < 4; ++k) quaternion[k] = dot < 0.0 ? -quaternion[k] : quaternion[k];
    check(c, "pos", name, position, json_object_get(at(geometry, i), "pos"), 3, 1e-12);
    check(c, "quat", name, quaternion, json_object_get(at(geometry, i), "quat"), 4, 1e-12);
    compare_shape(c, at(geometry, i), g, name);
    compare_material(c, at(geometry, i), g, name);
    ++geom_total;
  }
  if (complete) compare_filters(c, geom, count);
  free(next), free(geom);
}

// ----------------------------------------------------------------------------------- states

// T, and the state itself; false: it has other sizes
static void set_state(comparison *c, const json_t *state) {
  const json_t *joints = json_object_get(c->file, "joints");
  const int nv = c->model->nv, nq = (int)golden_number(c->file, "nq");
  double *q = calloc((size_t)nq + 1, sizeof *q), *v = calloc((size_t)nv + 1, sizeof *v);
  json_numbers(json_object_get(state, "q"), q, nq);
  json_numbers(json_object_get(state, "v"), v, nv);
  limpet_data_reset(c->model, c->data);
  memset(c->T, 0, (size_t)(nv * nv) * sizeof *c->T);
  for (int i = 0; i < (int)json_array_size(joints); ++i) {
    const json_t *joint = at(joints, i);
    const int j = joint_of(c, joint), qs = (int)golden_number(joint, "position_start"),
              vs = (int)golden_number(joint, "velocity_start");
    if (j < 0 || strcmp(golden_string(joint, "type"), "weld") == 0) continue;
    double *to = c->data->q + c->model->joint_q[j], *rate = c->data->v + c->model->joint_v[j], R[9];
    const int first = c->model->joint_v[j];
    if (c->model->joint_kind[j] != LIMPET_JOINT_FREE) {
      to[0] = q[qs], rate[0] = v[vs];
      c->T[vs * nv + first] = 1.0;
      continue;
    }
    for (int k = 0; k < 3; ++k) to[k] = q[qs + 4 + k], rate[k] = v[vs + 3 + k];
    for (int k = 0; k < 4; ++k) to[3 + k] = q[qs + k];
    limpet_quaternion_to_matrix(R, to + 3);
    limpet_mat3_tmul_vec(rate + 3, R, v + vs);
    for (int r = 0; r < 3; ++r) {
      c->T[(vs + 3 + r) * nv + first + r] = 1.0;
      for (int k = 0; k < 3; ++k) c->T[(vs + r) * nv + first + 3 + k] = R[3 * r + k];
    }
  }
  free(q), free(v);
}

// T' A T of a matrix, or T' a of a vector (columns 1)
static void to_ours(const comparison *c, const double *theirs, int columns, double *ours) {
  const int n = c->model->nv;
  double *half = calloc((size_t)(n * columns) + 1, sizeof *half);
  for (int i = 0; i < n; ++i)
    for (int k = 0; k < n; ++k)
      for (int j = 0; j < columns; ++j)
        half[i * columns + j] += c->T[k * n + i] * theirs[k * columns + j];
  memset(ours, 0, (size_t)(n * columns) * sizeof *ours);
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < columns; ++j)
      for (int k = 0; columns > 1 && k < n; ++k)
        ours[i * columns + j] += half[i * columns + k] * c->T[k * n + j];
  if (columns == 1) memcpy(ours, half, (size_t)n * sizeof *ours);
  free(half);
}

static void compare_mass_matrix(comparison *c, const json_t *state, const char *label) {
  const int n = c->model->nv;
  const size_t size = (size_t)(n * n) + 1;
  double *theirs = calloc(size, sizeof *theirs), *expected = calloc(size, sizeof *expected),
         *M = calloc(size, sizeof *M);
  json_numbers(json_object_get(state, "M"), theirs, n * n);
  if (n == 1) expected[0] = theirs[0];
  else to_ours(c, theirs, n, expected);
  for (int t = 0; t < c->model->tree_count; ++t) {
    const int count = c->model->tree_dof_count[t], begin = c->model->tree_dof[t];
    for (int i = 0; i < count; ++i)
      for (int k = 0; k < count; ++k)
        M[(begin + i) * n + begin + k] =
            c->data->mass_matrix[c->model->tree_mass[t] + i * count + k];
  }
  if (!arrays_agree(label, M, expected, n * n, 1e-11)) c->good = false;
  free(theirs), free(expected), free(M);
}

static void compare_bias(comparison *c, const json_t *state, const char *label) {
  const size_t n = (size_t)c->model->nv;
  double *bias = calloc(n + 1, sizeof *bias), *gravity = calloc(n + 1, sizeof *gravity),
         *expected = calloc(n + 1, sizeof *expected);
  json_numbers(json_object_get(state, "bias"), bias, (int)n);
  json_numbers(json_object_get(state, "gravity"), gravity, (int)n);
  for (size_t i = 0; i < n; ++i) bias[i] -= gravity[i];
  to_ours(c, bias, 1, expected);
  if (!arrays_agree(label, c->data->bias, expected, (int)n, 1e-11)) c->good = false;
  free(bias), free(gravity), free(expected);
}

static void compare_poses(comparison *c, const json_t *state, const char *label) {
  const json_t *positions = json_object_get(state, "xpos"),
               *quaternions = json_object_get(state, "xquat");
  for (int i = 0; i < c->body_count; ++i) {
    double quaternion[4], expected[4], dot = 0.0;
    memcpy(quaternion, c->data->body_quaternion + 4 * c->body[i], sizeof quaternion);
    json_numbers(at(quaternions, i), expected, 4);
    for (int k = 0; k < 4; ++k) dot += quaternion[k] * expected[k];
    for (int k = 0; k < 4; ++k) quaternion[k] = dot < 0.0 ? -quaternion[k] : quaternion[k];
    check(c, "xpos", label, c->data->body_position + 3 * c->body[i], at(positions, i), 3, 1e-11);
    check(c, "xquat", label, quaternion, at(quaternions, i), 4, 1e-11);
  }
}

static void compare_states(comparison *c) {
  const json_t *states = json_object_get(c->file, "states");
  const int nv = (int)golden_number(c->file, "nv");
  if (nv != c->model->nv || golden_number(c->file, "nq") != c->model->nq) {
    printf("%s: nq %d, nv %d, expected %g, %d\n", c->name, c->model->nq, c->model->nv,
           golden_number(c->file, "nq"), nv);
    c->good = false;
    return;
  }
  c->data = limpet_data_create(c->model);
  c->T = calloc((size_t)(nv * nv) + 1, sizeof *c->T);
  for (int i = 0; i < (int)json_array_size(states); ++i) {
    char label[256];
    snprintf(label, sizeof label, "%s, %s", c->name, golden_string(at(states, i), "label"));
    set_state(c, at(states, i));
    limpet_forward_dynamics(c->model, c->data);
    compare_poses(c, at(states, i), label);
    compare_mass_matrix(c, at(states, i), label);
    compare_bias(c, at(states, i), label);
    const double kinetic = limpet_kinetic_energy(c->model, c->data);
    check(c, "kinetic energy", label, &kinetic, json_object_get(at(states, i), "energy_kinetic"), 1,
          1e-10);
    ++state_total;
  }
  limpet_data_destroy(c->data);
  free(c->T);
}

// ------------------------------------------------------------------------------------ files

static bool compare_file(const char *path) {
  json_t *file = json_read(path);
  assert_non_null(file);
  char model_path[1024];
  comparison c = {.file = file, .name = golden_string(file, "model"), .good = true};
  snprintf(model_path, sizeof model_path, "models/%s", c.name);
  limpet_error error = {0};
  limpet_model *model = limpet_load(shared_path(model_path), NULL, &error);
  c.model = model;
  if (model) {
    compare_bodies(&c);
    compare_joints(&c);
    compare_actuators(&c);
    compare_geometry(&c);
    compare_states(&c);
    ++file_total;
  } else {
    printf("%s: %s\n", c.name, error.message);
    c.good = false;
  }
  if (!c.good) printf("FAILED: %s\n", c.name);
  const bool good = c.good;
  free(c.body);
  limpet_model_destroy(model);
  json_decref(file);
  return good;
}

static void compare_folder(const char *folder) {
  if (!shared_exists(folder) || !shared_exists("models")) skip();
  file_list list = file_list_find(shared_path(folder), ".json");
  int failures = 0;
  for (int i = 0; i < list.count; ++i) failures += !compare_file(list.path[i]);
  printf("%s: %d files, %d failed\n", folder, list.count, failures);
  file_list_free(&list);
  assert_int_equal(failures, 0);
}

static void models_of_drake_agree(void **state) {
  (void)state;
  compare_folder("golden/dynamics/drake");
}

static void hands_agree(void **state) {
  (void)state;
  compare_folder("golden/dynamics/dexurdf");
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(models_of_drake_agree),
                                     cmocka_unit_test(hands_agree)};
  const int failed = cmocka_run_group_tests(tests, NULL, NULL);
  printf(
      "golden_robots: %d files, %d states, %d geoms, %d pairs of geoms compared; left out: limits "
      "of "
      "%d continuous joints, which URDF says have none; %d pairs that are filtered because what is "
      "welded to a neighbour counts as the neighbour\n",
      file_total, state_total, geom_total, pair_total, continuous_total, neighbour_total);
  return failed;
}
