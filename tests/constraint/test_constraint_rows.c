/* tests/constraint/test_constraint_rows.c: the rows of every constraint kind are the derivative of
 * its error, at random states of random trees; the bias of loops is the second-order part of what
 * their error does in a step; and the cost of all rows together has the gradient and the Hessian
 * that the solver takes, in every regime of every row.
 *
 * Tolerances: central differences of step 1e-5 miss h^2 times third derivatives of order 10 to 100,
 * and round-off 1e-16/h. The second-order test leaves dt^3 times third derivatives, which at 0.1 ms
 * are below a fiftieth of the bias. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "constraint/kind.h"
#include "dynamics/point_columns.h"
#include "limpet/limpet.h"
#include "math/quaternion.h"
#include "math/vec3.h"
#include "random_models.h"
#include "small_models.h"
#include "solve/island_solver.h"

enum { MODELS = 60, STATES = 5, BODIES = 9, MOST = 96 };
static const double step = 1e-5, difference_tolerance = 1e-6;
static unsigned long seed = 29;

static double uniform(double low, double high) { return random_uniform(&seed, low, high); }

// ---------------------------------------------------------------------------- random models

static void add_joint(limpet_builder *builder, int body, limpet_joint_kind kind) {
  limpet_joint_description joint = limpet_joint_description_default();
  joint.body = body;
  joint.kind = kind;
  random_vector(&seed, joint.position, 3, 0.3);
  random_vector(&seed, joint.axis, 3, 1.0);
  joint.dry_friction = uniform(0, 1) < 0.2 ? 1.0 : 0.0;
  joint.limited = kind != LIMPET_JOINT_FREE && uniform(0, 1) < 0.5;
  joint.range[0] = kind == LIMPET_JOINT_BALL ? 0.0 : uniform(-1.0, 0.0);
  joint.range[1] = uniform(0.1, 1.0);
  joint.limit_margin = uniform(0.0, 0.1);
  limpet_builder_add_joint(builder, &joint);
}

static void add_bodies(limpet_builder *builder) {
  static const limpet_joint_kind scalar[2] = {LIMPET_JOINT_REVOLUTE, LIMPET_JOINT_PRISMATIC};
  for (int b = 1; b <= BODIES; ++b) {
    const int parent = b == 1 || uniform(0, 1) < 0.3 ? 0 : (int)uniform(1, b - 1e-9);
    const limpet_body_description body = random_body(&seed, parent);
    const int handle = limpet_builder_add_body(builder, &body);
    const double kind = uniform(0, 1);
    if (kind < 0.3 && body.parent == 0) add_joint(builder, handle, LIMPET_JOINT_FREE);
    else if (kind < 0.5) add_joint(builder, handle, LIMPET_JOINT_BALL);
    else if (kind < 0.9)
      for (int i = 0; i < 2; ++i) add_joint(builder, handle, scalar[uniform(0, 1) < 0.3]);
  }
}

static int random_scalar_joint(const limpet_builder *builder) {
  for (int tries = 0; tries < 50; ++tries) {
    const int count = limpet_builder_count(builder, LIMPET_OBJECT_JOINT);
    if (count == 0) break;
    const int j = (int)uniform(0, count - 1e-9);
    if (limpet_joint_kind_nv(limpet_builder_joint((limpet_builder *)builder, j)->kind) == 1)
      return j;
  }
  return LIMPET_NONE;
}

static void add_tendon_and_couplers(limpet_builder *builder) {
  const int x = random_scalar_joint(builder), y = random_scalar_joint(builder);
  if (x == LIMPET_NONE || x == y) return;
  limpet_tendon_term terms[2] = {{x, uniform(-2, 2)}, {y, uniform(-2, 2)}};
  limpet_tendon_description tendon = limpet_tendon_description_default();
  tendon.term_count = 2, tendon.terms = terms;
  tendon.limited = true;
  tendon.range[0] = -0.1, tendon.range[1] = 0.1;
  tendon.dry_friction = 0.5;
  tendon.armature = 0.2;
  tendon.stiffness = 30.0, tendon.damping = 0.5;
  const int t = limpet_builder_add_tendon(builder, &tendon);
  limpet_coupler_description coupler = limpet_coupler_description_default();
  coupler.y = y, coupler.x = x;
  random_vector(&seed, coupler.coefficient, 5, 1.0);
  limpet_builder_add_coupler(builder, &coupler);
  coupler.tendon = true, coupler.y = t, coupler.x = LIMPET_NONE;
  limpet_builder_add_coupler(builder, &coupler);
}

// Servos on joints and on the tendon, some with limits of their force.
static void add_servos(limpet_builder *builder) {
  for (int i = 0; i < 3; ++i) {
    limpet_actuator_description servo = limpet_actuator_description_default();
    const bool tendon = i == 2 && limpet_builder_count(builder, LIMPET_OBJECT_TENDON) > 0;
    servo.transmission = tendon ? LIMPET_TRANSMISSION_TENDON : LIMPET_TRANSMISSION_JOINT;
    servo.target = tendon ? 0 : random_scalar_joint(builder);
    if (servo.target == LIMPET_NONE) return;
    servo.gear[0] = uniform(0.5, 2.0);
    servo.gain[0] = 50.0, servo.bias[1] = -50.0, servo.bias[2] = -1.0;
    servo.force_limited = i != 1;
    servo.force_range[0] = -3.0, servo.force_range[1] = 5.0;
    limpet_builder_add_actuator(builder, &servo);
  }
}

static void add_loop(limpet_builder *builder, limpet_loop_kind kind) {
  limpet_loop_description loop = limpet_loop_description_default();
  loop.kind = kind;
  loop.body_a = (int)uniform(0, BODIES + 1 - 1e-9);
  do loop.body_b = (int)uniform(0, BODIES + 1 - 1e-9);
  while (loop.body_b == loop.body_a);
  random_vector(&seed, loop.position_a, 3, 0.5);
  random_vector(&seed, loop.position_b, 3, 0.5);
  random_quaternion(&seed, loop.quaternion_a);
  random_quaternion(&seed, loop.quaternion_b);
  loop.length = 0.7;
  limpet_builder_add_loop(builder, &loop);
}

static limpet_model *random_model(bool everything) {
  limpet_builder *builder = limpet_builder_create();
  add_bodies(builder);
  if (everything) add_tendon_and_couplers(builder);
  if (everything) add_servos(builder);
  for (int i = 0; i < 3; ++i)
    for (int kind = 0; kind < 3; ++kind) add_loop(builder, (limpet_loop_kind)kind);
  limpet_model *model = small_compile(builder);
  assert_non_null(model);
  return model;
}

// -------------------------------------------------------------------------- rows of a state

static void kinematics(const limpet_model *model, limpet_data *data) {
  limpet_kinematics(model, data);
  limpet_velocity_kinematics(model, data);
  limpet_mass_matrix(model, data);
  limpet_tendon_kinematics(model, data);
  limpet_passive_forces(model, data);
  limpet_actuation(model, data);
}

static void random_state(const limpet_model *model, limpet_data *data) {
  double move[MOST];
  random_vector(&seed, move, model->nv, 1.5);
  limpet_integrate_position(model, data->q, model->q_reference, move, 1.0, false);
  random_vector(&seed, data->v, model->nv, 3.0);
  kinematics(model, data);
}

static limpet_contact_problem assemble(const limpet_model *model, limpet_data *data, double dt,
                                       limpet_arena *arena) {
  const limpet_assembly_settings settings = {
      .dt = dt,
      .contact = {.stiction_speed = 1e-6, .friction_regularization = 1e-5, .near_rigid_ratio = 0.1},
      .constraint_ratio = 0.1,
      .equality_ratio = 0.01,
      .return_speed = INFINITY,
      .length_return = INFINITY,
      .implicit_tendons = true,
      .curved_paths = true};
  limpet_contact_problem problem = {
      .model = limpet_contact_model_find("coulomb"), .dt = dt, .v_free = data->v};
  limpet_arena_reset(arena);
  assert_int_equal(
      limpet_problem_take_trees(&problem, model, data->mass_matrix, limpet_trees_all(model), arena),
      0);
  assert_int_equal(limpet_constraints_assemble(model, data, &settings, arena, &problem), 0);
  return problem;
}

static void dense_row(const limpet_contact_problem *problem, int row, double a[MOST]) {
  memset(a, 0, MOST * sizeof *a);
  const limpet_constraint_row *r = &problem->row[row];
  for (int e = r->entry; e < r->entry + r->entry_count; ++e)
    a[problem->entry_dof[e]] += problem->entry_value[e];
}

// -------------------------------------------------------------- errors, by their definition

typedef struct loop_frames {
  double P[3], Q[3], A[9], B[9],
      common[9];  // points; axes of the bodies and of the last link that moves both
} loop_frames;

static loop_frames frames_of(const limpet_model *model, const limpet_data *data, int loop) {
  loop_frames f;
  const int *body = model->loop_body + 2 * loop;
  double *points[2] = {f.P, f.Q};
  for (int side = 0; side < 2; ++side) {
    limpet_mat3_mul_vec(points[side], data->body_rotation + 9 * body[side],
                        model->loop_position + 6 * loop + 3 * side);
    limpet_vec3_add(points[side], points[side], data->body_position + 3 * body[side]);
    limpet_mat3_copy(side == 0 ? f.A : f.B, data->body_rotation + 9 * body[side]);
  }
  const int dof =
      limpet_point_common_dof(model, model->body_last_dof[body[0]], model->body_last_dof[body[1]]);
  limpet_mat3_identity(f.common);
  if (dof >= 0) limpet_mat3_copy(f.common, data->body_rotation + 9 * model->dof_body[dof]);
  return f;
}

/* Error of a row that is a function of the coordinates: limits, couplers, tendon limits, distance;
 * of an actuator its length. */
