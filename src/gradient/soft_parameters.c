/* gradient/soft_parameters.c: see soft_parameters.h. Cost of a number: four times rotations,
 * stiffness and forces of all bodies; of near-rigid contacts one solve and four products for each
 * unknown of a vertex. */
#include "gradient/soft_parameters.h"

#include <stddef.h>
#include <string.h>

#include "fem/body.h"
#include "fem/rigid_set.h"
#include "fem/tangent.h"
#include "math/dense.h"

// Where a body's numbers are among those of all vertices.
static int first_of(const limpet_gradient_workspace *w, int d) {
  return 3 * w->model->deformable_vertex[d];
}

static int count_of(const limpet_gradient_workspace *w, int d) {
  return first_of(w, d + 1) - first_of(w, d);
}

// How a number of the bodies' material changes with the parameter.
static double rate_of(const limpet_varied *one, int d, size_t offset) {
  double rate = 0.0;
  for (int k = 0; k < LIMPET_STENCIL; ++k) {
    const limpet_fem_body_info *info = &one->model[k]->deformable_body[d]->info;
    const double *number = (const double *)((const char *)info + offset);
    rate += one->stencil->weight[k] / one->width * (*number - one->value);
  }
  return rate;
}

/* Whether the parameter is a number of the material of a body, or the time step; dR (its nodes x 3)
 * then is in closed form, which has no round-off of stress over the width. */
static bool add_known(const limpet_gradient_workspace *w, const limpet_varied *one, int d,
                      double *dR) {
  const size_t at[] = {offsetof(limpet_fem_body_info, youngs_modulus),
                       offsetof(limpet_fem_body_info, poissons_ratio),
                       offsetof(limpet_fem_body_info, density),
                       offsetof(limpet_fem_body_info, mass_damping),
                       offsetof(limpet_fem_body_info, stiffness_damping)};
  limpet_fem_change change = {.time_step = one->time_step ? 1.0 : 0.0};
  double *const to[] = {&change.youngs_modulus, &change.poissons_ratio, &change.density,
                        &change.mass_damping, &change.stiffness_damping};
  bool changes = one->time_step;
  for (int k = 0; k < 5; ++k) {
    const limpet_fem_body_info *first = &one->model[0]->deformable_body[d]->info,
                               *second = &one->model[1]->deformable_body[d]->info;
    const char *a = (const char *)first + at[k], *b = (const char *)second + at[k];
    if (memcmp(a, b, sizeof(double)) == 0) continue;
    *to[k] = rate_of(one, d, at[k]);
    changes = true;
  }
  if (changes)
    limpet_fem_tangent_forward(w->soft->motion->body[d].step, w->soft->v + first_of(w, d), &change,
                               dR + first_of(w, d));
  return changes;
}

/* Adds weight times the prescribed velocities, arms and offsets of a body as `step` has them, and
 * times R where it is not known. R (its nodes x 3): work. */
static void add_body(const limpet_gradient_workspace *w, limpet_fem_step *step, int d,
                     double weight, bool known, double *R, limpet_soft_variation *to) {
  const int first = first_of(w, d);
  if (!known) limpet_fem_step_residual(step, w->soft->v + first, R);
  if (!known) limpet_axpy(count_of(w, d), weight, R, to->dR + first);
  for (int k = 0; k < step->input.fixed_count; ++k)
    for (int i = 0; i < 3; ++i)
      to->prescribed[first + 3 * step->input.fixed[k] + i] +=
          weight * step->input.fixed_velocity[3 * k + i];
  const limpet_fem_rigid *here = w->soft->motion->body[d].step->rigid, *there = step->rigid;
  for (int i = 0; here && i < count_of(w, d); ++i) {  // weights add up to zero
    to->arm[first + i] += weight * (there->arm[i] - here->arm[i]);
    to->offset[first + i] += weight * (there->offset[i] - here->offset[i]);
  }
}

// The same of all bodies.
static void add_motion(const limpet_gradient_workspace *w, const limpet_soft_motion *motion,
                       double weight, const bool *known, double *R, limpet_soft_variation *to) {
  for (int d = 0; d < w->model->deformable_count && weight != 0.0; ++d)
    add_body(w, motion->body[d].step, d, weight, known[d], R, to);
}

