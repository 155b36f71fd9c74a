/* fem/body_elements.c: nodes, shape gradients, volumes and masses of the elements.
 *
 * With barycentric coordinates L_i of a tetrahedron, grad L_i = d_i:
 *   linear     N_i = L_i,              one point; M = rho V/16 between all nodes (one-point rule),
 *                                      rho V/20 (1 + delta) exactly where body_inertia.c says so
 *   quadratic  N_i = L_i (2 L_i - 1),  N_ij = 4 L_i L_j; four points L = (a, b, b, b) in turn with
 *              weight V/4, exact for polynomials of degree 2; M exact
 * Source: Zienkiewicz, Taylor, The Finite Element Method, chapters on shape functions and
 * integration. */
#include <string.h>

#include "fem/body.h"
#include "fem/tetrahedron.h"

enum { LANES = LIMPET_FEM_LANES, NODES = 10, POINTS = 4 };

// One element with its nodes in the order of shape functions.
typedef struct element {
  double volume, d[4][3];             // [m^3], [1/m]
  double gradient[POINTS][NODES][3];  // [1/m]
  double mass[NODES][NODES];          // [-]  of the element's mass
} element;

static void barycentric(const double *vertices, const int *v, element *e) {
  const double *x[4];
  for (int k = 0; k < 4; ++k) x[k] = vertices + 3L * v[k];
  e->volume = limpet_tetrahedron_shape_of(vertices, v).volume;
  // d_k is the inner normal of the face that leaves k out, times its area, over 3 V
  static const int corner[4][3] = {{1, 3, 2}, {0, 2, 3}, {0, 3, 1}, {0, 1, 2}};
  for (int k = 0; k < 4; ++k) {
    double a[3], b[3], n[3];
    limpet_vec3_sub(a, x[corner[k][1]], x[corner[k][0]]);
    limpet_vec3_sub(b, x[corner[k][2]], x[corner[k][0]]);
    limpet_vec3_cross(n, a, b);
    limpet_vec3_scale(e->d[k], 1.0 / (6.0 * e->volume), n);
  }
}

static void linear_element(element *e, bool exact_mass) {
  memcpy(e->gradient[0], e->d, sizeof e->d);
  for (int a = 0; a < 4; ++a)
    for (int b = 0; b < 4; ++b) e->mass[a][b] = exact_mass ? (a == b ? 0.1 : 0.05) : 1.0 / 16.0;
}

static void quadratic_gradients(element *e) {
  const double far = 0.58541019662496845446, near = 0.13819660112501051518;  // (5 +- ..)/20
  for (int q = 0; q < POINTS; ++q) {
    double L[4];
    for (int i = 0; i < 4; ++i) L[i] = i == q ? far : near;
    int at = 4;
    for (int i = 0; i < 4; ++i) {
      limpet_vec3_scale(e->gradient[q][i], 4.0 * L[i] - 1.0, e->d[i]);
      for (int j = 0; j < i; ++j, ++at)
        for (int k = 0; k < 3; ++k)
          e->gradient[q][at][k] = 4.0 * (L[i] * e->d[j][k] + L[j] * e->d[i][k]);
    }
  }
}

// Integrals of N_a N_b over the volume: those of monomials in L, i! j! k! l! 3!/(i+j+k+l+3)!.
static void quadratic_mass(element *e) {
  int end[NODES][2];
  int at = 4;
  for (int i = 0; i < 4; ++i) {
    end[i][0] = end[i][1] = i;
    for (int j = 0; j < i; ++j, ++at) end[at][0] = i, end[at][1] = j;
  }
  for (int a = 0; a < NODES; ++a)
    for (int b = 0; b < NODES; ++b) {
      const bool vertex_a = a < 4, vertex_b = b < 4;
      int shared = 0;
      for (int i = 0; i < 2; ++i)
        for (int j = 0; j < 2; ++j) shared += end[a][i] == end[b][j];
      double m;
      if (vertex_a && vertex_b) m = a == b ? 6.0 : 1.0;
      else if (vertex_a || vertex_b) m = shared ? -4.0 : -6.0;
      else m = a == b ? 32.0 : shared ? 16.0 : 8.0;
      e->mass[a][b] = m / 420.0;
    }
}

