/* tests/laws/test_random_worlds.c: random worlds (random_worlds.h) against laws that no drawing
 * changes, by the results that a caller reads.
 *
 *   numbers    all finite, no step failed
 *   friction   of a solved step with the default model: in the cone, and against the slip where a
 *              contact slides, mu N of it; slip from the velocities of the bodies, not from the
 *              results of contacts
 *   momentum   of each body that is alone: gravity and the forces of its contacts change it
 *   energy     E(t) - (work, returns and rises that steps told) does not rise
 *
 * With arguments the program is a search: test_random_worlds FIRST COUNT [STEPS] prints a line for
 * each world. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "effort.h"
#include "limpet/dynamics.h"
#include "math/vec3.h"
#include "random_worlds.h"
#include "shared_data.h"

static const double carries = 1e-3;  // [-]  of the largest force of a step

typedef struct account {
  int steps, outcomes[LIMPET_OUTCOME_COUNT], iterations, most_iterations;
  bool finite;
  double cone, short_of, turned;  // [-]  of mu N: outside, missing, missing against the slip
  double told;                    // [-]  what info told of friction, of solved steps
  double velocity;                // [m/s]  of contacts, off that of their bodies
  double momentum;                // [-]  of bodies alone, over m v + impulses
  double kinetic, risen, returned, gained;  // [J]  largest; sums; largest rise that nobody told
  double lead;                              // [J]  largest swing of an energy half a step ahead
  double overlap, sunk;                     // [m]  told; deepest in the end
  int worst_step;
} account;

// A second world that is posed at the start of a step with the velocities of its end.
typedef struct shadow {
  limpet_data *data;
  double *q, *v;
} shadow;

static void velocity_at(const limpet_model *model, const limpet_data *data, int body,
                        const double p[3], double v[3]) {
  limpet_vec3_set(v, 0.0, 0.0, 0.0);
  if (model->body_tree[body] < 0) return;
  const double *V = data->body_velocity + 6 * body;
  double arm[3];
  limpet_vec3_sub(arm, p, data->tree_origin + 3 * model->body_tree[body]);
  limpet_vec3_cross(v, V, arm);
  limpet_vec3_add(v, v, V + 3);
}

static void slip_of(const mjcf_world *w, const shadow *s, int contact, double u[3]) {
  const limpet_data *data = w->data;
  double a[3], b[3];
  const int *geom = data->contact_geom + 2 * contact;
  velocity_at(w->model, s->data, w->model->geom_body[geom[0]], data->contact_position + 3 * contact,
              a);
  velocity_at(w->model, s->data, w->model->geom_body[geom[1]], data->contact_position + 3 * contact,
              b);
  limpet_vec3_sub(b, b, a);
  limpet_mat3_mul_vec(u, data->contact_frame + 9 * contact, b);
}

static void check_contacts(const mjcf_world *w, const shadow *s, account *all) {
  const limpet_data *data = w->data;
  memcpy(s->data->q, s->q, (size_t)w->model->nq * sizeof(double));
  memcpy(s->data->v, data->v, (size_t)w->model->nv * sizeof(double));
  limpet_kinematics(w->model, s->data);
  limpet_velocity_kinematics(w->model, s->data);
  double most = 0.0;
  for (int i = 0; i < data->contact_count; ++i) most = fmax(most, data->contact_force[3 * i + 2]);
  for (int i = 0; i < data->contact_count; ++i) {
    const double *f = data->contact_force + 3 * i, *told = data->contact_velocity + 3 * i;
    double u[3];
    slip_of(w, s, i, u);
    all->velocity = fmax(all->velocity, limpet_vec3_distance(u, told) /
                                            (1e-3 + limpet_vec3_norm(u) + limpet_vec3_norm(told)));
    if (!(fmax(f[2], hypot(f[0], f[1])) > carries * most)) continue;
    const double bound = data->contact_friction[i] * fmax(f[2], 0.0),
                 slip = hypot(told[0], told[1]);
    const double T = hypot(f[0], f[1]);
    all->cone = fmax(all->cone, T / fmax(bound, 1e-300) - 1.0);
    if (slip < fmax(1e-3, 10.0 * data->contact_slip_speed[i])) continue;
    all->short_of = fmax(all->short_of, 1.0 - T / bound);
    const double missing = 1.0 + (f[0] * told[0] + f[1] * told[1]) / (slip * bound);
    all->turned = fmax(all->turned, missing);
  }
}

static double work_of(const mjcf_world *w, const shadow *s) {
  double sum = 0.0;
  for (int d = 0; d < w->model->nv; ++d)
    sum +=
        0.5 * w->settings.time_step * w->data->actuator_joint_force[d] * (s->v[d] + w->data->v[d]);
  return sum;
}

// Bodies that are trees of their own on a free joint: m (v1 - v0) = dt (m g + sum of forces).
static void check_momentum(const mjcf_world *w, const shadow *s, account *all) {
  const limpet_model *model = w->model;
  const limpet_data *data = w->data;
  if (model->loop_count > 0) return;
  const double dt = w->settings.time_step;
  for (int t = 0; t < model->tree_count; ++t) {
    const int body = model->tree_body[t], d = model->tree_dof[t];
    if (model->tree_body_count[t] != 1 || model->tree_dof_count[t] != 6) continue;
    double p[3], scale = 0.0;
    const double m = model->body_mass[body];
    for (int k = 0; k < 3; ++k) p[k] = m * (data->v[d + k] - s->v[d + k]);
    scale += m * (limpet_vec3_norm(data->v + d) + limpet_vec3_norm(s->v + d));
    limpet_vec3_addmul(p, p, -dt * m, model->options.gravity);
    for (int i = 0; i < data->contact_count; ++i) {
      const int a = model->geom_body[data->contact_geom[2 * i]],
                b = model->geom_body[data->contact_geom[2 * i + 1]];
      if (a != body && b != body) continue;
      double f[3];
      limpet_mat3_tmul_vec(f, data->contact_frame + 9 * i, data->contact_force + 3 * i);
      limpet_vec3_addmul(p, p, b == body ? -dt : dt, f);
      scale += dt * limpet_vec3_norm(f);
    }
    if (scale > 0.0) all->momentum = fmax(all->momentum, limpet_vec3_norm(p) / scale);
  }
}

static bool has_numbers(const mjcf_world *w) {
  for (int i = 0; i < w->model->nq; ++i)
    if (!isfinite(w->data->q[i])) return false;
  for (int i = 0; i < w->model->nv; ++i)
    if (!isfinite(w->data->v[i])) return false;
  for (int i = 0; i < 3 * w->data->contact_count; ++i)
    if (!isfinite(w->data->contact_force[i])) return false;
  return true;
}

static double energy_of(const limpet_step_info *info) {
  return info->kinetic_energy + info->potential_energy + info->contact_energy +
         info->constraint_energy;
}

// [J]  by which positions that move half a step ahead may swing: the power of weight and springs.
static double lead_of(const mjcf_world *w) {
  const limpet_model *model = w->model;
  double power = 0.0;
  for (int b = 1; b < model->body_count; ++b) {
    double v[3];
    velocity_at(model, w->data, b, w->data->body_com + 3 * b, v);
    power += fabs(model->body_mass[b] * limpet_vec3_dot(model->options.gravity, v));
  }
  for (int d = 0; d < model->nv; ++d) power += fabs(w->data->spring_force[d] * w->data->v[d]);
  return 0.5 * w->settings.time_step * power;
}

typedef struct energy_record {
  double told, lowest;  // [J]  sum of work, returns and rises; of E - told
  bool begun;
} energy_record;

static void check_energy(const mjcf_world *w, const shadow *s, energy_record *r, account *all,
                         int step) {
  const limpet_step_info *info = &w->data->info;
  const double E = energy_of(info);
  if (r->begun) {
    r->told += work_of(w, s) + info->return_work + info->energy_rise;
    const double more = E - r->told - r->lowest;
    if (more > all->gained) all->gained = more, all->worst_step = step;
    r->lowest = fmin(r->lowest, E - r->told);
  } else {
    r->lowest = E, r->begun = true;
  }
  all->kinetic = fmax(all->kinetic, info->kinetic_energy);
  all->risen += info->energy_rise, all->returned += info->return_work;
  all->lead = fmax(all->lead, lead_of(w));
}

static account run(const random_world *world, int steps) {
  mjcf_world w = random_world_make(world);
  account all = {.finite = true};
  energy_record energy = {0};
  shadow s = {.data = limpet_data_create(w.model),
              .q = zero_array((size_t)w.model->nq),
              .v = zero_array((size_t)w.model->nv)};
  assert_non_null(s.data);
  for (int i = 0; i < steps && all.finite; ++i) {
    memcpy(s.q, w.data->q, (size_t)w.model->nq * sizeof(double));
    memcpy(s.v, w.data->v, (size_t)w.model->nv * sizeof(double));
    const limpet_outcome outcome = limpet_step(w.model, w.data, &w.settings);
    ++all.steps, ++all.outcomes[outcome];
    all.iterations += w.data->info.iterations;
    if (w.data->info.iterations > all.most_iterations)
      all.most_iterations = w.data->info.iterations;
    all.finite = has_numbers(&w);
    if (outcome == LIMPET_OUTCOME_SOLVED) {
      all.told = fmax(all.told, w.data->info.friction_departure);
      check_contacts(&w, &s, &all);
      check_momentum(&w, &s, &all);
    }
    all.overlap = fmax(all.overlap, w.data->info.overlap_made);
    check_energy(&w, &s, &energy, &all, i);
  }
  all.sunk = w.data->info.deepest_penetration;
  limpet_data_destroy(s.data);
  free(s.q), free(s.v);
  mjcf_world_destroy(&w);
  return all;
}

static void print_account(const random_world *world, unsigned long seed, const account *a) {
  int unsolved = 0;
  for (int k = 1; k < LIMPET_OUTCOME_COUNT; ++k) unsolved += a->outcomes[k];
  printf(
      "%lu %s dt=%.3g it=%.1f/%d unsolved=%d(%d,%d,%d,%d,%d) finite=%d cone=%.2g short=%.2g "
      "turned=%.2g told=%.2g vel=%.2g mom=%.2g kin=%.3g risen=%.3g returned=%.3g gained=%.3g "
      "lead=%.3g at=%d made=%.2g sunk=%.2g%s%s%s%s%s%s%s%s%s%s%s%s%s\n",
      seed, world->contact_model, world->dt, (double)a->iterations / a->steps, a->most_iterations,
      unsolved, a->outcomes[1], a->outcomes[2], a->outcomes[3], a->outcomes[5], a->outcomes[6],
      a->finite, a->cone, a->short_of, a->turned, a->told, a->velocity, a->momentum, a->kinetic,
      a->risen, a->returned, a->gained, a->lead, a->worst_step, a->overlap, a->sunk,
      world->slab ? " slab" : "", world->tilted ? " tilted" : "",
      world->weightless ? " weightless" : "", world->stacked ? " stacked" : "",
      world->selfish ? " selfish" : "", world->springs ? " springs" : "",
      world->dampers ? " dampers" : "", world->dry ? " dry" : "", world->limits ? " limits" : "",
      world->armature ? " armature" : "", world->tendons ? " tendons" : "",
      world->loops ? " loops" : "", world->driven ? " driven" : "");
}

static int search(unsigned long first, int count, int steps) {
  static random_world world;
  for (int i = 0; i < count; ++i) {
    random_world_draw(&world, first + (unsigned long)i);
    const account a = run(&world, steps);
    print_account(&world, first + (unsigned long)i, &a);
    fflush(stdout);
  }
  return 0;
}

// What holds of any world with the default model, of others but for friction.
static void check(const random_world *world, const account *a) {
  assert_true(a->finite);
  assert_int_equal(a->outcomes[LIMPET_OUTCOME_NUMERICAL_FAILURE], 0);
  assert_true(a->gained <= 1.1 * a->lead + 1e-9 * a->kinetic);
  if (strcmp(world->contact_model, "coulomb") != 0) return;
  assert_true(a->cone < 1e-6 && a->short_of < 1e-5 && a->turned < 1e-5);
  assert_true(a->momentum < 1e-3);  // of light bodies: an island is solved to 1e-6 of its own
  assert_int_equal(a->steps, a->outcomes[LIMPET_OUTCOME_SOLVED]);
}

static void random_worlds_keep_the_laws(void **state) {
  (void)state;
  static random_world world;
  for (unsigned long seed = 1; seed <= 20; seed += (unsigned long)test_effort(1, 5)) {
    random_world_draw(&world, seed);
    const account a = run(&world, 100);
    check(&world, &a);
  }
}

/* Light links between heavy ones: their joints turn by 0.05 rad in a step, and M and bias in the
 * middle of the step are those of another motion. Without a bound of what a tree gains there, these
 * worlds gain 0.11 to 0.75 of their kinetic energy, and no less with shorter steps. */
