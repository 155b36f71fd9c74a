/* contact/two_phase.c: the two-phase convex method: normal impulses by Newton's restitution, then friction in their null space.
 *
 *   A x + b         velocities after the impulses x; N, T: normal and tangential parts, A = [A_N B; B' A_T]
 *   phase one       literal   w_s = A_N^+ (s - b_N), the pseudo-inverse by the singular values of A_N
 *                   repaired  w_s >= 0, A_N w_s + b_N >= s, complementary                                       (D2, D6)
 *   s               normal speeds to have: -e v_n0 where a contact hits, -phi/dt across an open gap; repaired: error reduction
 *   phase two       x = w + R y, R null basis of C = [A_N B] over the contacts that push                            (D9)
 *     literal       min |B'x_N + A_T x_T + b_T|^2,  |x_T| <= mu |x_N|,  |x_N| <= |w_s|
 *     repaired      min 1/2 x'A x + b'x (kinetic energy), |x_T| <= mu x_N, 1'x_N <= 1'w_s,          (D5, D2, D4)
 *                   contacts that do not push may part; one whose x_N vanishes there is let go, once more from phase two (D6)
 *   start           y = 0: the bounds are wider by the share bound_slack, contacts with w_i = 0 without friction    (D3)
 * Scalar rows: those within their bounds act like springs and are condensed into A and b, those at a bound are constant; who is
 * where is found by trying, 10 times at most. Numbers D as in docs/impulse-methods.md.
 * Reference: Drumwright, Shell, A robust and tractable contact model for dynamic robotic simulation, SAC 2009. */
#include "contact/two_phase.h"

#include <math.h>
#include <string.h>

#include "contact/contact_model.h"
#include "math/decompose.h"
#include "math/dense.h"
#include "optim/boxed_lcp.h"

enum { ROW_PASSES = 10, OPENING_PASSES = 4 };
static const double cutoff = 1e-10;     // [-]  of singular values
static const double regular = 1e-8;     // [-]  of phase one, repaired: makes redundant contacts share
static const double at_rest = 1e-9;     // [m/s]  literal: contacts that part slower than this count as resting
static const double negligible = 1e-9;  // [-]  of the largest normal impulse

enum { ROW_HELD, ROW_LOWER, ROW_UPPER };

size_t limpet_two_phase_lay_out(limpet_two_phase *z, int contacts, int rows, char *memory) {
  const size_t n = (size_t)contacts, m = 3 * n, r = (size_t)rows;
  size_t used = 0;
  struct {
    double **array;
    size_t count;
  } const arrays[] = {{&z->A, m * m},
                      {&z->b, m},
                      {&z->target, n},
                      {&z->w_s, n},
                      {&z->mu, n},
                      {&z->Q, m * m},
                      {&z->c, m},
                      {&z->N, m * m},
                      {&z->C, n * m},
                      {&z->E, n * m},
                      {&z->e, n},
                      {&z->w, m},
                      {&z->work, 3 * n * n + 6 * n},
                      {&z->row_factor, r * r},
                      {&z->row_A, r * (m + 1)}};
  for (size_t i = 0; i < sizeof arrays / sizeof *arrays; ++i) {
    double *array = limpet_space_take(memory, &used, arrays[i].count);
    if (memory) *arrays[i].array = array;
  }
  if (memory) z->lcp_memory = memory + used;
  used += limpet_boxed_lcp_memory_size(contacts);
  used = (used + 7) / 8 * 8;
  used += limpet_friction_programme_lay_out(memory ? &z->programme : NULL, (int)m, memory ? memory + used : NULL);
  if (memory) {
    z->pushing = (int *)(void *)(memory + used);
    z->at = z->pushing + n;
    z->held = z->at + n;
    z->row_state = (char *)(z->held + r);
  }
  return used + (2 * n + r) * sizeof(int) + r;
}

// ------------------------------------------------------------------------------------------------------------ scalar rows

static double saturated(const limpet_two_phase *z, int r) {
  const limpet_constraint_row *row = &z->space->row[r];
  return z->row_state[r] == ROW_LOWER ? row->lower : row->upper;
}

