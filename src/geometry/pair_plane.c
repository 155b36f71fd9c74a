/* geometry/pair_plane.c: contact of a half space with every other shape.
 *
 *   n = third axis of the plane, Q = R_B' n its direction in the axes of B;  height of a point x:
 *     (x - p_plane).n
 *   sphere 1 point | ellipsoid 1, its support along -n | capsule 2 ends
 *   box: the 4 corners of the face that looks most nearly down
 *   cylinder: 4 fixed rim points of the lower cap, of which the nearest to the deepest rim point
 *     moves there as soon as the cap
 *             is not flat on the plane, and the lowest rim point of the upper cap: 4 points
 *               standing, 2 lying
 *   hull: all vertices within the margin, thinned to 8
 * Features are the numbers of corners, ends and quadrants of the rim. A shape that is farther than
 * the margin costs one support height.
 *
 * One point instead (plane_deepest): the deepest; but a box, capsule or cylinder whose axis is
 * parallel or perpendicular to n to a cosine of 1e-7 (4.5e-4 rad) gives the centre of the face,
 * segment or line that lies flat, as Drake does (reference/drake.md, 5.7). */
#include <string.h>

#include "geometry/face.h"
#include "geometry/pair_list.h"
#include "math/vec3.h"

static const double parallel_tolerance = 1e-9;  // cosines closer than this are equal
// sine of the tilt below which a cap is flat on the plane
static const double flat_tolerance = 1e-6;
static const double standing_cosine = 1e-3;  // |Q_z| below which a cylinder lies
static const double drake_cosine = 1e-7;
static const double quadrant[4][2] = {{1.0, 0.0}, {0.0, 1.0}, {-1.0, 0.0}, {0.0, -1.0}};

// The plane as B sees it: normal n in the common frame and Q in B's axes, height of B's origin.
typedef struct plane_view {
  double normal[3], direction[3], height;
} plane_view;

static plane_view view_create(const limpet_shape *plane, const limpet_shape *b) {
  plane_view view;
  double offset[3];
  limpet_vec3_set(view.normal, plane->rotation[2], plane->rotation[5], plane->rotation[8]);
  limpet_vec3_sub(offset, b->position, plane->position);
  view.height = limpet_vec3_dot(offset, view.normal);
  limpet_mat3_tmul_vec(view.direction, b->rotation, view.normal);
  return view;
}

// Appends the point `local` of B (its own axes) if it is within the margin.
static void add_local(limpet_manifold *manifold, const plane_view *view, const limpet_shape *b,
                      const double local[3], double radius, double margin, uint32_t feature) {
  const double height = view->height + limpet_vec3_dot(view->direction, local) - radius;
  if (!limpet_within_margin(height, margin)) return;
  double on_plane[3], on_b[3];
  limpet_mat3_mul_vec(on_b, b->rotation, local);
  limpet_vec3_add(on_b, on_b, b->position);
  limpet_vec3_addmul(on_b, on_b, -radius, view->normal);
  limpet_vec3_addmul(on_plane, on_b, -height, view->normal);
  limpet_manifold_add(manifold, on_plane, on_b, view->normal, height, feature);
}

static void plane_sphere(limpet_manifold *manifold, const limpet_shape *a, const limpet_shape *b,
                         double margin) {
  static const double centre[3] = {0.0, 0.0, 0.0};
  const plane_view view = view_create(a, b);
  manifold->count = 0;
  add_local(manifold, &view, b, centre, b->size[0], margin, 0);
}

static void plane_capsule(limpet_manifold *manifold, const limpet_shape *a, const limpet_shape *b,
                          double margin) {
  const plane_view view = view_create(a, b);
  manifold->count = 0;
  for (uint32_t k = 0; k < 2; ++k) {
    const double end[3] = {0.0, 0.0, k == 0 ? -b->size[1] : b->size[1]};
    add_local(manifold, &view, b, end, b->size[0], margin, k);
  }
}

static void plane_ellipsoid(limpet_manifold *manifold, const limpet_shape *a, const limpet_shape *b,
                            double margin) {
  const plane_view view = view_create(a, b);
  double down[3], deepest[3];
  manifold->count = 0;
  limpet_vec3_neg(down, view.direction);
  limpet_core_support[LIMPET_SHAPE_ELLIPSOID](deepest, b, down);
  add_local(manifold, &view, b, deepest, limpet_core_radius(b), margin, 0);
}

