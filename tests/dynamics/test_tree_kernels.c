/* tests/dynamics/test_tree_kernels.c: sweeps over bodies give the same bits with every instruction
 * set of this machine, and those of sums that are written out here;
 * sums of columns for points. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "dynamics/delassus.h"
#include "dynamics/point_columns.h"
#include "dynamics/tree_kernels.h"
#include "limpet/limpet.h"
#include "math/nonzero.h"
#include "math/quaternion.h"
#include "mjcf_text.h"
#include "model/trees.h"
#include "random_models.h"

// Every kind of joint, joints with and without a common anchor, branches, a body that is fixed, one
// that is moved from outside.
static const char *const text =
    "<mujoco><worldbody>"
    "<body pos='1 2 3' quat='1 0.2 0.3 0.1'><geom size='0.1'/>"
    "<body pos='0.3 0 0.1' quat='0.8 0.1 0 0.2'><joint type='hinge' axis='0 1 0'/>"
    "<geom type='box' size='0.1 0.2 0.3' pos='0.1 0.2 0.1' quat='1 0.4 0.2 0'/>"
    "<body pos='0 0.2 0.4'><joint type='hinge' axis='1 0 1' pos='0.1 0 0'/>"
    "<joint type='hinge' axis='0 1 0' pos='0.1 0 0'/><joint type='hinge' axis='0 0 1' pos='0 0 "
    "0.1'/>"
    "<geom type='capsule' size='0.1 0.2' quat='1 1 0 0'/></body>"
    "<body pos='0.1 0.2 0'><joint type='slide' axis='1 1 0'/><joint type='ball' pos='0 0.1 0'/>"
    "<geom type='ellipsoid' size='0.1 0.2 0.3'/>"
    "<body pos='0 0 0.2'><joint type='hinge' axis='1 2 3' pos='0 0.1 0.2' armature='0.1'/>"
    "<geom size='0.1' pos='0.1 0 0'/></body></body></body></body>"
    "<body mocap='true' pos='0 0 4'><geom size='0.1'/></body>"
    "<body pos='0 0 2' quat='0.3 0.4 0.5 0.6'><freejoint/>"
    "<geom type='box' size='0.1 0.2 0.3' pos='0.1 0 0'/>"
    "<body pos='0.3 0 0'><geom size='0.1'/><joint type='slide' axis='0 0 1'/>"
    "<joint type='slide' axis='0 1 0' ref='0.1'/></body></body>"
    "</worldbody></mujoco>";

enum { STATES = 200, NUMBERS = 4096 };

static void state_any(const limpet_model *model, limpet_data *data, unsigned long *seed) {
  random_vector(seed, data->q, model->nq, 3.0);
  random_vector(seed, data->v, model->nv, 3.0);
  random_vector(seed, data->mocap_quaternion, 4, 1.0);
}

typedef struct numbers {
  double value[NUMBERS];
  int count;
} numbers;

static void add(numbers *all, const double *value, int count) {
  assert_true(all->count + count <= NUMBERS);
  memcpy(all->value + all->count, value, (size_t)count * sizeof *value);
  all->count += count;
}

// Poses of all bodies.
static void pose_all(const limpet_tree_kernels *k, const limpet_model *model, limpet_data *data) {
  for (int b = 1, next; b < model->body_count; b = next) {
    const int tree = model->body_tree[b];
    next = tree < 0 ? b + 1 : b + model->tree_body_count[tree];
    k->kinematics(model, data, b, next);
  }
}

// The bias on the way, and from no velocity, is that of two sweeps. After velocities. work, out:
// room
static void compare_bias(const limpet_tree_kernels *k, const limpet_model *model, limpet_data *data,
                         int tree, double *work, double *out) {
  const limpet_range dofs = limpet_tree_dofs(model, tree), bodies = limpet_tree_bodies(model, tree);
  const size_t size = 6 * (size_t)(bodies.end - bodies.first) * sizeof(double);
  double *velocity = malloc(size), *bias = calloc((size_t)model->nv, sizeof *bias);
  memcpy(velocity, data->body_velocity + 6 * bodies.first, size);
  memset(data->body_velocity + 6 * bodies.first, 0, size);
  k->newton_euler(out, work, model, data, NULL, bodies.first, bodies.end);
  memcpy(data->body_velocity + 6 * bodies.first, velocity, size);
  k->newton_euler(bias, work, model, data, NULL, bodies.first, bodies.end);
  for (int d = dofs.first; d < dofs.end; ++d) out[d] -= bias[d];
  assert_true(limpet_any_nonzero(out + dofs.first, dofs.end - dofs.first));  // velocities count
  memset(data->body_velocity + 6 * bodies.first, 0, size);
  k->moving_bias(out, work, model, data, tree);
  assert_memory_equal(data->body_velocity + 6 * bodies.first, velocity, size);
  for (int d = dofs.first; d < dofs.end; ++d) assert_true(out[d] == bias[d]);
  free(velocity), free(bias);
}

// All that the kernels make of a state.
static void sweep(const limpet_tree_kernels *k, const limpet_model *model, limpet_data *data,
                  numbers *all) {
  double *work = calloc(NUMBERS, sizeof *work), *out = calloc(NUMBERS, sizeof *out), total[10];
  limpet_kinematics(model, data);  // the world's body
  pose_all(k, model, data);
  k->geoms(model, data, model->geom_count, NULL);
  for (int i = 0; i < 6 * model->body_count; ++i) data->body_velocity[i] = 0.0;
  for (int t = 0; t < model->tree_count; ++t) {
    const int first = model->tree_body[t], end = first + model->tree_body_count[t];
    k->body_velocities(model, data, first, end);
    add(all, data->body_velocity + 6 * first, 6 * (end - first));
    k->velocities(model, data, first, end);
    const int n = model->tree_dof_count[t];
    k->mass_matrix(out, work, model, data, t);
    add(all, out, n * n);
    const double energy = k->momentum(out, total, model, data, t);
    add(all, &energy, 1), add(all, out, 6), add(all, total, 10);
    // velocities on the way, and from none
    double moving[6], moving_total[10];
    memset(data->body_velocity + 6 * first, 0, 6 * (size_t)(end - first) * sizeof(double));
    assert_true(k->moving_momentum(moving, moving_total, model, data, t) == energy);
    assert_memory_equal(moving, out, sizeof moving);
    assert_memory_equal(moving_total, total, sizeof total);
    compare_bias(k, model, data, t, work, out);
    k->arms(out, work, model, data, t);
    add(all, out, 3 * n);
    k->bend(out, work, model, data, t);
    add(all, out, 3);
    double *v = calloc((size_t)model->nv + 1, sizeof *v);
    for (int d = 0; d < model->nv; ++d) v[d] = 0.5 * data->q[d];
    const double common = k->ways(model, data, v, t, work, out);
    add(all, &common, 1), add(all, out + first, end - first),
        add(all, work + 6 * first, 6 * (end - first));
    // twists less those of the state are what the ways have as their change
    double *change = calloc(6 * (size_t)model->body_count, sizeof *change);
    memcpy(change + 6 * first, work + 6 * first, 6 * (size_t)(end - first) * sizeof *change);
    k->twists(model, data, v, t, work);
    add(all, work + 6 * first, 6 * (end - first));
    for (int i = 6 * first; i < 6 * end; ++i)
      assert_true(fabs(work[i] - data->body_velocity[i] - change[i]) <=
                  1e-12 * (1.0 + fabs(work[i]) + fabs(data->body_velocity[i])));
    free(v), free(change);
  }
  k->newton_euler(out, work, model, data, data->q, 1, model->body_count);
  add(all, out, model->nv);
  add(all, data->body_position, 3 * model->body_count);
  add(all, data->body_quaternion, 4 * model->body_count);
  add(all, data->body_rotation, 9 * model->body_count);
  add(all, data->body_com, 3 * model->body_count);
  add(all, data->body_inertia + 10, 10 * (model->body_count - 1));
  add(all, data->body_velocity, 6 * model->body_count);
  add(all, data->dof_axis, 6 * model->nv);
  add(all, data->dof_axis_rate, 6 * model->nv);
  add(all, data->geom_position, 3 * model->geom_count);
  add(all, data->geom_rotation, 9 * model->geom_count);
  free(work), free(out);
}

// Numbers that a copy must not write, and those that it must.
static void count_copied(const double *copy, const double *from, limpet_range rows, int columns,
                         int count) {
  for (int i = 0; i < columns * count; ++i) {
    const bool within = i >= columns * rows.first && i < columns * rows.end;
    assert_true(within ? copy[i] == from[i] : copy[i] == -7.0);
  }
}

// Trees of one body and of several, with one velocity and with many, between others.
static void copies_are_those_of_a_tree(const limpet_tree_kernels *k, const limpet_model *model,
                                       const limpet_data *data, limpet_data *copy) {
  const int bodies = model->body_count;
  for (int t = 0; t < model->tree_count; ++t) {
    double *const arrays[] = {copy->body_position, copy->body_quaternion, copy->body_rotation,
                              copy->body_com,      copy->body_inertia,    copy->dof_axis,
                              copy->tree_origin};
    const int counts[] = {3 * bodies,  4 * bodies,    9 * bodies,           3 * bodies,
                          10 * bodies, 6 * model->nv, 3 * model->tree_count};
    for (int a = 0; a < 7; ++a)
      for (int i = 0; i < counts[a]; ++i) arrays[a][i] = -7.0;
    k->poses_copy(model, copy, data, t);
    const limpet_range rows = limpet_tree_bodies(model, t);
    count_copied(copy->body_position, data->body_position, rows, 3, bodies);
    count_copied(copy->body_quaternion, data->body_quaternion, rows, 4, bodies);
    count_copied(copy->body_rotation, data->body_rotation, rows, 9, bodies);
    count_copied(copy->body_com, data->body_com, rows, 3, bodies);
    count_copied(copy->body_inertia, data->body_inertia, rows, 10, bodies);
    count_copied(copy->dof_axis, data->dof_axis, limpet_tree_dofs(model, t), 6, model->nv);
    count_copied(copy->tree_origin, data->tree_origin, (limpet_range){t, t + 1}, 3,
                 model->tree_count);
  }
}

// A chain of `count` bodies on hinges between a body on a slide and one that floats.
static limpet_model *chain_load(int count) {
  static const char *const begin =
      "<mujoco><worldbody><body><joint type='slide'/><geom size='0.1'/></body>";
  char chain[4096];
  int at = snprintf(chain, sizeof chain, "%s", begin);
  for (int i = 0; i < count; ++i)
    at += snprintf(chain + at, sizeof chain - (size_t)at,
                   "<body pos='0.1 0 0.2'><joint axis='1 %d 0'/><geom size='0.1'/>", i);
  for (int i = 0; i < count; ++i) at += snprintf(chain + at, sizeof chain - (size_t)at, "</body>");
  snprintf(chain + at, sizeof chain - (size_t)at,
           "<body><freejoint/><geom size='0.1'/></body></worldbody></mujoco>");
  return mjcf_load(chain);
}

static void poses_are_copied_whole(void **state) {
  (void)state;
  unsigned long seed = 19;
  for (int count = 0; count <= 24; ++count) {
    limpet_model *model = count == 0 ? mjcf_load(text) : chain_load(count);
    limpet_data *data = limpet_data_create(model), *copy = limpet_data_create(model);
    assert_true(data && copy);
    random_vector(&seed, data->q, model->nq, 3.0);
    limpet_kinematics(model, data);
    copies_are_those_of_a_tree(&limpet_tree_kernels_baseline, model, data, copy);
    copies_are_those_of_a_tree(limpet_tree_kernels_here(), model, data, copy);
    limpet_data_destroy(copy), limpet_data_destroy(data);
    limpet_model_destroy(model);
  }
}

static void all_give_the_same_bits(void **state) {
  (void)state;
  limpet_model *model = mjcf_load(text);
  limpet_data *data = limpet_data_create(model);
  assert_non_null(data);
  unsigned long seed = 7;
  static numbers one, two;
  for (int i = 0; i < STATES; ++i) {
    state_any(model, data, &seed);
    one.count = two.count = 0;
    sweep(&limpet_tree_kernels_baseline, model, data, &one);
    sweep(limpet_tree_kernels_here(), model, data, &two);
    assert_int_equal(one.count, two.count);
    assert_memory_equal(one.value, two.value, (size_t)one.count * sizeof *one.value);
  }
  limpet_data_destroy(data);
  limpet_model_destroy(model);
}

// Lanes against vec3.h and spatial identities: R of the quaternion, geoms, v' M v = 2 T.
static void sums_are_those_of_vectors(void **state) {
  (void)state;
  limpet_model *model = mjcf_load(text);
  limpet_data *data = limpet_data_create(model);
  assert_non_null(data);
  const limpet_tree_kernels *k = limpet_tree_kernels_here();
  unsigned long seed = 8;
  double work[512], M[400], f[6], total[10];
  for (int i = 0; i < STATES; ++i) {
    state_any(model, data, &seed);
    limpet_kinematics(model, data);
    limpet_geom_kinematics(model, data, true);
    limpet_velocity_kinematics(model, data);
    for (int b = 1; b < model->body_count; ++b) {
      double R[9], com[3];
      limpet_quaternion_to_matrix(R, data->body_quaternion + 4 * b);
      assert_memory_equal(R, data->body_rotation + 9 * b, sizeof R);
      limpet_mat3_mul_vec(com, R, model->body_com + 3 * b);
      limpet_vec3_add(com, com, data->body_position + 3 * b);
      assert_memory_equal(com, data->body_com + 3 * b, sizeof com);
    }
    for (int g = 0; g < model->geom_count; ++g) {
      double R[9];
      limpet_mat3_mul(R, data->body_rotation + 9 * model->geom_body[g],
                      model->geom_rotation + 9 * g);
      assert_memory_equal(R, data->geom_rotation + 9 * g, sizeof R);
    }
    for (int t = 0; t < model->tree_count; ++t) {
      const int n = model->tree_dof_count[t], first = model->tree_dof[t];
      k->mass_matrix(M, work, model, data, t);
      const double energy = k->momentum(f, total, model, data, t);
      double twice = 0.0;
      for (int a = 0; a < n; ++a) {
        for (int b = 0; b < n; ++b) twice += data->v[first + a] * M[a * n + b] * data->v[first + b];
        twice -= model->dof_armature[first + a] * data->v[first + a] * data->v[first + a];
      }
      assert_true(fabs(twice - 2.0 * energy) <= 1e-12 * fabs(twice));
    }
  }
  limpet_data_destroy(data);
  limpet_model_destroy(model);
}

// [m/s]  velocity of the centre of mass of a tree after h [s] at constant joint velocities.
static void velocity_after(const limpet_model *model, const limpet_data *data, limpet_data *other,
                           int tree, double h, double velocity[3]) {
  double N[60], work[512];
  limpet_integrate_position(model, other->q, data->q, data->v, h, false);
  limpet_kinematics(model, other);
  limpet_tree_kernels_here()->arms(N, work, model, other, tree);
  limpet_vec3_zero(velocity);
  for (int d = 0; d < model->tree_dof_count[tree]; ++d)
    limpet_vec3_addmul(velocity, velocity, data->v[model->tree_dof[tree] + d], N + 3 * d);
}

// Arms give the momentum, and the acceleration at constant joint velocities is how that changes.
static void arms_give_momentum_and_its_change(void **state) {
  (void)state;
  limpet_model *model = mjcf_load(text);
  limpet_data *data = limpet_data_create(model), *other = limpet_data_create(model);
  assert_true(data && other);
  const limpet_tree_kernels *k = limpet_tree_kernels_here();
  const double h = 1e-5;  // [s]  differences are good to h^2 and to round-off over h: 1e-10
  unsigned long seed = 11;
  double work[512], f[6], total[10], v[3], before[3], after[3], bend[3], size = 0.0;
  for (int i = 0; i < STATES; ++i) {
    state_any(model, data, &seed);
    limpet_kinematics(model, data);
    limpet_velocity_kinematics(model, data);
    for (int t = 0; t < model->tree_count; ++t) {
      k->momentum(f, total, model, data, t);
      velocity_after(model, data, other, t, 0.0, v);
      velocity_after(model, data, other, t, -h, before);
      velocity_after(model, data, other, t, h, after);
      k->bend(bend, work, model, data, t);
      for (int e = 0; e < 3; ++e) {
        assert_true(fabs(total[0] * v[e] - f[3 + e]) <= 1e-11 * total[0]);
        assert_true(fabs((after[e] - before[e]) / (2.0 * h) - bend[e]) <= 1e-6);
        size = fmax(size, fabs(bend[e]));
      }
    }
  }
  assert_true(size > 1.0);
  limpet_data_destroy(other);
  limpet_data_destroy(data);
  limpet_model_destroy(model);
}

// Where a tree floats has no part in how its bodies lie to each other.
static void far_trees_have_the_same_bits(void **state) {
  (void)state;
  limpet_model *model = mjcf_load(text);
  limpet_data *near = limpet_data_create(model), *far = limpet_data_create(model);
  unsigned long seed = 10;
  int floating = 0;
  for (int i = 0; i < STATES; ++i) {
    state_any(model, near, &seed);
    limpet_data_state_copy(near, far);
    for (int j = 0; j < model->joint_count; ++j)
      for (int k = 0; k < 3 && model->joint_kind[j] == LIMPET_JOINT_FREE; ++k)
        far->q[model->joint_q[j] + k] += 1e6 * (k + 1);
    limpet_kinematics(model, near);
    limpet_kinematics(model, far);
    for (int t = 0; t < model->tree_count; ++t) {
      if (!limpet_tree_is_placed(model, t)) continue;
      const limpet_range bodies = limpet_tree_bodies(model, t), dofs = limpet_tree_dofs(model, t);
      assert_memory_equal(near->body_inertia + 10 * bodies.first,
                          far->body_inertia + 10 * bodies.first,
                          10 * (size_t)(bodies.end - bodies.first) * sizeof *far->body_inertia);
      assert_memory_equal(near->dof_axis + 6 * dofs.first, far->dof_axis + 6 * dofs.first,
                          6 * (size_t)(dofs.end - dofs.first) * sizeof *far->dof_axis);
      ++floating;
    }
  }
  assert_true(floating >= STATES);
  limpet_data_destroy(far);
  limpet_data_destroy(near);
  limpet_model_destroy(model);
}

/* Sums for points alone are the last corner of those for all: with the same bits, and of free
 * joints in world axes, too. */
