/* solve/sequential_impulse.c: collisions and contacts by impulses one at a time, and shock
 * propagation.
 *
 *   1 collisions  with v0, before forces: 5 sweeps over the pairs; approaching contacts take their
 *                 restitution e
 *   2 forces      v += v* - v0
 *   3 contacts    10 sweeps with e = -0.9, -0.8 ... 0, which stop contacts step by step; within a
 *                 sweep pairs by levels of the contact graph, upwards from what is fixed, 5 rounds
 *                 a level
 *   4 shocks      the same once more with e = 0, 10 rounds a level; bodies of lower levels do not
 *                 move
 *   a pair        (a patch: all contacts of two bodies) takes up to 5 impulses, or as many as it
 *                 has points. Each acts at the approaching point that the present velocity would
 *                 bring deepest, phi + dt u_n
 *   an impulse    u+ = (0, 0, -e u_n); stick: j = K^-1 (u+ - u) if |j_t| <= mu j_n; else slide
 *                 along t = u_t/|u_t|: j_n = -(1 + e) u_n/(n' K (n - mu t)), j_t = -mu j_n t
 *   K (3 x 3)     block of A; across an open gap u_n counts as u_n + phi/dt
 * The nesting of sweeps, levels and pairs is that of the authors' own program (PhysBAM). Two things
 * differ. Points come from one query at the start of the step, and their depth is predicted along
 * u_n, not by moving bodies. Where the denominator of sliding is not positive (friction would jam)
 * the contact acts without friction.
 * Bodies are the trees of the model; where no contact touches the world all are of one level.
 * Scalar rows take part in every round, but not while one of their trees is held. After step 4 the
 * velocity is not v* + M^-1 J' x: bodies of held levels have not moved. Impulses are never taken
 * back. Each sum of them lies in its friction cone, but a surplus impulse parts or turns bodies, so
 * tall stacks stand but creep.
 * Reference: Guendelman, Bridson, Fedkiw, Nonconvex rigid bodies with stacking, ACM Trans. Graph.
 * 22 (2003). */
#include <math.h>
#include <string.h>

#include "law/contact_model_list.h"
#include "solve/island_contact_space.h"

enum {
  COLLISION_SWEEPS = 5,
  CONTACT_SWEEPS = 10,
  LEVEL_ROUNDS = 5,
  SHOCK_ROUNDS = 10,
  PAIR_IMPULSES = 5
};
static const double slower = 0.1;        // [-]  of e, from sweep to sweep
static const double singular = 1e-13;    // [-]  determinant over the product of the diagonal
static const double jamming = 1e-9;      // [-]  share of K_nn that friction leaves, at least
static const double settled = 1e-12;     // [-]  change of a row's impulse over it
static const double negligible = 1e-12;  // [m/s]  what approaches more slowly does not

typedef struct sequence {
  limpet_contact_space *s;
  double *K;     // (contacts x 9)
  int *level;    // (trees of the island)
  int *of;       // (contacts x 2)  tree of either side, in the island; -1: none
  int *row;      // (rows x 2)  lowest and highest level of a row's trees
  int anchored;  // trees of lower levels than this do not move
} sequence;

static size_t sequence_memory(int contacts, int rows, int velocities) {
  return (size_t)(9 * contacts) * sizeof(double) +
         (size_t)(2 * contacts + 2 * rows + velocities) * sizeof(int);
}

// K^-1 r by Cramer's rule; false where K is singular.
static bool solve3(const double K[9], const double r[3], double j[3]) {
  const double c0 = K[4] * K[8] - K[5] * K[7], c1 = K[5] * K[6] - K[3] * K[8],
               c2 = K[3] * K[7] - K[4] * K[6];
  const double det = K[0] * c0 + K[1] * c1 + K[2] * c2;
  if (!(det > singular * K[0] * K[4] * K[8])) return false;
  j[0] =
      (r[0] * c0 + r[1] * (K[2] * K[7] - K[1] * K[8]) + r[2] * (K[1] * K[5] - K[2] * K[4])) / det;
  j[1] =
      (r[0] * c1 + r[1] * (K[0] * K[8] - K[2] * K[6]) + r[2] * (K[2] * K[3] - K[0] * K[5])) / det;
  j[2] =
      (r[0] * c2 + r[1] * (K[1] * K[6] - K[0] * K[7]) + r[2] * (K[0] * K[4] - K[1] * K[3])) / det;
  return true;
}

// Impulse j of a contact at the velocity u, its gap included. False: none.
static bool contact_impulse(const double K[9], double mu, double e, const double u[3],
                            double j[3]) {
  const double wanted[3] = {-u[0], -u[1], -(1.0 + e) * u[2]}, slip = hypot(u[0], u[1]);
  if (solve3(K, wanted, j) && j[2] >= 0.0 && hypot(j[0], j[1]) <= mu * j[2]) return true;
  if (!(K[8] > 0.0)) return false;
  const double t[2] = {slip > 0.0 ? u[0] / slip : 0.0, slip > 0.0 ? u[1] / slip : 0.0};
  const double resistance = K[8] - mu * (K[6] * t[0] + K[7] * t[1]);
  const double friction = resistance > jamming * K[8] ? mu : 0.0;
  j[2] = wanted[2] / (friction > 0.0 || mu == 0.0 ? resistance : K[8]);
  j[0] = -friction * j[2] * t[0], j[1] = -friction * j[2] * t[1];
  return j[2] > 0.0;
}

