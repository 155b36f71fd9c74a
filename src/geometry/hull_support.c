/* geometry/hull_support.c: the vertex of a hull that is farthest along a direction.
 *
 * Small hulls: all vertices, four at a time from the array of structures-of-arrays; the padding repeats vertex 0 and can
 * only tie with it. Large hulls: hill climbing over the edges from vertex 0. A linear function on a convex polytope has no
 * local maximum that is not global, so the climb ends at the right vertex; from ties it goes to lower indices. Neither keeps
 * anything from call to call.
 * Cost: about 1 ns per vertex; the climb about 10 ns per step, and it takes some sqrt(vertex count) steps. */
#include "geometry/convex.h"
#include "math/vec3.h"

enum { SCAN_LIMIT = 96, LANES = 4 };

typedef double lanes __attribute__((vector_size(32), aligned(8)));
typedef int64_t lane_indices __attribute__((vector_size(32)));

static int scan(const limpet_hull *hull, const double d[3]) {
  const int padded = (hull->vertex_count + LANES - 1) / LANES * LANES;
  const double *x = hull->vertices_soa, *y = x + padded, *z = y + padded;

  // the best of each lane: a later vertex replaces an earlier one only if it is strictly farther
  lanes best = {-INFINITY, -INFINITY, -INFINITY, -INFINITY};
  lane_indices best_index = {0, 0, 0, 0}, index = {0, 1, 2, 3};
  for (int i = 0; i < padded; i += LANES) {
    const lanes value = d[0] * *(const lanes *)(x + i) + d[1] * *(const lanes *)(y + i) + d[2] * *(const lanes *)(z + i);
    const lane_indices better = (lane_indices)(value > best);
    best = (lanes)(((lane_indices)value & better) | ((lane_indices)best & ~better));
    best_index = (index & better) | (best_index & ~better);
    index += LANES;
  }

  // the best lane, ties to the lowest index
  int winner = 0;
  for (int k = 1; k < LANES; ++k)
    if (best[k] > best[winner] || (best[k] == best[winner] && best_index[k] < best_index[winner])) winner = k;
  return best_index[winner] < hull->vertex_count ? (int)best_index[winner] : 0;
}

static int climb(const limpet_hull *hull, const double d[3]) {
  int vertex = 0;
  double height = limpet_vec3_dot(d, hull->vertices);
  for (int moved = 1; moved;) {
    moved = 0;
    int next = vertex;
    for (int k = hull->neighbour_begin[vertex]; k < hull->neighbour_begin[vertex + 1]; ++k) {
      const int candidate = hull->neighbour[k];
      const double value = limpet_vec3_dot(d, hull->vertices + 3 * candidate);
      if (value > height || (value == height && candidate < next)) height = value, next = candidate, moved = 1;
    }
    vertex = next;
  }
  return vertex;
}

int limpet_hull_support(const limpet_hull *hull, const double direction[3]) {
  return hull->vertex_count <= SCAN_LIMIT ? scan(hull, direction) : climb(hull, direction);
}