static void light_links_between_heavy_ones_make_no_energy(void **state) {
  (void)state;
  static random_world world;
  static const unsigned long seeds[] = {129, 267, 432, 642};
  for (int i = 0; i < 4; i += test_effort(1, 3)) {
    random_world_draw(&world, seeds[i]);
    const account a = run(&world, 200);
    printf("world %lu, %s: risen %.3g of the kinetic energy\n", seeds[i], world.contact_model,
           a.risen / a.kinetic);
    assert_true(a.risen < 0.2 * a.kinetic);
  }
}

/* Steps in which few contacts of trees, and rows of limits, loops or servos, are hard to tell from
 * each other: each is solved, by pivoting or at the round-off of stiff loops. */
static void few_hard_contacts_of_trees_are_solved(void **state) {
  (void)state;
  static random_world world;
  static const struct {
    unsigned long seed;
    int steps;
  } hard[] = {{24, 142}, {335, 81}, {565, 109}, {639, 60}, {801, 103}, {1577, 200}};
  for (int i = 0; i < (int)(sizeof hard / sizeof *hard); ++i) {
    random_world_draw(&world, hard[i].seed);
    const account a = run(&world, hard[i].steps);
    check(&world, &a);
  }
}

/* A light link between heavy ones that touch: its joints turn by a fifth of a radian in a step, and
 * more in each, which no division of the step follows. Its motion without contacts would have 500
 * times the energy that there was; contacts that stop it would throw the tree. */
