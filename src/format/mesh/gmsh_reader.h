/* format/mesh/gmsh_reader.h: what the text and the binary reader of Gmsh's tetrahedra share. */
#ifndef LIMPET_FORMAT_MESH_GMSH_READER_H
#define LIMPET_FORMAT_MESH_GMSH_READER_H

#include <stdbool.h>

#include "format/mesh/formats.h"

typedef struct limpet_gmsh_node {
  double number;
  double x[3];
} limpet_gmsh_node;

typedef struct limpet_gmsh_reader {
  const char *start, *at, *end;
  const char *path;
  limpet_error *error;
  limpet_mesh_file *mesh;
  bool binary;
  limpet_gmsh_node *node;  // (node_count)  by number, once all are read
  int node_count, node_room;
  int tetrahedron_room;
} limpet_gmsh_reader;

// An error of input where the reader is.
limpet_status limpet_gmsh_fail(const limpet_gmsh_reader *reader, const char *reason);
limpet_status limpet_gmsh_no_memory(const limpet_gmsh_reader *reader);
limpet_status limpet_gmsh_add_node(limpet_gmsh_reader *reader, double number, const double x[3]);
// Once all are read, and before the first element.
limpet_status limpet_gmsh_sort_nodes(limpet_gmsh_reader *reader);
/* nodes (count): their numbers. Elements of points, lines and faces are passed over; other volumes
 * than tetrahedra of four nodes are errors. */
limpet_status limpet_gmsh_add_element(limpet_gmsh_reader *reader, double type, const double *nodes,
                                      int count);

/* Binary files (gmsh_binary.c). The reader is behind the line of the format; `size`: of its
 * doubles. Whether the file has our order of bytes and 8 bytes a double. */
bool limpet_gmsh_binary_begins(const limpet_gmsh_reader *reader, double size);
// Sections behind their first line; `old`: version 2.2.
limpet_status limpet_gmsh_binary_nodes(limpet_gmsh_reader *reader, bool old);
limpet_status limpet_gmsh_binary_elements(limpet_gmsh_reader *reader, bool old);

#endif
