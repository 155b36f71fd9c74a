#include "potential_pairs.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "geometry/pressure.h"
#include "hull_shapes.h"
#include "math/vec3.h"
#include "pressure_potential.h"
#include "pressure_shapes.h"
#include "shared_data.h"

static const double size[3] = {0.04, 0.05, 0.06};  // [m]
static const double tolerance = 1e-9;              // [-]  of a surface
static const double accuracy = 2e-9;               // [-]  of the potential

static bool is_linear(limpet_shape_kind kind) {
  return kind == LIMPET_SHAPE_BOX || kind == LIMPET_SHAPE_MESH || kind == LIMPET_SHAPE_PLANE;
}

// Corners that hide between nodes can make the error this many times the stated one.
static const double beyond = 10.0;

typedef struct pair {
  limpet_pressure_field *field[2];
  test_pose pose[2];
  double way[3];
} pair;

static limpet_pressure_field *field_of(limpet_shape_kind kind, double modulus) {
  unsigned long seed = 7;
  limpet_pressure_material material = limpet_pressure_material_default();
  material.modulus = modulus;
  limpet_hull *hull = kind == LIMPET_SHAPE_MESH ? test_hull_random(&seed, 6, size) : NULL;
  limpet_pressure_field *field = limpet_pressure_field_of_shape(kind, size, hull, &material, NULL);
  free(hull);
  if (!field) exit(1);
  return field;
}

static limpet_pressure_body body_of(const pair *p, int k) {
  return (limpet_pressure_body){p->field[k], p->pose[k].position, p->pose[k].rotation};
}

// B at a distance [m] from A along the way of the pair; whether they overlap there.
static bool put(pair *p, double far) {
  limpet_vec3_addmul(p->pose[1].position, p->pose[0].position, far, p->way);
  const limpet_pressure_body a = body_of(p, 0), b = body_of(p, 1);
  return test_potential_overlap(&a, &b);
}

static void random_poses(pair *p, unsigned long *seed) {
  for (int k = 0; k < 2; ++k) test_random_rotation(seed, p->pose[k].rotation);
  for (int i = 0; i < 3; ++i) {
    p->pose[0].position[i] = random_uniform(seed, -0.1, 0.1);
    p->way[i] = random_uniform(seed, -1.0, 1.0);
  }
  limpet_vec3_normalize(p->way);
  for (int k = 0; k < 2; ++k)
    for (int i = 0; p->field[k]->kind == LIMPET_SHAPE_PLANE && i < 3; ++i)
      p->way[i] = (k ? -1.0 : 1.0) * p->pose[k].rotation[3 * i + 2];
  double low = 0.0, high = 0.5;
  for (int k = 0; k < 40; ++k) {
    const double middle = 0.5 * (low + high);
    if (put(p, middle)) low = middle;
    else high = middle;
  }
  put(p, low - size[0] * 1e-3 * pow(300.0, random_uniform(seed, 0.0, 1.0)));
}

// [J]  U after B has moved by h along an axis (0 to 2), or turned about one of W (3 to 5).
static double energy_at(const pair *p, int axis, double h) {
  test_pose moved = p->pose[1];
  double R[9];
  const int i = axis % 3, j = (i + 1) % 3, k = (i + 2) % 3;
  limpet_mat3_identity(R);
  if (axis >= 3) R[4 * j] = R[4 * k] = cos(h), R[3 * k + j] = sin(h), R[3 * j + k] = -sin(h);
  limpet_mat3_mul(moved.rotation, R, p->pose[1].rotation);
  limpet_mat3_mul_vec(moved.position, R, p->pose[1].position);
  if (axis < 3) moved.position[i] += h;
  const limpet_pressure_body a = body_of(p, 0), b = {p->field[1], moved.position, moved.rotation};
  return test_potential_compute(&a, &b, accuracy).energy;
}

/* How far -dU/dh along an axis is from an expected force, by differences of sixth order. h is a
 * share of the depth, which U, the force and the area give: U ~ d^3, F ~ d^2. */
static double difference_gap(const pair *p, int axis, double expected, double h) {
  static const double share[3] = {0.75, -0.15, 1.0 / 60.0};
  double slope = 0.0;
  for (int k = 0; k < 3; ++k)
    slope += share[k] * (energy_at(p, axis, (k + 1) * h) - energy_at(p, axis, -(k + 1) * h)) / h;
  return fabs(slope + expected);
}

static const char *name_of(const pair *p, int k) {
  return limpet_shape_kind_word(p->field[k]->kind);
}

// Whether a pair is off; touches: whether there is a surface.
static bool is_off(limpet_pressure_surface *surface, const test_potential_pairs *pairs,
                   const pair *p, unsigned long *seed, bool *touches) {
  const limpet_pressure_body a = body_of(p, 0), b = body_of(p, 1);
  limpet_pressure_query query = limpet_pressure_query_default();
  query.tolerance = tolerance;
  if (limpet_pressure_surface_compute(surface, &a, &b, &query) != LIMPET_OK) exit(1);
  const double N = surface->pressure_integral;
  *touches = N > 0.0;
  const test_potential u = test_potential_compute(&a, &b, accuracy);
  double df[3], dm[3], gap = 0.0;
  limpet_vec3_sub(df, u.force, surface->force), limpet_vec3_sub(dm, u.moment, surface->moment);
  if (pairs->differences) {
    const int axis = (int)random_uniform(seed, 0.0, 5.999);
    const double depth = 3.0 * u.energy / N;
    gap = difference_gap(p, axis, axis < 3 ? surface->force[axis] : surface->moment[axis - 3],
                         0.03 * depth);
  }
  const double force = limpet_vec3_norm(df) / N, moment = limpet_vec3_norm(dm) / N,
               allowed = fmax(pairs->allowed, beyond * surface->error);
  if (force <= allowed && moment <= allowed && gap <= allowed * N) return false;
  printf("%s%s in %s%s, %g N: force %.2e, moment %.2e m, difference of U %.2e off; stated %.1e\n",
         a.field->rigid ? "rigid " : "", name_of(p, 0), b.field->rigid ? "rigid " : "",
         name_of(p, 1), N, force, moment, gap / N, surface->error);
  return true;
}

int test_potential_pairs_check(const test_potential_pairs *pairs, int *checked) {
  limpet_pressure_surface *surface = limpet_pressure_surface_create(NULL);
  unsigned long seed = pairs->seed;
  int off = 0;
  *checked = 0;
  for (int i = 0; i < pairs->kind_count; ++i)
    for (int j = i; j < pairs->kind_count; ++j)
      for (int rigid = 0; rigid < 3; ++rigid) {
        const limpet_shape_kind a = pairs->kind[i], b = pairs->kind[j];
        if ((is_linear(a) && is_linear(b)) || rigid % pairs->variants != (i + j) % pairs->variants)
          continue;
        pair p = {.field = {field_of(a, rigid == 1 ? INFINITY : 1e6),
                            field_of(b, rigid == 2 ? INFINITY : 2.7e6)}};
        bool touches;
        random_poses(&p, &seed);
        off += is_off(surface, pairs, &p, &seed, &touches);
        *checked += touches;
        limpet_pressure_field_destroy(p.field[0]), limpet_pressure_field_destroy(p.field[1]);
      }
  limpet_pressure_surface_destroy(surface);
  return off;
}
