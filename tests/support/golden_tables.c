/* tests/support/golden_tables.c: the compiled model against the tables of a golden file. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "golden_dynamics.h"

static const double mesh_tolerance = 1e-6;  // MuJoCo keeps mesh vertices in single precision

typedef struct table {
  golden_match *match;
  const limpet_model *model;
  const json_t *row;
  char what[256];  // "model, body hand"
  bool good;
} table;

static bool agree(table *t, const char *field, const double *ours, int count, double tolerance) {
  double expected[32];
  const json_t *value = json_object_get(t->row, field);
  if (!value) return true;
  const int there = json_numbers(value, expected, 32);
  char what[320];
  snprintf(what, sizeof what, "%s, %s", t->what, field);
  if (there < count) {
    printf("%s: %d numbers, expected %d\n", what, there, count);
    return t->good = false;
  }
  if (!arrays_agree(what, ours, expected, count, tolerance)) return t->good = false;
  return true;
}

static void agree_number(table *t, const char *field, double ours, double tolerance) {
  agree(t, field, &ours, 1, tolerance);
}

static void agree_flag(table *t, const char *field, bool ours) {
  const json_t *value = json_object_get(t->row, field);
  const json_t *flag = json_is_array(value) ? json_array_get(value, 0) : value;
  if (!json_is_boolean(flag) || json_is_true(flag) == ours) return;
  printf("%s, %s: %d, expected %d\n", t->what, field, ours, json_is_true(flag));
  t->good = false;
}

static void agree_word(table *t, const char *field, const char *ours) {
  if (strcmp(golden_string(t->row, field), ours) == 0) return;
  printf("%s, %s: \"%s\", expected \"%s\"\n", t->what, field, ours, golden_string(t->row, field));
  t->good = false;
}

// Up to sign.
static void agree_quaternion(table *t, const char *field, const double q[4], double tolerance) {
  double expected[4] = {0}, turned[4], dot = 0.0;
  json_numbers(json_object_get(t->row, field), expected, 4);
  for (int i = 0; i < 4; ++i) dot += q[i] * expected[i];
  for (int i = 0; i < 4; ++i) turned[i] = dot < 0.0 ? -q[i] : q[i];
  agree(t, field, turned, 4, tolerance);
}

static void start_row(table *t, const json_t *rows, int index, const char *word) {
  t->row = json_array_get(rows, (size_t)index);
  snprintf(t->what, sizeof t->what, "%s, %s %d %s", golden_string(t->match->file, "model"), word,
           index, golden_string(t->row, "name"));
}

// Largest difference of mass, com, inertia over max(1, |expected|).
static double mass_difference(const table *t, int b) {
  double expected[13], ours[13], worst = 0.0;
  expected[0] = golden_number(t->row, "mass");
  json_numbers(json_object_get(t->row, "com"), expected + 1, 3);
  json_numbers(json_object_get(t->row, "inertia"), expected + 4, 9);
  ours[0] = t->model->body_mass[b];
  memcpy(ours + 1, t->model->body_com + 3 * b, 3 * sizeof(double));
  memcpy(ours + 4, t->model->body_inertia + 9 * b, 9 * sizeof(double));
  for (int i = 0; i < 13; ++i)
    worst = fmax(worst, fabs(ours[i] - expected[i]) / fmax(1.0, fabs(expected[i])));
  return worst;
}

static void compare_bodies(table *t) {
  const limpet_model *model = t->model;
  const json_t *rows = json_object_get(t->match->file, "mass");
  for (int b = 1; b < model->body_count; ++b) {
    start_row(t, rows, b, "body");
    agree_number(t, "parent", model->body_parent[b], 0.0);
    agree(t, "pos", model->body_position + 3 * b, 3, 1e-12);
    agree_quaternion(t, "quat", model->body_quaternion + 4 * b, 1e-12);

    // masses from a mesh agree to single precision only, and so does what follows from them
    double tolerance = 1e-11;
    if (model->mesh_count > 0 && mass_difference(t, b) > tolerance)
      t->match->tolerance = tolerance = mesh_tolerance;
    agree_number(t, "mass", model->body_mass[b], tolerance);
    if (model->body_mass[b] > 0.0) agree(t, "com", model->body_com + 3 * b, 3, tolerance);
    agree(t, "inertia", model->body_inertia + 9 * b, 9, tolerance);
    agree_number(t, "gravcomp", model->body_gravity_compensation[b], 1e-12);
    agree_flag(t, "mocap", model->body_mocap[b] >= 0);
  }
}

static void compare_joints(table *t) {
  static const char *const words[] = {"free", "ball", "slide", "hinge"};
  const limpet_model *model = t->model;
  const json_t *rows = json_object_get(t->match->file, "joints");
  for (int j = 0; j < model->joint_count; ++j) {
    start_row(t, rows, j, "joint");
    const int v = model->joint_v[j], nv = limpet_joint_kind_nv(model->joint_kind[j]);
    const bool scalar = nv == 1;
    agree_word(t, "type", words[model->joint_kind[j]]);
    agree_number(t, "body", model->joint_body[j], 0.0);
    agree_number(t, "qposadr", model->joint_q[j], 0.0);
    agree_number(t, "dofadr", v, 0.0);
    if (model->joint_kind[j] != LIMPET_JOINT_FREE)
      agree(t, "pos", model->joint_position + 3 * j, 3, 1e-12);
    if (scalar) agree(t, "axis", model->joint_axis + 3 * j, 3, 1e-12);
    agree_flag(t, "limited", model->joint_limited[j]);
    if (model->joint_limited[j]) {
      agree(t, "range", model->joint_range + 2 * j, 2, 1e-12);
      agree_number(t, "margin", model->joint_limit_margin[j], 1e-12);
    }
    agree(t, "springref", model->q_spring + model->joint_q[j],
          limpet_joint_kind_nq(model->joint_kind[j]), 1e-12);
    // time constant and damping ratio become stiffness and damping by the mass matrix
    if (t->match->mass) {
      agree_number(t, "stiffness", model->joint_stiffness[j], fmax(1e-11, t->match->tolerance));
      agree(t, "damping", model->dof_damping + v, nv, fmax(1e-11, t->match->tolerance));
    }
    agree(t, "armature", model->dof_armature + v, nv, 1e-12);
    agree(t, "frictionloss", model->dof_dry_friction + v, nv, 1e-12);
    agree_flag(t, "actfrclimited", model->joint_effort_limited[j]);
    if (model->joint_effort_limited[j])
      agree(t, "actfrcrange", model->joint_effort_range + 2 * j, 2, 1e-12);
  }
}

static void compare_actuators(table *t) {
  static const char *const transmissions[] = {
      [LIMPET_TRANSMISSION_JOINT] = "joint",
      [LIMPET_TRANSMISSION_JOINT_IN_PARENT] = "jointinparent",
      [LIMPET_TRANSMISSION_TENDON] = "tendon",
      [LIMPET_TRANSMISSION_SITE] = "site",
      [LIMPET_TRANSMISSION_SURFACE] = "-",
      [LIMPET_TRANSMISSION_SLIDER_CRANK] = "slidercrank",
      [LIMPET_TRANSMISSION_BODY] = "body"};
  static const char *const activations[] = {"none", "integrator", "filter", "filterexact"};
  const limpet_model *model = t->model;
  const json_t *rows = json_object_get(t->match->file, "actuators");
  for (int g = 0; g < t->match->actuator_count; ++g) {
    const int i = t->match->actuator[g];
    if (i < 0) continue;
    start_row(t, rows, g, "actuator");
    agree_word(t, "trntype", transmissions[model->actuator_transmission[i]]);
    agree_word(t, "dyntype", activations[model->actuator_activation[i]]);
    const bool tendon = model->actuator_transmission[i] == LIMPET_TRANSMISSION_TENDON;
    const int target = (int)json_integer_value(json_array_get(json_object_get(t->row, "trnid"), 0));
    if ((tendon ? t->match->tendon[target] : target) != model->actuator_target[i]) {
      printf("%s, target: %d, expected %d\n", t->what, model->actuator_target[i], target);
      t->good = false;
    }
    agree(t, "gear", model->actuator_gear + 6 * i,
          model->actuator_transmission[i] == LIMPET_TRANSMISSION_SITE ? 6 : 1, 1e-12);

    // damping by ratio follows from the mass matrix, and so from meshes
    const double tolerance = fmax(1e-11, t->match->tolerance);
    agree(t, "gainprm", model->actuator_gain + 3 * i, 3, tolerance);
    if (strcmp(golden_string(t->row, "biastype"), "none") != 0)
      agree(t, "biasprm", model->actuator_bias + 3 * i, 3, tolerance);
    if (model->actuator_activation[i] >= LIMPET_ACTIVATION_FILTER)
      agree_number(t, "dynprm", model->actuator_activation_time[i], 1e-12);
    agree_flag(t, "ctrllimited", model->actuator_control_limited[i]);
    agree_flag(t, "forcelimited", model->actuator_force_limited[i]);
    agree_flag(t, "actlimited", model->actuator_activation_limited[i]);
    if (model->actuator_control_limited[i])
      agree(t, "ctrlrange", model->actuator_control_range + 2 * i, 2, 1e-12);
    if (model->actuator_force_limited[i])
      agree(t, "forcerange", model->actuator_force_range + 2 * i, 2, 1e-12);
    if (model->actuator_activation_limited[i])
      agree(t, "actrange", model->actuator_activation_range + 2 * i, 2, 1e-12);
    agree_number(t, "group", model->actuator_group[i], 0.0);
  }
}

static void compare_tendons(table *t) {
  const limpet_model *model = t->model;
  const json_t *rows = json_object_get(t->match->file, "tendons");
  for (int g = 0; g < t->match->tendon_count; ++g) {
    const int i = t->match->tendon[g];
    if (i < 0) continue;
    start_row(t, rows, g, "tendon");
    agree_flag(t, "limited", model->tendon_limited[i]);
    if (model->tendon_limited[i]) agree(t, "range", model->tendon_range + 2 * i, 2, 1e-12);
    agree_number(t, "stiffness", model->tendon_stiffness[i], 1e-12);
    agree_number(t, "damping", model->tendon_damping[i], 1e-12);
    agree_number(t, "frictionloss", model->tendon_dry_friction[i], 1e-12);
    agree_number(t, "armature", model->tendon_armature[i], 1e-12);
    agree(t, "lengthspring", model->tendon_spring_range + 2 * i, 2, 1e-12);
  }
}

/* Whether two of the mesh's principal moments are so close that rounding decides about the axes:
 * directions agree to about single precision over their relative gap. Returns the tolerance for the
 * quaternion. */
