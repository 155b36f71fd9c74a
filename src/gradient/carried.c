/* gradient/carried.c: see carried.h. */
#include "gradient/carried.h"

#include <math.h>
#include <string.h>

#include "contact/kept.h"
#include "contact/restitution.h"
#include "contact/shear.h"
#include "math/dense.h"
#include "solve/island.h"
#include "step/anchors.h"
#include "step/assembly.h"
#include "step/flight.h"

void limpet_carried_clear(const limpet_data *data, limpet_carried *carried) {
  const size_t anchors = (size_t)limpet_anchors_used(data);
  memset(carried->change, 0, (size_t)data->model->nv * sizeof *carried->change);
  memset(carried->stretch, 0, 3 * anchors * sizeof *carried->stretch);
  memset(carried->rebound, 0, anchors * sizeof *carried->rebound);
}

// ------------------------------------------------------------------------------- contacts

static const limpet_contact_pair *pair_of(const limpet_solved_step *solved, int contact) {
  return &solved->records
              .pair[solved->records.record[solved->problem.contact_source[contact]].pair];
}

// Rotation of the body in whose axes a stretch is kept.
static const double *frame_of(const limpet_gradient_workspace *w, int contact) {
  const int geom = pair_of(w->residual.solved, contact)->geoms.geom_a;
  return w->world->body_rotation + 9 * w->model->geom_body[geom];
}

static bool pulls(const limpet_solved_step *solved, int contact) {
  return solved->solution.gamma[3 * contact + 2] > 0.0;
}

// Whether the bristle of a contact has this form.
static bool is_plain(const limpet_solved_step *solved, int contact) {
  const limpet_contact_pair *pair = pair_of(solved, contact);
  return !pair->surface && !pair->surface_moves && !pair->shaped && !pair->driven;
}

limpet_status limpet_carried_contacts_make(limpet_gradient_workspace *w,
                                           const limpet_contact_sweep *sweep,
                                           const limpet_data *after, limpet_carried_contacts *to) {
  const limpet_solved_step *solved = w->residual.solved;
  const limpet_contact_problem *problem = &solved->problem;
  const int count = problem->contact_count, patches = problem->patch_count;
  *to = (limpet_carried_contacts){.after = after};
  if (sweep) to->patch = limpet_contact_sweep_patches(sweep, &to->patch_count);
  to->from = LIMPET_TAKE(&w->arena, int, 2 * count);
  to->weight = LIMPET_TAKE_ZERO(&w->arena, double, LIMPET_LAW_WIDTH *patches);
  to->stretch = LIMPET_TAKE_ZERO(&w->arena, double, 3 * count);
  to->wrench = LIMPET_TAKE_ZERO(&w->arena, double, 6 * patches);
  if (!to->from || !to->weight || !to->stretch || !to->wrench) return LIMPET_ERROR_MEMORY;
  to->to = to->from + count;
  if (limpet_anchors_find(w->world, &solved->records, problem, &w->arena, to->from))
    return LIMPET_ERROR_MEMORY;
  return limpet_anchors_find(after, &solved->records, problem, &w->arena, to->to);
}

// g = dz1/dp' g of a stretch that ends with the slip p.
static void weigh_way(const limpet_contact_problem *problem, int contact, const double *gamma,
                      const double p[3], double g[3]) {
  const limpet_contact_constants *c = &problem->constants[contact];
  const double slip = limpet_vec3_norm(p),
               most = LIMPET_BRISTLE_REACH * problem->model->slip_speed(c, gamma);
  if (slip > most) {
    limpet_vec3_addmul(g, g, -limpet_vec3_dot(p, g) / (slip * slip), p);
    limpet_vec3_scale(g, c->dt * most / slip, g);
  } else {
    limpet_vec3_scale(g, c->dt, g);
  }
}

