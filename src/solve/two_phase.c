/* solve/two_phase.c: the two-phase convex method: normal impulses by Newton's restitution, then
 * friction in their null space. Numbers D as in docs/impulse-methods.md.
 *
 *   A x + b         velocities after the impulses x; N, T: normal and tangential parts,
 *                   A = [A_N B; B' A_T] = W W'
 *   s               wanted normal speeds: -e v_n0 where a contact hits, -phi/dt across an open gap;
 *                   repaired: error reduction, too
 *   phase one
 *     literal       w_s = A_N^+ (s - b_N), the pseudo-inverse by the singular values of A_N
 *     repaired      w_s >= 0, A_N w_s + b_N >= s, complementary, of least norm (D2, D6):
 *                   two_phase_normals.c
 *   phase two       x that keep the normal velocities: C (x - w) = 0, C = [A_N B] over the contacts
 *                   that push (D9)
 *     literal       min |B'x_N + A_T x_T + b_T|^2,  |x_T| <= mu |x_N|,  |x_N| <= |w_s|
 *     repaired      min 1/2 x'A x + b'x (kinetic energy),  |x_T| <= mu x_N,  1'x_N <= 1'w_s
 *                   (D5, D2, D4). Contacts that do not push may part. One whose x_N vanishes is
 *                   released, and phase two runs again (D6)
 *   start           x = w; bounds are wider by the share bound_slack, and contacts with w_i = 0
 *                   have no friction (D3)
 * Scalar rows within their bounds act like springs and join the mass matrix; rows at a bound push
 * with it. Which rows are at a bound is found by trial, 10 times at most.
 * Reference: Drumwright, Shell, A robust and tractable contact model for dynamic robotic
 * simulation, SAC 2009. */
#include "solve/two_phase.h"

#include <math.h>
#include <string.h>

#include "law/contact_model_list.h"
#include "math/dense.h"
#include "optim/block_pivoting.h"
#include "optim/boxed_lcp.h"
#include "solve/row.h"

enum { ROW_PASSES = 10, OPENING_PASSES = 4 };
static const double accuracy = 1e-10;    // [-]  of phase two
static const double row_slack = 1e-12;   // [-], [N s]  within which a row's impulse is at its bound
static const double speed_slack = 1e-9;  // [-]  of the fastest approach: room of open contacts
static const double least_slack = 1e-15;  // [m/s]  of that, where nothing approaches
// [-]  of the fastest approach: what dropped remains of impulses may change
static const double speed_remains = 4e-9;
static const double vanished = 1e-9;  // [-]  of the largest normal impulse

size_t limpet_two_phase_lay_out(limpet_two_phase *z, bool literal, int contacts, int rows,
                                int velocities, char *memory) {
  const size_t n = (size_t)contacts;
  size_t used = 0;
  struct {
    double **array;
    size_t count;
  } const arrays[] = {{&z->A_N, n * n},
                      {&z->slack, n},
                      {&z->b, 3 * n},
                      {&z->target, n},
                      {&z->w_s, n},
                      {&z->mu, n},
                      {&z->work, 2 * n * n + 9 * n},
                      {&z->row_impulse, (size_t)rows}};
  for (size_t i = 0; i < sizeof arrays / sizeof *arrays; ++i) {
    double *array = limpet_space_take(memory, &used, arrays[i].count);
    if (memory) *arrays[i].array = array;
  }
  if (memory) z->lcp_memory = memory + used;
  const size_t block = limpet_block_pivoting_memory_size(contacts),
               boxed = limpet_boxed_lcp_memory_size(contacts);
  used += ((block > boxed ? block : boxed) + 7) / 8 * 8;
  used +=
      limpet_contact_root_lay_out(&z->root, contacts, velocities, memory ? memory + used : NULL);
  used += limpet_cone_barrier_lay_out(&z->barrier, literal, contacts, velocities,
                                      memory ? memory + used : NULL);
  if (memory) {
    z->pushing = (int *)(void *)(memory + used);
    z->open = z->pushing + n;
    z->free = (bool *)(z->open + n);
  }
  return used + 2 * n * sizeof(int) + n * sizeof(bool);
}

