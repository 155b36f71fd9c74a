/* gradient/loop_view.c: loops as they are at the solution: where their rows act, the weight of what
 * they join, and how their laws depend on both. See loop_change.c for the equations. */
#include "gradient/loop_view.h"

#include <math.h>
#include <string.h>

#include "constraint/loop.h"
#include "law/impedance.h"
#include "math/quaternion.h"
#include "math/spatial.h"

static const double share = 1e-4;        // [-]  of errors, that differences of laws span
static const double least_error = 1e-9;  // [m, rad]
static const double same = 1e-9;         // [-]  weights that differ by less are one

bool limpet_loop_has_row(const limpet_constraint_row *row) {
  const limpet_constraint_kind *kind = limpet_constraint_kinds()[row->kind];
  return kind == &limpet_constraint_connect || kind == &limpet_constraint_weld ||
         kind == &limpet_constraint_distance;
}

// -------------------------------------------------------------------------------------------- law

double limpet_loop_size(const limpet_model *model, const limpet_loop_view *view, int i,
                        const double *g) {
  if (view->kind == LIMPET_LOOP_DISTANCE) return g[0];
  if (view->kind == LIMPET_LOOP_CONNECT) return limpet_vec3_norm(g);
  if (!model->loop_has_impedance[view->loop]) return limpet_vec3_norm(g + (i < 3 ? 0 : 3));
  return hypot(limpet_vec3_norm(g + 3),
               0.5 * model->loop_torque_scale[view->loop] * limpet_vec3_norm(g));
}

// What the law of a row reads.
typedef struct law_input {
  double r, g;  // size and error
  double bias, w;
} law_input;

// v_hat and 1/R of row i.
static void law_at(limpet_row_probe *rows, const limpet_loop_view *view, int i, law_input x,
                   double values[2]) {
  const limpet_model *model = rows->builder.model;
  const double dt = rows->settings.dt, s = model->loop_torque_scale[view->loop];
  const bool turning = limpet_loop_is_turning(view, i),
             impedance = model->loop_has_impedance[view->loop];
  const bool distance = view->kind == LIMPET_LOOP_DISTANCE;
  double K = distance ? model->loop_stiffness[view->loop] : INFINITY,
         C = distance ? model->loop_damping[view->loop] : 0.0, returned = 1.0;
  rows->builder.settings = &rows->settings;
  rows->builder.problem = &rows->problem;
  if (impedance)
    limpet_impedance_stiffness(&model->loop_impedance[view->loop], x.r, dt,
                               limpet_loop_inverse_weight(model, view->loop, turning), &K, &C);
  else if (!distance) returned = limpet_row_return_share(&rows->builder, x.r);
  if (turning && impedance) K *= 0.25 * s * s, C *= 0.25 * s * s;
  if (turning && !impedance && s < 1.0) x.w /= s * s;
  rows->row = (limpet_constraint_row){0};
  rows->problem.row = &rows->row;
  rows->problem.row_count = 0;
  rows->problem.entry_count = 1;
  const limpet_row_spring spring = {x.g, returned, x.bias, K, C, 0.0};
  limpet_row_end_equality(&rows->builder, x.w, &spring);
  values[0] = rows->row.v_hat, values[1] = rows->row.R_inverse;
}

/* By g, r and the bias where the row is near-rigid: v_hat = -share g/(2 dt) - bias, R = share times
 * what it is without, share = r_most/r beyond r_most, at which points that start far apart return.
 * No error is larger than r, and a difference over g alone would bound it once more. */
static void near_rigid_slopes(limpet_row_probe *rows, const law_input *x, limpet_loop_law *law) {
  rows->builder.settings = &rows->settings;
  const double returned = limpet_row_return_share(&rows->builder, x->r);
  law->v_by_b = -1.0;
  law->v_by_g = -0.5 * returned / rows->settings.dt;
  if (!(returned < 1.0)) return;
  law->v_by_r = -law->v_by_g * x->g / x->r;
  law->rho_by_r = law->rho / x->r;
}