static double axis_tolerance(const limpet_mesh *mesh) {
  double moment[3], gap = 1.0;
  for (int i = 0; i < 3; ++i)
    moment[i] = mesh->box[(i + 1) % 3] * mesh->box[(i + 1) % 3] +
                mesh->box[(i + 2) % 3] * mesh->box[(i + 2) % 3];
  for (int i = 0; i < 3; ++i)
    gap = fmin(gap, fabs(moment[i] - moment[(i + 1) % 3]) / (moment[0] + moment[1] + moment[2]));
  return gap > 0.0 ? fmin(fmax(1e-6, 3e-7 / gap), 2.0) : 2.0;
}

static void compare_meshes(table *t) {
  const json_t *rows = json_object_get(t->match->file, "meshes");
  for (int g = 0; g < (int)json_array_size(rows); ++g) {
    start_row(t, rows, g, "mesh");
    const int m = limpet_model_find(t->model, LIMPET_OBJECT_MESH, golden_string(t->row, "name"));
    if (m < 0) continue;  // meshes that nothing physical uses need not be there
    const limpet_mesh *mesh = &t->model->mesh[m];
    agree(t, "pos", mesh->position, 3, mesh_tolerance);
    agree_quaternion(t, "quat", mesh->quaternion, axis_tolerance(mesh));
    agree_number(t, "vertices", mesh->vertex_count, 0.0);

    // vertices within 1e-6 of a face's plane are left out here, so there may be fewer
    const double expected = golden_number(t->row, "hull_vertices");
    if (isnan(expected) || !mesh->hull) continue;
    const double missing = expected - mesh->hull->vertex_count;
    if (missing < -4.0 || missing > 4.0 + 0.15 * expected) {
      printf("%s, hull_vertices: %d, expected about %g\n", t->what, mesh->hull->vertex_count,
             expected);
      t->good = false;
    }
  }
}

