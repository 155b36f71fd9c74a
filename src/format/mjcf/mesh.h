/* format/mjcf/mesh.h: meshes of the builder from those of <asset>. */
#ifndef LIMPET_FORMAT_MJCF_MESH_H
#define LIMPET_FORMAT_MJCF_MESH_H

#include "format/mjcf/asset.h"

/* Handle of a mesh in the builder, reading its file if that was not done. LIMPET_NONE: the
 * file is missing and `needed` is false. */
int limpet_mjcf_mesh_handle(limpet_mjcf *m, const limpet_mjcf_source *source,
                            limpet_mjcf_mesh *mesh, bool needed);
/* Makes the mesh of <mesh builtin="..."> in `mesh`, tangents of skins in `d`; false: it is a kind
 * that is not made. */
bool limpet_mjcf_builtin(limpet_reader *reader, const limpet_xml_element *e, limpet_mesh_file *mesh,
                         limpet_mesh_description *d);
// Checks the Gmsh file of a <flexcomp> that is left out (dim 1 or 2): that should not hide that its
// file is broken.
void limpet_mjcf_gmsh_check(limpet_reader *reader, const limpet_mjcf_source *source,
                            const limpet_xml_element *e);

/* Handle of the mesh of a height field, which `geom` names; LIMPET_NONE: it cannot be read, which
 * was noted. */
int limpet_mjcf_hfield_handle(limpet_mjcf *m, const limpet_mjcf_source *source, const char *name,
                              const limpet_xml_element *geom);

/* Reads the file that the attribute `file` names into m->mesh_file, below the asset folder of the
 * source. Returns its path. */
const char *limpet_mjcf_mesh_file(limpet_mjcf *m, const limpet_mjcf_source *source,
                                  const limpet_xml_element *e);

#endif
