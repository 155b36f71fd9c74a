/* tests/dynamics/test_dynamics.c: laws of tree dynamics on random models: every algorithm
 * against another way to the same number. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "dynamics/tree.h"
#include "limpet/dynamics.h"
#include "math/quaternion.h"
#include "math/spatial.h"
#include "model/workspace.h"
#include "random_models.h"

enum { MODELS = 40, CAPACITY = 256 };

// Step of central differences and what they may miss: h^2 times third derivatives of order 10 to
// 100, and round-off 1e-16/h.
static const double step = 1e-5, difference_tolerance = 3e-7;

typedef struct world {
  limpet_model *model;
  limpet_data *data;
} world;

static unsigned long seed = 17;

static double uniform(double low, double high) { return random_uniform(&seed, low, high); }

static void add_joint(limpet_builder *builder, int body, limpet_joint_kind kind) {
  limpet_joint_description joint = limpet_joint_description_default();
  joint.body = body;
  joint.kind = kind;
  random_vector(&seed, joint.position, 3, uniform(0, 1) < 0.5 ? 0.0 : 0.3);
  random_vector(&seed, joint.axis, 3, 1.0);
  joint.armature = uniform(0, 0.1);
  joint.stiffness = uniform(0, 2);
  joint.damping = uniform(0, 1);
  if (kind == LIMPET_JOINT_REVOLUTE || kind == LIMPET_JOINT_PRISMATIC) {
    joint.reference = uniform(-0.5, 0.5);
    joint.spring_reference = uniform(-0.5, 0.5);
  }
  limpet_builder_add_joint(builder, &joint);
}

static int add_body(limpet_builder *builder, int parent) {
  limpet_body_description body = random_body(&seed, parent);
  body.gravity_compensation = uniform(0, 1) < 0.3 ? uniform(0, 1) : 0.0;
  return limpet_builder_add_body(builder, &body);
}

// A forest with all kinds of joints, welded bodies, several joints on one body, static bodies
// between world and trees.
static void add_bodies(limpet_builder *builder, int count) {
  for (int b = 1; b <= count; ++b) {
    const int parent = uniform(0, 1) < 0.2 ? 0 : (int)uniform(0, b - 1e-9),
              body = add_body(builder, parent);
    const double kind = uniform(0, 1);
    if (kind < 0.15 && parent == 0) add_joint(builder, body, LIMPET_JOINT_FREE);
    else if (kind < 0.3) add_joint(builder, body, LIMPET_JOINT_BALL);
    else if (kind < 0.4)
      add_joint(builder, body, LIMPET_JOINT_PRISMATIC), add_joint(builder, body, LIMPET_JOINT_BALL);
    else if (kind < 0.6) {
      for (int i = 0; i < 3; ++i)
        add_joint(builder, body,
                  uniform(0, 1) < 0.5 ? LIMPET_JOINT_REVOLUTE : LIMPET_JOINT_PRISMATIC);
    } else if (kind < 0.9) add_joint(builder, body, LIMPET_JOINT_REVOLUTE);
  }
}

static void add_tendon(limpet_builder *builder, double armature) {
  limpet_tendon_term term[4];
  int count = 0;
  for (int j = 0; j < limpet_builder_count(builder, LIMPET_OBJECT_JOINT) && count < 4; ++j) {
    const limpet_joint_kind kind = limpet_builder_joint(builder, j)->kind;
    if (kind == LIMPET_JOINT_FREE || kind == LIMPET_JOINT_BALL || uniform(0, 1) < 0.3) continue;
    term[count].joint = j;
    term[count++].coefficient = uniform(-1, 1);
  }
  if (count == 0) return;
  limpet_tendon_description tendon = limpet_tendon_description_default();
  tendon.term_count = count;
  tendon.terms = term;
  tendon.stiffness = uniform(0, 2);
  tendon.damping = uniform(0, 1);
  tendon.armature = armature;
  tendon.spring_range[0] = -0.1, tendon.spring_range[1] = 0.1;
  limpet_builder_add_tendon(builder, &tendon);
}

static void random_state(world w) {
  const limpet_model *model = w.model;
  random_vector(&seed, w.data->q, model->nq, 1.0);
  for (int j = 0; j < model->joint_count; ++j) {
    const limpet_joint_kind kind = model->joint_kind[j];
    if (kind == LIMPET_JOINT_BALL) limpet_quaternion_normalize(w.data->q + model->joint_q[j]);
    if (kind == LIMPET_JOINT_FREE) limpet_quaternion_normalize(w.data->q + model->joint_q[j] + 3);
  }
  random_vector(&seed, w.data->v, model->nv, 1.0);
  random_vector(&seed, w.data->control, model->nu, 1.0);
}

static void pose(world w) {
  limpet_kinematics(w.model, w.data);
  limpet_velocity_kinematics(w.model, w.data);
  limpet_tendon_kinematics(w.model, w.data);
}

static world world_create(double tendon_armature) {
  limpet_builder *builder = limpet_builder_create();
  add_bodies(builder, 2 + (int)uniform(0, 10));
  if (limpet_builder_count(builder, LIMPET_OBJECT_JOINT) == 0)
    add_joint(builder, 1, LIMPET_JOINT_REVOLUTE);
  add_tendon(builder, tendon_armature);
  random_vector(&seed, limpet_builder_options(builder)->gravity, 3, 10.0);
  limpet_error error = {0};
  world w = {limpet_builder_compile(builder, &error), NULL};
  if (!w.model) printf("%s\n", error.message);
  assert_non_null(w.model);
  limpet_builder_destroy(builder);
  w.data = limpet_data_create(w.model);
  assert_non_null(w.data);
  assert_true(w.model->nv <= CAPACITY);
  random_state(w);
  pose(w);
  return w;
}

static void world_destroy(world w) {
  limpet_data_destroy(w.data);
  limpet_model_destroy(w.model);
}

static double mass_entry(world w, int i, int j) {
  const int t = w.model->dof_tree[i], n = w.model->tree_dof_count[t], begin = w.model->tree_dof[t];
  return w.model->dof_tree[j] == t
             ? w.data->mass_matrix[w.model->tree_mass[t] + (i - begin) * n + j - begin]
             : 0.0;
}

// q <- q0 (+) h v, then everything that follows from q and v
static void move(world w, const double *q0, const double *v, double h) {
  limpet_integrate_position(w.model, w.data->q, q0, v, h, false);
  pose(w);
}

// ------------------------------------------------------------------------------------ algorithms

static void rnea_is_mass_matrix_times_acceleration_plus_bias(void **state) {
  (void)state;
  for (int round = 0; round < MODELS; ++round) {
    world w = world_create(round % 2 ? 0.2 : 0.0);
    const int nv = w.model->nv;
    double vdot[CAPACITY], tau[CAPACITY], product[CAPACITY], dense[CAPACITY];
    random_vector(&seed, vdot, nv, 3.0);
    limpet_mass_matrix(w.model, w.data);
    limpet_bias(w.model, w.data);
    limpet_rnea(w.model, w.data, vdot, tau);
    limpet_mass_mul(w.model, w.data, vdot, product);
    for (int i = 0; i < nv; ++i) {
      dense[i] = 0.0;
      for (int j = 0; j < nv; ++j) dense[i] += mass_entry(w, i, j) * vdot[j];
    }
    assert_true(arrays_agree("sparse product", product, dense, nv, 1e-13));

    // a tendon between two trees has no entry in M, but one in rnea: such models are not compared
    bool coupled = false;
    for (int i = 0; i < w.model->tendon_term_count; ++i)
      coupled |= w.model->dof_tree[w.model->joint_v[w.model->tendon_joint[i]]] !=
                 w.model->dof_tree[w.model->joint_v[w.model->tendon_joint[0]]];
    for (int i = 0; i < nv; ++i) product[i] += w.data->bias[i];
    if (round % 2 == 0 || !coupled) assert_true(arrays_agree("rnea", tau, product, nv, 1e-12));

    // solve is the inverse of the product, in place too
    limpet_mass_mul(w.model, w.data, vdot, product);
    limpet_mass_solve(w.model, w.data, product, product);
    assert_true(arrays_agree("solve", product, vdot, nv, 1e-10));
    world_destroy(w);
  }
}

static void aba_is_the_inverse_of_rnea(void **state) {
  (void)state;
  for (int round = 0; round < MODELS; ++round) {
    world w = world_create(0.0);
    const int nv = w.model->nv;
    double vdot[CAPACITY], tau[CAPACITY], back[CAPACITY], diagonal[CAPACITY];
    random_vector(&seed, vdot, nv, 3.0);
    limpet_rnea(w.model, w.data, vdot, tau);
    limpet_aba(w.model, w.data, tau, NULL, back);
    assert_true(arrays_agree("aba", back, vdot, nv, 1e-11));
    for (int i = 0; i < nv; ++i) {
      diagonal[i] = uniform(0, 1);
      tau[i] += diagonal[i] * vdot[i];
    }
    limpet_aba(w.model, w.data, tau, diagonal, back);
    assert_true(arrays_agree("aba with diagonal", back, vdot, nv, 1e-11));
    world_destroy(w);
  }
}

static void aba_with_tendon_armature_goes_through_the_mass_matrix(void **state) {
  (void)state;
  for (int round = 0; round < MODELS; ++round) {
    world w = world_create(0.3);
    const int nv = w.model->nv;
    double vdot[CAPACITY], tau[CAPACITY], back[CAPACITY], diagonal[CAPACITY];
    random_vector(&seed, vdot, nv, 3.0);
    limpet_mass_matrix(w.model, w.data);
    limpet_bias(w.model, w.data);
    limpet_mass_mul(w.model, w.data, vdot, tau);
    for (int i = 0; i < nv; ++i) {
      diagonal[i] = uniform(0, 1);
      tau[i] += w.data->bias[i] + diagonal[i] * vdot[i];
    }
    limpet_aba(w.model, w.data, tau, diagonal, back);
    assert_true(arrays_agree("aba", back, vdot, nv, 1e-10));
    world_destroy(w);
  }
}

// M = sum over bodies of J' [inertia, mass] J at the centres of mass, plus armature: the
// definition.
static void mass_matrix_is_the_sum_over_bodies(void **state) {
  (void)state;
  for (int round = 0; round < MODELS; ++round) {
    world w = world_create(0.0);
    const limpet_model *model = w.model;
    const int nv = model->nv;
    double *J = malloc(6 * (size_t)nv * sizeof *J), *M = calloc((size_t)nv * (size_t)nv, sizeof *M);
    double *ours = malloc((size_t)nv * (size_t)nv * sizeof *ours);
    for (int b = 1; b < model->body_count; ++b) {
      double RI[9], I[9];
      limpet_jacobian(model, w.data, b, w.data->body_com + 3 * b, J);
      limpet_mat3_mul(RI, w.data->body_rotation + 9 * b, model->body_inertia + 9 * b);
      limpet_mat3_mul_t(I, RI, w.data->body_rotation + 9 * b);
      for (int i = 0; i < nv; ++i)
        for (int j = 0; j < nv; ++j)
          for (int k = 0; k < 3; ++k) {
            M[i * nv + j] += model->body_mass[b] * J[(3 + k) * nv + i] * J[(3 + k) * nv + j];
            for (int l = 0; l < 3; ++l)
              M[i * nv + j] += J[k * nv + i] * I[3 * k + l] * J[l * nv + j];
          }
    }
    for (int i = 0; i < nv; ++i) M[i * nv + i] += model->dof_armature[i];
    limpet_mass_matrix(model, w.data);
    for (int i = 0; i < nv; ++i)
      for (int j = 0; j < nv; ++j) ours[i * nv + j] = mass_entry(w, i, j);
    assert_true(arrays_agree("mass matrix", ours, M, nv * nv, 1e-13));
    free(J), free(M), free(ours);
    world_destroy(w);
  }
}

// ----------------------------------------------------------------------------------- derivatives

static void jacobian_is_the_derivative_of_the_pose(void **state) {
  (void)state;
  for (int round = 0; round < MODELS; ++round) {
    world w = world_create(0.0);
    const limpet_model *model = w.model;
    const int nv = model->nv, body = (int)uniform(0, model->body_count - 1e-9);
    double q0[CAPACITY], unit[CAPACITY] = {0}, local[3], point[3];
    double *J = malloc(6 * (size_t)nv * sizeof *J);
    memcpy(q0, w.data->q, (size_t)model->nq * sizeof *q0);
    random_vector(&seed, local, 3, 0.5);
    limpet_mat3_mul_vec(point, w.data->body_rotation + 9 * body, local);
    limpet_vec3_add(point, point, w.data->body_position + 3 * body);
    limpet_jacobian(model, w.data, body, point, J);
    for (int d = 0; d < nv; ++d) {
      double p[2][3], r[2][4], column[6], back[4], turn[4], expected[6];
      unit[d] = 1.0;
      for (int side = 0; side < 2; ++side) {
        move(w, q0, unit, side ? step : -step);
        limpet_mat3_mul_vec(p[side], w.data->body_rotation + 9 * body, local);
        limpet_vec3_add(p[side], p[side], w.data->body_position + 3 * body);
        limpet_quaternion_copy(r[side], w.data->body_quaternion + 4 * body);
      }
      unit[d] = 0.0;

      // rotation from one side to the other in world axes
      limpet_quaternion_conjugate(back, r[0]);
      limpet_quaternion_mul(turn, r[1], back);
      limpet_quaternion_log(column, turn);
      limpet_vec3_sub(column + 3, p[1], p[0]);
      for (int i = 0; i < 6; ++i) column[i] /= 2 * step, expected[i] = J[i * nv + d];
      assert_true(arrays_agree("jacobian", expected, column, 6, difference_tolerance));
    }
    free(J);
    world_destroy(w);
  }
}

// Column of velocity d at a point that is fixed in the world.
static void column_at(double column[6], world w, int d, const double point[3]) {
  const double *S = w.data->dof_axis + 6 * d;
  double lever[3];
  limpet_vec3_sub(lever, point, w.data->tree_origin + 3 * w.model->dof_tree[d]);
  limpet_vec3_copy(column, S);
  limpet_vec3_cross(column + 3, S, lever);
  limpet_vec3_add(column + 3, column + 3, S + 3);
}

static void axis_rates_are_derivatives_of_the_axes(void **state) {
  (void)state;
  for (int round = 0; round < MODELS; ++round) {
    world w = world_create(0.0);
    const int nv = w.model->nv;
    double q0[CAPACITY], origin[3 * CAPACITY], rate[6 * CAPACITY], low[6], high[6];
    memcpy(q0, w.data->q, (size_t)w.model->nq * sizeof *q0);
    memcpy(origin, w.data->tree_origin, 3 * (size_t)w.model->tree_count * sizeof *origin);
    memcpy(rate, w.data->dof_axis_rate, 6 * (size_t)nv * sizeof *rate);
    for (int d = 0; d < nv; ++d) {
      const double *point = origin + 3 * w.model->dof_tree[d];
      move(w, q0, w.data->v, -step);
      column_at(low, w, d, point);
      move(w, q0, w.data->v, step);
      column_at(high, w, d, point);
      for (int i = 0; i < 6; ++i) high[i] = (high[i] - low[i]) / (2 * step);
      assert_true(arrays_agree("axis rate", rate + 6 * d, high, 6, difference_tolerance));
    }
    world_destroy(w);
  }
}

/* Bias from first principles: with vdot = 0, forces m (a - g) and moments I alpha + w x I w at each
 * centre of mass, carried to the joints by Jacobians; accelerations are differences of velocities
 * along the motion. */
