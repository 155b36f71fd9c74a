/* constraint/row.h: how a constraint kind puts its scalar rows into the contact problem: begins
 * one, names its entries, ends it with its law. Most rows have one entry, so what every row calls
 * is inlined. */
#ifndef LIMPET_CONSTRAINT_ROW_H
#define LIMPET_CONSTRAINT_ROW_H

#include <math.h>

#include "contact/assemble.h"
#include "math/extremes.h"
#include "math/vec3.h"

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

// The row that was started.
static inline limpet_constraint_row *limpet_row_now(const limpet_row_builder *builder) {
  return &builder->problem->row[builder->problem->row_count];
}

// Starts a row with the error g [m, rad] (0: it has none). Entries follow. The last call, an end,
// fixes its law.
static inline void limpet_row_begin(limpet_row_builder *builder, int target, double g) {
  static const limpet_constraint_row none;
  limpet_constraint_row *row = limpet_row_now(builder);
  *row = none;
  row->kind = builder->kind, row->target = target;
  row->entry = builder->problem->entry_count, row->error = g;
}

// Which row this is, for constraints with several rows; 0 by default.
static inline void limpet_row_component(limpet_row_builder *builder, int component) {
  limpet_row_now(builder)->component = component;
}

// Nothing in the problem moves the velocity.
static inline bool limpet_row_is_still(const limpet_contact_problem *problem, int dof) {
  return problem->block[problem->dof_block[dof]].still;
}

// The entry of a velocity that the row has not named yet.
static inline void limpet_row_add(limpet_row_builder *builder, int dof, double value) {
  limpet_contact_problem *p = builder->problem;
  if (value == 0.0 || limpet_row_is_still(p, dof)) return;
  p->entry_dof[p->entry_count] = dof;
  p->entry_value[p->entry_count++] = value;
}
// Adds `value` to the entry of `dof`; for short rows.
void limpet_row_entry(limpet_row_builder *builder, int dof, double value);
/* All entries of a row at once, each velocity named once: value[k * stride] for dof[k]. */
void limpet_row_entries(limpet_row_builder *builder, int count, const int *dof, const double *value,
                        int stride);

// w of the row so far.
static inline double limpet_row_weight(const limpet_row_builder *builder) {
  const limpet_contact_problem *p = builder->problem;
  double w = 0.0;
  for (int e = limpet_row_now(builder)->entry; e < p->entry_count; ++e)
    w += p->entry_value[e] * p->entry_value[e] * builder->inverse_diagonal[p->entry_dof[e]];
  return w;
}

double limpet_row_hardness_of_loads(const limpet_row_builder *builder);
/* [-]  by which near-rigid is harder than w asks for, 1 at least, where a contact puts more on what
 * the row moves than that weighs: R = c w/hardness. It is the row's from then on. */
static inline double limpet_row_hardness(const limpet_row_builder *builder) {
  limpet_constraint_row *row = limpet_row_now(builder);
  if (row->hardness > 0.0) return row->hardness;
  return row->hardness = builder->problem->loaded ? limpet_row_hardness_of_loads(builder) : 1.0;
}

// A row without entries, or with an R that no impulse has, is dropped.
static inline void limpet_row_end(limpet_row_builder *builder, double R, double v_hat, double lower,
                                  double upper) {
  limpet_contact_problem *p = builder->problem;
  limpet_constraint_row *row = limpet_row_now(builder);
  row->entry_count = p->entry_count - row->entry;
  if (row->entry_count == 0 || !(R > 0.0) || isinf(R)) {
    p->entry_count = row->entry;
    return;
  }
  row->R_inverse = 1.0 / R, row->v_hat = v_hat, row->lower = lower, row->upper = upper;
  ++p->row_count;
}

/* A whole row of one entry, not zero, of a velocity that is not still: what limpet_row_begin, _add
 * and _end make of it, written once. */
static inline void limpet_row_single(limpet_row_builder *builder, int target, int dof, double value,
                                     double R, double v_hat, double lower, double upper,
                                     double hardness) {
  static const limpet_constraint_row none = {.entry_count = 1};
  if (!(R > 0.0) || isinf(R)) return;
  limpet_contact_problem *p = builder->problem;
  const int entry = p->entry_count++, kind = builder->kind;
  p->entry_dof[entry] = dof;
  p->entry_value[entry] = value;
  limpet_constraint_row *row = &p->row[p->row_count++];
  *row = none;
  row->kind = kind, row->target = target, row->entry = entry;
  row->R_inverse = 1.0 / R, row->v_hat = v_hat, row->lower = lower, row->upper = upper;
  row->hardness = hardness;
}

/* The share of an error of this size [m, rad] that lets it come back at settings.return_speed at
 * most: what starts far outside is led back and not thrown. */
double limpet_row_return_share(const limpet_row_builder *builder, double size);
/* [m/s, rad/s]  at which what starts far outside of a limit comes back, by the row so far: at most
 * settings.return_speed, and so that masses move with settings.length_return: limit_return.c. */
double limpet_row_limit_speed(const limpet_row_builder *builder);
// The share of an error that lets it come back at `speed` at most.
static inline double limpet_row_share_at(const limpet_row_builder *builder, double size,
                                         double speed) {
  const double largest = 2.0 * builder->settings->dt * speed;
  return size > largest ? largest / size : 1.0;
}

// A spring and damper towards g = 0.
typedef struct limpet_row_spring {
  double g;      // [m, rad]  the error
  double share;  // [-]  of g that leads back, 1: all of it; what holds a load does not depend on it
  double bias;   // [m/s, rad/s]  rate that the error has besides a v
  double K, C;   // [N/m, N m/rad], [N s/m, N m s/rad]  K = INFINITY: near-rigid
  double led;    // [m/s, rad/s]  at most, of the return where near-rigid; 0: the return speed
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

// How many of `count` are true.
int limpet_row_count_true(const bool *x, int count);

#endif
