/* gradient/law_view.c: see law_view.h.
 *
 *   u = V_lin + V_ang x r,   v_t = t . (u + b_c),  v_n = n . u,   b_c = bias at the contact
 *   phi = distance + h n . b                              elastic force -k phi, or its own
 *   dgamma = L_v dv + L_phi dphi + L_k dk + L_0 dv_n0 + ...       columns L: the law's own `change`
 * Stiffness that the step chose is 1/w; that of an impedance depends on the distance. */
#include "gradient/law_view.h"

#include <math.h>

#include "contact/constants.h"
#include "law/impedance.h"
#include "math/spatial.h"

void limpet_law_along(const limpet_law_view *view, const limpet_contact_constants *dc,
                      const double dv[3], double dgamma[3]) {
  view->s->model->change(view->c, dc, &view->s->problem->settings, view->v, dv, dgamma);
}

// What nothing reads is zero.
static void law_columns_of(limpet_law_view *view) {
  static const double still[3] = {0.0},
                      along[3][3] = {{1.0, 0.0, 0.0}, {0.0, 1.0, 0.0}, {0.0, 0.0, 1.0}};
  static const limpet_contact_constants none = {0}, speed = {.normal_speed = 1.0},
                                        friction = {.friction = 1.0}, w = {.delassus = 1.0};
  const limpet_contact_constants *c = view->c;
  limpet_law_columns *L = &view->law;
  for (int e = 0; e < 3; ++e) limpet_law_along(view, &none, along[e], L->v[e]);
  limpet_contact_constants change = {.distance = 1.0, .elastic_force = -c->stiffness};
  limpet_law_along(view, &change, still, L->distance);
  change.bend_speed = 1.0 / c->dt;
  limpet_law_along(view, &change, still, L->bend);
  limpet_law_along(view, &speed, still, L->speed);
  if (c->near_rigid || view->stiffness_by_phi != 0.0) {
    change = none;
    change.stiffness = 1.0, change.elastic_force = -c->distance;
    limpet_law_along(view, &change, still, L->stiffness);
  }
  if (view->friction_by_slip != 0.0 || view->friction_by_force != 0.0 || view->friction_by_w != 0.0)
    limpet_law_along(view, &friction, still, L->friction);
  // law of the same step reads no estimate of its own
  if (!view->s->model->coupled) limpet_law_along(view, &w, still, L->w);
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

// M (3 x 3) += x y'
static void add_outer(double M[9], const double x[3], const double y[3]) {
  for (int i = 0; i < 3; ++i) limpet_vec3_addmul(M + 3 * i, M + 3 * i, x[i], y);
}

/* M (3 x 3) += dgamma by a vector d that turns or moves the axes e, de = d x e: of velocities x
 * along them, (e x x) . d. tangent, normal: x of the two tangents and of the normal; start: that of
 * the normal at the start, slipping: that of slip there; bend: that of the bias along the normal.
 */
static void add_slopes(const limpet_law_view *view, const double tangent[3], const double normal[3],
                       const double start[3], const double bend[3], const double slipping[3],
                       double M[9]) {
  const limpet_law_columns *L = &view->law;
  const double *n = view->W + 15;
  double by[3], share[3];
  for (int e = 0; e < 3; ++e) {
    limpet_vec3_cross(by, view->W + 6 * e + 3, e < 2 ? tangent : normal);
    add_outer(M, L->v[e], by);
  }
  limpet_vec3_cross(by, view->slip, slipping);
  limpet_vec3_scale(share, view->friction_by_slip, L->friction);
  add_outer(M, share, by);
  limpet_vec3_cross(by, n, start);
  add_outer(M, L->speed, by);
  limpet_vec3_cross(by, n, bend);
  limpet_vec3_scale(share, view->c->dt, L->bend);
  add_outer(M, share, by);
}

void limpet_law_frame_make(const limpet_law_view *view, const limpet_patch_law *law,
                           limpet_law_frame *frame) {
  double tangent[3], start[3];
  *frame = (limpet_law_frame){0};
  limpet_vec3_add(tangent, law->V, law->b);
  if (view->shear) limpet_vec3_addmul(tangent, tangent, 1.0 / view->c->dt, view->shear->turn);
  limpet_vec3_add(start, law->V0, law->b);
  add_slopes(view, tangent, law->V, law->V0, law->b, start, frame->by_point);
  limpet_vec3_add(start, view->u0, view->b);
  add_slopes(view, view->moving, view->u, view->u0, view->b, start, frame->by_turn);
}

void limpet_law_by_twist(const limpet_law_view *view, const limpet_law_frame *frame,
                         const limpet_point_change *change, double dgamma[3]) {
  const limpet_law_columns *L = &view->law;
  const limpet_contact_constants *c = view->c;
  const double *n = view->W + 15;

  // constants
  double elastic = -c->stiffness * change->distance;
  double stiffness = view->stiffness_by_phi * change->distance;
  elastic -= stiffness * view->phi;
  if (view->pair->surface) elastic = change->force, stiffness = change->stiffness;
  const double friction = view->friction_by_force * elastic;
  for (int e = 0; e < 3; ++e) {
    dgamma[e] = limpet_vec3_dot(frame->by_point + 3 * e, change->point) +
                limpet_vec3_dot(frame->by_turn + 3 * e, change->turn) + friction * L->friction[e];
    if (!view->pair->surface)
      dgamma[e] += change->distance * L->distance[e] + stiffness * L->stiffness[e];
  }
  if (view->pair->surface || view->dissipation_by_phi != 0.0) {
    // phi = -force/k + bend
    const double k = view->record->stiffness;
    const limpet_contact_constants dc =
        view->pair->surface
            ? (limpet_contact_constants){.stiffness = stiffness,
                                         .shear = change->shear,
                                         .elastic_force = elastic - stiffness * c->dt *
                                                                        limpet_vec3_dot(n, view->b),
                                         .distance =
                                             k > 0.0 ? (-elastic - stiffness * view->phi) / k : 0.0}
            : (limpet_contact_constants){.dissipation =
                                             view->dissipation_by_phi * change->distance};
    static const double still[3] = {0.0};
    double more[3];
    limpet_law_along(view, &dc, still, more);
    limpet_vec3_add(dgamma, dgamma, more);
  }
}

void limpet_law_add_congruence(const double W[18], const double G[9], double K[36]) {
  double T[18] = {0.0};
  for (int e = 0; e < 3; ++e)
    for (int f = 0; f < 3; ++f) limpet_spatial_addmul(T + 6 * e, G[3 * e + f], W + 6 * f);
  for (int i = 0; i < 6; ++i)
    for (int e = 0; e < 3; ++e) limpet_spatial_addmul(K + 6 * i, W[6 * e + i], T + 6 * e);
}

void limpet_law_push(const limpet_law_view *view, double share, const double gamma[3],
                     double y[6]) {
  for (int e = 0; e < 3; ++e) limpet_spatial_addmul(y, share * gamma[e], view->W + 6 * e);
}