static void bias_carries_inertial_forces_to_the_joints(void **state) {
  (void)state;
  for (int round = 0; round < MODELS; ++round) {
    world w = world_create(0.0);
    const limpet_model *model = w.model;
    double q0[CAPACITY], twist[2][6 * CAPACITY], expected[CAPACITY] = {0};
    memcpy(q0, w.data->q, (size_t)model->nq * sizeof *q0);
    for (int side = 0; side < 2; ++side) {
      move(w, q0, w.data->v, side ? step : -step);
      for (int b = 1; b < model->body_count; ++b) {
        double lever[3], turn[3], *t = twist[side] + 6 * b;
        const double *V = w.data->body_velocity + 6 * b;
        limpet_spatial_copy(t, V);
        if (model->body_tree[b] < 0) continue;
        limpet_vec3_sub(lever, w.data->body_com + 3 * b,
                        w.data->tree_origin + 3 * model->body_tree[b]);
        limpet_vec3_cross(turn, V, lever);
        limpet_vec3_add(t + 3, t + 3, turn);
      }
    }
    move(w, q0, w.data->v, 0.0);
    for (int b = 1; b < model->body_count; ++b) {
      if (model->body_tree[b] < 0) continue;
      double a[6], RI[9], I[9], wrench[6], Iw[3], gyroscopic[3];
      for (int i = 0; i < 6; ++i) a[i] = (twist[1][6 * b + i] - twist[0][6 * b + i]) / (2 * step);
      limpet_mat3_mul(RI, w.data->body_rotation + 9 * b, model->body_inertia + 9 * b);
      limpet_mat3_mul_t(I, RI, w.data->body_rotation + 9 * b);
      limpet_mat3_mul_vec(wrench, I, a);
      limpet_mat3_mul_vec(Iw, I, w.data->body_velocity + 6 * b);
      limpet_vec3_cross(gyroscopic, w.data->body_velocity + 6 * b, Iw);
      limpet_vec3_add(wrench, wrench, gyroscopic);
      limpet_vec3_sub(wrench + 3, a + 3, model->options.gravity);
      limpet_vec3_scale(wrench + 3, model->body_mass[b], wrench + 3);
      limpet_wrench_to_joints(model, w.data, b, w.data->body_com + 3 * b, wrench, expected);
    }
    limpet_bias(model, w.data);
    assert_true(arrays_agree("bias", w.data->bias, expected, model->nv, difference_tolerance));
    world_destroy(w);
  }
}

