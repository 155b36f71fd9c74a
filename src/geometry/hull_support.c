/* geometry/hull_support.c: the vertex of a hull that is farthest along a direction.
 *
 * Small hulls: all vertices, four at a time from the array of structures-of-arrays; the padding
 * repeats vertex 0 and can only tie with it. Large hulls: hill climbing over the edges, from the
 * vertex kept for the cell of directions that it is in. A linear function on a convex polytope has
 * no local maximum that is not global, so the climb ends at the right vertex; from ties it goes to
 * lower indices. Who knows a vertex that is near gives it, and the climb starts there. Nothing is
 * kept from call to call.
 * Cost: about 1 ns per vertex; the climb 10 instructions per neighbour, and a few steps. */
#include <assert.h>

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

#include "geometry/convex.h"
#include "geometry/hull.h"
#include "math/vec3.h"

/* Vertices up to which all are looked at: without a vertex that is near, and with one. A climb of
 * two steps looks at some fifteen. */
enum { SCAN_LIMIT = 96, NEAR_SCAN_LIMIT = 32, LANES = 4 };

// Two lanes are what every 64-bit processor of the x86 and ARM families has; the compiler does not
// make more of four.
typedef double pair_lanes __attribute__((vector_size(16), aligned(8)));
typedef int64_t pair_mask __attribute__((vector_size(16)));

// The best value of two lanes and its index, which is kept as a double so that one mask selects
// both.
typedef struct best_lanes {
  pair_lanes value, index;
} best_lanes;

static inline pair_lanes choose(pair_mask mask, pair_lanes yes, pair_lanes no) {
  return (pair_lanes)(((pair_mask)yes & mask) | ((pair_mask)no & ~mask));
}

// A later vertex replaces an earlier one only if it is strictly farther.
static inline void compare(best_lanes *best, const double *x, const double *y, const double *z,
                           const double d[3], pair_lanes index) {
  const pair_lanes value =
      d[0] * *(const pair_lanes *)x + d[1] * *(const pair_lanes *)y + d[2] * *(const pair_lanes *)z;
  const pair_mask better = (pair_mask)(value > best->value);
  best->value = choose(better, value, best->value);
  best->index = choose(better, index, best->index);
}

static int scan(const limpet_hull *hull, const double d[3]) {
  const int padded = (hull->vertex_count + LANES - 1) / LANES * LANES;
  const double *x = hull->vertices_soa, *y = x + padded, *z = y + padded;
  best_lanes even = {{-INFINITY, -INFINITY}, {0.0, 0.0}}, odd = even;
  pair_lanes index = {0.0, 1.0};
  for (int i = 0; i < padded; i += LANES) {
    compare(&even, x + i, y + i, z + i, d, index);
    compare(&odd, x + i + 2, y + i + 2, z + i + 2, d, index + 2.0);
    index += 4.0;
  }

  // the best lane, ties to the lowest index
  const double value[LANES] = {even.value[0], even.value[1], odd.value[0], odd.value[1]};
  const double number[LANES] = {even.index[0], even.index[1], odd.index[0], odd.index[1]};
  int winner = 0;
  for (int k = 1; k < LANES; ++k)
    if (value[k] > value[winner] || (value[k] == value[winner] && number[k] < number[winner]))
      winner = k;
  return number[winner] < hull->vertex_count ? (int)number[winner] : 0;
}

// Takes a vertex that is higher than `best`, or as high and before it.
static inline void take_higher(int vertex, double value, int *best, double *height) {
  if (value > *height || (value == *height && vertex < *best)) *height = value, *best = vertex;
}

// Whether a lane is as high as that.
static inline bool any_as_high(pair_lanes value, double height) {
#if defined(__SSE2__)
  return _mm_movemask_pd(_mm_cmpge_pd((__m128d)value, _mm_set1_pd(height))) != 0;
#else
  return value[0] >= height || value[1] >= height;
#endif
}

// The best of a vertex at a height and its neighbours, of which two are looked at together.
static inline int highest_around(const limpet_hull *hull, const double d[3], int vertex,
                                 double *height) {
  const int begin = hull->neighbour_begin[vertex], end = hull->neighbour_begin[vertex + 1];
  const double *vertices = hull->vertices;
  int best = vertex;
  for (const int *at = hull->neighbour + begin, *last = hull->neighbour + end - 1; at <= last;
       at += 2) {
    const unsigned i = (unsigned)at[0], k = (unsigned)(at < last ? at[1] : at[0]);
    const double *p = vertices + 3 * (size_t)i, *q = vertices + 3 * (size_t)k;
    const pair_lanes value = d[0] * (pair_lanes){p[0], q[0]} + d[1] * (pair_lanes){p[1], q[1]} +
                             d[2] * (pair_lanes){p[2], q[2]};
    if (!any_as_high(value, *height)) continue;
    take_higher((int)i, value[0], &best, height);
    take_higher((int)k, value[1], &best, height);
  }
  return best;
}

static int climb(const limpet_hull *hull, const double d[3], int vertex) {
  double height = limpet_vec3_dot(d, hull->vertices + 3 * vertex);
  for (;;) {
    const int next = highest_around(hull, d, vertex, &height);
    if (next == vertex) return vertex;
    vertex = next;
  }
}

int limpet_hull_support(const limpet_hull *hull, const double direction[3]) {
  assert(hull && hull->vertex_count > 0);
  return hull->vertex_count <= SCAN_LIMIT
             ? scan(hull, direction)
             : climb(hull, direction, hull->start[limpet_hull_cell(direction)]);
}

int limpet_hull_support_from(const limpet_hull *hull, const double direction[3], int vertex) {
  assert(hull && vertex < hull->vertex_count);
  if (vertex < 0 || hull->vertex_count <= NEAR_SCAN_LIMIT)
    return limpet_hull_support(hull, direction);
  // from the higher of the two that are known
  const int other = hull->start[limpet_hull_cell(direction)];
  const bool further = limpet_vec3_dot(direction, hull->vertices + 3 * other) >
                       limpet_vec3_dot(direction, hull->vertices + 3 * vertex);
  return climb(hull, direction, further ? other : vertex);
}
