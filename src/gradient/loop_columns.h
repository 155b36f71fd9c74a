// gradient/loop_columns.h: columns of pose and velocity from loops.
#ifndef LIMPET_GRADIENT_LOOP_COLUMNS_H
#define LIMPET_GRADIENT_LOOP_COLUMNS_H

#include "gradient/column_writer.h"
#include "gradient/loop_change.h"

// Adds a loop to the columns of trees that are known.
void limpet_loop_columns_write(const limpet_column_writer *writer, const limpet_loop_view *view);

#endif