static void potential_energy_has_bias_and_springs_as_gradient(void **state) {
  (void)state;
  for (int round = 0; round < MODELS; ++round) {
    world w = world_create(0.0);
    const int nv = w.model->nv;
    double q0[CAPACITY], unit[CAPACITY] = {0}, expected[CAPACITY], gradient[CAPACITY];
    memcpy(q0, w.data->q, (size_t)w.model->nq * sizeof *q0);
    memset(w.data->v, 0, (size_t)nv * sizeof(double));
    pose(w);
    limpet_bias(w.model, w.data);
    limpet_passive_forces(w.model, w.data);
    for (int d = 0; d < nv; ++d) expected[d] = w.data->bias[d] - w.data->spring_force[d];
    for (int d = 0; d < nv; ++d) {
      unit[d] = 1.0;
      move(w, q0, unit, step);
      const double high = limpet_potential_energy(w.model, w.data);
      move(w, q0, unit, -step);
      gradient[d] = (high - limpet_potential_energy(w.model, w.data)) / (2 * step);
      unit[d] = 0.0;
    }
    assert_true(arrays_agree("gradient", expected, gradient, nv, 1e-6));
    world_destroy(w);
  }
}

// -------------------------------------------------------------------------- momentum and energy

static void momentum_and_energy_agree_with_sums_over_bodies(void **state) {
  (void)state;
  for (int round = 0; round < MODELS; ++round) {
    world w = world_create(0.0);
    const limpet_model *model = w.model;
    double q0[CAPACITY], point[3], momentum[6], com[3], low[3], high[3],
        mass = 0.0, expected[6] = {0}, energy = 0.0;
    random_vector(&seed, point, 3, 1.0);
    for (int b = 1; b < model->body_count; ++b) {
      if (model->body_tree[b] < 0) continue;
      double lever[3], v[3], turn[3], RI[9], I[9], spin[3];
      const double *V = w.data->body_velocity + 6 * b, m = model->body_mass[b];
      limpet_vec3_sub(lever, w.data->body_com + 3 * b,
                      w.data->tree_origin + 3 * model->body_tree[b]);
      limpet_vec3_cross(turn, V, lever);
      limpet_vec3_add(v, V + 3, turn);
      limpet_mat3_mul(RI, w.data->body_rotation + 9 * b, model->body_inertia + 9 * b);
      limpet_mat3_mul_t(I, RI, w.data->body_rotation + 9 * b);
      limpet_mat3_mul_vec(spin, I, V);
      energy += 0.5 * m * limpet_vec3_dot(v, v) + 0.5 * limpet_vec3_dot(V, spin);
      limpet_vec3_sub(lever, w.data->body_com + 3 * b, point);
      limpet_vec3_cross(turn, lever, v);
      for (int k = 0; k < 3; ++k) expected[k] += spin[k] + m * turn[k], expected[3 + k] += m * v[k];
    }
    for (int d = 0; d < model->nv; ++d)
      energy += 0.5 * model->dof_armature[d] * w.data->v[d] * w.data->v[d];
    limpet_momentum(model, w.data, 0, point, momentum);
    limpet_mass_matrix(model, w.data);
    const double kinetic = limpet_kinetic_energy(model, w.data);
    assert_true(arrays_agree("momentum", momentum, expected, 6, 1e-13));
    assert_true(arrays_agree("kinetic energy", &kinetic, &energy, 1, 1e-13));
    limpet_tendon_kinematics(model, w.data);
    const double moving = limpet_moving_energy(model, w.data);
    assert_true(arrays_agree("kinetic energy of bodies", &moving, &energy, 1, 1e-13));

    // linear momentum is mass times the velocity of the centre of mass, static bodies counted in
    // neither
    memcpy(q0, w.data->q, (size_t)model->nq * sizeof *q0);
    for (int b = 1; b < model->body_count; ++b) mass += model->body_mass[b];
    move(w, q0, w.data->v, -step);
    limpet_centre_of_mass(model, w.data, 0, low);
    move(w, q0, w.data->v, step);
    limpet_centre_of_mass(model, w.data, 0, high);
    for (int k = 0; k < 3; ++k) com[k] = mass * (high[k] - low[k]) / (2 * step);
    assert_true(arrays_agree("linear momentum", momentum + 3, com, 3, 1e-6));
    world_destroy(w);
  }
}

