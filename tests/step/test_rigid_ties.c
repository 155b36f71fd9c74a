/* tests/step/test_rigid_ties.c: vertices that are tied to one body move as a part of it
 * (settings.rigid_ties), against ties of single vertices, whose law they have without what those
 * give way. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "math/quaternion.h"
#include "math/vec3.h"
#include "mjcf_text.h"
#include "mjcf_world.h"

// A body that moves with a soft box: `ties` of it, `law`; above a plane that it may touch.
#define HAND(law, ties, height)                                                            \
  "<mujoco><option timestep='0.002'/><worldbody><geom type='plane' size='1 1 .1' "         \
  "limpet:stiffness='2e3' limpet:dissipation='5' friction='0'/>"                           \
  "<body name='hand' pos='0 0 " height                                                     \
  "'><freejoint/><geom type='box' size='.06 .06 .01' "                                     \
  "mass='0.5'/></body><limpet:deformable type='box' size='.03 .03 .05' cells='2 2 3' "     \
  "pos='0 0 " height "' euler='.1 .2 0' young='2e5' damping='.003' friction='0' law='" law \
  "'>" ties "</limpet:deformable></worldbody></mujoco>"
#define TOP "<limpet:tie body='hand' box='-1 -1 .0499 1 1 1'/>"
#define SIDE "<limpet:tie body='hand' box='.0299 -1 -1 1 1 1'/>"
#define EDGE "<limpet:tie body='hand' box='.0299 -1 .0499 1 1 1'/>"

// Most that velocities of all vertices and joints differ after one step, over the fastest.
static double difference(const limpet_data *a, const limpet_data *b) {
  const limpet_model *model = a->model;
  double most = 0.0, fastest = 0.0;
  for (int i = 0; i < model->nv; ++i) most = fmax(most, fabs(a->v[i] - b->v[i]));
  for (int i = 0; i < 3 * model->vertex_count; ++i) {
    most = fmax(most, fabs(a->vertex_velocity[i] - b->vertex_velocity[i]));
    fastest = fmax(fastest, fabs(a->vertex_velocity[i]));
  }
  return most / fastest;
}

// Puts tied vertices to their places on the hand, of which ties leave them some dt^2 of a turn off.
static void put_in_place(limpet_data *data) {
  const limpet_model *model = data->model;
  double R[9], P[3];
  limpet_quaternion_to_matrix(R, data->q + 3);
  for (int t = 0; t < model->tie_count; ++t) {
    limpet_mat3_mul_vec(P, R, model->tie_position + 3 * t);
    limpet_vec3_add(data->vertex_position + 3 * model->tie_vertex[t], P, data->q);
  }
}

typedef struct comparison {
  double worst, force;  // of velocities; [N] of the force on a vertex
  int rows;             // fewest that rigid ties saved
} comparison;

// Steps from each state of a way that single ties lead, by both. ratio: how stiff those are.
static comparison compare(const char *text, double ratio, bool in_place) {
  mjcf_world single = mjcf_world_of(text, NULL), rigid = mjcf_world_of(text, NULL);
  single.settings.tolerance = rigid.settings.tolerance = 1e-9;
  single.settings.equality_ratio = rigid.settings.equality_ratio = ratio;
  single.settings.rigid_ties = false, rigid.settings.rigid_ties = true;
  single.data->v[2] = -0.3, single.data->v[3] = 3.0, single.data->v[5] = -6.0;
  const limpet_model *model = single.model;
  double *state = malloc((size_t)limpet_data_state_size(model) * sizeof *state);
  comparison found = {.rows = 1000};
  for (int i = 0; i < 40; ++i) {
    if (in_place) put_in_place(single.data);
    limpet_data_state_read(model, single.data, state);
    limpet_data_state_write(rigid.model, rigid.data, state);
    mjcf_world_step(&single);
    mjcf_world_step(&rigid);
    found.worst = fmax(found.worst, difference(single.data, rigid.data));
    for (int v = 0; v < model->vertex_count; ++v)
      found.force = fmax(found.force, limpet_vec3_distance(single.data->vertex_force + 3 * v,
                                                           rigid.data->vertex_force + 3 * v));
    const int saved = single.data->constraint_count - rigid.data->constraint_count;
    if (saved < found.rows) found.rows = saved;
  }
  free(state);
  mjcf_world_destroy(&single);
  mjcf_world_destroy(&rigid);
  return found;
}

/* What single ties give way falls with the square of their ratio: beta^2/(4 pi^2) of the speeds at
 * their ends is 2.5e-4 and 2.5e-6, times the share of the tied vertices in what moves. */
