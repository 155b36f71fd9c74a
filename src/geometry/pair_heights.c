/* geometry/pair_heights.c: contact of a convex shape X with a height field.
 *
 * Under the bounds of X each triangle of the surface with what is below it is a prism, a convex
 * hull, and the points of X and the prism are those of any two convex shapes (convex_contact.c).
 * What belongs to walls between prisms is no surface:
 *   - a point whose normal n (to X) does not look up is dropped, but at the border;
 *   - a point p on an edge that two triangles share is dropped where the surface of the neighbour,
 *     going away from the edge along d, comes nearer to X: n . d > 0.
 * Where that leaves a prism without a point although X is deep in it, the lowest point of X counts
 * against the plane of the triangle, if it lies under the triangle. Of equal points of neighbours
 * one is kept; of more than sixteen the outermost, the deepest and those that are spread widest.
 * Convex against convex is exact, so this is: for what overlaps less than the prisms are thick.
 * Cost: a convex contact for each triangle under the bounds that reaches up to X. */
#include <assert.h>
#include <float.h>
#include <stddef.h>

#include "geometry/face.h"
#include "geometry/pair_list.h"
#include "math/vec3.h"

enum {
  KEEP = 16,
  FULL = LIMPET_MANIFOLD_ROOM - LIMPET_MANIFOLD_POINTS,
  HULL_VERTICES = 6,
  LANES = 8
};

static const double on_edge = 1e-9;     // of the size of a cell: a point this near lies on the edge
static const double flat = 1e-9;        // sine of an angle that counts as none
static const double same_point = 1e-7;  // of the size of a cell: two points this near are one

/* Vertices 0 1 2 are the triangle, counter-clockwise from above, 3 4 5 below them. */
static const int face_begin[] = {0, 3, 6, 10, 14, 18};
static const int face_vertex[] = {0, 1, 2, 5, 4, 3, 0, 3, 4, 1, 1, 4, 5, 2, 2, 5, 3, 0};
static const int neighbour_begin[] = {0, 3, 6, 9, 12, 15, 18};
static const int neighbour[] = {1, 2, 3, 0, 2, 4, 0, 1, 5, 0, 4, 5, 1, 3, 5, 2, 3, 4};
static const int edge[] = {0, 1, 0, 2, 1, 2, 0, 3, 2, 0, 0, 4, 3, 4, 2, 1, 4, 5,
                           3, 1, 5, 3, 4, 1, 0, 3, 2, 4, 1, 4, 3, 2, 2, 5, 4, 3};
static const int vertex_face_begin[] = {0, 3, 6, 9, 12, 15, 18};
static const int vertex_face[] = {0, 2, 4, 0, 2, 3, 0, 3, 4, 1, 2, 4, 1, 2, 3, 1, 3, 4};
static const int start[LIMPET_HULL_DIRECTIONS];

typedef struct prism {
  double vertex[3 * HULL_VERTICES], soa[3 * LANES], plane[5][4];
  double beyond[3][3];  // corner across edge k (from vertex k to k + 1)
  bool border[3];       // nothing is across the edge
  limpet_hull hull;
} prism;

typedef struct terrain {
  const limpet_height_field *field;
  const limpet_shape *other;
  double position[3], rotation[9];  // of the field's frame
  double low[3], high[3];           // bounds of the other shape in that frame, margin included
  double margin, cell[2];           // [m]
  bool swapped;                     // the field is A
} terrain;

static void grid_vertex(double v[3], const limpet_height_field *field, int row, int column) {
  v[0] = field->half[0] * (2.0 * column / (field->columns - 1) - 1.0);
  v[1] = field->half[1] * (2.0 * row / (field->rows - 1) - 1.0);
  v[2] = field->height[row * field->columns + column];
}

static bool on_grid(const limpet_height_field *field, const int at[2]) {
  return at[0] >= 0 && at[0] < field->rows && at[1] >= 0 && at[1] < field->columns;
}

static void fill_plane(double plane[4], const double *v, int a, int b, int c) {
  double u[3], w[3];
  limpet_vec3_sub(u, v + 3 * b, v + 3 * a);
  limpet_vec3_sub(w, v + 3 * c, v + 3 * a);
  limpet_vec3_cross(plane, u, w);
  limpet_vec3_normalize(plane);
  plane[3] = limpet_vec3_dot(plane, v + 3 * a);
}

