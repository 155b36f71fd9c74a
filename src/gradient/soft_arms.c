/* gradient/soft_arms.c: see soft_arms.h. Cost: of columns one solve with H for each velocity of a
 * tree that moves a set; of products nothing that counts. */
#include "gradient/soft_arms.h"

#include <math.h>
#include <string.h>

#include "dynamics/point_columns.h"
#include "fem/rigid_set.h"
#include "math/dense.h"
#include "math/vec3.h"
#include "step/soft_sets.h"

static limpet_fem_rigid *rigid_of(const limpet_soft_gradient *soft, int d) {
  return soft->motion->body[d].step->rigid;
}

const double *limpet_soft_by_pose(const limpet_gradient_workspace *w) {
  return w->soft->arms ? w->soft->arms->by_pose : w->columns.q;
}

// A set's body, and where its first vertex and the end of that body's vertices are.
typedef struct members {
  const limpet_fem_rigid *rigid;
  int set, first, lead, end;
} members;

static members members_of(const limpet_soft_product *p, const limpet_soft_set *set) {
  const int *vertex = p->w->model->deformable_vertex + set->deformable;
  const limpet_fem_rigid *rigid = rigid_of(p->soft, set->deformable);
  return (members){rigid, set->set, vertex[0], vertex[0] + rigid->lead[set->set], vertex[1]};
}

static bool is_member(const members *m, int vertex) {
  return m->rigid->set[vertex - m->first] == m->set;
}

static const double *arm_at(const members *m, int vertex) {
  return m->rigid->arm + 3 * (vertex - m->first);
}

void limpet_soft_arms_move(const limpet_soft_product *p, const double *q, const double *x,
                           double *arm, double *offset) {
  const limpet_soft_arms *arms = p->soft->arms;
  for (int s = 0; arms && s < arms->count; ++s) {
    const limpet_soft_set *set = &arms->set[s];
    const members m = members_of(p, set);
    double moved[6] = {0.0};  // turn and mean
    for (int k = 0; q && k < set->count; ++k)
      limpet_axpy(6, q[set->dof[k]], set->column + 6 * k, moved);
    for (int i = m.lead; i < m.end; ++i) {
      if (!is_member(&m, i)) continue;
      double *dr = arm + 3 * i, dg[3];
      limpet_vec3_cross(dr, moved, arm_at(&m, i));
      limpet_vec3_add(dg, moved + 3, dr);
      for (int k = 0; k < 3; ++k) dg[k] = (x ? x[3 * i + k] : 0.0) - dg[k];
      limpet_mat3_mul_vec(offset + 3 * i, arms->slope + 9 * i, dg);
    }
  }
}

void limpet_soft_arms_pull(const limpet_soft_product *p, const double *arm, const double *offset,
                           double *q, double *x) {
  const limpet_soft_arms *arms = p->soft->arms;
  for (int s = 0; arms && s < arms->count; ++s) {
    const limpet_soft_set *set = &arms->set[s];
    const members m = members_of(p, set);
    double by[6] = {0.0};  // turn and mean
    for (int i = m.lead; i < m.end; ++i) {
      if (!is_member(&m, i)) continue;
      double by_g[3], by_r[3], turn[3];
      limpet_mat3_mul_vec(by_g, arms->slope + 9 * i, offset + 3 * i);  // it is symmetric
      limpet_vec3_sub(by_r, arm + 3 * i, by_g);
      limpet_vec3_cross(turn, arm_at(&m, i), by_r);
      limpet_vec3_add(by, by, turn);
      limpet_vec3_sub(by + 3, by + 3, by_g);
      if (x) limpet_vec3_add(x + 3 * i, x + 3 * i, by_g);
    }
    for (int k = 0; q && k < set->count; ++k)
      q[set->dof[k]] += limpet_dot(6, set->column + 6 * k, by);
  }
}