static double scalar_error(const limpet_model *model, const limpet_data *data, const char *kind,
                           int target, double sign) {
  const double *q = data->q;
  if (strcmp(kind, "actuator") == 0) return data->actuator_length[target];
  if (strcmp(kind, "joint limit") == 0) {
    const double *range = model->joint_range + 2 * target,
                 margin = model->joint_limit_margin[target];
    if (model->joint_kind[target] != LIMPET_JOINT_BALL)
      return sign * (q[model->joint_q[target]] - range[sign < 0.0]) - margin;
    double turn[3];
    limpet_quaternion_log(turn, q + model->joint_q[target]);
    return range[1] - limpet_vec3_norm(turn) - margin;
  }
  if (strcmp(kind, "tendon limit") == 0)
    return sign * (data->tendon_length[target] - model->tendon_range[2 * target + (sign < 0.0)]);
  if (strcmp(kind, "distance") == 0) {
    const loop_frames f = frames_of(model, data, target);
    return limpet_vec3_distance(f.P, f.Q) - model->loop_length[target];
  }
  const double *c = model->coupler_coefficient + 5 * target;
  if (model->coupler_tendon[target]) return data->tendon_length[model->coupler_y[target]] - c[0];
  const double x = q[model->joint_q[model->coupler_x[target]]];
  return q[model->joint_q[model->coupler_y[target]]] - c[0] -
         x * (c[1] + x * (c[2] + x * (c[3] + x * c[4])));
}

