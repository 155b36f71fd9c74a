/* step/soft_motion.c: stage 2 of deformable bodies, and what follows their solve: soft_motion.h. */
#include "step/soft_motion.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "collide/soft.h"
#include "fem/step.h"
#include "fem/tangent.h"
#include "math/vec3.h"
#include "model/mocap.h"
#include "model/workspace.h"
#include "step/anchors.h"
#include "step/soft_islands.h"
#include "step/soft_sets.h"
#include "step/step_threads.h"

// What a world keeps from step to step: memory only.
typedef struct soft_steps {
  int count;
  bool rigid_ties;         // of the settings that they are for
  limpet_fem_step **step;  // (count)
} soft_steps;

static void steps_destroy(void *object) {
  soft_steps *steps = object;
  for (int d = 0; steps->step && d < steps->count; ++d) limpet_fem_step_destroy(steps->step[d]);
  free(steps->step);
  free(steps);
}

static soft_steps *steps_of(const limpet_model *model, limpet_data *data,
                            const limpet_step_settings *settings) {
  void **slot = &data->workspace->object[LIMPET_SLOT_SOFT_MOTION];
  const bool rigid_ties = settings->rigid_ties && !settings->compatibility.midpoint_contact;
  soft_steps *steps = *slot;
  if (steps && steps->rigid_ties == rigid_ties) return steps;
  if (steps) steps_destroy(steps);
  *slot = NULL;
  steps = calloc(1, sizeof *steps);
  if (!steps) return NULL;
  steps->rigid_ties = rigid_ties;
  steps->count = model->deformable_count;
  steps->step = calloc((size_t)steps->count, sizeof *steps->step);
  bool done = steps->step != NULL;
  for (int d = 0; done && d < steps->count; ++d)
    done = (steps->step[d] = limpet_soft_step_create(model, d, rigid_ties)) != NULL;
  if (!done) {
    steps_destroy(steps);
    return NULL;
  }
  data->workspace->destroy[LIMPET_SLOT_SOFT_MOTION] = steps_destroy;
  return *slot = steps;
}

/* Vertices whose motion is known: tied to what cannot move within the problem. Mocap bodies are
 * where they are; their ties follow at the speed that takes them there within the step. */
static int fixed_vertices(const limpet_model *model, const limpet_data *data, int d, double dt,
                          int *fixed, double *velocity) {
  int count = 0;
  for (int t = model->deformable_tie[d]; t < model->deformable_tie[d + 1]; ++t) {
    const int body = model->tie_body[t], vertex = model->tie_vertex[t];
    if (model->body_tree[body] >= 0) continue;
    double at[3];
    limpet_mat3_mul_vec(at, data->body_rotation + 9 * body, model->tie_position + 3 * t);
    for (int k = 0; k < 3; ++k)
      velocity[3 * count + k] =
          (at[k] + data->body_position[3 * body + k] - data->vertex_position[3 * vertex + k]) / dt;
    fixed[count++] = vertex - model->deformable_vertex[d];
  }
  return count;
}

static bool is_tied_to_moving(const limpet_model *model, int d) {
  for (int t = model->deformable_tie[d]; t < model->deformable_tie[d + 1]; ++t)
    if (model->body_tree[model->tie_body[t]] >= 0) return true;
  return false;
}

// By the midpoint rule vertices would be half a step's change of speed off where mocap bodies are.
static bool is_led(const limpet_model *model, int d) {
  for (int t = model->deformable_tie[d]; t < model->deformable_tie[d + 1]; ++t)
    if (limpet_body_on_mocap(model, model->tie_body[t])) return true;
  return false;
}

