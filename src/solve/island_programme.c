/* solve/island_programme.c: see island_programme.h.
 *
 * The programme is dense: rows x velocities. Impulses of contacts are sums of multipliers times
 * rows. */
#include "solve/island_programme.h"

#include <math.h>
#include <string.h>

#include "solve/island.h"
#include "solve/row.h"

typedef enum row_use { ROW_BOTH_WAYS, ROW_ONE_SIDED, ROW_BOUNDED } row_use;

static row_use use_of(const limpet_constraint_row *row) {
  if (row->lower == -INFINITY && row->upper == INFINITY) return ROW_BOTH_WAYS;
  return row->lower == 0.0 && row->upper == INFINITY ? ROW_ONE_SIDED : ROW_BOUNDED;
}

// [s/m, s/rad]  curvature of the cost of t, which has none of its own: saturated forces grow by
//               this share per speed of s
static const double epigraph_curvature = 1e-5;
// [N s]  bounds of a row are taken to be at least this, for the curvature of t
static const double least_bound = 1e-12;
// [-]  relative residual at which cones count as solved; rows go to round-off
static const double cone_tolerance = 1e-9;

// -------------------------------------------------------------------------------------- sizes

typedef struct sizes {
  int variables, linear, cone_rows, cones;
} sizes;

// Rows of every contact, and how large the programme is.
static sizes count_rows(limpet_island_programme *p) {
  const limpet_contact_problem *problem = p->problem;
  const limpet_island *island = p->island;
  sizes size = {.variables = p->n};
  for (int i = 0; i < island->contact_count; ++i) {
    const int count = p->row_count[i] = p->model->rows(&problem->constants[island->contact + i],
                                                       p->rows + 4 * LIMPET_RIGID_ROWS * i);
    if (p->model->cone && count > 1) size.cone_rows += count, ++size.cones;
    else size.linear += count;
  }
  for (int i = 0; i < island->row_count; ++i) {
    const limpet_constraint_row *row = &problem->row[island->row + i];
    if (use_of(row) == ROW_ONE_SIDED) ++size.linear;
    if (use_of(row) != ROW_BOUNDED) continue;
    const int finite = (row->upper < INFINITY) + (row->lower > -INFINITY);
    size.variables += finite, size.linear += finite;
  }
  return size;
}

static limpet_status take_programme(limpet_island_programme *p, const sizes *size,
                                    limpet_arena *arena) {
  const size_t n = (size_t)size->variables, rows = (size_t)(size->linear + size->cone_rows);
  const limpet_qp_size most = {size->variables, size->linear, size->cone_rows, size->cones};
  p->Q = LIMPET_TAKE_ZERO(arena, double, n *n);
  p->c = LIMPET_TAKE_ZERO(arena, double, n);
  p->G = LIMPET_TAKE_ZERO(arena, double, n *rows);
  p->h = LIMPET_TAKE_ZERO(arena, double, rows);
  p->cone_dimension = LIMPET_TAKE(arena, int, size->cones);
  void *memory = limpet_arena_take(arena, limpet_qp_workspace_size(most));
  p->solution = (limpet_qp_solution){LIMPET_TAKE_ZERO(arena, double, n),
                                     LIMPET_TAKE_ZERO(arena, double, rows),
                                     LIMPET_TAKE_ZERO(arena, double, rows)};
  if (!p->Q || !p->c || !p->G || !p->h || !p->cone_dimension || !memory || !p->solution.x ||
      !p->solution.multipliers || !p->solution.slack)
    return LIMPET_ERROR_MEMORY;
  limpet_qp_workspace_init(&p->workspace, most, memory);
  p->qp = (limpet_qp_problem){.n = size->variables,
                              .row_count = size->linear,
                              .cone_count = size->cones,
                              .cone_dimension = p->cone_dimension,
                              .Q = p->Q,
                              .c = p->c,
                              .G = p->G,
                              .h = p->h};
  return LIMPET_OK;
}

// ------------------------------------------------------------------------------------ filling

