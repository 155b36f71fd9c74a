/* tests/support/golden_states.c: kinematics and dynamics of the golden states. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "golden_dynamics.h"
#include "model/tendon_path.h"

typedef struct comparison {
  golden_match *match;
  const limpet_model *model;
  limpet_data *data;
  const json_t *state;
  const char *label;
  bool good;
} comparison;

// Numbers of a field of the state, malloc; NULL and 0 if it is not there or null.
static double *field_of(const json_t *state, const char *name, int *count) {
  const json_t *value = json_object_get(state, name);
  *count = 0;
  if (!value || json_is_null(value)) return NULL;
  *count = json_numbers(value, NULL, 0);
  double *numbers = malloc(((size_t)*count + 1) * sizeof *numbers);
  json_numbers(value, numbers, *count);
  return numbers;
}

static void compare(comparison *c, const char *name, const double *ours, int count,
                    double tolerance) {
  int expected_count;
  double *expected = field_of(c->state, name, &expected_count);
  if (!expected) return;
  char what[256];
  snprintf(what, sizeof what, "%s, %s, %s", golden_string(c->match->file, "model"), c->label, name);
  if (expected_count != count) {
    printf("%s: %d numbers, expected %d\n", what, count, expected_count);
    c->good = false;
  } else if (!arrays_agree(what, ours, expected, count, fmax(tolerance, c->match->tolerance))) {
    c->good = false;
  }
  free(expected);
}

// Quaternions agree up to sign: ours are turned to the side of the expected ones.
static void compare_quaternions(comparison *c, const char *name, const double *ours, int count,
                                double tolerance) {
  int expected_count;
  double *expected = field_of(c->state, name, &expected_count),
         *signed_ours = malloc((size_t)count * sizeof *signed_ours);
  memcpy(signed_ours, ours, (size_t)count * sizeof *ours);
  for (int i = 0; expected && i + 3 < count && i + 3 < expected_count; i += 4) {
    double dot = 0.0;
    for (int k = 0; k < 4; ++k) dot += ours[i + k] * expected[i + k];
    for (int k = 0; k < 4; ++k) signed_ours[i + k] = dot < 0.0 ? -ours[i + k] : ours[i + k];
  }
  compare(c, name, signed_ours, count, tolerance);
  free(expected), free(signed_ours);
}

// Objects that the model lacks are taken from the expected values, so that only the others are
// compared.
static void compare_mapped(comparison *c, const char *name, const double *ours, const int *map,
                           int count, double tolerance) {
  int expected_count;
  double *expected = field_of(c->state, name, &expected_count);
  if (!expected) return;
  double *mapped = malloc(((size_t)count + 1) * sizeof *mapped);
  int kept = 0;
  for (int i = 0; i < count && i < expected_count; ++i)
    if (map[i] >= 0) mapped[i] = ours[map[i]], ++kept;
    else mapped[i] = expected[i];
  // one number for each output: actuators with several are not simulated, and shift the numbering
  if (expected_count == count && kept > 0) compare(c, name, mapped, count, tolerance);
  free(expected), free(mapped);
}

/* v' M v/2 by the blocks of trees, which is MuJoCo's. Where armature of a tendon couples trees,
 * Limpet counts the rest of m l'^2/2, too. */
static double kinetic_of_blocks(const limpet_model *model, const limpet_data *data) {
  double *momentum = calloc((size_t)model->nv + 1, sizeof *momentum), energy = 0.0;
  limpet_mass_mul(model, data, data->v, momentum);
  for (int d = 0; d < model->nv; ++d) energy += 0.5 * data->v[d] * momentum[d];
  free(momentum);
  return energy;
}

static void compare_mass_matrix(comparison *c) {
  const limpet_model *model = c->model;
  const size_t nv = (size_t)model->nv;
  double *M = calloc(nv * nv + 1, sizeof *M);
  for (int t = 0; t < model->tree_count; ++t) {
    const size_t n = (size_t)model->tree_dof_count[t], begin = (size_t)model->tree_dof[t];
    for (size_t i = 0; i < n; ++i)
      for (size_t j = 0; j < n; ++j)
        M[(begin + i) * nv + begin + j] =
            c->data->mass_matrix[(size_t)model->tree_mass[t] + i * n + j];
  }
  compare(c, "M", M, (int)(nv * nv), 1e-11);
  free(M);
}

static void compare_actuation(comparison *c) {
  golden_match *match = c->match;
  const limpet_data *data = c->data;
  compare_mapped(c, "actuator_length", data->actuator_length, match->actuator,
                 match->actuator_count, 1e-12);
  compare_mapped(c, "actuator_velocity", data->actuator_velocity, match->actuator,
                 match->actuator_count, 1e-12);
  compare_mapped(c, "actuator_force", data->actuator_force, match->actuator, match->actuator_count,
                 1e-10);
  if (match->actuation) {
    compare(c, "act_dot", data->activation_rate, c->model->na, 1e-10);
    compare(c, "qfrc_actuator", data->actuator_joint_force, c->model->nv, 1e-10);
  }
  if (match->actuation && match->springs && match->dampers && match->mass)
    compare(c, "qacc_smooth", data->acceleration, c->model->nv,
            golden_has_feature(match->file, "fluid_ellipsoid") ? 4e-4 : 1e-8);
}

