/* tests/support/random_contacts.c: see random_contacts.h. */
#include "contact_settings.h"
#include "random_contacts.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "math/vec3.h"
#include "shared_data.h"

static void begin(random_contacts *r, const limpet_contact_model *model, int bodies, int contacts) {
  *r = (random_contacts){0};
  assert_true(bodies <= RANDOM_BODIES);
  limpet_arena_create(&r->arena, 1 << 22);
  for (int b = 0; b < bodies; ++b) {
    r->block[b] = (limpet_block){
        .kind = &limpet_block_tree, .dof = 6 * b, .size = 6, .matrix = r->A + 36 * b, .island = -1};
    for (int k = 0; k < 6; ++k) r->dof_block[6 * b + k] = b;
  }
  r->problem = (limpet_contact_problem){.model = model,
                                        .dt = 1e-3,
                                        .nv = 6 * bodies,
                                        .block_count = bodies,
                                        .block = r->block,
                                        .dof_block = r->dof_block,
                                        .v_free = r->v_free,
                                        .v_start = r->v_free};
  limpet_contact_problem *p = &r->problem;
  p->patch = LIMPET_TAKE(&r->arena, limpet_patch, contacts);
  p->constants = LIMPET_TAKE_ZERO(&r->arena, limpet_contact_constants, contacts);
  p->contact_row = LIMPET_TAKE_ZERO(&r->arena, double, 18 * contacts);
  p->contact_source = LIMPET_TAKE(&r->arena, int, contacts);
  p->row = LIMPET_TAKE(&r->arena, limpet_constraint_row, 1);
  p->entry_dof = LIMPET_TAKE(&r->arena, int, 1);
  p->entry_value = LIMPET_TAKE(&r->arena, double, 1);
}

// Velocity of contact c along row e.
static double speed_of(const random_contacts *r, int c, int e) {
  const limpet_patch *patch = &r->problem.patch[c];
  double u = 0.0;
  for (int s = 0; s < patch->side_count; ++s)
    for (int k = 0; k < patch->side[s].count; ++k)
      for (int i = 0; i < 6; ++i)
        u += r->problem.contact_row[18 * c + 6 * e + i] * patch->side[s].column[6 * k + i] *
             r->v_free[patch->side[s].dof[k]];
  return u;
}

// Appends a contact of body b on body a (-1: the world) at `lever` with the normal `n`.
static void append(random_contacts *r, int a, int b, const double lever[3], const double n[3],
                   double friction, double e) {
  limpet_contact_problem *p = &r->problem;
  const int c = p->contact_count++, pair[2] = {b, a};
  limpet_patch *patch = &p->patch[p->patch_count++];
  *patch = (limpet_patch){.contact = c, .contact_count = 1};
  for (int k = 0; k < 2; ++k) {
    if (pair[k] < 0) continue;
    limpet_patch_side *side = &patch->side[patch->side_count++];
    *side = (limpet_patch_side){.block = pair[k],
                                .count = 6,
                                .dof = LIMPET_TAKE(&r->arena, int, 6),
                                .column = LIMPET_TAKE_ZERO(&r->arena, double, 36)};
    for (int i = 0; i < 6; ++i)
      side->dof[i] = 6 * pair[k] + i, side->column[7 * i] = k == 0 ? 1.0 : -1.0;
  }
  double frame[9];
  limpet_vec3_copy(frame + 6, n);
  limpet_vec3_tangents(frame, frame + 3, frame + 6);
  for (int i = 0; i < 3; ++i) {
    limpet_vec3_cross(p->contact_row + 18 * c + 6 * i, lever, frame + 3 * i);
    limpet_vec3_copy(p->contact_row + 18 * c + 6 * i + 3, frame + 3 * i);
  }
  p->contact_source[c] = c;
  p->constants[c] = (limpet_contact_constants){
      .dt = p->dt, .friction = friction, .restitution = e, .stiffness = 1e4, .delassus = 1.0};
  p->constants[c].normal_speed = speed_of(r, c, 2);
}

static void finish(random_contacts *r) {
  limpet_contact_settings settings = test_contact_settings(1e-6, 1e-5, 0.1);
  settings.softening = 1e-9;
  settings.bound_slack = limpet_parameter_default(&r->problem.model->descriptor, "bound_slack");
  r->problem.settings = settings;
  for (int c = 0; c < r->problem.contact_count; ++c)
    r->problem.model->prepare(&r->problem.constants[c], &settings);
  assert_int_equal(limpet_problem_partition(&r->problem, &r->arena), 0);
}

