/* tests/dynamics/test_dynamics_derivatives.c: derivatives of inverse dynamics, of M x and of
 * passive forces against differences of sixth order, on random trees and on robots.
 *
 *   f' = [45 (f1 - f-1) - 9 (f2 - f-2) + f3 - f-3]/(60 h),   f_k = f(k h)
 * With h = 2e-3 the error is h^6/140 times a seventh derivative, 1e-14 of the largest entry or so
 * where motion is of order 1 rad, and round-off 1e-16/h = 5e-14 of the largest force. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "dynamics/derivative_kernels.h"
#include "dynamics/tree.h"
#include "effort.h"
#include "limpet/dynamics.h"
#include "limpet/format.h"
#include "math/quaternion.h"
#include "model/trees.h"
#include "random_models.h"

enum { TREES = TEST_WATCHED ? 10 : 60, MOST_VELOCITIES = 120 };

static const double width = 2e-3;
static const double tolerance = 1e-8;    // [-]  of the largest entry of a matrix
static const double least_force = 1e-4;  // [N, N m]  what is zero has the round-off of its terms

static unsigned long seed = 23;

static double uniform(double low, double high) { return random_uniform(&seed, low, high); }

// What is differentiated: a function of the state into f (nv), and its derivatives.
typedef enum subject { INVERSE_DYNAMICS, BIAS, MASS, PASSIVE, SUBJECTS } subject;

static const char *const names[SUBJECTS] = {"rnea", "bias", "mass", "passive"};

typedef struct world {
  limpet_model *model;
  limpet_data *data;
  double *x;            // (nv)  acceleration, or what M is multiplied with
  double *q, *v;        // where the differences are taken
  double *unit;         // (nv)
  double *by_q, *by_v;  // (mass_size)
} world;

static world world_of(limpet_model *model) {
  const size_t nv = (size_t)model->nv + 1, nq = (size_t)model->nq + 1;
  world w = {.model = model,
             .data = limpet_data_create(model),
             .x = calloc(nv, sizeof(double)),
             .q = calloc(nq, sizeof(double)),
             .v = calloc(nv, sizeof(double)),
             .unit = calloc(nv, sizeof(double)),
             .by_q = calloc((size_t)model->mass_size + 1, sizeof(double)),
             .by_v = calloc((size_t)model->mass_size + 1, sizeof(double))};
  // a random state near the one of the model
  random_vector(&seed, w.unit, model->nv, 0.7);
  limpet_integrate_position(model, w.q, w.data->q, w.unit, 1.0, false);
  memset(w.unit, 0, nv * sizeof *w.unit);
  random_vector(&seed, w.v, model->nv, 2.0);
  random_vector(&seed, w.x, model->nv, 3.0);
  return w;
}

static void world_free(world *w) {
  limpet_data_destroy(w->data);
  limpet_model_destroy(w->model);
  free(w->x), free(w->q), free(w->v), free(w->unit), free(w->by_q), free(w->by_v);
}

static void pose(const world *w) {
  limpet_kinematics(w->model, w->data);
  limpet_velocity_kinematics(w->model, w->data);
  limpet_tendon_kinematics(w->model, w->data);
}

// f (nv) with velocity or pose `dof` moved by `by`.
static void evaluate(const world *w, subject of, bool by_velocity, int dof, double by, double *f) {
  const limpet_model *model = w->model;
  memcpy(w->data->v, w->v, (size_t)model->nv * sizeof *w->v);
  w->unit[dof] = by_velocity ? 0.0 : by;
  limpet_integrate_position(model, w->data->q, w->q, w->unit, 1.0, false);
  w->unit[dof] = 0.0;
  if (by_velocity) w->data->v[dof] += by;
  pose(w);
  switch (of) {
    case INVERSE_DYNAMICS: limpet_rnea(model, w->data, w->x, f); return;
    case BIAS:
      limpet_bias(model, w->data);
      memcpy(f, w->data->bias, (size_t)model->nv * sizeof *f);
      return;
    case MASS:
      limpet_mass_matrix(model, w->data);
      limpet_mass_mul(model, w->data, w->x, f);
      return;
    case PASSIVE:
      limpet_passive_forces(model, w->data);
      memcpy(f, w->data->passive_force, (size_t)model->nv * sizeof *f);
      return;
    case SUBJECTS: break;
  }
}

static void differentiate(const world *w, subject of) {
  memcpy(w->data->v, w->v, (size_t)w->model->nv * sizeof *w->v);
  memcpy(w->data->q, w->q, (size_t)w->model->nq * sizeof *w->q);
  pose(w);
  memset(w->by_v, 0, (size_t)w->model->mass_size * sizeof *w->by_v);
  switch (of) {
    case INVERSE_DYNAMICS:
      limpet_rnea_derivatives(w->model, w->data, w->x, w->by_q, w->by_v);
      return;
    case BIAS: limpet_rnea_derivatives(w->model, w->data, NULL, w->by_q, w->by_v); return;
    case MASS: limpet_mass_derivative(w->model, w->data, w->x, w->by_q); return;
    case PASSIVE: limpet_passive_derivatives(w->model, w->data, w->by_q, w->by_v); return;
    case SUBJECTS: break;
  }
}

// Column of a block matrix, whole (nv).
static void column_of(const limpet_model *model, const double *blocks, int dof, double *column) {
  memset(column, 0, (size_t)model->nv * sizeof *column);
  const int tree = model->dof_tree[dof], n = model->tree_dof_count[tree];
  const int first = model->tree_dof[tree];
  for (int i = 0; i < n; ++i)
    column[first + i] = blocks[model->tree_mass[tree] + i * n + dof - first];
}

// What the derivatives leave out: tendons between trees and spatial ones, the medium.
static bool leaves_out(const limpet_model *model, subject of) {
  const limpet_options *options = &model->options;
  if (of == PASSIVE && (options->density > 0.0 || options->viscosity > 0.0)) return true;
  for (int t = 0; t < model->tendon_count; ++t) {
    const bool matters = of == PASSIVE || model->tendon_armature[t] > 0.0;
    if (matters && model->tendon_point_begin[t + 1] > model->tendon_point_begin[t]) return true;
    for (int i = model->tendon_dof_begin[t]; i < model->tendon_dof_begin[t + 1]; ++i)
      if (matters && model->dof_tree[model->tendon_dof[i]] !=
                         model->dof_tree[model->tendon_dof[model->tendon_dof_begin[t]]])
        return true;
  }
  return false;
}

// The worst error over the largest entry.
static double error_of(const world *w, subject of, bool by_velocity) {
  static const double weight[3] = {45.0, -9.0, 1.0};
  const int nv = w->model->nv;
  double *f = calloc(2 * (size_t)nv + 1, sizeof *f), *slope = calloc((size_t)nv + 1, sizeof *f),
         *own = calloc((size_t)nv + 1, sizeof *f);
  double worst = 0.0, largest = least_force, force = 0.0;
  differentiate(w, of);
  for (int j = 0; j < nv; ++j) {
    memset(slope, 0, (size_t)nv * sizeof *slope);
    for (int k = 1; k <= 3; ++k) {
      evaluate(w, of, by_velocity, j, k * width, f);
      evaluate(w, of, by_velocity, j, -k * width, f + nv);
      for (int i = 0; i < nv; ++i) {
        slope[i] += weight[k - 1] * (f[i] - f[nv + i]) / (60.0 * width);
        force = fmax(force, fabs(f[i]));
      }
    }
    column_of(w->model, by_velocity ? w->by_v : w->by_q, j, own);
    for (int i = 0; i < nv; ++i) {
      worst = fmax(worst, fabs(slope[i] - own[i]));
      largest = fmax(largest, fabs(slope[i]));
    }
  }
  free(f), free(slope), free(own);
  return worst / fmax(largest, force);
}

/* a (n) - x' B, B (rows x n) row-major, over the largest sum of sizes, or of x' M where what
 * differs is zero; *to: the largest so far. */
