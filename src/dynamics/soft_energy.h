/* dynamics/soft_energy.h: energies of the deformable bodies of a world.
 *
 * What elements store takes a pass over all of them. A step that has found it for the positions of
 * its end keeps it with them, and it is taken from there while the positions are the same bits. */
#ifndef LIMPET_DYNAMICS_SOFT_ENERGY_H
#define LIMPET_DYNAMICS_SOFT_ENERGY_H

#include "limpet/data.h"

// [J]
double limpet_soft_kinetic(const limpet_model *model, const limpet_data *data);
// [J]  of weight, and stored by elements
double limpet_soft_potential(const limpet_model *model, const limpet_data *data);

/* What elements store at the positions that `data` has, elastic (deformable_count) [J]. Nothing is
 * kept without memory. */
void limpet_soft_elastic_keep(limpet_data *data, const double *elastic);

#endif
