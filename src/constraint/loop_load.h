/* constraint/loop_load.h: what a near-rigid loop has to carry: the bodies that hang on it through
 * other loops and through contacts.
 *
 *   group    blocks that loops and contacts join; of more than one block
 *   m        mass of the group [kg]
 *   I        sum m_t |c_t - P|^2 about the point P of the loop [kg m^2]
 *   weight   w' = 1/max(1/w, m) of translations, 1/max(1/w, I) of rotations
 * The weight w of the two bodies alone gives the stiffness that these two bodies need. A body of
 * 1 g that is welded to the world and carries 10 kg needs the stiffness of the 10 kg; with its own
 * it sags by the ratio of the masses. Blocks count whole; those that are still count as the world.
 * Cost: bodies + loops + patches, only in steps of models with loops and several blocks. */
#ifndef LIMPET_CONSTRAINT_LOOP_LOAD_H
#define LIMPET_CONSTRAINT_LOOP_LOAD_H

#include "contact/problem.h"

typedef struct limpet_load_group {
  int blocks;
  limpet_block_mass sum;
} limpet_load_group;

typedef struct limpet_loop_load {
  const limpet_contact_problem *problem;
  int *group_of;             // (block_count)  first block of the group
  limpet_load_group *group;  // (block_count)  filled at first blocks
} limpet_loop_load;

// Groups from the loops that act and the patches of the problem. After limpet_kinematics.
limpet_status limpet_loop_load_make(const limpet_model *model, const limpet_data *data,
                                    const limpet_contact_problem *problem, limpet_arena *arena,
                                    limpet_loop_load *load);

// w' of the loop for its weight w [1/kg], of turns [1/(kg m^2)], at the point P [m, W].
double limpet_loop_load_weight(const limpet_loop_load *load, const limpet_model *model, int loop,
                               const double P[3], bool turns, double w);

#endif
