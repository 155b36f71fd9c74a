/* gradient/smooth_island.c: see smooth_island.h. Dense: n^3/6 multiply-adds for the factor, n^2 for
 * a solution.
 * Reference: Castro, Han, Masterjohn, Irrotational Contact Fields, on gradients by the implicit
 * function theorem. */
#include "gradient/smooth_island.h"

#include <limits.h>
#include <math.h>
#include <string.h>

#include "gradient/law_change.h"
#include "law/normal_law.h"
#include "math/dense.h"
#include "math/dense_table.h"
#include "law/spin.h"
#include "math/lu.h"
#include "solve/island.h"
#include "solve/island_solver.h"
#include "solve/row.h"

// [-]  residual over the largest momentum: solvers leave 1e-6 by default, shifted problems 1e-2
static const double solved_share = 1e-4;
// [-]  of an entry of H over that of A, above which solutions are refined
static const double stiff_ratio = 1e8;

static void negate(size_t count, double *x) {
  for (size_t i = 0; i < count; ++i) x[i] = -x[i];
}

// to (n x n) <- the lower triangle of H, or the whole of it.
static void copy_hessian(const limpet_island_solver *s, bool whole, double *to) {
  const int n = s->n;
  if (whole) limpet_dense()->transpose(n, n, s->H, s->H_stride, to, n);
  for (int i = 0; i < n; ++i)
    memcpy(to + i * n, s->H + i * s->H_stride, (size_t)(whole ? i : i + 1) * sizeof *to);
}

/* What friction of a contact, along its two tangents, gets from its normal impulse. False: its
 * force does not change. */
static bool pull_contact(const limpet_island_solver *s, int i, double *share, double pull[2]) {
  const limpet_contact_constants *own = &s->constants[i];
  const double *v = s->contact_v + 3 * i, eps = own->compliant.slip_speed;
  limpet_normal_impulse(own, v[2], share);
  const double by = own->friction / sqrt(v[0] * v[0] + v[1] * v[1] + eps * eps);
  pull[0] = by * v[0], pull[1] = by * v[1];
  return *share != 0.0;
}

// The same of friction against turning, about its two axes: tau = -rho n(v_n) t.
static bool pull_spin(const limpet_island_solver *s, int i, double *share, double pull[2]) {
  const limpet_spin *spin = &s->problem->spin[s->island->spin + i];
  const int contact = spin->contact - s->island->contact;
  const limpet_contact_constants *own = &s->constants[contact];
  limpet_normal_impulse(own, s->contact_v[3 * contact + 2], share);
  limpet_spin_evaluate(-spin->length, spin->rate * own->compliant.slip_speed, s->spins.w + 2 * i,
                       pull);
  return *share != 0.0;
}

// -dF = share pull push' dV of a patch: what friction gets from a normal impulse.
typedef struct coupling {
  double share, pull[6];
  const double *push;  // (6)  row of the normal
} coupling;

static bool couple_contact(const limpet_island_solver *s, int c, coupling *to) {
  const double *W = s->problem->contact_row + 18 * c;
  double pull[2];
  if (!pull_contact(s, c - s->island->contact, &to->share, pull)) return false;
  for (int k = 0; k < 6; ++k) to->pull[k] = pull[0] * W[k] + pull[1] * W[6 + k];
  to->push = W + 12;
  return true;
}

static bool couple_spin(const limpet_island_solver *s, int k, coupling *to) {
  const limpet_spin *spin = &s->problem->spin[k];
  double pull[2];
  if (!pull_spin(s, k - s->island->spin, &to->share, pull)) return false;
  limpet_spatial_zero(to->pull);
  for (int e = 0; e < 2; ++e) limpet_vec3_addmul(to->pull, to->pull, pull[e], spin->axis + 3 * e);
  to->push = s->problem->contact_row + 18 * spin->contact + 12;
  return true;
}

