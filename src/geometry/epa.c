/* geometry/epa.c: depth of two overlapping convex cores.
 *
 * EPA (van den Bergen, Proc. Game Developers Conference 2001) grows a polytope of support points of
 * A - B around the origin:
 *   f = the face whose plane is closest to the origin (distance d_f, outward normal n);  w =
 *     support(n)
 *   d_f is a lower bound of the depth and h = w.n, the depth along n, an upper one: stop when they
 *     agree
 *   else the faces that w sees are replaced by a fan from w to the edge of the hole
 *
 * Robustness: a face counts as seen also when w lies in its plane to round-off, so that w on the
 * line of an edge removes both its faces and no fan triangle is degenerate. Orientation comes from
 * the construction and not from the origin, which may lie on the boundary or, by round-off, just
 * outside: then d_f is negative and the result is the true small distance. Cores that are flat (two
 * segments) have depth 0 along the normal of their plane.
 *
 * Of curved cores (ellipsoids, cylinders) that are none of hulls the polytope shows only where the
 * least depths may be: Newton's method (depth_newton.c) finds those near the faces whose planes are
 * nearer than the best, across straight sides and on flat ellipsoids (depth_sides.c), and flat
 * faces are asked (depth_faces.c). Where it finds none as good as the polytope has, and for hulls
 * with curved cores, a finer polytope follows; then a flat face is the answer, or Newton's method
 * from the hull's vertex or edge of the best face, or depth_refine.c goes on. The best upper bound
 * seen is what is returned, so running out of room costs accuracy only. Cost: 5 to 15 steps for
 * hulls of tens of vertices, 10 to 30 for curved shapes. Workspace: about 25 kB of stack. */
#include "geometry/convex.h"
#include "geometry/depth_faces.h"
#include "geometry/depth_sides.h"
#include "math/vec3.h"

#include <assert.h>
#include <string.h>

enum {
  VERTEX_CAPACITY = 128,
  FACE_CAPACITY = 256,
  FACE_BLOCK = 8,
  START_LIMIT = 12,
  ROUGH_VERTICES = 32,
  CURVED_VERTICES = 48
};

static const double gap_tolerance = 1e-12;    // of the size of A - B: the depth is known to this
static const double curved_tolerance = 1e-5;  // the same for curved cores, before refinement
static const double rough_tolerance = 1e-4;   // before Newton's method
static const double rough_share = 3e-2;       // of the depth: likewise
static const double same_start = 0.99;        // cosine of normals that lead to the same least depth
// of the area: the projection of the origin counts as inside a face
static const double outside_tolerance = 1e-9;
static const double seen_tolerance = 1e-14;  // of the size: round-off of a plane's distance
static const double flat_tolerance = 1e-12;  // of the size: a difference thinner than this is flat

typedef struct epa_face {
  int vertex[3];     // counter-clockwise seen from outside
  int neighbour[3];  // across the edge from vertex k to vertex k + 1
  double normal[3];
} epa_face;

typedef struct epa_polytope {
  const limpet_minkowski *pair;
  int vertex_count, face_count, free_count;
  double size;  // largest |w|
  limpet_minkowski_point vertex[VERTEX_CAPACITY];
  epa_face face[FACE_CAPACITY];
  double distance[FACE_CAPACITY];  // [m]  of the faces' planes; of removed ones, up to the end of
                                   // the last block: INFINITY
  bool alive[FACE_CAPACITY];
  int free_face[FACE_CAPACITY];
} epa_polytope;

static void add_support(epa_polytope *p, const double direction[3]) {
  // the search goes on from where the last one ended
  limpet_minkowski_point *point = &p->vertex[p->vertex_count++];
  for (int i = 0; i < 2; ++i) point->vertex[i] = p->vertex_count > 1 ? point[-1].vertex[i] : -1;
  limpet_minkowski_support(point, p->pair, direction);
  p->size = fmax(p->size, limpet_vec3_norm(point->w));
}