// -------------------------------------------------------------------------------- scalar rows

limpet_outcome limpet_two_phase_condense(limpet_two_phase *z) {
  const limpet_contact_space *s = z->space;
  const int n = s->contacts;
  if (limpet_contact_root_fill(&z->root, s, z->row_impulse) != LIMPET_OUTCOME_SOLVED)
    return LIMPET_OUTCOME_NUMERICAL_FAILURE;
  for (int i = 0; i < 3 * n; ++i)
    z->b[i] = s->bias[i] + limpet_block_rows_dot(&z->root.rows, i, z->root.u);
  for (int i = 0; i < n; ++i)
    for (int k = 0; k <= i; ++k)
      z->A_N[i * n + k] = z->A_N[k * n + i] =
          limpet_block_rows_product(&z->root.rows, 3 * i + 2, 3 * k + 2);
  for (int c = 0; c < n; ++c) z->target[c] = limpet_contact_space_target(s, c, !z->literal);
  return LIMPET_OUTCOME_SOLVED;
}

// Impulses of the rows for those of the contacts; whether some row changes its state.
static bool update_rows(limpet_two_phase *z) {
  limpet_contact_space *s = z->space;
  bool changed = false;
  limpet_contact_root_velocity(&z->root, s->x, s->v);
  for (int r = 0; r < s->rows; ++r) {
    const limpet_constraint_row *row = &s->row[r];
    const bool held = isnan(z->row_impulse[r]);
    double *x = &s->x[3 * s->contacts + r];
    const double y = limpet_row_wanted(row, limpet_row_speed(s->problem, row, s->v)),
                 slack = row_slack * (fabs(y) + row_slack);
    *x = held ? y : z->row_impulse[r];
    const bool stays =
        held ? y >= row->lower - slack && y <= row->upper + slack : fabs(y - *x) <= slack;
    const double now = y < row->lower ? row->lower : y > row->upper ? row->upper : NAN;
    if (stays || now == z->row_impulse[r]) continue;
    z->row_impulse[r] = now;
    changed = true;
  }
  return changed;
}

static void start_rows(limpet_two_phase *z) {
  limpet_contact_space *s = z->space;
  limpet_contact_space_rows(s);
  for (int r = 0; r < s->rows; ++r) {
    const double x = s->x[3 * s->contacts + r];
    z->row_impulse[r] = x <= s->row[r].lower || x >= s->row[r].upper ? x : NAN;
  }
}

// ---------------------------------------------------------------------------------- phase two

// Friction of contacts that carry something; the others, which may part, with what their speeds
// have left.
static int choose_contacts(limpet_two_phase *z, double slack) {
  const limpet_contact_space *s = z->space;
  double largest = 0.0;
  int opens = 0;
  for (int i = 0; i < z->count; ++i) largest = fmax(largest, fabs(s->x[3 * z->pushing[i] + 2]));
  for (int c = 0, i = 0; c < s->contacts; ++c) {
    const bool pushes = i < z->count && z->pushing[i] == c;
    z->mu[c] =
        pushes && fabs(s->x[3 * c + 2]) > vanished * largest ? s->constants[c].friction : 0.0;
    i += pushes;
    if (pushes || z->literal) continue;
    double speed = s->bias[3 * c + 2] + limpet_block_rows_dot(&z->root.rows, 3 * c + 2, z->root.u) -
                   z->target[c];
    for (int k = 0; k < 3 * s->contacts; ++k)
      if (s->x[k] != 0.0) speed += s->x[k] * limpet_block_rows_product(&z->root.rows, 3 * c + 2, k);
    z->slack[opens] = fmax(speed + slack, 0.5 * slack);
    z->open[opens++] = c;
  }
  return opens;
}

