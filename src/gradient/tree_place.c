/* gradient/tree_place.c: see tree_place.h. */
#include "gradient/tree_place.h"

#include <math.h>
#include <string.h>

#include "dynamics/tree.h"
#include "math/dense.h"
#include "model/integrate.h"
#include "step/flight.h"

bool limpet_tree_alone(const limpet_probe *probe, int tree) {
  const limpet_flight *flight = probe->residual->solved->motion.flight;
  return flight && limpet_flight_alone(flight, tree);
}

double limpet_tree_share(const limpet_probe *probe, int tree) {
  const limpet_flight *flight = probe->residual->solved->motion.flight;
  return flight && !limpet_tree_alone(probe, tree) ? flight->balance[tree].share : 0.0;
}

double limpet_tree_mass(const limpet_probe *probe, int tree) {
  return probe->residual->solved->motion.flight->balance[tree].start.mass;
}

// u = v0 + share c/2
static double middle_velocity(const limpet_data *data, double share, int dof) {
  return data->v[dof] + 0.5 * share * data->warm_start[dof];
}

void limpet_tree_place_slope(const limpet_tree_place *p, const limpet_tree_change *t, double share,
                             int rows, double *by_way, double *by_u, double *by_change) {
  const limpet_data *data = p->probe->data;
  for (int i = 0; i < rows; ++i) {
    double *way = by_way + i * t->n, along = 0.0;
    const double *u = by_u ? by_u + i * t->n : NULL;
    for (int k = 0; k < t->n && share < 1.0; ++k) {
      const double half = 0.5 * data->warm_start[t->first + k];
      along += way[k] * (middle_velocity(data, share, t->first + k) + share * half);
      if (u) along += u[k] * half;
    }
    for (int k = 0; k < t->n && by_change; ++k)
      by_change[i * t->n + k] += 0.5 * share * (share * way[k] + (u ? u[k] : 0.0));
    if (!(share < 1.0)) continue;
    for (int k = 0; k < t->n; ++k) way[k] *= share;
    limpet_axpy(t->n, along, p->slope + t->first, way);
    if (by_change) limpet_axpy(t->n, 0.5 * along, p->slope + t->first, by_change + i * t->n);
  }
}

// Accelerations, and the way from q0 to q_m.
static void find_way(limpet_tree_place *p, const limpet_tree_change *trees) {
  const limpet_probe *probe = p->probe;
  const limpet_data *data = probe->data;
  const double h = probe->settings->time_step;
  for (int i = 0; i < probe->model->nv; ++i) p->vdot[i] = (probe->residual->v[i] - data->v[i]) / h;
  for (int t = 0; t < probe->model->tree_count; ++t) {
    const double share = limpet_tree_share(probe, t);
    if (share > 0.0 && share < 1.0)
      limpet_flight_share(probe->model, data, t, h, p->slope + trees[t].first);
    for (int d = trees[t].first; d < trees[t].first + trees[t].n; ++d)
      p->u[d] = share * middle_velocity(data, share, d);
  }
  limpet_integration_compute(&p->way, p->u, probe->settings->compatibility.first_order_rotation);
}

limpet_status limpet_tree_place_begin(limpet_tree_place *p, const limpet_probe *probe,
                                      const limpet_tree_change *trees, limpet_arena *arena) {
  const limpet_model *model = probe->model;
  const size_t nv = (size_t)model->nv, joints = 9 * (size_t)model->joint_count;
  *p = (limpet_tree_place){.probe = probe,
                           .way = {.model = model, .dt = 0.5 * probe->settings->time_step}};
  p->u = LIMPET_TAKE(arena, double, 3 * nv);
  p->way.by_q = LIMPET_TAKE(arena, double, 2 * joints);
  if (!p->u || !p->way.by_q || limpet_tree_middle_take(probe, arena, &p->middle))
    return LIMPET_ERROR_MEMORY;
  p->vdot = p->u + nv, p->slope = p->vdot + nv;
  p->way.by_v = p->way.by_q + joints;
  find_way(p, trees);
  return LIMPET_OK;
}

limpet_data *limpet_tree_place_at(limpet_tree_place *p, limpet_tree_change *t, int tree) {
  const limpet_probe *probe = p->probe;
  const limpet_model *model = probe->model;
  limpet_data *data = probe->data;
  const limpet_range joints = limpet_tree_joints(model, tree);
  const double h = probe->settings->time_step, share = limpet_tree_share(probe, tree);
  t->by_middle = false;
  if (share == 0.0) return data;
  for (int d = t->first; d < t->first + t->n; ++d) {
    p->u[d] = middle_velocity(data, share, d);
    t->by_middle = t->by_middle || !(h * fabs(p->u[d]) < LIMPET_FLIGHT_STILL_WAY);
  }
  if (!t->by_middle) return data;
  memcpy(p->middle.world.v + t->first, p->u + t->first, (size_t)t->n * sizeof *p->u);
  if (p->middle.posed) return &p->middle.world;
  limpet_integrate_joints(model, joints.first, joints.end, p->middle.world.q, data->q, p->u,
                          0.5 * h * share, probe->settings->compatibility.first_order_rotation);
  limpet_tree_kinematics(model, &p->middle.world, tree);
  limpet_tree_velocities(model, &p->middle.world, tree);
  return &p->middle.world;
}

limpet_status limpet_tree_centres_make(const limpet_probe *probe, const limpet_data *at, int tree,
                                       limpet_arena *arena, limpet_tree_centres *c) {
  c->are = limpet_tree_is_centred(probe, tree);
  if (!c->are) return LIMPET_OK;
  return limpet_tree_centre_make(probe->model, at, tree, arena, &c->middle) ||
                 limpet_tree_centre_make(probe->model, probe->data, tree, arena, &c->start)
             ? LIMPET_ERROR_MEMORY
             : LIMPET_OK;
}

void limpet_tree_place_base(limpet_tree_place *p, const limpet_tree_centre *middle, int tree) {
  const limpet_probe *probe = p->probe;
  double u[3];
  limpet_tree_centre_base(middle, probe, tree, probe->residual->v, u);
  for (int k = 0; k < 3; ++k)
    p->vdot[middle->first + k] =
        (u[k] - probe->data->v[middle->first + k]) / probe->settings->time_step;
}

void limpet_tree_place_alone(limpet_tree_place *p, limpet_tree_change *t, int tree) {
  const limpet_model *model = p->probe->model;
  limpet_data *data = p->probe->data;
  const double *v_free = p->probe->residual->solved->motion.v_free;
  for (int d = t->first; d < t->first + t->n; ++d)
    p->vdot[d] = p->probe->residual->v[d] - v_free[d];
  limpet_tree_mass_derivative(model, data, tree, p->vdot, t->q);
  limpet_tree_mass_matrix(model, data, tree);
  const double *M = data->mass_matrix + model->tree_mass[tree];
  for (int i = 0; i < t->n * t->n; ++i) t->v[i] = -M[i];
}
