/* solve/island_contact_space.c: see island_contact_space.h. */
#include "solve/island_contact_space.h"

#include <math.h>
#include <string.h>

#include "math/dense.h"
#include "math/vec3.h"
#include "solve/island.h"
#include "solve/row.h"

// -------------------------------------------------------------------------------------- filling

static int group_of(const limpet_contact_space *s, int unknown) {
  return unknown < 3 * s->contacts ? unknown / 3 : s->contacts + unknown - 3 * s->contacts;
}

static int place_of(const limpet_contact_space *s, int unknown) {
  return unknown < 3 * s->contacts ? unknown % 3 : 0;
}

// J = 0, of which not all will be filled.
static void clear(limpet_space_segment *segment) {
  memset(segment->J, 0, (size_t)(segment->unknowns * segment->width) * sizeof *segment->J);
}

static void fill_patch(limpet_contact_space *s, const limpet_patch *patch) {
  for (int c = 0; c < patch->contact_count; ++c) {
    const double *W = s->problem->contact_row + 18 * (patch->contact + c);
    limpet_space_segment *segment = s->segment + s->first[patch->contact - s->island->contact + c];
    for (int k = 0; k < patch->side_count; ++k, ++segment) {
      const limpet_patch_side *side = &patch->side[k];
      if (side->count < segment->width) clear(segment);
      limpet_patch_jacobian(side, W, segment->width, segment->offset + segment->from, false,
                            segment->J);
    }
  }
}

static void fill_row(limpet_contact_space *s, int r) {
  const limpet_contact_problem *p = s->problem;
  for (int k = s->first[s->contacts + r]; k < s->first[s->contacts + r + 1]; ++k) {
    limpet_space_segment *segment = &s->segment[k];
    clear(segment);
    for (int e = s->row[r].entry; e < s->row[r].entry + s->row[r].entry_count; ++e) {
      const int at = p->entry_dof[e] - segment->offset - segment->from;
      if (at >= 0 && at < segment->width) segment->J[at] = p->entry_value[e];
    }
  }
}

// Factors the matrix of each block, one factor after the other. False: one is not positive
// definite.
static bool factor_blocks(limpet_contact_space *s) {
  double *factor = s->factor;
  for (int t = 0; t < s->island->block_count; ++t) {
    const limpet_block *block = limpet_island_block(s->problem, s->island, t);
    if (!block->kind->factor(block, factor)) return false;
    factor += block->kind->factor_size(block);
  }
  return true;
}

// Test impulses: Y = M^-1 J' of the segments of one block after the other.
static void answer(limpet_contact_space *s) {
  const limpet_contact_problem *p = s->problem;
  const int segments = s->first[s->contacts + s->rows];
  for (int k = 0; k < segments; ++k) {
    const limpet_space_segment *segment = &s->segment[k];
    const limpet_block *block = &p->block[segment->block];
    if (segment->width < segment->count)
      memset(segment->Y, 0, (size_t)(segment->unknowns * segment->count) * sizeof *segment->Y);
    for (int e = 0; e < segment->unknowns; ++e)
      memcpy(segment->Y + e * segment->count + segment->from, segment->J + e * segment->width,
             (size_t)segment->width * sizeof(double));
    for (int e = 0; e < segment->unknowns; ++e)
      block->kind->solve(block, s->factor + s->factor_at[block->offset],
                         segment->Y + e * block->size);
  }
}

// Velocities before and without contacts.
static void start(limpet_contact_space *s) {
  const limpet_contact_problem *p = s->problem;
  limpet_island_gather(p, s->island, p->v_free, s->v_free);
  memcpy(s->v, s->v_free, (size_t)s->velocities * sizeof *s->v);
  limpet_island_gather(p, s->island, p->v_start ? p->v_start : p->v_free, s->v_start);
}

// A_ik = J_i Y_k: what a unit impulse of unknown k changes at unknown i.
static double coupling(const limpet_contact_space *s, int i, int k) {
  double sum = 0.0;
  const int g = group_of(s, i), h = group_of(s, k);
  for (int a = s->first[g]; a < s->first[g + 1]; ++a)
    for (int b = s->first[h]; b < s->first[h + 1]; ++b) {
      const limpet_space_segment *to = &s->segment[a], *from = &s->segment[b];
      if (to->block != from->block) continue;
      sum += limpet_dot(to->width, to->J + place_of(s, i) * to->width,
                        from->Y + place_of(s, k) * to->count + to->from);
    }
  return sum;
}