static void fill_momentum(limpet_island_programme *p) {
  const limpet_contact_problem *problem = p->problem;
  const size_t n = (size_t)p->qp.n;
  for (int t = 0; t < p->island->block_count; ++t) {
    const limpet_block *block = limpet_island_block(problem, p->island, t);
    block->kind->copy(block, false, p->Q + (size_t)block->offset * n + block->offset, n);
    for (int i = 0; i < block->size; ++i)
      p->c[block->offset + i] = -problem->momentum[block->dof + i];
  }
}

// B of the contacts of one patch: what each velocity of the island moves.
static void fill_basis(limpet_island_programme *p, const limpet_patch *patch) {
  const limpet_contact_problem *problem = p->problem;
  for (int c = 0; c < patch->contact_count; ++c) {
    const double *W = problem->contact_row + 18 * (patch->contact + c);
    double *B = p->basis + (size_t)(4 * p->n) * (size_t)(patch->contact + c - p->island->contact);
    for (int s = 0; s < patch->side_count; ++s)
      limpet_patch_jacobian(&patch->side[s], W, p->n, 0, true, B);
  }
}

// Rows `from` on of G and h from the rows of contact i; `cone`: the gap belongs to the first.
static void fill_contact(limpet_island_programme *p, int i, int from, bool cone) {
  const limpet_contact_constants *constants = &p->problem->constants[p->island->contact + i];
  const double *B = p->basis + (size_t)(4 * p->n) * (size_t)i;
  p->row_first[i] = from;
  for (int k = 0; k < p->row_count[i]; ++k) {
    const double *row = p->rows + 4 * (LIMPET_RIGID_ROWS * i + k);
    double *g = p->G + (size_t)(from + k) * (size_t)p->qp.n;
    for (int d = 0; d < p->n; ++d)
      g[d] = row[0] * B[d] + row[1] * B[p->n + d] + row[2] * B[2 * p->n + d] +
             row[3] * B[3 * p->n + d];
    p->h[from + k] = row[0] * p->offset[3 * i] + row[1] * p->offset[3 * i + 1] +
                     row[3] * p->offset[3 * i + 2] +
                     (cone && k > 0 ? 0.0 : constants->rigid.gap_speed);
  }
}

// 1/2 (v_hat - a v - s)^2/R of a row into Q and c; `slack`: the variable s, or -1.
static void fill_quadratic(limpet_island_programme *p, const limpet_constraint_row *row,
                           int slack) {
  const limpet_contact_problem *problem = p->problem;
  const size_t n = (size_t)p->qp.n;
  const int count = row->entry_count + (slack >= 0);
  for (int e = 0; e < count; ++e) {
    const int a = e < row->entry_count ? problem->entry_dof[row->entry + e] : slack;
    const double x = e < row->entry_count ? problem->entry_value[row->entry + e] : 1.0;
    for (int f = 0; f < count; ++f) {
      const int b = f < row->entry_count ? problem->entry_dof[row->entry + f] : slack;
      p->Q[(size_t)a * n + (size_t)b] +=
          row->R_inverse * x * (f < row->entry_count ? problem->entry_value[row->entry + f] : 1.0);
    }
    p->c[a] -= row->R_inverse * row->v_hat * x;
  }
}

/* s and, where both bounds are finite, t of a bounded row. With one bound s has one sign. */
static void fill_bounds(limpet_island_programme *p, const limpet_constraint_row *row, int *linear,
                        int *variable) {
  const size_t n = (size_t)p->qp.n;
  const int s = (*variable)++;
  fill_quadratic(p, row, s);
  if (row->lower == -INFINITY || row->upper == INFINITY) {
    p->c[s] += row->lower == -INFINITY ? row->upper : row->lower;
    p->G[(size_t)(*linear)++ * n + (size_t)s] = row->lower == -INFINITY ? 1.0 : -1.0;
    return;
  }
  const int t = (*variable)++;
  const double bounds[2] = {row->upper, row->lower};
  p->c[t] = 1.0;
  p->Q[(size_t)t * n + (size_t)t] =
      epigraph_curvature / fmax(fmax(fabs(bounds[0]), fabs(bounds[1])), least_bound);
  for (int k = 0; k < 2; ++k, ++*linear) {
    p->G[(size_t)*linear * n + (size_t)t] = 1.0;
    p->G[(size_t)*linear * n + (size_t)s] = -bounds[k];
  }
}

