/* geometry/face.c: the feature of a shape that faces a direction.
 *
 *   box       the face of the largest |d_i|; corner c has bit i set where coordinate i is positive
 *   hull      the face with the largest n.d among those with a vertex in the support plane of d
 *   cylinder  |d_z| > 1/sqrt(2): its cap as a regular polygon in the cylinder's axes, the corner
 *             nearest to the deepest rim point moved there unless the cap is flat on d; else the
 *             segment of the side nearest to d
 *   capsule   its segment
 * Vertices have the numbers of the shape, so ids stay while the shapes move. A polygon of a hull
 * with more vertices than there is room is thinned evenly, keeping the support vertex. */
#include "geometry/face.h"

#include <assert.h>

#include "math/vec3.h"

enum { CAP_CORNERS = 8 };

// of the size: heights that count as equal when support vertices are sought
static const double level_tolerance = 1e-9;
// cosines closer than this are equal: the lower face number wins
static const double parallel_tolerance = 1e-9;
// sine of the tilt below which a cap keeps its regular corners
static const double flat_tolerance = 1e-6;

void limpet_box_face(limpet_face *face, const double size[3], const double direction[3]) {
  int i = 0;
  if (fabs(direction[1]) > fabs(direction[i]) + parallel_tolerance) i = 1;
  if (fabs(direction[2]) > fabs(direction[i]) + parallel_tolerance) i = 2;
  const bool positive = direction[i] >= 0.0;
  const int j = positive ? (i + 1) % 3 : (i + 2) % 3, k = positive ? (i + 2) % 3 : (i + 1) % 3;
  limpet_vec3_zero(face->normal);
  face->normal[i] = positive ? 1.0 : -1.0;
  face->number = 2 * i + positive;
  face->count = 4;
  for (int c = 0; c < 4; ++c) {
    const bool plus_j = c == 1 || c == 2, plus_k = c >= 2;
    face->point[c][i] = positive ? size[i] : -size[i];
    face->point[c][j] = plus_j ? size[j] : -size[j];
    face->point[c][k] = plus_k ? size[k] : -size[k];
    face->id[c] = (positive << i) | (plus_j << j) | (plus_k << k);
  }
}

enum {
  LEVEL_CAPACITY = 32
};  // vertices in the support plane that are looked at; on a larger face the first ones see it too

/* The face with the largest n.d among those around the vertices in the support plane, which are
 * gathered over edges from the support vertex; of equals the one with the lowest number. */
static int hull_face_best(const limpet_hull *hull, int top, const double direction[3],
                          double level) {
  int vertex[LEVEL_CAPACITY] = {top}, count = 1, best = -1;
  double best_cosine = -2.0;
  for (int i = 0; i < count; ++i) {
    for (int k = hull->vertex_face_begin[vertex[i]]; k < hull->vertex_face_begin[vertex[i] + 1];
         ++k) {
      const int f = hull->vertex_face[k];
      const double cosine = limpet_vec3_dot(direction, hull->face_plane + 4 * f);
      if (cosine > best_cosine + parallel_tolerance ||
          (cosine > best_cosine - parallel_tolerance && f < best))
        best = f, best_cosine = cosine;
    }
    for (int k = hull->neighbour_begin[vertex[i]];
         k < hull->neighbour_begin[vertex[i] + 1] && count < LEVEL_CAPACITY; ++k) {
      const int next = hull->neighbour[k];
      if (limpet_vec3_dot(direction, hull->vertices + 3 * next) < level) continue;
      bool known = false;
      for (int m = 0; m < count && !known; ++m) known = vertex[m] == next;
      if (!known) vertex[count++] = next;
    }
  }
  return best;
}

// A face of the hull; thinned if it has too many vertices, keeping vertex `top`.
static void hull_polygon(limpet_face *face, const limpet_hull *hull, int number, int top) {
  const int begin = hull->face_begin[number], count = hull->face_begin[number + 1] - begin;
  face->number = number;
  face->count = count < LIMPET_FACE_CAPACITY ? count : LIMPET_FACE_CAPACITY;
  limpet_vec3_copy(face->normal, hull->face_plane + 4 * number);
  int first = 0;
  for (int k = 0; k < count; ++k)
    if (count > LIMPET_FACE_CAPACITY && hull->face_vertex[begin + k] == top) first = k;
  for (int k = 0; k < face->count; ++k) {
    face->id[k] = hull->face_vertex[begin + (first + k * count / face->count) % count];
    limpet_vec3_copy(face->point[k], hull->vertices + 3 * face->id[k]);
  }
}

