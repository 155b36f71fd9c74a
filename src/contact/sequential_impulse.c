/* contact/sequential_impulse.c: collisions and contacts by impulses one at a time, and shock propagation.
 *
 *   1 collisions  v0 before forces; 5 sweeps, each contact that approaches by its restitution e
 *   2 forces      v += v* - v0
 *   3 contacts    10 sweeps with e = -0.9, -0.8 ... 0: they slow down step by step and stop at last
 *   4 shocks      contacts by levels of the contact graph, from what is fixed upwards; 10 sweeps a level, in which bodies of
 *                 the levels below do not move
 *   one contact   u+ = (0, 0, -e u_n); stick: j = K^-1 (u+ - u) if |j_t| <= mu j_n; else slide along t = u_t/|u_t|:
 *                 j_n = -(1 + e) u_n/(n' K (n - mu t)), j_t = -mu j_n t
 *   K (3 x 3)     block of A; u_n counts across an open gap as u_n + phi/dt
 * Where the denominator of sliding is not positive (friction would jam) the contact is taken without friction. Bodies are the
 * trees of the model. Scalar rows take part in every sweep. After step 4 the velocity is not v* + M^-1 J' x: what is pressed
 * from above does not move. Impulses are not taken back, so each sum of them lies in its friction cone.
 * Reference: Guendelman, Bridson, Fedkiw, Nonconvex rigid bodies with stacking, ACM Trans. Graph. 22 (2003). */
#include <math.h>
#include <string.h>

#include "contact/contact_model.h"
#include "contact/island_contact_space.h"

enum { COLLISION_SWEEPS = 5, CONTACT_SWEEPS = 10, SHOCK_SWEEPS = 10 };

typedef struct sequence {
  limpet_contact_space *s;
  double *K;     // (contacts x 9)
  int *level;    // (trees of the island)
  int *of;       // (contacts x 2)  tree of either side, in the island; -1: none
  int anchored;  // trees of lower levels than this do not move
} sequence;

static size_t sequence_memory(int contacts, int rows, int velocities) {
  (void)rows;
  return (size_t)(9 * contacts) * sizeof(double) + (size_t)(2 * contacts + velocities) * sizeof(int);
}

// K^-1 r by Cramer's rule; 0 where K is singular.
static int solve3(const double K[9], const double r[3], double j[3]) {
  const double c0 = K[4] * K[8] - K[5] * K[7], c1 = K[5] * K[6] - K[3] * K[8], c2 = K[3] * K[7] - K[4] * K[6];
  const double det = K[0] * c0 + K[1] * c1 + K[2] * c2;
  if (!(det > 1e-13 * K[0] * K[4] * K[8])) return 0;
  j[0] = (r[0] * c0 + r[1] * (K[2] * K[7] - K[1] * K[8]) + r[2] * (K[1] * K[5] - K[2] * K[4])) / det;
  j[1] = (r[0] * c1 + r[1] * (K[0] * K[8] - K[2] * K[6]) + r[2] * (K[2] * K[3] - K[0] * K[5])) / det;
  j[2] = (r[0] * c2 + r[1] * (K[1] * K[6] - K[0] * K[7]) + r[2] * (K[0] * K[4] - K[1] * K[3])) / det;
  return 1;
}

// Impulse j of a contact at the velocity u, its gap included. 0: none.
static int contact_impulse(const double K[9], double mu, double e, const double u[3], double j[3]) {
  const double wanted[3] = {-u[0], -u[1], -(1.0 + e) * u[2]}, slip = hypot(u[0], u[1]);
  if (solve3(K, wanted, j) && j[2] >= 0.0 && hypot(j[0], j[1]) <= mu * j[2]) return 1;
  if (!(K[8] > 0.0)) return 0;
  const double t[2] = {slip > 0.0 ? u[0] / slip : 0.0, slip > 0.0 ? u[1] / slip : 0.0};
  const double resistance = K[8] - mu * (K[6] * t[0] + K[7] * t[1]);
  const double friction = resistance > 1e-9 * K[8] ? mu : 0.0;
  j[2] = wanted[2] / (friction > 0.0 || mu == 0.0 ? resistance : K[8]);
  j[0] = -friction * j[2] * t[0], j[1] = -friction * j[2] * t[1];
  return j[2] > 0.0;
}

