/* tests/laws/test_falling_friction.c: robots and heaps that fall and slide, at default settings:
 * the friction of every contact in every step against Coulomb's law, by the results that a caller
 * reads. `limpet bench truth` runs the same scenes for longer, for any model. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "limpet/format.h"
#include "limpet/step.h"
#include "shared_data.h"

static const double slides = 1e-3;  // [m/s]  a thousand times the stiction speed
static const double outside = 0.01, missing = 0.02;
static const double least_sliding = 1e-3;  // [-]  of all load, so that a scene tells something

typedef struct falling {
  const char *file, *keyframe;
  double friction, speed, time;  // 0: the file's; [m/s] of every floating body, along x; [s]
} falling;

typedef struct sums {
  double normal, sliding;  // [N]  of all contacts; mu f_n of those that slide
  double opposed;          // [N]  friction against the slip of those that slide
  double loose;            // [N]  friction without normal force
  double worst;            // [-]  largest |f_t|/(mu f_n) - 1
  int steps, unsolved;
} sums;

// A contact that carries less than this share of all load says nothing about the cone.
static const double share = 1e-6;

static void add_contacts(const limpet_data *data, sums *s) {
  double load = 0.0;
  for (int i = 0; i < data->contact_count; ++i) load += data->contact_force[3 * i + 2];
  s->normal += load;
  for (int i = 0; i < data->contact_count; ++i) {
    const double *f = data->contact_force + 3 * i, *v = data->contact_velocity + 3 * i;
    const double bound = data->contact_friction[i] * f[2], slip = hypot(v[0], v[1]);
    if (!(f[2] > 0.0)) s->loose += hypot(f[0], f[1]);
    if (f[2] > share * load && bound > 0.0)
      s->worst = fmax(s->worst, hypot(f[0], f[1]) / bound - 1);
    if (slip < slides) continue;
    s->sliding += bound;
    s->opposed -= (f[0] * v[0] + f[1] * v[1]) / slip;
  }
}

// False: no shared data.
static bool fall(const falling *scene, const char *contact_model, sums *s) {
  *s = (sums){0};
  if (!shared_exists(scene->file)) return false;
  limpet_error error;
  limpet_model *model = limpet_load(shared_path(scene->file), NULL, &error);
  if (!model) fail_msg("%s", error.message);
  for (int g = 0; scene->friction > 0.0 && g < model->geom_count; ++g)
    model->geom_material[g].friction = scene->friction;
  limpet_data *data = limpet_data_create(model);
  const int key =
      scene->keyframe ? limpet_model_find(model, LIMPET_OBJECT_KEYFRAME, scene->keyframe) : -1;
  if (key >= 0) limpet_data_reset_keyframe(model, data, key);
  for (int j = 0; j < model->joint_count; ++j)
    if (model->joint_kind[j] == LIMPET_JOINT_FREE) data->v[model->joint_v[j]] = scene->speed;
  memset(data->control, 0, (size_t)model->nu * sizeof *data->control);
  limpet_step_settings settings = limpet_step_settings_default(model);
  settings.time_step = 2e-3;
  if (contact_model)
    limpet_step_settings_contact_model(&settings, limpet_contact_model_find(contact_model));
  while (data->time < scene->time) {
    const limpet_outcome outcome = limpet_step(model, data, &settings);
    assert_false(limpet_outcome_failed(outcome));
    s->unsolved += outcome != LIMPET_OUTCOME_SOLVED;
    ++s->steps;
    add_contacts(data, s);
  }
  limpet_data_destroy(data);
  limpet_model_destroy(model);
  return true;
}

/* Friction missing below 2 % of what sliding contacts should have, its direction included; none
 * without normal force; no contact in any step outside its cone by more than 1 %, also not in the
 * few steps that end unsolved. */
static void friction_is_coulombs_in_falls(void **state) {
  (void)state;
  static const falling scenes[] = {
      {"models/menagerie/unitree_g1/scene.xml", "stand", 0.0, 1.0, 1.0},
      {"models/menagerie/unitree_g1/scene.xml", "stand", 0.15, 0.0, 1.0},
      {"models/mjcf/model/humanoid/humanoid.xml", NULL, 0.15, 0.0, 1.2},
      {"models/menagerie/anybotics_anymal_c/scene.xml", NULL, 0.0, 1.0, 1.0},
      {"models/menagerie/anybotics_anymal_c/scene.xml", NULL, 0.15, 1.0, 1.0},
      {"models/menagerie/agility_cassie/scene.xml", "home", 0.15, 0.0, 1.0},
      {"scenes-peers/clutter40.xml", NULL, 0.0, 0.0, 0.6},
      {"scenes-peers/clutter40.xml", NULL, 0.15, 0.0, 0.6},
  };
  for (int i = 0; i < (int)(sizeof scenes / sizeof *scenes); ++i) {
    sums s;
    if (!fall(&scenes[i], NULL, &s)) skip();
    printf("%-48s mu %-4g: lack %.4f %%, worst outside %.3g %%, %d of %d steps unsolved\n",
           scenes[i].file, scenes[i].friction, 100.0 * (1.0 - s.opposed / s.sliding),
           100.0 * s.worst, s.unsolved, s.steps);
    assert_true(s.sliding > least_sliding * s.normal);
    assert_true(s.opposed > (1.0 - missing) * s.sliding);
    assert_true(s.worst < outside);
    assert_true(s.loose == 0.0);
    assert_true(s.unsolved <= 0.01 * s.steps);
  }
}

/* Negative control: friction of `lagged` is bounded by the load of the step before, so a heap that
 * falls lacks a good part of it, and is outside the cone in many contacts. */
static void the_check_sees_what_lagged_lacks(void **state) {
  (void)state;
  static const falling clutter = {"scenes-peers/clutter40.xml", NULL, 0.0, 0.0, 0.4};
  sums s;
  if (!fall(&clutter, "lagged", &s)) skip();
  printf("lagged: lack %.1f %%, worst outside %.3g %%\n", 100.0 * (1.0 - s.opposed / s.sliding),
         100.0 * s.worst);
  assert_true(s.opposed < (1.0 - missing) * s.sliding);
  assert_true(s.worst > outside);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(friction_is_coulombs_in_falls),
      cmocka_unit_test(the_check_sees_what_lagged_lacks),
  };
  return cmocka_run_group_tests_name("falling_friction", tests, NULL, NULL);
}