/* A free robot without armature in weightlessness, driven by forces between its own parts: momentum
 * does not change. Differences of the momentum along the motion that aba predicts. */
static void free_flight_conserves_momentum_and_energy(void **state) {
  (void)state;
  for (int round = 0; round < MODELS; ++round) {
    limpet_builder *builder = limpet_builder_create();
    add_joint(builder, add_body(builder, 0), LIMPET_JOINT_FREE);
    for (int b = 2; b < 8; ++b) {
      const int body = add_body(builder, (int)uniform(1, b - 1e-9));
      add_joint(builder, body, uniform(0, 1) < 0.3 ? LIMPET_JOINT_BALL : LIMPET_JOINT_REVOLUTE);
      if (uniform(0, 1) < 0.3) add_joint(builder, add_body(builder, body), LIMPET_JOINT_PRISMATIC);
    }
    for (int j = 0; j < limpet_builder_count(builder, LIMPET_OBJECT_JOINT); ++j)
      limpet_builder_joint(builder, j)->armature = 0.0;
    limpet_vec3_zero(limpet_builder_options(builder)->gravity);
    world w = {limpet_builder_compile(builder, NULL), NULL};
    assert_non_null(w.model);
    limpet_builder_destroy(builder);
    w.data = limpet_data_create(w.model);
    random_state(w);
    pose(w);
    const int nv = w.model->nv;
    double q0[CAPACITY], v0[CAPACITY], vdot[CAPACITY], tau[CAPACITY] = {0}, momentum[2][6],
                                                       energy[2], zero[6] = {0};
    memcpy(q0, w.data->q, (size_t)w.model->nq * sizeof *q0);
    memcpy(v0, w.data->v, (size_t)nv * sizeof *v0);
    for (int driven = 0; driven < 2; ++driven) {
      // the free joint is not driven
      if (driven) random_vector(&seed, tau + 6, nv - 6, 5.0);
      move(w, q0, v0, 0.0);
      limpet_aba(w.model, w.data, tau, NULL, vdot);
      for (int side = 0; side < 2; ++side) {
        const double h = side ? step : -step, origin[3] = {0};
        for (int d = 0; d < nv; ++d) w.data->v[d] = v0[d] + h * vdot[d];
        move(w, q0, v0, h);
        limpet_momentum(w.model, w.data, 0, origin, momentum[side]);
        limpet_mass_matrix(w.model, w.data);
        energy[side] = limpet_kinetic_energy(w.model, w.data);
        memcpy(w.data->v, v0, (size_t)nv * sizeof *v0);
      }
      for (int i = 0; i < 6; ++i) momentum[1][i] = (momentum[1][i] - momentum[0][i]) / (2 * step);
      assert_true(arrays_agree("rate of momentum", momentum[1], zero, 6, 3e-6));
      double power = 0.0;
      for (int d = 0; d < nv; ++d) power += tau[d] * v0[d];
      const double rate = (energy[1] - energy[0]) / (2 * step);
      assert_true(fabs(rate - power) < 3e-6 * fmax(1.0, energy[0]));
    }
    world_destroy(w);
  }
}

