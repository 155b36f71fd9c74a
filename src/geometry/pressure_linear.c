/* geometry/pressure_linear.c: contact surfaces of piecewise linear fields.
 *
 * Two cells with p_A = a.x + alpha and p_B = b.x + beta meet in the plane D = p_A - p_B = 0, cut by
 * the planes of both and by p >= 0; a rigid face is cut by the planes of a cell and p >= 0. All in
 * the frame of A until its own planes have cut, then in that of B. In a tetrahedron D is known at
 * the vertices, the same bits for all tetrahedra around one, so that a plane through a shared face
 * is counted once. Where two cells have the same gradient there is no face.
 * Pairs come from a descent of both trees at once (boxes of B turned into the frame of A, tested
 * along the axes of both), always in the same order, or from the list of the query before
 * (pressure_memory.c). Tetrahedra with each other and with rigid faces: pressure_meet.c,
 * pressure_meet_face.c. Cost: 100 instructions for a pair of boxes, 50 to 1200 for a pair of cells.
 */
#include <math.h>

#include "geometry/pressure_meet.h"
#include "geometry/pressure_meet_face.h"
#include "geometry/pressure_memory.h"
#include "math/vec3.h"

static const double box_slack = 1e-9;         // [-]  of a body's size: nothing parts within it
static const double equal_gradients = 1e-12;  // [-]  difference of two that count as equal
// Of boxes, beyond what floats round off: a share of the largest coordinate, and a length  [-], [m]
static const double float_slack = 1.3e-7, float_least = 1e-30;
static const uint64_t signs = 0x8000000080000000u;  // of two floats

typedef struct linear_pair {
  limpet_pressure_surface *surface;
  const limpet_pressure_workspace *work;
  const limpet_pressure_field *a, *b;
  const limpet_pressure_body *body_a, *body_b;
  bool swapped;                 // a is the query's B
  limpet_pressure_frame frame;  // of B in A
  double absolute[9];           // |rotation|
  double reach_a, reach_b;      // [m]  boxes of cells grow by it
  double floor;                 // [Pa]  cells with less all over are left out
  double grown;                 // [m]  and by this, for lists of what may meet
  bool tetrahedra;              // both are
  bool faces;                   // tetrahedra with a rigid boundary
  limpet_pressure_meeting meeting;
  limpet_pressure_facing facing;
} linear_pair;

// --------------------------------------------------------------------------- polygons

// The plane n.x + d = 0 (n unit) around `centre`, as a square of half length `half`.
static void plane_square(limpet_pressure_polygon *polygon, const double n[3], double d,
                         const double centre[3], double half) {
  double t[3], s[3], foot[3];
  limpet_vec3_steady_tangents(t, s, n);
  limpet_vec3_addmul(foot, centre, -(limpet_vec3_dot(n, centre) + d), n);
  static const double corner[4][2] = {{-1, -1}, {1, -1}, {1, 1}, {-1, 1}};
  polygon->count = 4;
  for (int k = 0; k < 4; ++k)
    for (int i = 0; i < 3; ++i)
      polygon->vertex[k][i] = foot[i] + half * (corner[k][0] * t[i] + corner[k][1] * s[i]);
}

/* The part of D = d.x + e = 0 within a cell, where p of the cell is above the least. other: D is
 * p - other.x - other[3] at the vertices of tetrahedra; NULL: D itself. */
