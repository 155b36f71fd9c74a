/* step/soft_sets.c: vertices that are tied to one rigid body and move as a part of it.
 *
 * Ties of three vertices or more, not in line, to one body that moves, each the only one of its
 * vertex: the vertices are a set, v_i = V + w x r_i + c_i (fem/rigid_set.h) with unknowns V, w that
 * six rows hold to the body (constraint/tie.c), in the place of three unknowns and rows for each.
 *
 *   r_i = R_b (P_i - mean P)   [m, W]  arms on the body
 *   c_i = -g_i/(2 dt)          [m/s]   g_i = x_i - P_i, at most the return speed
 * The law is that of single ties that do not give way: what they give otherwise is of the order of
 * beta^2/(4 pi^2), beta = settings.equality_ratio. Their forces are what is left of the momentum of
 * the vertices (step/vertex_forces.c). Solids without gas have sets; ties of others, and in the
 * steps of settings.compatibility.midpoint_contact, are single. */
#include "step/soft_sets.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "fem/rigid_set.h"
#include "math/vec3.h"

static const double least_width = 1e-2;  // [-]  of vertices about their line, over along it
enum { FEWEST = 3 };                     // vertices of a set

// Whether places of ties (3 each) of one body lie in line, or nearly.
static bool in_line(const limpet_model *model, int d, int body) {
  double mean[3] = {0.0}, S[9] = {0.0}, w[3], axes[9], r[3];
  int count = 0;
  for (int t = model->deformable_tie[d]; t < model->deformable_tie[d + 1]; ++t)
    if (model->tie_body[t] == body) {
      limpet_vec3_add(mean, mean, model->tie_position + 3 * t);
      ++count;
    }
  limpet_vec3_scale(mean, 1.0 / count, mean);
  for (int t = model->deformable_tie[d]; t < model->deformable_tie[d + 1]; ++t) {
    if (model->tie_body[t] != body) continue;
    limpet_vec3_sub(r, model->tie_position + 3 * t, mean);
    for (int a = 0; a < 3; ++a)
      for (int b = 0; b < 3; ++b) S[3 * a + b] += r[a] * r[b];
  }
  limpet_mat3_eigen(S, w, axes);
  return !(w[1] > least_width * least_width * w[0]);
}

// Whether the ties of a body to another one make a set.
static bool makes_set(const limpet_model *model, int d, int body) {
  int count = 0;
  for (int t = model->deformable_tie[d]; t < model->deformable_tie[d + 1]; ++t) {
    if (model->tie_body[t] != body) continue;
    // ties ascend by vertex: another one of this vertex is next to it
    if (t > model->deformable_tie[d] && model->tie_vertex[t - 1] == model->tie_vertex[t])
      return false;
    if (t + 1 < model->deformable_tie[d + 1] && model->tie_vertex[t + 1] == model->tie_vertex[t])
      return false;
    ++count;
  }
  return model->body_tree[body] >= 0 && count >= FEWEST && !in_line(model, d, body);
}

// set (nodes of body d). Returns how many there are.
static int find_sets(const limpet_model *model, int d, int *set) {
  const int first = model->deformable_vertex[d], begin = model->deformable_tie[d];
  for (int i = first; i < model->deformable_vertex[d + 1]; ++i)
    set[i - first] = LIMPET_FEM_FREE_NODE;
  int count = 0;
  for (int t = begin; t < model->deformable_tie[d + 1]; ++t) {
    const int body = model->tie_body[t];
    if (set[model->tie_vertex[t] - first] != LIMPET_FEM_FREE_NODE || !makes_set(model, d, body))
      continue;
    for (int other = t; other < model->deformable_tie[d + 1]; ++other)
      if (model->tie_body[other] == body) set[model->tie_vertex[other] - first] = count;
    ++count;
  }
  return count;
}

limpet_fem_step *limpet_soft_step_create(const limpet_model *model, int d, bool rigid_ties) {
  const limpet_fem_body *body = model->deformable_body[d];
  const limpet_fem_body_info info = limpet_fem_body_information(body);
  if (!rigid_ties || body->thin.count > 0 || info.segment_count > 0 || body->gas.present ||
      model->deformable_tie[d] == model->deformable_tie[d + 1])
    return limpet_fem_step_create(body, NULL);
  int *set = malloc((size_t)info.node_count * sizeof *set);
  if (!set) return NULL;
  const int count = find_sets(model, d, set);
  limpet_fem_step *step = limpet_fem_step_create_rigid(body, count > 0 ? set : NULL, NULL);
  free(set);
  return step;
}

