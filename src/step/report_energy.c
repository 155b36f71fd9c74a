/* step/report_energy.c: energies at the end of a step, and energy that rose without work.
 *
 *   E = kinetic + potential (gravity, springs) + stored in contacts whose stiffness an author gave,
 *       by pressure and by shear of contact surfaces + stored in limits and loops that are springs
 *   rise = E1 + lead1 - E0 - lead0 - W - W_returns,   W = dt (v0 + v1)/2 . f + W_surfaces + W_mocap
 *   lead     by which positions are ahead of velocities: report_lead.c, and of contacts here
 *   f        (nv)  of actuators, applied forces and wrenches, gravity compensation
 *   surfaces -dt F . s: belts; F force on B, s velocity of B's surface less A's while bodies rest
 *   mocap    dt F . u where positive: bodies that the user moves push by their overlap
 *   returns  of what is led back: report_returns.c
 * What near-rigid contacts and rows store is numerical penalty, not energy: it is no part of E, but
 * for what the rebounds of the next step may give back of their impacts (rebound.c).
 * What it gives to bodies at the speed of their laws is W_returns, beyond that a rise. On bodies
 * that fly alone W is that of flight_body.c. Implicit springs and dampers only take. (v0 + v1)/2
 * makes W exact for constant M, for implicit forces too: an impulse changes v' M v/2 by its product
 * with the mean of both velocities, whatever velocity its law was evaluated at.
 * The end of a step takes contacts to be closed by their velocities: bodies may end deeper, by
 * their paths, which are curved, or as their tree was slowed down. Then the next step begins with
 * more than that: it counts as its rise, where the state is the one that the step before left.
 * Below 1e-12 of the terms a rise is round-off, and 0; NaN where it is not looked at (commit.c).
 * Cost: kinematics of the end. */
#include <math.h>
#include <string.h>

#include "contact/kept.h"
#include "dynamics/applied.h"
#include "dynamics/tree.h"
#include "math/vec3.h"
#include "model/mocap.h"
#include "step/anchors.h"
#include "step/flight.h"
#include "step/reports.h"

static const double round_off = 1e-12;  // [-]  of the magnitude of the terms
// [-]  of kinetic and potential energy: by which those of a state that nobody changed may differ
static const double same = 1e-12;

/* Stored by a point of a contact surface of depth d [m], A p0^2/(2 g) = f d/2, at the start of the
 * step; at its end, closed by `closed` [m], with the work of its force f - k closed >= 0. Where the
 * surface runs along the gradient, k is next to nothing and d the depth by the steepest gradient.
 */
static double stored_by_point(const limpet_contact_constants *c, double distance, double closed) {
  const double f = fmax(0.0, c->elastic_force), end = c->elastic_force + c->stiffness * closed,
               start = 0.5 * f * fmax(0.0, -distance);
  if (closed == 0.0) return start;
  if (f == 0.0) return end > 0.0 ? 0.5 * end * end / c->stiffness : 0.0;
  const double done = end > 0.0 ? 0.5 * (f + end) * closed : -0.5 * f * f / c->stiffness;
  return fmax(0.0, start + done);
}

// [N]  Elastic force of a contact that is `way` [m] farther than at the start: the slope of its
// energy, by differences that are exact for linear laws.
static double pressed_by(const limpet_contact_problem *problem, const limpet_contact_constants *c,
                         double way) {
  if (c->surface) return fmax(0.0, c->elastic_force - c->stiffness * way);
  const double phi = c->distance + way, step = 1e-4 * fabs(phi);
  if (step == 0.0) return 0.0;
  return (problem->model->energy(c, phi - step) - problem->model->energy(c, phi + step)) /
         (2.0 * step);
}

/* [-]  Share of dt/2 f . v by which a contact leads. With all of it a spring alone, a = dt omega,
 * would swing by a^4 of its energy, and much more where the step does not resolve it; with
 * (1 + a^2)/sqrt(1 + a^2 (3 + a^2)^2/4) its energy falls in every step, whatever its phase. */
static double leading_share(const limpet_contact_constants *c, double dt) {
  const double a = dt * dt * c->stiffness * c->delassus, b = 3.0 + a;
  return fmin(1.0, (1.0 + a) / sqrt(1.0 + 0.25 * a * b * b));
}

