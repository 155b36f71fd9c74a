/* step/soft_islands.c: islands of deformable bodies that are solved in rounds (soft_newton.c), and
 * what is left of their laws. */
#include "step/soft_islands.h"

#include <math.h>

#include "fem/rigid_set.h"
#include "math/vec3.h"

bool limpet_soft_is_nonlinear(const limpet_model *model, int d) {
  const limpet_fem_body_info info = limpet_fem_body_information(model->deformable_body[d]);
  return !limpet_elastic_law_is_linear(info.law);
}

bool limpet_soft_takes(const limpet_model *model, const limpet_soft_motion *soft, int d) {
  return (limpet_soft_is_nonlinear(model, d) || limpet_fem_follows(soft->body[d].step)) &&
         !soft->body[d].failed && soft->body[d].block != LIMPET_NONE;
}

bool limpet_soft_only_sets(const limpet_soft_body *body) {
  const limpet_fem_rigid *rigid = body->step->rigid;
  return rigid && body->count == rigid->count && body->tied_size == body->size;
}

bool limpet_soft_is_island(const limpet_soft_newton *state, int d) {
  return state->member[d].island == d;
}

// R(v) - impulse of one body to state->rest.
static limpet_soft_balance balance_of(const limpet_soft_attempt *a, const double *v,
                                      const double *impulse, int d) {
  const limpet_model *model = a->data->model;
  const int first = model->deformable_vertex[d];
  const double *mass = limpet_fem_body_node_mass(model->deformable_body[d]);
  const double g = limpet_vec3_norm(model->options.gravity), dt = a->work->settings.time_step;
  double *rest = a->state->rest;
  limpet_soft_balance sum = {0.0, 0.0};
  limpet_fem_step_residual(a->work->motion.soft->body[d].step, v + 3 * first, rest + 3 * first);
  limpet_fem_rigid_project(a->work->motion.soft->body[d].step, rest + 3 * first);
  // what the support of fixed nodes gives is no residual
  for (int t = model->deformable_tie[d]; t < model->deformable_tie[d + 1]; ++t) {
    if (model->body_tree[model->tie_body[t]] >= 0) continue;
    double *r = rest + 3 * model->tie_vertex[t];
    sum.scale += limpet_vec3_dot(r, r);
    limpet_vec3_copy(r, impulse + 3 * model->tie_vertex[t]);
  }
  for (int i = first; i < model->deformable_vertex[d + 1]; ++i) {
    double *r = rest + 3 * i;
    limpet_vec3_sub(r, r, impulse + 3 * i);
    sum.rest += limpet_vec3_dot(r, r);
    sum.scale += limpet_vec3_dot(impulse + 3 * i, impulse + 3 * i);
    sum.scale += dt * dt * g * g * mass[i - first] * mass[i - first];
  }
  return sum;
}

double limpet_soft_rho(const limpet_soft_attempt *a, int island, int place) {
  limpet_soft_balance sum = {0.0, 0.0};
  for (int d = island; d < a->data->model->deformable_count; ++d) {
    const limpet_soft_member *member = &a->state->member[d];
    if (member->island != island) continue;
    sum.rest += member->balance[place].rest, sum.scale += member->balance[place].scale;
  }
  return sum.scale == 0.0 ? 0.0 : sqrt(sum.rest / sum.scale);
}

double limpet_soft_measure(const limpet_soft_attempt *a, int island, int place, const double *v,
                           const double *impulse) {
  for (int d = island; d < a->data->model->deformable_count; ++d) {
    limpet_soft_member *member = &a->state->member[d];
    if (member->island == island) member->balance[place] = balance_of(a, v, impulse, d);
  }
  return limpet_soft_rho(a, island, place);
}

int limpet_soft_rounds(const limpet_soft_attempt *a, int island) {
  int rounds = a->state->member[island].rounds;
  for (int d = island; d < a->data->model->deformable_count; ++d) {
    const limpet_soft_member *member = &a->state->member[d];
    if (member->island == island && member->rounds < rounds) rounds = member->rounds;
  }
  return rounds;
}

// Whether contacts connect two bodies that are solved here.
static bool is_connected(const limpet_soft_attempt *a, int d, int other) {
  const limpet_soft_body *body = a->work->motion.soft->body;
  const limpet_block *block = a->solution->problem.block;
  const int island = block[body[d].block].island;
  return island >= 0 && island == block[body[other].block].island;
}

void limpet_soft_find_islands(const limpet_soft_attempt *a) {
  const limpet_soft_motion *soft = a->work->motion.soft;
  const int count = a->data->model->deformable_count;
  limpet_soft_member *member = a->state->member;
  for (int d = 0; d < count; ++d) {
    const int before = member[d].island, block = soft->body[d].block;
    int island = LIMPET_NONE;
    if (limpet_soft_takes(a->data->model, soft, d) && !a->solution->contact.held[block])
      for (island = 0; island < d; ++island)
        if (limpet_soft_is_island(a->state, island) && is_connected(a, island, d)) break;
    member[d].island = island;
    if (island == before) continue;
    if (before != LIMPET_NONE) member[before].history.count = 0;
    if (island != LIMPET_NONE) member[island].history.count = 0;
  }
}

// Whether the laws of an island were last taken with the exact H.
static bool is_exact(const limpet_soft_attempt *a, int island) {
  for (int d = island; d < a->data->model->deformable_count; ++d) {
    const limpet_soft_member *member = &a->state->member[d];
    const limpet_fem_step *step = a->work->motion.soft->body[d].step;
    if (member->island == island && step->turned && limpet_fem_follows(step) && !member->exact &&
        member->exact_rounds < LIMPET_SOFT_EXACT_ROUNDS)
      return false;
  }
  return true;
}

bool limpet_soft_all_met(const limpet_soft_attempt *a) {
  for (int d = 0; d < a->data->model->deformable_count; ++d)
    if (limpet_soft_is_island(a->state, d) && !a->state->member[d].met) return false;
  return true;
}

double limpet_soft_judge_islands(const limpet_soft_attempt *a) {
  const double tolerance = a->work->settings.tolerance;
  double worst = 0.0, *margin = &a->work->motion.soft->round_margin;
  for (int d = 0; d < a->data->model->deformable_count; ++d) {
    limpet_soft_member *member = &a->state->member[d];
    if (limpet_soft_is_island(a->state, d)) {
      const double rho =
          limpet_soft_measure(a, d, LIMPET_SOFT_FOUND, a->state->found, a->state->found_impulse);
      member->met = rho <= tolerance && is_exact(a, d);
      *margin = fmin(*margin, fabs(log(rho / tolerance)));
      worst = isnan(worst) || rho <= worst ? worst : rho;
    } else member->met = member->island != LIMPET_NONE && a->state->member[member->island].met;
  }
  return worst;
}
