/* tests/optim/test_cone_barrier.c: phase two of the two-phase method as a programme: Newton's
 * directions against dense algebra over the null space, the least f0 against another method
 * (optim/qp.h: interior point with round cones), the gap that it reports against the distance to
 * that; the root of A against test impulses. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "law/contact_model_list.h"
#include "math/decompose.h"
#include "math/dense.h"
#include "optim/cone_term.h"
#include "optim/qp.h"
#include "random_contacts.h"
#include "shared_data.h"
#include "solve/two_phase.h"

enum { MOST = 30 };  // unknowns

// A random state with its programme at the impulses of phase one, and the same in dense matrices.
typedef struct state {
  random_contacts r;
  limpet_cone_barrier_settings settings;
  limpet_cone_barrier_solution solution;
  limpet_cone_barrier_info info;
  limpet_contact_space space;
  limpet_two_phase phases;
  void *memory;
  int m, d;           // unknowns of contacts that push; dimension of the null space
  int unknown[MOST];  // of the island
  double Q[MOST * MOST], c[MOST],
      N[MOST * MOST];  // f0 = 1/2 x'Q x + c'x; rows of N: null space of C
  double start[MOST];
} state;

static double entry(const state *s, int i, int k) {
  return limpet_block_rows_product(&s->phases.root.rows, i, k);
}

static void fill_dense(state *s) {
  const limpet_cone_barrier_problem *p = &s->phases.programme;
  double C[10 * MOST], work[MOST];
  s->m = 3 * p->push_count;
  for (int i = 0; i < s->m; ++i)
    s->unknown[i] = 3 * p->push[i / 3] + i % 3, s->start[i] = s->space.x[s->unknown[i]];
  memset(s->Q, 0, sizeof s->Q), memset(s->c, 0, sizeof s->c);
  for (int i = 0; i < s->m; ++i) {
    s->c[i] = p->squares ? 0.0 : s->phases.b[s->unknown[i]];
    for (int k = 0; k < s->m; ++k) {
      const double A = entry(s, s->unknown[i], s->unknown[k]);
      if (!p->squares) s->Q[i * s->m + k] = A;
      if (i % 3 == 2) C[i / 3 * s->m + k] = A;
    }
  }
  for (int l = 0; l < s->m && p->squares; ++l) {
    if (l % 3 == 2) continue;
    for (int i = 0; i < s->m; ++i) {
      const double A = entry(s, s->unknown[l], s->unknown[i]);
      s->c[i] += 2.0 * A * s->phases.b[s->unknown[l]];
      for (int k = 0; k < s->m; ++k)
        s->Q[i * s->m + k] += 2.0 * A * entry(s, s->unknown[l], s->unknown[k]);
    }
  }
  s->d = limpet_null_basis(p->push_count, s->m, C, 1e-9, work, s->N);
}

// False where nothing pushes. All contacts have friction.
static bool open_state(state *s, bool literal, int bodies, int contacts, double slack,
                       unsigned long *seed) {
  random_contacts_make(
      &s->r,
      literal ? &limpet_contact_model_two_phase_literal.head : &limpet_contact_model_two_phase.head,
      bodies, contacts, false, seed);
  assert_int_equal(limpet_contact_space_create(&s->space, &s->r.problem, 0, &s->r.arena), 0);
  assert_int_equal(limpet_contact_space_fill(&s->space), 0);
  const int n = s->space.contacts, v = s->space.velocities;
  s->phases = (limpet_two_phase){.space = &s->space, .literal = literal};
  s->memory = malloc(limpet_two_phase_lay_out(&s->phases, literal, n, 0, v, NULL));
  limpet_two_phase_lay_out(&s->phases, literal, n, 0, v, s->memory);
  assert_int_equal(limpet_two_phase_condense(&s->phases), 0);
  assert_int_equal(limpet_two_phase_normals(&s->phases), LIMPET_OUTCOME_SOLVED);
  double sum = 0.0, least = INFINITY, largest = 0.0;
  for (int i = 0; i < s->phases.count; ++i) {
    const int c = s->phases.pushing[i];
    const double x = s->phases.w_s[c];
    s->space.x[3 * c + 2] = x, s->phases.mu[c] = 0.1 + s->space.constants[c].friction;
    sum += literal ? x * x : x, least = fmin(least, fabs(x)), largest = fmax(largest, fabs(x));
  }
  limpet_two_phase_programme(&s->phases, 0, slack * sum);
  s->settings.accuracy = 1e-10, s->solution.x = s->space.x;
  if (s->phases.count == 0 || least < 1e-3 * largest) return false;
  fill_dense(s);
  return s->d > 0;
}

static void close_state(state *s) {
  free(s->memory);
  random_contacts_destroy(&s->r);
}

static double objective(const state *s, const double *x) {
  double f0 = 0.0;
  for (int i = 0; i < s->m; ++i)
    f0 += x[i] * (0.5 * limpet_dot(s->m, s->Q + i * s->m, x) + s->c[i]);
  return f0;
}

// ------------------------------------------------------------------- many open rows that hold

/* One contact pushes and could stop what slides in x; so many equal open rows let it only come to
 * 1/2 m/s: f0 ends at 1/8 of 1/2. Of each row that holds, x stays 1/t/slope away, the objective
 * OPEN/t above its least value: a gap that forgets the open rows would be too small. */