/* The prism under the triangle `upper` (0, 1) of a cell; its first corner is opposite to the
 * diagonal. */
static void make_prism(prism *p, const limpet_height_field *field, int row, int column, int upper) {
  // corners, and those across the edges: across the diagonal lies the cell's other triangle
  const int corner[2][3][2] = {{{0, 1}, {1, 1}, {0, 0}}, {{1, 0}, {0, 0}, {1, 1}}};
  const int across[2][3][2] = {{{1, 2}, {1, 0}, {-1, 0}}, {{0, -1}, {0, 1}, {2, 1}}};
  for (int k = 0; k < 3; ++k) {
    const int *c = corner[upper][k];
    const int far[2] = {row + across[upper][k][0], column + across[upper][k][1]};
    grid_vertex(p->vertex + 3 * k, field, row + c[0], column + c[1]);
    limpet_vec3_copy(p->vertex + 9 + 3 * k, p->vertex + 3 * k);
    p->vertex[9 + 3 * k + 2] = -field->base;
    p->border[k] = !on_grid(field, far);
    if (!p->border[k]) grid_vertex(p->beyond[k], field, far[0], far[1]);
  }
  for (int axis = 0; axis < 3; ++axis)
    for (int i = 0; i < LANES; ++i)
      p->soa[LANES * axis + i] = p->vertex[3 * (i < HULL_VERTICES ? i : 0) + axis];
  for (int f = 0; f < 5; ++f) {
    const int *v = face_vertex + face_begin[f];
    fill_plane(p->plane[f], p->vertex, v[0], v[1], v[2]);
  }
  p->hull = (limpet_hull){.vertex_count = HULL_VERTICES,
                          .face_count = 5,
                          .edge_count = 9,
                          .vertices = p->vertex,
                          .vertices_soa = p->soa,
                          .face_begin = face_begin,
                          .face_vertex = face_vertex,
                          .face_plane = p->plane[0],
                          .neighbour_begin = neighbour_begin,
                          .neighbour = neighbour,
                          .edge = edge,
                          .vertex_face_begin = vertex_face_begin,
                          .vertex_face = vertex_face,
                          .start = start};
  for (int i = 0; i < HULL_VERTICES; ++i) {
    const double *v = p->vertex + 3 * i;
    limpet_vec3_addmul(p->hull.centre, p->hull.centre, 1.0 / HULL_VERTICES, v);
    p->hull.radius = fmax(p->hull.radius, limpet_vec3_norm(v));
  }
}

// Whether a point of the prism with the normal n to X (both in the field's frame) is on a surface.
static bool is_surface(const terrain *t, const prism *p, const double point[3], const double n[3]) {
  const double near = on_edge * (t->cell[0] + t->cell[1]);
  bool at_border = false;
  for (int k = 0; k < 3; ++k) {
    const double *a = p->vertex + 3 * k, *b = p->vertex + 3 * ((k + 1) % 3);
    double along[3], in[3], d[3];
    limpet_vec3_sub(along, b, a);
    // distance from the wall over the edge, which is upright
    const double length = hypot(along[0], along[1]);
    const double from_wall = (along[0] * (point[1] - a[1]) - along[1] * (point[0] - a[0])) / length;
    if (from_wall > near) continue;
    if (p->border[k]) {
      at_border = true;
      continue;
    }
    limpet_vec3_normalize(along);
    limpet_vec3_sub(in, p->beyond[k], a);
    limpet_vec3_addmul(d, in, -limpet_vec3_dot(in, along), along);
    limpet_vec3_normalize(d);
    if (limpet_vec3_dot(n, d) > flat) return false;
  }
  return n[2] > flat || at_border;
}

// The lowest point of X against the plane of the triangle.
static void add_deepest(limpet_manifold *manifold, const terrain *t, const prism *p,
                        uint64_t feature) {
  const double *n = p->plane[0];
  double down[3], world[3], s[3], offset[3], on[3], normal[3];
  limpet_mat3_mul_vec(normal, t->rotation, n);
  limpet_vec3_neg(down, normal);
  limpet_shape_support(world, t->other, down);
  limpet_vec3_sub(offset, world, t->position);
  limpet_mat3_tmul_vec(s, t->rotation, offset);
  const double height = limpet_vec3_dot(n, s) - n[3];
  if (height >= 0.0) return;
  for (int k = 0; k < 3; ++k) {
    const double *a = p->vertex + 3 * k, *b = p->vertex + 3 * ((k + 1) % 3);
    // a point on an edge, up to round-off, lies under both triangles
    if ((b[0] - a[0]) * (s[1] - a[1]) - (b[1] - a[1]) * (s[0] - a[0]) <
        -on_edge * t->cell[0] * t->cell[1])
      return;
  }
  limpet_vec3_addmul(on, world, -height, normal);
  limpet_manifold_add(manifold, world, on, down, height, feature);
}

