/* constraint/kind.h: what a constraint kind is: a file with a descriptor that appends scalar rows
 * to the contact problem.
 *
 *   gamma = clamp((v_hat - a v)/R, lower, upper)
 * Near-rigid rows have R = c w with c = beta^2/(4 pi^2), beta the ratio of their kind, w = sum
 * a_i^2/A_ii, less where they carry more than they weigh (limpet_row_hardness), and v_hat = -g/(2
 * dt): the error g decays with the time constant 2 dt. Source: shared golden contact README,
 * "Constraints in the same solve". */
#ifndef LIMPET_CONSTRAINT_KIND_H
#define LIMPET_CONSTRAINT_KIND_H

#include "base/field.h"
#include "constraint/row.h"
#include "limpet/constraint.h"

// Slopes of v_hat and of 1/R by the error s of a row and by its weight w.
typedef struct limpet_law_slopes {
  double v_hat_by_s, R_inverse_by_s, v_hat_by_w, R_inverse_by_w;
  double rate;  // what the law tells
  bool known;   // the law is known for certain, and tells that
} limpet_law_slopes;

struct limpet_constraint_kind {
  limpet_descriptor descriptor;
  // adds the most rows and entries that this kind can need
  void (*room)(const limpet_model *model, int *rows, int *entries);
  void (*append)(limpet_row_builder *builder);
  /* Ends a row of a target again, its entries being there, with its error (of an actuator: the
   * error of its servo, [N, N m]) moved by `by`; `row` as it was appended. *rate: change of that
   * error per speed of the row. False: entries depend on more than the velocities that they are of.
   * NULL: for none. The gradient of a step differentiates it. */
  bool (*law)(limpet_row_builder *builder, const limpet_constraint_row *row, double by,
              double *rate);
  /* The slopes of that law in closed form, w the weight of the row. False: the law switches near,
   * or has none, and differences of it take their place. NULL: there is none. */
  bool (*slopes)(const limpet_row_builder *builder, const limpet_constraint_row *row, double w,
                 limpet_law_slopes *slopes);
  // limpet_constraints_passed of this kind; NULL: it always has its rows
  bool (*passed)(const limpet_model *model, const limpet_data *data,
                 const limpet_contact_problem *problem, const double *v, double allowed);
};

/* The polynomial of a coupler [rad, m] at its x, and its slope there [-]. */
double limpet_coupler_value(const limpet_model *model, const limpet_data *data, int coupler,
                            double *slope);

/* What an actuator does within a step of dt [s] when it is part of the solve: force = clamp(error +
 * offset - kp dt u - kd u) with u its velocity at the end of the step. Returns false for actuators
 * that are applied explicitly: no gains, or an effort limit that cannot be shared (actuator.c).
 * Forces of actuators and of gravity compensation are those of the start. */
typedef struct limpet_servo {
  double error;         // [N, N m]  kp times the distance to the target
  double offset;        // [N, N m]  constant force
  double kp, kd;        // [N/m, N m/rad], [N s/m, N m s/rad]
  double lower, upper;  // [N, N m]
  bool partly;          // a gain that drives away is in the offset, with the state of the start
  bool shares;          // others share its effort limit: its own limits move with their errors
} limpet_servo;
bool limpet_actuator_servo(const limpet_model *model, const limpet_data *data, int actuator,
                           double dt, limpet_servo *servo);
// The servos of all actuators, (actuator_count) each.
void limpet_actuator_servos(const limpet_model *model, const limpet_data *data, double dt,
                            limpet_servo *servo, bool *serves);
// Whether the effort limit of a joint holds its actuators at the start of the step.
bool limpet_joint_effort_reached(const limpet_model *model, const limpet_data *data, int joint);

// All constraint kinds, in the order of lists and rows. A new one is one line here: X(NAME) stands
// for limpet_constraint_NAME.
#define LIMPET_CONSTRAINT_KIND_LIST(X) \
  X(joint_limit)                       \
  X(actuator)                          \
  X(coupler)                           \
  X(dry_friction)                      \
  X(tendon_limit)                      \
  X(connect)                           \
  X(weld)                              \
  X(distance)                          \
  X(tie)                               \
  X(tendon_armature)                   \
  X(tendon_spring)

#define LIMPET_DECLARE_CONSTRAINT_KIND(name) \
  extern const limpet_constraint_kind limpet_constraint_##name;
LIMPET_CONSTRAINT_KIND_LIST(LIMPET_DECLARE_CONSTRAINT_KIND)
#undef LIMPET_DECLARE_CONSTRAINT_KIND

/* Rows of all constraint kinds. `diagonal` (nv): 1/A_ii. LIMPET_OK or LIMPET_ERROR_MEMORY. */
limpet_status limpet_constraints_assemble(const limpet_model *model, limpet_data *data,
                                          const limpet_assembly_settings *settings,
                                          limpet_arena *arena, limpet_contact_problem *problem);

/* Whether the velocities v (nv) of a solution lead beyond a limit that has no row in the problem,
 * by more than `allowed` [m], or 1e-6 rad. The problem has it once problem->fastest has their size.
 */
bool limpet_constraints_passed(const limpet_model *model, const limpet_data *data,
                               const limpet_contact_problem *problem, const double *v,
                               double allowed);

#endif
