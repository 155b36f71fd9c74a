/* format/mjcf/check.h: a document against the schema. */
#ifndef LIMPET_FORMAT_MJCF_CHECK_H
#define LIMPET_FORMAT_MJCF_CHECK_H

#include "format/read/reader.h"

// Ends the reading at an unknown element or attribute; notes what is not simulated.
void limpet_mjcf_check(limpet_reader *reader, const limpet_xml_element *root);

#endif