static void what_whips_in_contact_makes_no_energy(void **state) {
  (void)state;
  static random_world world;
  static const struct {
    unsigned long seed;
    int steps;
  } whipped[] = {{264, 150}, {1678, 170}};
  for (int i = 0; i < 2; ++i) {
    random_world_draw(&world, whipped[i].seed);
    const account a = run(&world, whipped[i].steps);
    check(&world, &a);
    printf("world %lu: risen %.3g of the kinetic energy\n", whipped[i].seed, a.risen / a.kinetic);
    assert_true(a.risen < 0.05 * a.kinetic);
  }
}

/* Heavy links that joints of light ones carry by motions that cancel, on contacts of up to 1.3e9
 * N/m: what a step slows down after its solve must not press them in. World 3653 stored 15 MJ in
 * contacts, of 4 kJ that there were, and each step said solved. */
static void braked_trees_press_no_contacts(void **state) {
  (void)state;
  static random_world world;
  static const struct {
    unsigned long seed;
    double rises;  // [-]  of the kinetic energy, at most
  } braked[] = {{3121, 40.0}, {3288, 0.1}, {3653, 0.2}};
  for (int i = 0; i < 3; ++i) {
    random_world_draw_materials(&world, braked[i].seed);
    mjcf_world w = random_world_make(&world);
    double kinetic = 0.0, stored = 0.0, risen = 0.0, potential = 0.0;
    for (int k = 0; k < 200; ++k) {
      assert_int_equal(limpet_step(w.model, w.data, &w.settings), LIMPET_OUTCOME_SOLVED);
      kinetic = fmax(kinetic, w.data->info.kinetic_energy), risen += w.data->info.energy_rise;
      potential = fmax(potential, w.data->info.potential_energy);
      stored = fmax(stored, w.data->info.contact_energy);
    }
    printf("world %lu: risen %.3g of the kinetic energy, %.3g J in contacts of %.3g J\n",
           braked[i].seed, risen / kinetic, stored, kinetic + potential);
    // 110, 0.31 and 57,000 where nothing brakes; paths of 3121, by 0.1 rad in a step, are curved
    assert_true(risen < braked[i].rises * kinetic);
    assert_true(stored < kinetic + fabs(potential));
    mjcf_world_destroy(&w);
  }
}

