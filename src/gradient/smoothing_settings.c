/* gradient/smoothing_settings.c: what smoothing is asked for, and the step of the barrier. */
#include <assert.h>
#include <math.h>
#include <string.h>

#include "base/error.h"
#include "gradient/barrier_law.h"
#include "limpet/gradient_smoothing.h"

static const char *const words[] = {"none", "barrier", "random"};
enum { SAMPLE_LIMIT = 100000 };

limpet_gradient_smoothing limpet_gradient_smoothing_default(void) {
  return (limpet_gradient_smoothing){.kind = LIMPET_SMOOTHING_NONE,
                                     .energy = 1e-3,
                                     .range = 0.1,
                                     .slip_speed = 1e-3,
                                     .samples = 16,
                                     .spread_position = 1e-3,
                                     .spread_velocity = 1e-2,
                                     .seed = 1};
}

const char *limpet_smoothing_word(limpet_smoothing_kind kind) {
  assert(kind <= LIMPET_SMOOTHING_RANDOM);
  return words[kind];
}

bool limpet_smoothing_find(const char *word, limpet_smoothing_kind *kind) {
  assert(word && kind);
  for (limpet_smoothing_kind i = 0; i <= LIMPET_SMOOTHING_RANDOM; ++i) {
    if (strcmp(word, words[i]) != 0) continue;
    *kind = i;
    return true;
  }
  return false;
}

// ------------------------------------------------------------------------------------ checks

static limpet_status refuse(limpet_error *error, const char *name, double value,
                            const char *wanted) {
  limpet_error_fill(error, LIMPET_ERROR_INPUT, "%s is %g; %s", name, value, wanted);
  return LIMPET_ERROR_INPUT;
}

limpet_status limpet_gradient_smoothing_check(const limpet_gradient_smoothing *s,
                                              limpet_error *error) {
  assert(s);
  const bool barrier = s->kind == LIMPET_SMOOTHING_BARRIER,
             random = s->kind == LIMPET_SMOOTHING_RANDOM;
  const struct {
    bool wrong;
    const char *name;
    double value;
    const char *wanted;
  } checks[] = {
      {barrier && !(s->energy > 0.0 && s->energy < INFINITY), "energy", s->energy,
       "it must be positive [J]; 1e-3 pushes with 0.1 N at 1 cm"},
      {barrier && !(s->range > 0.0 && s->range < INFINITY), "range", s->range,
       "it must be positive [m]"},
      {barrier && !(s->slip_speed >= 0.0 && s->slip_speed <= 1.0), "slip_speed", s->slip_speed,
       "it must be from 0 to 1 [m/s]"},
      {random && (s->samples < 2 || s->samples > SAMPLE_LIMIT || s->samples % 2), "samples",
       s->samples, "an even number from 2 to 100000 is wanted: they come in pairs"},
      {random && !(s->spread_position >= 0.0 && s->spread_position < INFINITY), "spread_position",
       s->spread_position, "a spread must not be negative [m, rad]"},
      {random && !(s->spread_velocity >= 0.0 && s->spread_velocity < INFINITY), "spread_velocity",
       s->spread_velocity, "a spread must not be negative [m/s, rad/s]"},
      {random && !(s->spread_control >= 0.0 && s->spread_control < INFINITY), "spread_control",
       s->spread_control, "a spread must not be negative"},
  };
  for (size_t i = 0; i < sizeof checks / sizeof *checks; ++i)
    if (checks[i].wrong) return refuse(error, checks[i].name, checks[i].value, checks[i].wanted);
  return LIMPET_OK;
}

const char *limpet_gradient_smoothing_step(const limpet_gradient_smoothing *s,
                                           const limpet_step_settings *settings,
                                           limpet_step_settings *smoothed) {
  assert(s && settings && smoothed);
  if (limpet_contact_model_family(settings->contact_model) != LIMPET_CONTACT_COMPLIANT)
    return "the barrier smooths compliant contact alone (coulomb, lagged, similar); take random "
           "smoothing";
  if (limpet_contact_model_normal_law(settings->contact_model))
    return "the contact model has a normal law of its own, which the barrier does not replace; "
           "take similar, or random smoothing";
  *smoothed = *settings;
  limpet_step_settings_normal_law(smoothed, &limpet_barrier_law);
  smoothed->normal_parameter[0] = s->energy;
  smoothed->normal_parameter[1] = s->range;
  smoothed->stiction_speed = fmax(settings->stiction_speed, s->slip_speed);
  smoothed->pressure_fields = false;
  return NULL;
}