// H -= share (J' pull)(J' push)'; pulled, pushed (n): work.
static void add_product(const limpet_patch *patch, const coupling *c, size_t n, double *pulled,
                        double *pushed, double *H) {
  for (int side = 0, at = 0; side < patch->side_count; ++side)
    for (int i = 0; i < patch->side[side].count; ++i, ++at) {
      pulled[at] = c->share * limpet_spatial_dot(patch->side[side].column + 6 * i, c->pull);
      pushed[at] = limpet_spatial_dot(patch->side[side].column + 6 * i, c->push);
    }
  for (int a = 0, row = 0; a < patch->side_count; ++a)
    for (int i = 0; i < patch->side[a].count; ++i, ++row) {
      double *to = H + (size_t)patch->side[a].dof[i] * n;
      for (int b = 0, at = 0; b < patch->side_count; ++b)
        for (int j = 0; j < patch->side[b].count; ++j, ++at)
          to[patch->side[b].dof[j]] -= pulled[row] * pushed[at];
    }
}

// K += share x y'
static void add_outer(const coupling *c, double K[36]) {
  for (int i = 0; i < 6; ++i) limpet_spatial_addmul(K + 6 * i, c->share * c->pull[i], c->push);
}

// H -= J' K J of a patch.
static void add_congruence(const limpet_patch *patch, const double K[36], size_t n, double *H) {
  for (int a = 0; a < patch->side_count; ++a)
    for (int i = 0; i < patch->side[a].count; ++i) {
      double pulled[6] = {0.0}, *row = H + (size_t)patch->side[a].dof[i] * n;
      for (int k = 0; k < 6; ++k)
        limpet_spatial_addmul(pulled, patch->side[a].column[6 * i + k], K + 6 * k);
      for (int b = 0; b < patch->side_count; ++b)
        for (int j = 0; j < patch->side[b].count; ++j)
          row[patch->side[b].dof[j]] -= limpet_spatial_dot(pulled, patch->side[b].column + 6 * j);
    }
}

enum { PRODUCTS = 4 };  // of fewer couplings than this each is taken in by itself

// Coupling i of a patch: of its contacts, then of its friction against turning. False: none.
static bool coupling_of(const limpet_island_solver *s, const limpet_patch *patch, int i,
                        coupling *to) {
  return i < patch->contact_count ? couple_contact(s, patch->contact + i, to)
                                  : couple_spin(s, patch->spin + i - patch->contact_count, to);
}

// K += all couplings of a patch. False: there are none.
static bool sum_couplings(const limpet_island_solver *s, const limpet_patch *patch, double K[36]) {
  bool any = false;
  coupling one;
  for (int i = 0; i < patch->contact_count + patch->spin_count; ++i) {
    if (!coupling_of(s, patch, i, &one)) continue;
    add_outer(&one, K);
    any = true;
  }
  return any;
}

/* What friction and friction against turning get from normal impulses, in H. pulled, pushed (2
 * n): work; both sides of a patch may move one velocity. */
static void add_coupling(const limpet_island_solver *s, double *pulled, double *pushed, double *H) {
  const size_t n = (size_t)s->n;
  for (int p = 0; p < s->island->patch_count; ++p) {
    const limpet_patch *patch = &s->problem->patch[s->island->patch + p];
    const int most = patch->contact_count + patch->spin_count;
    double K[36] = {0.0};
    coupling one;
    if (most >= PRODUCTS) {
      if (sum_couplings(s, patch, K)) add_congruence(patch, K, n, H);
      continue;
    }
    for (int i = 0; i < most; ++i)
      if (coupling_of(s, patch, i, &one)) add_product(patch, &one, n, pulled, pushed, H);
  }
}

enum { STRIP = 4, MOST_STRIPS = 32 };  // of limpet_patch_rows.tiles

/* H -= P'Q of a patch, P and Q (count x n, rows `stride` and n apart), where it moves velocities:
 * elsewhere both are zero. */
