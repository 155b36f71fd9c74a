/* gradient/tree_bend.c: see tree_bend.h. */
#include "gradient/tree_bend.h"

#include <string.h>

#include "math/vec3.h"
#include "model/trees.h"

enum { TRANSLATIONS = 3 };  // the first velocities of a tree that floats

void limpet_bend_sums_make(const limpet_contact_motion *m, int tree, limpet_bend_sums *sum) {
  const limpet_model *model = m->w->probe->model;
  const limpet_range bodies = limpet_tree_bodies(model, tree);
  for (int b = bodies.first; b < bodies.end; ++b) {
    const double *I = m->w->probe->data->body_inertia + 10 * b, *V = m->body[b].V0,
                 *A = m->body[b].A;
    limpet_bend_sums *own = &sum[b];
    double turned[3];
    own->mass = I[0];
    limpet_vec3_copy(own->h, I + 1);
    limpet_vec3_cross(own->P, V, own->h);
    limpet_vec3_addmul(own->P, own->P, own->mass, V + 3);
    limpet_vec3_cross(own->F, A, own->h);
    limpet_vec3_addmul(own->F, own->F, own->mass, A + 3);
    limpet_vec3_cross(turned, V, own->P);
    limpet_vec3_add(own->F, own->F, turned);
  }
  for (int b = bodies.end - 1; b > bodies.first; --b) {
    const limpet_bend_sums *own = &sum[b];
    limpet_bend_sums *parent = &sum[model->body_parent[b]];
    limpet_vec3_add(parent->F, parent->F, own->F);
    limpet_vec3_add(parent->P, parent->P, own->P);
    limpet_vec3_add(parent->h, parent->h, own->h);
    parent->mass += own->mass;
  }
}

// f = the force of the acceleration x, and of the change w of turning: (I x)_f - 2 P x w
static void force_change(const limpet_bend_sums *sum, const double x[6], const double w[3],
                         double f[3]) {
  double turned[3];
  limpet_vec3_cross(f, x, sum->h);
  limpet_vec3_addmul(f, f, sum->mass, x + 3);
  limpet_vec3_cross(turned, w, sum->P);
  limpet_vec3_addmul(f, f, 2.0, turned);
}

void limpet_bend_columns(const limpet_contact_motion *m, int tree, const limpet_bend_sums *all,
                         double share, double *by_q, double *by_v) {
  const limpet_model *model = m->w->probe->model;
  const int first = model->tree_dof[tree], n = model->tree_dof_count[tree];
  for (int k = 0; k < n; ++k) {
    const limpet_dof_motion *at = &m->dof[first + k];
    const limpet_bend_sums *sum = &all[model->dof_body[first + k]];
    const double *S = m->w->probe->data->dof_axis + 6 * (first + k);
    double moved[3] = {0.0}, sped[3] = {0.0}, turned[3];
    if (k >= TRANSLATIONS) {
      force_change(sum, at->pose.q, at->pose.p, moved);
      limpet_vec3_cross(turned, S, sum->F);
      limpet_vec3_add(moved, moved, turned);
      force_change(sum, at->rate.rate, S, sped);
    }
    for (int i = 0; i < 3; ++i)
      by_q[i * n + k] = share * moved[i], by_v[i * n + k] = share * sped[i];
  }
}

void limpet_bend_product(const limpet_contact_motion *m, int tree, const limpet_bend_sums *all,
                         const double y[3], double *by_q, double *by_v) {
  const limpet_model *model = m->w->probe->model;
  const int first = model->tree_dof[tree], end = first + model->tree_dof_count[tree];
  for (int d = first + TRANSLATIONS; d < end; ++d) {
    const limpet_dof_motion *at = &m->dof[d];
    const limpet_bend_sums *sum = &all[model->dof_body[d]];
    const double *S = m->w->probe->data->dof_axis + 6 * d;
    double by_h[3], by_P[3], by_F[3];
    limpet_vec3_cross(by_h, sum->h, y);
    limpet_vec3_cross(by_P, sum->P, y);
    limpet_vec3_cross(by_F, sum->F, y);
    by_q[d] += limpet_vec3_dot(at->pose.q, by_h) + sum->mass * limpet_vec3_dot(at->pose.q + 3, y) +
               2.0 * limpet_vec3_dot(at->pose.p, by_P) + limpet_vec3_dot(S, by_F);
    by_v[d] += limpet_vec3_dot(at->rate.rate, by_h) +
               sum->mass * limpet_vec3_dot(at->rate.rate + 3, y) + 2.0 * limpet_vec3_dot(S, by_P);
  }
}