static void plane_box(limpet_manifold *manifold, const limpet_shape *a, const limpet_shape *b,
                      double margin) {
  const plane_view view = view_create(a, b);
  const double *q = view.direction, *h = b->size;
  const double lift[3] = {q[0] * h[0], q[1] * h[1], q[2] * h[2]};
  manifold->count = 0;
  if (!limpet_within_margin(view.height - fabs(lift[0]) - fabs(lift[1]) - fabs(lift[2]), margin))
    return;

  // the face that looks down, i: its axis; then its corners
  int i = 0;
  if (fabs(q[1]) > fabs(q[i]) + parallel_tolerance) i = 1;
  if (fabs(q[2]) > fabs(q[i]) + parallel_tolerance) i = 2;
  const int j = (i + 1) % 3, k = (i + 2) % 3, side = q[i] < 0.0;
  for (int c = 0; c < 4; ++c) {
    double corner[3];
    corner[i] = side ? h[i] : -h[i];
    corner[j] = c & 1 ? h[j] : -h[j];
    corner[k] = c & 2 ? h[k] : -h[k];
    add_local(manifold, &view, b, corner, 0.0, margin,
              (uint32_t)(side << i | (c & 1) << j | (c >> 1) << k));
  }
}

// Direction from the axis to the lowest rim points, and the quadrant that it lies in.
static int lowest_rim(double rim[2], const double q[3], double tilt) {
  int nearest = 0;
  for (int k = 1; k < 4; ++k)
    if (-q[0] * quadrant[k][0] - q[1] * quadrant[k][1] >
        -q[0] * quadrant[nearest][0] - q[1] * quadrant[nearest][1])
      nearest = k;
  rim[0] = tilt > flat_tolerance ? -q[0] / tilt : quadrant[nearest][0];
  rim[1] = tilt > flat_tolerance ? -q[1] / tilt : quadrant[nearest][1];
  return nearest;
}

static void plane_cylinder(limpet_manifold *manifold, const limpet_shape *a, const limpet_shape *b,
                           double margin) {
  const plane_view view = view_create(a, b);
  const double *q = view.direction, radius = b->size[0], half = b->size[1],
               tilt = sqrt(q[0] * q[0] + q[1] * q[1]);
  manifold->count = 0;
  if (!limpet_within_margin(view.height - half * fabs(q[2]) - radius * tilt, margin)) return;
  double rim[2];
  const int nearest = lowest_rim(rim, q, tilt), lower = q[2] <= 0.0;
  for (int cap = 0; cap < 2; ++cap)
    for (int k = 0; k < 4; ++k) {
      if (k != nearest && (cap != lower || fabs(q[2]) < standing_cosine)) continue;
      const double *u = k == nearest ? rim : quadrant[k];
      const double point[3] = {radius * u[0], radius * u[1], cap == 0 ? -half : half};
      add_local(manifold, &view, b, point, 0.0, margin, (uint32_t)(4 * cap + k));
    }
}

/* Vertices of a hull within the margin, in the order of their numbers. Those below a plane are one
 * piece of the graph of edges, so they are gathered over edges from the deepest; where they are
 * many, or the hull is large, all vertices are looked at. */
enum { GATHER_VERTICES = 8192, GATHER_LIMIT = 256, WORD = 64 };

typedef struct hull_vertices {
  const limpet_hull *hull;
  const plane_view *view;
  double margin;
  bool gathered;                          // in `bits`
  uint64_t bits[GATHER_VERTICES / WORD];  // a bit for each vertex
} hull_vertices;

static double height_of(const hull_vertices *set, int vertex) {
  return set->view->height +
         limpet_vec3_dot(set->view->direction, set->hull->vertices + 3 * vertex);
}

// Adds a vertex within the margin that is not yet in; whether it was added.
static bool vertex_add(hull_vertices *set, int vertex) {
  uint64_t *word = &set->bits[vertex / WORD];
  const uint64_t bit = (uint64_t)1 << (vertex % WORD);
  if ((*word & bit) || !limpet_within_margin(height_of(set, vertex), set->margin)) return false;
  *word |= bit;
  return true;
}