// The same by differences.
static void law_slopes(limpet_row_probe *rows, const limpet_loop_view *view, int i,
                       const law_input *x, limpet_loop_law *law) {
  const double wide = fmax(share * fabs(x->g), least_error),
               along = fmax(share * fabs(x->r), least_error);
  double at[2], up[2], down[2];
  law_at(rows, view, i, *x, at);
  law_at(rows, view, i, (law_input){x->r, x->g, x->bias + 1.0, x->w}, up);
  law->v_by_b = up[0] - at[0];
  law_at(rows, view, i, (law_input){x->r, x->g + wide, 0.0, x->w}, up);
  law_at(rows, view, i, (law_input){x->r, x->g - wide, 0.0, x->w}, down);
  law->v_by_g = (up[0] - down[0]) / (2.0 * wide);
  law->rho_by_g = (up[1] - down[1]) / (2.0 * wide);
  law_at(rows, view, i, (law_input){x->r + along, x->g, x->bias, x->w}, up);
  law_at(rows, view, i, (law_input){x->r - along, x->g, x->bias, x->w}, down);
  law->v_by_r = (up[0] - down[0]) / (2.0 * along);
  law->rho_by_r = (up[1] - down[1]) / (2.0 * along);
}

/* Slopes of the law of row i with the speed u. x.w: of its columns; others: the row bears more than
 * its two bodies, and its weight is that of a mass. Returns whether the row is explained so. */
static bool law_of(limpet_row_probe *rows, limpet_loop_view *view, int i,
                   const limpet_constraint_row *row, double u, law_input x) {
  limpet_loop_law *law = &view->law[i];
  const limpet_model *model = rows->builder.model;
  double at[2], up[2];
  law_at(rows, view, i, x, at);
  const bool loaded = !(fabs(at[1] - row->R_inverse) <= same * row->R_inverse);
  if (loaded) x.w *= at[1] / row->R_inverse;
  law_at(rows, view, i, x, at);
  if (!(fabs(at[1] - row->R_inverse) <= same * row->R_inverse) ||
      !(fabs(at[0] - row->v_hat) <= same * (1.0 + fabs(row->v_hat))))
    return false;
  *law = (limpet_loop_law){.rho = row->R_inverse, .rest = row->v_hat - u};
  if (view->kind != LIMPET_LOOP_DISTANCE && !model->loop_has_impedance[view->loop])
    near_rigid_slopes(rows, &x, law);
  else law_slopes(rows, view, i, &x, law);
  law_at(rows, view, i, (law_input){x.r, x.g, x.bias, (1.0 + share) * x.w}, up);
  if (!loaded && up[1] != at[1]) law->rho_by_w = -at[1] / x.w;
  // inertia of what hangs on a weld changes with its pose
  return !(loaded && limpet_loop_is_turning(view, i));
}

// ------------------------------------------------------------------------------------------ views

void limpet_loop_errors(const limpet_model *model, const limpet_loop_view *view, double g[6]) {
  if (view->kind == LIMPET_LOOP_DISTANCE) {
    g[0] = view->length - model->loop_length[view->loop];
    return;
  }
  double *apart = view->kind == LIMPET_LOOP_WELD ? g + 3 : g;
  limpet_vec3_sub(apart, view->end[1], view->end[0]);
  if (view->kind == LIMPET_LOOP_WELD) limpet_vec3_copy(g, view->turn);
}

static void biases_of(const limpet_loop_view *view, const limpet_loop *loop, double dt, bool curved,
                      double bias[6]) {
  memset(bias, 0, 6 * sizeof *bias);
  if (view->kind == LIMPET_LOOP_CONNECT) limpet_vec3_copy(bias, loop->bias + 3);
  if (view->kind == LIMPET_LOOP_WELD) limpet_spatial_copy(bias, loop->bias);
  if (view->kind != LIMPET_LOOP_DISTANCE || !curved) return;
  double v[2][3], apart[3];
  for (int side = 0; side < 2; ++side)
    limpet_loop_point_motion(view->body[side].V0, view->end[side], v[side]);
  limpet_vec3_sub(apart, v[1], v[0]);
  const double along = limpet_vec3_dot(view->axis, apart),
               across = limpet_vec3_dot(apart, apart) - along * along;
  bias[0] = limpet_vec3_dot(view->axis, loop->bias + 3);
  if (view->length > 0.0) bias[0] += 0.5 * dt * across / view->length;
}

