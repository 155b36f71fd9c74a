/* limpet/gradient_jump.h: where a step jumps near its start, so that no derivative tells what
 * happens there. Floor 8. docs/gradients.md, "Jumps", says what was counted.
 *
 * The step is a chain of decisions: which contacts take part, by which rules trees fly, whether it
 * is solved anew, and which of several solutions of Coulomb's law its solver meets. Where one
 * changes, the results may jump. Of most of these nothing at the solution tells how near the next
 * one is, so steps from moved states look for them:
 *   f(t) = velocity after a step from q (+) t d, v + t d,   d_i = +-1 drawn once
 * along both ways of `jump_directions` directions d, t from 1e-10 to `jump_width` tenfold. What
 * changes by more than 1e-6 m/s or rad/s in between is halved until the change stays in 5e-9 of the
 * time step: a smooth step changes by less there. Smaller jumps are not looked for, nor those that
 * a direction happens to pass by. Vertices of deformable bodies move as coordinates do. The steps
 * end at 1e-12 of their residual, where they do not reach it at 1e-10 or 1e-8. */
#ifndef LIMPET_GRADIENT_JUMP_H
#define LIMPET_GRADIENT_JUMP_H

#include "limpet/base.h"

#ifdef __cplusplus
extern "C" {
#endif

// What differs between both sides, the first of these.
typedef enum limpet_jump_cause {
  LIMPET_JUMP_NONE,      // no jump was found
  LIMPET_JUMP_CONTACTS,  // other pairs, or other points of one, take part
  LIMPET_JUMP_ROWS,      // other limits, loops or actuators do
  LIMPET_JUMP_RULES,     // trees move by other rules before anything touches them
  LIMPET_JUMP_LOOKS,     // one side was solved anew, or with weaker returns
  LIMPET_JUMP_SOLUTION,  // both sides are solutions of the same problem
  LIMPET_JUMP_END        // trees end the step by other rules
} limpet_jump_cause;

// The nearest one. Where there is one, `kink` of the derivatives is infinite in every column.
typedef struct limpet_gradient_jump {
  limpet_jump_cause cause;
  double distance;  // [m, rad, m/s, rad/s]  of each coordinate, along its direction; INFINITY: none
  double size;      // [m/s, rad/s]  change of the velocity that changes most
  int dof;          // that velocity; LIMPET_NONE: none
  // whose force changes most, index into the contact arrays of the step; LIMPET_NONE: none of them
  int contact;
  int steps;  // that were made to look for it; 3 and no cause: none was solved, nothing is known
} limpet_gradient_jump;

// "none", "contacts", "rows", "rules", "looks", "solution", "end".
LIMPET_API const char *limpet_jump_word(limpet_jump_cause cause);

#ifdef __cplusplus
}
#endif
#endif