void limpet_two_phase_programme(limpet_two_phase *z, int open_count, double bound) {
  z->programme = (limpet_cone_barrier_problem){.squares = z->literal,
                                               .rows = z->root.rows,
                                               .u = z->root.u,
                                               .linear = z->space->bias,
                                               .mu = z->mu,
                                               .w = z->w_s,
                                               .push = z->pushing,
                                               .push_count = z->count,
                                               .open = z->open,
                                               .open_count = open_count,
                                               .bound = bound,
                                               .slack = z->slack};
}

/* One solve from the impulses in space->x. total: the sum of the normal impulses of phase one, or
 * of their squares; slack: of speeds. */
static limpet_outcome solve_programme(limpet_two_phase *z, double total, double slack) {
  limpet_contact_space *s = z->space;
  const int opens = choose_contacts(z, slack);
  double sum = 0.0;
  for (int i = 0; i < z->count; ++i) {
    const double x = s->x[3 * z->pushing[i] + 2];
    sum += z->literal ? x * x : x;
  }
  const limpet_cone_barrier_settings settings = {.accuracy = accuracy};
  limpet_cone_barrier_solution solution = {.x = s->x};
  limpet_cone_barrier_info info;
  limpet_two_phase_programme(z, opens, total * s->problem->settings.bound_slack + (total - sum));
  limpet_cone_barrier_solve(&z->programme, &settings, &z->barrier, &solution, &info);
  s->counts.barrier_iterations += info.iterations;
  s->counts.line_search_evaluations += info.evaluations;
  s->counts.factorizations += info.factorizations;
  s->residual = info.gap;
  return info.converged ? LIMPET_OUTCOME_SOLVED : LIMPET_OUTCOME_ITERATION_LIMIT;
}

/* Lets contacts go whose normal impulse vanished. Returns how many. What is left of it, up to the
 * share `vanished`, stays until the end, so that the others keep their speeds. */
static int let_go(limpet_two_phase *z, double largest) {
  int kept = 0;
  const int before = z->count;
  for (int i = 0; i < before; ++i)
    if (z->space->x[3 * z->pushing[i] + 2] > vanished * largest) z->pushing[kept++] = z->pushing[i];
  z->count = kept;
  return before - kept;
}

// Takes what is left of contacts that went, where no speed changes by more than `least`.
static void drop_remains(limpet_two_phase *z, double least) {
  const int n = z->space->contacts;
  for (int c = 0, i = 0; c < n; ++c) {
    double *x = z->space->x + 3 * c, most = 0.0;
    if (i < z->count && z->pushing[i] == c) {
      ++i;
      continue;
    }
    for (int k = 0; k < n && x[2] != 0.0; ++k) most = fmax(most, fabs(z->A_N[k * n + c] * x[2]));
    if (most <= least) x[0] = x[1] = x[2] = 0.0;
  }
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
  const double total = z->literal ? squares : sum;
  const double slack = speed_slack * fastest + least_slack;
  limpet_outcome outcome = solve_programme(z, total, slack);
  for (int i = 1;
       i < OPENING_PASSES && !z->literal && outcome == LIMPET_OUTCOME_SOLVED && let_go(z, largest);
       ++i)
    outcome = solve_programme(z, total, slack);
  if (!z->literal) drop_remains(z, speed_remains * fastest);
  return outcome;
}

// ------------------------------------------------------------------------------------ models