// Factor of A + R of the held rows, and Y = L^-1 [A_hc, v_hat - b - A_hs x_s].
static void factor_rows(limpet_two_phase *z) {
  const limpet_contact_space *s = z->space;
  const int m = 3 * s->contacts, width = m + 1;
  z->held_count = 0;
  for (int r = 0; r < s->rows; ++r)
    if (z->row_state[r] == ROW_HELD) z->held[z->held_count++] = r;
  const int h = z->held_count;
  for (int i = 0; i < h; ++i) {
    const double *A = s->A + (m + z->held[i]) * s->size;
    for (int k = 0; k < h; ++k) z->row_factor[i * h + k] = A[m + z->held[k]];
    z->row_factor[i * h + i] += 1.0 / s->row[z->held[i]].R_inverse;
    memcpy(z->row_A + i * width, A, (size_t)m * sizeof *A);
    double *right = z->row_A + i * width + m;
    *right = s->row[z->held[i]].v_hat - s->b[m + z->held[i]];
    for (int r = 0; r < s->rows; ++r)
      if (z->row_state[r] != ROW_HELD) *right -= A[m + r] * saturated(z, r);
  }
  limpet_cholesky(h, z->row_factor, h);
  for (int i = 0; i < h; ++i) {
    for (int k = 0; k < i; ++k) limpet_axpy(width, -z->row_factor[i * h + k], z->row_A + k * width, z->row_A + i * width);
    for (int k = 0; k < width; ++k) z->row_A[i * width + k] /= z->row_factor[i * h + i];
  }
}

void limpet_two_phase_condense(limpet_two_phase *z) {
  const limpet_contact_space *s = z->space;
  const int m = 3 * s->contacts, width = m + 1;
  factor_rows(z);
  for (int i = 0; i < m; ++i) {
    memcpy(z->A + i * m, s->A + i * s->size, (size_t)m * sizeof *z->A);
    z->b[i] = s->b[i];
    for (int r = 0; r < s->rows; ++r)
      if (z->row_state[r] != ROW_HELD) z->b[i] += s->A[i * s->size + m + r] * saturated(z, r);
    for (int k = 0; k < z->held_count; ++k) {
      const double *Y = z->row_A + k * width;
      limpet_axpy(m, -Y[i], Y, z->A + i * m);
      z->b[i] += Y[i] * Y[m];
    }
  }
  for (int c = 0; c < s->contacts; ++c) z->target[c] = limpet_contact_space_target(s, c, !z->literal);
}

// Impulses of the rows for those of the contacts; whether some row changes its state.
static bool update_rows(limpet_two_phase *z) {
  limpet_contact_space *s = z->space;
  const int m = 3 * s->contacts, width = m + 1, h = z->held_count;
  double *x = s->x + m;
  for (int r = 0; r < s->rows; ++r)
    if (z->row_state[r] != ROW_HELD) x[r] = saturated(z, r);
  for (int i = h - 1; i >= 0; --i) {
    const double *Y = z->row_A + i * width;
    double sum = Y[m] - limpet_dot(m, Y, s->x);
    for (int k = i + 1; k < h; ++k) sum -= z->row_factor[k * h + i] * x[z->held[k]];
    x[z->held[i]] = sum / z->row_factor[i * h + i];
  }
  bool changed = false;
  for (int r = 0; r < s->rows; ++r) {
    const limpet_constraint_row *row = &s->row[r];
    const double slack = 1e-12 * (fabs(x[r]) + 1e-12);
    double y = x[r];
    if (z->row_state[r] != ROW_HELD) {
      const double u = s->b[m + r] + limpet_dot(s->size, s->A + (m + r) * s->size, s->x);
      y = (row->v_hat - u) * row->R_inverse;
    }
    const char state = y < row->lower - slack ? ROW_LOWER : y > row->upper + slack ? ROW_UPPER : ROW_HELD;
    const bool stays = z->row_state[r] != ROW_HELD && fabs(y - saturated(z, r)) <= slack;
    if (state == z->row_state[r] || stays) continue;
    z->row_state[r] = state;
    changed = true;
  }
  return changed;
}

static void start_rows(limpet_two_phase *z) {
  limpet_contact_space *s = z->space;
  limpet_contact_space_rows(s);
  for (int r = 0; r < s->rows; ++r) {
    const double x = s->x[3 * s->contacts + r];
    z->row_state[r] = x <= s->row[r].lower ? ROW_LOWER : x >= s->row[r].upper ? ROW_UPPER : ROW_HELD;
  }
}

// -------------------------------------------------------------------------------------------------------------- phase one