typedef struct store {
  double energy;   // [J]  in contacts that have a stiffness of their own
  double lead;     // [J]  what they lead by
  double passive;  // [J]  of the energy, in overlaps that the user does not move
} store;

// At the start or at the end of the step.
static store stored(const limpet_data *data, const limpet_step_work *work,
                    const limpet_step_solution *solution, bool at_end) {
  const limpet_contact_problem *problem = &solution->problem;
  store all = {0};
  for (int i = 0; i < problem->contact_count; ++i) {
    const limpet_contact_constants *c = &solution->contact.constants[i];
    if (c->near_rigid) continue;
    const double v = at_end ? solution->contact.velocity[3 * i + 2] : c->normal_speed,
                 way = at_end ? problem->dt * v : 0.0;
    const limpet_contact_record *record = &work->records.record[problem->contact_source[i]];
    const double distance = record->distance;
    const double one = c->surface ? stored_by_point(c, distance, -way)
                                  : problem->model->energy(c, c->distance + way),
                 ahead = 0.5 * problem->dt * v * pressed_by(problem, c, way) *
                         leading_share(c, problem->dt);
    if (!isfinite(one + ahead)) continue;  // an island that failed may have no numbers
    all.energy += one, all.lead += ahead;
    if (!work->records.pair[record->pair].driven) all.passive += one;
  }
  all.energy += at_end ? limpet_anchors_energy(data) : limpet_contact_taken(problem);
  all.energy += limpet_contact_kept_energy(problem, at_end ? solution->contact.velocity : NULL,
                                           work->settings.stiction_speed);
  return all;
}

// Work of belts and of bodies that the user moves, through contacts.
static double contact_work(const limpet_data *data, const limpet_step_work *work) {
  const limpet_model *model = data->model;
  const double dt = work->settings.time_step;
  double sum = 0.0;
  for (int i = 0; i < data->contact_count; ++i) {
    const limpet_contact_pair *pair = &work->records.pair[work->records.record[i].pair];
    const double *f = data->contact_force + 3 * i, *R = data->contact_frame + 9 * i;
    if (pair->surface_moves) {
      const double *V = pair->surface_velocity;
      double velocity[3];
      limpet_vec3_cross(velocity, V, data->contact_position + 3 * i);
      limpet_vec3_add(velocity, velocity, V + 3);
      // laws see surfaces run along themselves alone: constants.c
      for (int e = 0; e < 2; ++e) sum -= dt * f[e] * limpet_vec3_dot(R + 3 * e, velocity);
      sum -= dt * data->contact_torsion[i] * limpet_vec3_dot(R + 6, V);
    }
    const limpet_contact_record *record = &work->records.record[i];
    if (record->pull != 0.0)
      sum -= 0.5 * dt * record->pull *
             (data->contact_velocity[3 * i + 2] +
              work->problem.constants[record->contact].normal_speed);
    if (model->mocap_count == 0) continue;
    if (limpet_body_on_mocap(model, model->geom_body[pair->geoms.geom_a]) ||
        limpet_body_on_mocap(model, model->geom_body[pair->geoms.geom_b]))
      sum += dt * fmax(0.0, limpet_vec3_dot(f, data->contact_velocity + 3 * i));
  }
  return sum;
}

// Work of the forces (nv), and of loops that hang on bodies that the user moves.
static double joint_work(const limpet_data *data, const double *force, const double *v_end,
                         double dt) {
  const limpet_model *model = data->model;
  double sum = 0.0;
  for (int d = 0; d < model->nv; ++d) sum += 0.5 * dt * force[d] * (data->v[d] + v_end[d]);
  if (model->mocap_count == 0) return sum;
  bool hangs = false;
  for (int i = 0; i < 2 * model->loop_count; ++i)
    hangs = hangs || limpet_body_on_mocap(model, model->loop_body[i]);
  for (int d = 0; hangs && d < model->nv; ++d)
    sum += fmax(0.0, 0.5 * dt * data->constraint_joint_force[d] * (data->v[d] + v_end[d]));
  return sum;
}