static void solve(limpet_contact_space *s, bool literal) {
  limpet_two_phase z = {.space = s, .literal = literal};
  limpet_two_phase_lay_out(&z, literal, s->contacts, s->rows, s->velocities, s->memory);
  start_rows(&z);
  bool changed = true;
  for (int i = 0; i < ROW_PASSES && changed; ++i) {
    s->outcome = limpet_two_phase_condense(&z);
    if (s->outcome != LIMPET_OUTCOME_SOLVED) return;
    const limpet_outcome one = limpet_two_phase_normals(&z), two = limpet_two_phase_friction(&z);
    s->outcome = one > two ? one : two;
    changed = s->rows > 0 && update_rows(&z);
  }
  if (changed && s->outcome < LIMPET_OUTCOME_ITERATION_LIMIT)
    s->outcome = LIMPET_OUTCOME_ITERATION_LIMIT;
}

static void solve_repaired(limpet_contact_space *s) { solve(s, false); }
static void solve_literal(limpet_contact_space *s) { solve(s, true); }

static size_t repaired_memory(int contacts, int rows, int velocities) {
  limpet_two_phase z;
  return limpet_two_phase_lay_out(&z, false, contacts, rows, velocities, NULL);
}

static size_t literal_memory(int contacts, int rows, int velocities) {
  limpet_two_phase z;
  return limpet_two_phase_lay_out(&z, true, contacts, rows, velocities, NULL);
}

static const limpet_parameter parameters[] = {
    LIMPET_PARAMETER_FRICTION,
    LIMPET_PARAMETER_RESTITUTION,
    LIMPET_PARAMETER_ERROR_REDUCTION,
    LIMPET_SETTING("bound_slack", 1e-6,
                   "the sum of the normal impulses may exceed that of phase one by this share"),
};
static const limpet_parameter literal_parameters[] = {
    LIMPET_PARAMETER_FRICTION,
    LIMPET_PARAMETER_RESTITUTION,
    LIMPET_SETTING("bound_slack", 1e-13,
                   "the sum of their squares may exceed that of phase one by this share; the load "
                   "that can shift "
                   "goes with its root"),
};

#define REFERENCE \
  "Drumwright, Shell, A robust and tractable contact model for dynamic robotic simulation (2009)"

const limpet_impulsive_model limpet_contact_model_two_phase = {
    .head = {.descriptor =
                 {.name = "two-phase",
                  .text = "Two convex phases: normal impulses by Newton's restitution, then "
                          "friction in the null space of the normal "
                          "velocities, by the logarithmic barrier. Repaired: normals only push, "
                          "contacts may part, friction takes "
                          "kinetic energy, and the sum of the normals, not their norm, is "
                          "bounded. Coulomb's round cone holds for "
                          "each contact. Friction cannot raise the sum of the normals, so nothing "
                          "jams. Of the scheme impulse.",
                  .reference = REFERENCE,
                  .parameter_count = sizeof parameters / sizeof parameters[0],
                  .parameters = parameters},
             .family = LIMPET_CONTACT_IMPULSIVE,
             .prepare = limpet_impulse_prepare,
             .sticks = limpet_contact_model_sticks,
             .slip_speed = limpet_contact_model_no_slip_speed,
             .energy = limpet_contact_model_no_energy},
    .solve = solve_repaired,
    .memory_size = repaired_memory,
};

const limpet_impulsive_model limpet_contact_model_two_phase_literal = {
    .head = {.descriptor =
                 {.name = "two-phase-literal",
                  .text = "Two-phase as it was published, to show what that does: the "
                          "pseudo-inverse lets normals pull, and the bound "
                          "on their norm switches friction off wherever it would have to shift "
                          "load between contacts, as under a "
                          "sliding box. For comparisons only. Of the scheme impulse.",
                  .reference = REFERENCE,
                  .parameter_count = sizeof literal_parameters / sizeof literal_parameters[0],
                  .parameters = literal_parameters},
             .family = LIMPET_CONTACT_IMPULSIVE,
             .prepare = limpet_impulse_prepare,
             .sticks = limpet_contact_model_sticks,
             .slip_speed = limpet_contact_model_no_slip_speed,
             .energy = limpet_contact_model_no_energy},
    .solve = solve_literal,
    .memory_size = literal_memory,
};
