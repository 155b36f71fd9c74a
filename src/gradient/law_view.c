/* gradient/law_view.c: see law_view.h.
 *
 *   u = V_lin + V_ang x r,   v_t = t . (u + b_c),  v_n = n . u,   b_c = bias at the contact
 *   phi = distance + h n . b                              elastic force -k phi, or its own
 *   dgamma = L_v dv + L_phi dphi + L_k dk + L_0 dv_n0 + ...       columns L: the law's own `change`
 * Stiffness that the step chose is 1/w; that of an impedance depends on the distance. */
#include "gradient/law_view.h"

#include <math.h>
#include <string.h>

#include "contact/constants.h"
#include "law/hunt_crossley.h"
#include "law/impedance.h"
#include "math/spatial.h"

// [-]  of what holds a contact by its velocity: what its friction changes by less bends no column
static const double noticed_bend = 1e-9;

// dgamma (3) by changes of the constants and of the velocity.
static void law_along(const limpet_law_view *view, const limpet_contact_constants *dc,
                      const double dv[3], double dgamma[3]) {
  view->s->model->change(view->c, dc, &view->s->problem->settings, view->v, dv, dgamma);
}

// Columns of what changes the normal impulse alone.
static void normal_columns_of(limpet_law_view *view) {
  const limpet_contact_constants *c = view->c;
  limpet_law_columns *L = &view->law;
  limpet_vec3_scale(view->along, 1.0 / L->v[2][2], L->v[2]);
  const limpet_contact_constants distance = {.distance = 1.0, .elastic_force = -c->stiffness},
                                 stiffness = {.stiffness = 1.0, .elastic_force = -c->distance};
  limpet_vec3_scale(L->distance, limpet_hunt_crossley_change(c, &distance, view->v[2], 0.0),
                    view->along);
  limpet_vec3_copy(L->bend, L->distance);
  if (c->near_rigid || view->stiffness_by_phi != 0.0)
    limpet_vec3_scale(L->stiffness, limpet_hunt_crossley_change(c, &stiffness, view->v[2], 0.0),
                      view->along);
}

// What nothing reads is zero.
static void law_columns_of(limpet_law_view *view) {
  static const double still[3] = {0.0},
                      along[3][3] = {{1.0, 0.0, 0.0}, {0.0, 1.0, 0.0}, {0.0, 0.0, 1.0}};
  static const limpet_contact_constants none = {0}, speed = {.normal_speed = 1.0},
                                        friction = {.friction = 1.0}, w = {.delassus = 1.0};
  const limpet_contact_constants *c = view->c;
  limpet_law_columns *L = &view->law;
  for (int e = 0; e < 3; ++e) law_along(view, &none, along[e], L->v[e]);
  view->follows = view->s->model->coupled && !c->surface && L->v[2][2] != 0.0 &&
                  view->friction_by_slip == 0.0 && view->friction_by_force == 0.0 &&
                  view->friction_by_w == 0.0;
  if (view->follows) {
    normal_columns_of(view);
    return;
  }
  limpet_contact_constants change = {.distance = 1.0, .elastic_force = -c->stiffness};
  law_along(view, &change, still, L->distance);
  change.bend_speed = 1.0 / c->dt;
  law_along(view, &change, still, L->bend);
  law_along(view, &speed, still, L->speed);
  if (c->near_rigid || view->stiffness_by_phi != 0.0) {
    change = none;
    change.stiffness = 1.0, change.elastic_force = -c->distance;
    law_along(view, &change, still, L->stiffness);
  }
  if (view->friction_by_slip != 0.0 || view->friction_by_force != 0.0 || view->friction_by_w != 0.0)
    law_along(view, &friction, still, L->friction);
  // law of the same step reads no estimate of its own
  if (!view->s->model->coupled) law_along(view, &w, still, L->w);
}

// Stiffness and dissipation of an author's impedance, by the distance, on its own scale.
static void impedance_slopes(limpet_law_view *view) {
  const limpet_pair_material *material = &view->pair->material;
  const limpet_contact_constants *c = view->c;
  const double weight = view->pair->inverse_weight, phi = view->phi;
  if (!material->has_impedance || c->near_rigid || !(weight > 0.0) || !(phi < 0.0)) return;
  const limpet_impedance_slopes slopes =
      limpet_impedance_stiffness_slopes(&material->impedance, phi, c->dt, weight);
  if (slopes.K != c->stiffness) return;
  view->stiffness_by_phi = -slopes.K_by_r;
  if (c->dissipation < material->dissipation)
    view->dissipation_by_phi = -slopes.C_by_r * weight / 9.80665;
}