static uint64_t mixed(uint64_t feature, uint64_t triangle) {
  return feature ^ (triangle + 1) * UINT64_C(0x9E3779B97F4A7C15);
}

// Points of X (A) and one prism (B); they join the manifold.
static void meet_prism(limpet_manifold *manifold, const terrain *t, const prism *p,
                       uint64_t triangle) {
  static const double no_size[3] = {0.0, 0.0, 0.0};
  const limpet_shape shape = {.kind = LIMPET_SHAPE_MESH,
                              .size = no_size,
                              .position = t->position,
                              .rotation = t->rotation,
                              .hull = &p->hull};
  limpet_manifold found;
  limpet_manifold_create(&found, NULL);
  found.rest.face = -1;
  found.count = 0;
  limpet_convex_contact(&found, t->other, &shape, t->margin);
  int kept = 0;
  bool deep = false;
  for (int i = 0; i < found.count; ++i) {
    const limpet_contact_point *c = &found.point[i];
    double offset[3], point[3], n[3], up[3];
    limpet_vec3_sub(offset, c->on_b, t->position);
    limpet_mat3_tmul_vec(point, t->rotation, offset);
    limpet_vec3_neg(up, c->normal);
    limpet_mat3_tmul_vec(n, t->rotation, up);
    deep |= c->distance < 0.0;
    if (!is_surface(t, p, point, n)) continue;
    limpet_manifold_add(manifold, c->on_a, c->on_b, c->normal, c->distance,
                        mixed(c->feature, triangle));
    ++kept;
  }
  if (deep && kept == 0) add_deepest(manifold, t, p, mixed(0, triangle));
}

// Bounds of X in the frame of the field.
static void find_bounds(terrain *t) {
  for (int axis = 0; axis < 3; ++axis) {
    const double u[3] = {t->rotation[axis], t->rotation[3 + axis], t->rotation[6 + axis]};
    double back[3], high[3], low[3];
    limpet_vec3_neg(back, u);
    limpet_shape_support(high, t->other, u);
    limpet_shape_support(low, t->other, back);
    const double origin = limpet_vec3_dot(u, t->position);
    t->high[axis] = limpet_vec3_dot(u, high) - origin + t->margin;
    t->low[axis] = limpet_vec3_dot(u, low) - origin - t->margin;
  }
}

// Of points that neighbours share one stays: the one that comes first.
static void drop_doubles(limpet_manifold *manifold, double near) {
  int kept = 0;
  for (int i = 0; i < manifold->count; ++i) {
    const limpet_contact_point *p = &manifold->point[i];
    bool seen = false;
    for (int k = 0; k < kept && !seen; ++k)
      seen = limpet_vec3_distance(manifold->point[k].on_b, p->on_b) < near &&
             limpet_vec3_dot(manifold->point[k].normal, p->normal) > 1.0 - flat;
    if (!seen) manifold->point[kept++] = *p;
  }
  manifold->count = kept;
}

// Moves point `best` to place `chosen`; distance: of the others to those that are kept.
static void keep_point(limpet_manifold *manifold, double *distance, int chosen, int best) {
  const limpet_contact_point point = manifold->point[best];
  manifold->point[best] = manifold->point[chosen];
  manifold->point[chosen] = point;
  distance[best] = distance[chosen];
  for (int i = chosen + 1; i < manifold->count; ++i)
    distance[i] = fmin(distance[i], limpet_vec3_distance(point.on_b, manifold->point[i].on_b));
}

/* Keeps KEEP points: those that lie outermost along eight directions of the field's plane, which
 * whatever was thinned before cannot lose, the deepest one, and then always the one that is
 * farthest from those kept. */