// K of a contact: what its trees answer that move.
static void fill_block(sequence *q, int contact) {
  const limpet_contact_space *s = q->s;
  const int *of = q->of + 2 * contact;
  double *K = q->K + 9 * contact;
  memset(K, 0, 9 * sizeof *K);
  for (int k = s->first[contact]; k < s->first[contact + 1]; ++k) {
    const limpet_space_segment *segment = &s->segment[k];
    if (q->level[of[k - s->first[contact]]] < q->anchored) continue;
    for (int a = 0; a < 3; ++a)
      for (int b = 0; b < 3; ++b)
        for (int d = 0; d < segment->width; ++d)
          K[3 * a + b] += segment->J[a * segment->width + d] *
                          segment->Y[b * segment->count + segment->from + d];
  }
}

// Applies j; trees of anchored levels do not move.
static void apply(sequence *q, int contact, const double j[3]) {
  limpet_contact_space *s = q->s;
  for (int e = 0; e < 3; ++e) s->x[3 * contact + e] += j[e];
  for (int k = s->first[contact]; k < s->first[contact + 1]; ++k) {
    const limpet_space_segment *segment = &s->segment[k];
    if (q->level[q->of[2 * contact + k - s->first[contact]]] < q->anchored) continue;
    for (int e = 0; e < 3; ++e)
      for (int d = 0; d < segment->count; ++d)
        s->v[segment->offset + d] += j[e] * segment->Y[e * segment->count + d];
  }
}

// Whether the velocity of the moment closes the gap within the step; `depth` [m]: where it brings
// the point.
static bool approaches(const limpet_contact_space *s, int contact, double *depth) {
  const double u = limpet_contact_space_speed(s, 3 * contact + 2),
               distance = s->constants[contact].distance;
  *depth = distance + s->dt * u;
  return u + fmax(distance, 0.0) / s->dt < -negligible;
}

// One impulse; `ramp`: its e, NAN: the law's restitution. Returns its normal part.
static double strike(sequence *q, int contact, double ramp) {
  limpet_contact_space *s = q->s;
  const limpet_contact_constants *constants = &s->constants[contact];
  double u[3], j[3];
  for (int e = 0; e < 3; ++e) u[e] = limpet_contact_space_speed(s, 3 * contact + e);
  if (!isnan(ramp)) u[2] += fmax(constants->distance, 0.0) / s->dt;
  if (!contact_impulse(q->K + 9 * contact, constants->friction,
                       isnan(ramp) ? constants->restitution : ramp, u, j))
    return 0.0;
  apply(q, contact, j);
  return fabs(j[2]);
}

// A pair: the deepest point first, looked for anew after each impulse. Returns the largest impulse.
static double relax_pair(sequence *q, const limpet_patch *patch, double ramp) {
  const limpet_contact_space *s = q->s;
  const int first = patch->contact - s->island->contact, count = patch->contact_count;
  const int limit = count > PAIR_IMPULSES ? count : PAIR_IMPULSES;
  double moved = 0.0;
  for (int i = 0; i < limit; ++i) {
    double deepest = INFINITY, depth;
    int at = -1;
    for (int c = first; c < first + count; ++c)
      if ((!isnan(ramp) || s->constants[c].restitution > 0.0) && approaches(s, c, &depth) &&
          depth < deepest)
        at = c, deepest = depth;
    if (at < 0) break;
    moved = fmax(moved, strike(q, at, ramp));
  }
  return moved;
}

