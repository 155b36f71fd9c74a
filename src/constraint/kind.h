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

#include <math.h>

#include "base/field.h"
#include "contact/assemble.h"
#include "limpet/constraint.h"

typedef struct limpet_row_builder {
  const limpet_model *model;
  limpet_data *data;
  const limpet_assembly_settings *settings;
  const double *inverse_diagonal;    // (nv)  1/A_ii
  limpet_delassus_weights delassus;  // of models with loops
  int *path_dof;                     // (2 nv)  workspace for the columns of two bodies
  double *path_column;               // (2 nv x 6)
  limpet_contact_problem *problem;
  int kind;                             // index of the kind that appends
  const struct limpet_loop_load *load;  // what loops carry; NULL: nothing but their two bodies
} limpet_row_builder;

// Slopes of v_hat and of 1/R by the error s of a row and by its weight w.
typedef struct limpet_law_slopes {
  double v_hat_by_s, R_inverse_by_s, v_hat_by_w, R_inverse_by_w;
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

// Starts a row with the error g [m, rad] (0: it has none). Entries follow. The last call, an end,
// fixes its law.
static inline void limpet_row_begin(limpet_row_builder *builder, int target, double g) {
  limpet_contact_problem *p = builder->problem;
  p->row[p->row_count] = (limpet_constraint_row){
      .kind = builder->kind, .target = target, .entry = p->entry_count, .error = g};
}
// The row that was started.
static inline limpet_constraint_row *limpet_row_now(const limpet_row_builder *builder) {
  return &builder->problem->row[builder->problem->row_count];
}
// Which row this is, for constraints with several rows; 0 by default.
void limpet_row_component(limpet_row_builder *builder, int component);
// Nothing in the problem moves it.
static inline bool limpet_row_is_still(const limpet_contact_problem *problem, int dof) {
  return problem->block[problem->dof_block[dof]].still;
}
// Adds `value` to the entry of `dof`; for short rows.
static inline void limpet_row_entry(limpet_row_builder *builder, int dof, double value) {
  limpet_contact_problem *p = builder->problem;
  if (value == 0.0 || limpet_row_is_still(p, dof)) return;
  // a velocity counts once in a row
  for (int e = p->row[p->row_count].entry; e < p->entry_count; ++e)
    if (p->entry_dof[e] == dof) {
      p->entry_value[e] += value;
      return;
    }
  p->entry_dof[p->entry_count] = dof;
  p->entry_value[p->entry_count++] = value;
}
/* All entries of a row at once, each velocity named once: value[k * stride] for dof[k]. */
void limpet_row_entries(limpet_row_builder *builder, int count, const int *dof, const double *value,
                        int stride);
// w of the row so far
static inline double limpet_row_weight(const limpet_row_builder *builder) {
  const limpet_contact_problem *p = builder->problem;
  double w = 0.0;
  for (int e = p->row[p->row_count].entry; e < p->entry_count; ++e)
    w += p->entry_value[e] * p->entry_value[e] * builder->inverse_diagonal[p->entry_dof[e]];
  return w;
}
double limpet_row_loaded_hardness(const limpet_row_builder *builder);
/* [-]  by which near-rigid is harder than w asks for, 1 at least, where a contact puts more on what
 * the row moves than that weighs: R = c w/hardness. It is the row's from then on. */
static inline double limpet_row_hardness(const limpet_row_builder *builder) {
  double *own = &limpet_row_now(builder)->hardness;
  if (!(*own > 0.0)) *own = builder->problem->loaded ? limpet_row_loaded_hardness(builder) : 1.0;
  return *own;
}
static inline void limpet_row_end(limpet_row_builder *builder, double R, double v_hat, double lower,
                                  double upper) {
  limpet_contact_problem *p = builder->problem;
  limpet_constraint_row *row = &p->row[p->row_count];
  row->entry_count = p->entry_count - row->entry;
  if (row->entry_count == 0 || !(R > 0.0) ||
      isinf(R)) {  // nothing that it could move or that moves it
    p->entry_count = row->entry;
    return;
  }
  row->R_inverse = 1.0 / R, row->v_hat = v_hat, row->lower = lower, row->upper = upper;
  ++p->row_count;
}

/* The share of an error of this size [m, rad] that lets it come back at settings.return_speed at
 * most: what starts far outside is led back and not thrown. */
double limpet_row_return_share(const limpet_row_builder *builder, double size);

// A spring and damper towards g = 0.
typedef struct limpet_row_spring {
  double g;      // [m, rad]  the error
  double share;  // [-]  of g that leads back, 1: all of it; what holds a load does not depend on it
  double bias;   // [m/s, rad/s]  rate that the error has besides a v
  double K, C;   // [N/m, N m/rad], [N s/m, N m s/rad]  K = INFINITY: near-rigid
} limpet_row_spring;

/* Ends the row as a spring and damper, at most as stiff as near-rigid, which is led back at the
 * return speed. */
void limpet_row_end_spring(limpet_row_builder *builder, const limpet_row_spring *spring,
                           double lower, double upper);

/* Ends the row of an equality, which acts both ways: likewise with settings.equality_ratio, and a
 * weight w that rows of one point share. */
void limpet_row_end_equality(limpet_row_builder *builder, double w,
                             const limpet_row_spring *spring);

// Row of one joint coordinate's velocity, or of a tendon's.
void limpet_row_joint(limpet_row_builder *builder, int joint, double factor);
void limpet_row_tendon(limpet_row_builder *builder, int tendon, double factor);

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
  X(tendon_armature)

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