static void open_rows_count_in_the_gap(void **unused) {
  (void)unused;
  enum { OPEN = 12, BLOCKS = OPEN + 1, COLUMNS = 3 };
  static double W[3 * BLOCKS * COLUMNS] = {1, 0, 0, 0, 1, 0, 0, 0, 1};
  int range[4 * BLOCKS] = {0}, open[OPEN], push[1] = {0};
  double linear[3 * BLOCKS] = {0}, mu[BLOCKS] = {10.0}, w[BLOCKS] = {1.0}, slack[OPEN];
  double x[3 * BLOCKS] = {0.0, 0.0, 1.0};
  for (int b = 0; b < BLOCKS; ++b) range[4 * b + 1] = COLUMNS;
  for (int k = 0; k < OPEN; ++k) {
    W[(3 * (k + 1) + 2) * COLUMNS] = -1.0;  // W_k u = -u_x
    open[k] = k + 1, slack[k] = 0.5;
  }
  const double u[COLUMNS] = {-1.0, 0.0, -1.0};
  const limpet_cone_barrier_problem problem = {.rows = {COLUMNS, BLOCKS, W, range},
                                               .u = u,
                                               .linear = linear,
                                               .mu = mu,
                                               .w = w,
                                               .push = push,
                                               .open = open,
                                               .push_count = 1,
                                               .open_count = OPEN,
                                               .bound = 1.0,
                                               .slack = slack};
  limpet_cone_barrier_workspace workspace;
  char *memory = malloc(limpet_cone_barrier_lay_out(&workspace, false, BLOCKS, COLUMNS, NULL));
  limpet_cone_barrier_lay_out(&workspace, false, BLOCKS, COLUMNS, memory);
  limpet_cone_barrier_solution solution = {x};
  limpet_cone_barrier_info info;
  limpet_cone_barrier_solve(&problem, &(limpet_cone_barrier_settings){1e-4}, &workspace, &solution,
                            &info);
  const double slide = x[0] - 1.0, above = 0.5 * slide * slide - 0.125;
  assert_true(info.converged && fabs(x[1]) < 1e-6 && slide < -0.5);
  assert_true(above > 0.0 && above <= info.gap && info.gap < 1e-3);
  free(memory);
}

// ---------------------------------------------------------------------------------- root of A

