/* step/soft_sets.h: vertices that are tied to one rigid body and move as a part of it
 * (settings.rigid_ties): see soft_sets.c. */
#ifndef LIMPET_STEP_SOFT_SETS_H
#define LIMPET_STEP_SOFT_SETS_H

#include "step/soft_motion.h"

// The workspace of body d; `rigid_ties`: with its sets. NULL: no memory.
limpet_fem_step *limpet_soft_step_create(const limpet_model *model, int d, bool rigid_ties);
// Where the vertices of the sets of body d are on their bodies, and how fast they are led back.
void limpet_soft_sets_place(const limpet_model *model, const limpet_data *data,
                            const limpet_step_settings *settings, int d, limpet_fem_step *step);

// g (3) [m, W]: how far the vertex of a tie is from its place.
void limpet_soft_tie_gap(const limpet_model *model, const limpet_data *data, int tie, double g[3]);
/* The bodies of `soft` with vertices of sets where `data` has what they are tied to; those of
 * `soft` stay. NULL: no memory. */
const limpet_soft_body *limpet_soft_sets_seen(const limpet_model *model, const limpet_data *data,
                                              const limpet_soft_motion *soft, limpet_arena *arena);
/* problem->rigid_vertex as that of another problem, with the arms of `bodies`. LIMPET_OK or
 * LIMPET_ERROR_MEMORY. */
limpet_status limpet_soft_sets_like(const limpet_model *model, const limpet_contact_problem *other,
                                    const limpet_soft_body *bodies, limpet_arena *arena,
                                    limpet_contact_problem *problem);

/* x (body->size) <- the unknowns of a body from v (vertices of the body x 3). `led`: v has the
 * velocities that lead back. */
void limpet_soft_unknowns(const limpet_soft_body *body, const double *v, bool led, double *x);
/* problem->rigid_vertex from the numbers of all vertices, of which those in sets have none
 * afterwards. LIMPET_OK or LIMPET_ERROR_MEMORY. */
limpet_status limpet_soft_sets_join(const limpet_model *model, const limpet_soft_motion *soft,
                                    limpet_arena *arena, int *dof, limpet_contact_problem *problem);
// Whether a vertex is in a set of the problem.
bool limpet_soft_in_set(const limpet_contact_problem *problem, int vertex);
/* impulse (vertex_count x 3) at vertices of sets <- of all that sum to what acts on the set the
 * least; from that of the problem. */
void limpet_soft_sets_share_out(const limpet_model *model, const limpet_soft_motion *soft,
                                const limpet_contact_problem *problem, const double *from,
                                double *impulse);

#endif