// What the free motion of one body starts from. LIMPET_OK or LIMPET_ERROR_MEMORY.
static limpet_status input_of(const limpet_model *model, limpet_data *data,
                              const limpet_step_settings *settings, int d, limpet_arena *arena,
                              limpet_fem_input *input) {
  const int first = model->deformable_vertex[d], ties = model->deformable_tie[d];
  const int room = model->deformable_tie[d + 1] - ties;
  int *fixed = LIMPET_TAKE(arena, int, room);
  double *fixed_velocity = LIMPET_TAKE(arena, double, 3 * room);
  if (!fixed || !fixed_velocity) return LIMPET_ERROR_MEMORY;
  const double dt = settings->time_step;
  *input = (limpet_fem_input){.position = data->vertex_position + 3 * first,
                              .velocity = data->vertex_velocity + 3 * first,
                              .dt = dt,
                              .fixed = fixed,
                              .fixed_velocity = fixed_velocity};
  input->fixed_count = fixed_vertices(model, data, d, dt, fixed, fixed_velocity);
  const bool weight =
      model->deformable_gravity[d] && !(model->options.disabled & LIMPET_DISABLE_GRAVITY);
  for (int k = 0; weight && k < 3; ++k) input->gravity[k] = model->options.gravity[k];
  return LIMPET_OK;
}

static bool is_near(const limpet_model *model, limpet_data *data,
                    const limpet_step_settings *settings, int d) {
  return !settings->compatibility.midpoint_contact &&
         (is_tied_to_moving(model, d) || is_led(model, d) ||
          limpet_soft_near(model, data, d, settings->time_step, settings->speculative_distance));
}

typedef struct free_motions {
  const limpet_model *model;
  const limpet_data *data;
  limpet_soft_motion *soft;
  const limpet_fem_input *input;  // (count)
  bool follows;                   // bodies gain no energy by forces that are linear in the step
  bool goes_on;                   // rounds follow, in which what is tied is solved
  bool recalls;                   // what contacts carried may be asked for
} free_motions;

/* [N s]  The most that a law may leave at the velocity of the start for being taken there, not at
 * the end of the free motion: without the contacts that press it, or what it is tied to, a body
 * goes far astray from where it ends. What spins or is hit leaves more. */
static double near_start(const free_motions *all, int d) {
  static const double most = 2.0;  // [-]  of what contacts carried
  const limpet_model *model = all->model;
  const limpet_fem_body_info info = limpet_fem_body_information(model->deformable_body[d]);
  if (!all->follows || !all->input[d].backward_euler) return 0.0;
  if (is_tied_to_moving(model, d)) return limpet_elastic_law_is_linear(info.law) ? 0.0 : INFINITY;
  return all->recalls
             ? most * all->input[d].dt * limpet_anchors_force(all->data, model->deformable_geom[d])
             : 0.0;
}

// The free motion of a body as its step has it.
static void take_free(const limpet_model *model, int d, limpet_soft_motion *soft) {
  limpet_soft_body *body = &soft->body[d];
  const int first = model->deformable_vertex[d];
  const size_t count = (size_t)(model->deformable_vertex[d + 1] - first);
  body->failed = body->outcome == LIMPET_FEM_NOT_POSITIVE || body->outcome == LIMPET_FEM_NOT_FINITE;
  const double *v =
      body->failed ? body->step->input.velocity : limpet_fem_step_free_velocity(body->step);
  memcpy(soft->v_free + 3 * first, v, 3 * count * sizeof *v);
}

// A task: bodies do not know of each other here.
static void free_motion(void *context, int d, int thread) {
  const free_motions *all = context;
  (void)thread;
  limpet_soft_body *body = &all->soft->body[d];
  const double left = near_start(all, d);
  if (left > 0.0) {
    bool ends;
    body->outcome = limpet_fem_begin_pressed(body->step, &all->input[d], left, &ends);
    body->near_start = !ends;
  } else if (all->follows && !is_tied_to_moving(all->model, d)) {
    body->outcome = limpet_fem_begin_or_follow(body->step, &all->input[d]);
  } else {  // what is tied is part of the problem, and judged there
    body->outcome = all->goes_on ? limpet_fem_begin_turning(body->step, &all->input[d])
                                 : limpet_fem_step_begin(body->step, &all->input[d]);
    body->relinearised = body->step->began_turning;
  }
  take_free(all->model, d, all->soft);
}