static void take_product(const limpet_island_solver *s, int index, int count, const double *P,
                         int stride, const double *Q, double *H) {
  const unsigned tiles = s->patch_rows[index].tiles;
  const int n = s->n;
  limpet_range run[MOST_STRIPS];
  int runs = 0;
  for (int at = 0; STRIP * at < n; ++at) {
    if (!(tiles >> at & 1u)) continue;
    if (runs == 0 || run[runs - 1].end < STRIP * at) run[runs++].first = STRIP * at;
    run[runs - 1].end = STRIP * (at + 1) < n ? STRIP * (at + 1) : n;
  }
  for (int a = 0; a < runs; ++a)
    for (int b = 0; b < runs; ++b)
      limpet_dense()->sub_mul(run[a].end - run[a].first, run[b].end - run[b].first, count,
                              P + run[a].first, 1, stride, Q + run[b].first, n,
                              H + run[a].first * n + run[b].first, n);
}

/* Of contacts of a patch, and of its friction against turning, whose rows are in J: one row for
 * each that acts. P, Q: work. */
static void couple_rows(const limpet_island_solver *s, int index, double *P, double *Q, double *H) {
  const limpet_patch *patch = &s->problem->patch[s->island->patch + index];
  const int n = s->n, stride = s->J_stride, contacts = patch->contact_count;
  const double *own = s->J + s->patch_rows[index].first * stride;
  int count = 0;
  for (int i = 0; i < contacts + patch->spin_count; ++i) {
    const int k = i - contacts, spin = patch->spin - s->island->spin + k;
    const int c = k < 0 ? i : s->problem->spin[patch->spin + k].contact - patch->contact;
    const double *along = k < 0 ? own + 3 * i * stride : s->J + (s->J_rows + 2 * spin) * stride,
                 *push = own + (3 * c + 2) * stride;
    double pull[2], share, *p = P + count * n;
    if (!(k < 0 ? pull_contact(s, patch->contact - s->island->contact + i, &share, pull)
                : pull_spin(s, spin, &share, pull)))
      continue;
    for (int j = 0; j < n; ++j) p[j] = share * (pull[0] * along[j] + pull[1] * along[stride + j]);
    memcpy(Q + count * n, push, (size_t)n * sizeof *push);
    ++count;
  }
  if (count > 0) take_product(s, index, count, P, n, Q, H);
}

// The same of a patch with the six rows S' in J: S K S'.
static void couple_columns(const limpet_island_solver *s, int index, double *Q, double *H) {
  const double *columns = s->patch_rows[index].columns;
  const int n = s->n, stride = s->J_stride;
  double K[36] = {0.0};
  if (!sum_couplings(s, &s->problem->patch[s->island->patch + index], K)) return;
  negate(36, K);
  memset(Q, 0, 6 * (size_t)n * sizeof *Q);
  limpet_dense()->sub_mul(6, n, 6, K, 6, 1, columns, stride, Q, n);
  take_product(s, index, 6, columns, stride, Q, H);
}

// `add_coupling` where J is a dense matrix.
static limpet_status add_dense_coupling(const limpet_island_solver *s, limpet_arena *arena,
                                        double *H) {
  const limpet_island *island = s->island;
  const int most = island->contact_count + island->spin_count + 6;
  const limpet_arena_mark mark = limpet_arena_mark_now(arena);
  double *P = LIMPET_TAKE(arena, double, 2 * most * s->n), *Q = P + most * s->n;
  if (!P) return LIMPET_ERROR_MEMORY;
  for (int i = 0; i < island->patch_count; ++i) {
    if (s->patch_rows[i].by_columns) couple_columns(s, i, Q, H);
    else couple_rows(s, i, P, Q, H);
  }
  limpet_arena_release(arena, mark);
  return LIMPET_OK;
}

// --------------------------------------------------------------------------------- switches

/* Speed of a contact from where its normal force begins, v_n + phi/dt, or from touch, phi/dt; of a
 * row from the nearer one of its bounds, u - v_hat + R bound. */
