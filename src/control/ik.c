/* control/ik.c: inverse kinematics by damped least squares within joint limits.
 *
 *   minimise 1/2 |r(q)|^2,  lower <= q <= upper       r, J: ik_tasks.c
 *   step     (J'J + mu I) dq = J'r, after 20 iterations with the full Hessian (ik_tasks.c), for
 *            targets out of reach, over the joints that are free: not at a limit with J'r pointing
 *            outwards; then at most `largest_step` and back inside the limits. Taken if the cost
 *            falls; mu falls or grows by the ratio of the fall to what the model promised.
 *   posture  once solved: q + alpha N (posture - q), N = I - J'(J J' + epsilon I)^-1 J, followed by
 *            steps back to the target; alpha is halved until the posture comes nearer.
 * Where a start ends out of reach, it is nudged once, for a straight arm does not see a target on
 * its own line; then further starts follow, spread over the joint ranges by a generator with a
 * fixed start. Reference: Buss, Introduction to inverse kinematics (2004); Nielsen, Damping
 * parameter in Marquardt's method (1999). Cost of an iteration: kinematics + n^3. */
#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "control/ik.h"
#include "control/joints.h"
#include "limpet/dynamics.h"
#include "math/dense.h"
#include "math/vec3.h"

limpet_ik_task limpet_ik_task_default(limpet_object object, int index) {
  assert((object == LIMPET_OBJECT_BODY || object == LIMPET_OBJECT_SITE) && index >= 0);
  return (limpet_ik_task){.object = object,
                          .index = index,
                          .target.quaternion = {1.0, 0.0, 0.0, 0.0},
                          .position_weight = 1.0,
                          .rotation_weight = 1.0};
}

limpet_ik_settings limpet_ik_settings_default(void) {
  return (limpet_ik_settings){.position_tolerance = 1e-10,
                              .rotation_tolerance = 1e-10,
                              .iteration_limit = 200,
                              .restart_limit = 0,
                              .largest_step = 0.5};
}

const char *limpet_ik_outcome_word(limpet_ik_outcome outcome) {
  assert(outcome >= 0 && outcome <= LIMPET_IK_NUMERICAL_FAILURE);
  switch (outcome) {
    case LIMPET_IK_SOLVED: return "solved";
    case LIMPET_IK_NEAREST: return "out of reach";
    case LIMPET_IK_ITERATION_LIMIT: return "iteration limit";
    case LIMPET_IK_NUMERICAL_FAILURE: return "numerical failure";
  }
  return "unknown";
}

// ------------------------------------------------------------------------------------ create

static void *take(bool *failed, size_t count, size_t size) {
  void *memory = calloc(count + 1, size);
  *failed |= !memory;
  return memory;
}

static bool arrays_create(limpet_ik *ik, int n, int task_limit) {
  bool failed = false;
  const size_t joints = (size_t)n, rows = 6 * (size_t)task_limit;
  int **whole[] = {&ik->q, &ik->v};
  double **of_joints[] = {&ik->lower, &ik->upper, &ik->g,     &ik->step,
                          &ik->trial, &ik->best,  &ik->start, &ik->draw};
  double **of_rows[] = {&ik->r, &ik->r_trial, &ik->y};
  for (size_t i = 0; i < sizeof whole / sizeof *whole; ++i)
    *whole[i] = take(&failed, joints, sizeof(int));
  for (size_t i = 0; i < sizeof of_joints / sizeof *of_joints; ++i)
    *of_joints[i] = take(&failed, joints, sizeof(double));
  for (size_t i = 0; i < sizeof of_rows / sizeof *of_rows; ++i)
    *of_rows[i] = take(&failed, rows, sizeof(double));
  ik->fixed = take(&failed, joints, sizeof *ik->fixed);
  ik->body_jacobian = take(&failed, 6 * (size_t)ik->model->nv, sizeof(double));
  ik->axis = take(&failed, rows * joints, sizeof(double));
  ik->J = take(&failed, rows * joints, sizeof(double));
  ik->H = take(&failed, joints * joints, sizeof(double));
  ik->G = take(&failed, rows * rows, sizeof(double));
  return !failed;
}

