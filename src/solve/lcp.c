/* solve/lcp.c: forces and accelerations as one boxed linear complementarity problem, as in ODE.
 *
 *   a = (A + R) f + (b - s)/dt,  x = dt f     a: acceleration [m/s^2] beyond the one that leads to
 *                                             the speeds s
 *   normals   f_n >= 0, a_n >= 0, f_n a_n = 0
 *   friction  |f_t1|, |f_t2| <= mu f_n, each opposing its acceleration: a box. Rows and all normals
 *             come first; when the first friction enters, they have their frictionless values, and
 *             these f_n set the bounds once, as ODE's findex does. Friction then changes the normal
 *             forces, and may leave their cone
 *   rows      a scalar row's own R and bounds
 *   s_n       max(-e v_n0, -error_reduction phi/dt), at most the return speed;
 *             -phi/dt across an open gap
 *   s_t = 0   existing slip counts as acceleration, so friction stops it within the step if it can
 *   R         softening A_ii. Without it redundant contacts have no unique solution. ODE's CFM/dt
 *             is absolute [1/kg]; a share of A_ii does not depend on the scale of a scene
 * Explicit Euler: forces and impulses act together, v1 = v0 + dt M^-1 (f + J' f_c); q1 = q0 + dt v0
 * (impulse.c). Along the diagonals of the tangents friction is up to sqrt 2 of Coulomb's. Where the
 * method finishes, its solution is exact to round-off.
 * References: Baraff, Fast contact force computation for nonpenetrating rigid bodies (1994); Smith,
 * ODE manual. */
#include <math.h>
#include <string.h>

#include "law/contact_model_list.h"
#include "optim/boxed_lcp.h"
#include "solve/island_contact_space.h"

// Unknown of the space at place i of the order in which unknowns enter: rows, normals, friction.
static int unknown_at(const limpet_contact_space *s, int i) {
  if (i < s->rows) return 3 * s->contacts + i;
  i -= s->rows;
  return i < s->contacts ? 3 * i + 2 : 3 * ((i - s->contacts) / 2) + (i - s->contacts) % 2;
}

typedef struct lcp_arrays {
  double *A, *q, *lower, *upper, *ratio, *f, *a;
  int *normal;
  void *memory;
} lcp_arrays;

static size_t lay_out(lcp_arrays *l, char *memory, int contacts, int rows) {
  const size_t n = (size_t)(3 * contacts + rows);
  size_t used = 0;
  l->A = limpet_space_take(memory, &used, n * n);
  l->q = limpet_space_take(memory, &used, n);
  l->lower = limpet_space_take(memory, &used, n);
  l->upper = limpet_space_take(memory, &used, n);
  l->ratio = limpet_space_take(memory, &used, n);
  l->f = limpet_space_take(memory, &used, n);
  l->a = limpet_space_take(memory, &used, n);
  l->normal = (int *)(void *)limpet_space_take(memory, &used, n);
  l->memory = memory ? memory + used : NULL;
  return used + limpet_boxed_lcp_memory_size((int)n);
}

static size_t lcp_memory(int contacts, int rows, int velocities) {
  (void)velocities;
  lcp_arrays l;
  return lay_out(&l, NULL, contacts, rows);
}

static void fill_unknown(const limpet_contact_space *s, int i, lcp_arrays *l) {
  const int from = unknown_at(s, i), n = s->size;
  for (int k = 0; k < n; ++k) l->A[i * n + k] = s->A[from * n + unknown_at(s, k)];
  l->normal[i] = -1;
  double target = 0.0, R = 0.0;
  l->lower[i] = 0.0, l->upper[i] = INFINITY;
  if (i < s->rows) {
    const limpet_constraint_row *row = &s->row[i];
    target = row->v_hat, R = 1.0 / row->R_inverse;
    l->lower[i] = row->lower / s->dt, l->upper[i] = row->upper / s->dt;
  } else {
    R = s->constants[from / 3].impulsive.softening * s->diagonal[from];
    if (from % 3 == 2) target = limpet_contact_space_target(s, from / 3, true);
    else l->normal[i] = s->rows + from / 3, l->ratio[i] = s->constants[from / 3].friction;
  }
  l->A[i * n + i] += R > 0.0 ? R : 1e-12;
  l->q[i] = (s->b[from] - target) / s->dt;
}

static void lcp_solve(limpet_contact_space *s) {
  lcp_arrays l;
  lay_out(&l, s->memory, s->contacts, s->rows);
  for (int i = 0; i < s->size; ++i) fill_unknown(s, i, &l);
  // accelerations per force: x = dt f, u = A x, so a = A f
  const limpet_boxed_lcp problem = {.n = s->size,
                                    .A = l.A,
                                    .q = l.q,
                                    .lower = l.lower,
                                    .upper = l.upper,
                                    .normal = l.normal,
                                    .ratio = l.ratio};
  int pivots = 0;
  const limpet_boxed_lcp_outcome outcome =
      limpet_boxed_lcp_solve(&problem, l.memory, l.f, l.a, &pivots);
  for (int i = 0; i < s->size; ++i) s->x[unknown_at(s, i)] = s->dt * l.f[i];
  s->counts.pivots = pivots;
  if (outcome == LIMPET_BOXED_LCP_PIVOT_LIMIT) s->outcome = LIMPET_OUTCOME_ITERATION_LIMIT;
  if (outcome == LIMPET_BOXED_LCP_FAILURE) s->outcome = LIMPET_OUTCOME_NUMERICAL_FAILURE;
}

static const limpet_parameter parameters[] = {
    LIMPET_PARAMETER_FRICTION,
    LIMPET_PARAMETER_RESTITUTION,
    LIMPET_PARAMETER_ERROR_REDUCTION,
    LIMPET_PARAMETER_SOFTENING,
};

const limpet_impulsive_model limpet_contact_model_lcp = {
    .head = {.descriptor =
                 {.name = "lcp",
                  .text = "Forces and accelerations as one boxed linear complementarity problem, "
                          "solved by Dantzig's pivoting, as "
                          "ODE has it: normals first, then friction in a box of the frictionless "
                          "normals. Exact where it ends, "
                          "for regularised contacts; friction is up to sqrt 2 stronger along the "
                          "diagonals of the tangents, and "
                          "does not know that it changed the normals. Of the scheme impulse.",
                  .reference = "Baraff, Fast contact force computation for nonpenetrating rigid "
                               "bodies (1994); Smith, ODE "
                               "manual",
                  .parameter_count = sizeof parameters / sizeof parameters[0],
                  .parameters = parameters},
             .family = LIMPET_CONTACT_IMPULSIVE,
             .prepare = limpet_impulse_prepare,
             .sticks = limpet_contact_model_sticks,
             .slip_speed = limpet_contact_model_no_slip_speed,
             .energy = limpet_contact_model_no_energy},
    .solve = lcp_solve,
    .memory_size = lcp_memory,
    .dense = true,
    .force = true,
};
