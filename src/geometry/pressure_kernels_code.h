/* geometry/pressure_kernels_code.h: the kernels of pressure_kernels.h, written once and compiled
 * for each instruction set by a source file that defines
 *   LIMPET_PRESSURE_TABLE   name of the table, e.g. limpet_pressure_kernels_avx2
 *   LIMPET_PRESSURE_NAME    its word, e.g. "avx2"
 *
 * A corner carries its place, its pressure and its shares l_0 ... l_3 of the vertices of a
 * tetrahedron (l_k = 1 at vertex k, 0 on the face opposite): inside are those with all l_k >= 0.
 * All eight numbers are linear and interpolated alike where a plane cuts (Sutherland and Hodgman).
 * A corner on a face counts as inside. The difference p_A - p_B is that of vertices, of A where A
 * is sliced, of B where B is asked whether it is cut at all: the same bits for all tetrahedra
 * around one, so that a plane through a face that two of them share counts once. Nothing is
 * contracted. Cost with AVX2: 40 instructions for a pair that p_A = p_B does not cut, 70 for one
 * that a face keeps apart, 150 for one that is sliced in vain, 300 for a polygon. */
#include "geometry/pressure_kernels.h"

#include <stddef.h>

#include "math/lanes.h"
#include "math/vec3.h"

// f = a . (x, 1) at four places: x, y, z of all four are x[0 ... 3], x[4 ... 7], x[8 ... 11].
INLINE lanes linear_at(const double *x, const double a[4]) {
  return all(a[0]) * lanes_at(x) + all(a[1]) * lanes_at(x + 4) + all(a[2]) * lanes_at(x + 8) +
         all(a[3]);
}

// The pressure of a cell at four places.
INLINE lanes pressure_at(const double *x, const limpet_pressure_cell *cell) {
  const double *g = cell->gradient;
  return linear_at(x, (const double[4]){g[0], g[1], g[2], cell->offset});
}

// --------------------------------------------------------------------------- cutting

// z = x + t (y - x), all numbers.
INLINE void between(limpet_pressure_corner *z, const limpet_pressure_corner *x,
                    const limpet_pressure_corner *y, double t) {
  const lanes x0 = lanes_at(x->at), x1 = lanes_at(x->at + 4), T = all(t);
  lanes_put(z->at, x0 + T * (lanes_at(y->at) - x0));
  lanes_put(z->at + 4, x1 + T * (lanes_at(y->at + 4) - x1));
}

// Keeps the corners with number `which` at least `least`, in `to`; how many.
static int cut(limpet_pressure_corner *to, const limpet_pressure_corner *from, int count, int which,
               double least) {
  int kept = 0;
  for (int k = 0; k < count; ++k) {
    const limpet_pressure_corner *x = &from[k], *y = &from[k + 1 < count ? k + 1 : 0];
    const double a = x->at[which] - least, b = y->at[which] - least;
    if (a >= 0.0) to[kept++] = *x;
    if ((a >= 0.0) == (b >= 0.0)) continue;
    between(&to[kept++], x, y, a / (a - b));
  }
  return kept;
}

static bool falls_below(const limpet_pressure_corner *corners, int count, int which, double least) {
  for (int k = 0; k < count; ++k)
    if (corners[k].at[which] < least) return true;
  return false;
}

// Cuts corner[0] of the room by the numbers whose bits are set; where what is left lies.
static const limpet_pressure_corner *cut_all(limpet_pressure_room *room, int *count, int cuts,
                                             double least) {
  int n = *count, now = 0;
  for (int which = LIMPET_CORNER_NUMBERS - 1; which >= LIMPET_CORNER_PRESSURE && n >= 3; --which) {
    const double bound = which == LIMPET_CORNER_PRESSURE ? least : 0.0;
    if (!(cuts >> which & 1) || !falls_below(room->corner[now], n, which, bound)) continue;
    n = cut(room->corner[1 - now], room->corner[now], n, which, bound);
    now = 1 - now;
  }
  *count = n;
  return n >= 3 ? room->corner[now] : NULL;
}

// Four polygon corners: place, pressure, shares, each number for all four.
typedef struct corner_lanes {
  lanes place[4], share[4];
} corner_lanes;

/* The part of a polygon with `count` corners, at most four, where all shares are at least 0 and the
 * pressure is at least `least` [Pa]. NULL: none. Lanes beyond the count repeat a corner. */
INLINE const limpet_pressure_corner *within(const corner_lanes *polygon, double least,
                                            limpet_pressure_room *room, int *count) {
  int cuts = (bits(polygon->place[3] < all(least)) != 0) << LIMPET_CORNER_PRESSURE;
  for (int k = 0; k < 4; ++k)
    cuts |= (bits(polygon->share[k] < all(0.0)) != 0) << (LIMPET_CORNER_SHARE + k);
  lanes column[4];
  transpose(polygon->place, column);
  for (int c = 0; c < 4; ++c) lanes_put(room->corner[0][c].at, column[c]);
  transpose(polygon->share, column);
  for (int c = 0; c < 4; ++c) lanes_put(room->corner[0][c].at + 4, column[c]);
  return cuts ? cut_all(room, count, cuts, least) : room->corner[0];
}

// --------------------------------------------------------------------------- two tetrahedra