// --------------------------------------------------------------------------- forces and actuators

static void forward_dynamics_adds_all_forces_up(void **state) {
  (void)state;
  for (int round = 0; round < MODELS; ++round) {
    world w = world_create(0.0);
    const limpet_model *model = w.model;
    const int nv = model->nv, body = (int)uniform(1, model->body_count - 1e-9);
    double expected[CAPACITY], left[CAPACITY];
    random_vector(&seed, w.data->applied_force, nv, 2.0);
    random_vector(&seed, w.data->applied_wrench + 6 * body, 6, 2.0);
    limpet_forward_dynamics(model, w.data);
    double *J = malloc(6 * (size_t)nv * sizeof *J);
    limpet_jacobian(model, w.data, body, w.data->body_com + 3 * body, J);
    for (int d = 0; d < nv; ++d) {
      expected[d] =
          w.data->passive_force[d] + w.data->actuator_joint_force[d] + w.data->applied_force[d];
      for (int i = 0; i < 6; ++i)
        expected[d] += J[i * nv + d] * w.data->applied_wrench[6 * body + i];
    }
    limpet_rnea(model, w.data, w.data->acceleration, left);
    assert_true(arrays_agree("forces", left, expected, nv, 1e-11));
    free(J);
    world_destroy(w);
  }
}