static double switch_speed(const limpet_island_solver *s, const limpet_weak *weak) {
  const limpet_contact_constants *c = &s->constants[weak->index];
  if (weak->kind == LIMPET_WEAK_TOUCHING) return c->distance / c->dt;
  if (weak->kind == LIMPET_WEAK_CLOSING)
    return s->contact_v[3 * weak->index + 2] + c->distance / c->dt;
  const limpet_constraint_row *row = &s->problem->row[s->island->row + weak->index];
  const double speed = s->row_u[weak->index] - row->v_hat;
  const double lower = speed + row->lower / row->R_inverse,
               upper = speed + row->upper / row->R_inverse;
  return fabs(lower) < fabs(upper) ? lower : upper;
}

static void add_weak(limpet_smooth_island *smooth, limpet_weak_kind kind, int count,
                     double kink_speed) {
  for (int i = 0; i < count; ++i) {
    const limpet_weak one = {kind, i};
    if (fabs(switch_speed(&smooth->base, &one)) < kink_speed)
      smooth->weak[smooth->weak_count++] = one;
  }
}

static limpet_outcome find_weak(limpet_smooth_island *smooth, double kink_speed,
                                limpet_arena *arena) {
  const limpet_island_solver *s = &smooth->base;
  const int contacts = s->island->contact_count, rows = s->island->row_count;
  smooth->weak = LIMPET_TAKE(arena, limpet_weak, 2 * contacts + rows);
  if (!smooth->weak) return LIMPET_OUTCOME_OUT_OF_MEMORY;
  add_weak(smooth, LIMPET_WEAK_ROW, rows, kink_speed);
  add_weak(smooth, LIMPET_WEAK_CLOSING, contacts, kink_speed);
  // the law of the same step has no bound from its start
  if (!s->model->coupled) add_weak(smooth, LIMPET_WEAK_TOUCHING, contacts, kink_speed);
  return LIMPET_OUTCOME_SOLVED;
}

double limpet_smooth_island_margin(const limpet_smooth_island *smooth, int i) {
  const limpet_island_solver *s = &smooth->base;
  const double force = s->contact_gamma[3 * i + 2];
  const double slope = s->contact_G[LIMPET_HESSIAN_SIZE * i + 5];
  const limpet_weak closing = {LIMPET_WEAK_CLOSING, i};
  return force > 0.0 && slope > 0.0 ? force / slope : fabs(switch_speed(s, &closing));
}

double limpet_smooth_island_switch_rate(const limpet_smooth_island *smooth, int i,
                                        const double *dx) {
  const limpet_contact_problem *problem = smooth->base.problem;
  const limpet_island *island = smooth->base.island;
  const limpet_weak *weak = &smooth->weak[i];
  if (weak->kind == LIMPET_WEAK_TOUCHING) return 0.0;
  if (weak->kind == LIMPET_WEAK_ROW)
    return limpet_row_speed(problem, &problem->row[island->row + weak->index], dx);
  for (int p = island->patch; p < island->patch + island->patch_count; ++p) {
    const limpet_patch *patch = &problem->patch[p];
    const int contact = island->contact + weak->index;
    if (contact < patch->contact || contact >= patch->contact + patch->contact_count) continue;
    double V[6];
    limpet_patch_velocity(patch, dx, V);
    return limpet_spatial_dot(problem->contact_row + 18 * contact + 12, V);
  }
  return 0.0;
}

// ---------------------------------------------------------------------------------- equations

// Whether r is as small as a solver leaves it.
static bool is_solution(const limpet_island_solver *s, const double *r) {
  double worst = 0.0, largest = 0.0;
  for (int i = 0; i < s->n; ++i) {
    worst = fmax(worst, fabs(r[i]));
    largest = fmax(largest, fmax(fabs(s->A_difference[i]), fabs(s->impulse[i])));
  }
  return worst <= solved_share * largest;
}

/* Whether solutions are refined: round-off of H is more than a share of what is light. */
static bool wants_refinement(const limpet_island_solver *s, const double *H) {
  double most = 0.0;
  for (int i = 0; i < s->n; ++i)
    most = fmax(most, fabs(H[i * (s->n + 1)]) * s->scale[i] * s->scale[i]);
  return most > stiff_ratio;
}