// By the pseudo-inverse; contacts that part are left out.
static void normals_literal(limpet_two_phase *z) {
  const int n = z->space->contacts, m = 3 * n;
  z->count = 0;
  for (int i = 0; i < n; ++i) {
    const double closing = fmax(z->space->law[i].distance, 0.0) / z->space->dt;
    z->w_s[i] = 0.0;
    if (z->b[3 * i + 2] <= -closing + at_rest) z->pushing[z->count++] = i;
  }
  const int p = z->count;
  double *A_N = z->work, *V = A_N + p * p, *lambda = V + p * p, *right = lambda + p, *work = right + p, *w = work + p;
  for (int i = 0; i < p; ++i) {
    const int row = 3 * z->pushing[i] + 2;
    for (int k = 0; k < p; ++k) A_N[i * p + k] = z->A[row * m + 3 * z->pushing[k] + 2];
    right[i] = z->target[z->pushing[i]] - z->b[row];
  }
  limpet_symmetric_eigen(p, A_N, lambda, V);
  limpet_symmetric_pseudo_solve(p, lambda, V, cutoff, right, work, w);
  for (int i = 0; i < p; ++i) z->w_s[z->pushing[i]] = w[i];
}

/* As a linear complementarity problem with a weight on the diagonal, three times: later ones give back what it took from
 * the one before (proximal steps). It is the same for all, so that redundant contacts share evenly. */
static limpet_outcome normals_repaired(limpet_two_phase *z) {
  const int n = z->space->contacts, m = 3 * n;
  double *A_N = z->work, *q = A_N + n * n, *lower = q + n, *upper = lower + n, *speed = upper + n;
  double largest = 0.0, weight = 0.0;
  for (int i = 0; i < n; ++i) {
    for (int k = 0; k < n; ++k) A_N[i * n + k] = z->A[(3 * i + 2) * m + 3 * k + 2];
    weight += regular / n * A_N[i * n + i];
    lower[i] = 0.0, upper[i] = INFINITY, z->w_s[i] = 0.0;
  }
  for (int i = 0; i < n; ++i) A_N[i * n + i] += weight;
  const limpet_boxed_lcp problem = {.n = n, .A = A_N, .q = q, .lower = lower, .upper = upper};
  limpet_boxed_lcp_outcome outcome = LIMPET_BOXED_LCP_SOLVED;
  for (int round = 0; round < 3; ++round) {
    for (int i = 0; i < n; ++i) q[i] = z->b[3 * i + 2] - z->target[i] - weight * z->w_s[i];
    outcome = limpet_boxed_lcp_solve(&problem, z->lcp_memory, z->w_s, speed, NULL);
  }
  for (int i = 0; i < n; ++i) largest = fmax(largest, z->w_s[i]);
  z->count = 0;
  for (int i = 0; i < n; ++i) {
    if (z->w_s[i] > negligible * largest) z->pushing[z->count++] = i;
    else z->w_s[i] = 0.0;
  }
  return outcome == LIMPET_BOXED_LCP_SOLVED        ? LIMPET_OUTCOME_SOLVED
         : outcome == LIMPET_BOXED_LCP_PIVOT_LIMIT ? LIMPET_OUTCOME_ITERATION_LIMIT
                                                   : LIMPET_OUTCOME_NUMERICAL_FAILURE;
}

limpet_outcome limpet_two_phase_normals(limpet_two_phase *z) {
  if (!z->literal) return normals_repaired(z);
  normals_literal(z);
  return LIMPET_OUTCOME_SOLVED;
}

// -------------------------------------------------------------------------------------------------------------- phase two

// Unknown of variable k.
static int unknown_of(const limpet_two_phase *z, int k) {
  int i = 0;
  while (i + 1 < z->count && z->at[i + 1] <= k) ++i;
  const int e = k - z->at[i];
  return 3 * z->pushing[i] + (e == 0 ? 2 : e - 1);
}

// Variables N, T1, T2 of contacts with friction, N of the others.
static void choose_variables(limpet_two_phase *z) {
  double largest = 0.0;
  for (int i = 0; i < z->count; ++i) largest = fmax(largest, fabs(z->space->x[3 * z->pushing[i] + 2]));
  z->m = 0;
  for (int i = 0; i < z->count; ++i) {
    const int c = z->pushing[i];
    const bool rubs = fabs(z->space->x[3 * c + 2]) > negligible * largest;
    z->mu[i] = rubs ? z->space->law[c].friction : 0.0;
    z->at[i] = z->m;
    z->m += z->mu[i] > 0.0 ? 3 : 1;
  }
}