static void cell_slice(limpet_pressure_polygon *polygon, const limpet_pressure_field *field,
                       int number, const double d[3], double e, const double other[4], double reach,
                       double least) {
  const limpet_pressure_cell *cell = &field->cell[number];
  if (field->tetrahedra) {
    const double *x[4];
    double D[4];
    for (int k = 0; k < 4; ++k) {
      const int v = field->tetrahedra[4 * number + k];
      x[k] = field->vertices + 3 * v;
      D[k] = other ? field->pressure[v] - (limpet_vec3_dot(other, x[k]) + other[3])
                   : limpet_vec3_dot(d, x[k]) + e;
    }
    limpet_pressure_slice(polygon, x, D);
    return;
  }
  double centre[3], half[3], n[3];
  for (int i = 0; i < 3; ++i) {
    centre[i] = 0.5 * (cell->low[i] + cell->high[i]);
    half[i] = 0.5 * (cell->high[i] - cell->low[i]) + reach;
  }
  const double length = limpet_vec3_norm(d), radius = limpet_vec3_norm(half);
  polygon->count = 0;
  if (fabs(limpet_vec3_dot(d, centre) + e) > length * radius) return;
  limpet_vec3_scale(n, 1.0 / length, d);
  plane_square(polygon, n, e / length, centre, radius);
  // the pressure cuts most
  limpet_pressure_clip(polygon, cell->gradient, cell->offset - least);
  for (int k = 0; k < cell->plane_count && polygon->count > 0; ++k) {
    const double *plane = field->plane + 4 * (cell->plane_begin + k);
    limpet_pressure_clip(polygon, plane, plane[3]);
  }
}

static void cell_clip(limpet_pressure_polygon *polygon, const limpet_pressure_field *field,
                      const limpet_pressure_cell *cell) {
  for (int k = 0; k < cell->plane_count && polygon->count > 0; ++k) {
    const double *plane = field->plane + 4 * (cell->plane_begin + k);
    limpet_pressure_clip(polygon, plane, plane[3]);
  }
}

// --------------------------------------------------------------------------- faces

static void face_swap(limpet_pressure_face *face) {
  const limpet_pressure_face old = *face;
  face->gradient_a = old.gradient_b, face->gradient_b = old.gradient_a;
  face->element_a = old.element_b, face->element_b = old.element_a;
}

// Puts a polygon of the body's frame into W and hands it over, with its pressure in that frame.
static void hand_over(const linear_pair *pair, limpet_pressure_polygon *polygon,
                      const limpet_pressure_body *body, const double normal[3],
                      const double *gradient_a, const double *gradient_b,
                      const limpet_pressure_cell *cell, int element_a, int element_b) {
  limpet_pressure_face face = {.element_a = element_a, .element_b = element_b};
  face.gradient_a = gradient_a ? fmax(0.0, -limpet_vec3_dot(gradient_a, normal)) : INFINITY;
  face.gradient_b = gradient_b ? fmax(0.0, limpet_vec3_dot(gradient_b, normal)) : INFINITY;
  if (pair->work->query->face_filter) {
    const bool away_a =
        gradient_a && limpet_pressure_looks_away(-limpet_vec3_dot(gradient_a, normal), gradient_a);
    const bool away_b =
        gradient_b && limpet_pressure_looks_away(limpet_vec3_dot(gradient_b, normal), gradient_b);
    if (away_a || away_b) {
      ++pair->surface->dropped;
      return;
    }
  }
  double slope[3];
  if (pair->swapped) face_swap(&face);
  face.feature = (uint64_t)(face.element_a + 1) << 32 | (uint64_t)(face.element_b + 1);
  for (int k = 0; k < polygon->count; ++k) {
    double y[3];
    limpet_pressure_to_world(y, body, polygon->vertex[k]);
    limpet_vec3_copy(polygon->vertex[k], y);
  }
  limpet_mat3_mul_vec(face.normal, body->rotation, normal);
  if (pair->swapped) limpet_vec3_neg(face.normal, face.normal);
  limpet_mat3_mul_vec(slope, body->rotation, cell->gradient);
  limpet_pressure_add_face(pair->surface, polygon, &face, slope,
                           cell->offset - limpet_vec3_dot(slope, body->position));
}

// A polygon of A's frame in that of B.
static void to_frame_b(const linear_pair *pair, limpet_pressure_polygon *polygon) {
  for (int k = 0; k < polygon->count; ++k) {
    double y[3];
    limpet_vec3_sub(y, polygon->vertex[k], pair->frame.offset);
    limpet_mat3_tmul_vec(polygon->vertex[k], pair->frame.rotation, y);
  }
}

// Cuts a polygon in the frame of a cell's body where its pressure falls to the least.
static void cut_at_least(const linear_pair *pair, limpet_pressure_polygon *polygon,
                         const limpet_pressure_cell *cell) {
  limpet_pressure_clip(polygon, cell->gradient, cell->offset - pair->work->least_pressure);
}

