/* gradient/contact_sweep.c: see contact_sweep.h.
 *
 * With Y = -J x, x the dual of the island, x'dr = Y . dF - sum x_k dS_k . F: what patch_columns.c
 * does column by column runs backwards. Each side of a patch leaves on its body b the factors of
 * xi (twist), V, V0 and A, of S (f = -+F), and E = sum Y_i by_D_i. Along pose j on the path of b
 * (body_path.h)
 *   dS . f    S_j . (X_b - X_j) x* f              X: sums of x_k S_k, X_j: before j
 *   dV . y    S_j . (V_b - P_j) x* y              likewise V0
 *   dA . y    S_j . A_b x* y + q_j . y + p_j . V0_b x* y
 *   dD : E    S_j . sum of 2 C_k x* E W_k over what j moves;   C_k . E C_l by the weight of k, l
 * and along velocity j  S_j . (y_V0 + V0_b x* y_A) + (S_j' + p_j) . y_A. All are linear in factors
 * that add up from bodies to their parents. Velocities that move both sides cancel; in E where the
 * paths meet, -2 E does it. Spatial vectors about the origin of each tree, W. */
#include "gradient/contact_sweep.h"

#include <string.h>

#include "dynamics/tree.h"
#include "gradient/patch_sides.h"
#include "gradient/tree_bend.h"
#include "gradient/tree_centre.h"
#include "math/dense.h"
#include "math/spatial.h"
#include "model/trees.h"
#include "solve/island.h"
#include "step/flight.h"

// Of one body, and of all that hangs on it.
typedef struct body_factors {
  bool any, weighs;
  double W[6];                           // of rigid motion of what is behind
  double f[6], V[6], V0[6], A[6], g[6];  // g: sum of V0_b x* y_A
  double c[6];                           // of 2 C_k x* E W_k
  double E[36];
} body_factors;

struct limpet_contact_sweep {
  const limpet_column_writer *w;
  limpet_contact_motion motion;
  int patch_count;
  limpet_patch_view *patch;  // (patch_count)
  double *X, *before;     // (body_count x 6), (nv x 6)  sums of x_k S_k: of a body, before each j
  body_factors *body;     // (body_count)
  limpet_bend_sums *sum;  // (body_count)  of trees that are centred
};

// --------------------------------------------------------------------------- at the solution

static bool in_contact(const limpet_contact_problem *problem, const limpet_model *model, int tree) {
  return problem->block[problem->dof_block[model->tree_dof[tree]]].island >= 0;
}

static limpet_status take(limpet_contact_sweep *s) {
  limpet_arena *arena = s->w->arena;
  const limpet_model *model = s->w->probe->model;
  const int bodies = model->body_count;
  s->patch =
      LIMPET_TAKE(arena, limpet_patch_view, s->w->probe->residual->solved->problem.patch_count);
  s->X = LIMPET_TAKE(arena, double, 6 * bodies);
  s->body = LIMPET_TAKE(arena, body_factors, bodies);
  s->before = LIMPET_TAKE(arena, double, 6 * model->nv);
  s->sum = LIMPET_TAKE(arena, limpet_bend_sums, bodies);
  if (s->w->motion) s->motion = *s->w->motion;
  else if (limpet_contact_motion_take(s->w, &s->motion)) return LIMPET_ERROR_MEMORY;
  return s->patch && s->X && s->before && s->body && s->sum ? LIMPET_OK : LIMPET_ERROR_MEMORY;
}

limpet_contact_sweep *limpet_contact_sweep_make(const limpet_column_writer *w, bool loops) {
  const limpet_model *model = w->probe->model;
  const limpet_contact_problem *problem = &w->probe->residual->solved->problem;
  limpet_contact_sweep *s = LIMPET_TAKE(w->arena, limpet_contact_sweep, 1);
  if (!s) return NULL;
  *s = (limpet_contact_sweep){.w = w};
  if (take(s)) return NULL;
  for (int t = 0; t < model->tree_count && (loops || problem->patch_count > 0); ++t) {
    if (!in_contact(problem, model, t)) continue;
    limpet_contact_motion_fill(&s->motion, t);
    if (limpet_tree_is_centred(w->probe, t)) limpet_bend_sums_make(&s->motion, t, s->sum);
  }
  for (int i = 0; i < problem->island_count; ++i) {
    const limpet_island *island = &problem->island[i];
    for (int k = island->patch; k < island->patch + island->patch_count; ++k) {
      limpet_patch_view *view = &s->patch[s->patch_count];
      if (!limpet_patch_view_matters(w, i, &problem->patch[k])) continue;
      if (limpet_patch_view_make(w, i, &problem->patch[k], s->motion.body, s->motion.weighs, view))
        return NULL;
      if (view->law.weighs) limpet_patch_law_sum_weights(&view->law);
      ++s->patch_count;
    }
  }
  return s;
}