limpet_ik *limpet_ik_create(const limpet_model *model, int joint_count, const int *joint,
                            int task_limit, limpet_error *error) {
  assert(model && joint && joint_count >= 0 && task_limit >= 1);
  if (limpet_joints_check(model, joint_count, joint, error) != LIMPET_OK) return NULL;
  limpet_ik *ik = calloc(1, sizeof *ik);
  if (ik) {
    ik->model = model, ik->n = joint_count, ik->task_limit = task_limit;
    ik->data = limpet_data_create(model);
  }
  if (!ik || !ik->data || !arrays_create(ik, joint_count, task_limit)) {
    limpet_ik_destroy(ik);
    limpet_error_fill(error, LIMPET_ERROR_MEMORY, "no memory for inverse kinematics");
    return NULL;
  }
  for (int i = 0; i < joint_count; ++i) {
    ik->q[i] = model->joint_q[joint[i]], ik->v[i] = model->joint_v[joint[i]];
    ik->lower[i] = model->joint_range[2 * joint[i]],
    ik->upper[i] = model->joint_range[2 * joint[i] + 1];
  }
  return ik;
}

void limpet_ik_destroy(limpet_ik *ik) {
  if (!ik) return;
  limpet_data_destroy(ik->data);
  free(ik->q), free(ik->v), free(ik->lower), free(ik->upper), free(ik->fixed);
  free(ik->body_jacobian), free(ik->axis), free(ik->J), free(ik->r), free(ik->r_trial), free(ik->H),
      free(ik->G), free(ik->y);
  free(ik->g), free(ik->step), free(ik->trial), free(ik->best), free(ik->start), free(ik->draw);
  free(ik);
}

// ----------------------------------------------------------------------------------- descent

static double inside(const limpet_ik *ik, int i, double q) {
  return fmin(fmax(q, ik->lower[i]), ik->upper[i]);
}

// Joints at a limit whose wish `d` points beyond it.
static void limits_fix(limpet_ik *ik, const double *q, const double *d) {
  for (int i = 0; i < ik->n; ++i)
    ik->fixed[i] = (q[i] <= ik->lower[i] && d[i] < 0.0) || (q[i] >= ik->upper[i] && d[i] > 0.0);
}

// g = J'r, the direction of descent; its largest entry over the free joints.
static double gradient(limpet_ik *ik, int rows, const double *q) {
  double largest = 0.0;
  for (int i = 0; i < ik->n; ++i) {
    ik->g[i] = 0.0;
    for (int k = 0; k < rows; ++k) ik->g[i] += ik->J[k * ik->n + i] * ik->r[k];
  }
  limits_fix(ik, q, ik->g);
  for (int i = 0; i < ik->n; ++i)
    if (!ik->fixed[i]) largest = fmax(largest, fabs(ik->g[i]));
  return largest;
}

// trial = q after the step of damping mu. Returns what the linear model promises, or -1 when it
// cannot be solved.
static double damped_step(limpet_ik *ik, int rows, const double *q, double mu, bool curved,
                          double largest_step) {
  const int n = ik->n;
  for (int i = 0; i < n; ++i)
    for (int j = 0; j <= i; ++j) {
      double sum = (i == j ? mu : 0.0) - (curved ? limpet_ik_curvature(ik, rows / 6, i, j) : 0.0);
      for (int k = 0; k < rows; ++k) sum += ik->J[k * n + i] * ik->J[k * n + j];
      const bool out = ik->fixed[i] || ik->fixed[j];
      ik->H[i * n + j] = out ? (i == j ? 1.0 : 0.0) : sum;
    }
  for (int i = 0; i < n; ++i) ik->step[i] = ik->fixed[i] ? 0.0 : ik->g[i];
  if (limpet_cholesky(n, ik->H, n)) return -1.0;
  limpet_cholesky_solve(n, ik->H, n, ik->step);
  double longest = 0.0, promise = 0.0;
  for (int i = 0; i < n; ++i) longest = fmax(longest, fabs(ik->step[i]));
  const double scale = longest > largest_step ? largest_step / longest : 1.0;
  for (int i = 0; i < n; ++i) {
    const double d = scale * ik->step[i];
    ik->trial[i] = inside(ik, i, q[i] + d);
    promise += 0.5 * d * (mu * d + ik->g[i]);
  }
  return promise;
}

static bool within(const limpet_ik *ik, const limpet_ik_settings *settings) {
  return ik->position_error <= settings->position_tolerance &&
         ik->rotation_error <= settings->rotation_tolerance;
}