// Angular velocity [rad/s, W] of axes that turn from R0 to R1 in `time`.
static void turn_rate(const double R0[9], const double R1[9], double time, double omega[3]) {
  double R[9], q[4];
  limpet_mat3_mul_t(R, R1, R0);
  limpet_quaternion_from_matrix(q, R);
  limpet_quaternion_log(omega, q);
  limpet_vec3_scale(omega, 1.0 / time, omega);
}

/* Rates of the errors of a connect (3, from index 3 on) or weld (6) between the states `back` and
 * `ahead`, `time` apart. Those of a connect are taken in the axes of the last link that moves both
 * bodies, those of a weld between its two bodies. */
static void loop_rates(const limpet_model *model, int loop, const loop_frames *back,
                       const loop_frames *ahead, const loop_frames *now, double time,
                       double rate[6]) {
  double e[3], e0[3], e1[3], omega[2][3], mean[3], turned[3];
  limpet_vec3_sub(e, now->Q, now->P);
  limpet_vec3_sub(e0, back->Q, back->P);
  limpet_vec3_sub(e1, ahead->Q, ahead->P);
  if (model->loop_kind[loop] == LIMPET_LOOP_CONNECT) {
    double c0[3], c1[3];
    limpet_mat3_tmul_vec(c0, back->common, e0);
    limpet_mat3_tmul_vec(c1, ahead->common, e1);
    limpet_vec3_sub(c1, c1, c0);
    limpet_vec3_scale(c1, 1.0 / time, c1);
    limpet_vec3_zero(rate);
    limpet_mat3_mul_vec(rate + 3, now->common, c1);
    return;
  }
  turn_rate(back->A, ahead->A, time, omega[0]);
  turn_rate(back->B, ahead->B, time, omega[1]);
  for (int i = 0; i < 3; ++i) {
    rate[i] = omega[1][i] - omega[0][i];
    rate[3 + i] = (e1[i] - e0[i]) / time;
    mean[i] = 0.5 * (omega[0][i] + omega[1][i]);
  }
  limpet_vec3_cross(turned, mean, e);
  limpet_vec3_sub(rate + 3, rate + 3, turned);
}