static void meet_cells(const linear_pair *pair, int i, int j) {
  const limpet_pressure_cell *ca = &pair->a->cell[i], *cb = &pair->b->cell[j];
  // pressure of B in the frame of A, and the plane of equal pressure
  double gb[4], d[3], normal[3], in_b[3];
  limpet_mat3_mul_vec(gb, pair->frame.rotation, cb->gradient);
  gb[3] = cb->offset - limpet_vec3_dot(gb, pair->frame.offset);
  limpet_vec3_sub(d, ca->gradient, gb);
  const double scale = limpet_vec3_norm(ca->gradient) + limpet_vec3_norm(gb),
               length = limpet_vec3_norm(d);
  if (!(length > equal_gradients * scale)) return;
  limpet_pressure_polygon polygon;
  cell_slice(&polygon, pair->a, i, d, ca->offset - gb[3], gb, pair->reach_a,
             pair->work->least_pressure);
  if (polygon.count < 3) return;
  to_frame_b(pair, &polygon);
  cell_clip(&polygon, pair->b, cb);
  if (polygon.count < 3) return;
  // a slice that is no tetrahedron's is cut already: the pressures are equal, and round-off would
  // cut again
  if (pair->a->tetrahedra) cut_at_least(pair, &polygon, cb);
  if (polygon.count < 3) return;
  limpet_vec3_scale(normal, -1.0 / length, d);
  double ga[3];
  limpet_mat3_tmul_vec(in_b, pair->frame.rotation, normal);
  limpet_mat3_tmul_vec(ga, pair->frame.rotation, ca->gradient);
  hand_over(pair, &polygon, pair->body_b, in_b, ga, cb->gradient, cb, i, j);
}

// A polygon of a rigid boundary in the frame of a cell's body; `outward` normal of the rigid one.
static void meet_rigid(const linear_pair *pair, limpet_pressure_polygon *polygon,
                       const double outward[3], int cell, int face, bool rigid_is_a) {
  const limpet_pressure_field *field = rigid_is_a ? pair->b : pair->a;
  const limpet_pressure_cell *c = &field->cell[cell];
  double normal[3];
  limpet_vec3_scale(normal, rigid_is_a ? 1.0 : -1.0, outward);
  hand_over(pair, polygon, rigid_is_a ? pair->body_b : pair->body_a, normal,
            rigid_is_a ? NULL : c->gradient, rigid_is_a ? c->gradient : NULL, c,
            rigid_is_a ? face : cell, rigid_is_a ? cell : face);
}

// Frame of the rigid body in that of the compliant one.
static void to_compliant(const linear_pair *pair, bool rigid_is_a, double y[3], const double x[3],
                         bool direction) {
  double z[3];
  if (rigid_is_a) {
    if (direction) limpet_vec3_copy(z, x);
    else limpet_vec3_sub(z, x, pair->frame.offset);
    limpet_mat3_tmul_vec(y, pair->frame.rotation, z);
  } else {
    limpet_mat3_mul_vec(y, pair->frame.rotation, x);
    if (!direction) limpet_vec3_add(y, y, pair->frame.offset);
  }
}

static void meet_face(const linear_pair *pair, int cell, int face, bool rigid_is_a) {
  if (pair->faces && limpet_pressure_facing_takes(&pair->facing, face)) {
    limpet_pressure_meet_face(&pair->facing, cell, face);
    return;
  }
  const limpet_pressure_field *rigid = rigid_is_a ? pair->a : pair->b,
                              *field = rigid_is_a ? pair->b : pair->a;
  limpet_pressure_polygon polygon;
  polygon.count = 0;
  for (int c = rigid->face_begin[face]; c < rigid->face_begin[face + 1]; ++c)
    to_compliant(pair, rigid_is_a, polygon.vertex[polygon.count++], rigid->corner + 3 * c, false);
  cell_clip(&polygon, field, &field->cell[cell]);
  if (polygon.count >= 3) cut_at_least(pair, &polygon, &field->cell[cell]);
  if (polygon.count < 3) return;
  double outward[3];
  to_compliant(pair, rigid_is_a, outward, rigid->face_normal + 3 * face, true);
  meet_rigid(pair, &polygon, outward, cell, face, rigid_is_a);
}