// --------------------------------------------------------------------------- factors of a patch

typedef struct patch_factors {
  double Y[6];
  double E[36];
  limpet_side_factors side[LIMPET_SIDES];
} patch_factors;

// y = K' x
static void multiply_transposed(const limpet_patch_law *law, const double x[6],
                                double y[LIMPET_LAW_WIDTH]) {
  memset(y, 0, LIMPET_LAW_WIDTH * sizeof *y);
  for (int i = 0; i < 6; ++i)
    for (int j = 0; j < LIMPET_LAW_WIDTH; j += 6)
      limpet_spatial_addmul(y + j, x[i], law->K + LIMPET_LAW_WIDTH * i + j);
}

// own (LIMPET_LAW_WIDTH): see contact_sweep.h; NULL: none.
static void factors_of(const limpet_patch_view *p, const double *dual, const double *own,
                       patch_factors *x) {
  const limpet_residual *residual = p->w->probe->residual;
  const limpet_patch_law *law = &p->law;
  double y[LIMPET_LAW_WIDTH], all[6];
  limpet_spatial_zero(x->Y);
  if (dual) limpet_patch_velocity(p->patch, dual + residual->at[p->island], x->Y);
  for (int i = 0; i < 6; ++i) x->Y[i] = -x->Y[i];
  multiply_transposed(law, x->Y, y);
  for (int i = 0; i < LIMPET_LAW_WIDTH && own; ++i) y[i] += own[i];
  limpet_patch_sides(p, y, x->side);
  double *seen = x->side[LIMPET_SIDE_A].xi;
  limpet_side_add_turned(seen, -1.0, x->Y, law->F);
  if (!law->weighs) return;
  memset(x->E, 0, sizeof x->E);
  for (int i = 0; i < 6; ++i)
    for (int k = 0; k < 36; k += 6) limpet_spatial_addmul(x->E + k, x->Y[i], law->by_D[i] + k);
  limpet_side_all_turned(p->D, x->E, all);
  limpet_spatial_addmul(seen, -1.0, all);
}

// --------------------------------------------------------------------------- onto bodies

static void begin_factors(body_factors *b) {
  if (b->any) return;
  memset(b, 0, sizeof *b - sizeof b->E);
  b->any = true;
}

static void begin_weights(body_factors *b) {
  if (b->weighs) return;
  memset(b->E, 0, sizeof b->E);
  b->weighs = true;
}

static void put_side(limpet_contact_sweep *s, const limpet_patch_view *p, int side,
                     const patch_factors *x) {
  const limpet_model *model = s->w->probe->model;
  const int body = p->unit[side], tree = model->body_tree[body];
  if (p->path[side].count == 0) return;
  const limpet_body_motion *motion = &s->motion.body[body];
  const limpet_side_factors *own = &x->side[side];
  body_factors *to = &s->body[body];
  double lever[3], f[6], V[6], V0[6], A[6], xi[6], pull[6], g[6];
  limpet_vec3_sub(lever, p->patch->point, s->w->probe->data->tree_origin + 3 * tree);
  begin_factors(to);
  limpet_side_shift_force(xi, own->xi, lever);
  limpet_spatial_addmul(to->W, 1.0, xi);
  for (int i = 0; i < 6; ++i) pull[i] = -limpet_patch_signs[side] * p->law.F[i];
  limpet_side_shift_force(f, pull, lever);
  limpet_side_shift_force(V, own->dV, lever);
  limpet_spatial_addmul(to->f, 1.0, f);
  limpet_spatial_addmul(to->V, 1.0, V);
  limpet_side_add_turned(to->W, 1.0, s->X + 6 * body, f);
  limpet_side_add_turned(to->W, 1.0, motion->V, V);
  if (p->law.weighs) {
    begin_weights(to);
    limpet_side_shift_matrix(to->E, 1.0, x->E, lever);
  }
  if (!p->curved && !p->law.has_0) return;
  limpet_side_shift_force(V0, own->dV0, lever);
  limpet_side_shift_force(A, own->dA, lever);
  limpet_spatial_addmul(to->V0, 1.0, V0);
  limpet_spatial_addmul(to->A, 1.0, A);
  limpet_spatial_cross_force(g, motion->V0, A);
  limpet_spatial_addmul(to->g, 1.0, g);
  limpet_side_add_turned(to->W, 1.0, motion->V0, V0);
  limpet_side_add_turned(to->W, 1.0, motion->A, A);
}

