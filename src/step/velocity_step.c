/* step/velocity_step.c: the stages that the schemes in velocities share: see velocity_step.h. Their
 * numbers are those of docs/pipeline.md. Step memory comes from the arena; contact results stay in
 * it until the next step but one. */
#include "step/velocity_step.h"

#include <math.h>
#include <time.h>

#include "base/threads.h"
#include "collide/fast_pairs.h"
#include "constraint/kind.h"
#include "contact/assemble.h"
#include "law/normal_law.h"
#include "math/vec3.h"
#include "model/workspace.h"
#include "solve/friction_bounds.h"
#include "step/activation.h"
#include "step/anchors.h"
#include "step/results.h"
#include "step/sensing.h"

static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

// Adds the time since *clock to a stage and restarts the clock.
static void lap(const limpet_step_settings *settings, limpet_data *data, limpet_stage stage,
                double *clock) {
  if (!settings->profile) return;
  const double time = now();
  data->info.stage_time[stage] = time - *clock;
  *clock = time;
}

// Threads live with the world; asking for another number replaces them.
static void pool_destroy(void *object) { limpet_threads_destroy(object); }

static limpet_threads *pool_of(limpet_data *data, int threads) {
  if (threads <= 1) return NULL;
  limpet_workspace *workspace = data->workspace;
  limpet_threads *pool = workspace->object[LIMPET_SLOT_STEP];
  if (pool && limpet_threads_count(pool) == threads) return pool;
  limpet_threads_destroy(pool);
  workspace->object[LIMPET_SLOT_STEP] = pool = limpet_threads_create(threads);
  workspace->destroy[LIMPET_SLOT_STEP] = pool_destroy;
  return pool;
}

// The law that contacts are to follow; NULL: Hunt-Crossley, which contact models know themselves,
// or what a model has built in.
static const limpet_normal_law *normal_law_of(const limpet_step_settings *settings) {
  const limpet_normal_law *law = settings->normal_law;
  return law == &limpet_normal_law_hunt_crossley ||
                 limpet_contact_model_normal_law(settings->contact_model)
             ? NULL
             : law;
}

// Distance from which contacts take part: the law's force may begin before the setting's.
static double speculative_distance_of(const limpet_step_settings *settings) {
  const limpet_normal_law *law = normal_law_of(settings);
  const double range = law && law->range ? law->range(law, settings->normal_parameter) : 0.0;
  return fmax(settings->speculative_distance, range);
}

// Velocity of the body's origin [m/s], W.
static void origin_velocity(const limpet_data *data, int body, int tree, double v[3]) {
  const double *V = data->body_velocity + 6 * body;
  double arm[3], turn[3];
  limpet_vec3_sub(arm, data->body_position + 3 * body, data->tree_origin + 3 * tree);
  limpet_vec3_cross(turn, V, arm);
  limpet_vec3_add(v, V + 3, turn);
}

/* How far geoms are looked for: half the speculative distance, and twice what a body moves in the
 * step by its velocity now or, as far as the tree's velocities tell, after free motion; what it
 * shares with the first body of its tree apart. Zero where only what touches counts. 0, or 1
 * without memory. */
static int reach_of_bodies(const limpet_model *model, const limpet_data *data,
                           const limpet_step_settings *settings, const double *v_free,
                           limpet_arena *arena, limpet_reach *reach) {
  double *own = LIMPET_TAKE_ZERO(arena, double, model->body_count),
         *common = LIMPET_TAKE_ZERO(arena, double, model->tree_count);
  *reach = (limpet_reach){own, common};
  if (!own || !common) return 1;
  const double speculative = speculative_distance_of(settings);
  if (!(speculative > 0.0)) return 0;
  const double twice = 2.0 * settings->time_step;
  for (int b = 0; b < model->body_count; ++b) own[b] = 0.5 * speculative;
  for (int t = 0; t < model->tree_count; ++t) {
    const int first = model->tree_body[t], first_dof = model->tree_dof[t],
              dofs = model->tree_dof_count[t];
    const bool floats = model->joint_kind[model->dof_joint[first_dof]] == LIMPET_JOINT_FREE;
    double shared[3], change = 0.0, shared_change = 0.0;
    for (int k = 0; k < dofs; ++k) {
      double *most = floats && k < 3 ? &shared_change : &change;
      *most = fmax(*most, fabs(v_free[first_dof + k] - data->v[first_dof + k]));
    }
    origin_velocity(data, first, t, shared);
    common[t] = twice * (limpet_vec3_norm(shared) +
                         1.8 * shared_change);  // three components of at most that size
    for (int b = first; b < first + model->tree_body_count[t]; ++b) {
      double v[3];
      origin_velocity(data, b, t, v);
      const double turning = limpet_vec3_norm(data->body_velocity + 6 * b) * model->body_radius[b];
      own[b] += twice * (limpet_vec3_distance(v, shared) + turning + change);
    }
  }
  return 0;
}

