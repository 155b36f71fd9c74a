// solve/idle.c: see idle.h. Cost: 30 operations a contact, and a copy of those that stay.
#include "solve/idle.h"

#include <math.h>
#include <string.h>

#include "law/normal_law.h"
#include "math/extremes.h"
#include "solve/island.h"

// Islands with more contacts are solved whole; those left out are at least so many, and a share.
enum { MOST_CONTACTS = 64, FEWEST_IDLE = 3, SHARE = 4 };
static const double ways_ahead = 2.0;  // [-]  of the speed with which a contact closes

static bool is_idle(const limpet_contact_problem *p, int contact) {
  const limpet_contact_constants *c = &p->constants[contact];
  const double *f = p->carried + 3 * contact;
  if (f[0] != 0.0 || f[1] != 0.0 || f[2] != 0.0 || c->surface || c->soft) return false;
  if (!isfinite(c->stiffness)) return false;  // no law, which the whole solve tells
  double slope;
  const double v = ways_ahead * limpet_min(0.0, c->normal_speed);
  return limpet_normal_impulse(c, v, &slope) == 0.0 && slope == 0.0;
}

static int count_idle(const limpet_contact_problem *p, const limpet_island *island, bool *idle) {
  int count = 0;
  for (int i = 0; i < island->contact_count; ++i)
    count += idle[i] = is_idle(p, island->contact + i);
  return count;
}

// Contact `from` of the problem to the place `to`.
static void copy_contact(limpet_idle *idle, int from, int to) {
  const limpet_contact_problem *p = idle->problem;
  limpet_contact_problem *rest = &idle->rest;
  idle->contact[to] = from;
  rest->constants[to] = p->constants[from];
  memcpy(rest->contact_row + 18 * to, p->contact_row + 18 * from, 18 * sizeof(double));
  memcpy(rest->carried + 3 * to, p->carried + 3 * from, 3 * sizeof(double));
  if (p->contact_bias)
    memcpy(rest->contact_bias + LIMPET_CONTACT_BIAS * to,
           p->contact_bias + LIMPET_CONTACT_BIAS * from, LIMPET_CONTACT_BIAS * sizeof(double));
}

// The contacts and spins of a patch that stay; none where nothing does.
static void copy_patch(limpet_idle *idle, const limpet_patch *patch) {
  const limpet_contact_problem *p = idle->problem;
  limpet_contact_problem *rest = &idle->rest;
  limpet_patch own = *patch;
  own.contact = rest->contact_count, own.spin = rest->spin_count;
  int spin = patch->spin;
  const int spin_end = patch->spin + patch->spin_count;
  for (int c = patch->contact; c < patch->contact + patch->contact_count; ++c) {
    const bool stays = !idle->left_out[c - idle->island->contact];
    for (; spin < spin_end && p->spin[spin].contact == c; ++spin) {
      if (!stays) continue;
      idle->spin[rest->spin_count] = spin;
      rest->spin[rest->spin_count] = p->spin[spin];
      rest->spin[rest->spin_count++].contact = rest->contact_count;
    }
    if (stays) copy_contact(idle, c, rest->contact_count++);
  }
  own.contact_count = rest->contact_count - own.contact;
  own.spin_count = rest->spin_count - own.spin;
  if (own.contact_count > 0) rest->patch[rest->patch_count++] = own;
}

// Bounds of the contacts that stay, and of all rows.
static limpet_status copy_bounds(limpet_idle *idle, limpet_arena *arena) {
  const limpet_contact_problem *p = idle->problem;
  limpet_contact_problem *rest = &idle->rest;
  if (!p->return_bound) return LIMPET_OK;
  double *bound = LIMPET_TAKE(arena, double, rest->contact_count + p->row_count);
  if (!bound) return LIMPET_ERROR_MEMORY;
  for (int i = 0; i < rest->contact_count; ++i) bound[i] = p->return_bound[idle->contact[i]];
  memcpy(bound + rest->contact_count, p->return_bound + p->contact_count,
         (size_t)p->row_count * sizeof *bound);
  rest->return_bound = bound;
  return LIMPET_OK;
}

