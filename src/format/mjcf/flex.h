/* format/mjcf/flex.h: <flex>, and vertices of deformable bodies by the names that MuJoCo gives
 * their bodies. */
#ifndef LIMPET_FORMAT_MJCF_FLEX_H
#define LIMPET_FORMAT_MJCF_FLEX_H

#include "format/mjcf/name.h"

// Adds a deformable body and the names of it and its geom. Returns its handle.
int limpet_mjcf_flex_add(limpet_mjcf *m, const limpet_mjcf_space *space,
                         const limpet_xml_element *e, const limpet_deformable_description *d);
// The vertices of this body are numbered as MuJoCo's: NAME_0 to NAME_(vertex_count - 1).
void limpet_mjcf_flex_number(limpet_mjcf *m, int handle, int vertex_count);
// Ties a vertex that a <connect> names to its other body. False: it names none.
bool limpet_mjcf_flex_connect(limpet_mjcf *m, const limpet_mjcf_space *space,
                              const limpet_xml_element *e);
// Adds each <flex> of the section <deformable>; after the tree.
void limpet_mjcf_flexes_add(limpet_mjcf *m);

// In flexcomp.c. Attributes and <contact> of a flexcomp or flex that say how it touches and looks.
void limpet_mjcf_flexcomp_surface(limpet_reader *reader, const limpet_xml_element *e,
                                  limpet_deformable_description *d);
/* Elasticity, thickness, density and edges of a flexcomp or flex with its elements. mass [kg];
 * `loose`: nothing has to hold its edges, since its vertices are those of bodies. */
void limpet_mjcf_flexcomp_material(limpet_reader *reader, const limpet_xml_element *e, int dim,
                                   double mass, bool loose, limpet_deformable_description *d);

#endif
