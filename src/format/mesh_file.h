/* format/mesh_file.h: one reader for each mesh format, and what they share. A reader gets the whole
 * file, '\0' behind it. */
#ifndef LIMPET_FORMAT_MESH_FILE_H
#define LIMPET_FORMAT_MESH_FILE_H

#include "limpet/format.h"

typedef limpet_status limpet_mesh_reader(limpet_mesh_file *mesh, const char *text, size_t length,
                                         const char *path, limpet_error *error);

limpet_mesh_reader limpet_mesh_read_stl, limpet_mesh_read_obj, limpet_mesh_read_msh;

/* Checks a tetrahedral mesh in Gmsh's text format, versions 2.2 and 4.1, as far as needed to tell a
 * broken file: headers, counts, indices. Binary files pass if their header is right. */
limpet_status limpet_mesh_check_gmsh(const char *text, size_t length, const char *path,
                                     limpet_error *error);

typedef struct limpet_mesh_growth {  // arrays that double when full
  limpet_mesh_file *mesh;
  int vertex_room, face_room;
} limpet_mesh_growth;

// Index of the new vertex or face, or -1 when there is no memory.
int limpet_mesh_add_vertex(limpet_mesh_growth *growth, const double vertex[3]);
int limpet_mesh_add_face(limpet_mesh_growth *growth, int a, int b, int c);

#endif