void random_contacts_make(random_contacts *r, const limpet_contact_model *model, int bodies,
                          int contacts, bool mixed, unsigned long *seed) {
  begin(r, model, bodies, contacts);
  for (int b = 0; b < bodies; ++b) {
    double G[36];
    const double mass = mixed ? pow(10.0, random_uniform(seed, -2.0, 2.0)) : 1.0;
    for (int i = 0; i < 36; ++i) G[i] = random_uniform(seed, -0.5, 0.5);
    for (int i = 0; i < 6; ++i)
      for (int k = 0; k < 6; ++k) {
        double sum = i == k ? 1.0 : 0.0;
        for (int l = 0; l < 6; ++l) sum += G[6 * i + l] * G[6 * k + l];
        r->A[36 * b + 6 * i + k] = mass * sum;
      }
    for (int i = 0; i < 6; ++i) r->v_free[6 * b + i] = random_uniform(seed, -1.0, 1.0);
  }
  const double common = random_uniform(seed, -0.5, 1.0);
  for (int c = 0; c < contacts; ++c) {
    const int b = c % bodies;
    int a = (int)random_uniform(seed, -1.0, bodies - 1e-9);
    if (random_uniform(seed, 0.0, 1.0) < 0.4 || a == b) a = -1;
    double lever[3], n[3];
    for (int i = 0; i < 3; ++i)
      lever[i] = random_uniform(seed, -1.0, 1.0), n[i] = random_uniform(seed, -1.0, 1.0);
    limpet_vec3_scale(n, 1.0 / limpet_vec3_norm(n), n);
    const double e = mixed ? random_uniform(seed, 0.0, 1.0) : fmax(common, 0.0);
    append(r, a, b, lever, n, random_uniform(seed, 0.0, 1.0), e);
    if (!(r->problem.constants[c].normal_speed > 0.0)) continue;
    // turn the normal, so that it approaches
    --r->problem.contact_count, --r->problem.patch_count;
    limpet_vec3_scale(n, -1.0, n);
    append(r, a, b, lever, n, r->problem.constants[c].friction, e);
  }
  finish(r);
}

void random_contacts_body(random_contacts *r, const limpet_contact_model *model, double inertia,
                          int contacts, const double *lever, double friction, double restitution,
                          const double v[6]) {
  begin(r, model, 1, contacts);
  for (int i = 0; i < 6; ++i) r->A[7 * i] = i < 3 ? inertia : 1.0, r->v_free[i] = v[i];
  for (int k = 0; k < contacts; ++k)
    append(r, -1, 0, lever + 3 * k, (const double[3]){0.0, 0.0, 1.0}, friction, restitution);
  finish(r);
}

void random_contacts_cubes(random_contacts *r, const limpet_contact_model *model, int bodies,
                           int contacts, double friction, double restitution, const double v[6]) {
  begin(r, model, bodies, bodies * contacts);
  const int side = (int)lround(sqrt(contacts));
  for (int b = 0; b < bodies; ++b) {
    // cube of 1 m and 1 kg
    for (int i = 0; i < 6; ++i)
      r->A[36 * b + 7 * i] = i < 3 ? 1.0 / 6.0 : 1.0, r->v_free[6 * b + i] = v[i];
    for (int k = 0; k < contacts; ++k) {
      const double lever[3] = {(double)(k % side) / (side - 1) - 0.5,
                               (double)(k / side) / (side - 1) - 0.5, -0.5};
      append(r, -1, b, lever, (const double[3]){0.0, 0.0, 1.0}, friction, restitution);
    }
  }
  finish(r);
}

void random_contacts_solve(random_contacts *r) {
  limpet_solve_settings settings = {.newton = limpet_newton_settings_default(), .dense_limit = 60};
  const limpet_solve_start start = {.v = r->v_free};
  assert_int_equal(
      limpet_problem_solve(&r->problem, &settings, &start, NULL, &r->arena, &r->solution),
      LIMPET_OK);
}

void random_contacts_destroy(random_contacts *r) { limpet_arena_destroy(&r->arena); }

double random_contacts_energy(const random_contacts *r, const double *v) {
  double sum = 0.0;
  for (int b = 0; b < r->problem.block_count; ++b)
    for (int i = 0; i < 6; ++i)
      for (int k = 0; k < 6; ++k)
        sum += 0.5 * v[6 * b + i] * r->A[36 * b + 6 * i + k] * v[6 * b + k];
  return sum;
}
