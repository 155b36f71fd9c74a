/* collide/soft_corners.c: corners of a rigid geom that look into triangles of a deformable body.
 *
 * Corners c are those of a box or hull, the ends of a capsule, and of other shapes the point that
 * is farthest against the triangle's normal m. A corner whose foot p on the triangle is within it
 * is a contact:
 *   distance m . (c - p), normal of the geom -m, at p
 * A corner behind the triangle counts only where the geom covers p, so the far side of a thin body
 * is not pulled in, and no deeper than an edge of the surface is long: where a geom is that deep,
 * vertices are inside, too, while behind the far side of a body lie all the corners of a long geom.
 * Where p is beside the geom, by the slant of its sides, the geom has to reach into the triangle:
 * a corner beyond the plane of a triangle that hangs down beside the geom is not behind it.
 * Cost: a box for each triangle, corners of the geom times triangles in its box. */
#include <math.h>

#include "collide/soft_gap.h"
#include "collide/soft_surface.h"
#include "limpet/distance.h"
#include "math/extremes.h"
#include "math/vec3.h"

// [-]  of the depth: a corner's own foot is at its sides, at most by the slant of these; behind the
// far side of a thin body the geom is as far away as the corner is deep
static const double uncovered = 0.5;
static const double beside_share = 1e-3;  // [-]  of the depth: a triangle that far off is not met
enum { GAP_ROUNDS = 16 };                 // of soft_gap.c; what they do not tell is met
enum { FACE_FEATURE_BIT = 60, CORNER_SHIFT = 32, MOST_CORNERS = 64 };

typedef struct triangle {
  const double *x[3];  // [m]
  double normal[3];    // outwards
  double edge[2][3];   // [m]  from x[0]
} triangle;

// False: it has no area.
static bool triangle_of(const limpet_data *data, const int *face, triangle *t) {
  for (int k = 0; k < 3; ++k) t->x[k] = data->vertex_position + 3 * face[k];
  limpet_vec3_sub(t->edge[0], t->x[1], t->x[0]);
  limpet_vec3_sub(t->edge[1], t->x[2], t->x[0]);
  limpet_vec3_cross(t->normal, t->edge[0], t->edge[1]);
  const double size = limpet_vec3_norm(t->normal);
  if (!(size > 0.0)) return false;
  limpet_vec3_scale(t->normal, 1.0 / size, t->normal);
  return true;
}

// Whether the box of a triangle, grown by `most`, meets the geom's.
static bool meets(const triangle *t, const limpet_soft_against *against) {
  for (int k = 0; k < 3; ++k) {
    const double a = t->x[0][k], b = t->x[1][k], c = t->x[2][k];
    if (limpet_max(a, limpet_max(b, c)) < against->low[k] - against->most ||
        limpet_min(a, limpet_min(b, c)) > against->high[k] + against->most)
      return false;
  }
  return true;
}

// Weights of the corners of a triangle at the foot of a point; false: it is not within.
static bool foot(const triangle *t, const double arm[3], double b[3]) {
  const double a = limpet_vec3_dot(t->edge[0], t->edge[0]),
               c = limpet_vec3_dot(t->edge[0], t->edge[1]),
               f = limpet_vec3_dot(t->edge[1], t->edge[1]);
  const double r = limpet_vec3_dot(arm, t->edge[0]), s = limpet_vec3_dot(arm, t->edge[1]);
  const double determinant = a * f - c * c;
  b[1] = (f * r - c * s) / determinant;
  b[2] = (a * s - c * r) / determinant;
  b[0] = 1.0 - b[1] - b[2];
  return b[0] >= 0.0 && b[1] >= 0.0 && b[2] >= 0.0;
}

// Of a shell the side that the middle of the geom is on.
static void turn_to(const limpet_soft_against *against, triangle *t) {
  double side = 0.0;
  for (int k = 0; k < 3; ++k)
    side += t->normal[k] * (0.5 * (against->low[k] + against->high[k]) - t->x[0][k]);
  if (side < 0.0) limpet_vec3_neg(t->normal, t->normal);
}