static limpet_status copy_rest(limpet_idle *idle, int contacts, limpet_arena *arena) {
  const limpet_contact_problem *p = idle->problem;
  const limpet_island *island = idle->island;
  limpet_contact_problem *rest = &idle->rest;
  *rest = *p;
  rest->patch = LIMPET_TAKE(arena, limpet_patch, island->patch_count);
  rest->constants = LIMPET_TAKE(arena, limpet_contact_constants, contacts);
  rest->contact_row = LIMPET_TAKE(arena, double, 18 * contacts);
  rest->carried = LIMPET_TAKE(arena, double, 3 * contacts);
  if (p->contact_bias)
    rest->contact_bias = LIMPET_TAKE(arena, double, LIMPET_CONTACT_BIAS *contacts);
  rest->spin = LIMPET_TAKE(arena, limpet_spin, island->spin_count);
  idle->contact = LIMPET_TAKE(arena, int, contacts);
  idle->spin = LIMPET_TAKE(arena, int, island->spin_count);
  if (!rest->patch || !rest->constants || !rest->contact_row || !rest->carried ||
      (p->contact_bias && !rest->contact_bias) || !rest->spin || !idle->contact || !idle->spin)
    return LIMPET_ERROR_MEMORY;
  rest->contact_source = NULL;
  rest->stretch = rest->rebound = rest->taken = NULL;
  rest->shear = NULL;
  rest->patch_count = rest->contact_count = rest->spin_count = 0;
  for (int i = 0; i < island->patch_count; ++i) copy_patch(idle, &p->patch[island->patch + i]);
  idle->rest_island = *island;
  idle->rest_island.patch = idle->rest_island.contact = idle->rest_island.spin = 0;
  idle->rest_island.patch_count = rest->patch_count;
  idle->rest_island.contact_count = rest->contact_count;
  idle->rest_island.spin_count = rest->spin_count;
  rest->island = &idle->rest_island;
  rest->island_count = 1;
  return copy_bounds(idle, arena);
}

limpet_status limpet_idle_leave_out(limpet_idle *idle, const limpet_contact_problem *problem,
                                    int island, limpet_arena *arena, bool *any) {
  const limpet_island *one = &problem->island[island];
  const int count = one->contact_count;
  *any = false;
  if (!problem->carried || problem->vertex_dof || count < FEWEST_IDLE || count > MOST_CONTACTS)
    return LIMPET_OK;
  bool left_out[MOST_CONTACTS];
  const int idle_count = count_idle(problem, one, left_out);
  if (idle_count < FEWEST_IDLE || SHARE * idle_count < count) return LIMPET_OK;
  *idle = (limpet_idle){.problem = problem,
                        .island = one,
                        .left_out = LIMPET_TAKE(arena, bool, count),
                        .velocity = LIMPET_TAKE(arena, double, 3 * count)};
  if (!idle->left_out || !idle->velocity) return LIMPET_ERROR_MEMORY;
  memcpy(idle->left_out, left_out, (size_t)count * sizeof *left_out);
  *any = true;
  return copy_rest(idle, count - idle_count, arena);
}

bool limpet_idle_stays(limpet_idle *idle, const double *x) {
  const limpet_contact_problem *p = idle->problem;
  const limpet_island *island = idle->island;
  for (int i = 0; i < island->patch_count; ++i) {
    const limpet_patch *patch = &p->patch[island->patch + i];
    double V[6];
    limpet_patch_velocity(patch, x, V);
    for (int c = patch->contact; c < patch->contact + patch->contact_count; ++c) {
      const int local = c - island->contact;
      if (!idle->left_out[local]) continue;
      double *v = idle->velocity + 3 * local, slope;
      for (int e = 0; e < 3; ++e) v[e] = limpet_spatial_dot(p->contact_row + 18 * c + 6 * e, V);
      for (int e = 0; e < 2 && p->contact_bias; ++e)
        v[e] += p->contact_bias[LIMPET_CONTACT_BIAS * c + e];
      if (!(limpet_normal_impulse(&p->constants[c], v[2], &slope) == 0.0) || slope != 0.0)
        return false;
    }
  }
  return true;
}