static void they_are_single_ties_that_do_not_give_way(void **state) {
  (void)state;
  static const struct {
    const char *text;
    bool in_place;
  } scenes[] = {
      {HAND("linear-corotated", TOP, ".2"), false},  // in flight
      // tied vertices land on the plane; what leads them back is not in their contacts
      {HAND("linear-corotated", SIDE, ".07"), true},
      {HAND("neo-hookean", TOP, ".08"), false},
      {HAND("linear-corotated", TOP "<limpet:tie body='world' vertices='0'/>", ".08"), false},
  };
  for (int i = 0; i < 4; ++i) {
    const comparison soft = compare(scenes[i].text, 1e-1, scenes[i].in_place),
                     stiff = compare(scenes[i].text, 1e-2, scenes[i].in_place);
    if (!(soft.worst < 1e-3 && stiff.worst < 1e-5 && stiff.worst < 0.05 * soft.worst))
      fail_msg("scene %d: velocities differ by %g and %g", i, soft.worst, stiff.worst);
    if (!(stiff.force < 1e-3)) fail_msg("scene %d: forces differ by %g N", i, stiff.force);
    assert_true(stiff.rows >= 3 * 9 - 6);
  }
}

// Momentum in flight, and that the tied vertices come back to their places.
static void momentum_stays(void **state) {
  (void)state;
  mjcf_world w = mjcf_world_of(
      "<mujoco><option timestep='0.001' gravity='0 0 0'/><worldbody>"
      "<body name='hand' pos='0 0 1'><freejoint/><geom type='box' size='.06 .06 .01' mass='0.5'/>"
      "</body><limpet:deformable type='box' size='.03 .03 .05' cells='2 2 3' pos='0 0 .94' "
      "young='2e5' damping='0.003'>" TOP "</limpet:deformable></worldbody></mujoco>",
      NULL);
  w.settings.rigid_ties = true;
  w.settings.tolerance = 1e-13;
  w.settings.energy = true;  // poses of bodies are those at the end
  w.data->v[0] = 0.5, w.data->v[4] = 2.0;
  const double *mass = limpet_fem_body_node_mass(w.model->deformable_body[0]);
  double gained[3] = {-0.5 * 0.5, 0.0, 0.0};
  mjcf_world_run(&w, 0.4);
  limpet_vec3_addmul(gained, gained, 0.5, w.data->v);
  for (int i = 0; i < w.model->vertex_count; ++i)
    limpet_vec3_addmul(gained, gained, mass[i], w.data->vertex_velocity + 3 * i);
  if (!(limpet_vec3_norm(gained) < 1e-10)) fail_msg("%g N s gained", limpet_vec3_norm(gained));
  double worst = 0.0, P[3];
  for (int t = 0; t < w.model->tie_count; ++t) {
    const int body = w.model->tie_body[t];
    limpet_mat3_mul_vec(P, w.data->body_rotation + 9 * body, w.model->tie_position + 3 * t);
    limpet_vec3_add(P, P, w.data->body_position + 3 * body);
    worst =
        fmax(worst, limpet_vec3_distance(P, w.data->vertex_position + 3 * w.model->tie_vertex[t]));
  }
  // dt^2 times the centripetal acceleration of 2 rad/s at 0.1 m, some times
  if (!(worst < 1e-5)) fail_msg("ties are open by %g m", worst);
  mjcf_world_destroy(&w);
}

// The hand on a slide carries a block: ties pull with its weight, and so do the forces of vertices.
static void a_scale_feels_what_hangs_on_it(void **state) {
  (void)state;
  const double weight = 9.81 * 0.06 * 0.06 * 0.1 * 1000.0;
  mjcf_world w = mjcf_world_of(
      MODEL("<worldbody><body name='hand' pos='.5 0 1'><joint type='slide' axis='1 0 0' "
            "damping='1'/><geom type='box' size='.05 .05 .02' mass='1'/><site name='s'/>"
            "<limpet:deformable type='box' size='.03 .03 .05' cells='2 2 3' pos='0 0 -.07' "
            "young='1e6' density='1000' damping='.05'><limpet:tie box='-1 -1 .049 1 1 1'/>"
            "</limpet:deformable></body></worldbody><sensor><force site='s'/></sensor>"),
      NULL);
  w.settings.rigid_ties = true;
  mjcf_world_run(&w, 1.5);
  assert_int_equal(w.data->constraint_count, 6);
  double sum = 0.0;
  for (int t = 0; t < w.model->tie_count; ++t)
    sum += w.data->vertex_force[3 * w.model->tie_vertex[t] + 2];
  if (!(fabs(sum - weight) < 1e-3 * weight)) fail_msg("ties hold %g N, not %g", sum, weight);
  const double scale = w.data->sensor[2] - 9.81;
  if (!(fabs(scale - weight) < 1e-3 * weight))
    fail_msg("a scale reads %g N, not %g", scale, weight);
  mjcf_world_destroy(&w);
}

