/* geometry/pressure_facet.c: quadrature of the pressure over a triangle.
 *
 * A triangle of a mesh that lies in a smooth part of a curved field, pressed all over or nowhere,
 * needs few points: three with a third of the area each, at (2/3, 1/6, 1/6), integrate polynomials
 * of degree two; six of degree four (Dunavant 1985) tell the error of int p dA and int p x dA.
 * Where it is too large the triangle is cut into n^2 of its like, n up to 4: their errors come to
 * 1/n^3 of it. Cost: nine values of the field for each of them. */
#include "geometry/pressure_facet.h"

#include <math.h>

#include "math/vec3.h"

enum { fine_points = 6, most_parts = 4 };  // of a rule; along an edge
// shares of the corner of a point, and weights, for the points near corners and near edges
static const double coarse_share = 2.0 / 3.0;
static const double fine_share[2] = {0.81684757298045851308, 0.10810301816807022736},
                    fine_weight[2] = {0.10995174365532186764, 0.22338158967801146570};

// The point with the share of corner k, and equal shares of the two others.
static void place(const limpet_pressure_facet *facet, int k, double share, double x[3]) {
  limpet_vec3_scale(x, share, facet->corner[k]);
  for (int other = 1; other < 3; ++other)
    limpet_vec3_addmul(x, x, 0.5 * (1.0 - share), facet->corner[(k + other) % 3]);
}

static double area_of(const limpet_pressure_facet *facet) {
  double u[3], v[3], cross[3];
  limpet_vec3_sub(u, facet->corner[1], facet->corner[0]);
  limpet_vec3_sub(v, facet->corner[2], facet->corner[0]);
  limpet_vec3_cross(cross, u, v);
  return 0.5 * limpet_vec3_norm(cross);
}

static double pressure_at(const limpet_pressure_facet *facet, const double x[3], double *g) {
  int piece;
  return limpet_pressure_closed_form(facet->body->field, x, g, &piece);
}

bool limpet_pressure_facet_estimate(const limpet_pressure_facet *facet, double whole[2]) {
  const double area = area_of(facet) / 3.0;
  bool pressed = false;
  for (int k = 0; k < 3; ++k) {
    double x[3];
    place(facet, k, coarse_share, x);
    const double p = pressure_at(facet, x, NULL);
    if (!(p > 0.0)) continue;
    whole[0] += area, whole[1] += area * p;
    pressed = true;
  }
  return pressed;
}

// Adds w p and w p (x - c) to sum, c the first corner.
static void sum_up(const limpet_pressure_facet *facet, const double x[3], double p, double weight,
                   double sum[4]) {
  double from[3];
  limpet_vec3_sub(from, x, facet->corner[0]);
  limpet_vec3_addmul(sum + 1, sum + 1, weight * p, from);
  sum[0] += weight * p;
}

static limpet_pressure_point point_at(const limpet_pressure_facet *facet, const double x[3],
                                      double p, const double g[3]) {
  limpet_pressure_point point = {.pressure = p, .element_a = -1, .element_b = -1};
  limpet_pressure_to_world(point.position, facet->body, x);
  limpet_mat3_mul_vec(point.normal, facet->body->rotation, facet->outward);
  if (!facet->rigid_is_a) limpet_vec3_neg(point.normal, point.normal);
  const double slope = fmax(0.0, limpet_vec3_dot(g, facet->outward));
  point.gradient_a = facet->rigid_is_a ? INFINITY : slope;
  point.gradient_b = facet->rigid_is_a ? slope : INFINITY;
  return point;
}