// The boundary z = 0 of a rigid half space.
static void meet_plane(const linear_pair *pair, int cell, bool rigid_is_a) {
  const limpet_pressure_field *field = rigid_is_a ? pair->b : pair->a;
  static const double up[3] = {0.0, 0.0, 1.0}, origin[3] = {0.0, 0.0, 0.0};
  double n[3], foot[3];
  to_compliant(pair, rigid_is_a, n, up, true);
  to_compliant(pair, rigid_is_a, foot, origin, false);
  limpet_pressure_polygon polygon;
  cell_slice(&polygon, field, cell, n, -limpet_vec3_dot(n, foot), NULL,
             rigid_is_a ? pair->reach_b : pair->reach_a, pair->work->least_pressure);
  // tetrahedra are not cut yet
  if (polygon.count >= 3 && field->tetrahedra) cut_at_least(pair, &polygon, &field->cell[cell]);
  if (polygon.count >= 3) meet_rigid(pair, &polygon, n, cell, 0, rigid_is_a);
}

static void meet(const linear_pair *pair, int i, int j) {
  if (pair->a->rigid) {
    if (pair->a->kind == LIMPET_SHAPE_PLANE) meet_plane(pair, j, true);
    else meet_face(pair, j, i, true);
  } else if (pair->b->rigid) {
    if (pair->b->kind == LIMPET_SHAPE_PLANE) meet_plane(pair, i, false);
    else meet_face(pair, i, j, false);
  } else if (pair->tetrahedra) {
    limpet_pressure_meet(&pair->meeting, i, j);
  } else {
    meet_cells(pair, i, j);
  }
}

// --------------------------------------------------------------------------- descent

// The sides along three axes; way: 0 along those of A, 1 along those of B. side: of a tree of A, B.
static void set_sides(limpet_pressure_box *box, int side, int way, const double centre[3],
                      const double half[3]) {
  enum { HALF = LIMPET_PRESSURE_BOX_SIDES / 2 };
  float *low = box->side + HALF * side + 3 * way, *high = box->side + HALF * (1 - side) + 3 * way;
  for (int i = 0; i < 3; ++i) {
    const double spare = float_slack * (fabs(centre[i]) + half[i]) + float_least;
    low[i] = (float)(centre[i] - half[i] - spare);
    high[i] = (float)(-centre[i] - half[i] - spare);
  }
}

// Box `number` of the tree of A (side 0) or B.
static void make_box(const linear_pair *pair, limpet_pressure_box *box, int side, int number) {
  const limpet_item_node *node = &(side ? pair->b : pair->a)->tree.node[number];
  const double *R = pair->frame.rotation, *Q = pair->absolute, *o = pair->frame.offset;
  const double reach = (side ? pair->reach_b : pair->reach_a) + pair->grown;
  double half[3], centre[3], turned[3], away[3];
  for (int i = 0; i < 3; ++i) half[i] = node->half[i] + reach;
  set_sides(box, side, side, node->centre, half);
  if (side) {
    limpet_mat3_mul_vec(away, R, node->centre);
    limpet_vec3_add(centre, away, o);
    limpet_mat3_mul_vec(turned, Q, half);
  } else {
    limpet_vec3_sub(away, node->centre, o);
    limpet_mat3_tmul_vec(centre, R, away);
    limpet_mat3_tmul_vec(turned, Q, half);
  }
  set_sides(box, side, 1 - side, centre, turned);
  box->query = pair->work->queries;
}

static bool boxes_begin(const linear_pair *pair) {
  limpet_pressure_workspace *work = pair->surface->workspace;
  return limpet_pressure_zeroed_room(pair->surface, &work->box[0], &work->box_room[0],
                                     pair->a->tree.count, sizeof *work->box[0]) &&
         limpet_pressure_zeroed_room(pair->surface, &work->box[1], &work->box_room[1],
                                     pair->b->tree.count, sizeof *work->box[1]);
}