// ------------------------------------------------------------------------------ first order

typedef struct tally {
  int rows[16], same_tree, two_trees, world;
} tally;

static void count_loop(const limpet_model *model, int loop, tally *t) {
  const int a = model->body_tree[model->loop_body[2 * loop]],
            b = model->body_tree[model->loop_body[2 * loop + 1]];
  if (a < 0 || b < 0) ++t->world;
  else if (a == b) ++t->same_tree;
  else ++t->two_trees;
}

// World after moving the state along `direction` by h.
static void moved(const limpet_model *model, limpet_data *other, const double *q,
                  const double *direction, double h) {
  limpet_integrate_position(model, other->q, q, direction, h, false);
  kinematics(model, other);
}

static double row_times(const limpet_contact_problem *problem, int row, const double *u, int nv) {
  double a[MOST], sum = 0.0;
  dense_row(problem, row, a);
  for (int i = 0; i < nv; ++i) sum += a[i] * u[i];
  return sum;
}

// Rows of the same constraint as row r.
static int rows_beside(const limpet_contact_problem *problem, int r) {
  int count = 0;
  for (int i = 0; i < problem->row_count; ++i)
    count += problem->row[i].kind == problem->row[r].kind &&
             problem->row[i].target == problem->row[r].target;
  return count;
}

// Whether rows have the speed of a tendon over several trees, and no error.
static bool is_of_shared_tendon(const char *kind) {
  return strcmp(kind, "tendon armature") == 0 || strcmp(kind, "tendon spring") == 0;
}

static void check_rows(const limpet_model *model, limpet_data *data, limpet_data *other[2],
                       limpet_arena *arena, tally *t) {
  const limpet_constraint_kind *const *kinds = limpet_constraint_kinds();
  const limpet_contact_problem problem = assemble(model, data, 1.0, arena);
  double direction[MOST];
  random_vector(&seed, direction, model->nv, 1.0);
  for (int k = 0; k < 2; ++k) moved(model, other[k], data->q, direction, k == 0 ? -step : step);
  int part = 0;  // which of the rows of one loop
  for (int r = 0; r < problem.row_count; ++r) {
    const limpet_constraint_row *row = &problem.row[r];
    const char *kind = limpet_constraint_kind_descriptor(kinds[row->kind])->name;
    const bool connect = strcmp(kind, "connect") == 0, weld = strcmp(kind, "weld") == 0;
    const double rate = row_times(&problem, r, direction, model->nv);
    part = r > 0 && problem.row[r - 1].kind == row->kind && problem.row[r - 1].target == row->target
               ? part + 1
               : 0;
    ++t->rows[row->kind];
    if (is_of_shared_tendon(kind)) {
      const double change =
          other[1]->tendon_length[row->target] - other[0]->tendon_length[row->target];
      assert_true(fabs(rate - change / (2.0 * step)) < difference_tolerance);
      continue;
    }
    if (strcmp(kind, "dry friction") == 0)
      continue;  // its row is a coordinate or that of a tendon, without an error
    // rows that nothing can move are left out; where one is missing, the place of the others is not
    // known
    if ((connect || weld) && rows_beside(&problem, r) != (weld ? 6 : 3)) continue;
    if (connect || weld) {
      const loop_frames now = frames_of(model, data, row->target),
                        back = frames_of(model, other[0], row->target),
                        ahead = frames_of(model, other[1], row->target);
      double rates[6];
      loop_rates(model, row->target, &back, &ahead, &now, 2.0 * step, rates);
      const int index = connect ? 3 + part : part;
      if (fabs(rate - rates[index]) > difference_tolerance)
        fail_msg("%s, row %d: rate %.12g, by differences %.12g", kind, part, rate, rates[index]);
      if (index >= 3) assert_true(fabs(row->error - (now.Q[index - 3] - now.P[index - 3])) < 1e-13);
      if (part == 0) count_loop(model, row->target, t);
      continue;
    }
    // which of the two limits: the one whose error the row has
    double sign = 1.0;
    const bool servo = strcmp(kind, "actuator") == 0;
    if (!servo && fabs(scalar_error(model, data, kind, row->target, 1.0) - row->error) > 1e-12)
      sign = -1.0;
    assert_true(servo ||
                fabs(scalar_error(model, data, kind, row->target, sign) - row->error) < 1e-12);
    const double difference = (scalar_error(model, other[1], kind, row->target, sign) -
                               scalar_error(model, other[0], kind, row->target, sign)) /
                              (2.0 * step);
    if (fabs(rate - difference) > difference_tolerance)
      fail_msg("%s: rate %.12g, by differences %.12g", kind, rate, difference);
    if (strcmp(kind, "distance") == 0) count_loop(model, row->target, t);
  }
}

