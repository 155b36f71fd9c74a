/* gradient/soft_follow.c: contact points of deformable bodies at other poses and vertices.
 *
 * They are sought as in a step, a little farther than the farthest of the step's, and found again
 * by geoms and feature. Cost: the search of a step. */
#include <math.h>

#include "collide/soft.h"
#include "gradient/soft_gradient.h"
#include "step/assembly.h"

// [m]  The farthest point of the step, and more.
static double farthest(const limpet_probe *probe) {
  const limpet_collision *found = &probe->residual->solved->collision;
  double most = limpet_step_speculative_distance(probe->settings);
  for (int i = 0; i < found->contact_count; ++i)
    if (found->contact[i].link) most = fmax(most, found->contact[i].point.distance);
  return most + probe->slack;
}

limpet_status limpet_soft_follow(const limpet_probe *probe, limpet_arena *arena,
                                 limpet_collision *found) {
  const limpet_model *model = probe->model;
  const double *zero = LIMPET_TAKE_ZERO(arena, double, model->body_count);
  const limpet_solved_step *solved = probe->residual->solved;
  if (!zero) return LIMPET_ERROR_MEMORY;
  const limpet_reach reach = {.body = zero, .tree = zero};
  const limpet_soft_request request = {.v_free = solved->motion.soft->v_free,
                                       .dt = probe->settings->time_step,
                                       .speculative = farthest(probe),
                                       .reach = &reach,
                                       .surfaces = solved->collision.surfaces};
  *found = (limpet_collision){.surfaces = solved->collision.surfaces};
  return limpet_soft_contacts(model, probe->data, &request, arena, found);
}

const limpet_collision_contact *limpet_soft_find(const limpet_collision *found,
                                                 const limpet_collision_pair *pair,
                                                 uint64_t feature) {
  for (int i = 0; i < found->contact_count; ++i) {
    const limpet_collision_pair *other = &found->pair[found->contact[i].pair];
    if (found->contact[i].point.feature == feature && other->geom_a == pair->geom_a &&
        other->geom_b == pair->geom_b)
      return &found->contact[i];
  }
  return NULL;
}