static limpet_status prepare_refinement(limpet_smooth_island *smooth, limpet_arena *arena) {
  const limpet_island *island = smooth->base.island;
  if (!wants_refinement(&smooth->base, smooth->L)) return LIMPET_OK;
  const int forces = 3 * island->contact_count + 2 * island->spin_count + island->row_count;
  smooth->refined = LIMPET_TAKE(arena, double, 4 * smooth->n + 2 * forces);
  return smooth->refined ? LIMPET_OK : LIMPET_ERROR_MEMORY;
}

/* The workspace of the step, whose state and laws are filled anew, where it is that of the whole
 * island and dense; else one from the arena. */
static limpet_status take_solver(limpet_island_solver *solver,
                                 const limpet_contact_problem *problem, int island,
                                 const limpet_island_solver *kept, limpet_arena *arena) {
  if (!kept || kept->sparse || kept->problem->contact_row != problem->contact_row)
    return limpet_island_solver_create(solver, problem, island, INT_MAX, arena);
  *solver = *kept;
  solver->problem = problem, solver->island = &problem->island[island];
  solver->constants = solver->own_constants;
  solver->plain_hessian = false;
  return solver->H ? LIMPET_OK : limpet_island_hessian_create(solver, INT_MAX, arena);
}

limpet_outcome limpet_smooth_island_begin(limpet_smooth_island *smooth,
                                          const limpet_contact_problem *problem,
                                          const limpet_contact_solution *solution, int island,
                                          double kink_speed, limpet_arena *arena) {
  const limpet_island *one = &problem->island[island];
  const int n = one->size;
  *smooth = (limpet_smooth_island){
      .n = n, .x = LIMPET_TAKE(arena, double, n), .L = LIMPET_TAKE(arena, double, n *n)};
  double *gradient = LIMPET_TAKE(arena, double, n);
  limpet_island_solver *solver = &smooth->base;
  const limpet_island_solver *kept = solution->solver ? solution->solver[island] : NULL;
  if (!smooth->x || !smooth->L || !gradient ||
      take_solver(solver, problem, island, kept, arena) != LIMPET_OK)
    return LIMPET_OUTCOME_OUT_OF_MEMORY;
  memcpy(solver->own_constants, solution->constants + one->contact,
         (size_t)one->contact_count * sizeof *solution->constants);
  // a step may end with another form of the law that has the same solution
  for (int i = 0; i < one->contact_count && solver->model->coupled; ++i)
    solver->own_constants[i].compliant.friction_form = LIMPET_FRICTION_COUPLED;
  limpet_island_gather(problem, one, solution->v, smooth->x);
  limpet_island_evaluate(solver, smooth->x, gradient);
  smooth->approximate = !is_solution(solver, gradient);
  limpet_island_assemble(solver, NULL);
  // without contacts nothing couples, and H is symmetric
  const bool symmetric = !solver->model->coupled || one->contact_count == 0;
  copy_hessian(solver, !symmetric, smooth->L);
  if (find_weak(smooth, kink_speed, arena) != LIMPET_OUTCOME_SOLVED)
    return LIMPET_OUTCOME_OUT_OF_MEMORY;
  if (prepare_refinement(smooth, arena)) return LIMPET_OUTCOME_OUT_OF_MEMORY;
  if (symmetric)
    return limpet_cholesky(n, smooth->L, n) ? LIMPET_OUTCOME_NUMERICAL_FAILURE
                                            : LIMPET_OUTCOME_SOLVED;
  smooth->pivot = LIMPET_TAKE(arena, int, n);
  double *work = LIMPET_TAKE(arena, double, 4 * n);
  if (!smooth->pivot || !work) return LIMPET_OUTCOME_OUT_OF_MEMORY;
  if (!solver->J) add_coupling(solver, work, work + 2 * n, smooth->L);
  else if (add_dense_coupling(solver, arena, smooth->L)) return LIMPET_OUTCOME_OUT_OF_MEMORY;
  if (limpet_lu(n, smooth->L, smooth->pivot)) return LIMPET_OUTCOME_NUMERICAL_FAILURE;
  // -H = (-L) U: solutions have the sign that they need
  for (int i = 0; i < n; ++i) negate((size_t)i + 1, smooth->L + i * n);
  return LIMPET_OUTCOME_SOLVED;
}

