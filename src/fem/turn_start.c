/* fem/turn_start.c: bodies that turn, whose forces are those of the end from the start of the step.
 *
 * A body that turns by the angle a in a step by backward Euler gains by forces that are linear
 *   2 (mu + lambda) V (1 - cos a)^2,   V [m^3] its volume,
 * as it is stretched by 1 - cos a across its axis. Where that is above what the step may gain
 * (follow.c), with
 *   v+ - v = (Q - 1) v/2 + dt g,   Q the rotation about w by a,   sin a = dt |w|,
 * w the rotation in v about the centre, no linear step is solved first. Forces are taken where the
 * body turns on as it did: v is the chord of the last step, so that of the next one is Q v. It has
 * no stretch of its own, so that H is exact there, and its factor serves later rounds, too. */
#include <math.h>
#include <string.h>

#include "fem/rigid_set.h"
#include "fem/spin.h"
#include "math/vec3.h"

// Q (9), and 1 - cos a; false: the body does not turn about its centre, or is a line.
static bool rotation_of_step(const limpet_fem_step *step, double Q[9], double *versine) {
  double w[3], axis[3];
  if (!limpet_fem_rotation_in(step->body, step->input.position, step->start, w)) return false;
  const double speed = limpet_vec3_norm(w), sine = fmin(speed * step->input.dt, 1.0);
  if (!(sine > 0.0)) return false;
  limpet_vec3_scale(axis, 1.0 / speed, w);
  *versine = sine * sine / (1.0 + sqrt(1.0 - sine * sine));
  const double cross[9] = {0.0, -axis[2], axis[1], axis[2], 0.0, -axis[0], -axis[1], axis[0], 0.0};
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j)
      Q[3 * i + j] =
          sine * cross[3 * i + j] + *versine * axis[i] * axis[j] + (i == j ? 1.0 - *versine : 0.0);
  return true;
}

// v <- Q v of the start; |v+ - v|^2/2 by mass [J].
static double turn_on(const limpet_fem_step *step, const double Q[9], double *v) {
  double change = 0.0;
  for (int i = 0; i < step->body->info.node_count; ++i) {
    double d[3];
    limpet_mat3_mul_vec(v + 3L * i, Q, step->start + 3L * i);
    limpet_vec3_sub(d, v + 3L * i, step->start + 3L * i);
    for (int k = 0; k < 3; ++k) d[k] = 0.5 * d[k] + step->input.dt * step->input.gravity[k];
    change += 0.5 * fabs(step->body->node_mass[i]) * limpet_vec3_dot(d, d);
  }
  return change;
}

// Whether the body turns so far that it would gain; step->taken is then where it turns on.
static bool turns_on(limpet_fem_step *step) {
  const limpet_fem_body *body = step->body;
  double Q[9], versine;
  if (!step->turned || !step->is_linear || !step->input.backward_euler ||
      step->input.fixed_count > 0 || body->thin.count > 0 || body->gas.present)
    return false;
  if (!rotation_of_step(step, Q, &versine)) return false;
  const double gain =
      2.0 * (body->lame.mu + body->lame.lambda) * body->info.volume * versine * versine;
  double room = turn_on(step, Q, step->taken);
  if (!(gain > room)) return false;
  room += limpet_fem_passing(step);
  if (!(gain > room && gain > room + limpet_fem_damped(step, step->taken))) return false;
  limpet_fem_rigid_admit(step, step->taken);
  return true;
}

limpet_fem_outcome limpet_fem_begin_turning(limpet_fem_step *step, const limpet_fem_input *input) {
  if (!limpet_fem_step_take_start(step, input)) return step->info.outcome = LIMPET_FEM_NOT_FINITE;
  if (!turns_on(step)) return limpet_fem_begin_taken(step);
  limpet_fem_follow(step);
  step->began_turning = true;
  return step->info.outcome = limpet_fem_relinearise(step, step->taken, false);
}