static double collect(const limpet_contact_space *s, int contact, const int *of, const int *level, int anchored, double K[9]) {
  memset(K, 0, 9 * sizeof *K);
  for (int k = s->first[contact]; k < s->first[contact + 1]; ++k) {
    const limpet_space_segment *segment = &s->segment[k];
    if (level && level[of[k - s->first[contact]]] < anchored) continue;
    for (int a = 0; a < 3; ++a)
      for (int b = 0; b < 3; ++b)
        for (int d = 0; d < segment->count; ++d)
          K[3 * a + b] += segment->J[a * segment->count + d] * segment->Y[b * segment->count + d];
  }
  return K[8];
}

// Applies j; trees of anchored levels do not move.
static void apply(sequence *q, int contact, const double j[3]) {
  limpet_contact_space *s = q->s;
  for (int e = 0; e < 3; ++e) s->x[3 * contact + e] += j[e];
  for (int k = s->first[contact]; k < s->first[contact + 1]; ++k) {
    const limpet_space_segment *segment = &s->segment[k];
    if (q->level[q->of[2 * contact + k - s->first[contact]]] < q->anchored) continue;
    for (int e = 0; e < 3; ++e)
      for (int d = 0; d < segment->count; ++d) s->v[segment->offset + d] += j[e] * segment->Y[e * segment->count + d];
  }
}

// One contact; `ramp`: its e, NAN: the law's restitution. Returns the impulse's size.
static double relax(sequence *q, int contact, double ramp) {
  limpet_contact_space *s = q->s;
  const limpet_contact_law *law = &s->law[contact];
  const double gap = fmax(law->distance, 0.0) / s->dt;
  double u[3], j[3];
  for (int e = 0; e < 3; ++e) u[e] = limpet_contact_space_speed(s, 3 * contact + e);
  if (!(u[2] + gap < 0.0)) return 0.0;
  double e = ramp;
  if (isnan(ramp)) e = law->restitution;
  else u[2] += gap;
  if (!contact_impulse(q->K + 9 * contact, law->friction, e, u, j)) return 0.0;
  apply(q, contact, j);
  return fabs(j[2]);
}

// Levels by breadth: what touches the world is 0; a contact graph without the world starts at its first tree.
static int find_levels(sequence *q) {
  const limpet_contact_space *s = q->s;
  const limpet_contact_problem *p = s->problem;
  const int trees = s->island->tree_count;
  for (int t = 0; t < trees; ++t) q->level[t] = -1;
  for (int c = 0; c < s->contacts; ++c) {
    q->of[2 * c] = q->of[2 * c + 1] = -1;
    for (int k = s->first[c]; k < s->first[c + 1]; ++k)
      for (int t = 0; t < trees; ++t)
        if (p->island_tree[s->island->tree + t] == s->segment[k].tree) q->of[2 * c + k - s->first[c]] = t;
    if (q->of[2 * c] >= 0 && q->of[2 * c + 1] < 0) q->level[q->of[2 * c]] = 0;
  }
  int level = 0, found = 1;
  for (; found; ++level) {
    found = 0;
    for (int c = 0; c < s->contacts; ++c)
      for (int k = 0; k < 2; ++k) {
        const int here = q->of[2 * c + k], there = q->of[2 * c + 1 - k];
        if (here < 0 || there < 0 || q->level[here] != level || q->level[there] >= 0) continue;
        q->level[there] = level + 1, found = 1;
      }
  }
  for (int t = 0; t < trees; ++t)
    if (q->level[t] < 0) q->level[t] = 0;
  return level;
}

