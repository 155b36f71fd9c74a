/* fem/rigid_set.c: nodes that move as one rigid body, such as those that are tied to one.
 *
 *   v_i = V + w x r_i + c_i   i in a set;   v = T z + c,   z: (V, w) of sets, v_i of other nodes
 *   T' R(T z + c) = 0         the step of the body, in z;   T' H T its matrix, positive as H is
 * r_i are arms from the centre (sum r_i = 0), c_i [m/s] velocities that are given, which lead back
 * nodes that are off their places. With P the rows of T of one set, P'P is n I for V, and
 * sum |r|^2 I - r r' for w.
 * A set is one block row of six in the factor, that of its first node; the others have rows of
 * the identity there, which nothing couples to. So all that is solved for is a motion of this kind,
 * and solves and condensation take six columns for a set, three for each other node.
 * Forces on the nodes count by P' R: at the nodes of a set, R is what holds them.
 * Cost: 27 to 72 multiply-adds for each block of H with a node of a set. */
#include "fem/rigid_set.h"

#include <stdlib.h>
#include <string.h>

#include "math/ldl3.h"
#include "math/vec3.h"

limpet_status limpet_fem_rigid_create(limpet_fem_step *step, const int *set) {
  step->rigid = NULL;
  if (!set) return LIMPET_OK;
  const long n = step->body->info.node_count;
  limpet_fem_rigid *rigid = LIMPET_TAKE_ZERO(&step->arena, limpet_fem_rigid, 1);
  if (!rigid) return LIMPET_ERROR_MEMORY;
  for (int i = 0; i < n; ++i)
    if (set[i] >= rigid->count) rigid->count = set[i] + 1;
  if (rigid->count == 0) return LIMPET_OK;
  rigid->set = LIMPET_TAKE(&step->arena, int, n);
  rigid->row = LIMPET_TAKE(&step->arena, int, n);
  rigid->lead = LIMPET_TAKE(&step->arena, int, rigid->count);
  rigid->arm = LIMPET_TAKE_ZERO(&step->arena, double, 3 * n);
  rigid->offset = LIMPET_TAKE_ZERO(&step->arena, double, 3 * n);
  rigid->held = LIMPET_TAKE_ZERO(&step->arena, double, 3 * n);
  rigid->rows = LIMPET_TAKE(&step->arena, double, 3 * (n + rigid->count));
  if (!rigid->set || !rigid->row || !rigid->lead || !rigid->arm || !rigid->offset || !rigid->held ||
      !rigid->rows)
    return LIMPET_ERROR_MEMORY;
  memcpy(rigid->set, set, (size_t)n * sizeof *set);
  for (int i = (int)n - 1; i >= 0; --i)
    if (set[i] != LIMPET_FEM_FREE_NODE) rigid->lead[set[i]] = i;
  step->rigid = rigid;
  for (int i = 0, row = 0; i < n; ++i) {
    rigid->row[i] = row;
    row += limpet_fem_node_rows(step, i);
  }
  return LIMPET_OK;
}

int limpet_fem_set_of(const limpet_fem_step *step, int node) {
  return step->rigid ? step->rigid->set[node] : LIMPET_FEM_FREE_NODE;
}

int limpet_fem_node_rows(const limpet_fem_step *step, int node) {
  const int set = limpet_fem_set_of(step, node);
  return set != LIMPET_FEM_FREE_NODE && step->rigid->lead[set] == node ? LIMPET_FEM_SET_ROWS : 3;
}

int limpet_fem_nodes_rows(const limpet_fem_step *step, int count, const int *nodes) {
  int rows = 3 * count;
  for (int k = 0; k < count && step->rigid; ++k) rows += limpet_fem_node_rows(step, nodes[k]) - 3;
  return rows;
}

// F += P_i' x
static void force_add(const limpet_fem_rigid *rigid, int node, const double x[3], double F[6]) {
  double moment[3];
  limpet_vec3_cross(moment, rigid->arm + 3L * node, x);
  limpet_vec3_add(F, F, x);
  limpet_vec3_add(F + 3, F + 3, moment);
}