static void fill_constraint(limpet_island_programme *p, int i, int *linear, int *variable) {
  const limpet_contact_problem *problem = p->problem;
  const limpet_constraint_row *row = &problem->row[p->island->row + i];
  p->constraint_row[i] = -1;
  switch (use_of(row)) {
    case ROW_BOTH_WAYS: fill_quadratic(p, row, -1); break;
    case ROW_BOUNDED: fill_bounds(p, row, linear, variable); break;
    case ROW_ONE_SIDED: {
      double *g = p->G + (size_t)*linear * (size_t)p->qp.n;
      for (int e = row->entry; e < row->entry + row->entry_count; ++e)
        g[problem->entry_dof[e]] = problem->entry_value[e];
      p->h[*linear] = -row->v_hat;
      p->constraint_row[i] = (*linear)++;
    }
  }
}

static void fill_programme(limpet_island_programme *p) {
  const limpet_island *island = p->island;
  fill_momentum(p);
  for (int i = 0; i < island->patch_count; ++i)
    fill_basis(p, &p->problem->patch[island->patch + i]);
  int linear = 0, variable = p->n, cone = 0, cone_row = p->qp.row_count;
  for (int i = 0; i < island->row_count; ++i) fill_constraint(p, i, &linear, &variable);
  for (int i = 0; i < island->contact_count; ++i) {
    const bool round = p->model->cone && p->row_count[i] > 1;
    fill_contact(p, i, round ? cone_row : linear, round);
    if (round) p->cone_dimension[cone++] = p->row_count[i], cone_row += p->row_count[i];
    else linear += p->row_count[i];
  }
}

limpet_status limpet_island_programme_create(limpet_island_programme *p,
                                             const limpet_contact_problem *problem, int index,
                                             limpet_arena *arena) {
  const limpet_island *island = &problem->island[index];
  const size_t n = (size_t)island->size, m = (size_t)island->contact_count;
  *p = (limpet_island_programme){.problem = problem,
                                 .island = island,
                                 .model = limpet_rigid_model_of(problem->model),
                                 .n = island->size};
  p->basis = LIMPET_TAKE_ZERO(arena, double, 4 * n * m);
  p->offset = LIMPET_TAKE_ZERO(arena, double, LIMPET_CONTACT_BIAS *m);
  p->rows = LIMPET_TAKE_ZERO(arena, double, 4 * LIMPET_RIGID_ROWS * m);
  p->row_first = LIMPET_TAKE(arena, int, m);
  p->row_count = LIMPET_TAKE(arena, int, m);
  p->constraint_row = LIMPET_TAKE(arena, int, island->row_count);
  p->impulse = LIMPET_TAKE_ZERO(arena, double, n);
  p->velocity = LIMPET_TAKE_ZERO(arena, double, 7 * m);
  p->row_gamma = LIMPET_TAKE_ZERO(arena, double, island->row_count);
  if (!p->basis || !p->offset || !p->rows || !p->row_first || !p->row_count || !p->constraint_row ||
      !p->impulse || !p->velocity || !p->row_gamma)
    return LIMPET_ERROR_MEMORY;
  p->gamma = p->velocity + 3 * m, p->torsion = p->velocity + 6 * m;
  if (problem->contact_bias)
    memcpy(p->offset, problem->contact_bias + LIMPET_CONTACT_BIAS * island->contact,
           LIMPET_CONTACT_BIAS * m * sizeof *p->offset);
  const sizes size = count_rows(p);
  if (take_programme(p, &size, arena) != LIMPET_OK) return LIMPET_ERROR_MEMORY;
  fill_programme(p);
  return LIMPET_OK;
}

// ------------------------------------------------------------------------------------- solving

