/* limpet/plan.h: trajectory optimisation by iterated LQR, with limits on the controls, and model
 * predictive control by solving anew from where the world is. Floor 9.
 *
 *   minimise   sum over k = 0 .. N-1 of l(x_k, u_k, h) + l(x_N)
 *   subject to x_k+1 = f(x_k, u_k),   lower <= u_k <= upper
 *
 * f: `hold` steps of limpet_step with the control u_k, h = hold time_step [s]. x = (q, v); changes
 * of x are in the coordinates of limpet/gradient.h (2 nv): the pose in velocity coordinates, then
 * the velocity. docs/trajectory-optimisation.md derives the method and shows its use. */
#ifndef LIMPET_PLAN_H
#define LIMPET_PLAN_H

#include "limpet/gradient.h"

#ifdef __cplusplus
extern "C" {
#endif

// Second-order model of the cost of one knot, x (2 nv), u (nu). A cost adds to what is there.
typedef struct limpet_plan_quadratic {
  double *x;   // (2 nv)  gradient by the state
  double *u;   // (nu)  gradient by the control; NULL at the last state
  double *xx;  // (2 nv x 2 nv)  symmetric; Gauss-Newton where the cost is a sum of squares
  double *uu;  // (nu x nu)  NULL at the last state
  double *ux;  // (nu x 2 nv)  NULL at the last state
} limpet_plan_quadratic;

/* Cost of a knot: that of the interval of `length` [s] that begins with the state and control of
 * `data`, or of the last state, where length = 0. Poses and velocities of bodies are computed.
 * `quadratic` NULL: the value alone is wanted. Returns the value. */
typedef double limpet_plan_cost(void *context, const limpet_model *model, limpet_data *data,
                                int knot, double length, limpet_plan_quadratic *quadratic);

typedef struct limpet_plan_problem {
  const limpet_step_settings *step;  // scheme, contact model, length of a step
  int knot_count;                    // N
  int hold;                          // steps with the same control, 1 or more
  const double *start_state;         // (state size)  limpet_data_state_read
  const double *control_minimum;     // (nu)  NULL: the ranges of the actuators, or none
  const double *control_maximum;     // (nu)  likewise
  limpet_plan_cost *cost;
  void *context;  // of cost
} limpet_plan_problem;

// One iteration, for progress and logs.
typedef struct limpet_plan_iteration {
  int stage;              // of limpet_plan_task_solve; 0: the first
  int number;             // 0: the guess
  double cost;            // after it
  double expected;        // decrease of the cost that the quadratic model promised
  double step_length;     // of the line search; 0: none was found
  double regularization;  // [-]  with which it was computed
  double gap;             // largest between two pieces of the trajectory [m, rad, m/s, rad/s]
  double derivative_time, total_time;  // [s]  of this iteration, by the clock
  int clamped;                         // controls at a limit
  int differences;  // steps that have no derivative, for which differences stood in
} limpet_plan_iteration;

// Called after each iteration; false ends the optimisation.
typedef bool limpet_plan_progress(void *context, const limpet_plan_iteration *iteration);

// The comment of each field ends with its default.
typedef struct limpet_plan_settings {
  int iteration_limit;            // 200
  double cost_tolerance;          // [-]  relative decrease of the cost that ends it; 1e-6
  double control_regularization;  // [-]  share of the regularisation that controls get; 1
  double state_regularization;    // [-]  share that states get; 0
  double regularization_start;    // [-]  0: none until it is needed; 0
  double regularization_factor;  // [-]  by which it grows after short steps, shrinks after full; 10
  double regularization_limit;   // [-]  beyond it there is no descent; 1e8
  int line_search_limit;         // step lengths that are tried, each half of the last; 12
  double decrease;         // [-]  share of the expected decrease that a step length must give; 1e-3
  bool multiple_shooting;  // start from the states of the guess, gaps and all; false
  int threads;             // of derivatives; results do not depend on it; 1
  limpet_gradient_settings gradient;  // of steps; as limpet_gradient_settings_default
  limpet_plan_progress *progress;     // NULL: none
  void *context;                      // of progress
} limpet_plan_settings;

LIMPET_API limpet_plan_settings limpet_plan_settings_default(void);

typedef enum limpet_plan_outcome {
  LIMPET_PLAN_CONVERGED,        // the cost decreases by less than the tolerance
  LIMPET_PLAN_ITERATION_LIMIT,  // it still decreased
  LIMPET_PLAN_NO_DESCENT,       // no step length decreased the cost, at any regularisation
  LIMPET_PLAN_STOPPED,          // progress returned false
  LIMPET_PLAN_BAD_START,        // a step from the guess failed, or the cost is not finite
  LIMPET_PLAN_NO_DERIVATIVE,    // of a step: `reason` says why
  LIMPET_PLAN_OUT_OF_MEMORY
} limpet_plan_outcome;

LIMPET_API const char *limpet_plan_outcome_word(limpet_plan_outcome outcome);

typedef struct limpet_plan_workspace limpet_plan_workspace;

typedef struct limpet_plan {
  int knot_limit, knot_count;  // room; knots of the last problem
  double *control;  // (knots x nu)  the guess before limpet_plan_solve, the plan after it
  double *state;    // ((knots + 1) x state size)  guess with multiple shooting; states after it
  // (knots x nu x 2 nv)  feedback of the last iteration: u = control + gain (x - state)
  double *gain;
  double cost;
  int iterations;
  double derivative_time, total_time;  // [s]  by the clock
  int derivative_count;                // Jacobians of steps that were computed
  int failed_knot;                     // of a bad start, or without a derivative; -1: none
  const char *reason;                  // why there is no derivative; NULL: there are
  limpet_plan_workspace *workspace;
} limpet_plan;

/* For problems of at most knot_limit knots; controls are those of a new world. NULL without memory,
 * and for models whose actuators have states of their own (model->na > 0), of which there are no
 * derivatives. The model must outlive it. */
LIMPET_API limpet_plan *limpet_plan_create(const limpet_model *model, int knot_limit,
                                           limpet_error *error);
LIMPET_API void limpet_plan_destroy(limpet_plan *plan);

/* Improves plan->control from what it holds (a warm start is what the last call left there), moved
 * into the limits. Each iteration: derivatives of all steps, a quadratic programme of the box of
 * the controls for each knot from the last to the first, a line search on the true cost. The cost
 * never rises. Allocates nothing but threads. */
LIMPET_API limpet_plan_outcome limpet_plan_solve(limpet_plan *plan,
                                                 const limpet_plan_problem *problem,
                                                 const limpet_plan_settings *settings);
/* The control of a knot with feedback from the world that is really there: control + gain (x - x
 * planned), within the limits of the last problem. control (nu). */
LIMPET_API void limpet_plan_feedback(limpet_plan *plan, int knot, const limpet_data *data,
                                     double *control);
/* A receding horizon: forgets the first `knots` knots and repeats the last control, so that
 * limpet_plan_solve from the world's present state starts warm. */
LIMPET_API void limpet_plan_advance(limpet_plan *plan, int knots);

// -------------------------------------------------------------------------- plans from files

// One run of the optimiser with smoothed derivatives, before the plain one.
typedef struct limpet_plan_stage {
  limpet_gradient_smoothing smoothing;
  bool rollouts;        // the cost, too, is that of steps smoothed by the barrier
  int iteration_limit;  // of this stage
} limpet_plan_stage;

/* A plan.json as docs/trajectory-optimisation.md describes it: problem, guess, cost terms and
 * settings. Pointers live until its destroy. */
typedef struct limpet_plan_task {
  limpet_plan_problem problem;
  limpet_plan_settings settings;
  limpet_step_settings step;  // of problem
  const double *control;      // (knots x nu)  guess
  const double *state;        // ((knots + 1) x state size)  guess of states, or NULL
  int stage_count;
  const limpet_plan_stage *stage;  // (stage_count)  what comes before the plain run
  int term_count;
  struct limpet_plan_terms *terms;
} limpet_plan_task;

/* NULL, with file, line, place and way out, where something is wrong. The member "model" is left to
 * the caller, who loads it. `file` may be NULL. The model must outlive it. */
LIMPET_API limpet_plan_task *limpet_plan_task_create(const limpet_model *model, const char *text,
                                                     const char *file, limpet_error *error);
LIMPET_API void limpet_plan_task_destroy(limpet_plan_task *task);
// Puts the guess into the plan: what limpet_plan_solve then starts from.
LIMPET_API void limpet_plan_task_guess(const limpet_plan_task *task, limpet_plan *plan);
/* limpet_plan_solve with each stage of the task in turn, from where the one before ended, and then
 * without smoothing; `settings` as limpet_plan_solve. Returns the outcome of the last run. Counts
 * and times of the plan are those of all runs. The plain cost may rise between stages; where the
 * plain run ends with more than the guess costs, the guess was better, and the caller can tell from
 * the rows. */
LIMPET_API limpet_plan_outcome limpet_plan_task_solve(const limpet_plan_task *task,
                                                      limpet_plan *plan,
                                                      const limpet_plan_settings *settings);
/* What a term costs over the whole plan: name (of the file, or its kind and what it is of), share
 * of the running cost and of the cost of the last state. */
LIMPET_API const char *limpet_plan_task_term(const limpet_plan_task *task, limpet_plan *plan,
                                             int term, double *running, double *last);
// The table of kinds of cost terms, ended by NULL.
LIMPET_API const limpet_descriptor *const *limpet_plan_term_kinds(void);

#ifdef __cplusplus
}
#endif
#endif
