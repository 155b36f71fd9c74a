/* optim/face.c: the equations of identified faces and Newton's method on them. Symbols and
 * equations in face.h. */
#include "optim/face.h"

#include <math.h>
#include <string.h>

#include "optim/cone.h"

enum { NEWTON_STEPS = 12 };
// [-]  of a Newton step over the solution: none, small, and its share of the last one from which it
// no longer converges
static const double STILL = 1e-15, SMALL = 1e-11, SLOW = 0.1;
// [-]  of the greatest multiplier: what a zero one may be short of it
static const double ROUND_OFF = 1e-13;

static double row_norm(const limpet_qp_problem *problem, int i) {
  double square = 0.0;
  for (int j = 0; j < problem->n; ++j) {
    const double g = problem->G[(long)i * problem->n + j];
    square += g * g / problem->Q[(long)j * problem->n + j];
  }
  return square;
}

void limpet_face_identify(const limpet_qp_problem *problem, limpet_qp_memory *memory,
                          const limpet_qp_solution *solution) {
  for (int i = 0; i < problem->row_count; ++i)
    memory->tight[i] =
        row_norm(problem, i) * solution->multipliers[i] > fmax(solution->slack[i], 0.0);
  for (int k = 0, i = problem->row_count; k < problem->cone_count;
       i += problem->cone_dimension[k], ++k) {
    const int d = problem->cone_dimension[k];
    double norm = 0.0;
    for (int l = 0; l < d; ++l) norm = fmax(norm, row_norm(problem, i + l));
    const double *s = solution->slack + i, *lambda = solution->multipliers + i;
    const double inside = fmax(limpet_cone_depth(d, s), ROUND_OFF * s[0]),
                 within = norm * limpet_cone_depth(d, lambda);
    memory->face[k] = LIMPET_FACE_BOUNDARY;
    if (norm * lambda[0] <= inside) memory->face[k] = LIMPET_FACE_FREE;
    else if (s[0] <= within) memory->face[k] = LIMPET_FACE_APEX;
  }
}

// u = s_ / ||s_|| into u[1 ..], u[0] = ||s_||
static void boundary_direction(int d, const double *s, double *u) {
  double square = 0.0;
  for (int l = 1; l < d; ++l) square += s[l] * s[l];
  u[0] = sqrt(square);
  for (int l = 1; l < d; ++l) u[l] = s[l] / u[0];
}

// H += curvature G_' (1 - u u') G_
static void curvature_add(const limpet_qp_problem *problem, int d, const double *G, const double *u,
                          double curvature, double *along, double *H, int ld) {
  const int n = problem->n;
  for (int j = 0; j < n; ++j) {
    along[j] = 0.0;
    for (int l = 1; l < d; ++l) along[j] += u[l] * G[(long)l * n + j];
  }
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < n; ++j) {
      double sum = -along[i] * along[j];
      for (int l = 1; l < d; ++l) sum += G[(long)l * n + i] * G[(long)l * n + j];
      H[(long)i * ld + j] += curvature * sum;
    }
}

static void row_add(limpet_working_set *set, int name, const double *g) {
  double total;
  const double curvature = limpet_working_set_direction(set, g, &total);
  if (total > 0.0 && !limpet_working_set_depends(set, curvature, total))
    limpet_working_set_add(set, name, g, curvature);
}

bool limpet_face_factor(const limpet_qp_problem *problem, limpet_qp_memory *memory,
                        const limpet_qp_solution *solution) {
  const int n = problem->n, ld = memory->ld, m = problem->row_count;
  double *H = memory->interior.H, u[LIMPET_QP_LARGEST_CONE], *g = memory->dx;
  for (int i = 0; i < n; ++i)
    memcpy(H + (long)i * ld, problem->Q + (long)i * n, (size_t)n * sizeof(double));
  for (int k = 0, i = m; k < problem->cone_count; i += problem->cone_dimension[k], ++k) {
    const int d = problem->cone_dimension[k];
    if (memory->face[k] != LIMPET_FACE_BOUNDARY) continue;
    boundary_direction(d, solution->slack + i, u);
    curvature_add(problem, d, problem->G + (long)i * n, u, solution->multipliers[i] / u[0], g, H,
                  ld);
  }
  memory->fresh = false;
  if (!limpet_working_set_reset(&memory->set, H, ld)) return false;

  for (int i = 0; i < m; ++i)
    if (memory->tight[i]) row_add(&memory->set, i, problem->G + (long)i * n);
  for (int k = 0, i = m; k < problem->cone_count; i += problem->cone_dimension[k], ++k) {
    const int d = problem->cone_dimension[k];
    const double *G = problem->G + (long)i * n;
    if (memory->face[k] == LIMPET_FACE_APEX)
      for (int l = 0; l < d; ++l) row_add(&memory->set, i + l, G + (long)l * n);
    if (memory->face[k] != LIMPET_FACE_BOUNDARY) continue;
    boundary_direction(d, solution->slack + i, u);
    for (int j = 0; j < n; ++j) {
      g[j] = G[j];
      for (int l = 1; l < d; ++l) g[j] -= u[l] * G[(long)l * n + j];
    }
    row_add(&memory->set, i, g);
  }
  return true;
}