// Segments of a contact are those of different blocks.
void limpet_contact_space_own(const limpet_contact_space *s, int contact, double W[9]) {
  for (int e = 0; e < 9; ++e) W[e] = 0.0;
  for (int k = s->first[contact]; k < s->first[contact + 1]; ++k) {
    const limpet_space_segment *segment = &s->segment[k];
    for (int e = 0; e < 9; ++e)
      W[e] += limpet_dot(segment->width, segment->J + e / 3 * segment->width,
                         segment->Y + e % 3 * segment->count + segment->from);
  }
}

limpet_outcome limpet_contact_space_fill(limpet_contact_space *s) {
  const limpet_contact_problem *p = s->problem;
  for (int i = 0; i < s->island->patch_count; ++i) fill_patch(s, &p->patch[s->island->patch + i]);
  for (int r = 0; r < s->rows; ++r) fill_row(s, r);
  if (!factor_blocks(s)) return LIMPET_OUTCOME_NUMERICAL_FAILURE;
  answer(s);
  start(s);
  for (int c = 0; c < s->contacts && p->contact_bias; ++c)
    for (int e = 0; e < 2; ++e)
      s->bias[3 * c + e] = p->contact_bias[LIMPET_CONTACT_BIAS * (s->island->contact + c) + e];
  for (int i = 0; i < s->size; ++i) {
    s->b[i] = limpet_contact_space_speed(s, i);
    s->diagonal[i] = coupling(s, i, i);
    for (int k = 0; k <= i && s->A; ++k)
      s->A[i * s->size + k] = s->A[k * s->size + i] = coupling(s, i, k);
  }
  return LIMPET_OUTCOME_SOLVED;
}

// -------------------------------------------------------------------------------------- using

double limpet_contact_space_speed(const limpet_contact_space *s, int unknown) {
  const int g = group_of(s, unknown), e = place_of(s, unknown);
  double u = s->bias[unknown];
  for (int k = s->first[g]; k < s->first[g + 1]; ++k) {
    const limpet_space_segment *segment = &s->segment[k];
    u += limpet_dot(segment->width, segment->J + e * segment->width,
                    s->v + segment->offset + segment->from);
  }
  return u;
}

void limpet_contact_space_push(limpet_contact_space *s, int unknown, double dx) {
  const int g = group_of(s, unknown), e = place_of(s, unknown);
  s->x[unknown] += dx;
  for (int k = s->first[g]; k < s->first[g + 1]; ++k) {
    const limpet_space_segment *segment = &s->segment[k];
    limpet_axpy(segment->count, dx, segment->Y + e * segment->count, s->v + segment->offset);
  }
}

/* u += J v and v += dx Y of one segment, rows of n. Inlined with n known for free bodies, which
 * heaps are made of: then loops are unrolled. Push in two lanes, which compilers leave out there.
 */
static inline __attribute__((always_inline)) void add_speed(const double *restrict J,
                                                            const double *restrict v, int n,
                                                            double u[3]) {
  for (int i = 0; i < n; ++i) {
    u[0] += J[i] * v[i];
    u[1] += J[n + i] * v[i];
    u[2] += J[2 * n + i] * v[i];
  }
}

// Two numbers at a time, which every 64-bit processor can do.
typedef double pair __attribute__((vector_size(16), aligned(8), may_alias));

static inline pair pair_at(const double *values, int i) { return *(const pair *)(values + i); }

static inline __attribute__((always_inline)) void add_push(double *restrict v,
                                                           const double *restrict Y, int n,
                                                           const double dx[3]) {
  int i = 0;
  for (; i + 1 < n; i += 2) {
    *(pair *)(v + i) +=
        dx[0] * pair_at(Y, i) + dx[1] * pair_at(Y, n + i) + dx[2] * pair_at(Y, 2 * n + i);
  }
  for (; i < n; ++i) v[i] += dx[0] * Y[i] + dx[1] * Y[n + i] + dx[2] * Y[2 * n + i];
}