void limpet_soft_arms_carry(const limpet_soft_product *p, int d, const double *arm,
                            const double *offset, double *e, double *dR) {
  const limpet_fem_step *step = limpet_soft_body_at(p, d)->step;
  const int first = limpet_soft_first(p, d), count = limpet_soft_count(p, d);
  if (!step->rigid) return;
  limpet_fem_rigid_carry(step, p->soft->v + first, true, arm + first, offset + first, e + first);
  limpet_fem_step_multiply(step, e + first, p->g);
  limpet_axpy(count, 1.0, p->g, dR + first);
  limpet_fem_rigid_moments(step, p->soft->held + first, arm + first, dR + first);
}

void limpet_soft_arms_carry_adjoint(const limpet_soft_product *p, int d, double *weight,
                                    const double *l, const double *Hl, double *arm,
                                    double *offset) {
  const limpet_fem_step *step = limpet_soft_body_at(p, d)->step;
  const int first = limpet_soft_first(p, d), count = limpet_soft_count(p, d);
  if (!step->rigid) return;
  limpet_axpy(count, 1.0, Hl, weight + first);
  limpet_fem_rigid_carry_adjoint(step, p->soft->v + first, true, weight + first, arm + first,
                                 offset + first);
  limpet_fem_rigid_moments_adjoint(step, p->soft->held + first, l, arm + first);
}

// ---------------------------------------------------------------------------------- at the start

// The velocities of trees that move a set, from its first tie.
static limpet_status set_take(limpet_gradient_workspace *w, int d, int index, int tie,
                              limpet_soft_set *set) {
  const limpet_model *model = w->model;
  const int body = model->tie_body[tie], room = limpet_point_path_length(model, body),
            node = model->tie_vertex[tie] - model->deformable_vertex[d];
  double C[3];
  *set = (limpet_soft_set){.deformable = d,
                           .set = index,
                           .dof = LIMPET_TAKE(&w->arena, int, room),
                           .column = LIMPET_TAKE(&w->arena, double, 6 * room)};
  if (!set->dof || !set->column) return LIMPET_ERROR_MEMORY;
  limpet_mat3_mul_vec(C, w->world->body_rotation + 9 * body, model->tie_position + 3 * tie);
  limpet_vec3_add(C, C, w->world->body_position + 3 * body);
  limpet_vec3_sub(C, C, rigid_of(w->soft, d)->arm + 3 * node);
  set->count = limpet_point_columns(model, w->world, model->body_last_dof[body], -1, C, 1.0,
                                    set->dof, set->column);
  return LIMPET_OK;
}

/* dc/dg of c = -g/(2 dt), at most the return speed: -s/|g| (1 - n n') beyond it. Whether moving by
 * the width of differences takes it there or back. */
static bool return_slope(const limpet_gradient_workspace *w, int tie, double slope[9]) {
  double g[3], n[3];
  limpet_soft_tie_gap(w->model, w->world, tie, g);
  const double rate = 0.5 / w->settings.time_step, gap = limpet_vec3_norm(g),
               most = w->settings.return_speed;
  const bool held = rate * gap > most;
  limpet_vec3_scale(n, held ? 1.0 / gap : 0.0, g);
  for (int i = 0; i < 3; ++i)
    for (int k = 0; k < 3; ++k)
      slope[3 * i + k] = -(held ? most / gap : rate) * ((i == k ? 1.0 : 0.0) - n[i] * n[k]);
  return fabs(rate * gap - most) < rate * w->wanted.difference;
}

static void slopes_fill(limpet_gradient_workspace *w, limpet_soft_arms *arms) {
  const limpet_model *model = w->model;
  for (int s = 0; s < arms->count; ++s) {
    const limpet_soft_set *set = &arms->set[s];
    const int d = set->deformable, first = model->deformable_vertex[d];
    bool kink = false;
    for (int t = model->deformable_tie[d]; t < model->deformable_tie[d + 1]; ++t) {
      const int vertex = model->tie_vertex[t];
      if (rigid_of(w->soft, d)->set[vertex - first] != set->set) continue;
      if (!return_slope(w, t, arms->slope + 9 * vertex)) continue;
      w->soft->kinks += 3;
      kink = true;
    }
    for (int k = 0; k < set->count && kink; ++k) w->columns.kinked_q[set->dof[k]] = true;
  }
}

