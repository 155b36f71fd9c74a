/* limpet/constraint.h: constraint kinds, as a table that describes itself, and loops. Floor 6. */
#ifndef LIMPET_CONSTRAINT_H
#define LIMPET_CONSTRAINT_H

#include "limpet/data.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct limpet_constraint_kind limpet_constraint_kind;  // src/constraint/kind.h

// Table, ended by NULL.
LIMPET_API const limpet_constraint_kind *const *limpet_constraint_kinds(void);
LIMPET_API const limpet_descriptor *limpet_constraint_kind_descriptor(
    const limpet_constraint_kind *kind);

/* How far the points of a loop are from where it holds them [m]: apart, or off their length
 * (distance); 0 where it is not active. After limpet_kinematics. */
LIMPET_API double limpet_loop_gap(const limpet_model *model, const limpet_data *data, int loop);
/* By what angle the frames of a weld are turned from each other [rad], from 0 to pi; 0 where it is
 * not active, or its torque scale leaves turns free, and of other kinds. After limpet_kinematics.
 */
LIMPET_API double limpet_loop_turn(const limpet_model *model, const limpet_data *data, int loop);

#ifdef __cplusplus
}
#endif
#endif