// Returns -1 if the triangle has no area or there is no room.
static int add_face(epa_polytope *p, int i, int j, int k) {
  double ab[3], ac[3];
  if (p->free_count == 0 && p->face_count == FACE_CAPACITY) return -1;
  const int index = p->free_count > 0 ? p->free_face[--p->free_count] : p->face_count++;
  epa_face *face = &p->face[index];
  face->vertex[0] = i, face->vertex[1] = j, face->vertex[2] = k;
  limpet_vec3_sub(ab, p->vertex[j].w, p->vertex[i].w);
  limpet_vec3_sub(ac, p->vertex[k].w, p->vertex[i].w);
  limpet_vec3_cross(face->normal, ab, ac);
  const double area = limpet_vec3_normalize(face->normal);
  if (index % FACE_BLOCK == 0 && index == p->face_count - 1)
    for (int m = 1; m < FACE_BLOCK; ++m) p->distance[index + m] = INFINITY;
  p->distance[index] = limpet_vec3_dot(face->normal, p->vertex[i].w);
  p->alive[index] = true;
  return area > 0.0 ? index : -1;
}

static void remove_face(epa_polytope *p, int index) {
  p->alive[index] = false;
  p->distance[index] = INFINITY;
  p->free_face[p->free_count++] = index;
}

// Adds to two points a third, off their line; false if the difference is a segment.
static bool grow_to_triangle(epa_polytope *p) {
  double edge[3], side[3], d[3], off[3];
  limpet_vec3_sub(edge, p->vertex[1].w, p->vertex[0].w);
  limpet_vec3_normalize(edge);
  limpet_vec3_tangents(side, d, edge);
  for (int k = 0; k < 4; ++k) {
    double u[3];
    limpet_vec3_scale(u, k % 2 == 0 ? 1.0 : -1.0, k < 2 ? side : d);
    add_support(p, u);
    limpet_vec3_sub(off, p->vertex[2].w, p->vertex[0].w);
    limpet_vec3_addmul(off, off, -limpet_vec3_dot(off, edge), edge);
    if (limpet_vec3_norm(off) > flat_tolerance * p->size) return true;
    --p->vertex_count;
  }
  return false;
}

// Adds to one point a second; false if the difference is a point.
static bool grow_to_segment(epa_polytope *p) {
  for (int k = 0; k < 6; ++k) {
    double d[3] = {0.0, 0.0, 0.0};
    d[k / 2] = k % 2 == 0 ? 1.0 : -1.0;
    add_support(p, d);
    if (limpet_vec3_distance(p->vertex[1].w, p->vertex[0].w) > flat_tolerance * p->size)
      return true;
    --p->vertex_count;
  }
  return false;
}

// Adds to three points the fourth, on the side where the difference is thicker; false if it is
// flat. `normal` is the triangle's.
static bool grow_to_tetrahedron(epa_polytope *p, double normal[3]) {
  double ab[3], ac[3], height[2], opposite[3];
  limpet_vec3_sub(ab, p->vertex[1].w, p->vertex[0].w);
  limpet_vec3_sub(ac, p->vertex[2].w, p->vertex[0].w);
  limpet_vec3_cross(normal, ab, ac);
  limpet_vec3_normalize(normal);
  limpet_vec3_neg(opposite, normal);
  add_support(p, normal);
  add_support(p, opposite);
  for (int k = 0; k < 2; ++k) {
    double d[3];
    limpet_vec3_sub(d, p->vertex[3 + k].w, p->vertex[0].w);
    height[k] = fabs(limpet_vec3_dot(d, normal));
  }
  if (height[1] > height[0]) p->vertex[3] = p->vertex[4];
  p->vertex_count = 4;
  return fmax(height[0], height[1]) > flat_tolerance * p->size;
}

