/* benchmarks/bench_dynamics.c: time of the tree algorithms on one thread.
 *
 * Models: a serial arm of hinges, a humanoid-like tree described here, and the files that are named
 * as arguments. Each figure is the least of 21 batches of about 2 ms, over random states; a
 * calibration loop of dependent adds (3 cycles each on common CPUs) is printed first, so that
 * numbers of different machines and days can be compared. Floors: reference figures for a 7-joint
 * arm are 0.25 us (rnea) and 0.35 us (crba), for a humanoid of 27 velocities 2 us for kinematics,
 * velocities, mass matrix and bias together. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "limpet/dynamics.h"
#include "limpet/format.h"
#include "measure.h"

enum { BATCHES = 21, STATES = 16 };

static unsigned long long seed = 7;
static double between(double low, double high) { return uniform(&seed, low, high); }

static void calibrate(void) {
  volatile double one = 1.0;
  double best = INFINITY;
  for (int batch = 0; batch < BATCHES; ++batch) {
    double sum = one;
    const double add = one, start = now();
    for (int i = 0; i < 1000000; ++i) sum += add;
    best = fmin(best, now() - start);
    one = sum / sum;
  }
  printf("dependent add: %.3f ns\n", 1e3 * best);
}

static int add_body(limpet_builder *builder, int parent, double length) {
  limpet_body_description body = limpet_body_description_default();
  body.parent = parent;
  body.position[2] = length;
  body.quaternion[0] = between(0.5, 1), body.quaternion[1] = between(-1, 1);
  body.has_inertial = true;
  body.mass = 1.0;
  body.com[2] = 0.1;
  body.inertia[0] = body.inertia[1] = 0.02, body.inertia[2] = 0.01;
  return limpet_builder_add_body(builder, &body);
}

static void add_joint(limpet_builder *builder, int body, limpet_joint_kind kind, int axis) {
  limpet_joint_description joint = limpet_joint_description_default();
  joint.body = body;
  joint.kind = kind;
  joint.axis[0] = joint.axis[1] = joint.axis[2] = 0.0;
  joint.axis[axis] = 1.0;
  joint.armature = 0.01;
  joint.damping = 0.1;
  const int handle = limpet_builder_add_joint(builder, &joint);
  if (kind != LIMPET_JOINT_REVOLUTE) return;
  limpet_actuator_description motor = limpet_actuator_description_default();
  motor.transmission = LIMPET_TRANSMISSION_JOINT;
  motor.target = handle;
  motor.gear[0] = 1.0;
  motor.gain[0] = 1.0;
  limpet_builder_add_actuator(builder, &motor);
}

static void describe_arm(limpet_builder *builder) {
  int body = 0;
  for (int i = 0; i < 7; ++i)
    add_joint(builder, body = add_body(builder, body, 0.3), LIMPET_JOINT_REVOLUTE, i % 2 ? 1 : 2);
}

// A chain of bodies with the given numbers of hinges, ending the list with 0.
static int describe_limb(limpet_builder *builder, int parent, const int *hinges) {
  for (; *hinges; ++hinges) {
    parent = add_body(builder, parent, 0.3);
    for (int i = 0; i < *hinges; ++i) add_joint(builder, parent, LIMPET_JOINT_REVOLUTE, i);
  }
  return parent;
}

// 27 velocities: torso 6, waist 2 and 1, legs 3 + 1 + 2, arms 2 + 1
static void describe_humanoid(limpet_builder *builder) {
  const int waist[] = {2, 1, 0}, leg[] = {3, 1, 2, 0}, arm[] = {2, 1, 0};
  const int torso = add_body(builder, 0, 1.3);
  add_joint(builder, torso, LIMPET_JOINT_FREE, 2);
  const int pelvis = describe_limb(builder, torso, waist);
  for (int side = 0; side < 2; ++side)
    describe_limb(builder, pelvis, leg), describe_limb(builder, torso, arm);
}

static limpet_model *describe(void (*what)(limpet_builder *)) {
  limpet_builder *builder = limpet_builder_create();
  what(builder);
  limpet_error error = {0};
  limpet_model *model = limpet_builder_compile(builder, &error);
  if (!model) printf("%s\n", error.message);
  limpet_builder_destroy(builder);
  return model;
}

typedef void work(const limpet_model *model, limpet_data *data);

static void colliders(const limpet_model *model, limpet_data *data) {
  limpet_geom_kinematics(model, data, false);
}
static void aba(const limpet_model *model, limpet_data *data) {
  limpet_aba(model, data, data->passive_force, NULL, data->acceleration);
}
static void rnea(const limpet_model *model, limpet_data *data) {
  limpet_rnea(model, data, data->acceleration, data->applied_force);
}
static void solve(const limpet_model *model, limpet_data *data) {
  limpet_mass_solve(model, data, data->bias, data->acceleration);
}
static void smooth(const limpet_model *model, limpet_data *data) {
  limpet_kinematics(model, data);
  limpet_velocity_kinematics(model, data);
  limpet_mass_matrix(model, data);
  limpet_bias(model, data);
}

// [us] per call, least of the batches; coordinates change from call to call as they do in a
// simulation
static double time_of(work *function, const limpet_model *model, limpet_data *data,
                      const double *q) {
  const size_t bytes = (size_t)model->nq * sizeof(double);
  double best = INFINITY, once = now();
  for (int i = 0; i < STATES; ++i) function(model, data);
  once = (now() - once) / STATES;
  const int count = STATES * (int)fmax(1.0, 2e-3 / fmax(once, 1e-9) / STATES);
  for (int batch = 0; batch < BATCHES; ++batch) {
    const double start = now();
    for (int i = 0; i < count; ++i) {
      memcpy(data->q, q + (size_t)(i % STATES) * (size_t)model->nq, bytes);
      function(model, data);
    }
    best = fmin(best, (now() - start) / count);
  }
  return 1e6 * best;
}

static void measure(const char *name, limpet_model *model) {
  if (!model) return;
  limpet_data *data = limpet_data_create(model);
  double *q = malloc(STATES * (size_t)model->nq * sizeof *q);
  for (int s = 0; s < STATES; ++s) {
    for (int i = 0; i < model->nv; ++i) data->v[i] = between(-1, 1);
    limpet_integrate_position(model, q + s * model->nq, model->q_reference, data->v, 1.0, false);
  }
  limpet_forward_dynamics(model, data);
  static const struct {
    const char *name;
    work *function;
  } parts[] = {{"kinematics", limpet_kinematics},
               {"geoms", colliders},
               {"velocity", limpet_velocity_kinematics},
               {"crba", limpet_mass_matrix},
               {"bias", limpet_bias},
               {"smooth", smooth},
               {"rnea", rnea},
               {"aba", aba},
               {"M solve", solve},
               {"passive", limpet_passive_forces},
               {"actuation", limpet_actuation},
               {"forward", limpet_forward_dynamics}};
  printf("%-12s nv %2d bodies %2d:", name, model->nv, model->body_count - 1);
  for (size_t i = 0; i < sizeof parts / sizeof *parts; ++i)
    printf("  %s %.3f", parts[i].name, time_of(parts[i].function, model, data, q));
  printf("  [us]\n");
  free(q);
  limpet_data_destroy(data);
  limpet_model_destroy(model);
}

// Files given on the command line are measured too, under their own names.
int main(int count, char **arguments) {
  calibrate();
  measure("arm", describe(describe_arm));
  measure("humanoid", describe(describe_humanoid));
  for (int i = 1; i < count; ++i) {
    limpet_error error = {0};
    limpet_model *model = limpet_load(arguments[i], NULL, &error);
    if (!model) printf("%s\n", error.message);
    const char *slash = strrchr(arguments[i], '/');
    measure(slash ? slash + 1 : arguments[i], model);
  }
  return 0;
}
