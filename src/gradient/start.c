/* gradient/start.c: the start of the step in a world of its own, where derivatives are taken.
 *
 * A step leaves in `data` what it derived from the state that it started from: poses, velocities,
 * transmissions, passive forces. They are copied, and computed only where a report has written over
 * them. */
#include <string.h>

#include "dynamics/activation.h"
#include "dynamics/tree.h"
#include "gradient/workspace.h"
#include "limpet/dynamics.h"
#include "model/workspace.h"

static const unsigned derived = LIMPET_MARK_POSES | LIMPET_MARK_GEOMS | LIMPET_MARK_VELOCITIES |
                                LIMPET_MARK_TENDONS | LIMPET_MARK_PASSIVE;

void limpet_gradient_start(const limpet_data *from, limpet_data *world) {
  const limpet_model *model = world->model;
  limpet_data_state_copy(from, world);
  memcpy(world->control, from->control, (size_t)model->nu * sizeof *world->control);
  memcpy(world->applied_force, from->applied_force,
         (size_t)model->nv * sizeof *world->applied_force);
  memcpy(world->applied_wrench, from->applied_wrench,
         6 * (size_t)model->body_count * sizeof *world->applied_wrench);
}

void limpet_gradient_look_back(limpet_gradient_workspace *w) {
  limpet_kinematics(w->model, w->world);
  limpet_geom_kinematics(w->model, w->world, false);
  limpet_velocity_kinematics(w->model, w->world);
}

void limpet_gradient_hold_rules(const limpet_data *from, limpet_data *world) {
  limpet_workspace *to = world->workspace;
  const size_t size = 2 * (size_t)world->model->tree_count * sizeof(int);
  memcpy(to->turn_parts, from->workspace->turn_parts, size);
  memcpy(to->renewed, from->workspace->renewed, size);
  memcpy(to->missed_spin, from->workspace->missed_spin,
         3 * (size_t)world->model->tree_count * sizeof *to->missed_spin);
  to->holds_rules = true;
}

void limpet_gradient_keep_state(limpet_gradient_workspace *w, const limpet_data *data,
                                bool from_rest) {
  limpet_gradient_start(data, w->world);
  if (from_rest) memset(w->world->v, 0, (size_t)w->model->nv * sizeof *w->world->v);
}

static void copy_derived(const limpet_data *from, limpet_data *to) {
  const limpet_model *model = to->model;
  const size_t bodies = (size_t)model->body_count, geoms = (size_t)model->geom_count,
               nv = (size_t)model->nv, tendons = (size_t)model->tendon_count,
               actuators = (size_t)model->actuator_count;
  const struct {
    double *to;
    const double *from;
    size_t count;
  } arrays[] = {
      {to->body_position, from->body_position, 3 * bodies},
      {to->body_quaternion, from->body_quaternion, 4 * bodies},
      {to->body_rotation, from->body_rotation, 9 * bodies},
      {to->body_com, from->body_com, 3 * bodies},
      {to->body_inertia, from->body_inertia, 10 * bodies},
      {to->body_velocity, from->body_velocity, 6 * bodies},
      {to->tree_origin, from->tree_origin, 3 * (size_t)model->tree_count},
      {to->dof_axis, from->dof_axis, 6 * nv},
      {to->dof_axis_rate, from->dof_axis_rate, 6 * nv},
      {to->tendon_row, from->tendon_row, (size_t)model->tendon_dof_count},
      {to->tendon_length, from->tendon_length, tendons},
      {to->tendon_velocity, from->tendon_velocity, tendons},
      {to->actuator_length, from->actuator_length, actuators},
      {to->actuator_velocity, from->actuator_velocity, actuators},
      {to->spring_force, from->spring_force, nv},
      {to->damper_force, from->damper_force, nv},
      {to->fluid_force, from->fluid_force, nv},
      {to->gravity_compensation_force, from->gravity_compensation_force, nv},
      {to->passive_force, from->passive_force, nv},
      {to->geom_position, from->geom_position, 3 * geoms},
      {to->geom_rotation, from->geom_rotation, 9 * geoms},
  };
  for (size_t i = 0; i < sizeof arrays / sizeof arrays[0]; ++i)
    memcpy(arrays[i].to, arrays[i].from, arrays[i].count * sizeof(double));
  to->workspace->marks |= derived;
}

static void compute_derived(limpet_gradient_workspace *w) {
  const limpet_model *model = w->model;
  limpet_data *world = w->world;
  limpet_kinematics(model, world);
  limpet_geom_kinematics(model, world, false);
  limpet_velocity_kinematics(model, world);
  limpet_tendon_kinematics(model, world);
  limpet_trees_passive_forces(model, world, limpet_trees_all(model));
  limpet_trees_actuation(model, world, limpet_trees_all(model), w->settings.time_step);
}

void limpet_gradient_keep_poses(limpet_gradient_workspace *w, const limpet_data *data) {
  limpet_gradient_hold_rules(data, w->world);
  const size_t geoms = (size_t)w->model->geom_count;
  const bool there = (data->workspace->marks & derived) == derived;
  w->has_mass = false;
  // energies are those of the end
  if (there && !w->settings.energy) {
    copy_derived(data, w->world);
    w->has_mass = data->workspace->marks & LIMPET_MARK_MASS;
  } else {
    compute_derived(w);
  }
  if (w->has_mass)
    memcpy(w->world->mass_matrix, data->mass_matrix,
           (size_t)w->model->mass_size * sizeof *data->mass_matrix);
  memcpy(w->start, w->world->geom_position, 3 * geoms * sizeof *w->start);
  memcpy(w->start + 3 * geoms, w->world->geom_rotation, 9 * geoms * sizeof *w->start);
}