// Friction between stiction and slip: contact/constants.c.
static void friction_slopes(limpet_law_view *view) {
  const limpet_pair_material *material = &view->pair->material;
  const limpet_contact_settings *settings = &view->s->problem->settings;
  const limpet_contact_constants *c = view->c;
  const double elastic =
      view->pair->surface ? view->record->elastic_force : -c->stiffness * view->phi;
  limpet_friction_slopes slopes;
  limpet_contact_friction_slopes(material, settings, c->dt, c->delassus, elastic, view->slip_speed,
                                 &slopes);
  view->friction_by_slip = slopes.slip;
  view->friction_by_force = slopes.elastic_force;
  view->friction_by_w = slopes.delassus;
}

void limpet_law_view_slopes(limpet_law_view *view) {
  impedance_slopes(view);
  friction_slopes(view);
  law_columns_of(view);
}

// x_lin + x_ang x r
static void at_contact(const double x[6], const double r[3], double velocity[3]) {
  limpet_vec3_cross(velocity, x, r);
  limpet_vec3_add(velocity, velocity, x + 3);
}

void limpet_law_view_make(const limpet_probe *probe, int island, int contact,
                          const limpet_patch_law *law, limpet_law_view *view) {
  const limpet_solved_step *solved = probe->residual->solved;
  const limpet_contact_problem *problem = &solved->problem;
  const limpet_island_solver *s = &probe->residual->smooth[island].base;
  const int i = contact - s->island->contact;
  *view = (limpet_law_view){.s = s,
                            .record = &solved->records.record[problem->contact_source[contact]],
                            .c = &s->constants[i],
                            .W = problem->contact_row + 18 * contact,
                            .gamma = s->contact_gamma + 3 * i,
                            .v = s->contact_v + 3 * i};
  view->pair = &solved->records.pair[view->record->pair];
  view->frame = view->record->frame;
  view->phi = view->pair->surface ? -view->record->elastic_force / view->record->stiffness
                                  : view->record->distance - view->pair->margin;
  for (int e = 0; e < 3; ++e) {  // r = 1/2 sum e x (r x e)
    double part[3];
    limpet_vec3_cross(part, view->W + 6 * e + 3, view->W + 6 * e);
    limpet_vec3_addmul(view->r, view->r, 0.5, part);
    limpet_vec3_addmul(view->f, view->f, view->gamma[e], view->W + 6 * e + 3);
  }
  at_contact(law->V, view->r, view->u);
  at_contact(law->V0, view->r, view->u0);
  at_contact(law->b, view->r, view->b);
  limpet_vec3_add(view->moving, view->u, view->b);
  if (problem->shear) view->shear = &problem->shear[view->record->pair];
  if (problem->stretch)
    limpet_vec3_addmul(view->moving, view->moving, 1.0 / problem->dt,
                       problem->stretch + 3 * contact);
  for (int e = 0; e < 2; ++e) {
    const double *t = view->W + 6 * e + 3;
    const double along = limpet_vec3_dot(t, view->u0) + limpet_vec3_dot(t, view->b);
    limpet_vec3_addmul(view->slip, view->slip, along, t);
  }
  view->slip_speed = limpet_vec3_normalize(view->slip);
}

double limpet_law_turned(const double turn[3], const double e[3], const double x[3]) {
  double moved[3];
  limpet_vec3_cross(moved, turn, e);
  return limpet_vec3_dot(moved, x);
}

void limpet_twist_rows_make(const limpet_point_change change[6], limpet_twist_rows *twists) {
  for (int k = 0; k < 6; ++k) {
    for (int i = 0; i < 3; ++i) {
      twists->point[i][k] = change[k].point[i];
      twists->turn[i][k] = change[k].turn[i];
    }
    twists->distance[k] = change[k].distance;
  }
}

limpet_law_row *limpet_law_row_add(limpet_law_rows *rows, const double push[6]) {
  limpet_law_row *row = &rows->row[rows->count++];
  memset(row->change, 0, sizeof row->change);
  limpet_spatial_zero(row->less);
  limpet_spatial_addmul(row->less, -1.0, push);
  return row;
}

void limpet_law_row_by_twist(const limpet_twist_rows *twists, const double a[3], const double b[3],
                             limpet_law_row *row) {
  double *to = row->change + LIMPET_BY_TWIST;
  for (int i = 0; i < 3; ++i) {
    limpet_spatial_addmul(to, a[i], twists->turn[i]);
    limpet_spatial_addmul(to, b[i], twists->point[i]);
  }
}