// x <- P_i V
static void velocity_of(const limpet_fem_rigid *rigid, int node, const double V[6], double x[3]) {
  limpet_vec3_cross(x, V + 3, rigid->arm + 3L * node);
  limpet_vec3_add(x, x, V);
}

void limpet_fem_rigid_move(const limpet_fem_step *step, int set, const double *V, double *x) {
  const limpet_fem_rigid *rigid = step->rigid;
  for (int i = rigid->lead[set]; i < step->body->info.node_count; ++i)
    if (rigid->set[i] == set) velocity_of(rigid, i, V, x + 3L * i);
}

void limpet_fem_rigid_spread(const limpet_fem_step *step, int set, const double *F, double *V) {
  const limpet_fem_rigid *rigid = step->rigid;
  double J[9] = {0.0};
  int count = 0;
  for (int i = rigid->lead[set]; i < step->body->info.node_count; ++i) {
    if (rigid->set[i] != set) continue;
    const double *r = rigid->arm + 3L * i, square = limpet_vec3_dot(r, r);
    for (int a = 0; a < 3; ++a)
      for (int b = 0; b < 3; ++b) J[3 * a + b] += (a == b ? square : 0.0) - r[a] * r[b];
    ++count;
  }
  limpet_vec3_scale(V, 1.0 / count, F);
  limpet_vec3_copy(V + 3, F + 3);
  limpet_ldl3 factor;
  if (limpet_ldl3_factor(J, &factor)) limpet_ldl3_solve(&factor, V + 3);
  else limpet_vec3_zero(V + 3);  // not finite: nodes in line are no set
}

void limpet_fem_rigid_motion(const limpet_fem_step *step, int set, const double *x, double *V) {
  const limpet_fem_rigid *rigid = step->rigid;
  double F[6] = {0.0};
  for (int i = rigid->lead[set]; i < step->body->info.node_count; ++i)
    if (rigid->set[i] == set) force_add(rigid, i, x + 3L * i, F);
  limpet_fem_rigid_spread(step, set, F, V);
}

void limpet_fem_rigid_share_out(const limpet_fem_step *step, int set, const double *F, double *x) {
  double V[6];
  limpet_fem_rigid_spread(step, set, F, V);
  limpet_fem_rigid_move(step, set, V, x);
}

void limpet_fem_rigid_project(const limpet_fem_step *step, double *x) {
  for (int set = 0; step->rigid && set < step->rigid->count; ++set) {
    double V[6];
    limpet_fem_rigid_motion(step, set, x, V);
    limpet_fem_rigid_move(step, set, V, x);
  }
}

// x += c at the nodes of all sets, with a sign
static void offset_add(const limpet_fem_step *step, double sign, double *x) {
  const limpet_fem_rigid *rigid = step->rigid;
  for (int i = 0; i < step->body->info.node_count; ++i)
    if (rigid->set[i] != LIMPET_FEM_FREE_NODE)
      limpet_vec3_addmul(x + 3L * i, x + 3L * i, sign, rigid->offset + 3L * i);
}

void limpet_fem_rigid_admit(const limpet_fem_step *step, double *x) {
  if (!step->rigid) return;
  offset_add(step, -1.0, x);
  limpet_fem_rigid_project(step, x);
  offset_add(step, 1.0, x);
}

// rows <- T'x
static void reduce(const limpet_fem_step *step, const double *x, double *rows) {
  const limpet_fem_rigid *rigid = step->rigid;
  const int n = step->body->info.node_count;
  for (int i = 0; i < n; ++i) {
    const int set = rigid->set[i];
    double *to = rows + rigid->row[i];
    if (set == LIMPET_FEM_FREE_NODE) {
      limpet_vec3_copy(to, x + 3L * i);
      continue;
    }
    memset(to, 0, (size_t)limpet_fem_node_rows(step, i) * sizeof *to);
    force_add(rigid, i, x + 3L * i, rows + rigid->row[rigid->lead[set]]);
  }
}