static void points_have_the_corner_of_all(void **state) {
  (void)state;
  limpet_model *model = mjcf_load(text);
  limpet_data *data = limpet_data_create(model);
  assert_non_null(data);
  unsigned long seed = 9;
  int dof[32], counted = 0;
  double column[192], inverse[32], mix[192], point[3];
  for (int i = 0; i < STATES; ++i) {
    state_any(model, data, &seed);
    limpet_kinematics(model, data);
    random_vector(&seed, inverse, model->nv, 1.0);
    random_vector(&seed, mix, 6 * model->nv, 1.0);
    const limpet_delassus_weights weights = {inverse, i % 2 ? mix : NULL};
    random_vector(&seed, point, 3, 1.0);
    for (int b = 1; b < model->body_count; ++b) {
      double all[36] = {0.0}, points[36] = {0.0};
      const int count =
          limpet_point_columns(model, data, model->body_last_dof[b], -1, point, -1.0, dof, column);
      limpet_delassus_add(model, data, count, dof, column, &weights, all);
      limpet_delassus_add_points(model, data, count, dof, column, &weights, points);
      for (int k = 3; k < 6; ++k)
        assert_memory_equal(all + 6 * k + 3, points + 6 * k + 3, 3 * sizeof *all);
      counted += count;
    }
  }
  assert_true(counted > STATES);
  limpet_data_destroy(data);
  limpet_model_destroy(model);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(all_give_the_same_bits),
      cmocka_unit_test(poses_are_copied_whole),
      cmocka_unit_test(sums_are_those_of_vectors),
      cmocka_unit_test(arms_give_momentum_and_its_change),
      cmocka_unit_test(far_trees_have_the_same_bits),
      cmocka_unit_test(points_have_the_corner_of_all),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
