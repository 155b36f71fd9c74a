/* format/mesh/gmsh_reader.c: nodes and elements of Gmsh's tetrahedra: see gmsh_reader.h. */
#include "format/mesh/gmsh_reader.h"

#include <math.h>
#include <stdlib.h>

#include "base/error.h"

enum { GMSH_TETRAHEDRON = 4 };

// The line, or the byte of a binary section, is where the reader is.
limpet_status limpet_gmsh_fail(const limpet_gmsh_reader *r, const char *reason) {
  int line = 1;
  if (r->binary)
    return limpet_error_fill_at(r->error, LIMPET_ERROR_INPUT, r->path, 0, 0, "byte %lld: %s",
                                (long long)(r->at - r->start), reason);
  for (const char *p = r->start; p < r->at; ++p) line += *p == '\n';
  return limpet_error_fill_at(r->error, LIMPET_ERROR_INPUT, r->path, line, 0, "%s", reason);
}

limpet_status limpet_gmsh_no_memory(const limpet_gmsh_reader *r) {
  return limpet_error_fill_at(r->error, LIMPET_ERROR_MEMORY, r->path, 0, 0,
                              "no memory for the mesh");
}

limpet_status limpet_gmsh_add_node(limpet_gmsh_reader *r, double number, const double x[3]) {
  if (!isfinite(number) || !isfinite(x[0]) || !isfinite(x[1]) || !isfinite(x[2]))
    return limpet_gmsh_fail(r, "a number of the node above is not finite");
  if (r->node_count == r->node_room) {
    const int room = 2 * r->node_room + 256;
    limpet_gmsh_node *moved = realloc(r->node, (size_t)room * sizeof *moved);
    if (!moved) return limpet_gmsh_no_memory(r);
    r->node = moved, r->node_room = room;
  }
  r->node[r->node_count++] = (limpet_gmsh_node){number, {x[0], x[1], x[2]}};
  return LIMPET_OK;
}

static int node_compare(const void *a, const void *b) {
  const double x = ((const limpet_gmsh_node *)a)->number, y = ((const limpet_gmsh_node *)b)->number;
  return (x > y) - (x < y);
}

limpet_status limpet_gmsh_sort_nodes(limpet_gmsh_reader *r) {
  qsort(r->node, (size_t)r->node_count, sizeof *r->node, node_compare);
  for (int i = 1; i < r->node_count; ++i)
    if (r->node[i].number == r->node[i - 1].number)
      return limpet_gmsh_fail(r, "two nodes of $Nodes have the same number");
  return LIMPET_OK;
}

// Place of the node in r->node, or -1.
static int node_index(const limpet_gmsh_reader *r, double number) {
  const limpet_gmsh_node key = {.number = number};
  const limpet_gmsh_node *found =
      bsearch(&key, r->node, (size_t)r->node_count, sizeof key, node_compare);
  return found ? (int)(found - r->node) : -1;
}

static limpet_status add_tetrahedron(limpet_gmsh_reader *r, const double nodes[4]) {
  limpet_mesh_file *mesh = r->mesh;
  if (mesh->tetrahedron_count == r->tetrahedron_room) {
    const int room = 2 * r->tetrahedron_room + 256;
    int *moved = realloc(mesh->tetrahedra, 4 * (size_t)room * sizeof *moved);
    if (!moved) return limpet_gmsh_no_memory(r);
    mesh->tetrahedra = moved, r->tetrahedron_room = room;
  }
  int *corner = mesh->tetrahedra + 4 * mesh->tetrahedron_count++;
  for (int i = 0; i < 4; ++i) {
    corner[i] = node_index(r, nodes[i]);
    if (corner[i] < 0)
      return limpet_gmsh_fail(r, "the element above names a node that $Nodes does not have");
  }
  return LIMPET_OK;
}

limpet_status limpet_gmsh_add_element(limpet_gmsh_reader *r, double type, const double *nodes,
                                      int count) {
  // points, lines, triangles, quads of any order
  static const int flat[] = {1, 2, 3, 8, 9, 10, 15, 16, 20, 21, 26};
  for (size_t i = 0; i < sizeof flat / sizeof *flat; ++i)
    if (type == flat[i]) return LIMPET_OK;
  if (type != GMSH_TETRAHEDRON)
    return limpet_gmsh_fail(
        r,
        "the element above is no tetrahedron of four nodes (type 4); export linear "
        "tetrahedra");
  return count == 4 ? add_tetrahedron(r, nodes)
                    : limpet_gmsh_fail(r, "a tetrahedron has four nodes");
}
