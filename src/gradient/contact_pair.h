/* gradient/contact_pair.h: columns of a patch between two bodies of one tree, velocity by velocity:
 * see contact_columns.h. */
#ifndef LIMPET_GRADIENT_CONTACT_PAIR_H
#define LIMPET_GRADIENT_CONTACT_PAIR_H

#include "gradient/contact_composite.h"

// Adds to the columns of the writer. LIMPET_OK or LIMPET_ERROR_MEMORY.
limpet_status limpet_contact_pair_write(const limpet_composite_writer *writer,
                                        const limpet_patch_view *patch);

#endif