static bool any(const double x[3]) { return x[0] != 0.0 || x[1] != 0.0 || x[2] != 0.0; }

typedef struct row_writer {
  const limpet_law_view *view;
  const limpet_twist_rows *twists;
  const double *by_n;  // (3)
  limpet_law_rows *rows;
} row_writer;

// By which gamma changes by `by` (3); NULL: it does not.
static limpet_law_row *add_row(const row_writer *w, double share, const double by[3]) {
  double push[6] = {0.0};
  if (share == 0.0 || !any(by)) return NULL;
  limpet_law_push(w->view, share, by, push);
  limpet_vec3_addmul(push, push, share * by[2], w->by_n);
  return limpet_law_row_add(w->rows, push);
}

/* Of a velocity along an axis e that turns and moves with the contact, de = turn x e: (e x x) . d.
 * turning, moving (3): x as the axis turns, and as the point moves. */
static void along_axis(const limpet_twist_rows *twists, const double e[3], const double turning[3],
                       const double moving[3], limpet_law_row *row) {
  double a[3], b[3];
  limpet_vec3_cross(a, e, turning);
  limpet_vec3_cross(b, e, moving);
  limpet_law_row_by_twist(twists, a, b, row);
}

// Velocities along the first `count` axes; the normal one sees no bias.
static void add_speeds(const row_writer *w, int count, const limpet_patch_law *law) {
  const limpet_law_view *view = w->view;
  double tangent[3];
  limpet_vec3_add(tangent, law->V, law->b);
  if (view->shear) limpet_vec3_addmul(tangent, tangent, 1.0 / view->c->dt, view->shear->turn);
  for (int e = 0; e < count; ++e) {
    limpet_law_row *row = add_row(w, 1.0, view->law.v[e]);
    const double *axis = view->W + 6 * e;
    if (!row) continue;
    along_axis(w->twists, axis + 3, e < 2 ? view->moving : view->u, e < 2 ? tangent : law->V, row);
    limpet_spatial_copy(row->change + LIMPET_BY_V, axis);
    if (e < 2) limpet_spatial_copy(row->change + LIMPET_BY_BIAS, axis);
  }
}

// How paths bend the gap.
static void add_bend(const row_writer *w, const limpet_patch_law *law) {
  const limpet_law_view *view = w->view;
  limpet_law_row *row = add_row(w, view->c->dt, view->law.bend);
  if (!row) return;
  along_axis(w->twists, view->W + 15, view->b, law->b, row);
  limpet_spatial_copy(row->change + LIMPET_BY_BIAS, view->W + 12);
}

// row += the slip at the start of the step, along t (3).
static void add_slip(const limpet_law_view *view, const limpet_twist_rows *twists,
                     const limpet_patch_law *law, const double t[3], limpet_law_row *row) {
  double turning[3], moving[3];
  limpet_vec3_add(turning, view->u0, view->b);
  limpet_vec3_add(moving, law->V0, law->b);
  along_axis(twists, t, turning, moving, row);
  for (int e = 0; e < 2; ++e) {
    const double *axis = view->W + 6 * e;
    const double share = limpet_vec3_dot(t, axis + 3);
    limpet_spatial_addmul(row->change + LIMPET_BY_BIAS, share, axis);
    limpet_spatial_addmul(row->change + LIMPET_BY_START, share, axis);
  }
}

// Normal speed and slip at the start of the step.
static void add_start(const row_writer *w, limpet_patch_law *law) {
  const limpet_law_view *view = w->view;
  limpet_law_row *normal = add_row(w, 1.0, view->law.speed);
  if (normal) {
    along_axis(w->twists, view->W + 15, view->u0, law->V0, normal);
    limpet_spatial_copy(normal->change + LIMPET_BY_START, view->W + 12);
  }
  limpet_law_row *slip = add_row(w, view->friction_by_slip, view->law.friction);
  law->has_0 = law->has_0 || normal || slip;
  if (slip) add_slip(view, w->twists, law, view->slip, slip);
}

bool limpet_law_view_bends(const limpet_law_view *view, double kink_speed) {
  double most = 0.0;
  for (int e = 0; e < 3; ++e)
    most = fmax(most, fabs(view->friction_by_slip * view->law.friction[e]));
  return !(view->slip_speed > kink_speed) && most > noticed_bend * fabs(view->law.v[0][0]);
}

void limpet_law_view_slip(const limpet_law_view *view, const limpet_twist_rows *twists,
                          const limpet_patch_law *law, int axis, limpet_law_row *row) {
  memset(row, 0, sizeof *row);
  add_slip(view, twists, law, view->W + 6 * axis + 3, row);
}

