// cli/stock.h: in which steps energy is looked at.
#ifndef LIMPET_CLI_STOCK_H
#define LIMPET_CLI_STOCK_H

#include "limpet/limpet.h"

/* Whether a step without log or replay takes stock of energy: one in 16, since that costs as much
 * as a half of a step, and each in which a vertex of a deformable body goes farther than half a
 * cell: there laws that are linear during a step may gain energy. */
bool limpet_takes_stock(const limpet_model *model, const limpet_data *data, int64_t step,
                        double time_step);

#endif