static const limpet_pressure_box *box_of(const linear_pair *pair, int side, int number) {
  limpet_pressure_box *box = &pair->work->box[side][number];
  if (box->query != pair->work->queries) make_box(pair, box, side, number);
  return box;
}

// Whether a box of A meets one of B: signs of twelve sums, without a branch.
static bool boxes_meet(const limpet_pressure_box *a, const limpet_pressure_box *b) {
  typedef float four __attribute__((vector_size(16), aligned(4), may_alias));
  typedef uint64_t pair __attribute__((vector_size(16)));
  const four *x = (const four *)a->side, *y = (const four *)b->side;
  const pair below = (pair)(x[0] + y[0]) & (pair)(x[1] + y[1]) & (pair)(x[2] + y[2]);
  return (~(below[0] & below[1]) & signs) == 0;
}

// Whether both may have the same pressure, above the least.
static bool pressures_meet(const linear_pair *pair, const limpet_item_node *m,
                           const limpet_item_node *n) {
  const double least = pair->floor;
  return m->most >= (double)n->least && n->most >= (double)m->least && m->most >= least &&
         n->most >= least;
}

// Whether two items may meet after a motion by `slack`.
static bool is_near(const linear_pair *pair, int i, int j, double slack) {
  if (pair->tetrahedra) return limpet_pressure_is_near(&pair->meeting, i, j, slack);
  const bool rigid_is_a = pair->a->rigid;
  const int face = rigid_is_a ? i : j;
  return !limpet_pressure_facing_takes(&pair->facing, face) ||
         limpet_pressure_face_is_near(&pair->facing, rigid_is_a ? j : i, face, slack);
}

// list: what is near goes there, and nothing else meets; NULL: none is made.
static void descend(const linear_pair *pair, limpet_pressure_memory *list) {
  int stack[4 * LIMPET_ITEM_TREE_DEPTH][2], depth = 0;
  stack[depth][0] = 0, stack[depth++][1] = 0;
  while (depth > 0) {
    const int i = stack[--depth][0], j = stack[depth][1];
    const limpet_item_node *m = &pair->a->tree.node[i], *n = &pair->b->tree.node[j];
    if ((!pair->faces && !pressures_meet(pair, m, n)) ||
        !boxes_meet(box_of(pair, 0, i), box_of(pair, 1, j)))
      continue;
    if (m->item >= 0 && n->item >= 0) {
      if (list && !is_near(pair, m->item, n->item, list->slack)) continue;
      if (list) limpet_pressure_memory_add(pair->surface, list, m->item, n->item);
      meet(pair, m->item, n->item);
    } else if (n->item >= 0 || (m->item < 0 && m->half[0] + m->half[1] + m->half[2] >=
                                                   n->half[0] + n->half[1] + n->half[2])) {
      stack[depth][0] = m->next, stack[depth++][1] = j;
      stack[depth][0] = i + 1, stack[depth++][1] = j;
    } else {
      stack[depth][0] = i, stack[depth++][1] = n->next;
      stack[depth][0] = i, stack[depth++][1] = j + 1;
    }
  }
}

/* Tetrahedra decide by themselves what meets, so that it does not matter how they were found; boxes
 * of theirs grow by `box_slack` of the size of the body, lest round-off part what touches. */
static void search(linear_pair *pair) {
  limpet_pressure_recall recall = LIMPET_PRESSURE_SEARCH;
  limpet_pressure_memory *memory = NULL;
  if (pair->tetrahedra || pair->faces) {
    memory = limpet_pressure_memory_of(pair->surface, &pair->frame, &recall);
    pair->grown = box_slack * limpet_vec3_norm(pair->a->tree.node[0].half);
  }
  if (recall == LIMPET_PRESSURE_LISTED) {
    for (int k = 0; k < memory->count; ++k) meet(pair, memory->item[k][0], memory->item[k][1]);
    return;
  }
  pair->floor = recall == LIMPET_PRESSURE_LIST ? -INFINITY : pair->work->least_pressure;
  if (recall == LIMPET_PRESSURE_LIST) pair->grown += 0.5 * memory->slack;
  descend(pair, recall == LIMPET_PRESSURE_LIST ? memory : NULL);
}