// Puts shape functions into the order of ascending nodes.
static void element_sort(int k, int *node, element *e) {
  for (int i = 1; i < k; ++i)
    for (int j = i; j > 0 && node[j - 1] > node[j]; --j) {
      const int t = node[j];
      node[j] = node[j - 1], node[j - 1] = t;
      for (int q = 0; q < POINTS; ++q) {
        double g[3];
        limpet_vec3_copy(g, e->gradient[q][j]);
        limpet_vec3_copy(e->gradient[q][j], e->gradient[q][j - 1]);
        limpet_vec3_copy(e->gradient[q][j - 1], g);
      }
      for (int b = 0; b < k; ++b) {
        const double m = e->mass[j][b];
        e->mass[j][b] = e->mass[j - 1][b], e->mass[j - 1][b] = m;
      }
      for (int b = 0; b < k; ++b) {
        const double m = e->mass[b][j];
        e->mass[b][j] = e->mass[b][j - 1], e->mass[b][j - 1] = m;
      }
    }
}

static element element_make(limpet_fem_body *body, int t) {
  element e = {0};
  barycentric(body->rest, body->tetrahedra + 4L * t, &e);
  if (body->element_nodes == 4) linear_element(&e, body->exact_mass[t]);
  else quadratic_gradients(&e), quadratic_mass(&e);
  element_sort(body->element_nodes, body->element_node + (long)body->element_nodes * t, &e);
  return e;
}

// Lane `lane` of batch `b`; `weighted`: false for the copies that fill the last batch.
static void lane_fill(limpet_fem_body *body, int b, int lane, int t, const element *e,
                      bool weighted) {
  const int k = body->element_nodes, Q = body->element_points;
  for (int a = 0; a < k; ++a)
    body->node[((long)b * k + a) * LANES + lane] = body->element_node[(long)k * t + a];
  for (int q = 0; q < Q; ++q) {
    const long point = (long)b * Q + q;
    body->weight[point * LANES + lane] = weighted ? e->volume / Q : 0.0;
    for (int a = 0; a < k; ++a)
      for (int i = 0; i < 3; ++i)
        body->gradient[((point * k + a) * 3 + i) * LANES + lane] = e->gradient[q][a][i];
  }
}

// Adds the element's mass to the blocks of its pairs and to the row sums.
static void mass_add(limpet_fem_body *body, int b, int lane, int t, const element *e) {
  const int k = body->element_nodes;
  const double mass = body->info.density * e->volume;
  const int *place = body->place + (long)b * (k * (k + 1) / 2) * LANES + lane;
  for (int n = 0; n < k; ++n)
    for (int a = 0; a <= n; ++a, place += LANES) body->mass[*place] += mass * e->mass[n][a];
  for (int n = 0; n < k; ++n) {
    double sum = 0.0;
    for (int a = 0; a < k; ++a) sum += e->mass[n][a];
    body->node_mass[body->element_node[(long)k * t + n]] += mass * sum;
  }
  body->info.mass += mass;
  body->info.volume += e->volume;
}

static limpet_status arrays_take(limpet_fem_body *body) {
  const long k = body->element_nodes, Q = body->element_points, batches = body->batch_count;
  limpet_arena *arena = &body->arena;
  body->node = LIMPET_TAKE(arena, int, batches *k *LANES);
  body->gradient = LIMPET_TAKE(arena, double, batches *Q *k * 3 * LANES);
  body->weight = LIMPET_TAKE(arena, double, batches *Q *LANES);
  body->mass = LIMPET_TAKE_ZERO(arena, double, body->block_count);
  if (!body->node_mass)  // that of thin bodies is there
    body->node_mass = LIMPET_TAKE_ZERO(arena, double, body->info.node_count);
  return body->node && body->gradient && body->weight && body->mass && body->node_mass
             ? LIMPET_OK
             : LIMPET_ERROR_MEMORY;
}

limpet_status limpet_fem_body_elements(limpet_fem_body *body) {
  if (arrays_take(body)) return LIMPET_ERROR_MEMORY;
  const int count = body->info.tetrahedron_count;
  for (int n = 0; n < body->batch_count * LANES; ++n) {
    const int t = n < count ? n : count - 1, b = n / LANES, lane = n % LANES;
    element e = element_make(body, t);
    lane_fill(body, b, lane, t, &e, n < count);
    if (n < count) mass_add(body, b, lane, t, &e);
  }
  double *centre = body->info.centre;
  if (count == 0) return LIMPET_OK;
  for (int i = 0; i < body->info.node_count; ++i)
    limpet_vec3_addmul(centre, centre, body->node_mass[i] / body->info.mass, body->rest + 3L * i);
  return LIMPET_OK;
}