limpet_outcome limpet_smooth_island_evaluate(const limpet_smooth_island *smooth,
                                             const limpet_contact_problem *problem, int island,
                                             limpet_arena *arena, double *r) {
  limpet_island_solver solver;
  if (limpet_island_solver_create(&solver, problem, island, INT_MAX, arena) != LIMPET_OK)
    return LIMPET_OUTCOME_OUT_OF_MEMORY;
  limpet_island_place(&solver, smooth->x);
  limpet_law_change(&smooth->base, &solver);
  limpet_island_impulse(problem, solver.island, solver.contact_gamma, solver.row_gamma,
                        solver.impulse);
  limpet_island_spins_impulse(&solver, solver.impulse);
  for (int i = 0; i < smooth->n; ++i) r[i] = solver.A_difference[i] - solver.impulse[i];
  for (int i = 0; i < smooth->weak_count; ++i)
    r[smooth->n + i] = switch_speed(&solver, &smooth->weak[i]);
  return LIMPET_OUTCOME_SOLVED;
}

// y <- -H^-1 y, or -H'^-1 y, by the factor alone.
static void solve_once(const limpet_smooth_island *smooth, bool transposed, double *y) {
  if (!smooth->pivot) {
    limpet_cholesky_solve(smooth->n, smooth->L, smooth->n, y);
    negate((size_t)smooth->n, y);
  } else if (transposed) {
    limpet_lu_solve_transposed(smooth->n, smooth->L, smooth->pivot, y);
  } else {
    limpet_lu_solve(smooth->n, smooth->L, smooth->pivot, y);
  }
}

// ------------------------------------------------------------------------------- refinement

// f -= share pull v_n: what friction gets from a normal impulse; or the transposed of that.
static void couple(double share, const double pull[2], bool transposed, const double v[2],
                   double normal, double f[2], double *normal_f) {
  if (transposed) *normal_f -= share * (pull[0] * v[0] + pull[1] * v[1]);
  else f[0] -= share * pull[0] * normal, f[1] -= share * pull[1] * normal;
}

// Impulses (3 contacts, 2 spins, rows) that contacts, spins and rows take back by their speeds.
static void push_back(const limpet_island_solver *s, bool transposed, const double *speed,
                      double *impulse) {
  const int contacts = s->island->contact_count, spins = s->island->spin_count;
  double share, pull[2];
  for (int i = 0; i < contacts; ++i) {
    const double *G = s->contact_G + LIMPET_HESSIAN_SIZE * i, *v = speed + 3 * i;
    double *f = impulse + 3 * i;
    f[0] = G[0] * v[0] + G[1] * v[1] + G[3] * v[2];
    f[1] = G[1] * v[0] + G[2] * v[1] + G[4] * v[2];
    f[2] = G[3] * v[0] + G[4] * v[1] + G[5] * v[2];
    if (s->model->coupled && pull_contact(s, i, &share, pull))
      couple(share, pull, transposed, v, v[2], f, f + 2);
  }
  speed += 3 * contacts, impulse += 3 * contacts;
  for (int i = 0; i < spins; ++i) {
    const int normal = 3 * (s->problem->spin[s->island->spin + i].contact - s->island->contact) + 2;
    const double *G = s->spins.G + 3 * i, *w = speed + 2 * i;
    double *tau = impulse + 2 * i;
    tau[0] = G[0] * w[0] + G[1] * w[1];
    tau[1] = G[1] * w[0] + G[2] * w[1];
    if (s->model->coupled && pull_spin(s, i, &share, pull))
      couple(share, pull, transposed, w, (speed - 3 * contacts)[normal], tau,
             impulse - 3 * contacts + normal);
  }
  speed += 2 * spins, impulse += 2 * spins;
  for (int i = 0; i < s->island->row_count; ++i) {
    const limpet_constraint_row *row = &s->problem->row[s->island->row + i];
    impulse[i] = speed[i] * limpet_row_curvature(row, limpet_row_wanted(row, s->row_u[i]));
  }
}