// Full compensation cancels gravity: the bias at rest is minus the compensation.
static void gravity_compensation_cancels_gravity(void **state) {
  (void)state;
  limpet_builder *builder = limpet_builder_create();
  add_bodies(builder, 8);
  for (int b = 1; b <= 8; ++b) limpet_builder_body(builder, b)->gravity_compensation = 1.0;
  world w = {limpet_builder_compile(builder, NULL), NULL};
  limpet_builder_destroy(builder);
  assert_non_null(w.model);
  w.data = limpet_data_create(w.model);
  random_state(w);
  memset(w.data->v, 0, (size_t)w.model->nv * sizeof(double));
  pose(w);
  limpet_bias(w.model, w.data);
  limpet_passive_forces(w.model, w.data);
  assert_true(arrays_agree("compensation", w.data->gravity_compensation_force, w.data->bias,
                           w.model->nv, 1e-12));
  world_destroy(w);
}

static int add_hinge(limpet_builder *builder, int body, bool limited) {
  limpet_joint_description joint = limpet_joint_description_default();
  joint.body = body;
  joint.kind = LIMPET_JOINT_REVOLUTE;
  random_vector(&seed, joint.axis, 3, 1.0);
  joint.effort_limited = limited;
  joint.effort_range[0] = -1.0, joint.effort_range[1] = 2.0;
  return limpet_builder_add_joint(builder, &joint);
}

