/* gradient/probe_rows.c: scalar rows of the step found again in a problem at another state.
 *
 * Which limits have rows depends on the state. A row is known by kind, target, component and by
 * whether it acts both ways. A row that is missing stays as it was: it had no force, or begins
 * within the difference. One that the step has not has no force either, but of another model: dry
 * friction or a gain that is zero in the step's. */
#include <math.h>

#include "gradient/probe.h"
#include "solve/row.h"

static bool both_ways(const limpet_constraint_row *row) {
  return row->lower == -INFINITY && row->upper == INFINITY;
}

static bool same_row(const limpet_constraint_row *a, const limpet_constraint_row *b) {
  return a->kind == b->kind && a->target == b->target && a->component == b->component &&
         both_ways(a) == both_ways(b);
}

// Entries of a row of the step, which are numbered within its island, appended to those of the
// problem.
static void keep_row(const limpet_contact_problem *step, const limpet_island *island,
                     const limpet_constraint_row *row, limpet_contact_problem *problem,
                     limpet_constraint_row *to) {
  *to = *row;
  to->entry = problem->entry_count;
  for (int e = row->entry; e < row->entry + row->entry_count; ++e) {
    problem->entry_dof[problem->entry_count] =
        limpet_problem_global_dof(step, island, step->entry_dof[e]);
    problem->entry_value[problem->entry_count++] = step->entry_value[e];
  }
}

// Room for the entries of both.
static limpet_status grow_entries(const limpet_contact_problem *step,
                                  limpet_contact_problem *problem, limpet_arena *arena) {
  const int count = problem->entry_count + step->entry_count;
  int *dof = LIMPET_TAKE(arena, int, count);
  double *value = LIMPET_TAKE(arena, double, count);
  if (!dof || !value) return LIMPET_ERROR_MEMORY;
  for (int e = 0; e < problem->entry_count; ++e)
    dof[e] = problem->entry_dof[e], value[e] = problem->entry_value[e];
  problem->entry_dof = dof, problem->entry_value = value;
  return LIMPET_OK;
}

limpet_status limpet_probe_match_rows(const limpet_contact_problem *step,
                                      limpet_contact_problem *problem, limpet_arena *arena,
                                      const double *gamma, bool *lost) {
  limpet_constraint_row *rows = LIMPET_TAKE(arena, limpet_constraint_row, step->row_count);
  if (!rows || grow_entries(step, problem, arena)) return LIMPET_ERROR_MEMORY;
  int next = 0;  // rows keep their order within an island, so the search goes on from the last one
  for (int i = 0; i < step->island_count; ++i) {
    const limpet_island *island = &step->island[i];
    for (int k = island->row; k < island->row + island->row_count; ++k) {
      int tried = 0;
      while (tried < problem->row_count && !same_row(&step->row[k], &problem->row[next]))
        next = (next + 1) % problem->row_count, ++tried;
      const bool missing = tried == problem->row_count;
      if (missing) keep_row(step, island, &step->row[k], problem, &rows[k]);
      else rows[k] = problem->row[next];
      *lost = *lost || (missing && gamma && gamma[k] != 0.0);
    }
  }
  problem->row = rows;
  problem->row_count = step->row_count;
  return LIMPET_OK;
}

static bool step_has(const limpet_contact_problem *step, const limpet_constraint_row *row) {
  for (int i = 0; i < step->row_count; ++i)
    if (same_row(&step->row[i], row)) return true;
  return false;
}

// Whether a tree that the row moves had no impulse: where a free flight ends is another rule.
static bool ends_flight(const limpet_residual *residual, const limpet_contact_problem *problem,
                        const limpet_constraint_row *row) {
  const limpet_model *model = residual->model;
  const double *impulse = residual->solved->solution.impulse;
  for (int e = row->entry; e < row->entry + row->entry_count; ++e) {
    const int tree = model->dof_tree[problem->entry_dof[e]], first = model->tree_dof[tree];
    bool free = true;
    for (int d = first; d < first + model->tree_dof_count[tree]; ++d)
      free = free && impulse[d] == 0.0;
    if (free) return true;
  }
  return false;
}

void limpet_probe_new_rows(limpet_probe *probe, const limpet_contact_problem *problem,
                           double *impulse) {
  const limpet_residual *residual = probe->residual;
  probe->new_rows = 0;
  probe->new_rows_switch = false;
  for (int k = 0; k < problem->row_count; ++k) {
    const limpet_constraint_row *row = &problem->row[k];
    if (step_has(&residual->solved->problem, row)) continue;
    const double y = limpet_row_wanted(row, limpet_row_speed(problem, row, residual->v)),
                 gamma = limpet_row_clamp(row, y);
    if (gamma == 0.0) continue;
    ++probe->new_rows;
    const bool bounded = isfinite(row->lower) && isfinite(row->upper);
    probe->new_rows_switch =
        probe->new_rows_switch || (bounded && gamma == y) ||
        (residual->solved->motion.flight && ends_flight(residual, problem, row));
    limpet_row_push(problem, row, gamma, impulse);
  }
}
