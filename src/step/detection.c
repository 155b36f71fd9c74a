/* step/detection.c: how far from their surfaces bodies search for contacts, and the search.
 *
 *   own      d/2 + 2 dt (|v_o - v_r| + |w| r + max |dv_i|)     of a body, d: speculative distance
 *   common   2 dt (|v_r| + sqrt(3) max |dv_i|)                 of a tree, r: its first body
 * v_o: velocity of the body's origin, w: its angular velocity, r: its radius about the origin, dv:
 * change of the tree's velocities by free motion; the translations of a floating tree count as
 * common. The factor 2 allows for impacts within the step that speed a body up. Contacts of bodies
 * that impacts throw farther are found one step late. */
#include "step/detection.h"

#include <math.h>

#include "collide/fast_pairs.h"
#include "math/vec3.h"
#include "step/assembly.h"

/* [-]  ways of a step that a body is looked ahead: one for the speed it has, one more for what an
 * impact within the step may add to it. */
static const double ways_ahead = 2.0;
/* [-]  length of a vector over its largest component, at most sqrt(3): changes of velocity are
 * known component by component. Rounded up. */
static const double length_per_component = 1.8;

// Velocity of the body's origin [m/s], W.
static void origin_velocity(const limpet_data *data, int body, int tree, double v[3]) {
  const double *V = data->body_velocity + 6 * body;
  double arm[3], turn[3];
  limpet_vec3_sub(arm, data->body_position + 3 * body, data->tree_origin + 3 * tree);
  limpet_vec3_cross(turn, V, arm);
  limpet_vec3_add(v, V + 3, turn);
}

static void reach_of_tree(const limpet_model *model, const limpet_data *data, const double *v_free,
                          double ahead, int tree, double *own, double *common) {
  const int first = model->tree_body[tree], first_dof = model->tree_dof[tree],
            dofs = model->tree_dof_count[tree];
  const bool floats = model->joint_kind[model->dof_joint[first_dof]] == LIMPET_JOINT_FREE;
  double shared[3], change = 0.0, shared_change = 0.0;
  for (int k = 0; k < dofs; ++k) {
    double *most = floats && k < 3 ? &shared_change : &change;
    *most = fmax(*most, fabs(v_free[first_dof + k] - data->v[first_dof + k]));
  }
  origin_velocity(data, first, tree, shared);
  common[tree] = ahead * (limpet_vec3_norm(shared) + length_per_component * shared_change);
  for (int b = first; b < first + model->tree_body_count[tree]; ++b) {
    double v[3];
    origin_velocity(data, b, tree, v);
    const double turning = limpet_vec3_norm(data->body_velocity + 6 * b) * model->body_radius[b];
    own[b] += ahead * (limpet_vec3_distance(v, shared) + turning + change);
  }
}

/* How far geoms are looked for. Zero where only what touches counts. LIMPET_OK or
 * LIMPET_ERROR_MEMORY. */
static limpet_status reach_of_bodies(const limpet_model *model, const limpet_data *data,
                                     const limpet_step_settings *settings, const double *v_free,
                                     limpet_arena *arena, limpet_reach *reach) {
  double *own = LIMPET_TAKE_ZERO(arena, double, model->body_count),
         *common = LIMPET_TAKE_ZERO(arena, double, model->tree_count);
  *reach = (limpet_reach){own, common};
  if (!own || !common) return LIMPET_ERROR_MEMORY;
  const double speculative = limpet_step_speculative_distance(settings);
  if (!(speculative > 0.0)) return LIMPET_OK;
  const double ahead = ways_ahead * settings->time_step;
  for (int b = 0; b < model->body_count; ++b) own[b] = 0.5 * speculative;
  for (int t = 0; t < model->tree_count; ++t)
    reach_of_tree(model, data, v_free, ahead, t, own, common);
  return LIMPET_OK;
}

// Pairs that pass through each other within the step.
static limpet_status find_fast_pairs(const limpet_model *model, limpet_data *data,
                                     const limpet_step_settings *settings, const double *v_free,
                                     limpet_arena *arena, limpet_collision *collision) {
  const double speculative = limpet_step_speculative_distance(settings);
  if (!(speculative > 0.0)) return LIMPET_OK;
  double change = 0.0;
  for (int i = 0; i < model->nv; ++i) change = fmax(change, fabs(v_free[i] - data->v[i]));
  const double slack = speculative + ways_ahead * settings->time_step * change;
  return limpet_fast_pairs(model, data, settings->time_step, slack,
                           settings->compatibility.single_point, arena, collision);
}

limpet_outcome limpet_step_detect(const limpet_model *model, limpet_data *data,
                                  const limpet_step_settings *settings, const double *v_free,
                                  limpet_arena *arena, limpet_stage_clock *clock,
                                  limpet_collision *collision) {
  *collision = (limpet_collision){0};
  if (model->options.disabled & LIMPET_DISABLE_CONTACT) return LIMPET_OUTCOME_SOLVED;
  limpet_reach reach;
  if (reach_of_bodies(model, data, settings, v_free, arena, &reach))
    return LIMPET_OUTCOME_OUT_OF_MEMORY;

  // 3 broad phase
  if (limpet_broad_phase(model, data, &reach, arena, collision) != LIMPET_OK)
    return LIMPET_OUTCOME_OUT_OF_MEMORY;
  limpet_stage_clock_lap(clock, LIMPET_STAGE_BROAD_PHASE);

  // 4 narrow phase
  if (limpet_narrow_phase(model, data, settings->compatibility.single_point, arena, collision) !=
          LIMPET_OK ||
      find_fast_pairs(model, data, settings, v_free, arena, collision) != LIMPET_OK)
    return LIMPET_OUTCOME_OUT_OF_MEMORY;
  limpet_stage_clock_lap(clock, LIMPET_STAGE_NARROW_PHASE);
  return LIMPET_OUTCOME_SOLVED;
}
