/* step/report_lead.c: energy of what moves half a step ahead of its velocity.
 *
 * Where positions move by the velocity at the end of the step, forces do
 *   dt f0 . (v0 + v1)/2                       to the kinetic energy, as every impulse does,
 *   V1 - V0 = -dt (f0 + f1)/2 . v1 + O(dt^3)  to the potential V, with f = -dV/dq
 * and the energy swings by what these differ. With the lead dt/2 f . v of either end the sum is
 *   T + V + dt/2 f . v:   dt/2 f0 . (v0 + v1) - dt/2 (f0 + f1) . v1 + dt/2 (f1 . v1 - f0 . v0) = 0
 * so that gravity and explicit springs keep it, and implicit springs, whose impulse is dt f1, take
 *   -dt^2/2 v1 . K (v0 + v1)
 * T + V + dt/2 f . v is the energy of the velocity v and of the position half a step before it,
 * where v is the mean velocity. What moves by the mean velocity (flight.h) has no lead.
 *
 * f (nv): gravity and springs [N, N m]. The lead of a tree follows what moved it last: all of it,
 * the springs of its joints (impulses within the tree: its centre of mass goes as in flight), or
 * nothing.
 * A lead f . v > 0 that begins in a step, where a body lands, is not yet counted at its end: what
 * the step tells is what T + V rose. It is dt/2 f . v of the fall that the contact stops, and only
 * what bounces back keeps it; then it is told as the lead ends. One that begins with f . v < 0,
 * where something is lifted off, is counted at once: V rose by a whole step of weight, T paid half
 * of it. Where contacts part after an impact, their law has paid all of it (contact/restitution.h):
 * such a lead is told apart, and left out in the next step, too. Source: Hairer, Lubich, Wanner,
 * Geometric Numerical Integration, sections I.1.4 (staggered grids) and IX.3 (modified energies).
 * Cost: 20 flops a body. */
#include "contact/kept.h"
#include "dynamics/joint_spring.h"
#include "math/extremes.h"
#include "math/vec3.h"
#include "model/tendon_path.h"
#include "step/flight.h"
#include "step/reports.h"

typedef struct lead {
  double share;  // [-]  of dt/2 f . v
  bool springs;  // of springs alone
} lead;

static lead lead_of(const limpet_free_motion *motion, int tree, const double *held) {
  if (motion->moves_before || motion->after) return (lead){0.0, false};
  if (!motion->flight || held[tree] == LIMPET_FLIGHT_HELD_OUTSIDE) return (lead){1.0, false};
  if (held[tree] == 1.0) return (lead){1.0, true};
  return (lead){1.0 - motion->flight->balance[tree].share, false};
}

// [W]  power of the weight of a tree: g . (m u + w x h) with h = m c about the tree's origin.
static double weight_power(const limpet_model *model, const limpet_data *data, int tree) {
  if (model->options.disabled & LIMPET_DISABLE_GRAVITY) return 0.0;
  const int first = model->tree_body[tree], end = first + model->tree_body_count[tree];
  double momentum[3] = {0.0};
  for (int b = first; b < end; ++b) {
    const double *I = data->body_inertia + 10 * b, *V = data->body_velocity + 6 * b;
    double turned[3];
    limpet_vec3_cross(turned, V, I + 1);
    limpet_vec3_addmul(turned, turned, I[0], V + 3);
    limpet_vec3_add(momentum, momentum, turned);
  }
  return limpet_vec3_dot(model->options.gravity, momentum);
}

// [W]  power of the springs of the joints of a tree.
static double spring_power(const limpet_model *model, const limpet_data *data, int tree) {
  const limpet_range joints = limpet_tree_joints(model, tree);
  double power = 0.0;
  for (int j = joints.first; j < joints.end; ++j) {
    if (model->joint_stiffness[j] == 0.0) continue;
    double displacement[6];
    const double *v = data->v + model->joint_v[j];
    const int count = limpet_joint_displacement(displacement, model, data, j);
    for (int i = 0; i < count; ++i) power -= model->joint_stiffness[j] * displacement[i] * v[i];
  }
  return power;
}

// [W]  of the weight and the springs of a tree, as far as it leads.
static double leading(double weight, double springs, lead one) {
  return one.share == 0.0 ? 0.0 : one.share * ((one.springs ? 0.0 : weight) + springs);
}

// Of a tree with the lead `kept` over both ends of the step, `all` at this one.
static double leading_power(const limpet_data *data, int tree, lead kept, lead all) {
  const limpet_model *model = data->model;
  if (kept.share == 0.0 && all.share == 0.0) return 0.0;
  const bool sprung = !(model->options.disabled & LIMPET_DISABLE_SPRING);
  const double weight = kept.springs && all.springs ? 0.0 : weight_power(model, data, tree);
  const double springs = sprung ? spring_power(model, data, tree) : 0.0;
  return limpet_min(leading(weight, springs, kept), leading(weight, springs, all));
}

// The lead of a tree that had it at both ends of the step; former NULL: at its start.
static lead lead_over(const limpet_free_motion *motion, int tree, const double *held,
                      const double *former) {
  const lead now = lead_of(motion, tree, held);
  if (!former) return now;
  const lead before = lead_of(motion, tree, former);
  return (lead){limpet_min(before.share, now.share), before.springs || now.springs};
}

// Whether contacts of a tree part in the step: what rises is paid by their speeds.
static bool parts(const limpet_step_solution *solution, int tree) {
  const limpet_contact_problem *problem = &solution->problem;
  for (int p = 0; problem->rebound && p < problem->patch_count; ++p) {
    const limpet_patch *patch = &problem->patch[p];
    bool touches = false;
    for (int k = 0; k < patch->side_count; ++k) touches = touches || patch->side[k].block == tree;
    if (touches && limpet_patch_parts(patch, problem->rebound)) return true;
  }
  return false;
}

double limpet_report_lead(const limpet_data *data, const limpet_step_work *work, const double *held,
                          const double *former, const limpet_step_solution *solution,
                          double *parted) {
  const limpet_model *model = data->model;
  const bool springs = !(model->options.disabled & LIMPET_DISABLE_SPRING);
  double power = 0.0, left = 0.0;
  for (int t = 0; t < model->tree_count; ++t) {
    const double one = leading_power(data, t, lead_over(&work->motion, t, held, former),
                                     lead_of(&work->motion, t, held));
    if (solution && one < 0.0 && parts(solution, t)) left += one;
    else power += one;
  }
  if (parted) *parted = 0.5 * work->settings.time_step * left;
  for (int i = 0; springs && i < model->tendon_count; ++i) {
    if (model->tendon_stiffness[i] == 0.0) continue;
    const int tree = limpet_tendon_tree(model, i);
    if (tree < 0) continue;
    power -= lead_over(&work->motion, tree, held, former).share * model->tendon_stiffness[i] *
             limpet_tendon_displacement(model, data, i) * data->tendon_velocity[i];
  }
  return 0.5 * work->settings.time_step * power;
}
