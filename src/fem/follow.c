/* fem/follow.c: laws that are linear in a step, where that would bring energy: forces of its end.
 *
 * Solids of linear-corotated laws, with R the rotations of the start and Psi_R(q) the energy that
 * is quadratic in q, Psi that with the rotations of q itself: Psi_R is the model of the step, and
 * equals Psi at its start. By backward Euler, with contacts that only take,
 *   E+ - E <= Psi(q+) - Psi_R(q+) - |v+ - v|^2_M/2 - dt |v+|^2_(alpha M + beta K)
 * A body that turns by an angle a in the step is stretched by a^2/2 in Psi, not in Psi_R: where it
 * is stiff, that is much energy. So where the first difference is above the last two terms and
 * `passing` of the energy of the motion about the centre and of Psi, the step is solved for the
 * gradient of Psi at its end, as laws that are nonlinear are; in free flight by the midpoint rule,
 * too. Bodies of the law that does not turn have a quadratic Psi, and gain nothing.
 * Shells, ropes and gas: thin_follow.c. */
#include <math.h>
#include <string.h>

#include "fem/step.h"

static const double passing = 1e-4;  // [-]  of energies

// Solids whose linear law turns; others have nothing to follow, or are thin.
static bool turns(const limpet_fem_step *step) {
  return step->turned && step->body->info.law->frozen;
}

static double dot(long n, const double *a, const double *b) {
  double sum = 0.0;
  for (long i = 0; i < n; ++i) sum += a[i] * b[i];
  return sum;
}

double limpet_fem_damped(limpet_fem_step *step, const double *v) {
  const limpet_fem_body *body = step->body;
  const long n = 3L * body->info.node_count;
  double *work = step->force;
  if (body->info.mass_damping == 0.0 && body->info.stiffness_damping == 0.0) return 0.0;
  memset(work, 0, (size_t)n * sizeof *work);
  if (body->info.mass_damping > 0.0) limpet_fem_mass_add(body, body->info.mass_damping, v, work);
  limpet_fem_damping_add(step, 1.0, v, work);
  return step->input.dt * dot(n, v, work);
}

double limpet_fem_passing(limpet_fem_step *step) {
  return passing * limpet_fem_motion_energy(step, step->start, NULL);
}

static bool solid_gains(limpet_fem_step *step, const double *v) {
  double model;
  limpet_fem_step_positions(step, v, step->position);
  const double gain =
      limpet_fem()->turning_energy(step->body, step->R, step->position, &model, step->turned);
  memcpy(step->turned_at, step->position,
         3 * (size_t)step->body->info.node_count * sizeof *step->turned_at);
  step->turned_is_kept = true;
  double room = passing * model;
  if (gain <= room) return false;
  room += limpet_fem_passing(step);
  if (gain <= room) return false;
  if (!step->input.backward_euler) return true;
  room += limpet_fem_motion_energy(step, v, step->start);
  return !(gain <= room || gain <= room + limpet_fem_damped(step, v));
}

bool limpet_fem_gains(limpet_fem_step *step, const double *v) {
  if (!turns(step)) return limpet_fem_thin_gains(step, v);
  return step->is_linear && solid_gains(step, v);
}

void limpet_fem_follow(limpet_fem_step *step) {
  if (!turns(step)) {
    limpet_fem_thin_follow(step);
    return;
  }
  if (!step->is_linear) return;
  step->is_linear = false;
  limpet_fem_strain_start(step);
  limpet_fem_assemble_start(step, step->H0);
}

// What a linear step that was solved still needs, where its forces bring energy.
static limpet_fem_outcome follow_free(limpet_fem_step *step) {
  limpet_fem_outcome outcome = LIMPET_FEM_SOLVED;
  if (!limpet_fem_gains(step, step->free)) return outcome;
  if (turns(step)) {
    limpet_fem_follow(step);
    return step->info.outcome = limpet_fem_minimize(step, step->free);
  }
  if (!step->input.backward_euler) {
    limpet_fem_input other = step->input;
    other.backward_euler = true;
    outcome = limpet_fem_step_begin(step, &other);
    if (outcome != LIMPET_FEM_SOLVED || !limpet_fem_gains(step, step->free)) return outcome;
  }
  return limpet_fem_thin_settle(step);
}

limpet_fem_outcome limpet_fem_begin_pressed(limpet_fem_step *step, const limpet_fem_input *input,
                                            double left, bool *ends) {
  if (!step->body->info.law->frozen) return limpet_fem_begin_near_start(step, input, left, ends);
  const limpet_fem_outcome outcome = limpet_fem_step_begin(step, input);
  *ends = outcome != LIMPET_FEM_SOLVED || !turns(step) || !(step->left <= left);
  return outcome == LIMPET_FEM_SOLVED && *ends ? follow_free(step) : outcome;
}

limpet_fem_outcome limpet_fem_begin_or_follow(limpet_fem_step *step,
                                              const limpet_fem_input *input) {
  const limpet_fem_outcome outcome = limpet_fem_begin(step, input);
  return outcome == LIMPET_FEM_SOLVED ? follow_free(step) : outcome;
}

limpet_fem_outcome limpet_fem_end_pressed(limpet_fem_step *step) {
  return step->is_linear ? follow_free(step) : limpet_fem_begin_end(step);
}