// Vertices in line cannot turn about it: their ties stay single. The same where it is not asked.
static void vertices_in_line_are_tied_one_by_one(void **state) {
  (void)state;
  mjcf_world w = mjcf_world_of(HAND("linear-corotated", EDGE, ".2"), NULL);
  w.settings.rigid_ties = true;
  mjcf_world_step(&w);
  assert_int_equal(w.data->constraint_count, 3 * 3);
  mjcf_world_destroy(&w);
  w = mjcf_world_of(HAND("linear-corotated", TOP, ".2"), NULL);
  w.settings.rigid_ties = false;
  mjcf_world_step(&w);
  assert_int_equal(w.data->constraint_count, 3 * 9);
  w.settings.rigid_ties = true;
  mjcf_world_step(&w);
  assert_int_equal(w.data->constraint_count, 6);
  w.settings.rigid_ties = false;
  mjcf_world_step(&w);
  assert_int_equal(w.data->constraint_count, 3 * 9);
  mjcf_world_destroy(&w);
}

// Iterations of all contact problems of a hand that lands on its soft pad.
static int iterations_of_landing(bool rigid_ties) {
  mjcf_world w = mjcf_world_of(
      "<mujoco><option timestep='0.009'/><worldbody><geom type='plane' size='1 1 .1'/>"
      "<body name='hand' pos='0 0 .055' euler='-4 3 2'><freejoint/>"
      "<geom type='box' size='.02 .02 .01' pos='0 0 .02' mass='1.2'/></body>"
      "<limpet:deformable type='box' size='.02 .02 .01' cells='3 4 3' pos='0 0 .055' "
      "euler='-4 3 2' young='1e5' poisson='0.48' damping='.004' friction='0.2' law='neo-hookean'>"
      "<limpet:tie body='hand' box='-1 -1 .0099 1 1 1'/></limpet:deformable></worldbody></mujoco>",
      NULL);
  w.settings.rigid_ties = rigid_ties;
  int iterations = 0, rounds = 0;
  for (int i = 0; i < 30; ++i) {
    mjcf_world_step(&w);
    iterations += w.data->info.newton_iterations;
    rounds += w.data->info.elastic_rounds;
  }
  assert_true(rounds > 30);
  mjcf_world_destroy(&w);
  return iterations;
}

// Each round begins at what the last one found, of sets as of vertices: they take as many.
static void rounds_go_on_from_the_last_one(void **state) {
  (void)state;
  const int rigid = iterations_of_landing(true), single = iterations_of_landing(false);
  if (!(rigid < 1.2 * single)) fail_msg("%d iterations with sets, %d without", rigid, single);
}

/* What rests begins each step where it ends: the set moves against the velocities that lead its
 * vertices back. */
static void rest_takes_no_iterations(void **state) {
  (void)state;
  mjcf_world w = mjcf_world_of(
      "<mujoco><option timestep='.0018838'/><worldbody><geom type='plane' size='1 1 .1' "
      "friction='.282'/><body name='hand' pos='0 0 .035965' euler='-28.212 -16.882 .321'>"
      "<freejoint/><geom type='box' size='.02 .02 .01' pos='0 0 .02' mass='.08366'/>"
      "<limpet:deformable type='box' size='.02 .02 .01' cells='4 3 1' young='828477' "
      "poisson='.012255' damping='.0055039' friction='.282'>"
      "<limpet:tie box='-1 -1 .0099 1 1 1'/></limpet:deformable></body></worldbody></mujoco>",
      NULL);
  w.settings.rigid_ties = true;
  mjcf_world_run(&w, 0.4);
  int iterations = 0;
  for (int i = 0; i < 20; ++i) {
    mjcf_world_step(&w);
    iterations += w.data->info.iterations;
  }
  if (iterations > 20) fail_msg("%d iterations in 20 steps of rest", iterations);
  mjcf_world_destroy(&w);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(they_are_single_ties_that_do_not_give_way),
      cmocka_unit_test(momentum_stays),
      cmocka_unit_test(a_scale_feels_what_hangs_on_it),
      cmocka_unit_test(vertices_in_line_are_tied_one_by_one),
      cmocka_unit_test(rounds_go_on_from_the_last_one),
      cmocka_unit_test(rest_takes_no_iterations),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