static void turn(limpet_pressure_turned *turned, const limpet_pressure_frame *frame,
                 const double *quad, const double *planes, const limpet_pressure_cell *cell) {
  const double *R = frame->rotation, *o = frame->offset;
  for (int k = 0; k < 4; ++k) {
    double *share = turned->share + 4 * k;
    limpet_mat3_mul_vec(share, R, planes + 4 * k);
    share[3] = planes[4 * k + 3] - limpet_vec3_dot(share, o);
  }
  limpet_mat3_mul_vec(turned->gradient, R, cell->gradient);
  turned->gradient[3] = cell->offset - limpet_vec3_dot(turned->gradient, o);
  for (int i = 0; i < 3; ++i)
    lanes_put(turned->quad + 4 * i,
              linear_at(quad, (const double[4]){R[3 * i], R[3 * i + 1], R[3 * i + 2], o[i]}));
  lanes_put(turned->quad + 12, lanes_at(quad + 12));
}

static const limpet_pressure_corner *meet(const double *quad, const limpet_pressure_cell *cell,
                                          const limpet_pressure_turned *b, double least,
                                          limpet_pressure_room *room, int *count) {
  const lanes none = all(0.0), p = linear_at(quad, b->gradient), D = lanes_at(quad + 12) - p;
  const int above = bits(D >= none);
  if (above == 0 || above == 15) return NULL;
  const int above_b = bits(pressure_at(b->quad, cell) >= lanes_at(b->quad + 12));
  if (above_b == 0 || above_b == 15) return NULL;
  lanes share[4];
#pragma GCC unroll 4
  for (int k = 0; k < 4; ++k) {
    share[k] = linear_at(quad, b->share + 4 * k);
    if (bits(share[k] < none) == 15) return NULL;
  }
  // the slice of A; numbers of its corners are interpolated along the edges
  const limpet_pressure_slice_edges *edges = &limpet_pressure_slices[above];
  const unsigned char *start = edges->start, *end = edges->end;
  const lanes from = pick(D, start), t = from / (from - pick(D, end));
  const lanes place[4] = {lanes_at(quad), lanes_at(quad + 4), lanes_at(quad + 8), p};
  corner_lanes corners;
#pragma GCC unroll 4
  for (int k = 0; k < 4; ++k) {
    const lanes x = pick(share[k], start);
    corners.share[k] = x + t * (pick(share[k], end) - x);
    if (bits(corners.share[k] < none) == 15) return NULL;
  }
#pragma GCC unroll 4
  for (int k = 0; k < 4; ++k) {
    const lanes x = pick(place[k], start);
    corners.place[k] = x + t * (pick(place[k], end) - x);
  }
  *count = edges->count;
  return within(&corners, least, room, count);
}

// Whether four values of n.x + d are those of places outside by more than `slack`; without a root.
INLINE bool lie_beyond(lanes values, const double n[3], double slack) {
  const lanes least = all(slack * slack * limpet_vec3_dot(n, n));
  return bits((values < all(0.0)) & (values * values > least)) == 15;
}

static bool is_near(const double *quad, const limpet_pressure_turned *b, double slack) {
  for (int k = 0; k < 4; ++k) {
    const double *share = b->share + 4 * k;
    if (lie_beyond(linear_at(quad, share), share, slack)) return false;
  }
  return true;
}

// --------------------------------------------------------------------------- rigid faces

// Bits of the vertices of a cell outside of the plane of a face by more than `slack`, and deeper.
INLINE bool plane_parts(const double *quad, const double plane[4], double slack) {
  const lanes height = linear_at(quad, plane);
  const int outside = slack > 0.0 ? bits(height > all(slack)) : bits(height >= all(0.0)),
            inside = bits(height < all(-slack));
  return outside == 15 || inside == 15;
}

static const limpet_pressure_corner *meet_face(const double *quad, const double *planes,
                                               const limpet_pressure_cell *cell,
                                               const limpet_pressure_turned_face *face,
                                               double least, limpet_pressure_room *room,
                                               int *count) {
  if (plane_parts(quad, face->plane, 0.0)) return NULL;
  corner_lanes corners = {.place = {lanes_at(face->corner), lanes_at(face->corner + 4),
                                    lanes_at(face->corner + 8), pressure_at(face->corner, cell)}};
#pragma GCC unroll 4
  for (int k = 0; k < 4; ++k) {
    corners.share[k] = linear_at(face->corner, planes + 4 * k);
    if (bits(corners.share[k] < all(0.0)) == 15) return NULL;
  }
  return within(&corners, least, room, count);
}

static bool face_is_near(const double *quad, const double *planes,
                         const limpet_pressure_turned_face *face, double slack) {
  if (plane_parts(quad, face->plane, slack)) return false;
  for (int k = 0; k < 4; ++k) {
    const double *n = planes + 4 * k;
    if (lie_beyond(linear_at(face->corner, n), n, slack)) return false;
  }
  return true;
}

static void to_world(double (*world)[3], double *pressures, const limpet_pressure_corner *corners,
                     int count, const limpet_pressure_body *body) {
  const double *R = body->rotation, *o = body->position;
  const lanes x = {R[0], R[3], R[6], 0.0}, y = {R[1], R[4], R[7], 0.0}, z = {R[2], R[5], R[8], 0.0},
              offset = {o[0], o[1], o[2], 0.0};
  for (int k = 0; k < count; ++k) {
    const double *at = corners[k].at;
    lanes_put(world[k], all(at[0]) * x + all(at[1]) * y + all(at[2]) * z + offset);
    pressures[k] = at[LIMPET_CORNER_PRESSURE];
  }
}

const limpet_pressure_kernels LIMPET_PRESSURE_TABLE = {.name = LIMPET_PRESSURE_NAME,
                                                       .turn = turn,
                                                       .meet = meet,
                                                       .is_near = is_near,
                                                       .to_world = to_world,
                                                       .meet_face = meet_face,
                                                       .face_is_near = face_is_near};