/* y += -H^-1 (x + H y). H y goes by the speeds of rows and contacts, so that its round-off is that
 * of these speeds, which stiff rows resist, and not that of the entries of H, which moves what is
 * light. */
static void refine(const limpet_smooth_island *smooth, bool transposed, const double *x,
                   double *y) {
  const limpet_island_solver *s = &smooth->base;
  const int n = smooth->n, contacts = 3 * s->island->contact_count,
            spins = 2 * s->island->spin_count;
  double *r = smooth->refined + 2 * n, *pushed = r + n, *speed = pushed + n,
         *impulse = speed + contacts + spins + s->island->row_count;
  limpet_island_momentum(s->problem, s->island, y, r);
  limpet_island_speeds(s->problem, s->island, y, speed, speed + contacts + spins);
  limpet_island_spins_speeds(s, y, speed + contacts);
  push_back(s, transposed, speed, impulse);
  limpet_island_impulse(s->problem, s->island, impulse, impulse + contacts + spins, pushed);
  limpet_island_solver pushing = *s;
  pushing.spins.tau = impulse + contacts;
  limpet_island_spins_impulse(&pushing, pushed);
  for (int i = 0; i < n; ++i) r[i] += pushed[i] + x[i];
  solve_once(smooth, transposed, r);
  limpet_axpy(n, 1.0, r, y);
}

static void solve(const limpet_smooth_island *smooth, bool transposed, const double *x, double *y) {
  const size_t size = (size_t)smooth->n * sizeof *y;
  double *kept = smooth->refined;
  if (kept) memcpy(kept, x, size);
  if (x != y) memcpy(y, x, size);
  solve_once(smooth, transposed, y);
  if (kept) refine(smooth, transposed, kept, y);
}

void limpet_smooth_island_solve(const limpet_smooth_island *smooth, const double *x, double *y) {
  solve(smooth, false, x, y);
}

void limpet_smooth_island_solve_many(const limpet_smooth_island *smooth, int count, double *X) {
  const int n = smooth->n;
  if (!smooth->refined && smooth->pivot) {
    limpet_lu_solve_many(n, smooth->L, smooth->pivot, count, X);
    return;
  }
  if (!smooth->refined) {
    limpet_cholesky_solve_many(n, smooth->L, count, X);
    negate((size_t)n * (size_t)count, X);
    return;
  }
  double *column = smooth->refined + n;
  for (int k = 0; k < count; ++k) {
    for (int i = 0; i < n; ++i) column[i] = X[i * count + k];
    solve(smooth, false, column, column);
    for (int i = 0; i < n; ++i) X[i * count + k] = column[i];
  }
}

void limpet_smooth_island_inverse(const limpet_smooth_island *smooth, double *X) {
  const size_t n = (size_t)smooth->n;
  if (smooth->refined) {
    memset(X, 0, n * n * sizeof *X);
    for (size_t i = 0; i < n; ++i) X[i * (n + 1)] = 1.0;
    limpet_smooth_island_solve_many(smooth, smooth->n, X);
  } else if (smooth->pivot) {
    limpet_lu_inverse(smooth->n, smooth->L, smooth->pivot, X);
  } else {
    limpet_cholesky_inverse(smooth->n, smooth->L, X);
    negate(n * n, X);
  }
}

void limpet_smooth_island_adjoint(const limpet_smooth_island *smooth, const double *x, double *y) {
  solve(smooth, smooth->pivot != NULL, x, y);
}