static void compare_product(int rows, int n, const double *x, const double *B, const double *a,
                            const double *xM, double *to) {
  double off = 0.0, largest = least_force;
  for (int k = 0; k < n; ++k) largest = fmax(largest, fabs(xM[k]));
  for (int k = 0; k < n; ++k) {
    double sum = 0.0, size = 0.0;
    for (int i = 0; i < rows; ++i) sum += x[i] * B[i * n + k], size += fabs(x[i] * B[i * n + k]);
    off = fmax(off, fabs(a[k] - sum)), largest = fmax(largest, size);
  }
  *to = fmax(*to, off / largest);
}

// Products from the left against the blocks of one tree, those of its first six rows with M v too.
static double product_error(const world *w, int tree) {
  const limpet_model *model = w->model;
  const int n = model->tree_dof_count[tree], first = model->tree_dof[tree];
  const size_t size = (size_t)(n * n);
  double *blocks = calloc(2 * size + 3 * (size_t)n, sizeof *blocks), *product = blocks + 2 * size;
  const double *xM = product + 2 * n;
  double worst = 0.0, centre[3];
  limpet_tree_rnea_derivatives(model, w->data, tree, w->x, 1.0, blocks, blocks + size);
  limpet_tree_rnea_product(model, w->data, tree, w->x, w->v + first, product, product + n,
                           product + 2 * n);
  compare_product(n, n, w->v + first, blocks, product, xM, &worst);
  compare_product(n, n, w->v + first, blocks + size, product + n, xM, &worst);
  if (n >= 6 && model->joint_kind[model->dof_joint[first]] == LIMPET_JOINT_FREE) {
    limpet_tree_sums *sum = calloc((size_t)model->body_count, sizeof *sum);
    const double *x = w->x + first, *y = w->v + first;
    limpet_tree_sums_make(model, w->data, tree, sum);
    limpet_tree_first_momentum(model, w->data, tree, w->data->v, blocks, blocks + size, centre);
    limpet_tree_first_product(model, w->data, tree, sum, x, y, product, product + n,
                              product + 2 * n);
    compare_product(6, n, x, blocks, product, xM, &worst);
    compare_product(6, n, y, blocks + size, product + n, xM, &worst);
    compare_product(6, n, y, blocks, product + 2 * n, xM, &worst);
    free(sum);
  }
  free(blocks);
  return worst;
}