// Makes the first tetrahedron; false if the difference is flat, with a normal of it.
static bool polytope_create(epa_polytope *p, double normal[3], const limpet_minkowski *pair,
                            const limpet_simplex *simplex) {
  p->pair = pair, p->face_count = p->free_count = 0, p->size = 0.0;
  p->vertex_count = simplex->count;
  for (int i = 0; i < 4; ++i) {
    p->vertex[i] = simplex->point[i < simplex->count ? i : 0];
    p->size = fmax(p->size, limpet_vec3_norm(p->vertex[i].w));
  }
  double spare[3];
  limpet_vec3_set(normal, 1.0, 0.0, 0.0);
  if (p->vertex_count == 1 && !grow_to_segment(p)) return false;
  if (p->vertex_count == 2 && !grow_to_triangle(p)) {
    double edge[3];
    limpet_vec3_sub(edge, p->vertex[1].w, p->vertex[0].w);
    limpet_vec3_normalize(edge);
    limpet_vec3_tangents(normal, spare, edge);
    return false;
  }
  if (p->vertex_count == 3 && !grow_to_tetrahedron(p, normal)) return false;

  // corner 3 must lie below the triangle 0, 1, 2
  double ab[3], ac[3], ad[3];
  limpet_vec3_sub(ab, p->vertex[1].w, p->vertex[0].w);
  limpet_vec3_sub(ac, p->vertex[2].w, p->vertex[0].w);
  limpet_vec3_sub(ad, p->vertex[3].w, p->vertex[0].w);
  limpet_vec3_cross(spare, ab, ac);
  if (limpet_vec3_dot(spare, ad) > 0.0) {
    const limpet_minkowski_point swap = p->vertex[1];
    p->vertex[1] = p->vertex[2], p->vertex[2] = swap;
  }
  static const int corner[4][3] = {{0, 1, 2}, {0, 3, 1}, {1, 3, 2}, {2, 3, 0}};
  static const int neighbour[4][3] = {{1, 2, 3}, {3, 2, 0}, {1, 3, 0}, {2, 1, 0}};
  for (int f = 0; f < 4; ++f) {
    if (add_face(p, corner[f][0], corner[f][1], corner[f][2]) < 0) return false;
    memcpy(p->face[f].neighbour, neighbour[f], sizeof neighbour[f]);
  }
  return true;
}

/* Index of the least of the numbers, the first of equal ones, which go on to the end of the last
 * block; -1: none is below INFINITY. */
static int least_of(const double *x, int count) {
  double least = INFINITY;
  int block = -1;
  for (int i = 0; i < count; i += FACE_BLOCK) {
    double low[FACE_BLOCK / 2];
    for (int k = 0; k < FACE_BLOCK / 2; ++k) {
      const double *pair = x + i + 2 * k;
      low[k] = pair[1] < pair[0] ? pair[1] : pair[0];
    }
    const double even = low[1] < low[0] ? low[1] : low[0], odd = low[3] < low[2] ? low[3] : low[2];
    const double both = odd < even ? odd : even;
    if (both < least) least = both, block = i;
  }
  for (int k = 0; k < FACE_BLOCK && block >= 0; ++k)
    if (x[block + k] == least) return block + k;
  return -1;
}

static int closest_face(const epa_polytope *p) { return least_of(p->distance, p->face_count); }

static bool face_sees(const epa_polytope *p, int f, const double w[3]) {
  return limpet_vec3_dot(p->face[f].normal, w) > p->distance[f] - seen_tolerance * p->size;
}

/* Removes the faces that w sees, beginning at `start`, and lists the edge of the hole: for each the
 * face outside it and which of its edges it is. Returns the number of edges. */
