/* geometry/surface_distance.c: exact signed distance from a closed triangle mesh.
 *
 *   nearest point N of the surface to c: branch and bound over the tree of boxes, nearer box first
 *   sign: that of (c - N) . n, with n the normal of the face, edge or corner on which N lies; edge:
 *     sum of its two faces' normals, corner: sum weighted by the angles of the faces there
 *   phi = sign |c - N|,  gradient = (c - N)/phi, on the surface n/|n|
 * With these normals the sign is exact for a surface that is closed and does not cross itself,
 * however sharp its edges are, and it costs one product. The winding number needs a second pass
 * over the tree for each point, and its sign would change in mid air where a surface is open, at a
 * distance that is not zero: then phi is no distance any more. So open surfaces are refused, and
 * the winding number (over all faces) only decides where there are no normals: next to faces
 * without area.
 *
 * References: J. A. Baerentzen, H. Aanaes, Signed distance computation using the angle weighted
 * pseudonormal, IEEE TVCG 11(3), 2005; C. Ericson, Real-time collision detection (2005), 5.1.5
 * (nearest point of a triangle); A. van Oosterom, J. Strackee, The solid angle of a plane triangle,
 * IEEE TBME 30(2), 1983.
 * Cost: 0.7 us within 5 mm of a ball of 0.1 m and 5120 faces; 2.8 us anywhere, because at its
 * middle all faces are as near. No workspace. */
#include <assert.h>
#include <math.h>

#include "geometry/surface.h"
#include "math/vec3.h"

// of the size of the triangle: nearer than this the normal is the direction
static const double nearness = 1e-10;

enum { ON_FACE = 6 };  // 0..2: edge behind that corner, 3..5: corner

typedef struct nearest_point {
  double square;    // [m^2]
  double point[3];  // [m]
  int face, part;
} nearest_point;

/* Point of the triangle a b c that is nearest to p, and the part on which it lies; d1..d6 are
 * products with the sides from a, seen from a, b and c, and va, vb, vc the areas of the projection
 * opposite to the corners. */
static int triangle_nearest(double point[3], const double a[3], const double b[3],
                            const double c[3], const double p[3]) {
  double ab[3], ac[3], bc[3], ap[3], bp[3], cp[3];
  limpet_vec3_sub(ab, b, a), limpet_vec3_sub(ac, c, a), limpet_vec3_sub(ap, p, a);
  limpet_vec3_copy(point, a);
  const double d1 = limpet_vec3_dot(ab, ap), d2 = limpet_vec3_dot(ac, ap);
  if (d1 <= 0.0 && d2 <= 0.0) return 3;
  limpet_vec3_sub(bp, p, b);
  const double d3 = limpet_vec3_dot(ab, bp), d4 = limpet_vec3_dot(ac, bp);
  if (d3 >= 0.0 && d4 <= d3) return limpet_vec3_copy(point, b), 4;
  const double vc = d1 * d4 - d3 * d2;
  if (vc <= 0.0 && d1 >= 0.0 && d3 <= 0.0)
    return limpet_vec3_addmul(point, a, d1 / (d1 - d3), ab), 0;
  limpet_vec3_sub(cp, p, c);
  const double d5 = limpet_vec3_dot(ab, cp), d6 = limpet_vec3_dot(ac, cp);
  if (d6 >= 0.0 && d5 <= d6) return limpet_vec3_copy(point, c), 5;
  const double vb = d5 * d2 - d1 * d6;
  if (vb <= 0.0 && d2 >= 0.0 && d6 <= 0.0)
    return limpet_vec3_addmul(point, a, d2 / (d2 - d6), ac), 2;
  const double va = d3 * d6 - d5 * d4, up = d4 - d3, down = d5 - d6;
  limpet_vec3_sub(bc, c, b);
  if (va <= 0.0 && up >= 0.0 && down >= 0.0)
    return limpet_vec3_addmul(point, b, up / (up + down), bc), 1;
  limpet_vec3_addmul(point, a, vb / (va + vb + vc), ab);
  limpet_vec3_addmul(point, point, vc / (va + vb + vc), ac);
  return ON_FACE;
}

