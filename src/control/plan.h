/* control/plan.h: parts of the trajectory optimiser: plan.c puts them together. */
#ifndef LIMPET_CONTROL_PLAN_H
#define LIMPET_CONTROL_PLAN_H

#include "base/threads.h"
#include "limpet/plan.h"

// Where one thread differentiates steps.
typedef struct limpet_plan_worker {
  limpet_data *world;
  limpet_gradient *gradient;
  double *A, *B, *product;  // (2nv x 2nv), (2nv x nu), (2nv x 2nv): of one step
  double *ends;             // (2 x (nq + nv))  of differences
  const char *reason;       // why a step has no derivative
  int knot, differences, steps;
} limpet_plan_worker;

struct limpet_plan_workspace {
  const limpet_model *model;
  int n, m;  // 2 nv, nu
  size_t state_size;
  limpet_data *world;  // of rollouts
  limpet_threads *threads;
  int worker_count;
  limpet_plan_worker *worker;

  // of the problem
  limpet_plan_problem problem;
  limpet_plan_settings settings;
  double *lower, *upper;  // (m)

  // of every knot
  double *A, *B;                    // (knots x n x n), (knots x n x m)  Jacobians of f
  double *gap;                      // (knots x n)  f(x_k, u_k) less x_k+1
  double *lx, *lxx;                 // ((knots + 1) x n), (.. x n x n)
  double *lu, *luu, *lux;           // (knots x m), (knots x m x m), (knots x m x n)
  double *shift;                    // (knots x m)  change of the controls at step length 1
  double *try_control, *try_state;  // of the line search, as plan->control, plan->state

  // of the backward pass
  double *Vx, *Vxx, *product, *Qx, *Qu, *Qxx, *Quu, *Qux, *factor, *row;
  double *box_lower, *box_upper, *box_w;  // (m)
  void *box_memory;
  double *dx;             // (n)
  double linear, square;  // expected change of the cost: s linear + s^2/2 square
  double costate;         // largest entry of a gradient of the value
};

// Difference of the states x (2 nv) that leads from state `from` to state `to` (state size each).
void limpet_plan_difference(const limpet_plan_workspace *w, const double *from, const double *to,
                            double *x);
// Brings the world to a state and its poses and velocities up to date.
void limpet_plan_world_set(limpet_plan_workspace *w, const double *state, const double *control);
/* One knot: `hold` steps from the world's state with its control. False where a step failed. */
bool limpet_plan_knot_step(const limpet_plan_problem *problem, const limpet_model *model,
                           limpet_data *world);
// Jacobians of all knots. False where one has none; plan->reason then says why.
bool limpet_plan_differentiate(limpet_plan *plan);
// Worlds and gradients for so many threads in place of those that are there.
bool limpet_plan_workers_create(limpet_plan_workspace *w, int count);
/* Gains and changes of the controls for a regularisation. False where a matrix was not positive
 * definite. */
bool limpet_plan_backward(limpet_plan *plan, double regularization);

#endif