static int size_count(limpet_shape_kind kind) {
  switch (kind) {
    case LIMPET_SHAPE_SPHERE: return 1;
    case LIMPET_SHAPE_CAPSULE:
    case LIMPET_SHAPE_CYLINDER:
    case LIMPET_SHAPE_PLANE: return 2;
    default: return 3;
  }
}

static void compare_geometry(table *t) {
  const limpet_model *model = t->model;
  const json_t *rows = json_object_get(t->match->file, "geometry");
  for (int r = 0; r < (int)json_array_size(rows); ++r) {
    start_row(t, rows, r, "geom");
    // numbers shift where MuJoCo discarded visual geoms
    const int named =
        *golden_string(t->row, "name")
            ? limpet_model_find(model, LIMPET_OBJECT_GEOM, golden_string(t->row, "name"))
            : -1;
    const int g = named >= 0 ? named : (int)golden_number(t->row, "index");
    if (strcmp(golden_string(t->row, "type"), "hfield") == 0) continue;
    if (g >= model->geom_count) {
      printf("%s: the model has %d geoms only\n", t->what, model->geom_count);
      t->good = false;
      return;
    }
    // primitives of a model with meshes may be fitted to one
    const bool is_mesh = model->geom_mesh[g] >= 0;
    const limpet_mesh *mesh = is_mesh ? &model->mesh[model->geom_mesh[g]] : NULL;
    const double tolerance = model->mesh_count > 0 ? mesh_tolerance : 1e-12;
    agree_number(t, "body", model->geom_body[g], 0.0);
    agree_word(t, "type", limpet_shape_kind_word(model->geom_kind[g]));
    agree(t, "pos", model->geom_position + 3 * g, 3, tolerance);
    agree_quaternion(t, "quat", model->geom_quaternion + 4 * g,
                     is_mesh ? axis_tolerance(mesh) : tolerance);
    if (model->geom_kind[g] == LIMPET_SHAPE_MESH) {
      double largest[3];
      for (int k = 0; k < 3; ++k) largest[k] = fabs(mesh->aabb[k]) + mesh->aabb[3 + k];
      if (axis_tolerance(mesh) < 1e-2)
        agree(t, "size", largest, 3, fmax(tolerance, 0.1 * axis_tolerance(mesh)));
    } else {
      agree(t, "size", model->geom_size + 3 * g, size_count(model->geom_kind[g]), tolerance);
    }
    const limpet_material *material = &model->geom_material[g];
    const double friction[3] = {material->friction, material->friction_torsional,
                                material->friction_rolling};
    agree(t, "friction", friction, 3, 1e-12);
    agree(t, "solref", material->impedance.reference, 2, 1e-12);
    agree(t, "solimp", material->impedance.impedance, 5, 1e-12);
    agree_number(t, "solmix", model->geom_impedance_mix[g], 1e-12);
    agree_number(t, "condim", model->geom_condim[g], 0.0);
    agree_number(t, "margin", model->geom_margin[g], 1e-12);
    agree_number(t, "gap", model->geom_gap[g], 1e-12);
    agree_number(t, "priority", model->geom_priority[g], 0.0);
    agree_number(t, "group", model->geom_group[g], 0.0);
    agree_number(t, "contype", model->geom_contype[g], 0.0);
    agree_number(t, "conaffinity", model->geom_conaffinity[g], 0.0);
  }
}

static void count_agrees(table *t, const char *field, int ours) {
  const int expected = (int)golden_number(t->match->file, field);
  if (ours == expected) return;
  printf("%s, %s: %d, expected %d\n", golden_string(t->match->file, "model"), field, ours,
         expected);
  t->good = false;
}

bool golden_tables_agree(golden_match *match) {
  table t = {.match = match, .model = match->model, .good = true};
  count_agrees(&t, "nq", match->model->nq);
  count_agrees(&t, "nv", match->model->nv);
  count_agrees(&t, "nbody", match->model->body_count);
  count_agrees(&t, "njnt", match->model->joint_count);
  if (!t.good) return false;
  compare_bodies(&t);
  compare_joints(&t);
  compare_actuators(&t);
  compare_tendons(&t);
  compare_meshes(&t);
  compare_geometry(&t);
  return t.good;
}