static int sets_of(const limpet_gradient_workspace *w) {
  int count = 0;
  for (int d = 0; d < w->model->deformable_count; ++d)
    if (rigid_of(w->soft, d)) count += rigid_of(w->soft, d)->count;
  return count;
}

static limpet_status sets_take(limpet_gradient_workspace *w, limpet_soft_arms *arms) {
  const limpet_model *model = w->model;
  for (int d = 0; d < model->deformable_count; ++d) {
    const limpet_fem_rigid *rigid = rigid_of(w->soft, d);
    for (int t = model->deformable_tie[d]; rigid && t < model->deformable_tie[d + 1]; ++t) {
      const int node = model->tie_vertex[t] - model->deformable_vertex[d], set = rigid->set[node];
      if (set == LIMPET_FEM_FREE_NODE || rigid->lead[set] != node) continue;
      if (set_take(w, d, set, t, &arms->set[arms->count++])) return LIMPET_ERROR_MEMORY;
    }
  }
  return LIMPET_OK;
}

limpet_status limpet_soft_arms_effect(const limpet_probe *probe, limpet_arena *arena,
                                      double *effect) {
  const limpet_model *model = probe->model;
  const double rate = 0.5 / probe->settings->time_step;
  const limpet_arena_mark mark = limpet_arena_mark_now(arena);
  int *dof = LIMPET_TAKE(arena, int, model->nv);
  double *column = LIMPET_TAKE(arena, double, 6 * model->nv);
  for (int d = 0; d < model->deformable_count && probe->soft && dof && column; ++d) {
    const limpet_fem_step *step = probe->soft->body[d].step;
    for (int t = model->deformable_tie[d]; t < model->deformable_tie[d + 1]; ++t) {
      const int vertex = model->tie_vertex[t];
      if (limpet_fem_set_of(step, vertex - model->deformable_vertex[d]) == LIMPET_FEM_FREE_NODE)
        continue;
      const int count =
          limpet_point_columns(model, probe->data, model->body_last_dof[model->tie_body[t]], -1,
                               probe->data->vertex_position + 3 * vertex, 1.0, dof, column);
      for (int k = 0; k < count; ++k)
        effect[dof[k]] = fmax(effect[dof[k]], rate * limpet_vec3_norm(column + 6 * k + 3));
    }
  }
  limpet_arena_release(arena, mark);
  return dof && column ? LIMPET_OK : LIMPET_ERROR_MEMORY;
}

// ---------------------------------------------------------------------------------- Jacobians

typedef struct pose_columns {
  limpet_soft_product p;
  int count;
  int *dof;           // (count)
  double *arm, *law;  // (count x vertices)
} pose_columns;

// What a number of w or A adds to the columns of poses.
static void add_weight(limpet_soft_product *p, int i, int d,
                       const limpet_fem_stiffness_gradient *g) {
  const pose_columns *c = (const pose_columns *)p;
  const int first = limpet_soft_first(p, d), count = limpet_soft_count(p, d);
  const size_t size = (size_t)p->w->residual.size;
  for (int j = 0; j < c->count; ++j) {
    const size_t at = (size_t)j * (size_t)p->vertices + (size_t)first;
    double sum = limpet_dot(count, g->end, c->law + at);
    if (g->arm) sum += limpet_dot(count, g->arm, c->arm + at);
    limpet_axpy((int)size, -sum / p->soft->scale[i], p->soft->by_w + (size_t)i * size,
                p->w->columns.q + (size_t)c->dof[j] * size);
  }
}