static void contact_results(limpet_island_programme *p) {
  const double *v = p->solution.x;
  for (int i = 0; i < p->island->contact_count; ++i) {
    const double *B = p->basis + (size_t)(4 * p->n) * (size_t)i;
    double dual[4] = {0};
    for (int k = 0; k < p->row_count[i]; ++k) {
      const double *row = p->rows + 4 * (LIMPET_RIGID_ROWS * i + k),
                   lambda = p->solution.multipliers[p->row_first[i] + k];
      for (int e = 0; e < 4; ++e) dual[e] += lambda * row[e];
    }
    for (int e = 0; e < 4; ++e) {
      double u = e < 2 ? p->offset[3 * i + e] : 0.0;
      for (int d = 0; d < p->n; ++d)
        u += B[e * p->n + d] * v[d], p->impulse[d] += B[e * p->n + d] * dual[e];
      if (e < 3) p->velocity[3 * i + e] = u, p->gamma[3 * i + e] = dual[e];
    }
    p->torsion[i] = dual[3];
  }
}

static void constraint_results(limpet_island_programme *p) {
  const limpet_contact_problem *problem = p->problem;
  for (int i = 0; i < p->island->row_count; ++i) {
    const limpet_constraint_row *row = &problem->row[p->island->row + i];
    const double u = limpet_row_speed(problem, row, p->solution.x);
    p->row_gamma[i] = p->constraint_row[i] >= 0 ? p->solution.multipliers[p->constraint_row[i]]
                                                : limpet_row_impulse(row, u);
    limpet_row_push(problem, row, p->row_gamma[i], p->impulse);
  }
}

static void count(limpet_island_programme *p, const limpet_qp_info *info) {
  p->counts.interior_iterations += info->iterations;
  p->counts.active_set_changes += info->changes;
}

// No row asks for motion: rest is possible.
static void ask_for_rest(limpet_island_programme *p) {
  const int rows = limpet_qp_row_total(&p->qp);
  for (int i = 0; i < rows; ++i) p->h[i] = i < p->qp.row_count ? fmax(p->h[i], 0.0) : p->h[i];
  for (int k = 0, i = p->qp.row_count; k < p->qp.cone_count; i += p->cone_dimension[k++]) {
    p->h[i] = fmax(p->h[i], 0.0);
    for (int j = 1; j < p->cone_dimension[k]; ++j) p->h[i + j] = 0.0;
  }
}

void limpet_island_programme_solve(limpet_island_programme *p) {
  limpet_qp_settings settings = limpet_qp_settings_default();
  if (p->qp.cone_count > 0) settings.tolerance = cone_tolerance;
  limpet_qp_info info = limpet_qp_solve(&p->qp, &settings, &p->workspace, &p->solution);
  p->outcome = LIMPET_OUTCOME_SOLVED;
  count(p, &info);
  if (info.outcome == LIMPET_QP_INFEASIBLE) {
    ask_for_rest(p);
    info = limpet_qp_solve(&p->qp, &settings, &p->workspace, &p->solution);
    count(p, &info);
    p->outcome = LIMPET_OUTCOME_INFEASIBLE;
  }
  if (info.outcome == LIMPET_QP_ITERATION_LIMIT) p->outcome = LIMPET_OUTCOME_ITERATION_LIMIT;
  if (info.outcome == LIMPET_QP_FAILURE || info.outcome == LIMPET_QP_INFEASIBLE)
    p->outcome = LIMPET_OUTCOME_NUMERICAL_FAILURE;
  p->residual = fmax(info.stationarity, info.infeasibility);
  p->on_faces = info.method == LIMPET_QP_METHOD_ACTIVE_SET || info.polished;
  contact_results(p);
  constraint_results(p);

  // 1/2 x'Qx + c'x, with Q x + c = G' lambda
  for (int i = 0; i < p->qp.n; ++i) p->cost += 0.5 * p->c[i] * p->solution.x[i];
  for (int i = 0; i < limpet_qp_row_total(&p->qp); ++i)
    p->cost += 0.5 * p->solution.multipliers[i] * (p->solution.slack[i] - p->h[i]);
}