// Weights g of the stretch that a contact keeps.
static void weigh_contact(const limpet_patch_view *view, const limpet_solved_step *solved,
                          int contact, double g[3], double *weight, double *stretch) {
  const limpet_contact_problem *problem = &solved->problem;
  const double *W = problem->contact_row + 18 * contact, *n = W + 15,
               *velocity = solved->solution.velocity + 3 * contact;
  double r[3] = {0.0}, p[3] = {0.0}, rho[3], omega[3], turn[3], moved[3], part[3];
  for (int e = 0; e < 3; ++e) {  // r = 1/2 sum e x (r x e)
    limpet_vec3_cross(part, W + 6 * e + 3, W + 6 * e);
    limpet_vec3_addmul(r, r, 0.5, part);
  }
  for (int e = 0; e < 2; ++e) limpet_vec3_addmul(p, p, velocity[e], W + 6 * e + 3);
  weigh_way(problem, contact, solved->solution.gamma + 3 * contact, p, g);
  const double normal = velocity[2] + limpet_spatial_dot(W + 12, view->law.b) +
                        limpet_vec3_dot(n, problem->stretch + 3 * contact) / problem->dt,
               along = limpet_vec3_dot(g, n);
  limpet_vec3_addmul(rho, g, -along, n);
  limpet_vec3_add(omega, view->law.V, view->law.b);
  limpet_vec3_cross(turn, rho, n);
  limpet_vec3_scale(turn, normal, turn);
  limpet_vec3_cross(part, p, n);
  limpet_vec3_addmul(turn, turn, along, part);
  limpet_vec3_cross(moved, rho, omega);
  const limpet_point_change *change = view->point + 6 * (contact - view->patch->contact);
  for (int k = 0; k < 6; ++k)
    weight[LIMPET_BY_TWIST + k] +=
        limpet_vec3_dot(turn, change[k].turn) + limpet_vec3_dot(moved, change[k].point);
  limpet_vec3_cross(part, r, rho);
  for (int at = LIMPET_BY_V; at <= LIMPET_BY_BIAS; at += LIMPET_BY_BIAS - LIMPET_BY_V) {
    limpet_vec3_add(weight + at, weight + at, part);
    limpet_vec3_add(weight + at + 3, weight + at + 3, rho);
  }
  limpet_vec3_addmul(stretch, stretch, 1.0 / problem->dt, rho);
}

limpet_status limpet_carried_weigh(limpet_gradient_workspace *w, const limpet_carried *end,
                                   limpet_carried_contacts *contacts, double *solved_weight) {
  const limpet_solved_step *solved = w->residual.solved;
  const limpet_contact_problem *problem = &solved->problem;
  if (!problem->stretch) return LIMPET_OK;
  double *local = LIMPET_TAKE(&w->arena, double, problem->nv);
  if (!local) return LIMPET_ERROR_MEMORY;
  for (int k = 0; k < contacts->patch_count; ++k) {
    const limpet_patch_view *view = &contacts->patch[k];
    const limpet_patch *patch = view->patch;
    double *weight = contacts->weight + LIMPET_LAW_WIDTH * (patch - problem->patch);
    bool any = false;
    for (int i = patch->contact; i < patch->contact + patch->contact_count; ++i) {
      double g[3];
      if (contacts->to[i] == LIMPET_NONE || !pulls(solved, i) || !is_plain(solved, i)) continue;
      limpet_mat3_mul_vec(g, frame_of(w, i), end->stretch + 3 * contacts->to[i]);
      if (limpet_is_zero(3, g)) continue;
      weigh_contact(view, solved, i, g, weight, contacts->stretch + 3 * i);
      any = true;
    }
    if (!any) continue;
    const limpet_island *island = &problem->island[view->island];
    memset(local, 0, (size_t)island->size * sizeof *local);
    limpet_patch_push(patch, weight + LIMPET_BY_V, local);
    for (int i = 0; i < island->size; ++i)
      solved_weight[limpet_problem_global_dof(problem, island, i)] += local[i];
  }
  return LIMPET_OK;
}

// dgamma by the rebound of a contact that parts: kept.c.
static void rebound_change(const limpet_contact_problem *problem, int contact, bool plain,
                           const double velocity[3], double dgamma[3]) {
  static const double still[3] = {0.0};
  const limpet_contact_constants *c = &problem->constants[contact];
  const double rebound = problem->rebound[contact],
               v_e = limpet_restitution_speed(rebound, c->normal_speed, c->free_speed, plain),
               lost = (plain ? 0.5 : 1.0) * fmax(c->normal_speed - c->free_speed, 0.0),
               slope = rebound / (v_e + lost);
  const limpet_contact_constants dc = {.distance = -c->dt * slope,
                                       .elastic_force = c->stiffness * c->dt * slope};
  limpet_compliant_model_of(problem->model)
      ->change(c, &dc, &problem->settings, velocity, still, dgamma);
}

// A weight of the stretch of a contact goes to where it came from.
static void give_stretch(const limpet_gradient_workspace *w,
                         const limpet_carried_contacts *contacts, int contact, const double z[3],
                         limpet_carried *start) {
  const limpet_solved_step *solved = w->residual.solved;
  const limpet_patch *patch = NULL;
  double kept[3];
  limpet_mat3_tmul_vec(kept, frame_of(w, contact), z);
  if (contacts->from[contact] != LIMPET_NONE) {
    double *to = start->stretch + 3 * contacts->from[contact];
    limpet_vec3_add(to, to, kept);
    return;
  }
  // the mean of the others of its pair
  const limpet_contact_pair *pair = pair_of(solved, contact);
  for (int k = 0; k < contacts->patch_count && !patch; ++k) {
    const limpet_patch *one = contacts->patch[k].patch;
    if (contact >= one->contact && contact < one->contact + one->contact_count) patch = one;
  }
  int count = 0;
  for (int pass = 0; pass < 2; ++pass)
    for (int i = patch->contact; i < patch->contact + patch->contact_count; ++i) {
      if (contacts->from[i] == LIMPET_NONE || pair_of(solved, i) != pair) continue;
      double *to = start->stretch + 3 * contacts->from[i];
      if (pass == 0) ++count;
      else limpet_vec3_addmul(to, to, 1.0 / count, kept);
    }
}