static void slack_form(const limpet_qp_problem *problem, int total, limpet_qp_solution *solution) {
  const int n = problem->n;
  for (int i = 0; i < total; ++i) {
    double s = problem->h[i];
    for (int j = 0; j < n; ++j) s += problem->G[(long)i * n + j] * solution->x[j];
    solution->slack[i] = s;
  }
}

// The multipliers (of boundaries mu in the first row) from those of the set.
static void multipliers_scatter(const limpet_qp_memory *memory, limpet_qp_solution *solution) {
  memset(solution->multipliers, 0, (size_t)memory->total * sizeof(double));
  for (int k = 0; k < memory->set.count; ++k)
    solution->multipliers[memory->set.row[k]] = memory->u[k];
}

// Of boundaries mu (1, -u); false where some multiplier is outside its cone by more than round-off.
static bool multipliers_complete(const limpet_qp_problem *problem, const limpet_qp_memory *memory,
                                 limpet_qp_solution *solution) {
  double *lambda = solution->multipliers, most = 0.0;
  for (int i = 0; i < memory->total; ++i) most = fmax(most, fabs(lambda[i]));
  for (int i = 0; i < problem->row_count; ++i) {
    if (!(lambda[i] >= -ROUND_OFF * most)) return false;
    lambda[i] = fmax(lambda[i], 0.0);
  }
  for (int k = 0, i = problem->row_count; k < problem->cone_count;
       i += problem->cone_dimension[k], ++k) {
    const int d = problem->cone_dimension[k];
    double u[LIMPET_QP_LARGEST_CONE];
    if (memory->face[k] == LIMPET_FACE_BOUNDARY) {
      boundary_direction(d, solution->slack + i, u);
      for (int l = 1; l < d; ++l) lambda[i + l] = -lambda[i] * u[l];
    }
    if (!(limpet_cone_depth(d, lambda + i) >= -ROUND_OFF * most)) return false;
  }
  return true;
}

// One Newton step; returns its relative size.
static double newton_step(const limpet_qp_problem *problem, limpet_qp_memory *memory,
                          limpet_qp_solution *solution) {
  const int n = problem->n;
  limpet_working_set *set = &memory->set;
  for (int j = 0; j < n; ++j) {
    memory->b[j] = problem->c[j];
    for (int k = 0; k < n; ++k) memory->b[j] += problem->Q[(long)j * n + k] * solution->x[k];
  }
  // what each equation lacks: the slack, of boundaries the depth
  for (int r = 0; r < set->count; ++r) memory->e[r] = -solution->slack[set->row[r]];
  for (int k = 0, i = problem->row_count; k < problem->cone_count;
       i += problem->cone_dimension[k], ++k)
    for (int r = 0; r < set->count && memory->face[k] == LIMPET_FACE_BOUNDARY; ++r)
      if (set->row[r] == i)
        memory->e[r] = -limpet_cone_depth(problem->cone_dimension[k], solution->slack + i);
  limpet_working_set_solve(set, memory->b, memory->e, memory->dx, memory->u);
  double step = 0.0, size = 0.0;
  for (int j = 0; j < n; ++j) {
    solution->x[j] += memory->dx[j];
    step = fmax(step, fabs(memory->dx[j]));
    size = fmax(size, fabs(solution->x[j]));
  }
  return size > 0.0 ? step / size : 0.0;
}

bool limpet_face_solve(const limpet_qp_problem *problem, limpet_qp_memory *memory,
                       limpet_qp_solution *solution) {
  double last = INFINITY;
  for (int step = 0; step < NEWTON_STEPS; ++step) {
    if (!limpet_face_factor(problem, memory, solution)) return false;
    const double size = newton_step(problem, memory, solution);
    slack_form(problem, memory->total, solution);
    multipliers_scatter(memory, solution);
    if (!isfinite(size)) return false;
    for (int k = 0, i = problem->row_count; k < problem->cone_count;
         i += problem->cone_dimension[k], ++k)
      if (memory->face[k] == LIMPET_FACE_BOUNDARY && !(solution->multipliers[i] >= 0.0))
        return false;
    if (size <= STILL || (size <= SMALL && size > SLOW * last)) break;  // what is left is round-off
    last = size;
  }
  return multipliers_complete(problem, memory, solution);
}
