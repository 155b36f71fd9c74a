/* control/plan_term.h: cost terms of plans from files: rows of residuals with weights.
 *
 *   cost of a knot = length running sum_i w_i r_i^2,   of the last state = last sum_i w_i r_i^2
 * A kind gives r and its derivatives; Gauss-Newton's model of the cost follows from them. */
#ifndef LIMPET_CONTROL_PLAN_TERM_H
#define LIMPET_CONTROL_PLAN_TERM_H

#include "control/json.h"
#include "limpet/plan.h"

enum { LIMPET_PLAN_TERM_NAME = 80, LIMPET_PLAN_TERM_PARTS = 2 };

// A point fixed to a body, with the axes of the body or of a site.
typedef struct limpet_plan_frame {
  int body;
  double point[3];       // [m]  in the body frame
  double quaternion[4];  // axes of the frame to those of the body
} limpet_plan_frame;

typedef struct limpet_plan_term_kind limpet_plan_term_kind;

typedef struct limpet_plan_term {
  const limpet_plan_term_kind *kind;
  char name[LIMPET_PLAN_TERM_NAME];
  int rows;
  double running, last;  // weight per second along the way, and at the end
  double from, to;       // [s]  when it counts along the way
  double *weight;        // (rows)  of each row; 1
  double *target;        // (rows)
  int *list;             // (rows)  joints, velocities or actuators; NULL: the kind has none
  bool relative;         // frame[1] is given: r is relative to it
  limpet_plan_frame frame[LIMPET_PLAN_TERM_PARTS];
  int geom[LIMPET_PLAN_TERM_PARTS];
  double least;  // [m]  distance below which it counts; NAN: target is wanted
} limpet_plan_term;

// Where a term is evaluated, and its results.
typedef struct limpet_plan_evaluation {
  const limpet_model *model;
  limpet_data *data;  // poses and velocities of bodies are computed
  int n, m;           // 2 nv, nu
  double *r;          // (rows)
  double *J, *Ju;     // (rows x n), (rows x m)  zero before; NULL: not wanted
  double *scratch;    // (12 nv + nq)
} limpet_plan_evaluation;

struct limpet_plan_term_kind {
  limpet_descriptor descriptor;
  const char *const *keys;  // besides those of all terms; NULL ends them
  bool of_control;          // has no value at the last state
  // Reads what the kind alone has, and `rows`; false with the error.
  bool (*read)(limpet_plan_term *term, const limpet_model *model, const limpet_json *object);
  void (*evaluate)(const limpet_plan_term *term, limpet_plan_evaluation *at);
};

#define LIMPET_PLAN_TERM_KIND_LIST(X) \
  X(position)                         \
  X(orientation)                      \
  X(velocity)                         \
  X(angular_velocity) X(joint_position) X(joint_velocity) X(control) X(effort) X(distance)
#define LIMPET_PLAN_TERM_KIND_DECLARE(name) \
  extern const limpet_plan_term_kind limpet_plan_term_##name;
LIMPET_PLAN_TERM_KIND_LIST(LIMPET_PLAN_TERM_KIND_DECLARE)

typedef struct limpet_plan_terms {
  int count;
  limpet_plan_term *term;  // (count)
  limpet_plan_evaluation at;
} limpet_plan_terms;

// limpet_plan_cost with the terms as context.
double limpet_plan_terms_cost(void *terms, const limpet_model *model, limpet_data *data, int knot,
                              double length, limpet_plan_quadratic *quadratic);
// Value of one term at a knot: its share of the cost.
double limpet_plan_term_value(limpet_plan_terms *terms, int index, const limpet_model *model,
                              limpet_data *data, double length);

// The list "cost" of a plan. NULL with the error; limpet_plan_terms_destroy frees.
limpet_plan_terms *limpet_plan_terms_read(const limpet_model *model, const limpet_json *list);
void limpet_plan_terms_destroy(limpet_plan_terms *terms);

// Arrays of a term for its rows: weight 1, target 0. False without memory.
bool limpet_plan_term_rows(limpet_plan_term *term, int rows, bool list);

#endif