static void rows_are_derivatives_of_errors(void **state) {
  (void)state;
  tally t = {0};
  limpet_arena arena;
  assert_int_equal(limpet_arena_create(&arena, 1 << 16), 0);
  for (int m = 0; m < MODELS; ++m) {
    limpet_model *model = random_model(true);
    assert_true(model->nv <= MOST);
    limpet_data *data = limpet_data_create(model),
                *other[2] = {limpet_data_create(model), limpet_data_create(model)};
    for (int s = 0; s < STATES; ++s) {
      random_state(model, data);
      check_rows(model, data, other, &arena, &t);
    }
    limpet_data_destroy(data);
    for (int k = 0; k < 2; ++k) limpet_data_destroy(other[k]);
    limpet_model_destroy(model);
  }
  limpet_arena_destroy(&arena);
  const limpet_constraint_kind *const *kinds = limpet_constraint_kinds();
  for (int k = 0; kinds[k]; ++k) {
    printf("%s: %d rows\n", limpet_constraint_kind_descriptor(kinds[k])->name, t.rows[k]);
    // ties belong to deformable bodies: test_soft; few tendons join two trees
    const char *name = limpet_constraint_kind_descriptor(kinds[k])->name;
    const bool tie = strcmp(name, "tie") == 0, few = is_of_shared_tendon(name);
    assert_true(tie || t.rows[k] > (few ? 30 : 100));
  }
  printf("loops in one tree %d, between trees %d, to the world %d\n", t.same_tree, t.two_trees,
         t.world);
  assert_true(t.same_tree > 100 && t.two_trees > 100 && t.world > 100);
}

// ----------------------------------------------------------------------------- second order

// The rows of one loop, orthonormalised, taken out of v.
static void keep_loop_closed(const limpet_contact_problem *problem, int loop, int nv, double *v) {
  static double basis[6][MOST];
  int count = 0;
  for (int r = 0; r < problem->row_count; ++r) {
    const char *kind =
        limpet_constraint_kind_descriptor(limpet_constraint_kinds()[problem->row[r].kind])->name;
    const bool of_loops =
        strcmp(kind, "connect") == 0 || strcmp(kind, "weld") == 0 || strcmp(kind, "distance") == 0;
    if (!of_loops || problem->row[r].target != loop) continue;
    double *a = basis[count], norm = 0.0;
    dense_row(problem, r, a);
    for (int pass = 0; pass < 2; ++pass)
      for (int b = 0; b < count; ++b) {
        double along = 0.0;
        for (int i = 0; i < nv; ++i) along += a[i] * basis[b][i];
        for (int i = 0; i < nv; ++i) a[i] -= along * basis[b][i];
      }
    for (int i = 0; i < nv; ++i) norm += a[i] * a[i];
    if (norm < 1e-16) continue;
    for (int i = 0; i < nv; ++i) a[i] /= sqrt(norm);
    ++count;
  }
  for (int b = 0; b < count; ++b) {
    double along = 0.0;
    for (int i = 0; i < nv; ++i) along += v[i] * basis[b][i];
    for (int i = 0; i < nv; ++i) v[i] -= along * basis[b][i];
  }
}