static double worst_of(const world *w, const char *what) {
  double worst = 0.0;
  memcpy(w->data->q, w->q, (size_t)w->model->nq * sizeof *w->q);
  memcpy(w->data->v, w->v, (size_t)w->model->nv * sizeof *w->v);
  pose(w);
  for (int t = 0; t < w->model->tree_count; ++t) {
    const double error = product_error(w, t);
    if (!(error <= tolerance)) printf("%s: products of tree %d: %g\n", what, t, error);
    worst = fmax(worst, error);
  }
  for (subject of = 0; of < SUBJECTS; ++of)
    for (int by_velocity = 0; by_velocity < (of == MASS ? 1 : 2); ++by_velocity) {
      if (leaves_out(w->model, of)) continue;
      const double error = error_of(w, of, by_velocity);
      if (!(error <= tolerance))
        printf("%s: %s by %s: %g\n", what, names[of], by_velocity ? "v" : "q", error);
      worst = fmax(worst, error);
    }
  return worst;
}

static void add_joint(limpet_builder *builder, int body, limpet_joint_kind kind) {
  limpet_joint_description joint = limpet_joint_description_default();
  joint.body = body;
  joint.kind = kind;
  random_vector(&seed, joint.position, 3, 0.3);
  random_vector(&seed, joint.axis, 3, 1.0);
  joint.pitch = uniform(-1, 1);  // of screws
  joint.armature = uniform(0, 0.1);
  joint.stiffness = uniform(0, 2);
  joint.damping = uniform(0, 1);
  limpet_builder_add_joint(builder, &joint);
}

// One to twelve bodies; all kinds of joints, several on a body, bodies without one.
static limpet_model *random_tree(void) {
  static const limpet_joint_kind kinds[] = {LIMPET_JOINT_REVOLUTE, LIMPET_JOINT_PRISMATIC,
                                            LIMPET_JOINT_BALL, LIMPET_JOINT_SCREW};
  limpet_builder *builder = limpet_builder_create();
  const int count = 1 + (int)uniform(0, 11.99);
  for (int b = 1; b <= count; ++b) {
    limpet_body_description description = random_body(&seed, (int)uniform(0, b - 1e-9));
    description.gravity_compensation = uniform(0, 1) < 0.3 ? uniform(0, 1) : 0.0;
    const int body = limpet_builder_add_body(builder, &description);
    if (description.parent == 0 && uniform(0, 1) < 0.4) {
      add_joint(builder, body, LIMPET_JOINT_FREE);
      continue;
    }
    for (int k = (int)uniform(0, 3.49); k > 0; --k)
      add_joint(builder, body, kinds[(int)uniform(0, 3.99)]);
  }
  if (limpet_builder_count(builder, LIMPET_OBJECT_JOINT) == 0)
    add_joint(builder, 1, LIMPET_JOINT_BALL);
  random_vector(&seed, limpet_builder_options(builder)->gravity, 3, 10.0);
  limpet_error error = {0};
  limpet_model *model = limpet_builder_compile(builder, &error);
  if (!model) printf("%s\n", error.message);
  assert_non_null(model);
  limpet_builder_destroy(builder);
  return model;
}

