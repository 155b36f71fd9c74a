// format/mjcf/flexcomp_thin.h: <flexcomp> of dim 1 and 2: ropes and cloth.
#ifndef LIMPET_FORMAT_MJCF_FLEXCOMP_THIN_H
#define LIMPET_FORMAT_MJCF_FLEXCOMP_THIN_H

#include "format/mjcf/deformable.h"

// Vertices, and segments or faces, of a flexcomp of that type and dim.
void limpet_mjcf_flexcomp_thin_mesh(limpet_mjcf *m, const limpet_mjcf_source *source,
                                    const limpet_xml_element *e, const char *type, int dim,
                                    limpet_deformable_description *d);
// Leaves out vertices that no face of a description names.
void limpet_mjcf_drop_unused(limpet_reader *reader, limpet_deformable_description *d);
// Welds the surface of a description and closes its holes. Returns how many there were.
int limpet_mjcf_close_holes(limpet_reader *reader, limpet_deformable_description *d);
// The surface of a description's tetrahedra in their place, a shell.
void limpet_mjcf_solid_to_shell(limpet_reader *reader, limpet_deformable_description *d);
// Elasticity, thickness, density and edges; children of the flexcomp may be NULL. mass [kg]
// `loose`: nothing has to hold the edges.
void limpet_mjcf_flexcomp_thin_material(limpet_reader *reader, const limpet_xml_element *e,
                                        const limpet_xml_element *elasticity,
                                        const limpet_xml_element *edges, double mass, bool loose,
                                        limpet_deformable_description *d);

#endif