// A body of the loop about C; meets: limpet_body_paths_meet.
static void place_body(const limpet_probe *probe, const limpet_contact_motion *motion,
                       const double C[3], int meets, limpet_loop_body *to) {
  to->tree = probe->model->body_tree[to->unit];
  limpet_probe_origin(probe, to->unit, to->origin);
  limpet_probe_pivot(probe, to->unit, to->pivot);
  if (to->tree < 0) return;
  const limpet_body_motion *own = &motion->body[to->unit];
  double alone[6];
  limpet_vec3_sub(to->lever, C, probe->data->tree_origin + 3 * to->tree);
  limpet_spatial_shift_motion(to->V, own->V, to->lever);
  limpet_spatial_shift_motion(to->V0, own->V0, to->lever);
  limpet_spatial_shift_motion(to->A, own->A, to->lever);
  limpet_spatial_copy(alone, own->V);
  if (meets >= 0) limpet_spatial_addmul(alone, -1.0, motion->body[meets].V);
  limpet_spatial_shift_motion(to->U, alone, to->lever);
}

// The velocities from `last` back to `end`, before which they belong to another part.
static int count_dofs(const limpet_model *model, int last, int end) {
  int count = 0;
  for (int d = last; d > end; d = model->dof_parent[d]) ++count;
  return count;
}

static limpet_status find_dofs(const limpet_model *model, int meets, limpet_arena *arena,
                               limpet_loop_view *view) {
  const int both = meets >= 0 ? model->body_last_dof[meets] : -1;
  const int last[LIMPET_LOOP_PARTS] = {model->body_last_dof[view->body[0].unit],
                                       model->body_last_dof[view->body[1].unit], both};
  const int end[LIMPET_LOOP_PARTS] = {both, both, -1};
  view->from[0] = 0;
  for (int p = 0; p < LIMPET_LOOP_PARTS; ++p)
    view->from[p + 1] = view->from[p] + count_dofs(model, last[p], end[p]);
  view->dof = LIMPET_TAKE(arena, int, view->from[LIMPET_LOOP_PARTS]);
  view->arm = LIMPET_TAKE_ZERO(arena, limpet_loop_arm, view->from[LIMPET_LOOP_BOTH]);
  if (!view->dof || !view->arm) return LIMPET_ERROR_MEMORY;
  for (int p = 0; p < LIMPET_LOOP_PARTS; ++p)
    for (int d = last[p], k = view->from[p + 1] - 1; d > end[p]; d = model->dof_parent[d], --k)
      view->dof[k] = d;
  return LIMPET_OK;
}

// Both bodies of the loop, and what moves them.
static limpet_status bodies_make(limpet_contact_motion *motion, const double C[3],
                                 limpet_arena *arena, limpet_loop_view *view) {
  const limpet_probe *probe = motion->w->probe;
  const limpet_model *model = probe->model;
  const int *body = model->loop_body + 2 * view->loop;
  for (int side = 0; side < LIMPET_SIDES; ++side) {
    limpet_loop_body *to = &view->body[side];
    to->unit = model->body_weld[body[side]];
    if (model->body_tree[to->unit] >= 0) limpet_contact_motion_reach(motion, to->unit);
  }
  const int meets = limpet_body_paths_meet(model, view->body[0].unit, view->body[1].unit);
  for (int side = 0; side < LIMPET_SIDES; ++side)
    place_body(probe, motion, C, meets, &view->body[side]);
  return find_dofs(model, meets, arena, view);
}

// w of a part, with what its derivative needs.
static double weigh(limpet_loop_view *view, int part) {
  double D[9] = {0.0}, *G = view->G[part], norm = 0.0;
  for (int side = 0; side < LIMPET_SIDES; ++side)
    for (int k = view->from[side]; k < view->from[side + 1]; ++k) {
      const limpet_dof_motion *dof = &view->motion->dof[view->dof[k]];
      double *c = view->arm[k].c[part], *w = view->arm[k].w[part];
      limpet_loop_column(view, part, side, dof->C, c);
      limpet_loop_column(view, part, side, dof->W, w);
      for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j) D[3 * i + j] += c[i] * w[j];
    }
  if (view->kind == LIMPET_LOOP_DISTANCE) {
    limpet_mat3_mul_vec(view->Dn, D, view->axis);
    for (int i = 0; i < 9; ++i) G[i] = view->axis[i / 3] * view->axis[i % 3];
    return limpet_vec3_dot(view->axis, view->Dn);
  }
  for (int i = 0; i < 9; ++i) norm += D[i] * D[i];
  norm = sqrt(norm);
  for (int i = 0; i < 9; ++i) G[i] = norm > 0.0 ? D[i] / (3.0 * norm) : 0.0;
  return norm / 3.0;
}

