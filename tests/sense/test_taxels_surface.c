/* tests/sense/test_taxels_surface.c: grids of taxels against the integrals of the contact surfaces
 * under them, at random poses: shapes of any kind and size lie on a tilted plate that is a grid.
 *
 * Sums over the cells are the surface's force, pressure and shear, to round-off: no part of a point
 * is lost. The centre of pressure lies within half a cell of the surface's, since a cell knows no
 * more. Cells of a sphere read the closed form p = E (1 - sqrt(h^2 + r^2)/R), h its height. A point
 * counts as a square of its area, of half length s: what lies within s of an edge between two cells
 * may count for the wrong one, a share of about s/w of the force at edges that are w apart, or, of
 * a patch of radius a < w, s/a. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "effort.h"
#include "limpet/step.h"
#include "math/quaternion.h"
#include "math/vec3.h"
#include "mjcf_text.h"
#include "shared_data.h"

enum { MOST_CELLS = 12 * 12 };

typedef struct skin_world {
  limpet_model *model;
  limpet_data *data;
  int rows, columns;
  double half[2];      // [m]  of the grid
  double rotation[9];  // axes of the plate in W
  double size;         // [m]  of the shape
  double modulus;      // [Pa]
} skin_world;

/* A thing that falls a little onto a plate, both turned alike with gravity, which has up to `lean`
 * [m/s^2] along each axis of the plate. */
static skin_world draw(unsigned long *seed, const char *kind, double lean) {
  skin_world w = {.rows = 1 + (int)random_uniform(seed, 0.0, 11.99),
                  .columns = 1 + (int)random_uniform(seed, 0.0, 11.99)};
  w.size = random_log_uniform(seed, 0.005, 0.2);
  w.half[0] = w.size * random_uniform(seed, 1.5, 2.5);
  w.half[1] = w.size * random_uniform(seed, 1.5, 2.5);
  double q[4], gravity[3], place[3];
  for (int i = 0; i < 4; ++i) q[i] = random_uniform(seed, -1.0, 1.0);
  limpet_quaternion_normalize(q);
  limpet_quaternion_to_matrix(w.rotation, q);
  const double pull[3] = {random_uniform(seed, -lean, lean), random_uniform(seed, -lean, lean),
                          -9.81};
  limpet_mat3_mul_vec(gravity, w.rotation, pull);
  const double mass = 1000.0 * w.size * w.size * w.size;
  w.modulus = mass * 9.81 / (w.size * w.size) * random_log_uniform(seed, 100.0, 3e4);
  const double s = w.size, at[3] = {0.2 * s, -0.1 * s, (kind[0] == 'c' ? 1.0 : 0.7) * s};
  limpet_mat3_mul_vec(place, w.rotation, at);
  char text[2000];
  snprintf(text, sizeof text,
           "<mujoco><option gravity='%.17g %.17g %.17g'/><worldbody>"
           "<body quat='%.17g %.17g %.17g %.17g'><geom name='plate' type='box' size='%.17g %.17g "
           "%.17g' pos='0 0 %.17g'/><site name='skin' type='box' size='%.17g %.17g %.17g'/></body>"
           "<body pos='%.17g %.17g %.17g' quat='%.17g %.17g %.17g %.17g'><freejoint/>"
           "<geom type='%s' size='%.17g %.17g %.17g' mass='%.17g' limpet:elastic_modulus='%.17g' "
           "friction='.9'/></body></worldbody><sensor><limpet:taxels site='skin' rows='%d' "
           "columns='%d'/></sensor></mujoco>",
           gravity[0], gravity[1], gravity[2], q[0], q[1], q[2], q[3], w.half[0], w.half[1],
           0.5 * s, -0.5 * s, w.half[0], w.half[1], 0.1 * s, place[0], place[1], place[2], q[0],
           q[1], q[2], q[3], kind, s, 0.8 * s, 0.7 * s, mass, w.modulus, w.rows, w.columns);
  w.model = mjcf_load(text);
  w.data = limpet_data_create(w.model);
  return w;
}

static void step_some(const skin_world *w, int count) {
  limpet_step_settings settings = limpet_step_settings_default(w->model);
  for (int i = 0; i < count; ++i) limpet_step(w->model, w->data, &settings);
}

static void release(skin_world *w) {
  limpet_data_destroy(w->data);
  limpet_model_destroy(w->model);
}

// Force on the plate [N] and moment of the pressure [N m] in the axes of the grid, by its cells.
static void sum_cells(const skin_world *w, double force[3], double moment[2]) {
  const double cell[2] = {2.0 * w->half[0] / w->columns, 2.0 * w->half[1] / w->rows};
  limpet_vec3_zero(force), moment[0] = moment[1] = 0.0;
  for (int r = 0; r < w->rows; ++r)
    for (int c = 0; c < w->columns; ++c) {
      const double *value = w->data->sensor + 3 * (r * w->columns + c), area = cell[0] * cell[1];
      force[0] += area * value[1], force[1] += area * value[2], force[2] -= area * value[0];
      moment[0] += area * value[0] * ((c + 0.5) * cell[0] - w->half[0]);
      moment[1] += area * value[0] * ((r + 0.5) * cell[1] - w->half[1]);
    }
}