// W W' is what test impulses measure, W u^ + bias the velocities without impulses.
static void root_is_of_the_matrix(void **unused) {
  (void)unused;
  static state s;
  unsigned long seed = 3;
  double worst = 0.0;
  for (int round = 0; round < 50; ++round) {
    random_contacts_make(&s.r, &limpet_contact_model_lcp.head, 3, 6, true, &seed);
    for (int island = 0; island < s.r.problem.island_count; ++island) {
      assert_int_equal(limpet_contact_space_create(&s.space, &s.r.problem, island, &s.r.arena), 0);
      assert_int_equal(limpet_contact_space_fill(&s.space), 0);
      limpet_contact_root root;
      s.memory =
          malloc(limpet_contact_root_lay_out(&root, s.space.contacts, s.space.velocities, NULL));
      limpet_contact_root_lay_out(&root, s.space.contacts, s.space.velocities, s.memory);
      assert_int_equal(limpet_contact_root_fill(&root, &s.space, NULL), 0);
      for (int i = 0; i < s.space.size; ++i) {
        assert_true(fabs(limpet_block_rows_dot(&root.rows, i, root.u) - s.space.b[i]) < 1e-12);
        for (int k = 0; k < s.space.size; ++k)
          worst = fmax(worst, fabs(limpet_block_rows_product(&root.rows, i, k) -
                                   s.space.A[i * s.space.size + k]) /
                                  sqrt(s.space.diagonal[i] * s.space.diagonal[k]));
      }
      free(s.memory);
    }
    random_contacts_destroy(&s.r);
  }
  printf("root: worst relative difference of W W' and A %.2g\n", worst);
  assert_true(worst < 1e-13);
}

// --------------------------------------------------------------------------------- directions

// Gradient (m) and Hessian (m x m) of h at x by the formulas of the paper: what the programme does
// not form.
static void dense_derivatives(const state *s, double t, double bound, const double *x, double *g,
                              double *H) {
  const limpet_cone_barrier_problem *p = &s->phases.programme;
  const int m = s->m;
  for (int i = 0; i < m; ++i) {
    g[i] = t * (limpet_dot(m, s->Q + i * m, x) + s->c[i]);
    for (int k = 0; k < m; ++k) H[i * m + k] = t * s->Q[i * m + k];
  }
  for (int at = 0; at < m; at += 3) {
    const double mu2 = pow(p->mu[s->unknown[at] / 3], 2.0), R[3] = {-1.0, -1.0, mu2};
    const double q = mu2 * x[at + 2] * x[at + 2] - x[at] * x[at] - x[at + 1] * x[at + 1];
    for (int a = 0; a < 3; ++a) {
      g[at + a] -= 2.0 * R[a] * x[at + a] / q;
      H[(at + a) * m + at + a] -= 2.0 * R[a] / q;
      for (int b = 0; b < 3; ++b)
        H[(at + a) * m + at + b] += 4.0 * R[a] * R[b] * x[at + a] * x[at + b] / (q * q);
    }
  }
  for (int a = 2; a < m; a += 3) {
    const double h = p->squares ? 2.0 * x[a] : 1.0;
    g[a] += h / bound;
    if (p->squares) H[a * m + a] += 2.0 / bound;
    for (int b = 2; b < m; b += 3)
      H[a * m + b] += h * (p->squares ? 2.0 * x[b] : 1.0) / (bound * bound);
  }
}

// The share alpha of the direction at hand: away from the start, where all formulas are at their
// simplest.
static void take_some(state *s, double alpha) {
  limpet_cone_barrier_workspace *p = &s->phases.barrier;
  for (int i = 0; i < s->m; ++i) {
    double *x = &p->x[s->unknown[i]];
    const double before = *x;
    *x += alpha * p->dx[s->unknown[i]];
    if (i % 3 == 2) p->bound -= p->problem->squares ? *x * *x - before * before : *x - before;
  }
  limpet_axpy(s->space.velocities, alpha, p->du, p->u);
}