static void place(limpet_row_probe *rows, limpet_loop_view *view, limpet_loop *loop) {
  rows->builder.settings = &rows->settings;
  limpet_loop_state(&rows->builder, view->loop, loop);
  limpet_vec3_sub(view->end[1], loop->Q, loop->P);
  limpet_vec3_copy(view->turn, loop->turn);
  limpet_vec3_copy(view->axis, view->end[1]);
  view->length = limpet_vec3_normalize(view->axis);
  if (!(view->length > 0.0)) limpet_vec3_set(view->axis, 1.0, 0.0, 0.0);
  for (int side = 0; side < 2; ++side) {
    if (view->kind == LIMPET_LOOP_WELD) limpet_vec3_scale(view->at[side], 0.5, view->end[1]);
    else limpet_vec3_copy(view->at[side], view->end[side]);
  }
}

// What is known of a loop whose rows are there.
static limpet_status view_make(limpet_contact_motion *motion, limpet_row_probe *rows,
                               limpet_arena *arena, limpet_loop_view *view) {
  const limpet_probe *probe = motion->w->probe;
  const limpet_model *model = probe->model;
  const limpet_contact_problem *problem = &probe->residual->solved->problem;
  const limpet_island *island = &problem->island[view->island];
  const double *speed = probe->residual->smooth[view->island].base.row_u;
  limpet_loop loop;
  double g[6] = {0.0}, bias[6];
  place(rows, view, &loop);
  if (bodies_make(motion, loop.P, arena, view)) return LIMPET_ERROR_MEMORY;
  limpet_loop_errors(model, view, g);
  biases_of(view, &loop, rows->settings.dt, rows->settings.curved_paths, bias);
  const double w[2] = {weigh(view, 0), view->kind == LIMPET_LOOP_WELD ? weigh(view, 1) : 0.0};
  view->known =
      !rows->settings.mixed_weld_weight && !limpet_loop_flies(model, &rows->settings, view->loop);
  for (int i = 0; i < view->count && view->known; ++i) {
    if (view->row[i] == LIMPET_NONE) continue;
    const limpet_constraint_row *row = &problem->row[view->row[i]];
    const double u = speed[view->row[i] - island->row];
    view->gamma[i] = row->R_inverse * (row->v_hat - u);
    const law_input x = {limpet_loop_size(model, view, i, g), row->error, bias[i],
                         w[limpet_loop_part(view, i)]};
    view->known = law_of(rows, view, i, row, u, x);
  }
  return view->known ? limpet_loop_weights_make(view, arena) : LIMPET_OK;
}

static int rows_of(limpet_loop_kind kind) {
  return kind == LIMPET_LOOP_WELD ? 6 : kind == LIMPET_LOOP_CONNECT ? 3 : 1;
}

limpet_status limpet_loop_views_make(limpet_contact_motion *motion, limpet_row_probe *rows,
                                     limpet_arena *arena, limpet_loop_view *views, int *count) {
  const limpet_probe *probe = motion->w->probe;
  const limpet_contact_problem *problem = &probe->residual->solved->problem;
  *count = 0;
  for (int i = 0; i < problem->island_count; ++i) {
    const limpet_island *island = &problem->island[i];
    limpet_loop_view *view = NULL;
    for (int k = island->row; k < island->row + island->row_count; ++k) {
      const limpet_constraint_row *row = &problem->row[k];
      if (!limpet_loop_has_row(row)) continue;
      if (!view || view->loop != row->target) {
        const limpet_loop_kind kind = probe->model->loop_kind[row->target];
        view = &views[(*count)++];
        *view = (limpet_loop_view){.motion = motion,
                                   .island = i,
                                   .loop = row->target,
                                   .kind = kind,
                                   .count = rows_of(kind)};
        for (int c = 0; c < LIMPET_LOOP_ROWS; ++c) view->row[c] = LIMPET_NONE;
      }
      view->row[row->component] = k;
    }
  }
  for (int i = 0; i < *count; ++i)
    if (view_make(motion, rows, arena, &views[i])) return LIMPET_ERROR_MEMORY;
  return LIMPET_OK;
}