static limpet_outcome detect(const limpet_model *model, limpet_data *data,
                             const limpet_step_settings *settings, limpet_arena *arena,
                             const double *v_free, limpet_collision *collision, double *clock) {
  *collision = (limpet_collision){0};
  if (model->options.disabled & LIMPET_DISABLE_CONTACT) return LIMPET_OUTCOME_SOLVED;
  limpet_reach reach;
  if (reach_of_bodies(model, data, settings, v_free, arena, &reach))
    return LIMPET_OUTCOME_OUT_OF_MEMORY;

  // 3 broad phase
  if (limpet_broad_phase(model, data, &reach, arena, collision) != LIMPET_OK)
    return LIMPET_OUTCOME_OUT_OF_MEMORY;
  lap(settings, data, LIMPET_STAGE_BROAD_PHASE, clock);

  // 4 narrow phase
  if (limpet_narrow_phase(model, data, settings->single_point, arena, collision) != LIMPET_OK)
    return LIMPET_OUTCOME_OUT_OF_MEMORY;
  const double speculative = speculative_distance_of(settings);
  if (speculative > 0.0) {
    double change = 0.0;
    for (int i = 0; i < model->nv; ++i) change = fmax(change, fabs(v_free[i] - data->v[i]));
    const double slack = speculative + 2.0 * settings->time_step * change;
    if (limpet_fast_pairs(model, data, settings->time_step, slack, settings->single_point, arena,
                          collision) != LIMPET_OK)
      return LIMPET_OUTCOME_OUT_OF_MEMORY;
  }
  lap(settings, data, LIMPET_STAGE_NARROW_PHASE, clock);
  return LIMPET_OUTCOME_SOLVED;
}

int limpet_velocity_assemble(const limpet_model *model, limpet_data *data,
                             const limpet_step_settings *settings, double speculative,
                             limpet_arena *arena, const limpet_free_motion *motion,
                             const limpet_collision *collision, limpet_contact_problem *problem) {
  const limpet_assembly_settings assembly = {
      .dt = settings->time_step,
      .contact = {.stiction_speed = settings->stiction_speed,
                  .friction_regularization = settings->friction_regularization,
                  .near_rigid_ratio = settings->near_rigid_ratio,
                  .return_speed = settings->return_speed,
                  .error_reduction = settings->error_reduction,
                  .softening = settings->softening,
                  .bound_slack = settings->bound_slack},
      .normal_law = normal_law_of(settings),
      .normal_parameter = settings->normal_parameter,
      .glide = settings->contact_model->glide,
      .near_rigid_ratio = settings->near_rigid_ratio,
      .rigid_stiffness = settings->rigid_stiffness,
      .constraint_ratio = settings->constraint_ratio,
      .equality_ratio = settings->equality_ratio,
      .return_speed = settings->return_speed,
      .mixed_weld_weight = settings->mixed_weld_weight,
      .late_tendon_limits = settings->late_tendon_limits,
      .curved_paths = settings->curved_paths && !motion->straight,
      .speculative_distance = speculative,
      .servo_included = motion->servo_included,
  };
  *problem = (limpet_contact_problem){
      .model = settings->contact_model,
      .settings = assembly.contact,
      .dt = settings->time_step,
      .nv = model->nv,
      .tree_count = model->tree_count,
      .tree_dof = model->tree_dof,
      .tree_dof_count = model->tree_dof_count,
      .dof_tree = model->dof_tree,
      .tree_matrix = model->tree_mass,
      .A = motion->A,
      .momentum = motion->momentum,
      .v_free = motion->v_free,
      .v_start = data->v,
      .moves_before = motion->moves_before,
  };
  return limpet_contacts_assemble(model, data, &assembly, collision, arena, problem) ||
         limpet_constraints_assemble(model, data, &assembly, arena, problem);
}

// Whether contacts carry forces from step to step.
static bool carries(const limpet_step_settings *settings) {
  const limpet_contact_model *model = settings->contact_model;
  return model->anchored || (model->resumes && settings->warm_start) ||
         (model->bound_friction && settings->friction_passes > 0);
}

static limpet_outcome solve(const limpet_model *model, limpet_data *data,
                            const limpet_step_settings *settings, limpet_arena *arena,
                            limpet_contact_problem *problem, double *v, double *impulse) {
  limpet_solve_settings solver = {.newton = limpet_newton_settings_default(),
                                  .friction_passes = settings->friction_passes,
                                  .dense_limit = settings->dense_limit,
                                  .condition_number = settings->condition_number};
  solver.newton.tolerance = settings->tolerance;
  solver.newton.iteration_limit = settings->iteration_limit;

  // start from the old velocity, or from its last change carried on
  double *guess = settings->warm_start ? LIMPET_TAKE(arena, double, model->nv) : NULL;
  for (int i = 0; i < model->nv; ++i) {
    v[i] = data->v[i];
    if (guess) guess[i] = data->v[i] + data->warm_start[i];
  }
  limpet_solve_info info;
  if (limpet_problem_solve(problem, &solver, pool_of(data, settings->threads), arena, guess, v,
                           impulse, &info))
    return LIMPET_OUTCOME_OUT_OF_MEMORY;
  limpet_results_solver(data, &info);

  limpet_outcome outcome = info.outcome;
  for (int i = 0; i < model->nv; ++i)
    if (!isfinite(v[i])) outcome = LIMPET_OUTCOME_NUMERICAL_FAILURE;
  return outcome;
}

