/* geometry/hull_support.c: the vertex of a hull that is farthest along a direction.
 *
 * Small hulls: all vertices, four at a time from the array of structures-of-arrays; the padding
 * repeats vertex 0 and can only tie with it. Large hulls: hill climbing over the edges, from the
 * vertex kept for the cell of directions that it is in. A linear function on a convex polytope has
 * no local maximum that is not global, so the climb ends at the right vertex; from ties it goes to
 * lower indices. Who knows a vertex that is near gives it, and the climb starts there. Nothing is
 * kept from call to call.
 * Cost: about 1 ns per vertex; the climb about 10 ns per step, and it takes a few steps. */
#include <assert.h>

#include "geometry/convex.h"
#include "geometry/hull.h"
#include "math/vec3.h"

/* Vertices up to which all are looked at: without a vertex that is near, and with one. A climb of
 * two steps looks at some fifteen, one at a time. */
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

static int climb(const limpet_hull *hull, const double d[3], int vertex) {
  double height = limpet_vec3_dot(d, hull->vertices + 3 * vertex);
  for (int moved = 1; moved;) {
    moved = 0;
    int next = vertex;
    for (int k = hull->neighbour_begin[vertex]; k < hull->neighbour_begin[vertex + 1]; ++k) {
      const int candidate = hull->neighbour[k];
      const double value = limpet_vec3_dot(d, hull->vertices + 3 * candidate);
      if (value > height || (value == height && candidate < next))
        height = value, next = candidate, moved = 1;
    }
    vertex = next;
  }
  return vertex;
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
