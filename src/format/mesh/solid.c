/* format/mesh/solid.c: see solid.h.
 *
 * Each cube is cut along its diagonal into the six tetrahedra of the paths from its lowest to its
 * highest corner, one axis at a time; cubes side by side then have the same diagonals on their
 * common faces. A cube becomes a ball by x' = x sqrt(1 - (y^2 + z^2)/2 + y^2 z^2/3), likewise y, z,
 * for coordinates from -1 to 1: it keeps the cells near the edges apart. */
#include "format/mesh/solid.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>

static int index_of(const int cells[3], const int at[3]) {
  return (at[0] * (cells[1] + 1) + at[1]) * (cells[2] + 1) + at[2];
}

static double to_ball(double x, double y, double z) {
  return x * sqrt(1.0 - 0.5 * (y * y + z * z) + y * y * z * z / 3.0);
}

static void place(limpet_solid_kind kind, const double size[3], const int cells[3], const int at[3],
                  double x[3]) {
  double u[3];
  for (int k = 0; k < 3; ++k) u[k] = 2.0 * at[k] / cells[k] - 1.0;
  for (int k = 0; k < 3; ++k)
    x[k] =
        size[k] * (kind == LIMPET_SOLID_BOX ? u[k] : to_ball(u[k], u[(k + 1) % 3], u[(k + 2) % 3]));
}

// The six tetrahedra of the cube with the lowest corner `low`.
static void cut_cube(const int cells[3], const int low[3], int *to) {
  static const int path[6][3] = {{0, 1, 2}, {1, 2, 0}, {2, 0, 1}, {0, 2, 1}, {2, 1, 0}, {1, 0, 2}};
  for (int p = 0; p < 6; ++p) {
    int at[3] = {low[0], low[1], low[2]}, corner[4];
    corner[0] = index_of(cells, at);
    for (int k = 0; k < 3; ++k) {
      ++at[path[p][k]];
      corner[k + 1] = index_of(cells, at);
    }
    // the last three paths go round the other way
    const bool swap = p >= 3;
    to[4 * p] = corner[0];
    to[4 * p + 1] = corner[swap ? 2 : 1];
    to[4 * p + 2] = corner[swap ? 1 : 2];
    to[4 * p + 3] = corner[3];
  }
}

limpet_status limpet_solid_make(limpet_mesh_file *mesh, limpet_solid_kind kind,
                                const double size[3], const int cells[3]) {
  assert(mesh && size && cells && cells[0] > 0 && cells[1] > 0 && cells[2] > 0);
  const long cubes = (long)cells[0] * cells[1] * cells[2];
  *mesh = (limpet_mesh_file){.vertex_count = (cells[0] + 1) * (cells[1] + 1) * (cells[2] + 1),
                             .tetrahedron_count = (int)(6 * cubes)};
  mesh->vertices = malloc(3 * (size_t)mesh->vertex_count * sizeof(double));
  mesh->tetrahedra = malloc(4 * (size_t)mesh->tetrahedron_count * sizeof(int));
  if (!mesh->vertices || !mesh->tetrahedra) {
    limpet_mesh_file_free(mesh);
    return LIMPET_ERROR_MEMORY;
  }
  int *next = mesh->tetrahedra;
  for (int i = 0; i <= cells[0]; ++i)
    for (int j = 0; j <= cells[1]; ++j)
      for (int k = 0; k <= cells[2]; ++k) {
        const int at[3] = {i, j, k};
        place(kind, size, cells, at, mesh->vertices + 3 * index_of(cells, at));
        if (i == cells[0] || j == cells[1] || k == cells[2]) continue;
        cut_cube(cells, at, next);
        next += 24;
      }
  return LIMPET_OK;
}