static void fill_objective(limpet_two_phase *z, const int *unknown) {
  const int all = 3 * z->space->contacts, m = z->m;
  memset(z->Q, 0, (size_t)(m * m) * sizeof *z->Q);
  memset(z->c, 0, (size_t)m * sizeof *z->c);
  if (!z->literal) {
    for (int i = 0; i < m; ++i) {
      for (int k = 0; k < m; ++k) z->Q[i * m + k] = z->A[unknown[i] * all + unknown[k]];
      z->c[i] = z->b[unknown[i]];
    }
    return;
  }
  double *row = z->programme.trial;  // of D
  for (int i = 0; i < z->count; ++i)
    for (int e = 0; e < 2 && z->mu[i] > 0.0; ++e) {
      const int tangent = 3 * z->pushing[i] + e;
      for (int k = 0; k < m; ++k) row[k] = z->A[tangent * all + unknown[k]];
      for (int k = 0; k < m; ++k) limpet_axpy(m, 2.0 * row[k], row, z->Q + k * m);
      limpet_axpy(m, 2.0 * z->b[tangent], row, z->c);
    }
}

// Speeds of the contacts that do not push, which may part.
static int fill_open(limpet_two_phase *z, const int *unknown, double slack) {
  const int n = z->space->contacts, all = 3 * n;
  int opens = 0;
  for (int c = 0, i = 0; c < n && !z->literal; ++c) {
    if (i < z->count && z->pushing[i] == c) {
      ++i;
      continue;
    }
    const double *A = z->A + (3 * c + 2) * all;
    for (int k = 0; k < z->m; ++k) z->E[opens * z->m + k] = A[unknown[k]];
    z->e[opens] = z->b[3 * c + 2] - z->target[c] + slack;
    const double start = z->e[opens] + limpet_dot(z->m, z->E + opens * z->m, z->w);
    if (start < 0.5 * slack) z->e[opens] += 0.5 * slack - start;
    ++opens;
  }
  return opens;
}

// One solve from the impulses in space->x.
static limpet_outcome solve_programme(limpet_two_phase *z, double bound, double slack) {
  limpet_friction_programme *p = &z->programme;
  double *x = z->space->x;
  const int all = 3 * z->space->contacts;
  choose_variables(z);
  int *unknown = (int *)(void *)z->work;
  for (int k = 0; k < z->m; ++k) unknown[k] = unknown_of(z, k), z->w[k] = x[unknown[k]];
  fill_objective(z, unknown);
  const int opens = fill_open(z, unknown, slack);
  for (int i = 0; i < z->count; ++i)
    for (int k = 0; k < z->m; ++k) z->C[i * z->m + k] = z->A[(3 * z->pushing[i] + 2) * all + unknown[k]];
  p->m = z->m, p->contacts = z->count, p->opens = opens, p->literal = z->literal, p->at = z->at, p->mu = z->mu;
  p->Q = z->Q, p->c = z->c, p->N = z->N, p->E = z->E, p->e = z->e, p->w = z->w, p->bound = bound, p->t = 1.0;
  p->d = limpet_null_basis(z->count, z->m, z->C, 1e-11, p->dy, z->N);
  limpet_friction_programme_solve(p);
  for (int k = 0; k < z->m; ++k) x[unknown[k]] = p->x[k];
  z->space->info.iterations += p->iterations;
  z->space->info.line_search_evaluations += p->evaluations;
  z->space->info.residual = p->gap;
  return p->converged ? LIMPET_OUTCOME_SOLVED : LIMPET_OUTCOME_ITERATION_LIMIT;
}

// Lets contacts go whose normal impulse vanished. Returns how many.
static int let_go(limpet_two_phase *z, double largest) {
  int kept = 0, gone = 0;
  for (int i = 0; i < z->count; ++i) {
    double *x = z->space->x + 3 * z->pushing[i];
    if (x[2] > 1e-9 * largest) {
      z->pushing[kept++] = z->pushing[i];
      continue;
    }
    x[0] = x[1] = x[2] = 0.0;
    ++gone;
  }
  z->count = kept;
  return gone;
}