static int make_hole(epa_polytope *p, int start, const double w[3], int outside[FACE_CAPACITY],
                     int edge[FACE_CAPACITY]) {
  int stack[FACE_CAPACITY], depth = 0, count = 0;
  int removed[FACE_CAPACITY], removed_count = 0;
  stack[depth++] = start;
  p->alive[start] = false;
  removed[removed_count++] = start;
  while (depth > 0) {
    const int f = stack[--depth];
    for (int k = 0; k < 3; ++k) {
      const int g = p->face[f].neighbour[k];
      if (p->alive[g] && face_sees(p, g, w)) {
        p->alive[g] = false;
        removed[removed_count++] = g;
        stack[depth++] = g;
      }
    }
  }

  // an edge between a removed face and one that stays
  for (int i = 0; i < removed_count; ++i)
    for (int k = 0; k < 3; ++k) {
      const int f = removed[i], g = p->face[f].neighbour[k];
      if (!p->alive[g]) continue;
      for (int m = 0; m < 3; ++m)
        if (p->face[g].neighbour[m] == f && p->face[g].vertex[m] == p->face[f].vertex[(k + 1) % 3])
          outside[count] = g, edge[count] = m;
      ++count;
    }
  for (int i = 0; i < removed_count; ++i) remove_face(p, removed[i]);
  return count;
}

// Closes the hole by a fan from the last vertex; false if the edge of the hole is not one simple
// loop, or a triangle has no area.
static bool close_hole(epa_polytope *p, int count, const int outside[FACE_CAPACITY],
                       const int edge[FACE_CAPACITY]) {
  int begins[VERTEX_CAPACITY], ends[VERTEX_CAPACITY],
      fan[FACE_CAPACITY];  // fan triangle whose outer edge begins, ends at a vertex
  const int w = p->vertex_count - 1;
  for (int i = 0; i < p->vertex_count; ++i) begins[i] = ends[i] = -1;
  for (int i = 0; i < count; ++i) {
    const epa_face *g = &p->face[outside[i]];
    const int from = g->vertex[(edge[i] + 1) % 3], to = g->vertex[edge[i]];
    fan[i] = add_face(p, from, to, w);
    if (fan[i] < 0 || begins[from] >= 0 || ends[to] >= 0) return false;
    begins[from] = fan[i], ends[to] = fan[i];
    p->face[fan[i]].neighbour[0] = outside[i];
    p->face[outside[i]].neighbour[edge[i]] = fan[i];
  }
  for (int i = 0; i < count; ++i) {
    epa_face *face = &p->face[fan[i]];
    face->neighbour[1] = begins[face->vertex[1]];
    face->neighbour[2] = ends[face->vertex[0]];
    if (face->neighbour[1] < 0 || face->neighbour[2] < 0) return false;
  }
  return count >= 3;
}

/* Witness points of the face's point that is closest to the origin, moved along the normal until
 * they are `depth` apart. Returns false if the projection of the origin is outside the face. */
static bool face_witness(double a[3], double b[3], const epa_polytope *p, const epa_face *face,
                         double depth) {
  double weight[3], c[3], sum = 0.0, least = 0.0, middle[3] = {0.0, 0.0, 0.0};
  for (int e = 0; e < 3; ++e) {
    limpet_vec3_cross(c, p->vertex[face->vertex[(e + 1) % 3]].w,
                      p->vertex[face->vertex[(e + 2) % 3]].w);
    weight[e] = limpet_vec3_dot(c, face->normal);
    least = fmin(least, weight[e]);
    weight[e] = fmax(0.0, weight[e]);
    sum += weight[e];
  }
  for (int e = 0; e < 3; ++e) {
    const limpet_minkowski_point *v = &p->vertex[face->vertex[e]];
    const double share = sum > 0.0 ? 0.5 * weight[e] / sum : 0.5 / 3.0;
    limpet_vec3_addmul(middle, middle, share, v->a);
    limpet_vec3_addmul(middle, middle, share, v->b);
  }
  limpet_vec3_addmul(a, middle, 0.5 * depth, face->normal);
  limpet_vec3_addmul(b, middle, -0.5 * depth, face->normal);
  return least >= -outside_tolerance * sum;
}