static void compare_fields(comparison *c) {
  const limpet_model *model = c->model;
  limpet_data *data = c->data;
  const golden_match *match = c->match;
  double com[3];
  compare(c, "xpos", data->body_position, 3 * model->body_count, 1e-12);
  compare_quaternions(c, "xquat", data->body_quaternion, 4 * model->body_count, 1e-12);
  limpet_centre_of_mass(model, data, 0, com);
  compare(c, "com", com, 3, 1e-12);
  if (match->mass) {
    compare_mass_matrix(c);
    double kinetic = limpet_kinetic_energy(model, data);
    for (int t = 0; t < model->tendon_count; ++t)
      if (limpet_tendon_shared_armature(model, t) > 0.0) kinetic = kinetic_of_blocks(model, data);
    compare(c, "qfrc_bias", data->bias, model->nv, 1e-10);
    compare(c, "energy_kinetic", &kinetic, 1, 1e-10);
  }
  if (match->springs) {
    const double potential = limpet_potential_energy(model, data);
    compare(c, "qfrc_spring", data->spring_force, model->nv, 1e-10);
    compare(c, "energy_potential", &potential, 1, 1e-10);
  }
  if (match->dampers) compare(c, "qfrc_damper", data->damper_force, model->nv, 1e-10);
  compare(c, "qfrc_gravcomp", data->gravity_compensation_force, model->nv, 1e-10);
  // MuJoCo's quadrature misses the added mass of a plate of 250 : 1 by 4e-4
  const double fluid = golden_has_feature(match->file, "fluid_ellipsoid") ? 1e-8 : 1e-10;
  compare(c, "qfrc_fluid", data->fluid_force, model->nv, fluid);
  if (match->springs && match->dampers)
    compare(c, "qfrc_passive", data->passive_force, model->nv, fluid);
  // MuJoCo finds the point where a string touches the inside of a surface to 1e-6 rad: the length
  // is least there, so it is good to the square of that, its rate is not
  const bool wraps = golden_has_feature(match->file, "tendon_wrapping");
  compare_mapped(c, "ten_length", data->tendon_length, match->tendon, match->tendon_count,
                 wraps ? 1e-9 : 1e-12);
  compare_mapped(c, "ten_velocity", data->tendon_velocity, match->tendon, match->tendon_count,
                 wraps ? 1e-7 : 1e-12);
  compare_actuation(c);
}

// Controls and activations go by actuator, because the model may lack some.
static void set_inputs(comparison *c, const json_t *state, const char *name, double *ours,
                       const char *address, const int *our_address) {
  int count;
  double *values = field_of(state, name, &count);
  const json_t *actuators = json_object_get(c->match->file, "actuators");
  for (int i = 0; i < c->match->actuator_count; ++i) {
    const int at = (int)golden_number(json_array_get(actuators, (size_t)i), address),
              to = c->match->actuator[i];
    if (to < 0 || at < 0 || at >= count) continue;
    const int index = our_address ? our_address[to] : to;
    if (index >= 0) ours[index] = values[at];
  }
  free(values);
}

static bool set_state(comparison *c) {
  int nq, nv;
  double *q = field_of(c->state, "qpos", &nq), *v = field_of(c->state, "qvel", &nv);
  const bool fits = nq == c->model->nq && nv == c->model->nv;
  if (fits) {
    limpet_data_reset(c->model, c->data);
    if (nq) memcpy(c->data->q, q, (size_t)nq * sizeof *q);
    if (nv) memcpy(c->data->v, v, (size_t)nv * sizeof *v);
    set_inputs(c, c->state, "ctrl", c->data->control, "ctrladr", NULL);
    set_inputs(c, c->state, "act", c->data->activation, "actadr", c->model->actuator_act);
  } else {
    printf("%s: nq %d, nv %d, expected %d, %d\n", golden_string(c->match->file, "model"),
           c->model->nq, c->model->nv, nq, nv);
  }
  free(q), free(v);
  return fits;
}

static void compare_state(comparison *c) {
  c->label = golden_string(c->state, "label");
  if (!set_state(c)) {
    c->good = false;
    return;
  }
  limpet_forward_dynamics(c->model, c->data);
  compare_fields(c);

  // the same pose with random activations
  const json_t *with_act = json_object_get(c->state, "with_act");
  if (!with_act) return;
  set_inputs(c, with_act, "act", c->data->activation, "actadr", c->model->actuator_act);
  limpet_forward_dynamics(c->model, c->data);
  c->state = with_act;
  c->label = "random 2 with activations";
  compare_actuation(c);
}

int golden_states_compare(golden_match *match) {
  comparison c = {.match = match,
                  .model = match->model,
                  .data = limpet_data_create(match->model),
                  .good = true};
  const json_t *states = json_object_get(match->file, "states");
  const int count = (int)json_array_size(states);
  for (int i = 0; i < count; ++i) {
    c.state = json_array_get(states, (size_t)i);
    compare_state(&c);
  }
  limpet_data_destroy(c.data);
  return c.good ? count : -1 - count;
}