/* One of the two is a half space z < 0 with outward normal n at height h in the frame of the
 * other. */
static void descend_half_space(const linear_pair *pair, bool plane_is_a) {
  const limpet_pressure_field *field = plane_is_a ? pair->b : pair->a;
  static const double up[3] = {0.0, 0.0, 1.0};
  double n[3];
  double h;
  if (plane_is_a) {
    limpet_mat3_tmul_vec(n, pair->frame.rotation, up);
    h = -pair->frame.offset[2];
  } else {
    limpet_mat3_mul_vec(n, pair->frame.rotation, up);
    h = limpet_vec3_dot(n, pair->frame.offset);
  }
  const double reach = pair->reach_a + pair->reach_b;
  int stack[LIMPET_ITEM_TREE_DEPTH], depth = 0;
  stack[depth++] = 0;
  while (depth > 0) {
    const int k = stack[--depth];
    const limpet_item_node *node = &field->tree.node[k];
    const double radius = fabs(n[0]) * (node->half[0] + reach) +
                          fabs(n[1]) * (node->half[1] + reach) +
                          fabs(n[2]) * (node->half[2] + reach);
    if (limpet_vec3_dot(n, node->centre) - radius > h + reach) continue;
    if (node->item >= 0) {
      meet(pair, plane_is_a ? 0 : node->item, plane_is_a ? node->item : 0);
    } else {
      stack[depth++] = node->next, stack[depth++] = k + 1;
    }
  }
}

bool limpet_pressure_is_linear(const limpet_pressure_field *field) {
  return field->kind == LIMPET_SHAPE_BOX || field->kind == LIMPET_SHAPE_MESH ||
         field->kind == LIMPET_SHAPE_PLANE || field->kind == LIMPET_SHAPE_COUNT;
}

void limpet_pressure_linear(limpet_pressure_surface *surface) {
  limpet_pressure_workspace *work = surface->workspace;
  const limpet_pressure_field *fa = work->a->field, *fb = work->b->field;
  ++work->queries;
  linear_pair pair = {.surface = surface, .work = work};
  // a's cells are sliced by planes: a half space is endless, tetrahedra are sliced best
  pair.swapped = !fa->rigid && !fb->rigid &&
                 (fa->kind == LIMPET_SHAPE_PLANE || (fb->tetrahedra && !fa->tetrahedra));
  pair.body_a = pair.swapped ? work->b : work->a, pair.body_b = pair.swapped ? work->a : work->b;
  pair.a = pair.body_a->field, pair.b = pair.body_b->field;
  pair.frame = limpet_pressure_frame_of(pair.body_b, pair.body_a);
  for (int i = 0; i < 9; ++i) pair.absolute[i] = fabs(pair.frame.rotation[i]);
  if (!pair.a->rigid && !pair.a->tetrahedra) pair.reach_a = work->query->reach * pair.a->spread;
  if (!pair.b->rigid && !pair.b->tetrahedra) pair.reach_b = work->query->reach * pair.b->spread;
  pair.tetrahedra = !fa->rigid && !fb->rigid && fa->tetrahedra && fb->tetrahedra;
  if (pair.tetrahedra && !limpet_pressure_meeting_begin(&pair.meeting, surface)) return;
  const bool half_space = fa->kind == LIMPET_SHAPE_PLANE || fb->kind == LIMPET_SHAPE_PLANE;
  pair.faces = !half_space && ((fa->rigid && fb->tetrahedra) || (fb->rigid && fa->tetrahedra));
  if (pair.faces && !limpet_pressure_facing_begin(&pair.facing, surface)) return;
  const bool plane_a = pair.a->kind == LIMPET_SHAPE_PLANE,
             plane_b = pair.b->kind == LIMPET_SHAPE_PLANE;
  if (plane_a && plane_b) return;  // endless
  if (plane_a || plane_b) descend_half_space(&pair, plane_a);
  else if (boxes_begin(&pair)) search(&pair);
}
