/* step/report_friction.c: friction of every contact against Coulomb's law, by results.
 *
 *   N, T       [N]  normal and tangential force;  bound mu N
 *   outside    T/(mu max(N, floor)) - 1, largest. The floor is a share of the largest force of the
 *              step: friction without normal force counts, noise does not.
 *   missing    of contacts that slide: 1 - T/(mu N), largest, and sum (mu N - T)+ / sum mu N
 *   departure  the larger of both
 *
 * A contact slides where its slip is ten times the speed below which friction is regularised
 * (friction is 0.995 of its bound there), and 1 mm/s at least. Anisotropic friction: in the scaled
 * tangents of friction_shape.h, where its ellipse is a circle. Cost: 30 flops a contact. */
#include <math.h>

#include "math/extremes.h"
#include "step/reports.h"

static const double carries = 1e-3;       // [-]  of the largest force: smaller ones are noise
static const double slides_slip = 10.0;   // [-]  of the slip speed of regularised friction
static const double slides_speed = 1e-3;  // [m/s]

// One contact in the axes of the problem; impulses as forces.
typedef struct contact_force {
  double normal, tangential;  // [N]
  double bound;               // [N]
  double slip;                // [m/s]
} contact_force;

static contact_force force_of(const limpet_contact_problem *problem,
                              const limpet_contact_solution *solution, int contact) {
  const double *gamma = solution->gamma + 3 * contact, *v = solution->velocity + 3 * contact;
  const double rate = 1.0 / problem->dt;
  return (contact_force){
      .normal = rate * gamma[2],
      .tangential = rate * sqrt(gamma[0] * gamma[0] + gamma[1] * gamma[1]),
      .bound = rate * solution->constants[contact].friction * limpet_max(gamma[2], 0.0),
      .slip = sqrt(v[0] * v[0] + v[1] * v[1])};
}

static void note_departure(limpet_step_info *info, double departure, int contact) {
  if (!(departure > info->friction_departure)) return;
  info->friction_departure = departure;
  info->friction_contact = contact;
}

void limpet_report_friction(limpet_data *data, const limpet_contact_records *records,
                            const limpet_contact_problem *problem,
                            const limpet_contact_solution *solution) {
  limpet_step_info *info = &data->info;
  info->friction_contact = LIMPET_NONE;
  double largest = 0.0, missing = 0.0;
  for (int i = 0; i < data->contact_count; ++i)
    largest = limpet_max(largest, data->contact_force[3 * i + 2]);
  for (int i = 0; i < data->contact_count; ++i) {
    const int contact = records->record[i].contact;
    const double friction = solution->constants[contact].friction;
    const contact_force f = force_of(problem, solution, contact);
    info->friction_total += f.tangential;
    if (!(f.normal > 0.0)) info->friction_loose += f.tangential;

    // outside the cone
    const double floor = carries * limpet_max(largest, f.tangential);
    const double allowed = friction * limpet_max(f.normal, floor);
    if (allowed > 0.0) {
      const double outside = f.tangential / allowed - 1.0;
      info->friction_outside = limpet_max(info->friction_outside, outside);
      note_departure(info, outside, i);
    }

    // missing on what slides
    if (f.slip <= limpet_max(slides_slip * data->contact_slip_speed[i], slides_speed)) continue;
    info->friction_sliding += f.bound;
    missing += limpet_max(f.bound - f.tangential, 0.0);
    if (f.normal > carries * largest && f.bound > 0.0)
      note_departure(info, 1.0 - f.tangential / f.bound, i);
  }
  if (info->friction_sliding > 0.0) info->friction_missing = missing / info->friction_sliding;
}

limpet_outcome limpet_report_outcome(const limpet_contact_model *model,
                                     const limpet_step_info *info, limpet_outcome outcome) {
  const bool missed =
      model->promises_friction && info->friction_departure > LIMPET_FRICTION_TOLERANCE;
  return missed && outcome == LIMPET_OUTCOME_SOLVED ? LIMPET_OUTCOME_FRICTION_MISSED : outcome;
}
