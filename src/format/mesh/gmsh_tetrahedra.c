/* format/mesh/gmsh_tetrahedra.c: tetrahedral meshes of Gmsh, versions 2.2 and 4.1, as text and
 * binary (Gmsh reference manual, "Gmsh mesh file formats"; binary sections: gmsh_binary.c).
 *
 *   2.2: $Nodes count, lines "number x y z"; $Elements count, lines "number type tag-count tags...
 *     nodes..."
 *   4.1: $Nodes "blocks nodes min max", blocks "dim tag parametric count", numbers, coordinates;
 *     $Elements "blocks elements min max", blocks "dim tag type count", lines "number nodes..."
 * Element type 4 is a tetrahedron. Points, lines, triangles and quads are passed over. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "format/mesh/formats.h"
#include "format/mesh/gmsh_reader.h"
#include "format/mesh/tetrahedra.h"
#include "format/read/text.h"

enum {
  LINE_ROOM = 64,         // numbers of a line that are kept
  COUNT_LIMIT = 50000000  // nodes, elements: more than any file below 1 GiB has
};

// Moves behind the line that is `word`.
static bool find_section(limpet_gmsh_reader *r, const char *word) {
  const size_t size = strlen(word);
  for (const char *p = r->start; p && (size_t)(r->end - p) > size;
       p = memchr(p + 1, '$', (size_t)(r->end - p - 1))) {
    const char *behind = p + size;
    if (memcmp(p, word, size) != 0) continue;
    while (behind < r->end && (*behind == ' ' || *behind == '\r')) ++behind;
    if ((p > r->start && p[-1] != '\n') || behind == r->end || *behind != '\n') continue;
    r->at = behind + 1;
    return true;
  }
  return false;
}

// How many numbers the line has; the first LINE_ROOM of them are kept. Moves to the next line.
static int read_line(limpet_gmsh_reader *r, double numbers[LINE_ROOM]) {
  int count = 0;
  double value;
  for (;;) {
    while (*r->at == ' ' || *r->at == '\t' || *r->at == '\r') ++r->at;
    if (*r->at == '\n' || !limpet_text_number(&r->at, &value)) break;
    if (count < LINE_ROOM) numbers[count] = value;
    ++count;
  }
  while (*r->at && *r->at != '\n') ++r->at;
  if (*r->at) ++r->at;
  return count;
}

static bool is_count(double x) { return x >= 0.0 && x <= COUNT_LIMIT && x == floor(x); }

static limpet_status read_nodes_22(limpet_gmsh_reader *r) {
  double n[LINE_ROOM];
  if (read_line(r, n) != 1 || !is_count(n[0]))
    return limpet_gmsh_fail(r, "expected the number of nodes");
  for (int left = (int)n[0]; left > 0; --left) {
    if (read_line(r, n) != 4)
      return limpet_gmsh_fail(r, "expected 'number x y z' for a node above");
    const limpet_status status = limpet_gmsh_add_node(r, n[0], n + 1);
    if (status != LIMPET_OK) return status;
  }
  return LIMPET_OK;
}

static limpet_status read_elements_22(limpet_gmsh_reader *r) {
  double n[LINE_ROOM];
  if (read_line(r, n) != 1 || !is_count(n[0]))
    return limpet_gmsh_fail(r, "expected the number of elements");
  for (int left = (int)n[0]; left > 0; --left) {
    const int count = read_line(r, n);
    if (count < 4 || count > LINE_ROOM || !is_count(n[2]) || 3.0 + n[2] > count)
      return limpet_gmsh_fail(r,
                              "expected 'number type tag-count tags nodes' for an element above");
    const int head = 3 + (int)n[2];
    const limpet_status status = limpet_gmsh_add_element(r, n[1], n + head, count - head);
    if (status != LIMPET_OK) return status;
  }
  return LIMPET_OK;
}

static limpet_status read_node_block_41(limpet_gmsh_reader *r, int count) {
  double n[LINE_ROOM];
  const int first = r->node_count;
  static const double origin[3] = {0.0, 0.0, 0.0};
  for (int i = 0; i < count; ++i) {
    if (read_line(r, n) != 1) return limpet_gmsh_fail(r, "expected the number of a node above");
    const limpet_status status = limpet_gmsh_add_node(r, n[0], origin);
    if (status != LIMPET_OK) return status;
  }
  for (int i = 0; i < count; ++i) {
    if (read_line(r, n) < 3 || !isfinite(n[0]) || !isfinite(n[1]) || !isfinite(n[2]))
      return limpet_gmsh_fail(r, "expected 'x y z' of a node above");
    memcpy(r->node[first + i].x, n, sizeof r->node[first + i].x);
  }
  return LIMPET_OK;
}

static limpet_status read_element_block_41(limpet_gmsh_reader *r, double type, int count) {
  double n[LINE_ROOM];
  for (int i = 0; i < count; ++i) {
    const int found = read_line(r, n);
    if (found < 2 || found > LINE_ROOM)
      return limpet_gmsh_fail(r, "expected 'number nodes' for an element above");
    const limpet_status status = limpet_gmsh_add_element(r, type, n + 1, found - 1);
    if (status != LIMPET_OK) return status;
  }
  return LIMPET_OK;
}

static limpet_status read_blocks_41(limpet_gmsh_reader *r, bool nodes) {
  double head[LINE_ROOM], n[LINE_ROOM];
  if (read_line(r, head) != 4 || !is_count(head[0]) || !is_count(head[1]))
    return limpet_gmsh_fail(r,
                            "expected 'blocks count smallest largest' at the head of the section");
  double left = head[1];
  for (double block = 0.0; block < head[0]; ++block) {
    if (read_line(r, n) != 4 || !is_count(n[3]) || n[3] > left)
      return limpet_gmsh_fail(r,
                              "expected 'dimension tag kind count' at the head of a block above");
    left -= n[3];
    const limpet_status status =
        nodes ? read_node_block_41(r, (int)n[3]) : read_element_block_41(r, n[2], (int)n[3]);
    if (status != LIMPET_OK) return status;
  }
  return left == 0.0
             ? LIMPET_OK
             : limpet_gmsh_fail(r, "the blocks hold fewer entries than the section announces");
}

static limpet_status read_sections(limpet_gmsh_reader *r, bool old) {
  if (!find_section(r, "$Nodes")) return limpet_gmsh_fail(r, "the section $Nodes is missing");
  limpet_status status = r->binary ? limpet_gmsh_binary_nodes(r, old)
                         : old     ? read_nodes_22(r)
                                   : read_blocks_41(r, true);
  if (status != LIMPET_OK) return status;
  if (r->node_count == 0) return limpet_gmsh_fail(r, "has no nodes");
  status = limpet_gmsh_sort_nodes(r);
  if (status != LIMPET_OK) return status;
  if (!find_section(r, "$Elements")) return limpet_gmsh_fail(r, "the section $Elements is missing");
  if (r->binary) return limpet_gmsh_binary_elements(r, old);
  return old ? read_elements_22(r) : read_blocks_41(r, false);
}

static limpet_status take_vertices(const limpet_gmsh_reader *r) {
  r->mesh->vertices = malloc(3 * (size_t)r->node_count * sizeof(double));
  if (!r->mesh->vertices) return limpet_gmsh_no_memory(r);
  r->mesh->vertex_count = r->node_count;
  for (int i = 0; i < r->node_count; ++i)
    memcpy(r->mesh->vertices + 3 * i, r->node[i].x, sizeof r->node[i].x);
  return LIMPET_OK;
}

limpet_status limpet_mesh_read_gmsh(limpet_mesh_file *mesh, const char *text, size_t length,
                                    const char *path, limpet_error *error) {
  limpet_gmsh_reader r = {
      .start = text, .at = text, .end = text + length, .path = path, .error = error, .mesh = mesh};
  double n[LINE_ROOM];
  if (!find_section(&r, "$MeshFormat"))
    return limpet_gmsh_fail(&r, "a Gmsh file begins with $MeshFormat");
  if (read_line(&r, n) != 3)
    return limpet_gmsh_fail(&r, "expected 'version type size' below $MeshFormat");
  r.binary = n[1] != 0.0;
  if (n[0] != 2.2 && n[0] != 4.1)
    return limpet_gmsh_fail(
        &r, "only the versions 2.2 and 4.1 of Gmsh's format are read (Mesh.MshFileVersion)");
  if (r.binary && !limpet_gmsh_binary_begins(&r, n[2]))
    return limpet_gmsh_fail(
        &r,
        "is a binary file of a computer with another order of bytes; save it as text "
        "(Mesh.Binary = 0)");
  limpet_status status = read_sections(&r, n[0] == 2.2);
  if (status == LIMPET_OK) status = take_vertices(&r);
  if (status == LIMPET_OK) status = limpet_mesh_tetrahedra_finish(mesh, path, error);
  free(r.node);
  return status;
}
