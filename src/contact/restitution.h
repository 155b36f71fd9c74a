/* contact/restitution.h: bounces of near-rigid contacts: an impact takes two steps. The first
 * brings the contact to the surface, as for any contact; the second lets it part with the share e
 * of the speed of the impact (Poisson's two phases, each with friction).
 *
 *   v_i^2 = v_0^2 + 2 g phi_0 + p g h |v_0|      speed of the impact, within the first step
 *   1/2 v_e^2 + c g h v_e = 1/2 (e v_i)^2        speed v_e at the end of the second
 *   v_0, v_free [m/s] normal speed at the start of a step, and at its end without contact
 *   g = (v_0 - v_free)/h [m/s^2], phi_0 [m] distance at the start, 0 where it is negative
 * The second equation gives the height e^2 times that of the fall: in the second step the contact
 * moves by h v_e already. c and p belong to how steps move: c = 1, p = 0 where free flight is of
 * second order; c = 1/2, p = 1 where it is symplectic Euler.
 * Slow impacts do not bounce: below 2 g h a body that rests would be thrown by round-off. */
#ifndef LIMPET_CONTACT_RESTITUTION_H
#define LIMPET_CONTACT_RESTITUTION_H

#include <stdbool.h>

/* v_i [m/s] of a contact that closes within the step dt [s] without a contact force; 0 where it
 * does not, or too slowly to bounce. `plain`: positions move by symplectic Euler. */
double limpet_restitution_impact(double dt, double distance, double speed, double speed_free,
                                 bool plain);

// Slopes of v_i, where it is not 0, by distance, speed and speed_free.
void limpet_restitution_impact_slopes(double dt, double distance, double speed, double speed_free,
                                      bool plain, double slopes[3]);

// v_e [m/s] of a contact that is to part with `rebound` = e v_i.
double limpet_restitution_speed(double rebound, double speed, double speed_free, bool plain);

#endif
