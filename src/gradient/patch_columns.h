// gradient/patch_columns.h: columns of pose and velocity from the contacts between two bodies.
#ifndef LIMPET_GRADIENT_PATCH_COLUMNS_H
#define LIMPET_GRADIENT_PATCH_COLUMNS_H

#include "gradient/column_writer.h"

// Adds to the columns of trees that are known. LIMPET_OK or LIMPET_ERROR_MEMORY.
limpet_status limpet_patch_columns_write(limpet_column_writer *writer, int island,
                                         const limpet_patch *patch);

#endif