// Work of the forces (nv) on bodies that fly alone, which become zero.
static double flown_work(const limpet_data *data, const limpet_step_work *work,
                         const limpet_step_solution *solution, double *force) {
  const limpet_model *model = data->model;
  double sum = 0.0;
  for (int t = 0; t < model->tree_count && work->motion.flight; ++t) {
    if (!limpet_trees_have(work->trees, t) || solution->held[t] > 0.0 ||
        solution->contact.held[t] || !limpet_flight_alone(work->motion.flight, t))
      continue;
    sum += limpet_flight_body_work(model, data, t, work->settings.time_step, &work->motion,
                                   solution->v, solution->q);
    memset(force + model->tree_dof[t], 0, (size_t)model->tree_dof_count[t] * sizeof *force);
  }
  return sum;
}

// Whether the state is the one that the step before left.
static bool goes_on(const limpet_energy_end *former, double kinetic, double potential) {
  const double scale = same * (kinetic + fabs(potential));
  return former->known && fabs(kinetic - former->kinetic) <= scale &&
         fabs(potential - former->potential) <= scale;
}

limpet_status limpet_report_energy_begin(limpet_data *data, const limpet_step_work *work,
                                         const limpet_step_solution *solution,
                                         const limpet_energy_end *former,
                                         limpet_energy_account *account) {
  const limpet_model *model = data->model;
  *account = (limpet_energy_account){0};
  if (work->settings.scheme->from_rest) return LIMPET_OK;
  double *force = LIMPET_TAKE_ZERO(work->arena, double, model->nv);
  if (!force) return LIMPET_ERROR_MEMORY;
  limpet_applied_forces_add(model, data, work->trees, force);
  for (int d = 0; d < model->nv; ++d)
    force[d] += data->actuator_joint_force[d] + data->passive_force[d] - data->spring_force[d] -
                data->damper_force[d];
  double done = flown_work(data, work, solution, force);
  done += joint_work(data, force, solution->v, work->settings.time_step) + contact_work(data, work);

  const double kinetic = limpet_moving_energy(model, data);
  const double potential = limpet_potential_energy(model, data);
  const store contact = stored(data, work, solution, false);
  const double rows = limpet_report_stored_by_rows(data, work, solution, false);
  data->info.return_work = limpet_report_return_work(data, work, solution);
  account->held = LIMPET_TAKE(work->arena, double, model->tree_count);
  if (!account->held) return LIMPET_ERROR_MEMORY;
  memcpy(account->held, data->tree_held, (size_t)model->tree_count * sizeof *account->held);
  account->known = true;
  account->due = kinetic + potential + contact.energy + rows + done + data->info.return_work +
                 contact.lead + limpet_report_lead(data, work, data->tree_held, NULL, NULL, NULL);
  account->magnitude =
      kinetic + fabs(potential) + contact.energy + rows + fabs(done) + data->info.return_work;
  if (work->trees.tree == NULL && goes_on(former, kinetic, potential))
    account->due -= fmax(0.0, contact.passive - former->contact) + former->parted;
  return LIMPET_OK;
}

limpet_energy_end limpet_report_energy_end(limpet_data *data, const limpet_step_work *work,
                                           const limpet_step_solution *solution,
                                           const limpet_energy_account *account) {
  const limpet_model *model = data->model;
  limpet_step_info *info = &data->info;
  limpet_kinematics(model, data);
  limpet_velocity_kinematics(model, data);
  limpet_tendon_kinematics(model, data);
  info->kinetic_energy = limpet_moving_energy(model, data);
  info->potential_energy = limpet_potential_energy(model, data);
  const store contact = stored(data, work, solution, true);
  info->contact_energy = contact.energy;
  info->constraint_energy = limpet_report_stored_by_rows(data, work, solution, true);
  limpet_energy_end left = {.known = work->trees.tree == NULL && info->failed_islands == 0,
                            .kinetic = info->kinetic_energy,
                            .potential = info->potential_energy,
                            .contact = contact.passive};
  if (!account->known) return left;
  const double energy = info->kinetic_energy + info->potential_energy + info->contact_energy +
                        info->constraint_energy;
  const double magnitude = account->magnitude + info->kinetic_energy +
                           fabs(info->potential_energy) + info->contact_energy +
                           info->constraint_energy;
  const double lead = contact.lead + limpet_report_lead(data, work, solution->held, account->held,
                                                        solution, &left.parted);
  const double rise = energy + lead - account->due;
  info->energy_rise = rise > round_off * magnitude ? rise : 0.0;
  return left;
}