void limpet_contact_space_contact_speed(const limpet_contact_space *s, int contact, double u[3]) {
  double sum[3];
  for (int e = 0; e < 3; ++e) sum[e] = s->bias[3 * contact + e];
  for (int k = s->first[contact]; k < s->first[contact + 1]; ++k) {
    const limpet_space_segment *segment = &s->segment[k];
    const double *v = s->v + segment->offset + segment->from;
    if (segment->width == FREE_BODY) add_speed(segment->J, v, FREE_BODY, sum);
    else add_speed(segment->J, v, segment->width, sum);
  }
  for (int e = 0; e < 3; ++e) u[e] = sum[e];
}

void limpet_contact_space_push_contact(limpet_contact_space *s, int contact, const double dx[3]) {
  const double d[3] = {dx[0], dx[1], dx[2]};
  for (int e = 0; e < 3; ++e) s->x[3 * contact + e] += d[e];
  for (int k = s->first[contact]; k < s->first[contact + 1]; ++k) {
    const limpet_space_segment *segment = &s->segment[k];
    double *v = s->v + segment->offset;
    if (segment->count == FREE_BODY) add_push(v, segment->Y, FREE_BODY, d);
    else add_push(v, segment->Y, segment->count, d);
  }
}

// v += J' x of a contact or row; most of them carry nothing.
static void add_impulse(limpet_contact_space *s, int group, const double *x) {
  const bool contact = group < s->contacts;
  if (x[0] == 0.0 && (!contact || (x[1] == 0.0 && x[2] == 0.0))) return;
  for (int k = s->first[group]; k < s->first[group + 1]; ++k) {
    const limpet_space_segment *segment = &s->segment[k];
    double *v = s->v + segment->offset + segment->from;
    if (contact) add_push(v, segment->J, segment->width, x);
    else
      for (int i = 0; i < segment->width; ++i) v[i] += x[0] * segment->J[i];
  }
}

void limpet_contact_space_answer(limpet_contact_space *s) {
  for (int t = 0; t < s->island->block_count; ++t) {
    const limpet_block *block = limpet_island_block(s->problem, s->island, t);
    block->kind->solve(block, s->factor + s->factor_at[block->offset], s->v + block->offset);
  }
  for (int i = 0; i < s->velocities; ++i) s->v[i] += s->v_free[i];
}

// v = v* + M^-1 (J' x) by a solve with each block.
static void set_by_solves(limpet_contact_space *s, const double *x) {
  const int contacts = s->contacts;
  memset(s->v, 0, (size_t)s->velocities * sizeof *s->v);
  memcpy(s->x, x, (size_t)s->size * sizeof *s->x);
  for (int c = 0; c < contacts; ++c) add_impulse(s, c, x + 3 * c);
  for (int r = 0; r < s->rows; ++r) add_impulse(s, contacts + r, x + 3 * contacts + r);
  limpet_contact_space_answer(s);
}

void limpet_contact_space_set(limpet_contact_space *s, const double *x) {
  if (s->solves) {
    set_by_solves(s, x);
    return;
  }
  memcpy(s->v, s->v_free, (size_t)s->velocities * sizeof *s->v);
  memset(s->x, 0, (size_t)s->size * sizeof *s->x);
  for (int c = 0; c < s->contacts; ++c) limpet_contact_space_push_contact(s, c, x + 3 * c);
  for (int i = 3 * s->contacts; i < s->size; ++i) limpet_contact_space_push(s, i, x[i]);
}

double limpet_contact_space_target(const limpet_contact_space *s, int contact, bool stabilised) {
  const limpet_contact_constants *constants = &s->constants[contact];
  const double closing = fmax(constants->distance, 0.0) / s->dt;
  double target = stabilised ? -constants->impulsive.gap_speed : -closing;
  if (constants->restitution > 0.0 && constants->normal_speed < 0.0 &&
      s->b[3 * contact + 2] < -closing)
    target = fmax(target, -constants->restitution * constants->normal_speed);
  return target;
}

