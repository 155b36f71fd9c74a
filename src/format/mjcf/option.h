/* format/mjcf/option.h: <option>: physics of the whole model. */
#ifndef LIMPET_FORMAT_MJCF_OPTION_H
#define LIMPET_FORMAT_MJCF_OPTION_H

#include "format/mjcf/source.h"

void limpet_mjcf_options_read(limpet_mjcf *m);  // of the main file
// Compares the options of an attached model with the main file's, as <compiler conflict> says.
void limpet_mjcf_options_merge(limpet_mjcf *m, limpet_mjcf_source *child,
                               const limpet_xml_element *attach);

#endif