// Whether a triangle lies beside the geom.
static bool is_beside(const limpet_soft_search *search, const limpet_soft_against *against,
                      const int *face, const limpet_soft_point *point) {
  int vertex[3] = {face[0], face[1], face[2]};
  const limpet_soft_surface surface = {.vertex_count = 3, .vertex = vertex};
  const limpet_gap_hull of_face = {.surface = &surface, .x = search->data->vertex_position},
                        geom = {.shape = against->shape};
  double way[3], n[3];
  limpet_vec3_sub(way, against->shape.position, point->x);
  const double enough = -beside_share * point->phi;
  return limpet_hull_gap(&of_face, &geom, way, enough, GAP_ROUNDS, n) > enough;
}

static void try_corner(limpet_soft_search *search, const limpet_soft_against *against,
                       const triangle *t, const double corner[3], limpet_soft_point *point) {
  double arm[3], phi;
  limpet_vec3_sub(arm, corner, t->x[0]);
  point->phi = limpet_vec3_dot(t->normal, arm);
  if (!(point->phi < against->most) || point->phi < -search->surfaces->surface[against->d].edge ||
      !foot(t, arm, point->weight))
    return;
  limpet_vec3_addmul(point->x, corner, -point->phi, t->normal);
  limpet_signed_distance(&against->shape, point->x, 1, &phi, NULL);
  if (point->phi < 0.0 && (phi > uncovered * -point->phi ||
                           (phi > 0.0 && is_beside(search, against, point->vertex, point))))
    return;
  limpet_vec3_scale(point->normal, -1.0, t->normal);
  limpet_soft_take(search, against, point);
}

static void to_world(const limpet_shape *shape, const double local[3], double corner[3]) {
  limpet_mat3_mul_vec(corner, shape->rotation, local);
  limpet_vec3_add(corner, corner, shape->position);
}

// Corners that are the same for all triangles. Returns how many; 0: they depend on the triangle.
static int fixed_corners(const limpet_shape *shape, double corner[][3]) {
  if (shape->kind == LIMPET_SHAPE_BOX) {
    for (int i = 0; i < 8; ++i) {
      const double local[3] = {i & 1 ? shape->size[0] : -shape->size[0],
                               i & 2 ? shape->size[1] : -shape->size[1],
                               i & 4 ? shape->size[2] : -shape->size[2]};
      to_world(shape, local, corner[i]);
    }
    return 8;
  }
  if (shape->kind != LIMPET_SHAPE_MESH || shape->hull->vertex_count > MOST_CORNERS) return 0;
  for (int i = 0; i < shape->hull->vertex_count; ++i)
    to_world(shape, shape->hull->vertices + 3 * i, corner[i]);
  return shape->hull->vertex_count;
}

// Corners of a curved shape, or of a hull with many, against the normal of a triangle.
static int corners_against(const limpet_shape *shape, const double normal[3], double corner[][3]) {
  if (shape->kind != LIMPET_SHAPE_CAPSULE) {
    double towards[3];
    limpet_vec3_scale(towards, -1.0, normal);
    limpet_shape_support(corner[0], shape, towards);
    return 1;
  }
  for (int i = 0; i < 2; ++i) {
    const double local[3] = {0.0, 0.0, i == 0 ? shape->size[1] : -shape->size[1]};
    to_world(shape, local, corner[i]);
    limpet_vec3_addmul(corner[i], corner[i], -shape->size[0], normal);
  }
  return 2;
}

void limpet_soft_corners(limpet_soft_search *search, const limpet_soft_against *against) {
  const limpet_soft_surface *surface = &search->surfaces->surface[against->d];
  double corner[MOST_CORNERS][3];
  const int fixed = fixed_corners(&against->shape, corner);
  for (int f = 0; f < surface->face_count && !search->failed; ++f) {
    triangle t;
    const int *face = surface->face + 3 * f;
    if (!triangle_of(search->data, face, &t) || !meets(&t, against)) continue;
    if (surface->two_sided) turn_to(against, &t);
    const int count = fixed ? fixed : corners_against(&against->shape, t.normal, corner);
    for (int i = 0; i < count && !search->failed; ++i) {
      limpet_soft_point point = {
          .feature = (uint64_t)1 << FACE_FEATURE_BIT | (uint64_t)i << CORNER_SHIFT | (uint64_t)f,
          .count = 3,
          .vertex = face};
      try_corner(search, against, &t, corner[i], &point);
    }
  }
}