/* Bodies on contacts of given stiffness that end a step deeper than its velocities told: their
 * trees were slowed down there, or joints turned them on curved paths. The next step begins with
 * that energy, and tells it. */
static void what_ends_deeper_than_solved_for_is_told(void **state) {
  (void)state;
  static random_world world;
  static const unsigned long seeds[] = {3121, 3644, 3846};
  for (int i = 0; i < 3; ++i) {
    random_world_draw_materials(&world, seeds[i]);
    const account a = run(&world, i == 1 ? 60 : 30);
    printf("world %lu: risen %.3g J, and %.3g J that nobody told, of %.3g J\n", seeds[i], a.risen,
           a.gained, a.kinetic);
    assert_true(a.gained < 0.02 * (a.risen + a.kinetic) + 1.1 * a.lead);
  }
}

/* A tree that hangs in the world by servos takes M and bias at the start of the step: whipped by
 * its light links on the ground it gained 0.45 of the kinetic energy. */
static void driven_trees_in_contact_make_no_energy(void **state) {
  (void)state;
  static random_world world;
  random_world_draw_materials(&world, 3103);
  const account a = run(&world, 80);
  printf("world 3103: risen %.3g of the kinetic energy\n", a.risen / a.kinetic);
  assert_true(a.risen < 0.02 * a.kinetic);
}