static void hull_face(limpet_face *face, const limpet_hull *hull, const double direction[3]) {
  // the height of the support plane, and heights that count as the same
  const int top = limpet_hull_support(hull, direction);
  const double *top_point = hull->vertices + 3 * top;
  const double level = limpet_vec3_dot(direction, top_point) -
                       level_tolerance * limpet_vec3_distance(top_point, hull->centre);
  const int best = hull_face_best(hull, top, direction, level);
  face->count = 0;
  if (best < 0) return;

  hull_polygon(face, hull, best, top);
}

static void cylinder_cap(limpet_face *face, const double size[3], const double direction[3]) {
  const double tilt = sqrt(direction[0] * direction[0] + direction[1] * direction[1]);
  const double angle = atan2(direction[1], direction[0]), step = 2.0 * LIMPET_PI / CAP_CORNERS;
  const bool positive = direction[2] >= 0.0;
  const int nearest = ((int)floor(angle / step + 0.5) + CAP_CORNERS) % CAP_CORNERS;
  static const double cosine[CAP_CORNERS] = {
      1.0,  0.70710678118654752440,  0.0, -0.70710678118654752440,
      -1.0, -0.70710678118654752440, 0.0, 0.70710678118654752440};
  face->count = CAP_CORNERS;
  face->number = positive;
  limpet_vec3_set(face->normal, 0.0, 0.0, positive ? 1.0 : -1.0);
  for (int k = 0; k < CAP_CORNERS; ++k) {
    const int corner = positive ? k : CAP_CORNERS - 1 - k;
    double x = cosine[corner], y = cosine[(corner + 6) % CAP_CORNERS];
    if (corner == nearest && tilt > flat_tolerance)
      x = direction[0] / tilt, y = direction[1] / tilt;
    limpet_vec3_set(face->point[k], size[0] * x, size[0] * y, positive ? size[1] : -size[1]);
    face->id[k] = corner + (positive ? CAP_CORNERS : 0);
  }
}

static void cylinder_side(limpet_face *face, const double size[3], const double direction[3]) {
  const double scale = size[0] / sqrt(direction[0] * direction[0] + direction[1] * direction[1]);
  face->count = 2;
  for (int k = 0; k < 2; ++k) {
    limpet_vec3_set(face->point[k], scale * direction[0], scale * direction[1],
                    k == 0 ? -size[1] : size[1]);
    face->id[k] = 2 * CAP_CORNERS + k;
  }
}

static void capsule_segment(limpet_face *face, const double size[3]) {
  face->count = 2;
  for (int k = 0; k < 2; ++k) {
    limpet_vec3_set(face->point[k], 0.0, 0.0, k == 0 ? -size[1] : size[1]);
    face->id[k] = k;
  }
}

void limpet_shape_face(limpet_face *face, const limpet_shape *shape, const double direction[3]) {
  const double *d = direction;
  face->number = -1;
  switch (shape->kind) {
    case LIMPET_SHAPE_CAPSULE: capsule_segment(face, shape->size); break;
    case LIMPET_SHAPE_CYLINDER:
      if (d[2] * d[2] > d[0] * d[0] + d[1] * d[1]) cylinder_cap(face, shape->size, d);
      else cylinder_side(face, shape->size, d);
      break;
    case LIMPET_SHAPE_BOX: limpet_box_face(face, shape->size, d); break;
    case LIMPET_SHAPE_MESH: hull_face(face, shape->hull, d); break;
    default: face->count = 0; break;
  }
}

bool limpet_shape_face_numbered(limpet_face *face, const limpet_shape *shape, int number) {
  double d[3] = {0.0, 0.0, 0.0};
  if (number < 0) return false;
  switch (shape->kind) {
    case LIMPET_SHAPE_BOX:
      d[number / 2] = number % 2 ? 1.0 : -1.0;
      limpet_box_face(face, shape->size, d);
      return true;
    case LIMPET_SHAPE_CYLINDER:
      d[2] = number ? 1.0 : -1.0;
      cylinder_cap(face, shape->size, d);
      return true;
    case LIMPET_SHAPE_MESH:
      assert(number < shape->hull->face_count);
      hull_polygon(face, shape->hull, number, shape->hull->face_vertex[0]);
      return true;
    default: return false;
  }
}

void limpet_face_turn(limpet_face *face, const limpet_minkowski *pair) {
  double v[3];
  for (int i = 0; i < face->count; ++i) {
    limpet_mat3_mul_vec(v, pair->rotation, face->point[i]);
    limpet_vec3_add(face->point[i], v, pair->offset);
  }
  if (face->count < 3) return;
  limpet_vec3_copy(v, face->normal);
  limpet_mat3_mul_vec(face->normal, pair->rotation, v);
}