// Where both paths meet: what moves both sides has no part in D.
static void put_meeting(limpet_contact_sweep *s, const limpet_patch_view *p,
                        const patch_factors *x) {
  const limpet_model *model = s->w->probe->model;
  if (p->meets == LIMPET_NONE || !p->law.weighs) return;
  double lever[3];
  limpet_vec3_sub(lever, p->patch->point,
                  s->w->probe->data->tree_origin + 3 * model->body_tree[p->meets]);
  begin_factors(&s->body[p->meets]);
  begin_weights(&s->body[p->meets]);
  limpet_side_shift_matrix(s->body[p->meets].E, -2.0, x->E, lever);
}

// --------------------------------------------------------------------------- sweeps

// X of a body and of its velocities.
static void spread(limpet_contact_sweep *s, int body, const double *x) {
  const limpet_model *model = s->w->probe->model;
  const int parent = model->body_parent[body];
  double *X = s->X + 6 * body, before[6] = {0.0};
  if (model->body_tree[parent] >= 0) limpet_spatial_copy(X, s->X + 6 * parent);
  else limpet_spatial_zero(X);
  s->body[body].any = s->body[body].weighs = false;
  const int end = model->body_joint[body] + model->body_joint_count[body];
  for (int j = model->body_joint[body]; j < end; ++j) {
    const int first = model->joint_v[j], last = first + limpet_joint_kind_nv(model->joint_kind[j]);
    for (int d = first; d < last; ++d) {
      if (d == first || !limpet_dofs_turn_together(model, d - 1, d)) limpet_spatial_copy(before, X);
      limpet_spatial_copy(s->before + 6 * d, before);
      limpet_spatial_addmul(X, x[d], s->w->probe->data->dof_axis + 6 * d);
    }
  }
}

// E x
static void multiply(double y[6], const double E[36], const double x[6]) {
  for (int i = 0; i < 6; ++i) y[i] = limpet_spatial_dot(E + 6 * i, x);
}

// What the weights of a joint's velocity have.
static void weigh(const limpet_contact_sweep *s, const body_factors *b, int first, int count,
                  int dof, double *by_weight) {
  double h[6], *row = by_weight + 6 * dof;
  multiply(h, b->E, s->motion.dof[dof].C);
  if (!limpet_contact_motion_whole_joints(&s->motion))
    row[0] += limpet_spatial_dot(s->motion.dof[dof].C, h);
  for (int i = 0; i < count && limpet_contact_motion_whole_joints(&s->motion); ++i)
    row[i] += limpet_spatial_dot(s->motion.dof[first + i].C, h);
}

// c += what moves its axis.
static void carry(const limpet_contact_sweep *s, const body_factors *b, int dof, double c[6]) {
  double h[6];
  multiply(h, b->E, s->motion.dof[dof].W);
  limpet_side_add_turned(c, 2.0, s->motion.dof[dof].C, h);
}

/* The velocities of one joint; what it moves is in b. c: what of its own axes moves with pose d is
 * that behind it. Rotations of a ball, and of a free joint, move each other, but not the axes of
 * translation, which are the world's; where rotations count in world axes, too, only translations
 * move them. */
static void gather_joint(const limpet_contact_sweep *s, body_factors *b, int joint, double *by_q,
                         double *by_v, double *by_weight) {
  const limpet_model *model = s->w->probe->model;
  const int first = model->joint_v[joint],
            last = first + limpet_joint_kind_nv(model->joint_kind[joint]);
  const int turns = model->joint_kind[joint] == LIMPET_JOINT_FREE ? first + 3 : last;
  double turned[6], part[6];  // by rotations of a free joint
  limpet_spatial_copy(turned, b->c);
  for (int d = first; d < last && b->weighs; ++d) {
    weigh(s, b, first, last - first, d, by_weight);
    if (d >= turns && limpet_contact_motion_whole_joints(&s->motion)) carry(s, b, d, turned);
    carry(s, b, d, b->c);
  }
  // - S . P0 x* y = p . y
  double pushed[6];
  for (int i = 0; i < 6; ++i) pushed[i] = b->V0[i] + b->g[i];
  for (int d = last - 1; d >= first; --d) {
    const limpet_dof_motion *at = &s->motion.dof[d];
    const double *S = s->w->probe->data->dof_axis + 6 * d;
    limpet_spatial_copy(part, b->W);
    limpet_side_add_turned(part, -1.0, s->before + 6 * d, b->f);
    limpet_side_add_turned(part, -1.0, at->P, b->V);
    if (b->weighs) limpet_spatial_addmul(part, 1.0, d >= turns ? turned : b->c);
    by_q[d] += limpet_spatial_dot(S, part) + limpet_spatial_dot(at->pose.q, b->A) +
               limpet_spatial_dot(at->pose.p, pushed);
    by_v[d] += limpet_spatial_dot(S, pushed) + limpet_spatial_dot(at->rate.rate, b->A);
  }
}