// From q downhill; q and ik->r are then those of the best point.
static limpet_ik_outcome descend(limpet_ik *ik, int task_count, const limpet_ik_task *task,
                                 const limpet_ik_settings *settings, double *q, int *iterations) {
  enum {
    PATIENCE = 20
  };  // iterations; what is not solved then has an error that stays, and the full Hessian is of use
  const double flat = 1e-15;  // fall of the cost, relative, below which there is none
  const int rows = 6 * task_count;
  double cost = limpet_ik_cost(ik, task_count, task, q, ik->r), mu = 0.0, growth = 2.0;
  if (!isfinite(cost)) return LIMPET_IK_NUMERICAL_FAILURE;
  for (int iteration = 0; iteration < settings->iteration_limit; ++iteration, ++*iterations) {
    if (within(ik, settings)) return LIMPET_IK_SOLVED;
    limpet_ik_jacobian(ik, task_count, task);
    if (gradient(ik, rows, q) <= 1e-14 * sqrt(2.0 * cost)) return LIMPET_IK_NEAREST;
    if (mu == 0.0) mu = 1e-3 * fmin(1.0, 2.0 * cost) + 1e-12;
    for (;;) {
      const double promise =
          damped_step(ik, rows, q, mu, iteration >= PATIENCE, settings->largest_step);
      const double trial =
          promise < 0.0 ? INFINITY : limpet_ik_cost(ik, task_count, task, ik->trial, ik->r_trial);
      if (trial < cost) {
        const double ratio = 2.0 * (cost - trial) / fmax(promise, 1e-300) - 1.0;
        const bool stuck = cost - trial <= flat * cost;
        mu *= fmax(0.1, 1.0 - ratio * ratio * ratio);
        growth = 2.0;
        memcpy(q, ik->trial, (size_t)ik->n * sizeof *q);
        memcpy(ik->r, ik->r_trial, (size_t)rows * sizeof *ik->r);
        cost = trial;
        if (stuck && !within(ik, settings)) return LIMPET_IK_NEAREST;
        break;
      }
      mu *= growth, growth *= 2.0;
      if (mu > 1e12) {
        limpet_ik_cost(ik, task_count, task, q, ik->r);
        return within(ik, settings) ? LIMPET_IK_SOLVED : LIMPET_IK_NEAREST;
      }
    }
  }
  return within(ik, settings) ? LIMPET_IK_SOLVED : LIMPET_IK_ITERATION_LIMIT;
}

// ----------------------------------------------------------------------------------- posture

// step = N d over the free joints; its largest entry.
static double nullspace_step(limpet_ik *ik, int task_count, const limpet_ik_task *task,
                             const double *posture, const double *q) {
  const int n = ik->n, rows = 6 * task_count;
  double trace = 0.0, largest = 0.0;
  limpet_ik_jacobian(ik, task_count, task);
  for (int i = 0; i < n; ++i) ik->step[i] = inside(ik, i, posture[i]) - q[i];
  limits_fix(ik, q, ik->step);
  for (int i = 0; i < n; ++i)
    if (ik->fixed[i]) ik->step[i] = 0.0;
  for (int k = 0; k < rows; ++k) {
    ik->y[k] = 0.0;
    for (int i = 0; i < n; ++i) ik->y[k] += ik->J[k * n + i] * ik->step[i];
    for (int l = 0; l <= k; ++l) {
      double sum = 0.0;
      for (int i = 0; i < n; ++i)
        if (!ik->fixed[i]) sum += ik->J[k * n + i] * ik->J[l * n + i];
      ik->G[k * rows + l] = sum;
    }
    trace += ik->G[k * rows + k];
  }
  for (int k = 0; k < rows; ++k) ik->G[k * rows + k] += 1e-12 * trace + 1e-300;
  if (limpet_cholesky(rows, ik->G, rows)) return 0.0;
  limpet_cholesky_solve(rows, ik->G, rows, ik->y);
  for (int i = 0; i < n; ++i) {
    for (int k = 0; k < rows && !ik->fixed[i]; ++k) ik->step[i] -= ik->J[k * n + i] * ik->y[k];
    largest = fmax(largest, fabs(ik->step[i]));
  }
  return largest;
}

static double distance(const limpet_ik *ik, const double *a, const double *b) {
  double sum = 0.0;
  for (int i = 0; i < ik->n; ++i) sum += (a[i] - b[i]) * (a[i] - b[i]);
  return sum;
}