void limpet_carried_collect(const limpet_gradient_workspace *w,
                            const limpet_carried_contacts *contacts, limpet_carried *start) {
  const limpet_solved_step *solved = w->residual.solved;
  const limpet_contact_problem *problem = &solved->problem;
  if (!problem->stretch) return;
  for (int k = 0; k < contacts->patch_count; ++k) {
    const limpet_patch_view *view = &contacts->patch[k];
    const double *Y = contacts->wrench + 6 * k;
    for (int c = 0; c < view->patch->contact_count; ++c) {
      const int i = view->patch->contact + c;
      if (!pulls(solved, i) || !is_plain(solved, i)) continue;
      const double *W = problem->contact_row + 18 * i, *slope = view->law.slope + 9 * c;
      double along[3], z[3], *own = contacts->stretch + 3 * i;
      for (int e = 0; e < 3; ++e) along[e] = limpet_spatial_dot(W + 6 * e, Y);
      limpet_vec3_copy(z, own);
      for (int e = 0; e < 2; ++e)
        limpet_vec3_addmul(z, z, limpet_vec3_dot(along, slope + 3 * e) / problem->dt,
                           W + 6 * e + 3);
      if (!limpet_is_zero(3, z)) give_stretch(w, contacts, i, z, start);
      if (!(problem->rebound[i] > 0.0) || contacts->from[i] == LIMPET_NONE) continue;
      double dgamma[3];
      rebound_change(problem, i, limpet_step_is_plain(&w->settings),
                     solved->solution.velocity + 3 * i, dgamma);
      start->rebound[contacts->from[i]] += limpet_vec3_dot(along, dgamma);
    }
  }
}

// ------------------------------------------------------------------------------- rebounds

// Where the rebounds of the next step are differentiated.
typedef struct rebounds {
  limpet_gradient_workspace *w;
  const double *weight;  // (contacts x 3)  of distance, normal speed, and that without contact
  limpet_probe *probe;
  limpet_data base;  // arrays as they were
  double *unit;      // (nv)  zeros
} rebounds;

static limpet_status rebound_at(const rebounds *r, double *sum) {
  limpet_arena *arena = &r->w->arena;
  const limpet_arena_mark mark = limpet_arena_mark_now(arena);
  limpet_contact_problem problem;
  double *impulse;
  if (limpet_probe_assemble(r->probe, arena, &problem, &impulse) != LIMPET_RESIDUAL_DONE)
    return LIMPET_ERROR_MEMORY;
  *sum = 0.0;
  for (int i = 0; i < problem.contact_count; ++i) {
    const limpet_contact_constants *c = &problem.constants[i];
    const double *weight = r->weight + 3 * i;
    *sum += weight[0] * c->distance + weight[1] * c->normal_speed + weight[2] * c->free_speed;
  }
  limpet_arena_release(arena, mark);
  return LIMPET_OK;
}

static void move(const rebounds *r, double *moved, const double *base, int index, double by) {
  limpet_data *world = r->probe->data;
  if (moved != world->q) {
    moved[index] = base[index] + by;
    return;
  }
  r->unit[index] = by;
  limpet_integrate_position(r->w->model, moved, base, r->unit, 1.0, false);
  r->unit[index] = 0.0;
}

// to (count) += the slopes along the numbers `moved`, which are `base` at the start.
static limpet_status slopes_add(const rebounds *r, double *moved, const double *base, int count,
                                double width, double *to) {
  static const double place[4] = {-2.0, -1.0, 1.0, 2.0},
                      weight[4] = {1.0 / 12.0, -8.0 / 12.0, 8.0 / 12.0, -1.0 / 12.0};
  for (int i = 0; i < count; ++i) {
    for (int k = 0; k < 4; ++k) {
      double sum;
      move(r, moved, base, i, place[k] * width);
      if (rebound_at(r, &sum)) return LIMPET_ERROR_MEMORY;
      to[i] += weight[k] / width * sum;
    }
    move(r, moved, base, i, 0.0);
  }
  return LIMPET_OK;
}