// D9: dx = N' dy with N H N' dy = -N g, over the null space of C = [A_N B].
static void directions_are_newtons(void **unused) {
  (void)unused;
  static state s;
  unsigned long seed = 17;
  double worst[2] = {0.0, 0.0};
  int compared = 0;
  for (int round = 0; round < 300; ++round) {
    const bool literal = round % 2;
    const bool good = open_state(&s, literal, 1 + round % 3, 2 + round % 6, 0.1, &seed);
    limpet_cone_barrier_workspace *p = &s.phases.barrier;
    if (good) {
      double x[MOST], g[MOST], H[MOST * MOST], reduced[MOST * MOST], dy[MOST], dx[MOST] = {0.0},
                                                                               squared;
      limpet_cone_barrier_begin(&s.phases.programme, &s.settings, p, &s.solution, &s.info);
      p->t = 3.0;
      p->careful = round % 4 >= 2;  // both factors
      assert_true(limpet_cone_barrier_direction(p, &squared));
      take_some(&s, 0.05 / (1.0 + sqrt(squared)));
      assert_true(limpet_cone_barrier_direction(p, &squared));
      for (int i = 0; i < s.m; ++i) x[i] = p->x[s.unknown[i]];
      dense_derivatives(&s, 3.0, p->bound, x, g, H);
      for (int i = 0; i < s.d; ++i) {
        dy[i] = -limpet_dot(s.m, s.N + i * s.m, g);
        for (int k = 0; k <= i; ++k) {
          reduced[i * s.d + k] = 0.0;
          for (int a = 0; a < s.m; ++a)
            reduced[i * s.d + k] += s.N[i * s.m + a] * limpet_dot(s.m, H + a * s.m, s.N + k * s.m);
        }
      }
      double expected = 0.0;
      double right[MOST];
      memcpy(right, dy, sizeof right);
      assert_int_equal(limpet_cholesky(s.d, reduced, s.d), 0);
      limpet_cholesky_solve(s.d, reduced, s.d, dy);
      for (int i = 0; i < s.d; ++i) limpet_axpy(s.m, dy[i], s.N + i * s.m, dx);
      expected = limpet_dot(s.d, dy, right);
      double size = 0.0, difference = 0.0;
      for (int i = 0; i < s.m; ++i)
        size = fmax(size, fabs(dx[i])),
        difference = fmax(difference, fabs(dx[i] - p->dx[s.unknown[i]]));
      worst[literal] = fmax(worst[literal], difference / size);
      assert_true(fabs(squared / expected - 1.0) < 1e-7);
      ++compared;
    }
    close_state(&s);
  }
  printf(
      "%d directions against dense algebra: worst relative difference repaired %.2g, literal "
      "%.2g\n",
      compared, worst[0], worst[1]);
  assert_true(compared > 100 && worst[0] < 1e-7 && worst[1] < 1e-7);
}

// ---------------------------------------------------------------------------------------- gap