// Moves Q's frame on body B to where P's is now, so that the loop is closed in this pose.
static void close_here(limpet_model *model, const limpet_data *data, int loop) {
  const loop_frames f = frames_of(model, data, loop);
  const int *body = model->loop_body + 2 * loop;
  double e[3], inverse[4], at_P[4];
  limpet_vec3_sub(e, f.P, data->body_position + 3 * body[1]);
  limpet_mat3_tmul_vec(model->loop_position + 6 * loop + 3, f.B, e);
  limpet_quaternion_mul(at_P, data->body_quaternion + 4 * body[0],
                        model->loop_quaternion + 8 * loop);
  limpet_quaternion_conjugate(inverse, data->body_quaternion + 4 * body[1]);
  limpet_quaternion_mul(model->loop_quaternion + 8 * loop + 4, inverse, at_P);
}

// Error vector (6: turn, gap) of a loop; of a distance the first number only.
static void loop_error(const limpet_model *model, const limpet_data *data, int loop,
                       double error[6]) {
  const loop_frames f = frames_of(model, data, loop);
  const int *body = model->loop_body + 2 * loop;
  double at_P[4], at_Q[4], inverse[4], relative[4];
  memset(error, 0, 6 * sizeof *error);
  limpet_vec3_sub(error + 3, f.Q, f.P);
  if (model->loop_kind[loop] == LIMPET_LOOP_DISTANCE) {
    const double length = limpet_vec3_norm(error + 3);
    memset(error, 0, 6 * sizeof *error);
    error[3] = length - model->loop_length[loop];
    return;
  }
  if (model->loop_kind[loop] != LIMPET_LOOP_WELD) return;
  limpet_quaternion_mul(at_P, data->body_quaternion + 4 * body[0],
                        model->loop_quaternion + 8 * loop);
  limpet_quaternion_mul(at_Q, data->body_quaternion + 4 * body[1],
                        model->loop_quaternion + 8 * loop + 4);
  limpet_quaternion_conjugate(inverse, at_P);
  limpet_quaternion_mul(relative, at_Q, inverse);
  limpet_quaternion_log(error, relative);
}

// The bias of the rows of a loop, from v_hat = -g/(2 dt) - bias.
static int biases(const limpet_contact_problem *problem, int loop, double bias[6]) {
  int found = 0;
  memset(bias, 0, 6 * sizeof *bias);
  for (int r = 0; r < problem->row_count; ++r) {
    const limpet_constraint_row *row = &problem->row[r];
    const char *kind =
        limpet_constraint_kind_descriptor(limpet_constraint_kinds()[row->kind])->name;
    const bool weld = strcmp(kind, "weld") == 0;
    if ((!weld && strcmp(kind, "connect") != 0 && strcmp(kind, "distance") != 0) ||
        row->target != loop)
      continue;
    bias[weld ? found : 3 + found] = -row->v_hat - row->error / (2.0 * problem->dt);
    ++found;
  }
  return found;
}

/* A velocity that keeps a loop closed to first order moves its error by dt times the bias, and by
 * dt^3. */
