/* format/mesh/formats.h: one reader for each mesh format. A reader gets the
 * whole file, '\0' behind it. */
#ifndef LIMPET_FORMAT_MESH_FORMATS_H
#define LIMPET_FORMAT_MESH_FORMATS_H

#include "limpet/format.h"

typedef limpet_status limpet_mesh_reader(limpet_mesh_file *mesh, const char *text, size_t length,
                                         const char *path, limpet_error *error);

limpet_mesh_reader limpet_mesh_read_stl, limpet_mesh_read_obj, limpet_mesh_read_msh,
    limpet_mesh_read_vtk, limpet_mesh_read_gmsh;

/* Checks a tetrahedral mesh in Gmsh's text format, versions 2.2 and 4.1, as far as needed to tell a
 * broken file: headers, counts, indices. Binary files pass if their header is right. */
limpet_status limpet_mesh_check_gmsh(const char *text, size_t length, const char *path,
                                     limpet_error *error);

#endif