// The third of the triangle next to corner k: the corner, two middles of edges, the centroid.
static void outline(limpet_pressure_surface *surface, const limpet_pressure_facet *facet, int k,
                    int point) {
  double corners[12], pressures[4];
  const double *a = facet->corner[k], *b = facet->corner[(k + 1) % 3],
               *c = facet->corner[(k + 2) % 3];
  for (int v = 0; v < 4; ++v) {
    double x[3];
    const double to_b = v == 1   ? 0.5
                        : v == 2 ? 1.0 / 3.0
                                 : 0.0,
                 to_c = v == 3   ? 0.5
                        : v == 2 ? 1.0 / 3.0
                                 : 0.0;
    for (int i = 0; i < 3; ++i) x[i] = a[i] + to_b * (b[i] - a[i]) + to_c * (c[i] - a[i]);
    pressures[v] = pressure_at(facet, x, NULL);
    limpet_pressure_to_world(corners + 3 * v, facet->body, x);
  }
  limpet_pressure_add_outline(surface, point, corners, pressures, 4);
}

// The error of three points, of force and of moment over its length, as a share of the whole [N].
static double gap_of(const limpet_pressure_facet *facet, double whole, double length) {
  const double area = area_of(facet);
  double sum[4] = {0.0}, x[3];
  for (int k = 0; k < 3; ++k) {
    place(facet, k, coarse_share, x);
    const double p = pressure_at(facet, x, NULL);
    if (p < 0.0) return 0.0;  // what is not pressed has no force
    sum_up(facet, x, p, -area / 3.0, sum);
  }
  for (int k = 0; k < fine_points; ++k) {
    place(facet, k % 3, fine_share[k / 3], x);
    sum_up(facet, x, pressure_at(facet, x, NULL), area * fine_weight[k / 3], sum);
  }
  return fmax(fabs(sum[0]), limpet_vec3_norm(sum + 1) / length) / whole;
}

// Three points of a facet.
static void add_points(limpet_pressure_surface *surface, const limpet_pressure_facet *facet) {
  const double area = area_of(facet) / 3.0;
  for (int k = 0; k < 3; ++k) {
    double x[3], g[3];
    place(facet, k, coarse_share, x);
    const double p = pressure_at(facet, x, g);
    limpet_pressure_point point = point_at(facet, x, p, g);
    point.area = area, point.feature = facet->feature + (uint64_t)k;
    const int at = limpet_pressure_add_point(surface, &point);
    if (at >= 0 && surface->workspace->query->polygons) outline(surface, facet, k, at);
  }
}

// Triangle i, j of the n^2 that a facet is cut into; head: the one that stands on its head.
static limpet_pressure_facet part_of(const limpet_pressure_facet *facet, int n, int i, int j,
                                     bool head) {
  limpet_pressure_facet part = *facet;
  const int at[2][3][2] = {{{i, j}, {i + 1, j}, {i, j + 1}},
                           {{i + 1, j + 1}, {i, j + 1}, {i + 1, j}}};
  for (int k = 0; k < 3; ++k)
    for (int e = 0; e < 3; ++e)
      part.corner[k][e] = facet->corner[0][e] +
                          at[head][k][0] * (facet->corner[1][e] - facet->corner[0][e]) / n +
                          at[head][k][1] * (facet->corner[2][e] - facet->corner[0][e]) / n;
  part.feature = facet->feature + (uint64_t)(3 * (2 * (n * i + j) + head) + 128 * n);
  return part;
}

bool limpet_pressure_facet_add(limpet_pressure_surface *surface, const limpet_pressure_facet *facet,
                               const double whole[2], double length, double allowed) {
  const double gap = gap_of(facet, whole[1], length);
  int n = 1;
  while (n < most_parts && gap > allowed * n * n * n) ++n;
  if (gap > allowed * n * n * n) return false;
  if (n == 1) {
    surface->error += gap;
    add_points(surface, facet);
    return true;
  }
  for (int i = 0; i < n; ++i)
    for (int j = 0; i + j < n; ++j)
      for (int head = 0; head < 2 && i + j + head < n; ++head) {
        const limpet_pressure_facet part = part_of(facet, n, i, j, head);
        surface->error += gap_of(&part, whole[1], length);
        add_points(surface, &part);
      }
  return true;
}