static void face_visit(nearest_point *best, const limpet_surface *s, int face, const double c[3]) {
  const int *corner = s->faces + 3 * face;
  double point[3], offset[3];
  const int part = triangle_nearest(point, s->vertices + 3 * corner[0], s->vertices + 3 * corner[1],
                                    s->vertices + 3 * corner[2], c);
  limpet_vec3_sub(offset, c, point);
  const double square = limpet_vec3_dot(offset, offset);
  if (!(square < best->square)) return;
  best->square = square, best->face = face, best->part = part;
  limpet_vec3_copy(best->point, point);
}

static double box_square(const limpet_surface_node *node, const double c[3]) {
  double square = 0.0;
  for (int i = 0; i < 3; ++i) {
    const double below = node->low[i] - c[i], above = c[i] - node->high[i];
    const double out = below > 0.0 ? below : above > 0.0 ? above : 0.0;
    square += out * out;
  }
  return square;
}

static void search(nearest_point *best, const limpet_surface *s, const double c[3]) {
  struct {
    int node;
    double square;
  } stack[LIMPET_SURFACE_DEPTH];
  int depth = 0, at = 0;
  double bound = box_square(s->node, c);
  for (;;) {
    const limpet_surface_node *node = &s->node[at];
    if (bound < best->square && node->count == 0) {
      // on to the nearer child, the other one waits
      int near = at + 1, far = node->next;
      double near_bound = box_square(&s->node[near], c), far_bound = box_square(&s->node[far], c);
      if (far_bound < near_bound) {
        const double spare = near_bound;
        near_bound = far_bound, far_bound = spare;
        far = near, near = node->next;
      }
      stack[depth].node = far, stack[depth++].square = far_bound;
      at = near, bound = near_bound;
      continue;
    }
    if (bound < best->square)
      for (int f = 0; f < node->count; ++f) face_visit(best, s, node->next + f, c);
    if (depth == 0) return;
    at = stack[--depth].node, bound = stack[depth].square;
  }
}

double limpet_surface_winding(const limpet_surface *surface, const double c[3]) {
  assert(surface && c);
  double sum = 0.0;
  for (int f = 0; f < surface->face_count; ++f) {
    double r[3][3], n[3], length[3];
    for (int k = 0; k < 3; ++k) {
      limpet_vec3_sub(r[k], surface->vertices + 3 * surface->faces[3 * f + k], c);
      length[k] = limpet_vec3_norm(r[k]);
    }
    limpet_vec3_cross(n, r[1], r[2]);
    const double over = limpet_vec3_dot(r[0], n);
    const double under =
        length[0] * length[1] * length[2] + limpet_vec3_dot(r[0], r[1]) * length[2] +
        limpet_vec3_dot(r[1], r[2]) * length[0] + limpet_vec3_dot(r[2], r[0]) * length[1];
    sum += 2.0 * atan2(over, under);
  }
  return sum / (4.0 * LIMPET_PI);
}

double limpet_surface_distance(double gradient[3], const limpet_surface *s, const double c[3]) {
  assert(s && c);
  nearest_point best = {.square = INFINITY};
  search(&best, s, c);
  const int corner = best.part % 3;
  const double *normal = best.part == ON_FACE ? s->face_normal + 3 * best.face
                         : best.part < 3      ? s->edge_normal + 9 * best.face + 3 * corner
                                         : s->vertex_normal + 3 * s->faces[3 * best.face + corner];
  double offset[3], unit[3];
  limpet_vec3_sub(offset, c, best.point);
  limpet_vec3_copy(unit, normal);
  limpet_vec3_normalize(unit);
  const bool doubtful = s->doubt[best.face] >> best.part & 1;
  if (best.part == ON_FACE && !doubtful) {  // the plane is more exact than the point on it
    limpet_vec3_copy(gradient, unit);
    limpet_vec3_sub(offset, c, s->vertices + 3 * s->faces[3 * best.face]);
    return limpet_vec3_dot(offset, unit);
  }
  const double distance = sqrt(best.square);
  bool inside = limpet_vec3_dot(offset, unit) < 0.0;
  if (doubtful && distance > 0.0) inside = limpet_surface_winding(s, c) > 0.5;
  const int *v = s->faces + 3 * best.face;
  if (!(distance > nearness * limpet_vec3_distance(s->vertices + 3 * v[0], s->vertices + 3 * v[1])))
    limpet_vec3_copy(gradient, unit);
  else limpet_vec3_scale(gradient, (inside ? -1.0 : 1.0) / distance, offset);
  return inside ? -distance : distance;
}