// The least f0 by another method: the interior-point method over y with round cones. NAN where it
// does not end.
static double least_by_qp(const state *s, double bound) {
  const limpet_cone_barrier_problem *p = &s->phases.programme;
  enum { ROWS = 60 };
  const int m = s->m, d = s->d, cones = p->push_count + p->squares;
  int dimension[12];
  double Q[MOST * MOST], c[MOST], G[ROWS * MOST], h[ROWS], x[MOST], multipliers[ROWS], slack[ROWS],
      g[MOST];
  double sum = 0.0, trace = 0.0;
  int row = 0;
  for (int i = 0; i < m; ++i) g[i] = limpet_dot(m, s->Q + i * m, s->start) + s->c[i];
  for (int i = 0; i < d; ++i) {
    c[i] = limpet_dot(m, s->N + i * m, g);
    for (int k = 0; k < d; ++k) {
      Q[i * d + k] = 0.0;
      for (int a = 0; a < m; ++a)
        Q[i * d + k] += s->N[i * m + a] * limpet_dot(m, s->Q + a * m, s->N + k * m);
    }
    trace += Q[i * d + i];
  }
  for (int i = 0; i < d; ++i)
    Q[i * d + i] += 1e-13 * trace;  // it asks for a positive definite matrix
  memset(G, 0, sizeof G);
  if (!p->squares) {
    for (int a = 2; a < m; a += 3) {
      sum += s->start[a];
      for (int k = 0; k < d; ++k) G[k] -= s->N[k * m + a];
    }
    h[row++] = bound;
  }
  for (int at = 0; at < m; at += 3)
    for (int e = 0; e < 3; ++e, ++row) {
      const int a = at + (e + 2) % 3;  // N, T1, T2
      const double scale =
          e > 0 ? 1.0 : p->mu[s->unknown[at] / 3] * (s->start[a] > 0.0 ? 1.0 : -1.0);
      h[row] = scale * s->start[a];
      for (int k = 0; k < d; ++k) G[row * d + k] = scale * s->N[k * m + a];
    }
  if (p->squares) {
    const int first = row++;
    for (int a = 2; a < m; a += 3, ++row) {
      h[row] = s->start[a], sum += s->start[a] * s->start[a];
      for (int k = 0; k < d; ++k) G[row * d + k] = s->N[k * m + a];
    }
    h[first] = sqrt(sum + bound);
  }
  for (int i = 0; i < cones; ++i) dimension[i] = i < p->push_count ? 3 : p->push_count + 1;
  const limpet_qp_problem problem = {.n = d,
                                     .row_count = !p->squares,
                                     .cone_count = cones,
                                     .cone_dimension = dimension,
                                     .Q = Q,
                                     .c = c,
                                     .G = G,
                                     .h = h};
  const limpet_qp_size size = {d, !p->squares, row - !p->squares, cones};
  void *memory = NULL;
  assert_int_equal(posix_memalign(&memory, 64, limpet_qp_workspace_size(size)), 0);
  limpet_qp_workspace workspace;
  limpet_qp_workspace_init(&workspace, size, memory);
  limpet_qp_solution solution = {x, multipliers, slack};
  const limpet_qp_settings settings = limpet_qp_settings_default();
  const limpet_qp_info info = limpet_qp_solve(&problem, &settings, &workspace, &solution);
  free(memory);
  if (info.outcome == LIMPET_QP_FAILURE || !limpet_qp_within(&info, 1e-9)) return NAN;
  double there[MOST];
  memcpy(there, s->start, sizeof there);
  for (int k = 0; k < d; ++k) limpet_axpy(m, x[k], s->N + k * m, there);
  return objective(s, there);
}

/* KKT gap (sheet C5): f0 is within the reported gap of what another method finds; that is accurate
 * to 1e-9 of the terms of f0, so that early ends of the barrier, with large gaps, are compared too.
 * Cones count twice in it: states whose distance is more than (number of constraints)/t show that
 * they must (D7). Literal: contacts up to the largest cone of that method. */
static void gap_bounds_the_distance(void **unused) {
  (void)unused;
  static state s;
  unsigned long seed = 23;
  static const double accuracies[3] = {1e-1, 1e-4, 1e-10};
  int compared[2] = {0, 0}, unfinished = 0, beyond_count = 0;
  double nearest = 0.0;
  for (int round = 0; round < 600; ++round) {
    const bool literal = round % 2;
    const bool good = open_state(&s, literal, 1 + round % 4, 2 + round % (literal ? 5 : 8),
                                 literal ? 1e-2 : 1e-6, &seed);
    limpet_cone_barrier_workspace *p = &s.phases.barrier;
    if (good) {
      const double bound = s.phases.programme.bound, least = least_by_qp(&s, bound),
                   before = objective(&s, s.start);
      s.settings.accuracy = accuracies[round / 2 % 3];
      limpet_cone_barrier_solve(&s.phases.programme, &s.settings, p, &s.solution, &s.info);
      assert_true(s.info.converged);
      double x[MOST];
      for (int i = 0; i < s.m; ++i) x[i] = p->x[s.unknown[i]];
      const double after = objective(&s, x), terms = fabs(before) + fabs(after) + s.info.fall;
      assert_true(after <= before + s.info.gap);
      if (isnan(least)) {
        ++unfinished;
      } else {
        if (after - least > s.info.gap + 1e-9 * terms)
          fail_msg("%s: f0 %.12g, least %.12g, gap %.3g, fall %.3g",
                   literal ? "literal" : "repaired", after, least, s.info.gap, s.info.fall);
        assert_true(least - after < 1e-8 * terms);  // the other way round: ours is admissible
        // (number of constraints)/t, the gap of the paper, counts one for a cone
        const double paper = s.info.gap * (s.phases.programme.push_count + 1.0) /
                             (2.0 * s.phases.programme.push_count + 1.0);
        if (s.info.gap > 1e-7 * terms)
          nearest = fmax(nearest, (after - least) / s.info.gap),
          beyond_count += after - least > paper;
        ++compared[literal];
      }
    }
    close_state(&s);
  }
  printf(
      "f0 against the interior-point method: repaired %d, literal %d states (%d without an end "
      "there); at most %.2g of the gap "
      "away, further than (constraints)/t in %d\n",
      compared[0], compared[1], unfinished, nearest, beyond_count);
  assert_true(compared[0] > 100 && compared[1] > 100 && unfinished < 20);
  assert_true(nearest > 0.5 && beyond_count > 0);
}

