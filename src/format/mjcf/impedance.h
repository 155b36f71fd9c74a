/* format/mjcf/impedance.h: solref and solimp. */
#ifndef LIMPET_FORMAT_MJCF_IMPEDANCE_H
#define LIMPET_FORMAT_MJCF_IMPEDANCE_H

#include "format/read/reader.h"

// Reads solref- and solimp-like attributes; returns whether either is there.
bool limpet_mjcf_impedance(limpet_reader *reader, const limpet_xml_element *e,
                           const char *reference, const char *impedance, limpet_impedance *value);
bool limpet_mjcf_impedance_differs(const limpet_impedance *value);  // from MuJoCo's default
/* Whether an impedance is weaker than MuJoCo's default: whether its stiffness or damping is
 * smaller, where the violation is zero or at its full width. */
bool limpet_mjcf_impedance_weaker(const limpet_impedance *value);

#endif
