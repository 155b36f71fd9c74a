/* step/flight_account.c: where a tree is at the end of a step, what it carries there, and how much
 * energy came from nowhere.
 *
 *   gained = T1 - T0 - m g . (c1 - c0) - (v0 + v1)/2 . (dt f - (A - M) v1 + P)
 * P = A (v' - v*): impulses; f: forces that are explicit, A - M: those that are implicit. A body
 * alone turns by a closed form that gains nothing. Cost: products with A and with what is implicit,
 * where there are any. */
#include <string.h>

#include "math/dense.h"
#include "math/extremes.h"
#include "math/pairs.h"
#include "math/vec3.h"
#include "model/integrate.h"
#include "model/tendon_path.h"
#include "step/flight_ending.h"

void limpet_ending_posed(limpet_ending *e, int tree) {
  limpet_flight *flight = e->motion->flight;
  const limpet_range positions = limpet_tree_positions(e->model, tree);
  if (e->model->tendon_count > 0) limpet_tree_tendon_rows(e->model, e->end, tree);
  memcpy(flight->posed_q + positions.first, e->end->q + positions.first,
         (size_t)(positions.end - positions.first) * sizeof *e->end->q);
  flight->posed[tree] = true;
}

void limpet_ending_look(limpet_ending *e, int tree, limpet_tree_momentum *now) {
  limpet_tree_kinematics(e->model, e->end, tree);
  limpet_ending_posed(e, tree);
  limpet_tree_momentum_look(e->model, e->end, tree, now);
}

void limpet_ending_move(limpet_ending *e, int tree, const double *mean) {
  const limpet_model *model = e->model;
  const limpet_range joints = limpet_tree_joints(model, tree);
  limpet_integrate_joints(model, joints.first, joints.end, e->end->q, e->data->q, mean,
                          e->settings->time_step, e->settings->compatibility.first_order_rotation);
}

// [J]  of the armature of a tree's joints and tendons, as M has it.
static double add_up_armature(const limpet_model *model, int tree, const limpet_data *at) {
  const limpet_range dofs = limpet_tree_dofs(model, tree);
  const double *v = at->v, *armature_of = model->dof_armature;
  double sum = 0.0;
  for (int d = dofs.first; d < dofs.end; ++d) sum += 0.5 * armature_of[d] * v[d] * v[d];
  for (int t = 0; t < model->tendon_count; ++t) {
    const double armature = limpet_tendon_own_armature(model, t);
    if (!(armature > 0.0) || limpet_tendon_tree(model, t) != tree) continue;
    double speed = 0.0;
    for (int i = model->tendon_dof_begin[t]; i < model->tendon_dof_begin[t + 1]; ++i)
      speed += at->tendon_row[i] * v[model->tendon_dof[i]];
    sum += 0.5 * armature * speed * speed;
  }
  return sum;
}

double limpet_ending_armature(const limpet_ending *e, int tree, const limpet_data *at) {
  return e->motion->flight->balance[tree].armed ? add_up_armature(e->model, tree, at) : 0.0;
}

/* The velocity of a tree at the end as forces and impulses of the start see it, which have the arms
 * of the start where the tree is centred: u (3) of its first joint. */
static void seen_velocity(const limpet_ending *e, int tree, const limpet_tree_momentum *now,
                          double u[3]) {
  const limpet_flight *flight = e->motion->flight;
  const limpet_range dofs = limpet_tree_dofs(e->model, tree);
  limpet_vec3_copy(u, e->end->v + dofs.first);
  if (!flight->centred[tree] || limpet_flight_alone(flight, tree)) return;
  limpet_vec3_scale(u, 1.0 / now->mass, now->linear);
  for (int d = dofs.first + 3; d < dofs.end; ++d)
    limpet_vec3_addmul(u, u, -e->end->v[d], flight->centre + 3 * d);
}