// False: there are more than are worth it.
static bool vertices_gather(hull_vertices *set, int deepest) {
  const limpet_hull *hull = set->hull;
  int queue[GATHER_LIMIT], count = 0;
  if (hull->vertex_count > GATHER_VERTICES) return false;
  memset(set->bits, 0, ((size_t)hull->vertex_count + WORD - 1) / WORD * sizeof *set->bits);
  vertex_add(set, deepest);
  queue[count++] = deepest;
  for (int i = 0; i < count; ++i)
    for (int k = hull->neighbour_begin[queue[i]]; k < hull->neighbour_begin[queue[i] + 1]; ++k) {
      if (!vertex_add(set, hull->neighbour[k])) continue;
      if (count == GATHER_LIMIT) return false;
      queue[count++] = hull->neighbour[k];
    }
  return true;
}

// The first vertex of the set from `vertex` on; the number of vertices: none.
static int next_vertex(const hull_vertices *set, int vertex) {
  const int count = set->hull->vertex_count;
  if (!set->gathered) {
    while (vertex < count && !limpet_within_margin(height_of(set, vertex), set->margin)) ++vertex;
    return vertex;
  }
  while (vertex < count) {
    const uint64_t rest = set->bits[vertex / WORD] >> (vertex % WORD);
    if (rest) return vertex + __builtin_ctzll(rest);
    vertex += WORD - vertex % WORD;
  }
  return count;
}

static void plane_hull(limpet_manifold *manifold, const limpet_shape *a, const limpet_shape *b,
                       double margin) {
  const plane_view view = view_create(a, b);
  const limpet_hull *hull = b->hull;
  double down[3];
  manifold->count = 0;
  limpet_vec3_neg(down, view.direction);
  const int deepest = limpet_hull_support(hull, down);
  hull_vertices set;
  set.hull = hull, set.view = &view, set.margin = margin;
  if (!limpet_within_margin(height_of(&set, deepest), margin)) return;
  set.gathered = vertices_gather(&set, deepest);

  // how many there are: if there is no room for all, every stride-th and the deepest
  int within = 0;
  for (int i = next_vertex(&set, 0); i < hull->vertex_count; i = next_vertex(&set, i + 1)) ++within;
  const int stride = 1 + within / (LIMPET_CANDIDATE_CAPACITY - 1);

  limpet_candidates candidates;
  candidates.count = 0;
  int seen = 0;
  for (int i = next_vertex(&set, 0); i < hull->vertex_count; i = next_vertex(&set, i + 1)) {
    if (seen++ % stride != 0 && i != deepest) continue;
    const double height = height_of(&set, i);
    const int k = candidates.count++;
    limpet_vec3_copy(candidates.on_b[k], hull->vertices + 3 * i);
    limpet_vec3_addmul(candidates.on_a[k], hull->vertices + 3 * i, -height, view.direction);
    candidates.distance[k] = height;
    candidates.feature[k] = (uint32_t)i;
  }
  limpet_manifold_fill(manifold, &candidates, b, view.direction, margin);
}

static void box_deepest(double point[3], const double q[3], const double h[3]) {
  for (int i = 0; i < 3; ++i)
    if (1.0 - fabs(q[i]) < drake_cosine) {
      limpet_vec3_zero(point);
      point[i] = q[i] > 0.0 ? -h[i] : h[i];
      return;
    }
  for (int i = 0; i < 3; ++i) point[i] = q[i] > 0.0 ? -h[i] : h[i];
}

static void capsule_deepest(double point[3], const double q[3], const double size[3]) {
  const double end = fabs(q[2]) < drake_cosine ? 0.0 : q[2] > 0.0 ? -size[1] : size[1];
  limpet_vec3_set(point, 0.0, 0.0, end);
}

static void cylinder_deepest(double point[3], const double q[3], const double size[3]) {
  const double tilt = sqrt(q[0] * q[0] + q[1] * q[1]);
  const double rim = 1.0 - fabs(q[2]) < drake_cosine ? 0.0 : size[0] / tilt;
  const double end = fabs(q[2]) < drake_cosine ? 0.0 : q[2] > 0.0 ? -size[1] : size[1];
  limpet_vec3_set(point, -rim * q[0], -rim * q[1], end);
}