void limpet_fem_rigid_expand(const limpet_fem_step *step, const double *rows, double *x) {
  const limpet_fem_rigid *rigid = step->rigid;
  for (int i = 0; i < step->body->info.node_count; ++i) {
    const int set = rigid->set[i];
    if (set == LIMPET_FEM_FREE_NODE) limpet_vec3_copy(x + 3L * i, rows + rigid->row[i]);
    else velocity_of(rigid, i, rows + rigid->row[rigid->lead[set]], x + 3L * i);
  }
}

// to (rows x 3, rows of P_i' or I) <- P_i' h, h (3 x 3)
static int reduce_left(const limpet_fem_rigid *rigid, int node, const double h[9], double to[18]) {
  memcpy(to, h, 9 * sizeof *h);
  if (rigid->set[node] == LIMPET_FEM_FREE_NODE) return 3;
  for (int c = 0; c < 3; ++c) {
    const double x[3] = {h[c], h[3 + c], h[6 + c]};
    double moment[3];
    limpet_vec3_cross(moment, rigid->arm + 3L * node, x);
    for (int a = 0; a < 3; ++a) to[9 + 3 * a + c] = moment[a];
  }
  return LIMPET_FEM_SET_ROWS;
}

void limpet_fem_rigid_add(const limpet_fem_step *step, int k, int i, int j, double *values) {
  const limpet_fem_rigid *rigid = step->rigid;
  const limpet_fem_target *t = &step->target[k];
  double left[18], both[36];
  const int rows = reduce_left(rigid, i, step->H + 9L * k, left);
  int columns = 3;
  for (int a = 0; a < rows; ++a) {  // a row of it by P_j: (P_j' row')'
    double *to = both + 6 * a;
    const double *row = left + 3 * a;
    limpet_vec3_copy(to, row);
    if (rigid->set[j] == LIMPET_FEM_FREE_NODE) continue;
    limpet_vec3_cross(to + 3, rigid->arm + 3L * j, row);
    columns = LIMPET_FEM_SET_ROWS;
  }
  const bool inside = rigid->set[i] != LIMPET_FEM_FREE_NODE && rigid->set[i] == rigid->set[j];
  double *to = values + t->offset;
  for (int a = 0; a < rows; ++a)
    for (int b = 0; b < columns; ++b) {
      const double h = both[6 * a + b];
      to[t->transposed ? (long)b * t->stride + a : (long)a * t->stride + b] += h;
      // both (i, j) and (j, i) fall on the diagonal of the set
      if (inside && i != j) to[(long)b * t->stride + a] += h;
    }
}

void limpet_fem_rigid_fill(const limpet_fem_step *step, double *values) {
  const limpet_fem_rigid *rigid = step->rigid;
  for (int i = 0; rigid && i < step->body->info.node_count; ++i) {
    if (rigid->set[i] == LIMPET_FEM_FREE_NODE || rigid->lead[rigid->set[i]] == i) continue;
    int stride, transposed;
    double *to = values + limpet_block_cholesky_offset(step->factor, i, i, &stride, &transposed);
    for (int a = 0; a < 3; ++a) to[(long)a * stride + a] = 1.0;
  }
}

void limpet_fem_rigid_blocks(const limpet_fem_step *step, int *size, int *pairs, int *order) {
  const limpet_fem_rigid *rigid = step->rigid;
  const int n = step->body->info.node_count;
  if (!rigid) return;
  for (int k = 0; k < 2 * step->body->block_count; ++k) {
    const int set = rigid->set[pairs[k]];
    if (set != LIMPET_FEM_FREE_NODE) pairs[k] = rigid->lead[set];
  }
  for (int i = 0; i < n; ++i) size[i] = limpet_fem_node_rows(step, i);
  int at = 0;
  for (int p = 0; order && p < n; ++p)
    if (size[order[p]] == 3) order[at++] = order[p];
  for (int set = 0; order && set < rigid->count; ++set) order[at++] = rigid->lead[set];
}

void limpet_fem_solve(const limpet_fem_step *step, double *x) {
  if (!step->rigid) {
    limpet_block_cholesky_solve(step->factor, x);
    return;
  }
  reduce(step, x, step->rigid->rows);
  limpet_block_cholesky_solve(step->factor, step->rigid->rows);
  limpet_fem_rigid_expand(step, step->rigid->rows, x);
}