limpet_outcome limpet_two_phase_friction(limpet_two_phase *z) {
  double sum = 0.0, squares = 0.0, largest = 0.0, fastest = 0.0;
  memset(z->space->x, 0, 3 * (size_t)z->space->contacts * sizeof(double));
  for (int c = 0; c < z->space->contacts; ++c) {
    z->space->x[3 * c + 2] = z->w_s[c];
    sum += z->w_s[c], squares += z->w_s[c] * z->w_s[c];
    largest = fmax(largest, fabs(z->w_s[c])), fastest = fmax(fastest, fabs(z->b[3 * c + 2]));
  }
  if (z->count == 0 || !(largest > 0.0)) return LIMPET_OUTCOME_SOLVED;
  const double bound = (z->literal ? squares : sum) * (1.0 + z->space->law->bound_slack);
  limpet_outcome outcome = solve_programme(z, bound, 1e-9 * fastest + 1e-15);
  for (int i = 1; i < OPENING_PASSES && !z->literal && outcome == LIMPET_OUTCOME_SOLVED && let_go(z, largest); ++i)
    outcome = solve_programme(z, bound, 1e-9 * fastest + 1e-15);
  return outcome;
}

// ---------------------------------------------------------------------------------------------------------------- models

static void solve(limpet_contact_space *s, bool literal) {
  limpet_two_phase z = {.space = s, .literal = literal};
  limpet_two_phase_lay_out(&z, s->contacts, s->rows, s->memory);
  s->info = (limpet_newton_info){0};
  start_rows(&z);
  bool changed = true;
  for (int i = 0; i < ROW_PASSES && changed; ++i) {
    limpet_two_phase_condense(&z);
    const limpet_outcome one = limpet_two_phase_normals(&z), two = limpet_two_phase_friction(&z);
    s->outcome = one > two ? one : two;
    changed = s->rows > 0 && update_rows(&z);
  }
  if (changed && s->outcome < LIMPET_OUTCOME_ITERATION_LIMIT) s->outcome = LIMPET_OUTCOME_ITERATION_LIMIT;
}

static void solve_repaired(limpet_contact_space *s) { solve(s, false); }
static void solve_literal(limpet_contact_space *s) { solve(s, true); }

static size_t two_phase_memory(int contacts, int rows, int velocities) {
  (void)velocities;
  limpet_two_phase z;
  return limpet_two_phase_lay_out(&z, contacts, rows, NULL);
}

static const limpet_parameter parameters[] = {
    LIMPET_PARAMETER_FRICTION,
    LIMPET_PARAMETER_RESTITUTION,
    LIMPET_PARAMETER_ERROR_REDUCTION,
    {"bound_slack", "1", 1e-6, 1e-15, 1.0, "the sum of the normal impulses may exceed that of phase one by this share"},
};
static const limpet_parameter literal_parameters[] = {
    LIMPET_PARAMETER_FRICTION,
    LIMPET_PARAMETER_RESTITUTION,
    {"bound_slack", "1", 1e-13, 1e-15, 1.0,
     "the sum of their squares may exceed that of phase one by this share; the load that can shift goes with its root"},
};

#define REFERENCE "Drumwright, Shell, A robust and tractable contact model for dynamic robotic simulation (2009)"

const limpet_contact_model limpet_contact_model_two_phase = {
    .descriptor =
        {.name = "two-phase",
         .text = "Two convex phases: normal impulses by Newton's restitution, then friction in the null space of the normal "
                 "velocities, by the logarithmic barrier. Repaired: normals only push, contacts may part, friction takes "
                 "kinetic energy, and the sum of the normals, not their norm, is bounded. Coulomb's round cone holds for "
                 "each contact. Friction cannot raise the sum of the normals, so nothing jams. Of the scheme impulse.",
         .reference = REFERENCE,
         .parameter_count = sizeof parameters / sizeof parameters[0],
         .parameters = parameters},
    .prepare = limpet_impulse_prepare,
    .solve = solve_repaired,
    .memory_size = two_phase_memory,
    .dense = true,
    .sticks = limpet_contact_model_sticks,
    .slip_speed = limpet_impulse_slip_speed,
    .energy = limpet_impulse_energy,
};

const limpet_contact_model limpet_contact_model_two_phase_literal = {
    .descriptor =
        {.name = "two-phase-literal",
         .text = "Two-phase as it was published, to show what that does: the pseudo-inverse lets normals pull, and the bound "
                 "on their norm switches friction off wherever it would have to shift load between contacts, as under a "
                 "sliding box. For comparisons only. Of the scheme impulse.",
         .reference = REFERENCE,
         .parameter_count = sizeof literal_parameters / sizeof literal_parameters[0],
         .parameters = literal_parameters},
    .prepare = limpet_impulse_prepare,
    .solve = solve_literal,
    .memory_size = two_phase_memory,
    .dense = true,
    .sticks = limpet_contact_model_sticks,
    .slip_speed = limpet_impulse_slip_speed,
    .energy = limpet_impulse_energy,
};
