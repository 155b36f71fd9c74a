/* tests/laws/test_pressure_twist.c: what spins on a contact surface is braked by the integral of
 * friction over the patch, mu int p r dA, within 1 %: soft discs and spheres on a rigid plane, a
 * rigid sphere in a soft half space, of sizes, moduli, frictions, steps and depths drawn over
 * decades. A body that may turn about z and sink spins down in a hundred steps, or keeps its speed.
 *
 * Pressure of the exact fields, d depth, h = R - d, r from the axis:
 *   disc, half height H      E min(d, R - r)/min(R, H)
 *   soft sphere              E (1 - sqrt(h^2 + r^2)/R)
 *   sphere in a slab S       E (c - h)/S, c = sqrt(R^2 - r^2), dA = 2 pi r R/c dr
 * The model `similar` lifts what slides by mu dt times the slip (docs/contact-models.md): it spins
 * slowly enough here that this is 1e-4 of the depth. `coulomb` loads its shear first: the
 * rim has slipped by 40 times mu d/shear_ratio where the moment is looked at. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "effort.h"
#include "mjcf_world.h"
#include "shared_data.h"

#define PI 3.14159265358979323846

enum { DISC, SOFT_SPHERE, HARD_SPHERE, KINDS, CASES = 120, RINGS = 1000, SPAN = 100 };

typedef struct patch {
  int kind;
  double radius, half, modulus, slab, friction;  // [m], [m], [Pa], [m], [-]
} patch;

// Radius of the patch [m].
static double reach(const patch *p, double depth) {
  const double h = p->radius - depth;
  return p->kind == DISC ? p->radius : sqrt(p->radius * p->radius - h * h);
}

static void closed_form(const patch *p, double depth, double *load, double *moment) {
  const double R = p->radius, h = R - depth, a = reach(p, depth);
  *load = *moment = 0.0;
  for (int i = 0; i < RINGS; ++i) {
    const double r = a * (i + 0.5) / RINGS, c = sqrt(R * R - r * r);
    double area = 2.0 * PI * r * a / RINGS, pressure, up = 1.0;
    if (p->kind == DISC) pressure = p->modulus * fmin(depth, R - r) / fmin(R, p->half);
    else if (p->kind == SOFT_SPHERE) pressure = p->modulus * (1.0 - sqrt(h * h + r * r) / R);
    else pressure = p->modulus * (c - h) / p->slab, area *= R / c, up = c / R;
    *load += pressure * area * up;
    *moment += p->friction * pressure * area * r;
  }
}

static double by_log(unsigned long *seed, double low, double high) {
  return exp(random_uniform(seed, log(low), log(high)));
}

static mjcf_world world_of(const patch *p, double depth, double mass, double armature) {
  char text[900], geom[160], soft[120];
  snprintf(soft, sizeof soft, "limpet:elastic_modulus='%.9g'", p->modulus);
  snprintf(geom, sizeof geom, "type='%s' size='%.9g %.9g'", p->kind == DISC ? "cylinder" : "sphere",
           p->radius, p->half);
  snprintf(text, sizeof text,
           "<mujoco><worldbody><geom type='plane' size='1 1 .1' friction='%.9g' %s "
           "limpet:slab_thickness='%.9g'/><body pos='0 0 %.12g'><joint type='slide' axis='0 0 1'/>"
           "<joint axis='0 0 1' armature='%.9g'/><geom %s mass='%.9g' friction='%.9g' %s/></body>"
           "</worldbody></mujoco>",
           p->friction, p->kind == HARD_SPHERE ? soft : "", p->slab,
           (p->kind == DISC ? p->half : p->radius) - depth, armature, geom, mass, p->friction,
           p->kind == HARD_SPHERE ? "" : soft);
  return mjcf_world_of(text, NULL);
}

/* The largest error of the moment. speed [m/s]: of slip at the rim at the start; steady: for ever,
 * else it spins down in SPAN steps or more. */