static void random_trees_agree_with_differences(void **state) {
  (void)state;
  double worst = 0.0;
  for (int i = 0; i < TREES; ++i) {
    world w = world_of(random_tree());
    worst = fmax(worst, worst_of(&w, "random tree"));
    world_free(&w);
  }
  printf("derivatives of dynamics, %d random trees: worst %.2g\n", TREES, worst);
  assert_true(worst <= tolerance);
}

// All that a table of kernels makes of a tree, into out (6 n^2).
static void make_all(const limpet_derivative_kernels *kernels, const world *w, int tree,
                     double *out) {
  const size_t size =
      (size_t)w->model->tree_dof_count[tree] * (size_t)w->model->tree_dof_count[tree];
  limpet_derivative_sweep sweep = {.model = w->model,
                                   .data = w->data,
                                   .tree = tree,
                                   .vdot = w->x,
                                   .moves = true,
                                   .share = 0.3,
                                   .body = calloc((size_t)w->model->body_count, sizeof *sweep.body),
                                   .dof = calloc((size_t)w->model->nv, sizeof *sweep.dof)};
  kernels->sums(&sweep);
  kernels->entries(&sweep, out, out + size);
  kernels->entries(&sweep, out + 2 * size, NULL);
  sweep.moves = false;
  kernels->sums(&sweep);
  kernels->entries(&sweep, out + 3 * size, NULL);
  if (limpet_tree_floats(w->model, tree))
    kernels->first_rows(&sweep, out + 4 * size, out + 5 * size);
  free(sweep.body), free(sweep.dof);
}

static void instruction_sets_give_the_same_bits(void **state) {
  (void)state;
  for (int i = 0; i < TREES; ++i) {
    world w = world_of(random_tree());
    memcpy(w.data->q, w.q, (size_t)w.model->nq * sizeof *w.q);
    memcpy(w.data->v, w.v, (size_t)w.model->nv * sizeof *w.v);
    pose(&w);
    for (int t = 0; t < w.model->tree_count; ++t) {
      const size_t n = (size_t)w.model->tree_dof_count[t], size = 6 * n * n;
      double *one = calloc(2 * size, sizeof *one), *two = one + size;
      make_all(&limpet_derivative_kernels_baseline, &w, t, one);
      make_all(limpet_derivative_kernels_here(), &w, t, two);
      for (size_t k = 0; k < size; ++k) assert_true(one[k] == two[k]);
      // where velocities count, derivatives by pose do not ask for those by velocity
      assert_memory_equal(one, one + 2 * n * n, n * n * sizeof *one);
      free(one);
    }
    world_free(&w);
  }
}

static void robots_agree_with_differences(void **state) {
  (void)state;
  static const char *const folders[] = {"models/mjcf", "models/menagerie"};
  double worst = 0.0;
  int count = 0;
  for (int k = 0; k < 2; ++k) {
    if (!shared_exists(folders[k])) continue;
    file_list files = file_list_find(shared_path(folders[k]), ".xml");
    for (int i = 0; i < files.count; i += test_effort(1, 4)) {
      limpet_error error;
      limpet_model *model = limpet_load(files.path[i], NULL, &error);
      if (!model) continue;
      if (model->nv == 0 || model->nv > MOST_VELOCITIES) {
        limpet_model_destroy(model);
        continue;
      }
      world w = world_of(model);
      worst = fmax(worst, worst_of(&w, files.path[i]));
      world_free(&w);
      ++count;
    }
    file_list_free(&files);
  }
  if (count == 0) skip();
  printf("derivatives of dynamics, %d models: worst %.2g\n", count, worst);
  assert_true(worst <= tolerance);
}

// -------------------------------------------------------------------------- entries of M

