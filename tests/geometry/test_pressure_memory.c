/* tests/geometry/test_pressure_memory.c: what a query keeps of the one before changes no bit.
 *
 * Two meshes, both of tetrahedra or one of them a rigid boundary, walk over each other in steps of
 * random size on a log scale, from far below the slack of a list to far above it, and with a reach
 * that changes: lists are made, hold, run out and are left alone. Each surface is compared with
 * that of a query that keeps nothing. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "closed_meshes.h"
#include "effort.h"
#include "geometry/pressure_memory.h"
#include "limpet/pressure.h"
#include "math/quaternion.h"
#include "math/vec3.h"
#include "shared_data.h"

enum { WALKS = 4, STEPS = 150 };

static limpet_pressure_field *torus(double modulus) {
  test_mesh *mesh = calloc(1, sizeof *mesh);
  test_mesh_torus(mesh, 24, 12, 0.05, 0.015);
  limpet_pressure_material material = limpet_pressure_material_default();
  material.modulus = modulus, material.size = 0.008;
  limpet_error error = {0};
  limpet_pressure_field *field = limpet_pressure_field_of_triangles(
      mesh->vertices, mesh->vertex_count, mesh->faces, mesh->face_count, &material, &error);
  if (!field) fail_msg("%s", error.message);
  free(mesh);
  return field;
}

static void assert_same(const limpet_pressure_surface *s, const limpet_pressure_surface *t) {
  assert_int_equal(s->point_count, t->point_count);
  assert_int_equal(s->polygon_count, t->polygon_count);
  assert_memory_equal(s->force, t->force, sizeof s->force);
  assert_memory_equal(s->moment, t->moment, sizeof s->moment);
  for (int k = 0; k < s->point_count; ++k)
    assert_memory_equal(s->point[k].position, t->point[k].position, sizeof s->point[k].position);
}

// One step of a walk: B moves and turns by up to `size` [m], [rad].
static void wander(unsigned long *seed, double size, double place[3], double turn[4]) {
  double w[3];
  for (int i = 0; i < 3; ++i) {
    // back to where the rings overlap by 3 mm
    place[i] += size * random_uniform(seed, -1.0, 1.0) + 0.02 * ((i == 2 ? 0.027 : 0.0) - place[i]);
    w[i] = random_uniform(seed, -1.0, 1.0);
  }
  limpet_quaternion_integrate(turn, w, size);
  limpet_quaternion_normalize(turn);
}

static int lists_used(const limpet_pressure_surface *s) {
  return s->workspace->memory_count > 0 && s->workspace->memory_room > 0;
}

static void bits_do_not_depend_on_memory(void **state) {
  (void)state;
  limpet_pressure_field *soft = torus(1e6), *softer = torus(3e5), *hard = torus(INFINITY);
  limpet_pressure_surface *keeps = limpet_pressure_surface_create(NULL),
                          *forgets = limpet_pressure_surface_create(NULL);
  const limpet_pressure_field *pairs[WALKS][2] = {
      {soft, softer}, {soft, hard}, {hard, soft}, {softer, soft}};
  const double origin[3] = {0.0, 0.0, 0.0}, upright[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1};
  unsigned long seed = 5;
  int touching = 0;
  for (int walk = 0; walk < WALKS; ++walk) {
    double place[3] = {0.001, 0.002, 0.027}, turn[4] = {1, 0, 0, 0}, rotation[9];
    for (int k = 0; k < test_effort(STEPS, STEPS / 8); ++k) {
      wander(&seed, pow(10.0, random_uniform(&seed, -8.0, -2.5)), place, turn);
      limpet_quaternion_to_matrix(rotation, turn);
      const limpet_pressure_body a = {pairs[walk][0], origin, upright},
                                 b = {pairs[walk][1], place, rotation};
      limpet_pressure_query query = limpet_pressure_query_default();
      query.reach = k % 3 ? random_uniform(&seed, 0.0, 1e-3) : 0.0;
      assert_int_equal(limpet_pressure_surface_compute(forgets, &a, &b, &query), LIMPET_OK);
      query.pair = (uint64_t)walk + 1;
      assert_int_equal(limpet_pressure_surface_compute(keeps, &a, &b, &query), LIMPET_OK);
      assert_same(forgets, keeps);
      touching += keeps->force[2] != 0.0;
    }
  }
  assert_true(lists_used(keeps) && touching > WALKS * test_effort(STEPS, STEPS / 8) / 2);
  limpet_pressure_surface_destroy(keeps), limpet_pressure_surface_destroy(forgets);
  limpet_pressure_field_destroy(soft), limpet_pressure_field_destroy(softer);
  limpet_pressure_field_destroy(hard);
}

// Bodies that hardly move: the list is made once, and queries allocate nothing.
static void steady_queries_keep_their_list(void **state) {
  (void)state;
  limpet_pressure_field *soft = torus(1e6);
  limpet_pressure_surface *s = limpet_pressure_surface_create(NULL);
  const double origin[3] = {0.0, 0.0, 0.0}, upright[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1};
  limpet_pressure_query query = limpet_pressure_query_default();
  query.pair = 7;
  double place[3] = {0.0, 0.0, 0.027};
  const limpet_pressure_body a = {soft, origin, upright}, b = {soft, place, upright};
  int growth = 0;
  for (int k = 0; k < 20; ++k) {
    place[2] -= 1e-7;
    limpet_pressure_surface_compute(s, &a, &b, &query);
    if (k == 3) growth = s->growth_count;
  }
  assert_true(s->point_count > 50);
  assert_int_equal(s->growth_count, growth);
  assert_int_equal(s->workspace->memory_count, 1);
  limpet_pressure_frame now = limpet_pressure_frame_of(&b, &a);
  limpet_pressure_recall recall;
  s->workspace->query = &query, s->workspace->a = &a, s->workspace->b = &b;
  assert_non_null(limpet_pressure_memory_of(s, &now, &recall));
  assert_int_equal(recall, LIMPET_PRESSURE_LISTED);
  limpet_pressure_surface_destroy(s);
  limpet_pressure_field_destroy(soft);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(bits_do_not_depend_on_memory),
      cmocka_unit_test(steady_queries_keep_their_list),
  };
  return cmocka_run_group_tests_name("pressure memory", tests, NULL, NULL);
}