// The gap of points: stiffness and dissipation of an impedance follow it.
static void add_distance(const row_writer *w) {
  const limpet_law_view *view = w->view;
  const limpet_law_columns *L = &view->law;
  double by[3];
  const double elastic = -view->c->stiffness - view->stiffness_by_phi * view->phi;
  limpet_vec3_addmul(by, L->distance, view->stiffness_by_phi, L->stiffness);
  limpet_vec3_addmul(by, by, view->friction_by_force * elastic, L->friction);
  if (view->dissipation_by_phi != 0.0) {
    const limpet_contact_constants dc = {.dissipation = view->dissipation_by_phi};
    static const double still[3] = {0.0};
    double more[3];
    law_along(view, &dc, still, more);
    limpet_vec3_add(by, by, more);
  }
  limpet_law_row *row = add_row(w, 1.0, by);
  if (row) limpet_spatial_copy(row->change + LIMPET_BY_TWIST, w->twists->distance);
}

// Force and stiffness of a point of a contact surface: phi = -force/k + bend.
static void add_surface(const row_writer *w, const limpet_point_change change[6]) {
  const limpet_law_view *view = w->view;
  const limpet_contact_constants *c = view->c;
  static const double still[3] = {0.0}, axes[3][3] = {{1.0}, {0.0, 1.0}, {0.0, 0.0, 1.0}};
  const double k = view->record->stiffness, bend = c->dt * limpet_vec3_dot(view->W + 15, view->b);
  limpet_law_row *row[3];
  for (int e = 0; e < 3; ++e) row[e] = add_row(w, 1.0, axes[e]);
  for (int i = 0; i < 6; ++i) {
    const double force = change[i].force, stiffness = change[i].stiffness;
    const limpet_contact_constants dc = {
        .stiffness = stiffness,
        .shear = change[i].shear,
        .elastic_force = force - stiffness * bend,
        .distance = k > 0.0 ? (-force - stiffness * view->phi) / k : 0.0};
    double dgamma[3];
    law_along(view, &dc, still, dgamma);
    limpet_vec3_addmul(dgamma, dgamma, view->friction_by_force * force, view->law.friction);
    for (int e = 0; e < 3; ++e) row[e]->change[LIMPET_BY_TWIST + i] = dgamma[e];
  }
}

// The normal impulse by its speed, its gap, and how paths bend that.
static void add_normal(const row_writer *w, const limpet_patch_law *law) {
  const limpet_law_view *view = w->view;
  const limpet_contact_constants dissipation = {.dissipation = view->dissipation_by_phi};
  const double *n = view->W + 15, by_v = view->law.v[2][2],
               by_phi = view->law.distance[2] + view->stiffness_by_phi * view->law.stiffness[2] +
                        limpet_hunt_crossley_change(view->c, &dissipation, view->v[2], 0.0),
               bend = view->c->dt * view->law.bend[2];
  double moving[3], turning[3];
  limpet_law_row *row = w->rows->normal = add_row(w, 1.0, view->along);
  limpet_vec3_scale(turning, by_v, view->u);
  limpet_vec3_addmul(turning, turning, bend, view->b);
  limpet_vec3_scale(moving, by_v, law->V);
  limpet_vec3_addmul(moving, moving, bend, law->b);
  along_axis(w->twists, n, turning, moving, row);
  limpet_spatial_addmul(row->change + LIMPET_BY_TWIST, by_phi, w->twists->distance);
  limpet_spatial_addmul(row->change + LIMPET_BY_V, by_v, view->W + 12);
  limpet_spatial_addmul(row->change + LIMPET_BY_BIAS, bend, view->W + 12);
}

void limpet_law_view_rows(const limpet_law_view *view, const limpet_point_change change[6],
                          const limpet_twist_rows *twists, const double by_n[3],
                          limpet_patch_law *law, limpet_law_rows *rows) {
  const row_writer w = {view, twists, by_n, rows};
  rows->normal = NULL;
  add_speeds(&w, view->follows ? 2 : 3, law);
  if (view->follows) {
    add_normal(&w, law);
    return;
  }
  add_bend(&w, law);
  add_start(&w, law);
  if (view->pair->surface) add_surface(&w, change);
  else add_distance(&w);
}

void limpet_law_push(const limpet_law_view *view, double share, const double gamma[3],
                     double y[6]) {
  for (int e = 0; e < 3; ++e) limpet_spatial_addmul(y, share * gamma[e], view->W + 6 * e);
}