static void grid_is_the_surface(const skin_world *w) {
  const limpet_data *data = w->data;
  if (data->surface_count == 0) return;
  assert_int_equal(data->surface_count, 1);
  double force[3], moment[2], expected[3], centre[3];
  sum_cells(w, force, moment);
  // on the plate, whichever of the two it is
  const bool plate_is_a = data->surface_geom[0] == 0;
  limpet_mat3_tmul_vec(expected, w->rotation, data->surface_force);
  if (plate_is_a) limpet_vec3_neg(expected, expected);
  const double size = limpet_vec3_norm(expected);
  for (int i = 0; i < 3; ++i)
    if (!(fabs(force[i] - expected[i]) < 1e-9 * size))
      fail_msg("axis %d: cells %.12g N, surface %.12g N", i, force[i], expected[i]);
  limpet_mat3_tmul_vec(centre, w->rotation, data->surface_centre);
  const double pressed = -force[2];
  for (int i = 0; i < 2 && pressed > 0.0; ++i) {
    const double half_cell = w->half[i] / (i ? w->rows : w->columns);
    assert_true(fabs(moment[i] / pressed - centre[i]) < half_cell);
  }
}

static void sums_are_those_of_the_surface(void **state) {
  (void)state;
  static const char *const kinds[] = {"sphere", "box", "ellipsoid", "cylinder", "capsule"};
  unsigned long seed = 31;
  int touched = 0, sheared = 0;
  for (int trial = 0; trial < test_effort(60, 10); ++trial) {
    skin_world w = draw(&seed, kinds[trial % 5], 2.0);
    for (int k = 0; k < 6; ++k) {
      step_some(&w, 15);
      grid_is_the_surface(&w);
      double force[3], moment[2];
      sum_cells(&w, force, moment);
      touched += force[2]<0.0, sheared += hypot(force[0], force[1])> 0.05 * fabs(force[2]);
    }
    release(&w);
  }
  assert_true(touched > test_effort(150, 20) && sheared > test_effort(100, 13));
}

// Force [N] of a sphere's closed form on a cell, by a midpoint rule.
static double sphere_on_cell(const skin_world *w, const double centre[3], int r, int c) {
  enum { POINTS = 24 };
  const double cell[2] = {2.0 * w->half[0] / w->columns, 2.0 * w->half[1] / w->rows};
  double sum = 0.0;
  for (int i = 0; i < POINTS; ++i)
    for (int j = 0; j < POINTS; ++j) {
      const double x = (c + (i + 0.5) / POINTS) * cell[0] - w->half[0] - centre[0],
                   y = (r + (j + 0.5) / POINTS) * cell[1] - w->half[1] - centre[1];
      sum += fmax(0.0, 1.0 - sqrt(x * x + y * y + centre[2] * centre[2]) / w->size);
    }
  return w->modulus * sum * cell[0] * cell[1] / (POINTS * POINTS);
}

static void cells_follow_the_pressure_of_a_sphere(void **state) {
  (void)state;
  enum { TRIALS = TEST_WATCHED ? 3 : 12 };
  unsigned long seed = 5;
  double sum = 0.0;
  for (int trial = 0; trial < TRIALS; ++trial) {
    skin_world w = draw(&seed, "sphere", 0.0);
    step_some(&w, 1500);
    double centre[3], error = 0.0, whole = 0.0;
    limpet_mat3_tmul_vec(centre, w.rotation, w.data->q);
    const double area = 4.0 * w.half[0] * w.half[1] / (w.rows * w.columns);
    for (int r = 0; r < w.rows; ++r)
      for (int c = 0; c < w.columns; ++c) {
        const double exact = sphere_on_cell(&w, centre, r, c);
        error += fabs(area * w.data->sensor[3 * (r * w.columns + c)] - exact), whole += exact;
      }
    double most = 0.0;
    for (int k = 0; k < w.data->contact_count; ++k) most = fmax(most, w.data->contact_area[k]);
    const double s = 0.5 * sqrt(most), a = sqrt(w.data->surface_area[0] / LIMPET_PI);
    const double bound =
        s / fmin(a, 2.0 * w.half[0] / w.columns) + s / fmin(a, 2.0 * w.half[1] / w.rows);
    if (!(error < bound * whole))
      fail_msg("%d x %d cells: off by %.3g of the force, bound %.3g", w.rows, w.columns,
               error / whole, bound);
    sum += error / whole;
    release(&w);
  }
  assert_true(sum / TRIALS < 0.06);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(sums_are_those_of_the_surface),
                                     cmocka_unit_test(cells_follow_the_pressure_of_a_sphere)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