static void the_bias_is_the_second_order_of_the_error(void **state) {
  (void)state;
  const double dt = 1e-4, third_order = 3e-11;  // dt^3 times 30 m/s^3
  int compared = 0;
  double largest = 0.0;
  limpet_arena arena;
  assert_int_equal(limpet_arena_create(&arena, 1 << 16), 0);
  for (int m = 0; m < MODELS; ++m) {
    limpet_model *model = random_model(false);
    limpet_data *data = limpet_data_create(model), *other = limpet_data_create(model);
    random_state(model, data);
    for (int loop = 0; loop < model->loop_count; ++loop) {
      double bias[6], error[6];
      if (model->loop_kind[loop] != LIMPET_LOOP_DISTANCE) close_here(model, data, loop);
      loop_error(model, data, loop, error);
      if (model->loop_kind[loop] == LIMPET_LOOP_DISTANCE) model->loop_length[loop] += error[3];
      random_vector(&seed, data->v, model->nv, 3.0);
      limpet_contact_problem problem = assemble(model, data, dt, &arena);
      if (!biases(&problem, loop, bias)) continue;  // both bodies are fixed to each other
      keep_loop_closed(&problem, loop, model->nv, data->v);
      kinematics(model, data);
      problem = assemble(model, data, dt, &arena);
      if (biases(&problem, loop, bias) != (model->loop_kind[loop] == LIMPET_LOOP_WELD      ? 6
                                           : model->loop_kind[loop] == LIMPET_LOOP_CONNECT ? 3
                                                                                           : 1))
        continue;
      moved(model, other, data->q, data->v, dt);
      loop_error(model, other, loop, error);
      double size = 0.0, miss = 0.0;
      for (int i = 0; i < 6; ++i) {
        size = fmax(size, dt * fabs(bias[i]));
        miss = fmax(miss, fabs(error[i] - dt * bias[i]));
      }
      if (miss > 0.02 * size + third_order)
        fail_msg("loop of kind %d: error %.3g after a step, %.3g of it not in the bias",
                 (int)model->loop_kind[loop], size, miss);
      largest = fmax(largest, size);
      ++compared;
    }
    limpet_data_destroy(data);
    limpet_data_destroy(other);
    limpet_model_destroy(model);
  }
  limpet_arena_destroy(&arena);
  printf("second order: %d loops, largest bias %.3g m in a step of 0.1 ms\n", compared, largest);
  assert_true(compared > 200 && largest > 1e-8);
}

// --------------------------------------------------------------------- gradient and Hessian

enum { STARTS = 32 };

typedef struct cost_check {
  int regime[3];  // rows at their lower bound, between, at their upper bound
  int gradients, hessians;
} cost_check;

static int regime_of(const limpet_constraint_row *row, double u) {
  const double y = (row->v_hat - u) * row->R_inverse;
  return y < row->lower ? 0 : y > row->upper ? 2 : 1;
}

static void regimes(const limpet_island_solver *s, int *regime) {
  for (int r = 0; r < s->island->row_count; ++r)
    regime[r] = regime_of(&s->problem->row[s->island->row + r], s->row_u[r]);
}

/* The gradient at x + h d and x - h d, and the costs; h is halved until no row changes its regime
 * between them, since on one piece the cost is quadratic and central differences are exact. False:
 * there is no such h. */
static bool differences(limpet_island_solver *s, const double *x, const double *d, double *h,
                        double *gradient[2], double cost[2]) {
  static int regime[2][512];
  double moved_x[MOST];
  assert_true(s->island->row_count <= 512);
  for (int tries = 0; tries < 40; ++tries, *h *= 0.5) {
    for (int side = 0; side < 2; ++side) {
      for (int i = 0; i < s->n; ++i) moved_x[i] = x[i] + (side ? *h : -*h) * d[i];
      cost[side] = limpet_island_evaluate(s, moved_x, gradient[side]);
      regimes(s, regime[side]);
    }
    if (memcmp(regime[0], regime[1], (size_t)s->island->row_count * sizeof(int)) == 0) return true;
  }
  return false;
}

// x moves along a random row so that the row lies anywhere around its bounds: most would be far
// beyond them.
static void visit_a_row(const limpet_island_solver *s, double *x) {
  const limpet_contact_problem *p = s->problem;
  const limpet_constraint_row *row =
      &p->row[s->island->row + (int)uniform(0, s->island->row_count - 1e-9)];
  double a[MOST] = {0}, u = 0.0, size = 0.0;
  for (int e = row->entry; e < row->entry + row->entry_count; ++e)
    a[p->entry_dof[e]] += p->entry_value[e];
  for (int i = 0; i < s->n; ++i) u += a[i] * x[i], size += a[i] * a[i];
  const double lower = isinf(row->lower) ? -1.0 : row->lower,
               upper = isinf(row->upper) ? 1.0 : row->upper;
  const double y = uniform(1.5 * lower - 0.5 * upper, 1.5 * upper - 0.5 * lower);
  const double move = (row->v_hat - y / row->R_inverse - u) / size;
  for (int i = 0; i < s->n; ++i) x[i] += move * a[i];
}

