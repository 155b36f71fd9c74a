/* gradient/smoothing.c: smoothed derivatives of a step: choice of the kind, the barrier, adjoint.
 *
 * The barrier's derivatives are those of a step with barrier_law.c from the same state, whose
 * arrays the gradient shows. */
#include "gradient/smoothing.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "gradient/barrier_law.h"

static const char *const words[] = {"none", "barrier", "random"};
enum { SAMPLE_LIMIT = 100000 };

limpet_gradient_smoothing limpet_gradient_smoothing_default(void) {
  return (limpet_gradient_smoothing){.kind = LIMPET_SMOOTHING_NONE,
                                     .energy = 1e-3,
                                     .range = 0.1,
                                     .slip_speed = 1e-3,
                                     .samples = 16,
                                     .spread_q = 1e-3,
                                     .spread_v = 1e-2,
                                     .seed = 1};
}

const char *limpet_smoothing_word(limpet_smoothing_kind kind) { return words[kind]; }

bool limpet_smoothing_find(const char *word, limpet_smoothing_kind *kind) {
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
  limpet_error_fill(error, LIMPET_ERROR_INPUT, "smoothing: %s is %g; %s", name, value, wanted);
  return LIMPET_ERROR_INPUT;
}

limpet_status limpet_gradient_smoothing_check(const limpet_gradient_smoothing *s,
                                              limpet_error *error) {
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
      {random && !(s->spread_q >= 0.0 && s->spread_q < INFINITY), "position", s->spread_q,
       "a spread must not be negative [m, rad]"},
      {random && !(s->spread_v >= 0.0 && s->spread_v < INFINITY), "velocity", s->spread_v,
       "a spread must not be negative [m/s, rad/s]"},
      {random && !(s->spread_control >= 0.0 && s->spread_control < INFINITY), "control",
       s->spread_control, "a spread must not be negative"},
  };
  for (size_t i = 0; i < sizeof checks / sizeof *checks; ++i)
    if (checks[i].wrong) return refuse(error, checks[i].name, checks[i].value, checks[i].wanted);
  return LIMPET_OK;
}

const char *limpet_gradient_smoothing_step(const limpet_gradient_smoothing *s,
                                           const limpet_step_settings *settings,
                                           limpet_step_settings *smoothed) {
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

// ----------------------------------------------------------------------------------- barrier

static struct limpet_smoother *smoother_of(limpet_gradient_workspace *w) {
  if (w->smoother) return w->smoother;
  struct limpet_smoother *made = calloc(1, sizeof *made);
  if (!made) return NULL;
  made->inner = limpet_gradient_create(w->model);
  made->world = limpet_data_create(w->model);
  if (made->inner && made->world) return w->smoother = made;
  limpet_smoother_destroy(made);
  return NULL;
}

void limpet_smoother_destroy(struct limpet_smoother *smoother) {
  if (!smoother) return;
  limpet_gradient_destroy(smoother->inner);
  limpet_data_destroy(smoother->world);
  free(smoother);
}

static const char *barrier_fill(limpet_gradient *gradient) {
  limpet_gradient_workspace *w = gradient->workspace;
  limpet_gradient *inner = w->smoother->inner;
  limpet_step_settings smoothed;
  const char *reason =
      limpet_gradient_smoothing_step(&w->wanted.smoothing, &w->settings, &smoothed);
  if (reason) return reason;
  limpet_gradient_settings plain = w->wanted;
  plain.smoothing.kind = LIMPET_SMOOTHING_NONE;
  limpet_gradient_start(w->world, w->smoother->world);
  limpet_gradient_step(w->model, w->smoother->world, &smoothed, &plain, inner);
  if (inner->reason) return inner->reason;
  gradient->dq = inner->dq, gradient->dv = inner->dv, gradient->kink = inner->kink;
  gradient->weak_count = inner->weak_count;
  gradient->carried_count = inner->carried_count;
  gradient->approximate = inner->approximate;
  return NULL;
}

const char *limpet_smoothing_fill(limpet_gradient *gradient, const limpet_data *data) {
  limpet_gradient_workspace *w = gradient->workspace;
  if (limpet_gradient_smoothing_check(&w->wanted.smoothing, NULL) != LIMPET_OK)
    return "a number of the smoothing is out of its range: limpet_gradient_smoothing_check";
  if (!smoother_of(w)) return "out of memory";
  w->wanted.contacts = false;
  return w->wanted.smoothing.kind == LIMPET_SMOOTHING_BARRIER
             ? barrier_fill(gradient)
             : limpet_smoothing_random(gradient, data);
}

limpet_gradient *limpet_smoothing_differentiated(limpet_gradient *gradient) {
  const limpet_gradient_workspace *w = gradient->workspace;
  switch (w->wanted.smoothing.kind) {
    case LIMPET_SMOOTHING_NONE: return gradient;
    case LIMPET_SMOOTHING_BARRIER: return w->smoother ? w->smoother->inner : gradient;
    case LIMPET_SMOOTHING_RANDOM: break;
  }
  return NULL;
}

// ----------------------------------------------------------------------------------- adjoint

// to (columns) = dq' weight_q + dv' weight_v; NULL: zero.
static void product(int nv, int columns, const double *dq, const double *dv, const double *weight_q,
                    const double *weight_v, double *to) {
  memset(to, 0, (size_t)columns * sizeof *to);
  for (int i = 0; i < nv; ++i)
    for (int j = 0; j < columns; ++j)
      to[j] += (weight_q ? weight_q[i] * dq[i * columns + j] : 0.0) +
               (weight_v ? weight_v[i] * dv[i * columns + j] : 0.0);
}

bool limpet_smoothing_adjoint(limpet_gradient *gradient, const double *weight_q,
                              const double *weight_v) {
  limpet_gradient_workspace *w = gradient->workspace;
  if (w->wanted.smoothing.kind == LIMPET_SMOOTHING_BARRIER) {
    limpet_gradient *inner = w->smoother->inner;
    if (!limpet_gradient_adjoint(inner, weight_q, weight_v)) return false;
    gradient->adjoint = inner->adjoint;
    return true;
  }
  for (limpet_gradient_group group = 0; group <= LIMPET_GRADIENT_STIFFNESS; ++group) {
    double *to = *limpet_gradient_array(&gradient->adjoint, group);
    if (to)
      product(w->model->nv, limpet_gradient_width(w, group),
              *limpet_gradient_array(&gradient->dq, group),
              *limpet_gradient_array(&gradient->dv, group), weight_q, weight_v, to);
  }
  return true;
}
