/* tests/step/test_soft_meet.c: soft bodies that meet each other: no part of one may be inside the
 * other, whether a corner, an edge or a face of it comes first. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "effort.h"
#include "math/vec3.h"
#include "mjcf_world.h"
#include "random_models.h"
#include "soft_overlap.h"

static double between_log(unsigned long *seed, double low, double high) {
  return exp(random_uniform(seed, log(low), log(high)));
}

// One of a pair, drawn at random, its centre at `x`.
static int soft_text(unsigned long *seed, const char *type, double x, char *to, size_t room) {
  const double young = between_log(seed, 1e4, 1e6), nu = random_uniform(seed, 0.0, 0.45);
  double size[3], turn[3], beside[2];
  for (int k = 0; k < 3; ++k) size[k] = random_uniform(seed, .012, .03);
  for (int k = 0; k < 3; ++k) turn[k] = random_uniform(seed, -180, 180);
  for (int k = 0; k < 2; ++k) beside[k] = random_uniform(seed, -.008, .008);
  const double friction = random_uniform(seed, 0.0, 1.0);
  return snprintf(to, room,
                  "<limpet:deformable type='%s' size='%g %g %g' cells='3 3 3' euler='%g %g %g' "
                  "pos='%g %g %g' young='%g' poisson='%g' damping='.002' friction='%g'/>",
                  type, size[0], size[1], size[2], turn[0], turn[1], turn[2], x, beside[0],
                  beside[1], young, nu, friction);
}

typedef struct pair_result {
  double deep;  // [m]  largest overlap of all steps
  double way;   // [m]  towards each other in a step
  int touched, unsolved;
} pair_result;

// Two soft things thrown at each other.
static pair_result thrown(unsigned long *seed, int number) {
  static const char *const kinds[] = {"ellipsoid", "box"};
  char text[2048], a[512], b[512];
  soft_text(seed, kinds[number % 2], -.055, a, sizeof a);
  soft_text(seed, kinds[number / 2 % 2], .055, b, sizeof b);
  const double speed = between_log(seed, 0.1, 2.0), dt = between_log(seed, 5e-4, 4e-3);
  snprintf(text, sizeof text,
           "<mujoco><option timestep='%g' gravity='0 0 0'/><worldbody>%s%s</worldbody></mujoco>",
           dt, a, b);
  mjcf_world w = mjcf_world_of(text, NULL);
  for (int i = 0; i < w.model->vertex_count; ++i)
    w.data->vertex_velocity[3 * i] = i < w.model->deformable_vertex[1] ? speed : -speed;
  pair_result r = {.way = 2.0 * speed * dt};
  const int steps = (int)fmin(0.15 / (speed * dt), 400.0);
  for (int i = 0; i < steps; ++i) {
    r.unsolved += limpet_step(w.model, w.data, &w.settings) != LIMPET_OUTCOME_SOLVED;
    r.deep = fmax(r.deep, soft_overlap(&w, 0, 1));
    r.touched += w.data->info.touching_count > 0;
  }
  mjcf_world_destroy(&w);
  return r;
}

/* Contacts are those of the start of a step, and surfaces turn during it: what is inside at its end
 * is a part of its way. */
static void nothing_gets_inside(void **state) {
  (void)state;
  unsigned long seed = 15;
  for (int i = 0; i < test_effort(16, 4); ++i) {
    const pair_result r = thrown(&seed, i);
    if (!(r.deep < 1e-4 + 0.1 * r.way)) fail_msg("pair %d: %g m deep", i, r.deep);
    if (r.unsolved) fail_msg("pair %d: %d steps unsolved", i, r.unsolved);
    if (r.touched == 0) fail_msg("pair %d never touched", i);
  }
}

// A bar lies across another one, edge on edge: no vertex is near any face.
static void bars_rest_edge_on_edge(void **state) {
  (void)state;
  mjcf_world w = mjcf_world_of(
      "<mujoco><option timestep='0.002'/><worldbody>"
      "<limpet:deformable type='box' size='.06 .01 .01' cells='3 1 1' euler='45 0 0' "
      "young='1e6' damping='.01'><limpet:tie box='-1 -1 -1 -.0599 1 1'/>"
      "<limpet:tie box='.0599 -1 -1 1 1 1'/></limpet:deformable>"
      "<limpet:deformable type='box' size='.06 .01 .01' cells='3 1 1' pos='.011 0 .03' "
      "euler='45 0 80' young='1e6' damping='.01'/></worldbody></mujoco>",
      NULL);
  double deep = 0.0;
  int touched = 0;
  for (int i = 0; i < 60; ++i) {
    mjcf_world_step(&w);
    deep = fmax(deep, soft_overlap(&w, 0, 1));
    touched += w.data->info.touching_count > 0;
  }
  if (!(deep < 2e-5)) fail_msg("%g m deep", deep);
  assert_true(touched > 5);
  mjcf_world_destroy(&w);
}

/* A stack that falls together: bodies do not approach each other until the lowest one is stopped,
 * and then they do within one step. Nothing gets inside, and it comes to rest: to 1e-6 m/s after a
 * second, with `similar`, which creeps the longest, to 1e-5. */
static void a_falling_stack_lands_and_rests(void **state) {
  (void)state;
  static const char *const models[] = {"coulomb", "lagged", "similar"};
  static const double still[] = {1e-6, 1e-6, 1e-6};  // [m/s]
  for (int m = 0; m < test_effort(3, 1); ++m) {
    mjcf_world w = mjcf_world_of(
        "<mujoco><option timestep='0.01'/><worldbody><geom type='plane' size='1 1 1'/>"
        "<limpet:deformable type='box' size='.018 .018 .018' cells='3 3 3' pos='0 0 .01816' "
        "young='2.5e5' poisson='.15' density='380' damping='8e-4'/>"
        "<limpet:deformable type='box' size='.018 .018 .018' cells='3 3 3' pos='0 0 .0545' "
        "young='2.5e5' poisson='.15' density='380' damping='8e-4'/>"
        "<limpet:deformable type='box' size='.018 .018 .018' cells='3 3 3' pos='0 0 .0908' "
        "young='2.5e5' poisson='.15' density='380' damping='8e-4'/></worldbody></mujoco>",
        NULL);
    w.settings.contact_model = limpet_contact_model_find(models[m]);
    double deep = 0.0, fastest = 0.0;
    for (int i = 0; i < 100; ++i) {
      mjcf_world_step(&w);
      deep = fmax(deep, fmax(soft_overlap(&w, 0, 1), soft_overlap(&w, 1, 2)));
    }
    for (int i = 0; i < 3 * w.model->vertex_count; ++i)
      fastest = fmax(fastest, fabs(w.data->vertex_velocity[i]));
    if (!(deep < 1e-4)) fail_msg("%s: %g m deep", models[m], deep);
    if (!(fastest < still[m])) fail_msg("%s: still moves by %g m/s after 1 s", models[m], fastest);
    mjcf_world_destroy(&w);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(nothing_gets_inside),
                                     cmocka_unit_test(bars_rest_edge_on_edge),
                                     cmocka_unit_test(a_falling_stack_lands_and_rests)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
