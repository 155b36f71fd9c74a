/* gradient/contact_change.c: derivatives of the rows of one contact, with the solution held: see
 * contact_change.h.
 *
 *   row k   s_k = row_k . u + gap,   u = (W V + bias, n . w),   impulse on V: F = W'(dual), dual =
 *           sum lambda_k row_k
 *   ds_k = drow_k . u + row_k . dW V + dgap,   dr = -columns . (dW' dual + W' sum lambda_k drow_k)
 *   friction, torsion   the rows are linear in mu and mu_w
 *   distance            gap = phi/dt; nothing where the contact comes out at the return speed
 *   point               r += d:  dW = [d x e, 0]          turn  e += t x e:  dW = [r x (t x e), t x
 *                       e], of the axis of spin too
 * Biases of moving surfaces are held. Cost: a column of the patch's paths for each parameter. */
#include "gradient/contact_change.h"

#include <math.h>
#include <string.h>

#include "math/spatial.h"
#include "solve/island.h"

// What one parameter changes.
typedef struct change {
  double row[4 * LIMPET_RIGID_ROWS];  // drow_k
  double W[24];                       // of the fourth, n . w, too
  double gap;                         // dgap
} change;

static void fourth_row(double row[6], const double W[18]) {
  limpet_vec3_copy(row, W + 15);
  limpet_vec3_zero(row + 3);
}

void limpet_contact_view_make(const limpet_residual *residual, int island,
                              const limpet_patch *patch, int contact, double return_speed,
                              limpet_contact_view *view) {
  const limpet_contact_problem *problem = &residual->solved->problem;
  const limpet_island_programme *p = &residual->solved->solution.programme[island];
  const int i = contact - p->island->contact;
  *view = (limpet_contact_view){
      .programme = p,
      .patch = patch,
      .constants = &problem->constants[contact],
      .return_speed = return_speed,
      .row = p->row_first[i],
      .row_count = p->row_count[i],
      .rows = p->rows + 4 * LIMPET_RIGID_ROWS * i,
      .W = problem->contact_row + 18 * contact,
      .lambda = residual->rows[island].solution.multipliers + p->row_first[i]};

  // frame; r = 1/2 sum e x (r x e)
  for (int e = 0; e < 3; ++e) {
    double *axis = view->frame + 3 * e, part[3];
    limpet_vec3_copy(axis, view->W + 6 * e + 3);
    const double scale = limpet_vec3_normalize(axis);
    limpet_vec3_cross(part, axis, view->W + 6 * e);
    limpet_vec3_addmul(view->r, view->r, 0.5 / scale, part);
  }

  // velocities and impulses
  limpet_patch_velocity(patch, p->solution.x, view->V);
  double spin[6];
  fourth_row(spin, view->W);
  for (int e = 0; e < 3; ++e)
    view->u[e] =
        limpet_spatial_dot(view->W + 6 * e, view->V) + (e < 2 ? p->offset[2 * i + e] : 0.0);
  view->u[3] = limpet_spatial_dot(spin, view->V);
  for (int k = 0; k < view->row_count; ++k)
    for (int e = 0; e < 4; ++e) view->dual[e] += view->lambda[k] * view->rows[4 * k + e];
}

static void change_point(const limpet_contact_view *view, int axis, change *c) {
  for (int e = 0; e < 3; ++e)
    limpet_vec3_cross(c->W + 6 * e, view->frame + 3 * axis, view->W + 6 * e + 3);
}

static void change_turn(const limpet_contact_view *view, int axis, change *c) {
  for (int e = 0; e < 3; ++e) {
    limpet_vec3_cross(c->W + 6 * e + 3, view->frame + 3 * axis, view->W + 6 * e + 3);
    limpet_vec3_cross(c->W + 6 * e, view->r, c->W + 6 * e + 3);
  }
  limpet_vec3_copy(c->W + 18, c->W + 15);
}

static void change_of(const limpet_contact_view *view, limpet_contact_parameter parameter, int axis,
                      change *c) {
  const limpet_contact_constants *constants = view->constants;
  memset(c, 0, sizeof *c);
  switch (parameter) {
    case LIMPET_CHANGE_FRICTION:
      for (int k = 0; k < view->row_count && constants->friction > 0.0; ++k)
        for (int e = 0; e < 2; ++e) c->row[4 * k + e] = view->rows[4 * k + e] / constants->friction;
      break;
    case LIMPET_CHANGE_TORSION:
      for (int k = 0; k < view->row_count && constants->torsion > 0.0; ++k)
        c->row[4 * k + 3] = view->rows[4 * k + 3] / constants->torsion;
      break;
    case LIMPET_CHANGE_DISTANCE:
      c->gap = constants->rigid.gap_speed > -view->return_speed ? 1.0 / constants->dt : 0.0;
      break;
    case LIMPET_CHANGE_POINT: change_point(view, axis, c); break;
    case LIMPET_CHANGE_TURN: change_turn(view, axis, c); break;
    case LIMPET_CHANGE_STIFFNESS:
    case LIMPET_CHANGE_DISSIPATION:
    case LIMPET_CHANGE_RELAXATION_TIME:
    case LIMPET_CHANGE_START_SPEED:
    case LIMPET_CHANGE_PARAMETERS: break;
  }
}

void limpet_contact_change(const limpet_contact_view *view, limpet_contact_parameter parameter,
                           int axis, double *r, double *s) {
  const limpet_island_programme *p = view->programme;
  change c;
  change_of(view, parameter, axis, &c);

  double du[4], dual[4] = {0}, F[6] = {0}, spin[6];
  for (int e = 0; e < 4; ++e) du[e] = limpet_spatial_dot(c.W + 6 * e, view->V);
  const bool cone = p->model->cone && view->row_count > 1;
  for (int k = 0; k < view->row_count; ++k) {
    const double *row = view->rows + 4 * k, *drow = c.row + 4 * k;
    for (int e = 0; e < 4; ++e) {
      s[view->row + k] += drow[e] * view->u[e] + row[e] * du[e];
      dual[e] += view->lambda[k] * drow[e];
    }
    if (!cone || k == 0) s[view->row + k] += c.gap;
  }

  fourth_row(spin, view->W);
  for (int e = 0; e < 4; ++e) {
    limpet_spatial_addmul(F, view->dual[e], c.W + 6 * e);
    limpet_spatial_addmul(F, dual[e], e < 3 ? view->W + 6 * e : spin);
  }
  for (int e = 0; e < 6; ++e) F[e] = -F[e];
  limpet_patch_push(view->patch, F, r);
}