// -------------------------------------------------------------------------------------- cones

// The closed form of a cone: L L' is the inverse of the Hessian, -L L' gradient the step.
static void root_of_a_cone_inverts_the_hessian(void **unused) {
  (void)unused;
  unsigned long seed = 5;
  double worst = 0.0;
  for (int round = 0; round < 2000; ++round) {
    const bool literal = round % 2;
    const limpet_cone_term barrier = {literal, random_uniform(&seed, 0.05, 2.0)};
    const double near = pow(10.0, random_uniform(&seed, -6.0, 0.0)),
                 angle = random_uniform(&seed, 0.0, 6.28);
    const double n =
        pow(10.0, random_uniform(&seed, -3.0, 3.0)) * (literal && round % 3 == 0 ? -1.0 : 1.0);
    const double x[3] = {barrier.mu * fabs(n) * (1.0 - near) * cos(angle),
                         barrier.mu * fabs(n) * (1.0 - near) * sin(angle), n};
    const double curvature = literal ? pow(10.0, random_uniform(&seed, -3.0, 3.0)) / (n * n) : 0.0,
                 mu2 = barrier.mu * barrier.mu;
    double root[9], step[3], D[9], g[3];
    limpet_cone_term_inverse(barrier, x, curvature, root, step);
    const double q = limpet_cone_term_slack(barrier, x), R[3] = {-1.0, -1.0, mu2};
    for (int a = 0; a < 3; ++a) {
      g[a] = -2.0 * R[a] * x[a] / q;
      for (int b = 0; b < 3; ++b)
        D[3 * a + b] = 4.0 * R[a] * R[b] * x[a] * x[b] / (q * q) - (a == b ? 2.0 * R[a] / q : 0.0) +
                       (a == 2 && b == 2 ? curvature : 0.0);
    }
    // L'D L = 1, L'(D step + g) = 0; D itself carries the round-off of 1/near^2
    for (int i = 0; i < 3; ++i) {
      double residual = 0.0;
      for (int a = 0; a < 3; ++a)
        residual += root[3 * a + i] * (g[a] + limpet_dot(3, D + 3 * a, step));
      worst = fmax(worst, fabs(residual) * near * near);
      for (int k = 0; k < 3; ++k) {
        double sum = i == k ? -1.0 : 0.0;
        for (int a = 0; a < 3; ++a)
          for (int b = 0; b < 3; ++b) sum += root[3 * a + i] * D[3 * a + b] * root[3 * b + k];
        worst = fmax(worst, fabs(sum) * near * near);
      }
    }
  }
  printf("cones: worst error of the inverse Hessian's root %.2g\n", worst);
  assert_true(worst < 1e-12);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(open_rows_count_in_the_gap),
      cmocka_unit_test(root_is_of_the_matrix),
      cmocka_unit_test(root_of_a_cone_inverts_the_hessian),
      cmocka_unit_test(directions_are_newtons),
      cmocka_unit_test(gap_bounds_the_distance),
  };
  return cmocka_run_group_tests_name("cone_barrier", tests, NULL, NULL);
}