/* Trees that leave the ground by impulses of limits and springs of their joints: their first joint
 * turns by what joints leave it of the momentum, and their weight does not lead. World 3899 fell by
 * 4 mm into the ground in a step, where contacts that are not rigid stored 190 J of 0.4 J. */
static void joints_of_what_leaves_the_ground_make_no_energy(void **state) {
  (void)state;
  static random_world world;
  static const unsigned long seeds[] = {521, 3899};
  for (int i = 0; i < 2; ++i) {
    if (i == 0) random_world_draw(&world, seeds[i]);
    else random_world_draw_materials(&world, seeds[i]);
    const account a = run(&world, 150);
    printf("world %lu: risen %.3g of the kinetic energy, overlap of %.3g m made\n", seeds[i],
           a.risen / a.kinetic, a.overlap);
    assert_true(a.risen < 0.01 * a.kinetic);
    assert_true(a.gained <= 1.1 * a.lead + 1e-9 * a.kinetic);
  }
}

int main(int count, char **argument) {
  if (count > 2)
    return search(strtoul(argument[1], NULL, 10), atoi(argument[2]),
                  count > 3 ? atoi(argument[3]) : 200);
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(random_worlds_keep_the_laws),
      cmocka_unit_test(light_links_between_heavy_ones_make_no_energy),
      cmocka_unit_test(few_hard_contacts_of_trees_are_solved),
      cmocka_unit_test(what_whips_in_contact_makes_no_energy),
      cmocka_unit_test(braked_trees_press_no_contacts),
      cmocka_unit_test(what_ends_deeper_than_solved_for_is_told),
      cmocka_unit_test(driven_trees_in_contact_make_no_energy),
      cmocka_unit_test(joints_of_what_leaves_the_ground_make_no_energy)};
  return cmocka_run_group_tests_name("random_worlds", tests, NULL, NULL);
}
