/* gradient/smooth_contact.c: derivatives of the momentum balance of compliant contact by one
 * contact: its law's constants, where it acts and where it points.
 *
 *   v_c = W V + bias,   gamma = gamma(v_c, constants)
 *   dr  = - columns . (dW' gamma + W' dgamma),   dgamma = dgamma/dv_c dW V + dgamma/dconstants
 *   distance      f_e0 = -k phi0 changes with it          stiffness   likewise
 *   point, turn   dW as in contact_change.c
 * Biases are held. Cost: one law and a column of the patch's paths for each parameter. */
#include <math.h>
#include <string.h>

#include "gradient/contact_change.h"
#include "math/spatial.h"
#include "solve/island.h"

// Changes of the constants per unit of the parameter.
static limpet_contact_constants constants_of(const limpet_contact_constants *c,
                                             limpet_contact_parameter parameter) {
  limpet_contact_constants d = {0};
  switch (parameter) {
    case LIMPET_CHANGE_FRICTION: d.friction = 1.0; break;
    case LIMPET_CHANGE_DISTANCE:
      d.distance = 1.0;
      d.elastic_force = -c->stiffness;
      break;
    case LIMPET_CHANGE_STIFFNESS:
      d.stiffness = 1.0;
      d.elastic_force = -c->distance;
      break;
    case LIMPET_CHANGE_DISSIPATION: d.dissipation = 1.0; break;
    case LIMPET_CHANGE_RELAXATION_TIME: d.relaxation_time = 1.0; break;
    case LIMPET_CHANGE_START_SPEED: d.normal_speed = 1.0; break;
    case LIMPET_CHANGE_TORSION:
    case LIMPET_CHANGE_POINT:
    case LIMPET_CHANGE_TURN:
    case LIMPET_CHANGE_PARAMETERS: break;
  }
  return d;
}

// dW (3 x 6) where the point moves along axis `axis` of the frame, or the frame turns about it.
static void rows_of(const double W[18], limpet_contact_parameter parameter, int axis,
                    double dW[18]) {
  memset(dW, 0, 18 * sizeof *dW);
  if (parameter != LIMPET_CHANGE_POINT && parameter != LIMPET_CHANGE_TURN) return;
  double along[3], r[3] = {0.0};
  limpet_vec3_copy(along, W + 6 * axis + 3);
  limpet_vec3_normalize(along);
  for (int e = 0; e < 3; ++e) {  // r = 1/2 sum e x (r x e)/|e|^2
    double part[3];
    const double *row = W + 6 * e;
    limpet_vec3_cross(part, row + 3, row);
    limpet_vec3_addmul(r, r, 0.5 / limpet_vec3_dot(row + 3, row + 3), part);
  }
  for (int e = 0; e < 3; ++e) {
    if (parameter == LIMPET_CHANGE_POINT) {
      limpet_vec3_cross(dW + 6 * e, along, W + 6 * e + 3);
      continue;
    }
    limpet_vec3_cross(dW + 6 * e + 3, along, W + 6 * e + 3);
    limpet_vec3_cross(dW + 6 * e, r, dW + 6 * e + 3);
  }
}

static bool turns(const limpet_smooth_island *smooth, const limpet_patch *patch, int contact) {
  for (int k = patch->spin; k < patch->spin + patch->spin_count; ++k)
    if (smooth->base.problem->spin[k].contact == contact) return true;
  return false;
}

bool limpet_smooth_contact_change(const limpet_smooth_island *smooth, const limpet_patch *patch,
                                  int contact, limpet_contact_parameter parameter, int axis,
                                  double *change) {
  const limpet_island_solver *s = &smooth->base;
  const int i = contact - s->island->contact;
  if (parameter == LIMPET_CHANGE_TORSION || !s->model->change || turns(smooth, patch, contact))
    return false;
  const double *W = s->problem->contact_row + 18 * contact, *gamma = s->contact_gamma + 3 * i;
  double dW[18], V[6], dv[3], dgamma[3], push[6] = {0.0};
  const limpet_contact_constants dc = constants_of(&s->constants[i], parameter);
  rows_of(W, parameter, axis, dW);
  limpet_patch_velocity(patch, smooth->x, V);
  for (int e = 0; e < 3; ++e) dv[e] = limpet_spatial_dot(dW + 6 * e, V);
  if (!s->model->change(&s->constants[i], &dc, &s->problem->settings, s->contact_v + 3 * i, dv,
                        dgamma))
    return false;

  for (int e = 0; e < 3; ++e) {
    limpet_spatial_addmul(push, -gamma[e], dW + 6 * e);
    limpet_spatial_addmul(push, -dgamma[e], W + 6 * e);
  }
  limpet_patch_push(patch, push, change);
  for (int k = 0; k < smooth->weak_count; ++k) {
    const limpet_weak *weak = &smooth->weak[k];
    if (weak->kind == LIMPET_WEAK_ROW || weak->index != i) continue;
    change[smooth->n + k] = dc.distance / s->constants[i].dt;
    if (weak->kind == LIMPET_WEAK_CLOSING) change[smooth->n + k] += dv[2];
  }
  return true;
}