static void pass_on(const limpet_contact_sweep *s, int body) {
  const int parent = s->w->probe->model->body_parent[body];
  const body_factors *b = &s->body[body];
  body_factors *to = &s->body[parent];
  if (s->w->probe->model->body_tree[parent] < 0) return;
  begin_factors(to);
  limpet_spatial_addmul(to->W, 1.0, b->W);
  limpet_spatial_addmul(to->f, 1.0, b->f);
  limpet_spatial_addmul(to->V, 1.0, b->V);
  limpet_spatial_addmul(to->V0, 1.0, b->V0);
  limpet_spatial_addmul(to->A, 1.0, b->A);
  limpet_spatial_addmul(to->g, 1.0, b->g);
  limpet_spatial_addmul(to->c, 1.0, b->c);
  if (!b->weighs) return;
  begin_weights(to);
  for (int i = 0; i < 36; ++i) to->E[i] += b->E[i];
}

// What the acceleration of the centre of mass of a centred tree has.
void limpet_contact_sweep_bend(const limpet_contact_sweep *s, int tree, const double bend[3],
                               double *by_q, double *by_v) {
  double y[3];
  if (!limpet_tree_is_centred(s->w->probe, tree) || limpet_is_zero(3, bend)) return;
  const double m = s->w->probe->residual->solved->motion.flight->balance[tree].start.mass;
  limpet_vec3_scale(y, 1.0 / m, bend);
  limpet_bend_product(&s->motion, tree, s->sum, y, by_q, by_v);
}

static void gather_tree(limpet_contact_sweep *s, int tree, double *by_q, double *by_v,
                        double *by_weight) {
  const limpet_model *model = s->w->probe->model;
  const limpet_range bodies = limpet_tree_bodies(model, tree);
  for (int b = bodies.end - 1; b >= bodies.first; --b) {
    if (!s->body[b].any) continue;
    const int first = model->body_joint[b];
    for (int j = first + model->body_joint_count[b] - 1; j >= first; --j)
      gather_joint(s, &s->body[b], j, by_q, by_v, by_weight);
    pass_on(s, b);
  }
  if (!s->body[bodies.first].any) return;
  double bend[3];
  limpet_vec3_scale(bend, -1.0, s->body[bodies.first].A + 3);
  limpet_contact_sweep_bend(s, tree, bend, by_q, by_v);
}

const limpet_patch_view *limpet_contact_sweep_patches(const limpet_contact_sweep *s, int *count) {
  *count = s->patch_count;
  return s->patch;
}

void limpet_contact_sweep_add(limpet_contact_sweep *s, const double *dual, const double *x,
                              const double *own, double *by_q, double *by_v, double *by_weight) {
  const limpet_model *model = s->w->probe->model;
  const limpet_contact_problem *problem = &s->w->probe->residual->solved->problem;
  if (s->patch_count == 0) return;
  for (int t = 0; t < model->tree_count; ++t) {
    const limpet_range bodies = limpet_tree_bodies(model, t);
    for (int b = bodies.first; b < bodies.end && in_contact(problem, model, t); ++b)
      spread(s, b, x);
  }
  for (int k = 0; k < s->patch_count; ++k) {
    const limpet_patch_view *p = &s->patch[k];
    patch_factors factors;
    const size_t place = (size_t)(p->patch - problem->patch);
    factors_of(p, dual, own ? own + LIMPET_LAW_WIDTH * place : NULL, &factors);
    for (int side = 0; side < LIMPET_SIDES; ++side) put_side(s, p, side, &factors);
    put_meeting(s, p, &factors);
  }
  for (int t = 0; t < model->tree_count; ++t)
    if (in_contact(problem, model, t)) gather_tree(s, t, by_q, by_v, by_weight);
}