// Length of every transmission whose row is exactly its gradient: hinges, tendons, sites relative
// to a site on an ancestor.
static void actuator_rows_are_derivatives_of_lengths(void **state) {
  (void)state;
  for (int round = 0; round < MODELS; ++round) {
    limpet_builder *builder = limpet_builder_create();
    int body = 0, joint[4];
    for (int i = 0; i < 4; ++i)
      joint[i] = add_hinge(builder, body = add_body(builder, body), false);
    add_tendon(builder, 0.0);
    limpet_site_description site = limpet_site_description_default();
    int sites[2];
    for (int i = 0; i < 2; ++i) {
      site.body = i ? 2 : 4;
      random_vector(&seed, site.position, 3, 0.3);
      random_quaternion(&seed, site.quaternion);
      sites[i] = limpet_builder_add_site(builder, &site);
    }
    limpet_actuator_description actuator = limpet_actuator_description_default();
    random_vector(&seed, actuator.gear, 3, 2.0);
    actuator.transmission = LIMPET_TRANSMISSION_JOINT, actuator.target = joint[2];
    limpet_builder_add_actuator(builder, &actuator);
    actuator.transmission = LIMPET_TRANSMISSION_SITE, actuator.target = sites[0],
    actuator.reference_site = sites[1];
    limpet_builder_add_actuator(builder, &actuator);
    if (limpet_builder_count(builder, LIMPET_OBJECT_TENDON) > 0) {
      actuator.transmission = LIMPET_TRANSMISSION_TENDON, actuator.target = 0;
      limpet_builder_add_actuator(builder, &actuator);
    }
    world w = {limpet_builder_compile(builder, NULL), NULL};
    limpet_builder_destroy(builder);
    assert_non_null(w.model);
    w.data = limpet_data_create(w.model);
    random_state(w);
    pose(w);
    double q0[CAPACITY], velocity[3], length[2][3];
    memcpy(q0, w.data->q, (size_t)w.model->nq * sizeof *q0);
    limpet_passive_forces(w.model, w.data);
    limpet_actuation(w.model, w.data);
    const int count = w.model->actuator_count;
    memcpy(velocity, w.data->actuator_velocity, (size_t)count * sizeof *velocity);
    for (int side = 0; side < 2; ++side) {
      move(w, q0, w.data->v, side ? step : -step);
      limpet_passive_forces(w.model, w.data);
      limpet_actuation(w.model, w.data);
      memcpy(length[side], w.data->actuator_length, (size_t)count * sizeof *velocity);
    }
    for (int i = 0; i < count; ++i) length[1][i] = (length[1][i] - length[0][i]) / (2 * step);
    assert_true(arrays_agree("rate of length", velocity, length[1], count, difference_tolerance));
    world_destroy(w);
  }
}

// A site's wrench does the work of its force and moment; forces of actuators are the transpose of
// the row.
static void site_wrench_is_what_the_jacobian_carries(void **state) {
  (void)state;
  limpet_builder *builder = limpet_builder_create();
  int body = 0;
  for (int i = 0; i < 3; ++i)
    add_joint(builder, body = add_body(builder, body),
              i ? LIMPET_JOINT_REVOLUTE : LIMPET_JOINT_BALL);
  limpet_site_description site = limpet_site_description_default();
  site.body = body;
  random_vector(&seed, site.position, 3, 0.3);
  random_quaternion(&seed, site.quaternion);
  limpet_actuator_description actuator = limpet_actuator_description_default();
  actuator.transmission = LIMPET_TRANSMISSION_SITE;
  actuator.target = limpet_builder_add_site(builder, &site);
  actuator.reference_site = LIMPET_NONE;
  random_vector(&seed, actuator.gear, 6, 2.0);
  actuator.gain[0] = 1.0;
  limpet_builder_add_actuator(builder, &actuator);
  world w = {limpet_builder_compile(builder, NULL), NULL};
  limpet_builder_destroy(builder);
  assert_non_null(w.model);
  w.data = limpet_data_create(w.model);
  random_state(w);
  pose(w);
  limpet_passive_forces(w.model, w.data);
  limpet_actuation(w.model, w.data);

  // gear = [force, moment] in site axes times the control
  const double *R = w.data->body_rotation + 9 * body;
  double wrench[6], point[3], local[3], expected[CAPACITY] = {0};
  limpet_quaternion_rotate(local, site.quaternion, actuator.gear);
  limpet_mat3_mul_vec(wrench + 3, R, local);
  limpet_quaternion_rotate(local, site.quaternion, actuator.gear + 3);
  limpet_mat3_mul_vec(wrench, R, local);
  for (int i = 0; i < 6; ++i) wrench[i] *= w.data->control[0];
  limpet_mat3_mul_vec(point, R, site.position);
  limpet_vec3_add(point, point, w.data->body_position + 3 * body);
  limpet_wrench_to_joints(w.model, w.data, body, point, wrench, expected);
  assert_true(
      arrays_agree("joint forces", w.data->actuator_joint_force, expected, w.model->nv, 1e-13));
  world_destroy(w);
}