// [J]  Work of forces and of what is implicit. u (3): seen_velocity.
static double work_of_forces(const limpet_ending *e, int tree, const double *u) {
  const limpet_flight *flight = e->motion->flight;
  if (limpet_flight_alone(flight, tree))
    return limpet_flight_body_work(e->model, e->data, tree, e->settings->time_step, e->motion,
                                   e->end->v, e->end->q);
  const int first = e->model->tree_dof[tree], n = e->model->tree_dof_count[tree];
  const double *v0 = e->data->v + first, *v1 = e->end->v + first, *f = flight->force + first;
  const double h = e->settings->time_step;
  double sum = limpet_pairs_dot_sum(n, v0, v1, f);
  for (int k = 0; k < 3 && flight->centred[tree]; ++k) sum += (u[k] - v1[k]) * f[k];
  sum *= 0.5 * h;
  for (int k = 0; k < n && flight->balance[tree].braked; ++k)
    sum -= 0.5 * (v0[k] + v1[k]) * flight->brake[first + k] * v1[k];
  if (!flight->balance[tree].implicit) return sum;
  // what is implicit takes nothing from the first joint of a tree that keeps its momentum
  const double *implicit = flight->implicit + e->model->tree_mass[tree];
  for (int k = 0; k < n; ++k)
    sum -= 0.5 * (v0[k] + v1[k]) *
           (flight->implicit_diagonal ? implicit[k * n + k] * v1[k]
                                      : limpet_dot(n, implicit + k * n, v1));
  return sum;
}

// [J]  Work of impulses A (v' - v*), v' what was solved for; of a body alone that turns on by
// itself. u (3): seen_velocity.
static double work_of_impulses(const limpet_ending *e, int tree, bool turns_on, const double *u) {
  const limpet_free_motion *motion = e->motion;
  const int first = e->model->tree_dof[tree], n = e->model->tree_dof_count[tree];
  const double *A = motion->A + e->model->tree_mass[tree], *solved = e->solution->contact.v;
  const double *v0 = turns_on ? motion->v_free : e->data->v, *v1 = turns_on ? solved : e->end->v;
  const bool seen = !turns_on && motion->flight->balance[tree].kept;
  double sum = 0.0;
  for (int k = 0; k < n; ++k) {
    const double P = limpet_dot(n, A + k * n, solved + first) - motion->momentum[first + k];
    sum += 0.5 * P * (v0[first + k] + (seen && k < 3 ? u[k] : v1[first + k]));
  }
  return sum;
}

const limpet_tree_account *limpet_ending_account(limpet_ending *e, int tree,
                                                 const limpet_tree_momentum *now) {
  const limpet_model *model = e->model;
  const limpet_flight_balance *balance = &e->motion->flight->balance[tree];
  limpet_tree_account *account = &e->account[tree];
  limpet_tree_momentum own;
  const limpet_tree_momentum *start = &balance->start;
  if (!balance->kept) {
    limpet_tree_momentum_sum(model, e->data, tree, &own);
    start = &own;
  }
  const bool alone = limpet_flight_alone(e->motion->flight, tree);
  const bool held = alone && e->solution->held[tree] == LIMPET_FLIGHT_HELD_OUTSIDE;
  const double T0 = start->energy + limpet_ending_armature(e, tree, e->data),
               T1 = now->energy + limpet_ending_armature(e, tree, e->end);
  double u[3];
  seen_velocity(e, tree, now, u);
  account->known = true;
  account->now = *now;
  account->kinetic = limpet_max(T0, T1);
  account->taken = e->solution->held[tree] > 0.0 ? work_of_impulses(e, tree, held, u) : 0.0;
  account->due = T1 - account->taken;
  account->gained = 0.0;
  if (held) return account;
  double shift[3];
  limpet_vec3_sub(shift, now->com, start->com);
  account->due = T0 + work_of_forces(e, tree, u);
  if (!(model->options.disabled & LIMPET_DISABLE_GRAVITY))
    account->due += start->mass * limpet_vec3_dot(model->options.gravity, shift);
  account->gained = T1 - account->due - account->taken;
  return account;
}