// The mean of the places of the vertices of a set on their body, in its frame.
static void mean_place(const limpet_model *model, const limpet_fem_rigid *rigid, int d, int set,
                       double mean[3]) {
  int count = 0;
  limpet_vec3_zero(mean);
  for (int t = model->deformable_tie[d]; t < model->deformable_tie[d + 1]; ++t) {
    if (rigid->set[model->tie_vertex[t] - model->deformable_vertex[d]] != set) continue;
    limpet_vec3_add(mean, mean, model->tie_position + 3 * t);
    ++count;
  }
  limpet_vec3_scale(mean, 1.0 / count, mean);
}

// Arms of the vertices of sets.
static void turn_sets(const limpet_model *model, const limpet_data *data, int d,
                      limpet_fem_step *step) {
  const limpet_fem_rigid *rigid = step->rigid;
  for (int s = 0; rigid && s < rigid->count; ++s) {
    double mean[3], P[3];
    mean_place(model, rigid, d, s, mean);
    for (int t = model->deformable_tie[d]; t < model->deformable_tie[d + 1]; ++t) {
      const int node = model->tie_vertex[t] - model->deformable_vertex[d];
      if (rigid->set[node] != s) continue;
      limpet_vec3_sub(P, model->tie_position + 3 * t, mean);
      limpet_mat3_mul_vec(rigid->arm + 3 * node, data->body_rotation + 9 * model->tie_body[t], P);
    }
  }
}

void limpet_soft_tie_gap(const limpet_model *model, const limpet_data *data, int tie, double g[3]) {
  const int body = model->tie_body[tie];
  double P[3];
  limpet_mat3_mul_vec(P, data->body_rotation + 9 * body, model->tie_position + 3 * tie);
  limpet_vec3_add(P, P, data->body_position + 3 * body);
  limpet_vec3_sub(g, data->vertex_position + 3 * model->tie_vertex[tie], P);
}

void limpet_soft_sets_place(const limpet_model *model, const limpet_data *data,
                            const limpet_step_settings *settings, int d, limpet_fem_step *step) {
  const limpet_fem_rigid *rigid = step->rigid;
  if (!rigid) return;
  turn_sets(model, data, d, step);
  for (int t = model->deformable_tie[d]; t < model->deformable_tie[d + 1]; ++t) {
    const int node = model->tie_vertex[t] - model->deformable_vertex[d];
    if (rigid->set[node] == LIMPET_FEM_FREE_NODE) continue;
    double *c = rigid->offset + 3 * node, g[3];
    limpet_soft_tie_gap(model, data, t, g);
    limpet_vec3_scale(c, -0.5 / settings->time_step, g);
    const double speed = limpet_vec3_norm(c);
    if (speed > settings->return_speed) limpet_vec3_scale(c, settings->return_speed / speed, c);
  }
}

const limpet_soft_body *limpet_soft_sets_seen(const limpet_model *model, const limpet_data *data,
                                              const limpet_soft_motion *soft, limpet_arena *arena) {
  limpet_soft_body *seen = LIMPET_TAKE(arena, limpet_soft_body, soft->count);
  for (int d = 0; seen && d < soft->count; ++d) {
    seen[d] = soft->body[d];
    if (!seen[d].step->rigid) continue;
    const size_t numbers = 3 * (size_t)seen[d].step->body->info.node_count;
    limpet_fem_step *step = LIMPET_TAKE(arena, limpet_fem_step, 1);
    limpet_fem_rigid *rigid = LIMPET_TAKE(arena, limpet_fem_rigid, 1);
    double *arm = LIMPET_TAKE_ZERO(arena, double, numbers);
    if (!step || !rigid || !arm) return NULL;
    *step = *seen[d].step, *rigid = *step->rigid;
    rigid->arm = arm, step->rigid = rigid, seen[d].step = step;
    turn_sets(model, data, d, step);
  }
  return seen;
}