// `moves`: the velocity that positions move with, v: that at the end of the step.
static void integrate(const limpet_model *model, limpet_data *data,
                      const limpet_step_settings *settings, const double *moves, const double *v) {
  const double dt = settings->time_step;
  limpet_integrate_position(model, data->q, data->q, moves, dt, settings->first_order_rotation);
  for (int i = 0; i < model->nv; ++i) {
    data->warm_start[i] = v[i] - data->v[i];
    data->v[i] = v[i];
  }
  limpet_activation_integrate(model, data, dt);
  data->time += dt;
}

const limpet_velocity_record *limpet_velocity_record_of(const limpet_data *data) {
  return data->workspace->record;
}

limpet_outcome limpet_velocity_step(const limpet_model *model, limpet_data *data,
                                    const limpet_step_settings *settings,
                                    limpet_free_motion_function free_motion) {
  limpet_arena *arena = limpet_workspace_turn(data->workspace);
  const int growth = data->info.arena_growth;
  double clock = settings->profile ? now() : 0.0;
  data->info = (limpet_step_info){.arena_growth = growth};
  limpet_results_clear(data);
  limpet_velocity_record *record = LIMPET_TAKE(arena, limpet_velocity_record, 1);
  data->workspace->record = NULL;
  if (!record) return data->info.outcome = LIMPET_OUTCOME_OUT_OF_MEMORY;

  // 1 kinematics
  limpet_kinematics(model, data);
  limpet_geom_kinematics(model, data, false);
  limpet_velocity_kinematics(model, data);
  lap(settings, data, LIMPET_STAGE_KINEMATICS, &clock);

  // 2 dynamics
  limpet_free_motion *motion = &record->motion;
  limpet_outcome outcome = free_motion(model, data, settings, arena, motion);
  if (outcome != LIMPET_OUTCOME_SOLVED) return data->info.outcome = outcome;
  lap(settings, data, LIMPET_STAGE_DYNAMICS, &clock);

  // 3, 4 collision
  limpet_collision *collision = &record->collision;
  outcome = detect(model, data, settings, arena, motion->v_free, collision, &clock);
  if (outcome != LIMPET_OUTCOME_SOLVED) return data->info.outcome = outcome;

  // 5 assembly
  limpet_contact_problem *problem = &record->problem;
  if (limpet_velocity_assemble(model, data, settings, speculative_distance_of(settings), arena,
                               motion, collision, problem) ||
      limpet_problem_partition(problem, arena) ||
      (carries(settings) && limpet_anchors_load(data, collision, arena, problem)))
    return data->info.outcome = LIMPET_OUTCOME_OUT_OF_MEMORY;
  if (problem->carried && settings->contact_model->bound_friction)
    limpet_friction_bounds_resume(problem);
  lap(settings, data, LIMPET_STAGE_ASSEMBLY, &clock);

  // 6 solve
  double *v = LIMPET_TAKE(arena, double, model->nv),
         *impulse = LIMPET_TAKE(arena, double, model->nv);
  double *end = motion->after ? LIMPET_TAKE(arena, double, model->nv) : v;
  if (!v || !impulse || !end) return data->info.outcome = LIMPET_OUTCOME_OUT_OF_MEMORY;
  outcome = data->info.outcome = solve(model, data, settings, arena, problem, v, impulse);
  if (outcome > LIMPET_OUTCOME_INFEASIBLE) return outcome;
  lap(settings, data, LIMPET_STAGE_SOLVE, &clock);

  // 7 integration and results
  for (int k = 0; k < model->nv && motion->after; ++k) end[k] = v[k] + motion->after[k];
  if (limpet_results_contacts(data, problem, collision, arena) ||
      limpet_results_constraints(model, data, problem, motion, impulse, arena) ||
      limpet_results_servos(model, data, motion, v, arena) ||
      limpet_step_sense(model, data, end, settings->time_step, arena))
    return data->info.outcome = LIMPET_OUTCOME_OUT_OF_MEMORY;
  data->workspace->record = record;
  if (problem->carried && settings->contact_model->bound_friction)
    limpet_friction_bounds_carry(problem);
  if (problem->carried) limpet_anchors_store(data, collision, problem);
  integrate(model, data, settings, motion->moves_before ? data->v : v, end);
  lap(settings, data, LIMPET_STAGE_INTEGRATION, &clock);
  if (settings->energy)
    limpet_results_energy(model, data, problem);  // a report: no part of the time of a step
  return outcome;
}