static void set_blocks(sequence *q, int anchored) {
  q->anchored = anchored;
  for (int c = 0; c < q->s->contacts; ++c) collect(q->s, c, q->of + 2 * c, q->level, anchored, q->K + 9 * c);
}

// The higher level of the two trees of a contact.
static int level_of(const sequence *q, int contact) {
  const int a = q->of[2 * contact], b = q->of[2 * contact + 1];
  const int level_a = a >= 0 ? q->level[a] : 0, level_b = b >= 0 ? q->level[b] : 0;
  return level_a > level_b ? level_a : level_b;
}

static int propagate_shocks(sequence *q, int levels) {
  int sweeps = 0;
  for (int level = 0; level < levels; ++level) {
    set_blocks(q, level);
    double moved = 1.0;
    for (int i = 0; i < SHOCK_SWEEPS && moved > 0.0; ++i, ++sweeps) {
      moved = 0.0;
      for (int c = 0; c < q->s->contacts; ++c)
        if (level_of(q, c) == level) moved = fmax(moved, relax(q, c, 0.0));
    }
  }
  return sweeps;
}

static void sequence_solve(limpet_contact_space *s) {
  char *memory = s->memory;
  size_t used = 0;
  sequence q = {.s = s, .K = limpet_space_take(memory, &used, 9 * (size_t)s->contacts)};
  q.of = (int *)(void *)(memory + used);
  q.level = q.of + 2 * s->contacts;
  const int levels = find_levels(&q);
  set_blocks(&q, 0);

  // 1 collisions
  memcpy(s->v, s->v_start, (size_t)s->velocities * sizeof *s->v);
  for (int i = 0; i < COLLISION_SWEEPS; ++i)
    for (int c = 0; c < s->contacts; ++c)
      if (s->law[c].restitution > 0.0) relax(&q, c, NAN);

  // 2 forces, 3 contacts
  for (int i = 0; i < s->velocities; ++i) s->v[i] += s->v_free[i] - s->v_start[i];
  double moved = 0.0;
  for (int i = 0; i < CONTACT_SWEEPS; ++i) {
    moved = 0.0;
    for (int r = 0; r < s->rows; ++r) limpet_contact_space_row(s, r);
    for (int c = 0; c < s->contacts; ++c) moved = fmax(moved, relax(&q, c, -0.1 * (CONTACT_SWEEPS - 1 - i)));
  }

  // 4 shocks
  const int sweeps = propagate_shocks(&q, levels);
  s->own_velocity = true;
  double size = 0.0;
  for (int c = 0; c < s->contacts; ++c) size = fmax(size, fabs(s->x[3 * c + 2]));
  s->info = (limpet_newton_info){.iterations = COLLISION_SWEEPS + CONTACT_SWEEPS + sweeps,
                                 .residual = size > 0.0 ? moved / size : 0.0};
}

static const limpet_parameter parameters[] = {
    LIMPET_PARAMETER_FRICTION,
    LIMPET_PARAMETER_RESTITUTION,
};

const limpet_contact_model limpet_contact_model_sequential_impulse = {
    .descriptor =
        {.name = "sequential-impulse",
         .text = "One impulse at a time: collisions before forces, contacts after them in sweeps that slow down step by "
                 "step, then shock propagation by the contact graph, from the ground upwards. For piles of single bodies; "
                 "stiction creeps, and what presses from above does not reach what is below. Of the scheme impulse.",
         .reference = "Guendelman, Bridson, Fedkiw, Nonconvex rigid bodies with stacking (2003)",
         .parameter_count = sizeof parameters / sizeof parameters[0],
         .parameters = parameters},
    .prepare = limpet_impulse_prepare,
    .solve = sequence_solve,
    .memory_size = sequence_memory,
    .sticks = limpet_contact_model_sticks,
    .slip_speed = limpet_impulse_slip_speed,
    .energy = limpet_impulse_energy,
};
