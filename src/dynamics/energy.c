/* dynamics/energy.c: kinetic energy 1/2 v' M v, and what of m (a v)^2/2 couples trees that a tendon
 * with armature joins, or the same by the velocities of bodies; potential energy of gravity and of
 * the springs of joints and tendons; the same of deformable bodies, whose springs are their
 * elements. */
#include <assert.h>

#include "dynamics/joint_spring.h"
#include "dynamics/soft_energy.h"
#include "dynamics/tree.h"
#include "dynamics/tree_kernels.h"
#include "limpet/dynamics.h"
#include "math/vec3.h"
#include "model/tendon_path.h"
#include "model/workspace.h"

// Of the armature of a tendon over several trees what is not in the mass matrix.
static double shared_energy(const limpet_model *model, const limpet_data *data, int tendon) {
  const double armature = limpet_tendon_shared_armature(model, tendon);
  const bool in_blocks = (data->workspace->marks & LIMPET_MARK_SHARED_MASS) != 0;
  double speed = 0.0, squares = 0.0;  // squares: of each tree's part of the speed
  if (!(armature > 0.0)) return 0.0;
  for (int tree = 0; tree < model->tree_count; ++tree) {
    double part = 0.0;
    for (int i = model->tendon_dof_begin[tendon]; i < model->tendon_dof_begin[tendon + 1]; ++i)
      if (model->dof_tree[model->tendon_dof[i]] == tree)
        part += data->tendon_row[i] * data->v[model->tendon_dof[i]];
    speed += part, squares += part * part;
  }
  return 0.5 * armature * (speed * speed - (in_blocks ? squares : 0.0));
}

double limpet_kinetic_energy(const limpet_model *model, const limpet_data *data) {
  assert(limpet_data_ready(model, data, LIMPET_MARK_MASS));
  double energy = limpet_soft_kinetic(model, data);
  for (int t = 0; t < model->tree_count; ++t) {
    const int n = model->tree_dof_count[t];
    const double *M = data->mass_matrix + model->tree_mass[t], *v = data->v + model->tree_dof[t];
    for (int i = 0; i < n; ++i) {
      double momentum = 0.0;
      for (int j = 0; j < n; ++j) momentum += M[i * n + j] * v[j];
      energy += 0.5 * v[i] * momentum;
    }
  }
  for (int t = 0; t < model->tendon_count; ++t) energy += shared_energy(model, data, t);
  return energy;
}

double limpet_moving_energy(const limpet_model *model, const limpet_data *data) {
  assert(limpet_data_ready(model, data, LIMPET_MARK_VELOCITIES | LIMPET_MARK_TENDONS));
  double energy = limpet_soft_kinetic(model, data);
  for (int t = 0; t < model->tree_count; ++t) {
    double momentum[6], total[10];
    energy += limpet_tree_kernels_here()->momentum(momentum, total, model, data, t);
  }
  for (int d = 0; d < model->nv; ++d)
    energy += 0.5 * model->dof_armature[d] * data->v[d] * data->v[d];
  for (int t = 0; t < model->tendon_count; ++t)
    energy += 0.5 * model->tendon_armature[t] * data->tendon_velocity[t] * data->tendon_velocity[t];
  return energy;
}

static double spring_energy(const limpet_model *model, const limpet_data *data) {
  double energy = 0.0;
  for (int j = 0; j < model->joint_count; ++j) {
    if (!limpet_joint_is_sprung(model, j)) continue;
    const double k = model->joint_stiffness[j], *growth = model->joint_stiffness_growth + 2 * j;
    double x[6];
    const int count = limpet_joint_displacement(x, model, data, j);
    if (count == 1) energy += limpet_spring_energy(k, growth, x[0]);
    for (int i = 0; count > 1 && i < count; i += 3)
      energy += limpet_spring_energy(k, growth, limpet_vec3_norm(x + i));
  }
  for (int t = 0; t < model->tendon_count; ++t) {
    const double displacement = limpet_tendon_displacement(model, data, t);
    energy += limpet_spring_energy(model->tendon_stiffness[t],
                                   model->tendon_stiffness_growth + 2 * t, displacement);
  }
  return energy;
}

double limpet_potential_energy(const limpet_model *model, const limpet_data *data) {
  assert(limpet_data_ready(model, data, LIMPET_MARK_POSES | LIMPET_MARK_TENDONS));
  double energy = limpet_soft_potential(model, data);
  if (!(model->options.disabled & LIMPET_DISABLE_GRAVITY))
    for (int b = 1; b < model->body_count; ++b)
      energy -=
          model->body_mass[b] * limpet_vec3_dot(model->options.gravity, data->body_com + 3 * b);
  if (!(model->options.disabled & LIMPET_DISABLE_SPRING)) energy += spring_energy(model, data);
  return energy;
}