// A flat difference: depth 0, at the simplex' own point.
static void flat_witness(double a[3], double b[3], const limpet_simplex *simplex) {
  limpet_vec3_zero(a);
  limpet_vec3_zero(b);
  for (int i = 0; i < simplex->count; ++i) {
    const double share = simplex->count < 4 ? simplex->weight[i] : 0.25;
    limpet_vec3_addmul(a, a, share, simplex->point[i].a);
    limpet_vec3_addmul(b, b, share, simplex->point[i].b);
  }
}

// How far the polytope has grown.
typedef struct growth {
  double depth, gap;  // [m]  upper bound, and by how much it exceeds the lower one
  epa_face best;      // whose normal has that bound
  bool stuck;         // there is no room, or round-off broke the polytope
} growth;

// Until the bounds agree to `tolerance` of the size or `share` of the depth, or there are as many
// vertices.
static void grow(epa_polytope *p, double tolerance, double share, int vertices, growth *g) {
  while (!g->stuck && p->vertex_count < vertices) {
    const int f = closest_face(p);
    g->stuck = f < 0 || p->vertex_count == VERTEX_CAPACITY;
    if (g->stuck) break;
    const epa_face face = p->face[f];
    const double lower = p->distance[f];
    add_support(p, face.normal);
    const double *w = p->vertex[p->vertex_count - 1].w;

    // bounds of the depth: the face below, the support along its normal above
    const double upper = limpet_vec3_dot(face.normal, w);
    const double least = fmin(upper, g->depth);
    const bool done = least - lower <= fmax(tolerance * p->size, share * least);
    if (upper < g->depth || (done && upper <= g->depth + gap_tolerance * p->size))
      g->depth = upper, g->best = face;
    g->gap = g->depth - lower;
    if (done) break;

    int outside[FACE_CAPACITY], edge[FACE_CAPACITY];
    const int count = make_hole(p, f, w, outside, edge);
    g->stuck = !close_hole(p, count, outside, edge);
  }
}

// The depth near the best face: by Newton's method where a vertex or an edge of a hull decides.
static double refine(double normal[3], double a[3], double b[3], const epa_polytope *p,
                     const growth *g, double depth) {
  limpet_simplex corners = {.count = 3};
  for (int k = 0; k < 3; ++k) corners.point[k] = p->vertex[g->best.vertex[k]];
  const bool hull = p->pair->a->kind == LIMPET_SHAPE_MESH || p->pair->b->kind == LIMPET_SHAPE_MESH;
  double n[3], on_a[3], on_b[3], least;
  limpet_vec3_copy(n, normal);
  if (hull && (limpet_core_is_curved(p->pair->a) || limpet_core_is_curved(p->pair->b)) &&
      limpet_depth_newton_hull(n, on_a, on_b, &least, p->pair, &corners, p->size) &&
      least <= depth + gap_tolerance * p->size) {
    limpet_vec3_copy(normal, n);
    limpet_vec3_copy(a, on_a);
    limpet_vec3_copy(b, on_b);
    return least;
  }
  return limpet_depth_refine(normal, a, b, p->pair, &corners, depth, p->size);
}

// ------------------------------------------------------------------------------ curved cores

/* The least of the depths near the faces whose planes are nearer to the origin: those beyond the
 * best one cannot have a lower. Faces that face as one that was asked are passed over. */
static void least_near_faces(const epa_polytope *p, limpet_least_depth *least) {
  double distance[FACE_CAPACITY];
  const int rows = (p->face_count + FACE_BLOCK - 1) / FACE_BLOCK * FACE_BLOCK;
  memcpy(distance, p->distance, (size_t)rows * sizeof *distance);
  for (int count = 0; count < START_LIMIT; ++count) {
    const int next = least_of(distance, rows);
    if (next < 0 || distance[next] >= least->depth) return;
    const double *normal = p->face[next].normal;
    limpet_least_from(p->pair, p->size, normal, least);
    for (int f = 0; f < p->face_count; ++f)
      distance[f] =
          limpet_vec3_dot(normal, p->face[f].normal) > same_start ? INFINITY : distance[f];
    distance[next] = INFINITY;
  }
}

