/* geometry/pressure_meet.c: where two compliant tetrahedra meet.
 *
 * In the frame of A: the slice of A's tetrahedron by p_A = p_B, three or four corners, cut by the
 * four faces of B's. A corner carries its place, its pressure and its shares l_0 ... l_3 of the
 * vertices of B (l_k = 1 at vertex k, 0 on the face opposite): inside are those with all l_k >= 0.
 * All eight numbers are known at the vertices of A and interpolated alike where a plane cuts. The
 * difference p_A - p_B is that of vertices, the same bits for all tetrahedra around one, so that a
 * plane through a face that two of them share counts once. Four vertices are done at once, in
 * loops of four without branches. Tetrahedra of B are turned into the frame of A once a query.
 * Cost: 50 instructions for a pair that p_A = p_B does not cut, 150 for one that a face of B keeps
 * apart, 1000 for a polygon and its integrals. */
#include "geometry/pressure_meet.h"

#include <math.h>

#include "geometry/pressure_corners.h"
#include "math/vec3.h"

static const double equal_gradients = 1e-12;  // [-]  difference of two that are equal

// --------------------------------------------------------------------------- cells of B, turned

bool limpet_pressure_meeting_begin(limpet_pressure_meeting *meeting,
                                   limpet_pressure_surface *surface) {
  limpet_pressure_workspace *work = surface->workspace;
  meeting->surface = surface;
  meeting->a = work->a, meeting->b = work->b;
  meeting->frame = limpet_pressure_frame_of(work->b, work->a);
  meeting->least = work->least_pressure;
  meeting->query = work->queries;
  return limpet_pressure_zeroed_room(surface, &work->turned, &work->turned_room,
                                     work->b->field->cell_count, sizeof *work->turned);
}

static void turn(const limpet_pressure_meeting *m, limpet_pressure_turned *turned, int cell) {
  const limpet_pressure_field *field = m->b->field;
  const double *R = m->frame.rotation, *o = m->frame.offset, *plane = field->plane + 16 * cell;
  for (int k = 0; k < 4; ++k) {
    double *share_k = turned->share + 4 * k;
    limpet_mat3_mul_vec(share_k, R, plane + 4 * k);
    share_k[3] = plane[4 * k + 3] - limpet_vec3_dot(share_k, o);
  }
  limpet_mat3_mul_vec(turned->gradient, R, field->cell[cell].gradient);
  turned->gradient[3] = field->cell[cell].offset - limpet_vec3_dot(turned->gradient, o);
  turned->query = m->query;
}

static const limpet_pressure_turned *turned_cell(const limpet_pressure_meeting *m, int cell) {
  limpet_pressure_turned *turned = &m->surface->workspace->turned[cell];
  if (turned->query != m->query) turn(m, turned, cell);
  return turned;
}

// --------------------------------------------------------------------------- cutting

// f = a.x + b at the four vertices of A: x, y, z of all four are x[0 ... 3], x[4 ... 7], x[8 ...
// 11].
static inline void evaluate(const double x[12], const double a[4], double f[4]) {
  for (int c = 0; c < 4; ++c) f[c] = a[0] * x[c] + a[1] * x[4 + c] + a[2] * x[8 + c] + a[3];
}

static inline double highest(const double f[4]) {
  const double a = f[0] > f[1] ? f[0] : f[1], b = f[2] > f[3] ? f[2] : f[3];
  return a > b ? a : b;
}

// The corners of the slice D = 0 of the tetrahedron with these vertices.
static int slice(limpet_pressure_corner *to, const limpet_pressure_corner vertex[4],
                 const double D[4]) {
  const unsigned char *edges;
  const int count = limpet_pressure_slice_edges(D, &edges);
  for (int k = 0; k < count; ++k) {
    const int v = edges[k] >> 2, w = edges[k] & 3;
    limpet_pressure_corner_between(&to[k], &vertex[v], &vertex[w], D[v] / (D[v] - D[w]));
  }
  return count;
}

/* The polygon where A, with p_B at its vertices and D = p_A - p_B, and B have the same pressure
 * above the least; in one of two rooms. NULL: none. */