static void thin(limpet_manifold *manifold, const terrain *t) {
  static const double direction[][2] = {{1, 1}, {1, -1}, {-1, 1}, {-1, -1},
                                        {1, 0}, {-1, 0}, {0, 1},  {0, -1}};
  double distance[LIMPET_MANIFOLD_ROOM];
  int chosen = 0, deepest = 0;
  for (int i = 0; i < manifold->count; ++i) distance[i] = INFINITY;
  for (size_t k = 0; k < sizeof direction / sizeof *direction; ++k) {
    int best = 0;
    double most = -INFINITY;
    for (int i = 0; i < manifold->count; ++i) {
      double p[3];
      limpet_mat3_tmul_vec(p, t->rotation, manifold->point[i].on_b);
      const double reach = direction[k][0] * p[0] + direction[k][1] * p[1];
      if (reach > most) most = reach, best = i;
    }
    if (best >= chosen) keep_point(manifold, distance, chosen++, best);
  }
  for (int i = 1; i < manifold->count; ++i)
    if (manifold->point[i].distance < manifold->point[deepest].distance) deepest = i;
  if (deepest >= chosen) keep_point(manifold, distance, chosen++, deepest);
  for (; chosen < KEEP; ++chosen) {
    int best = chosen;
    for (int i = chosen + 1; i < manifold->count; ++i)
      if (distance[i] > distance[best]) best = i;
    keep_point(manifold, distance, chosen, best);
  }
  manifold->count = KEEP;
}

// Leaves KEEP points at most, so that there is always room for those of a prism.
static void reduce(limpet_manifold *manifold, const terrain *t) {
  drop_doubles(manifold, same_point * (t->cell[0] + t->cell[1]));
  if (manifold->count > KEEP) thin(manifold, t);
}

// First and last cell under the bounds along one axis; false: none.
static bool cell_range(int range[2], double low, double high, double half, double cell, int count) {
  if (high < -half || low > half) return false;
  range[0] = (int)fmin(fmax(floor((low + half) / cell), 0.0), count - 1);
  range[1] = (int)fmin(fmax(floor((high + half) / cell), 0.0), count - 1);
  return true;
}

static void meet_cells(limpet_manifold *manifold, const terrain *t) {
  const limpet_height_field *field = t->field;
  int columns[2], rows[2];
  if (t->high[2] < -field->base || t->low[2] > field->highest ||
      !cell_range(columns, t->low[0], t->high[0], field->half[0], t->cell[0], field->columns - 1) ||
      !cell_range(rows, t->low[1], t->high[1], field->half[1], t->cell[1], field->rows - 1))
    return;
  for (int r = rows[0]; r <= rows[1]; ++r) {
    for (int c = columns[0]; c <= columns[1]; ++c) {
      for (int upper = 0; upper < 2; ++upper) {
        prism p;
        make_prism(&p, field, r, c, upper);
        if (fmax(p.vertex[2], fmax(p.vertex[5], p.vertex[8])) < t->low[2]) continue;
        const uint64_t cell = (uint64_t)r * (uint64_t)field->columns + (uint64_t)c;
        meet_prism(manifold, t, &p, 2 * cell + (uint64_t)upper);
        if (manifold->count > FULL) reduce(manifold, t);
      }
    }
  }
}

void limpet_heights_contact(limpet_manifold *manifold, const limpet_shape *a, const limpet_shape *b,
                            double margin) {
  assert(manifold && a && b && (a->heights || b->heights));
  manifold->count = 0;
  const bool swapped = a->heights != NULL;
  const limpet_shape *ground = swapped ? a : b, *other = swapped ? b : a;
  const bool convex = other->kind >= LIMPET_SHAPE_SPHERE && other->kind <= LIMPET_SHAPE_MESH;
  if (other->heights || !convex) return;
  terrain t = {.field = ground->heights, .other = other, .margin = margin, .swapped = swapped};
  limpet_mat3_mul_vec(t.position, ground->rotation, t.field->position);
  limpet_vec3_add(t.position, t.position, ground->position);
  limpet_mat3_mul(t.rotation, ground->rotation, t.field->rotation);
  t.cell[0] = 2.0 * t.field->half[0] / (t.field->columns - 1);
  t.cell[1] = 2.0 * t.field->half[1] / (t.field->rows - 1);
  find_bounds(&t);
  meet_cells(manifold, &t);
  reduce(manifold, &t);
  if (swapped) limpet_manifold_swap(manifold);
}