// What was found of one tree (n velocities), and the same by differences.
typedef struct entries {
  int tree, n;
  double *diagonal,
      *block;     // (n x n), (n x n x 6)  entries of each velocity with its joint's first
  double *slope;  // (n x n)  of M, along one velocity
} entries;

static int joint_of(const limpet_model *model, int dof, int *local) {
  const int joint = model->dof_joint[dof];
  *local = dof - model->joint_v[joint];
  return joint;
}

static void find_entries(const world *w, const entries *e) {
  const limpet_model *model = w->model;
  const int first = model->tree_dof[e->tree], n = e->n;
  double *rows = calloc(21 * (size_t)n, sizeof *rows);
  memcpy(w->data->q, w->q, (size_t)model->nq * sizeof *w->q);
  pose(w);
  limpet_tree_mass_diagonal_derivative(model, w->data, e->tree, e->diagonal);
  for (int k = 0; k < n; ++k) {
    int local;
    const int joint = joint_of(model, first + k, &local);
    if (local == 0) limpet_tree_mass_block_derivative(model, w->data, joint, rows);
    memcpy(e->block + 6 * k * n, rows + local * (local + 1) / 2 * n,
           (size_t)((local + 1) * n) * sizeof *rows);
  }
  free(rows);
}

// M along velocity `dof`.
static void find_slope(const world *w, const entries *e, int dof) {
  static const double weight[3] = {45.0, -9.0, 1.0};
  const limpet_model *model = w->model;
  const double *M = w->data->mass_matrix + model->tree_mass[e->tree];
  memset(e->slope, 0, (size_t)(e->n * e->n) * sizeof *e->slope);
  for (int k = -3; k <= 3; ++k) {
    if (k == 0) continue;
    w->unit[dof] = k * width;
    limpet_integrate_position(model, w->data->q, w->q, w->unit, 1.0, false);
    w->unit[dof] = 0.0;
    pose(w);
    limpet_mass_matrix(model, w->data);
    for (int i = 0; i < e->n * e->n; ++i)
      e->slope[i] += (k > 0 ? 1.0 : -1.0) * weight[abs(k) - 1] * M[i] / (60.0 * width);
  }
}

// The worst error over the largest entry.
static double entries_error(const world *w, const entries *e) {
  const limpet_model *model = w->model;
  const int n = e->n, first = model->tree_dof[e->tree];
  double worst = 0.0, largest = least_force;
  find_entries(w, e);
  for (int j = 0; j < n; ++j) {
    find_slope(w, e, first + j);
    for (int k = 0; k < n; ++k) {
      int local;
      joint_of(model, first + k, &local);
      worst = fmax(worst, fabs(e->diagonal[k * n + j] - e->slope[k * (n + 1)]));
      for (int l = 0; l <= local; ++l)
        worst = fmax(worst, fabs(e->block[(6 * k + l) * n + j] - e->slope[k * n + k - local + l]));
      for (int l = 0; l < n; ++l) largest = fmax(largest, fabs(e->slope[k * n + l]));
    }
  }
  for (int i = 0; i < n * n; ++i)
    largest = fmax(largest, fabs(w->data->mass_matrix[model->tree_mass[e->tree] + i]));
  return worst / largest;
}

static void entries_agree_with_differences(void **state) {
  (void)state;
  double worst = 0.0;
  for (int i = 0; i < TREES; ++i) {
    world w = world_of(random_tree());
    for (int t = 0; t < w.model->tree_count; ++t) {
      const size_t n = (size_t)w.model->tree_dof_count[t];
      const entries e = {.tree = t,
                         .n = (int)n,
                         .diagonal = calloc(n * n, sizeof(double)),
                         .block = calloc(6 * n * n, sizeof(double)),
                         .slope = calloc(n * n, sizeof(double))};
      worst = fmax(worst, entries_error(&w, &e));
      free(e.diagonal), free(e.block), free(e.slope);
    }
    world_free(&w);
  }
  printf("entries of M, %d random trees: worst %.2g\n", TREES, worst);
  assert_true(worst <= tolerance);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(random_trees_agree_with_differences),
      cmocka_unit_test(instruction_sets_give_the_same_bits),
      cmocka_unit_test(robots_agree_with_differences),
      cmocka_unit_test(entries_agree_with_differences),
  };
  return cmocka_run_group_tests_name("dynamics_derivatives", tests, NULL, NULL);
}
