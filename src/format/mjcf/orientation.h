/* format/mjcf/orientation.h: rotations and segments as MJCF writes them. */
#ifndef LIMPET_FORMAT_MJCF_ORIENTATION_H
#define LIMPET_FORMAT_MJCF_ORIENTATION_H

#include "format/mjcf/source.h"

// Reads quat, axisangle, euler, xyaxes or zaxis; returns whether one is there. More than one ends
// the reading.
bool limpet_mjcf_orientation(limpet_reader *reader, const limpet_mjcf_source *source,
                             const limpet_xml_element *e, double quaternion[4]);
void limpet_mjcf_euler(const limpet_mjcf_source *source, const double angle[3],
                       double quaternion[4]);
// Pose of a segment: centre, quaternion that takes z to the direction from its end to its start,
// half its length (returned).
double limpet_mjcf_segment(const double from_to[6], double position[3], double quaternion[4]);

#endif