// Levels by breadth: what touches the world is 0, as is what no path of contacts leads to.
static int find_levels(sequence *q) {
  const limpet_contact_space *s = q->s;
  const limpet_contact_problem *p = s->problem;
  const int trees = s->island->block_count;
  for (int t = 0; t < trees; ++t) q->level[t] = -1;
  for (int c = 0; c < s->contacts; ++c) {
    q->of[2 * c] = q->of[2 * c + 1] = -1;
    for (int k = s->first[c]; k < s->first[c + 1]; ++k)
      for (int t = 0; t < trees; ++t)
        if (p->island_block[s->island->block + t] == s->segment[k].block)
          q->of[2 * c + k - s->first[c]] = t;
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
  for (int r = 0; r < s->rows; ++r) {
    q->row[2 * r] = level, q->row[2 * r + 1] = 0;
    for (int k = s->first[s->contacts + r]; k < s->first[s->contacts + r + 1]; ++k)
      for (int t = 0; t < trees; ++t) {
        if (p->island_block[s->island->block + t] != s->segment[k].block) continue;
        q->row[2 * r] = q->level[t] < q->row[2 * r] ? q->level[t] : q->row[2 * r];
        q->row[2 * r + 1] = q->level[t] > q->row[2 * r + 1] ? q->level[t] : q->row[2 * r + 1];
      }
  }
  return level;
}

static void set_blocks(sequence *q, int anchored) {
  q->anchored = anchored;
  for (int c = 0; c < q->s->contacts; ++c) fill_block(q, c);
}

// The higher level of the two trees of a contact.
static int level_of(const sequence *q, int contact) {
  const int a = q->of[2 * contact], b = q->of[2 * contact + 1];
  const int level_a = a >= 0 ? q->level[a] : 0, level_b = b >= 0 ? q->level[b] : 0;
  return level_a > level_b ? level_a : level_b;
}

// Pairs and rows of one level. Returns the largest normal impulse of the last round; *rounds
// counts.
static double relax_level(sequence *q, int level, double ramp, int limit, int *rounds) {
  limpet_contact_space *s = q->s;
  double moved = 0.0;
  bool goes_on = true;
  for (int i = 0; i < limit && goes_on; ++i, ++*rounds) {
    moved = 0.0, goes_on = false;
    for (int r = 0; r < s->rows; ++r) {
      if (q->row[2 * r + 1] != level || q->row[2 * r] < q->anchored) continue;
      goes_on |= fabs(limpet_contact_space_row(s, r)) > settled * fabs(s->x[3 * s->contacts + r]);
    }
    for (int k = 0; k < s->island->patch_count; ++k) {
      const limpet_patch *patch = &s->problem->patch[s->island->patch + k];
      if (level_of(q, patch->contact - s->island->contact) == level)
        moved = fmax(moved, relax_pair(q, patch, ramp));
    }
    goes_on |= moved > 0.0;
  }
  return moved;
}

static void collide(sequence *q) {
  const limpet_contact_space *s = q->s;
  memcpy(s->v, s->v_start, (size_t)s->velocities * sizeof *s->v);
  for (int i = 0; i < COLLISION_SWEEPS; ++i)
    for (int k = 0; k < s->island->patch_count; ++k)
      relax_pair(q, &s->problem->patch[s->island->patch + k], NAN);
}

static void sequence_solve(limpet_contact_space *s) {
  char *memory = s->memory;
  size_t used = 0;
  sequence q = {.s = s, .K = limpet_space_take(memory, &used, 9 * (size_t)s->contacts)};
  q.of = (int *)(void *)(memory + used);
  q.row = q.of + 2 * s->contacts;
  q.level = q.row + 2 * s->rows;
  const int levels = find_levels(&q);
  set_blocks(&q, 0);

  // 1 collisions, 2 forces
  collide(&q);
  for (int i = 0; i < s->velocities; ++i) s->v[i] += s->v_free[i] - s->v_start[i];

  // 3 contacts
  int rounds = COLLISION_SWEEPS;
  double moved = 0.0;
  for (int i = 0; i < CONTACT_SWEEPS; ++i) {
    moved = 0.0;
    for (int level = 0; level < levels; ++level)
      moved = fmax(
          moved, relax_level(&q, level, -slower * (CONTACT_SWEEPS - 1 - i), LEVEL_ROUNDS, &rounds));
  }

  // 4 shocks
  for (int level = 0; level < levels; ++level) {
    set_blocks(&q, level);
    relax_level(&q, level, 0.0, SHOCK_ROUNDS, &rounds);
  }
  s->own_velocity = true;
  double size = 0.0;
  for (int c = 0; c < s->contacts; ++c) size = fmax(size, fabs(s->x[3 * c + 2]));
  s->counts.sweeps = rounds;
  s->residual = size > 0.0 ? moved / size : 0.0;
}

static const limpet_parameter parameters[] = {
    LIMPET_PARAMETER_FRICTION,
    LIMPET_PARAMETER_RESTITUTION,
};

const limpet_impulsive_model limpet_contact_model_sequential_impulse = {
    .head = {.descriptor =
                 {.name = "sequential-impulse",
                  .text = "One impulse at a time: collisions before forces, contacts after them "
                          "in sweeps that slow down step by "
                          "step, then shock propagation by the contact graph, from the ground "
                          "upwards. For piles of single bodies; tall "
                          "stacks creep, and what presses from above does not reach what is "
                          "below. Of the scheme impulse.",
                  .reference =
                      "Guendelman, Bridson, Fedkiw, Nonconvex rigid bodies with stacking (2003)",
                  .parameter_count = sizeof parameters / sizeof parameters[0],
                  .parameters = parameters},
             .family = LIMPET_CONTACT_IMPULSIVE,
             .prepare = limpet_impulse_prepare,
             .sticks = limpet_contact_model_sticks,
             .slip_speed = limpet_contact_model_no_slip_speed,
             .energy = limpet_contact_model_no_energy},
    .solve = sequence_solve,
    .memory_size = sequence_memory,
};