static double worst_error(const patch *p, double depth, const char *contact, double dt,
                          double speed, bool steady) {
  double load, moment, worst = 0.0, slipped = 0.0;
  closed_form(p, depth, &load, &moment);
  const double a = reach(p, depth), turn = speed / a, mass = load / 9.81,
               own = (p->kind == DISC ? 0.5 : 0.4) * mass * p->radius * p->radius;
  mjcf_world world = world_of(p, depth, mass, fmax(0.0, SPAN * dt * moment / turn - own));
  limpet_step_settings_contact_model(&world.settings, limpet_contact_model_find(contact));
  world.settings.time_step = dt;
  for (int i = 0; i < 40 + (int)(0.2 / dt); ++i) mjcf_world_step(&world);
  const double inertia = world.data->mass_matrix[3],
               loaded = contact[0] == 'c' ? 40.0 * p->friction * depth / world.settings.shear_ratio
                                          : 0.0;
  int measured = 0;
  world.data->v[1] = turn;
  for (int i = 0; i < 2 * SPAN && measured < 40; ++i) {
    if (steady) world.data->v[1] = turn;
    const double before = world.data->v[1];
    mjcf_world_step(&world);
    slipped += dt * a * world.data->v[1];
    if (i < 20 || slipped < loaded || !(world.data->v[1] > 0.4 * turn)) continue;
    closed_form(p, depth - world.data->q[0], &load, &moment);
    const double braked = inertia * (before - world.data->v[1]) / dt;
    // of the load that this step carries, while it still sinks a little
    const double now = world.data->surface_force[2];
    worst = fmax(worst, fabs(braked * load / (now * moment) - 1.0));
    ++measured;
  }
  mjcf_world_destroy(&world);
  assert_true(measured > 5);
  return worst;
}

static void what_spins_is_braked_by_the_patch(void **state) {
  (void)state;
  static const char *const contacts[] = {"coulomb", "lagged", "similar"};
  static const char *const names[] = {"soft disc", "soft sphere", "hard sphere"};
  double worst[3][KINDS] = {{0.0}};
  for (int i = 0; i < CASES; i += test_effort(1, 7)) {
    unsigned long seed = 6000UL + (unsigned long)i;
    for (int k = 0; k < 5; ++k) random_uniform(&seed, 0.0, 1.0);
    const int c = i / KINDS % 3;
    patch p = {.kind = i % KINDS};
    p.radius = by_log(&seed, 0.01, 0.2);
    p.half = p.radius * by_log(&seed, 0.3, 2.0);
    p.modulus = by_log(&seed, 1e5, 1e8);
    p.slab = p.radius * by_log(&seed, 0.3, 3.0);
    p.friction = by_log(&seed, 0.05, 1.5);
    double dt = by_log(&seed, 5e-4, 1e-2), depth = p.radius * by_log(&seed, 1e-4, 0.05);
    // faster than 1e-4 m/s, that regularised friction is at its bound; 4 shears a step
    const double least = fmax(1e-4, 4e-3 * p.friction * depth / dt);
    double speed = least * by_log(&seed, 1.0, 1e3);
    if (c == 2) {
      dt = fmin(dt, 0.05 * p.radius / p.friction), depth = fmax(depth, p.friction * dt);
      speed = 1e-4 * depth / (p.friction * dt);
    }
    for (int steady = 0; steady < 2; ++steady) {
      const double error = worst_error(&p, depth, contacts[c], dt, speed, steady != 0);
      worst[c][p.kind] = fmax(worst[c][p.kind], error);
      if (!(error < 0.01))
        fail_msg("case %d, %s, %s, %s: %.3g of the moment; R %.3g m, depth %.3g m, step %.3g s", i,
                 names[p.kind], contacts[c], steady ? "steady" : "spins down", error, p.radius,
                 depth, dt);
    }
  }
  for (int c = 0; c < 3; ++c)
    printf("%s: worst %.2g of a disc, %.2g of a soft sphere, %.2g of a hard one\n", contacts[c],
           worst[c][DISC], worst[c][SOFT_SPHERE], worst[c][HARD_SPHERE]);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(what_spins_is_braked_by_the_patch)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