// Differences of stiff terms keep 1e-8 of their size; a wrong term is of the order of one.
static void check_cost(limpet_island_solver *s, const double *x, cost_check *c) {
  double gradient[MOST], back[MOST], ahead[MOST], direction[MOST], random[MOST], cost[2], h = 1e-3;
  double *sides[2] = {back, ahead};
  random_vector(&seed, random, s->n, 1.0);
  limpet_island_evaluate(s, x, gradient);
  static int regime[512];
  regimes(s, regime);
  for (int r = 0; r < s->island->row_count; ++r) ++c->regime[regime[r]];
  assert_true(limpet_island_direction(s, gradient, direction));

  // gradient: differences of the cost
  double along = 0.0, size = 0.0;
  for (int i = 0; i < s->n; ++i)
    along += gradient[i] * random[i], size += fabs(gradient[i] * random[i]);
  if (differences(s, x, random, &h, sides, cost) && h > 1e-6) {
    const double rounding = 1e-14 * (fabs(cost[0]) + fabs(cost[1])) / h;
    if (fabs((cost[1] - cost[0]) / (2.0 * h) - along) > 1e-6 * size + rounding)
      fail_msg("slope %.12g, by differences %.12g", along, (cost[1] - cost[0]) / (2.0 * h));
    ++c->gradients;
  }

  // Hessian: H d = -g for the direction that the solver takes
  double largest = 0.0, worst = 0.0;
  h = 1e-3;
  if (!differences(s, x, direction, &h, sides, cost) || h < 1e-9) return;
  for (int i = 0; i < s->n; ++i) largest = fmax(largest, fabs(gradient[i]));
  for (int i = 0; i < s->n; ++i)
    worst = fmax(worst, fabs((ahead[i] - back[i]) / (2.0 * h) + gradient[i]));
  const double rounding = 1e-13 * largest / h;
  if (worst > 1e-5 * largest + rounding)
    fail_msg("H d + g is %.3g of g, which is %.3g", worst, largest);
  ++c->hessians;
}

static void costs_have_the_gradients_and_hessians_of_the_solver(void **state) {
  (void)state;
  cost_check c = {0};
  limpet_arena arena;
  assert_int_equal(limpet_arena_create(&arena, 1 << 16), 0);
  for (int m = 0; m < MODELS; ++m) {
    limpet_model *model = random_model(true);
    limpet_data *data = limpet_data_create(model);
    for (int k = 0; k < STATES; ++k) {
      random_state(model, data);
      limpet_contact_problem problem = assemble(model, data, 2e-3, &arena);
      double momentum[MOST] = {0};
      problem.model = limpet_contact_model_find("lagged");
      problem.momentum = momentum;
      assert_int_equal(limpet_problem_partition(&problem, &arena), 0);
      for (int i = 0; i < problem.island_count; ++i) {
        limpet_island_solver solver;
        assert_int_equal(limpet_island_solver_create(&solver, &problem, i, k % 2 ? 0 : 60, &arena),
                         0);
        for (int start = 0; start < STARTS; ++start) {
          double x[MOST];
          random_vector(&seed, x, solver.n, 3.0);
          visit_a_row(&solver, x);
          check_cost(&solver, x, &c);
        }
      }
    }
    limpet_data_destroy(data);
    limpet_model_destroy(model);
  }
  limpet_arena_destroy(&arena);
  printf(
      "costs: %d gradients, %d Hessians; rows at the lower bound %d, between %d, at the upper "
      "bound %d\n",
      c.gradients, c.hessians, c.regime[0], c.regime[1], c.regime[2]);
  assert_true(c.gradients > 10000 && c.hessians > 10000);
  for (int k = 0; k < 3; ++k) assert_true(c.regime[k] > 1000);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(rows_are_derivatives_of_errors),
      cmocka_unit_test(the_bias_is_the_second_order_of_the_error),
      cmocka_unit_test(costs_have_the_gradients_and_hessians_of_the_solver)};
  return cmocka_run_group_tests_name("constraint_rows", tests, NULL, NULL);
}