// One hinge, two motors and a position servo with every clamp in play; expected numbers are worked
// out in the comments.
static void clamps_act_in_the_order_of_mjcf(void **state) {
  (void)state;
  limpet_builder *builder = limpet_builder_create();
  const int joint = add_hinge(builder, add_body(builder, 0), true);
  limpet_actuator_description motor = limpet_actuator_description_default();
  motor.transmission = LIMPET_TRANSMISSION_JOINT;
  motor.target = joint;
  motor.gear[0] = 2.0;
  motor.gain[0] = 3.0;
  motor.control_limited = true;
  motor.control_range[0] = -0.5, motor.control_range[1] = 0.5;
  limpet_builder_add_actuator(builder, &motor);
  motor.force_limited = true;
  motor.force_range[0] = -1.0, motor.force_range[1] = 0.25;
  motor.group = 3;
  limpet_builder_add_actuator(builder, &motor);
  for (int disabled = 0; disabled < 2; ++disabled) {
    limpet_builder_options(builder)->disabled_actuator_groups = disabled ? 1u << 3 : 0u;
    world w = {limpet_builder_compile(builder, NULL), NULL};
    assert_non_null(w.model);
    w.data = limpet_data_create(w.model);
    w.data->control[0] = w.data->control[1] = 4.0;
    pose(w);
    limpet_passive_forces(w.model, w.data);
    limpet_actuation(w.model, w.data);

    /* control 4 -> 0.5, force 1.5; the second is clamped to 0.25; 2 (1.5 + 0.25) = 3.5 ->
     * 2 on the joint, without the second 3 -> 2 */
    const double expected[3] = {1.5, disabled ? 0.0 : 0.25, 2.0};
    const double forces[3] = {w.data->actuator_force[0], w.data->actuator_force[1],
                              w.data->actuator_joint_force[0]};
    assert_true(arrays_agree("forces", forces, expected, 3, 1e-15));

    // from the other side: -1.5, -1 (its range), 2 (-2.5) = -5 -> -1
    w.data->control[0] = w.data->control[1] = -4.0;
    limpet_actuation(w.model, w.data);
    assert_true(w.data->actuator_force[1] == (disabled ? 0.0 : -1.0) &&
                w.data->actuator_joint_force[0] == -1.0);
    world_destroy(w);
  }
  limpet_builder_destroy(builder);
}

static void scratch_does_not_grow_after_the_first_call(void **state) {
  (void)state;
  world w = world_create(0.0);
  limpet_forward_dynamics(w.model, w.data);
  const int growth = limpet_workspace_arena(w.data->workspace)->growth_count;
  double first[CAPACITY];
  memcpy(first, w.data->acceleration, (size_t)w.model->nv * sizeof *first);
  for (int i = 0; i < 100; ++i) limpet_forward_dynamics(w.model, w.data);
  assert_int_equal(limpet_workspace_arena(w.data->workspace)->growth_count, growth);
  assert_memory_equal(first, w.data->acceleration, (size_t)w.model->nv * sizeof *first);
  world_destroy(w);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(rnea_is_mass_matrix_times_acceleration_plus_bias),
      cmocka_unit_test(aba_is_the_inverse_of_rnea),
      cmocka_unit_test(aba_with_tendon_armature_goes_through_the_mass_matrix),
      cmocka_unit_test(mass_matrix_is_the_sum_over_bodies),
      cmocka_unit_test(jacobian_is_the_derivative_of_the_pose),
      cmocka_unit_test(axis_rates_are_derivatives_of_the_axes),
      cmocka_unit_test(bias_carries_inertial_forces_to_the_joints),
      cmocka_unit_test(potential_energy_has_bias_and_springs_as_gradient),
      cmocka_unit_test(momentum_and_energy_agree_with_sums_over_bodies),
      cmocka_unit_test(free_flight_conserves_momentum_and_energy),
      cmocka_unit_test(forward_dynamics_adds_all_forces_up),
      cmocka_unit_test(gravity_compensation_cancels_gravity),
      cmocka_unit_test(actuator_rows_are_derivatives_of_lengths),
      cmocka_unit_test(site_wrench_is_what_the_jacobian_carries),
      cmocka_unit_test(clamps_act_in_the_order_of_mjcf),
      cmocka_unit_test(scratch_does_not_grow_after_the_first_call),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
