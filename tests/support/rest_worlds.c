/* tests/support/rest_worlds.c: see rest_worlds.h. */
#include "rest_worlds.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "limpet/step.h"
#include "mjcf_text.h"
#include "shared_data.h"

enum { room = 4000 };

static double log_between(unsigned long *seed, double low, double high) {
  return low * exp(random_uniform(seed, 0.0, log(high / low)));
}

static void elasticity(char text[80], bool soft, double modulus) {
  *text = '\0';
  if (soft) snprintf(text, 80, "limpet:elastic_modulus='%.3g'", modulus);
}

// A thing of half height `half` [m] that stands flat at z [m]: its asset and its body.
typedef struct thing {
  double half, wide;  // [m]
  char asset[1200], geom[300];
} thing;

// A regular prism, of five to eight sides.
static void prism(thing *t, int number, unsigned long *seed) {
  const int sides = 5 + (int)random_uniform(seed, 0.0, 3.999);
  int used = snprintf(t->asset, sizeof t->asset, "<mesh name='m%d' vertex='", number);
  for (int k = 0; k < 2 * sides; ++k) {
    const double angle = 2.0 * 3.14159265358979 * (k / 2) / sides;
    used += snprintf(t->asset + used, sizeof t->asset - (size_t)used, "%.9g %.9g %.9g ",
                     t->wide * cos(angle), t->wide * sin(angle), k % 2 ? t->half : -t->half);
  }
  snprintf(t->asset + used, sizeof t->asset - (size_t)used, "'/>");
  snprintf(t->geom, sizeof t->geom, "type='mesh' mesh='m%d'", number);
}

static void choose(thing *t, int number, double widest, unsigned long *seed) {
  const int kind = (int)random_uniform(seed, 0.0, 3.999);
  t->wide = log_between(seed, 0.01, widest);
  t->half = t->wide * log_between(seed, 0.4, 1.2);
  t->asset[0] = '\0';
  if (kind == 0) t->half = t->wide;
  if (kind < 2)
    snprintf(t->geom, sizeof t->geom, "type='box' size='%.6g %.6g %.6g'", t->wide,
             kind ? t->wide * random_uniform(seed, 0.6, 1.0) : t->wide, t->half);
  else if (kind == 2)
    snprintf(t->geom, sizeof t->geom, "type='cylinder' size='%.6g %.6g'", t->wide, t->half);
  else prism(t, number, seed);
}

static limpet_model *world_of(int number, double *dt) {
  unsigned long seed = 7000UL + (unsigned long)number;
  for (int k = 0; k < 5; ++k) random_uniform(&seed, 0.0, 1.0);
  const int floor = (int)random_uniform(&seed, 0.0, 2.999),
            count = 1 + (random_uniform(&seed, 0.0, 1.0) < 0.4);
  const double friction = log_between(&seed, 0.05, 1.0);
  char text[room], assets[2500] = "", bodies[1500] = "", ground[300], soft[80];
  *dt = log_between(&seed, 1e-3, 1e-2);
  const bool soft_floor = floor == 2;
  elasticity(soft, soft_floor, log_between(&seed, 1e6, 1e8));
  if (floor == 0) snprintf(ground, sizeof ground, "<geom type='plane' size='1 1 .1'/>");
  else
    snprintf(ground, sizeof ground, "<geom type='box' size='.5 .4 .1' pos='.01 .02 -.1' %s/>",
             soft);
  double top = 0.0, widest = 0.1;
  for (int i = 0; i < count; ++i) {
    thing t;
    choose(&t, i, widest, &seed);
    const bool rigid = soft_floor && count == 1 && random_uniform(&seed, 0.0, 1.0) < 0.5;
    elasticity(soft, !rigid, log_between(&seed, 1e6, 1e8));
    const double turn = random_uniform(&seed, -1.5, 1.5), off = 0.1 * widest * i;
    char body[700];
    snprintf(body, sizeof body,
             "<body pos='%.6g %.6g %.9g' quat='%.9g 0 0 %.9g'><freejoint/><geom %s density='%.4g' "
             "friction='%.3g' %s/></body>",
             off, -0.6 * off, top + t.half + 0.005 * t.half, cos(0.5 * turn), sin(0.5 * turn),
             t.geom, log_between(&seed, 300.0, 3000.0), friction, soft);
    strcat(assets, t.asset), strcat(bodies, body);
    top += 2.01 * t.half, widest = 0.7 * t.wide;
    if (widest < 0.0101) break;
  }
  snprintf(text, sizeof text, "<mujoco><asset>%s</asset><worldbody>%s%s</worldbody></mujoco>",
           assets, ground, bodies);
  return mjcf_load(text);
}

rest_count rest_worlds_run(int first, int count, double time, double bound) {
  static const char *const contacts[] = {"coulomb", "lagged", "similar"};
  rest_count result = {0};
  for (int number = first; number < first + count; ++number) {
    double dt;
    limpet_model *model = world_of(number, &dt);
    for (int c = 0; c < 3; ++c) {
      limpet_data *data = limpet_data_create(model);
      limpet_step_settings settings = limpet_step_settings_default(model);
      limpet_step_settings_contact_model(&settings, limpet_contact_model_find(contacts[c]));
      settings.time_step = dt;
      const int steps = (int)round(time / dt);
      for (int i = 0; i < steps; ++i)
        result.unsolved += limpet_step(model, data, &settings) != LIMPET_OUTCOME_SOLVED;
      double most = 0.0;
      for (int i = 0; i < model->nv; ++i) most = fmax(most, fabs(data->v[i]));
      ++result.runs, result.worst = fmax(result.worst, most);
      if (!(most < bound)) {
        ++result.moving;
        printf("world %d, %s, %.2g ms: %.3g m/s or rad/s\n", number, contacts[c], 1e3 * dt, most);
      }
      limpet_data_destroy(data);
    }
    limpet_model_destroy(model);
  }
  return result;
}