// One row acts on one velocity mostly: a stop, dry friction, a servo.
double limpet_contact_space_row(limpet_contact_space *s, int row) {
  const limpet_constraint_row *r = &s->row[row];
  const int i = 3 * s->contacts + row, from = s->first[s->contacts + row],
            to = s->first[s->contacts + row + 1];
  double u = s->bias[i];
  for (int k = from; k < to; ++k) {
    const limpet_space_segment *segment = &s->segment[k];
    const double *v = s->v + segment->offset + segment->from;
    u += segment->width == 1 ? segment->J[0] * v[0] : limpet_dot(segment->width, segment->J, v);
  }
  const double old = s->x[i], R = 1.0 / r->R_inverse;
  const double dx =
      limpet_row_clamp(r, old + (r->v_hat - u - R * old) / (s->diagonal[i] + R)) - old;
  if (dx == 0.0) return 0.0;
  s->x[i] = old + dx;
  for (int k = from; k < to; ++k) {
    const limpet_space_segment *segment = &s->segment[k];
    limpet_axpy(segment->count, dx, segment->Y, s->v + segment->offset);
  }
  return s->x[i] - old;
}

int limpet_contact_space_rows(limpet_contact_space *s) {
  enum { SWEEPS = 200 };                // more than rows of a robot need: they hardly couple
  static const double settled = 1e-12;  // [-]  change of a sweep over the largest impulse
  int sweep = 0;
  for (double change = 1.0, size = 0.0; s->rows > 0 && sweep < SWEEPS && change > settled * size;
       ++sweep) {
    change = size = 0.0;
    for (int r = 0; r < s->rows; ++r) {
      change = fmax(change, fabs(limpet_contact_space_row(s, r)));
      size = fmax(size, fabs(s->x[3 * s->contacts + r]));
    }
    if (size == 0.0) break;
  }
  return sweep;
}

// rows are scaled where friction has directions: f_W = sum f_e row_e, and back by f_e = f_W .
// row_e/row_e^2
void limpet_contact_space_carried(const limpet_contact_space *s, int contact, double f[3]) {
  const int c = s->island->contact + contact;
  limpet_vec3_zero(f);
  for (int e = 0; e < 3 && s->problem->carried; ++e) {
    const double *row = s->problem->contact_row + 18 * c + 6 * e + 3;
    f[e] = limpet_vec3_dot(s->problem->carried + 3 * c, row) / limpet_vec3_dot(row, row);
  }
}

void limpet_contact_space_carry(limpet_contact_space *s, int contact, const double f[3]) {
  if (!s->carried) return;
  const double *row = s->problem->contact_row + 18 * (s->island->contact + contact);
  double *force = s->carried + 3 * contact;
  limpet_vec3_zero(force);
  for (int e = 0; e < 3; ++e) limpet_vec3_addmul(force, force, f[e], row + 6 * e + 3);
}

// ------------------------------------------------------------------------------------ results

void limpet_contact_space_solve(limpet_contact_space *s) {
  s->outcome = limpet_contact_space_fill(s);
  if (s->outcome != LIMPET_OUTCOME_SOLVED) return;
  s->model->solve(s);

  // v = v* + M^-1 J' x afresh, so that it does not carry the round-off of sweeps
  if (!s->own_velocity) memcpy(s->v, s->v_free, (size_t)s->velocities * sizeof *s->v);
  for (int g = 0; g < s->contacts + s->rows; ++g)
    for (int k = s->first[g]; k < s->first[g + 1]; ++k) {
      const limpet_space_segment *segment = &s->segment[k];
      for (int e = 0; e < segment->unknowns; ++e) {
        const double x = s->x[g < s->contacts ? 3 * g + e : 2 * s->contacts + g];
        limpet_axpy(segment->width, x, segment->J + e * segment->width,
                    s->impulse + segment->offset + segment->from);
        if (!s->own_velocity)
          limpet_axpy(segment->count, x, segment->Y + e * segment->count, s->v + segment->offset);
      }
    }
  for (int i = 0; i < 3 * s->contacts; ++i) s->contact_u[i] = limpet_contact_space_speed(s, i);
  for (int i = 0; i < s->size; ++i)
    if (!isfinite(s->x[i])) s->outcome = LIMPET_OUTCOME_NUMERICAL_FAILURE;
}