// One column, without w and A: with the velocities of trees held.
static void add_pose(pose_columns *c, int j) {
  limpet_soft_product *p = &c->p;
  const size_t V = (size_t)p->vertices;
  double *unit = p->end;  // (nv)
  memset(p->dR, 0, V * sizeof *p->dR);
  unit[c->dof[j]] = 1.0;
  limpet_soft_arms_move(p, unit, NULL, p->arm, p->offset);
  unit[c->dof[j]] = 0.0;
  for (int d = 0; d < p->w->model->deformable_count; ++d) {
    limpet_soft_arms_carry(p, d, p->arm, p->offset, p->e, p->dR);
    limpet_fem_clear_fixed(limpet_soft_body_at(p, d)->step, p->dR + limpet_soft_first(p, d));
  }
  memcpy(p->u, p->dR, V * sizeof *p->u);
  limpet_soft_solve_bodies(p, p->u);
  limpet_soft_add_bodies(p, p->w->columns.q + (size_t)c->dof[j] * (size_t)p->w->residual.size);
  limpet_soft_respond(p, NULL, false, p->u, p->dv);
  limpet_axpy(p->vertices, 1.0, p->e, p->dv);
  limpet_soft_law_change(p, NULL);
  memcpy(c->arm + (size_t)j * V, p->arm, V * sizeof *p->arm);
  memcpy(c->law + (size_t)j * V, p->law, V * sizeof *p->law);
}

// columns.q += what turned arms and velocities back do.
static limpet_status add_poses(limpet_gradient_workspace *w) {
  const limpet_soft_arms *arms = w->soft->arms;
  const limpet_arena_mark mark = limpet_arena_mark_now(&w->arena);
  pose_columns c = {.dof = LIMPET_TAKE(&w->arena, int, w->model->nv)};
  bool *moves = LIMPET_TAKE_ZERO(&w->arena, bool, w->model->nv);
  bool taken = c.dof && moves && limpet_soft_product_take(w, &c.p);
  for (int s = 0; s < arms->count && taken; ++s)
    for (int k = 0; k < arms->set[s].count; ++k) moves[arms->set[s].dof[k]] = true;
  for (int j = 0; j < w->model->nv && taken; ++j)
    if (moves[j]) c.dof[c.count++] = j;
  if (taken) {
    c.arm = LIMPET_TAKE(&w->arena, double, (size_t)c.count *(size_t)c.p.vertices);
    c.law = LIMPET_TAKE(&w->arena, double, (size_t)c.count *(size_t)c.p.vertices);
    taken = c.arm && c.law;
  }
  for (int j = 0; j < c.count && taken; ++j) add_pose(&c, j);
  if (taken) limpet_soft_each_weight(&c.p, false, add_weight);
  limpet_arena_release(&w->arena, mark);
  return taken ? LIMPET_OK : LIMPET_ERROR_MEMORY;
}

limpet_status limpet_soft_arms_make(limpet_gradient_workspace *w) {
  const int count = sets_of(w);
  w->soft->arms = NULL;
  if (count == 0 || !w->columns.q) return LIMPET_OK;
  const size_t columns = (size_t)w->model->nv * (size_t)w->residual.size;
  limpet_soft_arms *arms = LIMPET_TAKE_ZERO(&w->arena, limpet_soft_arms, 1);
  if (!arms) return LIMPET_ERROR_MEMORY;
  arms->set = LIMPET_TAKE(&w->arena, limpet_soft_set, count);
  arms->slope = LIMPET_TAKE_ZERO(&w->arena, double, 9 * (size_t)w->model->vertex_count);
  arms->by_pose = LIMPET_TAKE(&w->arena, double, columns);
  if (!arms->set || !arms->slope || !arms->by_pose || sets_take(w, arms))
    return LIMPET_ERROR_MEMORY;
  slopes_fill(w, arms);
  memcpy(arms->by_pose, w->columns.q, columns * sizeof *arms->by_pose);
  w->soft->arms = arms;
  return add_poses(w);
}