/* Where Drake puts the contact of an ellipsoid: the middle of the two surface points lies on the
 * line from the centre to the deepest point, so both are moved from that point along the plane by
 * up to half the depth. */
static void ellipsoid_shift(limpet_contact_point *point, const double centre[3]) {
  double arm[3], along[3];
  limpet_vec3_sub(arm, point->on_b, centre);
  const double below = -limpet_vec3_dot(arm, point->normal);
  for (int i = 0; i < 3; ++i)
    along[i] = 0.5 * point->distance * (arm[i] / below + point->normal[i]);
  limpet_vec3_add(point->on_a, point->on_a, along);
  limpet_vec3_add(point->on_b, point->on_b, along);
}

static void plane_deepest(limpet_manifold *manifold, const limpet_shape *a, const limpet_shape *b,
                          double margin) {
  const plane_view view = view_create(a, b);
  double point[3], down[3];
  limpet_vec3_neg(down, view.direction);
  switch (b->kind) {
    case LIMPET_SHAPE_BOX: box_deepest(point, view.direction, b->size); break;
    case LIMPET_SHAPE_CAPSULE: capsule_deepest(point, view.direction, b->size); break;
    case LIMPET_SHAPE_CYLINDER: cylinder_deepest(point, view.direction, b->size); break;
    default: limpet_core_support[b->kind](point, b, down); break;
  }
  // a box is as deep as its lowest corner, also where the contact is put at the centre of the face
  // that lies flat
  double distance = view.height + limpet_vec3_dot(view.direction, point) - limpet_core_radius(b);
  if (b->kind == LIMPET_SHAPE_BOX) {
    distance = view.height;
    for (int i = 0; i < 3; ++i) distance -= fabs(view.direction[i]) * b->size[i];
  }
  manifold->count = 0;
  if (!limpet_within_margin(distance, margin)) return;
  add_local(manifold, &view, b, point, limpet_core_radius(b), INFINITY, 0);
  limpet_contact_point *contact = &manifold->point[0];
  contact->distance = distance;
  limpet_vec3_addmul(contact->on_a, contact->on_b, -distance, contact->normal);
  if (b->kind == LIMPET_SHAPE_ELLIPSOID) ellipsoid_shift(contact, b->position);
}

const limpet_shape_pair limpet_pair_plane_sphere = {LIMPET_SHAPE_PLANE,     LIMPET_SHAPE_SPHERE,
                                                    plane_sphere,           plane_deepest,
                                                    "closed form, 1 point", "elementary geometry"};
const limpet_shape_pair limpet_pair_plane_capsule = {
    LIMPET_SHAPE_PLANE, LIMPET_SHAPE_CAPSULE,      plane_capsule,
    plane_deepest,      "closed form, the 2 ends", "elementary geometry"};
const limpet_shape_pair limpet_pair_plane_ellipsoid = {
    LIMPET_SHAPE_PLANE, LIMPET_SHAPE_ELLIPSOID, plane_ellipsoid,
    plane_deepest,      "closed form, 1 point", "elementary geometry"};
const limpet_shape_pair limpet_pair_plane_cylinder = {
    LIMPET_SHAPE_PLANE,
    LIMPET_SHAPE_CYLINDER,
    plane_cylinder,
    plane_deepest,
    "closed form, up to 4 points of a rim, 2 of a side",
    "elementary geometry"};
const limpet_shape_pair limpet_pair_plane_box = {LIMPET_SHAPE_PLANE,
                                                 LIMPET_SHAPE_BOX,
                                                 plane_box,
                                                 plane_deepest,
                                                 "closed form, up to 4 corners",
                                                 "elementary geometry"};
const limpet_shape_pair limpet_pair_plane_mesh = {
    LIMPET_SHAPE_PLANE,
    LIMPET_SHAPE_MESH,
    plane_hull,
    plane_deepest,
    "vertices within the margin, up to 8 spread widest",
    "elementary geometry"};