static const limpet_pressure_corner *polygon_of(
    const double *x, const limpet_pressure_turned *b, const double p[4], const double D[4],
    double least, limpet_pressure_corner room[2][LIMPET_PRESSURE_CORNERS_OF_CUT], int *count) {
  double f[4][4];
  for (int k = 0; k < 4; ++k) {
    evaluate(x, b->share + 4 * k, f[k]);
    if (highest(f[k]) < 0.0) return NULL;
  }
  limpet_pressure_corner vertex[4];
  for (int c = 0; c < 4; ++c) {
    double *at = vertex[c].at;
    at[0] = x[c], at[1] = x[4 + c], at[2] = x[8 + c], at[LIMPET_CORNER_PRESSURE] = p[c];
    for (int k = 0; k < 4; ++k) at[LIMPET_CORNER_SHARE + k] = f[k][c];
  }
  *count = slice(room[0], vertex, D);
  return limpet_pressure_corners_within(room, count, least);
}

// --------------------------------------------------------------------------- faces

// d: gradient of p_A less that of p_B, of length `length`; it looks from B into A.
static void hand_over(const limpet_pressure_meeting *m, const limpet_pressure_corner *corners,
                      int count, int i, int j, const double gradient_b[3], const double d[3],
                      double length) {
  const double *gradient_a = m->a->field->cell[i].gradient;
  double normal[3], world[LIMPET_PRESSURE_CORNERS_OF_CUT][3],
      pressures[LIMPET_PRESSURE_CORNERS_OF_CUT];
  limpet_vec3_scale(normal, -1.0 / length, d);
  const double slope_a = -limpet_vec3_dot(gradient_a, normal),
               slope_b = limpet_vec3_dot(gradient_b, normal);
  if (m->surface->workspace->query->face_filter &&
      (limpet_pressure_looks_away(slope_a, gradient_a) ||
       limpet_pressure_looks_away(slope_b, gradient_b))) {
    ++m->surface->dropped;
    return;
  }
  limpet_pressure_face face = {.element_a = i, .element_b = j};
  face.gradient_a = slope_a > 0.0 ? slope_a : 0.0, face.gradient_b = slope_b > 0.0 ? slope_b : 0.0;
  face.feature = (uint64_t)(i + 1) << 32 | (uint64_t)(j + 1);
  limpet_mat3_mul_vec(face.normal, m->a->rotation, normal);
  for (int k = 0; k < count; ++k) {
    limpet_mat3_mul_vec(world[k], m->a->rotation, corners[k].at);
    limpet_vec3_add(world[k], world[k], m->a->position);
    pressures[k] = corners[k].at[LIMPET_CORNER_PRESSURE];
  }
  limpet_pressure_add_corners(m->surface, (const double(*)[3])world, pressures, count, &face);
}

bool limpet_pressure_is_near(const limpet_pressure_meeting *m, int i, int j, double slack) {
  const double *x = m->a->field->quad + 16 * i;
  const limpet_pressure_turned *b = turned_cell(m, j);
  for (int k = 0; k < 4; ++k) {
    double f[4];
    evaluate(x, b->share + 4 * k, f);
    if (highest(f) < -slack * limpet_vec3_norm(b->share + 4 * k)) return false;
  }
  return true;
}

void limpet_pressure_meet(const limpet_pressure_meeting *m, int i, int j) {
  const limpet_pressure_field *field = m->a->field;
  const limpet_pressure_turned *b = turned_cell(m, j);
  const double *x = field->quad + 16 * i;  // x, y, z, p of the four vertices
  double p[4], D[4], d[3];
  int above = 0;
  evaluate(x, b->gradient, p);
  for (int k = 0; k < 4; ++k) D[k] = x[12 + k] - p[k];
  for (int k = 0; k < 4; ++k) above += D[k] >= 0.0;
  if (above == 0 || above == 4) return;
  limpet_pressure_corner room[2][LIMPET_PRESSURE_CORNERS_OF_CUT];
  int count;
  const limpet_pressure_corner *corners = polygon_of(x, b, p, D, m->least, room, &count);
  if (!corners) return;
  const double *gradient_a = field->cell[i].gradient;
  limpet_vec3_sub(d, gradient_a, b->gradient);
  const double length = limpet_vec3_norm(d);
  if (length > equal_gradients * (limpet_vec3_norm(gradient_a) + limpet_vec3_norm(b->gradient)))
    hand_over(m, corners, count, i, j, b->gradient, d, length);
}