static double *kept(limpet_arena *arena, const double *from, int count) {
  double *to = LIMPET_TAKE(arena, double, count);
  if (to) memcpy(to, from, (size_t)count * sizeof *to);
  return to;
}

limpet_status limpet_carried_rebounds(limpet_gradient_workspace *w, const limpet_carried *end,
                                      const limpet_carried_contacts *contacts,
                                      limpet_gradient_arrays *to, double *change) {
  const limpet_solved_step *solved = w->residual.solved;
  const limpet_model *model = w->model;
  const int count = solved->problem.contact_count;
  limpet_data *world = w->world;
  double *weight = LIMPET_TAKE_ZERO(&w->arena, double, 3 * count);
  bool any = false;
  if (!weight) return LIMPET_ERROR_MEMORY;
  for (int i = 0; i < count; ++i) {
    if (contacts->to[i] == LIMPET_NONE) continue;
    const limpet_contact_constants *c = &solved->problem.constants[i];
    const double *anchor = contacts->after->anchor + LIMPET_ANCHOR_SIZE * contacts->to[i],
                 own = c->restitution * end->rebound[contacts->to[i]];
    if (own == 0.0 || !(anchor[LIMPET_ANCHOR_REBOUND] > 0.0)) continue;
    limpet_restitution_impact_slopes(c->dt, c->distance, c->normal_speed, c->free_speed,
                                     limpet_step_is_plain(&w->settings), weight + 3 * i);
    limpet_vec3_scale(weight + 3 * i, own, weight + 3 * i);
    any = true;
  }
  if (!any) return LIMPET_OK;
  const double e = LIMPET_SMOOTH_DIFFERENCE * w->wanted.difference;
  rebounds r = {.w = w,
                .weight = weight,
                .probe = w->probe,
                .unit = LIMPET_TAKE_ZERO(&w->arena, double, model->nv)};
  const double *q = kept(&w->arena, world->q, model->nq), *v = kept(&w->arena, world->v, model->nv),
               *force = kept(&w->arena, world->applied_force, model->nv),
               *control = kept(&w->arena, world->control, model->nu),
               *c = kept(&w->arena, world->warm_start, model->nv);
  if (!r.unit || !q || !v || !force || !control || !c ||
      slopes_add(&r, world->q, q, model->nv, e, to->q) ||
      slopes_add(&r, world->v, v, model->nv, e, to->v) ||
      slopes_add(&r, world->warm_start, c, model->nv, e, change) ||
      slopes_add(&r, world->applied_force, force, model->nv, LIMPET_FORCE_DIFFERENCE * e,
                 to->force) ||
      slopes_add(&r, world->control, control, model->nu, e, to->control))
    return LIMPET_ERROR_MEMORY;
  limpet_gradient_look_back(w);
  return LIMPET_OK;
}

// --------------------------------------------------------------------------------- flight

bool limpet_carried_remembers(const limpet_gradient_workspace *w, int tree) {
  const limpet_flight *flight = w->residual.solved->motion.flight;
  if (!flight) return false;
  const limpet_flight_balance *balance = &flight->balance[tree];
  const bool alone = limpet_flight_alone(flight, tree);
  if (balance->share == 0.0 || (alone && !(flight->flown && flight->flown[tree].known)))
    return false;
  if (!alone && balance->share == 1.0 && balance->renewals > 0 &&
      limpet_flight_parts(flight, tree) == 1)
    return false;
  if (w->world->tree_held[tree] < LIMPET_FLIGHT_HELD_OUTSIDE) return true;
  const limpet_range dofs = limpet_tree_dofs(w->model, tree);
  for (int d = dofs.first; d < dofs.end; ++d) {
    const double u = w->world->v[d] + 0.5 * balance->share * w->world->warm_start[d];
    if (!(w->settings.time_step * fabs(u) < LIMPET_FLIGHT_STILL_WAY)) return true;
  }
  return false;
}

// ---------------------------------------------------------------------------- what is left

bool limpet_carried_misses(const limpet_gradient_workspace *w) {
  if (w->wanted.smoothing.kind != LIMPET_SMOOTHING_NONE) return false;
  const limpet_solved_step *solved = w->residual.solved;
  const limpet_contact_problem *problem = &solved->problem;
  for (int t = 0; w->soft && t < w->model->tree_count; ++t)
    if (limpet_carried_remembers(w, t)) return true;
  for (int i = 0; problem->stretch && i < problem->contact_count; ++i) {
    const double *z = problem->stretch + 3 * i;
    if (pulls(solved, i) && !(limpet_is_zero(3, z) && problem->rebound[i] == 0.0) &&
        (w->soft || !is_plain(solved, i)))
      return true;
  }
  return false;
}