limpet_status limpet_soft_sets_like(const limpet_model *model, const limpet_contact_problem *other,
                                    const limpet_soft_body *bodies, limpet_arena *arena,
                                    limpet_contact_problem *problem) {
  problem->rigid_vertex = NULL;
  if (!other->rigid_vertex) return LIMPET_OK;
  limpet_rigid_vertex *vertex = LIMPET_TAKE(arena, limpet_rigid_vertex, model->vertex_count);
  if (!vertex) return LIMPET_ERROR_MEMORY;
  memcpy(vertex, other->rigid_vertex, (size_t)model->vertex_count * sizeof *vertex);
  for (int d = 0; d < model->deformable_count; ++d)
    for (int i = model->deformable_vertex[d]; i < model->deformable_vertex[d + 1]; ++i)
      if (vertex[i].lead != LIMPET_NONE)
        limpet_vec3_copy(vertex[i].arm,
                         bodies[d].step->rigid->arm + 3 * (i - model->deformable_vertex[d]));
  problem->rigid_vertex = vertex;
  return LIMPET_OK;
}

void limpet_soft_unknowns(const limpet_soft_body *body, const double *v, bool led, double *x) {
  const limpet_fem_step *step = body->step;
  for (int k = 0; k < body->count; ++k) {
    const int node = body->vertex[k], set = limpet_fem_set_of(step, node);
    if (set == LIMPET_FEM_FREE_NODE) {
      limpet_vec3_copy(x, v + 3 * node);
    } else {
      double c[6];
      limpet_fem_rigid_motion(step, set, v, x);
      limpet_fem_rigid_motion(step, set, step->rigid->offset, c);
      for (int i = 0; led && i < LIMPET_FEM_SET_ROWS; ++i) x[i] -= c[i];
    }
    x += limpet_fem_node_rows(step, node);
  }
}

limpet_status limpet_soft_sets_join(const limpet_model *model, const limpet_soft_motion *soft,
                                    limpet_arena *arena, int *dof,
                                    limpet_contact_problem *problem) {
  bool any = false;
  problem->rigid_vertex = NULL;
  for (int d = 0; d < soft->count; ++d) any = any || soft->body[d].step->rigid;
  if (!any) return LIMPET_OK;
  limpet_rigid_vertex *vertex = LIMPET_TAKE(arena, limpet_rigid_vertex, model->vertex_count);
  if (!vertex) return LIMPET_ERROR_MEMORY;
  for (int i = 0; i < model->vertex_count; ++i) vertex[i].dof = vertex[i].lead = LIMPET_NONE;
  for (int d = 0; d < soft->count; ++d) {
    const limpet_fem_rigid *rigid = soft->body[d].step->rigid;
    const int first = model->deformable_vertex[d], end = model->deformable_vertex[d + 1];
    for (int i = end - 1; rigid && i >= first; --i) {
      const int set = rigid->set[i - first];
      if (set == LIMPET_FEM_FREE_NODE) continue;
      const int lead = first + rigid->lead[set];
      vertex[i].lead = lead, vertex[i].dof = dof[lead];
      limpet_vec3_copy(vertex[i].arm, rigid->arm + 3 * (i - first));
      if (i == lead) dof[i] = LIMPET_NONE;  // the last one of its set
    }
  }
  problem->rigid_vertex = vertex;
  return LIMPET_OK;
}

bool limpet_soft_in_set(const limpet_contact_problem *problem, int vertex) {
  return problem->rigid_vertex && problem->rigid_vertex[vertex].dof != LIMPET_NONE;
}

void limpet_soft_sets_share_out(const limpet_model *model, const limpet_soft_motion *soft,
                                const limpet_contact_problem *problem, const double *from,
                                double *impulse) {
  for (int d = 0; problem->rigid_vertex && d < soft->count; ++d) {
    const limpet_fem_step *step = soft->body[d].step;
    const int first = model->deformable_vertex[d];
    for (int set = 0; step->rigid && set < step->rigid->count; ++set) {
      const int dof = problem->rigid_vertex[first + step->rigid->lead[set]].dof;
      if (dof != LIMPET_NONE)
        limpet_fem_rigid_share_out(step, set, from + dof, impulse + 3 * first);
    }
  }
}