// Draws a solved q towards the posture along what the tasks leave free; it stays solved.
static void posture_seek(limpet_ik *ik, int task_count, const limpet_ik_task *task,
                         const limpet_ik_settings *settings, double *q, int *iterations) {
  const double near = 1e-7;  // [m, rad]
  limpet_ik_settings back = *settings;
  back.iteration_limit = 30;
  for (int k = 0; k < settings->iteration_limit; ++k) {
    limpet_ik_cost(ik, task_count, task, q, ik->r);
    const double largest = nullspace_step(ik, task_count, task, settings->posture, q);
    if (largest < near) return;
    double alpha = fmin(1.0, settings->largest_step / largest);
    memcpy(ik->draw, ik->step, (size_t)ik->n * sizeof *ik->draw);
    bool nearer = false;
    for (int halving = 0; halving < 8 && !nearer; ++halving, alpha *= 0.5) {
      for (int i = 0; i < ik->n; ++i) ik->start[i] = inside(ik, i, q[i] + alpha * ik->draw[i]);
      nearer = descend(ik, task_count, task, &back, ik->start, iterations) == LIMPET_IK_SOLVED &&
               distance(ik, ik->start, settings->posture) < distance(ik, q, settings->posture);
    }
    if (!nearer) return;
    memcpy(q, ik->start, (size_t)ik->n * sizeof *q);
  }
}

// ------------------------------------------------------------------------------------ solve

// Uniform in [-1, 1): splitmix64 (Steele, Lea, Flood 2014).
static double spread(uint64_t *state) {
  uint64_t z = *state += 0x9e3779b97f4a7c15u;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
  return (double)((z ^ (z >> 31)) >> 11) * 0x1p-52 - 1.0;
}

// A start: number 0 the given one, 1 a nudge of the best so far, then anywhere in the ranges.
static void start_choose(limpet_ik *ik, int number, const double *given, uint64_t *seed) {
  for (int i = 0; i < ik->n; ++i) {
    const double low = isfinite(ik->lower[i]) ? ik->lower[i] : given[i] - LIMPET_PI;
    const double high = isfinite(ik->upper[i]) ? ik->upper[i] : given[i] + LIMPET_PI;
    double q = given[i];
    if (number == 1) q = ik->best[i] + 0.02 * spread(seed) * fmin(1.0, high - low);
    if (number > 1) q = 0.5 * (low + high) + 0.5 * (high - low) * spread(seed);
    ik->start[i] = inside(ik, i, q);
  }
}

limpet_ik_outcome limpet_ik_solve(limpet_ik *ik, const limpet_data *data, int task_count,
                                  const limpet_ik_task *task, const limpet_ik_settings *settings,
                                  double *q, limpet_ik_info *info) {
  assert(ik && data && task && q);
  assert(data->model == ik->model && task_count >= 1 && task_count <= ik->task_limit);
  const limpet_ik_settings chosen = settings ? *settings : limpet_ik_settings_default();
  limpet_ik_info told = {.outcome = LIMPET_IK_NUMERICAL_FAILURE};
  uint64_t seed = 1;
  double least = INFINITY;
  limpet_scratch_follow(ik->model, ik->data, data);
  for (int number = 0; number < 2 + chosen.restart_limit && told.outcome != LIMPET_IK_SOLVED;
       ++number) {
    start_choose(ik, number, q, &seed);
    const limpet_ik_outcome outcome =
        descend(ik, task_count, task, &chosen, ik->start, &told.iterations);
    if (outcome == LIMPET_IK_NUMERICAL_FAILURE) break;
    told.restarts = number > 1 ? number - 1 : 0;
    const double cost = limpet_ik_cost(ik, task_count, task, ik->start, ik->r);
    // a nudge that comes back to the same place is no better
    if (outcome != LIMPET_IK_SOLVED && !(cost < least * (1.0 - 1e-9))) continue;
    least = cost;
    told.outcome = outcome;
    memcpy(ik->best, ik->start, (size_t)ik->n * sizeof *q);
  }
  if (told.outcome != LIMPET_IK_NUMERICAL_FAILURE) {
    memcpy(q, ik->best, (size_t)ik->n * sizeof *q);
    if (told.outcome == LIMPET_IK_SOLVED && chosen.posture)
      posture_seek(ik, task_count, task, &chosen, q, &told.iterations);
    limpet_ik_cost(ik, task_count, task, q, ik->r);
    told.position_error = ik->position_error, told.rotation_error = ik->rotation_error;
  }
  if (info) *info = told;
  return told.outcome;
}