/* Depth of cores of which one is curved, once the polytope shows where it may be. False: it is not
 * found so. */
static bool curved_depth(double normal[3], double a[3], double b[3], double *depth,
                         const epa_polytope *p, const growth *g) {
  const double equal = gap_tolerance * p->size;
  limpet_face_depth face = {.depth = INFINITY};
  limpet_depth_at_faces(&face, p->pair);
  limpet_least_depth least = {.depth = face.depth, .normal = {0.0, 0.0, 0.0}};
  least_near_faces(p, &least);
  limpet_least_at_sides(p->pair, p->size, &least);
  if (least.depth > g->depth + equal) limpet_least_from(p->pair, p->size, g->best.normal, &least);
  if (least.depth > g->depth + equal) return false;
  const bool at_face = least.depth == face.depth;
  limpet_vec3_copy(normal, at_face ? face.normal : least.normal);
  *depth = least.depth;
  if (!at_face) {
    limpet_vec3_copy(a, least.a);
    limpet_vec3_copy(b, least.b);
  } else if (!limpet_depth_face_witness(a, b, p->pair, &face, equal)) {
    *depth = refine(normal, a, b, p, g, face.depth);
  }
  return true;
}

/* Depth of curved cores from the polytope's best face. A face of a hull or the cap of a cylinder
 * that is less deep is the answer; where it faces as the polytope's, no other is near. */
static double depth_or_face(double normal[3], double a[3], double b[3], const epa_polytope *p,
                            const growth *g) {
  const double equal = gap_tolerance * p->size;
  double on_a[3], on_b[3];
  limpet_face_depth face = {.depth = g->depth};
  const bool any = limpet_depth_at_faces(&face, p->pair),
             held = any && limpet_depth_face_witness(on_a, on_b, p->pair, &face, equal);
  double depth = g->depth;
  limpet_vec3_copy(normal, g->best.normal);
  if (!held || limpet_vec3_dot(face.normal, normal) < same_start) {
    const bool inside = face_witness(a, b, p, &g->best, depth);
    if (!inside || g->gap > equal) depth = refine(normal, a, b, p, g, depth);
    if (!any || face.depth > depth - equal) return depth;
  }
  limpet_vec3_copy(normal, face.normal);
  if (!held) return refine(normal, a, b, p, g, face.depth);
  limpet_vec3_copy(a, on_a);
  limpet_vec3_copy(b, on_b);
  return face.depth;
}

double limpet_epa(double normal[3], double a[3], double b[3], const limpet_minkowski *pair,
                  const limpet_simplex *simplex) {
  assert(normal && a && b && pair);
  epa_polytope polytope;
  epa_polytope *p = &polytope;
  if (!polytope_create(p, normal, pair, simplex)) {
    flat_witness(a, b, simplex);
    return 0.0;
  }

  const bool curved = limpet_core_is_curved(pair->a) || limpet_core_is_curved(pair->b);
  const bool newton =
      curved && pair->a->kind != LIMPET_SHAPE_MESH && pair->b->kind != LIMPET_SHAPE_MESH;
  growth g = {.depth = INFINITY, .best = p->face[0]};
  if (newton) {
    double depth;
    grow(p, rough_tolerance, rough_share, ROUGH_VERTICES, &g);
    if (curved_depth(normal, a, b, &depth, p, &g)) return depth;
  }
  grow(p, curved ? curved_tolerance : gap_tolerance, 0.0,
       curved ? CURVED_VERTICES : VERTEX_CAPACITY + 1, &g);
  if (curved) return depth_or_face(normal, a, b, p, &g);
  limpet_vec3_copy(normal, g.best.normal);
  if (face_witness(a, b, p, &g.best, g.depth)) return g.depth;
  return refine(normal, a, b, p, &g, g.depth);
}
