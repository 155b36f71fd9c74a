// gradient/contact_weights.h: columns of a patch of one tree through Delassus estimates.
#ifndef LIMPET_GRADIENT_CONTACT_WEIGHTS_H
#define LIMPET_GRADIENT_CONTACT_WEIGHTS_H

#include "gradient/contact_composite.h"

// Adds what the weights that the patch's law depends on do. LIMPET_OK or LIMPET_ERROR_MEMORY.
limpet_status limpet_contact_weights_write(const limpet_composite_writer *writer,
                                           const limpet_patch_view *view);

#endif