void limpet_soft_motion_end_free(const limpet_model *model, int d, limpet_soft_motion *soft) {
  assert(model && soft && d >= 0 && d < soft->count);
  limpet_soft_body *body = &soft->body[d];
  if (!body->near_start || body->failed) return;
  body->near_start = body->relinearised = false;
  body->outcome = limpet_fem_end_pressed(body->step);
  take_free(model, d, soft);
}

limpet_status limpet_soft_motion_begin(const limpet_model *model, limpet_data *data,
                                       const limpet_step_settings *settings, limpet_arena *arena,
                                       limpet_soft_motion **soft) {
  assert(model && data && settings && arena && soft);
  *soft = NULL;
  if (model->deformable_count == 0) return LIMPET_OK;
  soft_steps *steps = steps_of(model, data, settings);
  limpet_soft_motion *motion = LIMPET_TAKE_ZERO(arena, limpet_soft_motion, 1);
  if (!steps || !motion) return LIMPET_ERROR_MEMORY;
  motion->count = model->deformable_count;
  motion->whole_compliance = !settings->compatibility.midpoint_contact;
  motion->keeps_spin = !settings->compatibility.plain_flight;
  motion->round_margin = INFINITY;
  motion->body = LIMPET_TAKE_ZERO(arena, limpet_soft_body, motion->count);
  motion->v_free = LIMPET_TAKE(arena, double, 3 * (size_t)model->vertex_count);
  limpet_fem_input *input = LIMPET_TAKE(arena, limpet_fem_input, motion->count);
  if (!motion->body || !motion->v_free || !input) return LIMPET_ERROR_MEMORY;
  motion->threads = limpet_step_threads(data, settings->threads);
  limpet_soft_near_begin(model, data);
  for (int d = 0; d < motion->count; ++d) {
    motion->body[d] = (limpet_soft_body){.step = steps->step[d], .block = LIMPET_NONE};
    if (input_of(model, data, settings, d, arena, &input[d])) return LIMPET_ERROR_MEMORY;
    input[d].backward_euler = is_near(model, data, settings, d);
    limpet_soft_sets_place(model, data, settings, d, steps->step[d]);
  }
  const bool follows =
      !settings->compatibility.midpoint_contact && !settings->linearised_elasticity;
  free_motions all = {model,
                      data,
                      motion,
                      input,
                      follows,
                      follows && !settings->scheme->from_rest,
                      settings->warm_start};
  limpet_threads_run(motion->threads, motion->count, free_motion, &all);
  *soft = motion;
  return LIMPET_OK;
}

limpet_status limpet_soft_motion_linearise(const limpet_model *model, limpet_data *data,
                                           const limpet_step_settings *settings,
                                           const limpet_soft_point *point, limpet_arena *arena,
                                           limpet_soft_motion **soft) {
  assert(model && data && settings && point && point->v && point->like && arena && soft);
  const limpet_soft_motion *like = point->like;
  soft_steps *steps = steps_of(model, data, settings);
  limpet_soft_motion *motion = LIMPET_TAKE_ZERO(arena, limpet_soft_motion, 1);
  if (!steps || !motion) return LIMPET_ERROR_MEMORY;
  *motion = *like;
  motion->body = LIMPET_TAKE_ZERO(arena, limpet_soft_body, motion->count);
  motion->v_free = LIMPET_TAKE(arena, double, 3 * (size_t)model->vertex_count);
  if (!motion->body || !motion->v_free) return LIMPET_ERROR_MEMORY;
  memcpy(motion->v_free, point->v, 3 * (size_t)model->vertex_count * sizeof *point->v);
  for (int d = 0; d < motion->count; ++d) {
    limpet_soft_body *body = &motion->body[d];
    limpet_fem_input input;
    const bool follows = limpet_fem_follows(like->body[d].step);
    *body = like->body[d];
    body->step = steps->step[d];
    if (input_of(model, data, settings, d, arena, &input)) return LIMPET_ERROR_MEMORY;
    input.backward_euler = like->body[d].step->input.backward_euler;
    limpet_soft_sets_place(model, data, settings, d, body->step);
    const double *own = motion->v_free + 3 * model->deformable_vertex[d];
    body->failed = !limpet_fem_step_linearise(body->step, &input, own, follows, point->factored);
  }
  *soft = motion;
  return LIMPET_OK;
}

