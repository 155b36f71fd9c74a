/* format/mjcf/surface.h: stiffness, dissipation, friction and motion of a geom's surface. */
#ifndef LIMPET_FORMAT_MJCF_SURFACE_H
#define LIMPET_FORMAT_MJCF_SURFACE_H

#include "format/read/reader.h"

// One layer of attributes.
void limpet_mjcf_surface_read(limpet_reader *reader, const limpet_xml_element *e,
                              limpet_material *material);
// Ends the reading where a number of the whole is out of its range.
void limpet_mjcf_surface_check(limpet_reader *reader, const limpet_xml_element *e,
                               const limpet_material *a);

#endif