limpet_status limpet_soft_vary(limpet_gradient_workspace *w, const limpet_varied *one,
                               const limpet_step_settings *settings, limpet_soft_variation *to) {
  limpet_soft_gradient *soft = w->soft;
  const size_t V = 3 * (size_t)w->model->vertex_count;
  *to =
      (limpet_soft_variation){.one = one,
                              .settings = settings,
                              .dR = LIMPET_TAKE_ZERO(&w->arena, double, V),
                              .prescribed = LIMPET_TAKE_ZERO(&w->arena, double, V),
                              .arm = LIMPET_TAKE_ZERO(&w->arena, double, V),
                              .offset = LIMPET_TAKE_ZERO(&w->arena, double, V),
                              .stiffness = LIMPET_TAKE_ZERO(&w->arena, double, 2 * soft->unknowns)};
  double *R = LIMPET_TAKE(&w->arena, double, V);
  bool *known = LIMPET_TAKE_ZERO(&w->arena, bool, w->model->deformable_count);
  if (!to->dR || !to->prescribed || !to->stiffness || !to->arm || !to->offset || !R || !known)
    return LIMPET_ERROR_MEMORY;
  for (int d = 0; d < w->model->deformable_count; ++d) known[d] = add_known(w, one, d, to->dR);
  const limpet_soft_motion *motion[LIMPET_STENCIL + 1] = {soft->motion};
  double share[LIMPET_STENCIL + 1] = {one->stencil->rest / one->width};
  add_motion(w, soft->motion, share[0], known, R, to);
  const limpet_soft_point point = {soft->v, soft->motion, .factored = false};
  for (int k = 0; k < LIMPET_STENCIL; ++k) {
    if (limpet_soft_motion_linearise(one->model[k], one->world[k], &settings[k], &point, &w->arena,
                                     &to->motion[k]))
      return LIMPET_ERROR_MEMORY;
    motion[k + 1] = to->motion[k];
    share[k + 1] = one->stencil->weight[k] / one->width;
    add_motion(w, to->motion[k], share[k + 1], known, R, to);
  }
  const int from = share[0] != 0.0 ? 0 : 1;
  return limpet_soft_gradient_stiffness(w, motion + from, LIMPET_STENCIL + 1 - from, share + from,
                                        to->arm, to->stiffness);
}

// dv += how the turn of a body in free flight changes with the model, with v held; turned: work.
static void add_turns(const limpet_gradient_workspace *w, const limpet_soft_variation *from, int d,
                      double *turned, double *dv) {
  const limpet_stencil *stencil = from->one->stencil;
  const int first = first_of(w, d), count = count_of(w, d);
  const double *end = w->soft->end + first;
  for (int k = 0; k < LIMPET_STENCIL; ++k) {
    memcpy(turned, w->soft->v + first, (size_t)count * sizeof *turned);
    limpet_fem_step_keep_spin(from->motion[k]->body[d].step, NULL, turned);
    // from the end of the step: the weights of a stencil add up to zero
    for (int i = 0; i < count; ++i)
      dv[i] += stencil->weight[k] / from->one->width * (turned[i] - end[i]);
  }
}

limpet_status limpet_soft_vary_end(limpet_gradient_workspace *w, const limpet_soft_variation *from,
                                   double *dv, double *dq) {
  const limpet_soft_gradient *soft = w->soft;
  double *turned = LIMPET_TAKE(&w->arena, double, 3 * (size_t)w->model->vertex_count);
  if (!turned) return LIMPET_ERROR_MEMORY;
  for (int d = 0; d < w->model->deformable_count; ++d) {
    limpet_fem_step *step = soft->motion->body[d].step;
    const int first = first_of(w, d), count = count_of(w, d);
    if (limpet_soft_gradient_is_turned(w, d)) {
      limpet_fem_spin_forward(step, soft->v + first, soft->end + first, NULL, NULL, dv + first);
      add_turns(w, from, d, turned, dv + first);
    }
    const double share = limpet_fem_share(step), ahead = share * step->input.dt;
    for (int i = first; i < first + count; ++i) {
      dq[i] = ahead * dv[i];
      if (from->one->time_step)
        dq[i] += share * soft->end[i] + (1.0 - share) * step->input.velocity[i - first];
    }
  }
  return LIMPET_OK;
}