// A body that is held stays where and as it is.
static void hold(const limpet_data *data, int first, size_t size, double *v, double *q) {
  memcpy(v + first, data->vertex_velocity + first, size);
  memcpy(q + first, data->vertex_position + first, size);
}

// The vertices that take part move the others of the body along.
static limpet_status follow(const limpet_soft_body *body, const limpet_contact_problem *problem,
                            const double *v_problem, limpet_arena *arena, double *v) {
  const int dof = problem->block[body->block].dof;
  double *dv = LIMPET_TAKE(arena, double, body->size);
  if (!dv) return LIMPET_ERROR_MEMORY;
  for (int i = 0; i < body->size; ++i) dv[i] = v_problem[dof + i] - problem->v_free[dof + i];
  limpet_fem_step_follow(body->step, dv, v);
  return LIMPET_OK;
}

bool limpet_soft_flies(const limpet_soft_body *body, const limpet_contact_problem *problem,
                       const limpet_contact_solution *solution) {
  assert(body && problem && solution);
  if (body->failed) return false;
  if (body->block == LIMPET_NONE) return true;
  const limpet_block *block = &problem->block[body->block];
  if (solution->held[body->block]) return false;
  for (int i = block->dof; i < block->dof + block->size; ++i)
    if (solution->impulse[i] != 0.0) return false;
  return true;
}

// The end of a body in free flight from v; what touches turns as its contacts let it.
static void turn(const limpet_soft_motion *soft, const limpet_soft_body *body, const double *v_free,
                 size_t size, double *v) {
  if (soft->keeps_spin && limpet_fem_step_keep_spin(body->step, NULL, v) &&
      !limpet_fem_thin_may_turn(body->step, v))
    memcpy(v, v_free, size);
}

limpet_status limpet_soft_motion_end(const limpet_model *model, const limpet_data *data,
                                     const limpet_soft_motion *soft, limpet_arena *arena,
                                     const limpet_soft_end *end) {
  assert(model && data && soft && arena && end && end->problem && end->solution);
  double *v = end->v, *q = end->q;
  for (int d = 0; d < soft->count; ++d) {
    const limpet_soft_body *body = &soft->body[d];
    const int first = 3 * model->deformable_vertex[d];
    const size_t size = (size_t)(3 * model->deformable_vertex[d + 1] - first) * sizeof *v;
    if (body->failed || (body->block != LIMPET_NONE && end->solution->held[body->block])) {
      hold(data, first, size, v, q);
      continue;
    }
    memcpy(v + first, soft->v_free + first, size);
    if (body->block == LIMPET_NONE) turn(soft, body, soft->v_free + first, size, v + first);
    else if (!limpet_soft_flies(body, end->problem, end->solution) &&
             follow(body, end->problem, end->solution->v, arena, v + first))
      return LIMPET_ERROR_MEMORY;
    limpet_fem_step_positions(body->step, v + first, q + first);
  }
  return LIMPET_OK;
}

void limpet_soft_motion_turn(const limpet_model *model, const limpet_soft_motion *soft,
                             const limpet_soft_end *end) {
  assert(model && soft && end && end->problem && end->solution);
  double *v = end->v, *q = end->q;
  for (int d = 0; d < soft->count; ++d) {
    const limpet_soft_body *body = &soft->body[d];
    const int first = 3 * model->deformable_vertex[d];
    const size_t size = (size_t)(3 * model->deformable_vertex[d + 1] - first) * sizeof *v;
    if (body->block == LIMPET_NONE || !limpet_soft_flies(body, end->problem, end->solution))
      continue;
    turn(soft, body, soft->v_free + first, size, v + first);
    limpet_fem_step_positions(body->step, v + first, q + first);
  }
}
