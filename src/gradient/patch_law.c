/* gradient/patch_law.c: see patch_law.h.
 *
 *   dF = [dr x f + r x df; df],  f = frame' gamma,  df = turn x f + frame' dgamma
 * dgamma: law_view.h, of the Delassus estimate law_weight.h, friction against turning law_spin.h.
 * Cost: about ten evaluations of the law and 1500 flops a contact. */
#include "gradient/law_spin.h"
#include "math/spatial.h"

static void add_motion(const limpet_law_view *view, limpet_patch_law *law) {
  const limpet_law_columns *L = &view->law;
  const double dt = view->c->dt;
  double by_V[9], by_b[9], by_0[9];
  double slip[2];  // direction of slip in the contact frame
  for (int e = 0; e < 2; ++e) slip[e] = limpet_vec3_dot(view->slip, view->W + 6 * e + 3);
  bool any = false;
  for (int e = 0; e < 3; ++e) {
    const double sliding = L->friction[e] * view->friction_by_slip;
    for (int f = 0; f < 3; ++f) {
      by_V[3 * e + f] = L->v[f][e];
      by_b[3 * e + f] = f < 2 ? L->v[f][e] + sliding * slip[f] : dt * L->bend[e];
      by_0[3 * e + f] = f < 2 ? sliding * slip[f] : L->speed[e];
      any = any || by_0[3 * e + f] != 0.0;
    }
  }
  limpet_law_add_congruence(view->W, by_V, law->K_V);
  limpet_law_add_congruence(view->W, by_b, law->K_b);
  if (any) limpet_law_add_congruence(view->W, by_0, law->K_0);
  law->has_0 = law->has_0 || any;
}

static void add_twist(const limpet_law_view *view, const limpet_point_change *change,
                      limpet_patch_law *law) {
  limpet_law_frame frame;
  limpet_law_frame_make(view, law, &frame);
  for (int k = 0; k < 6; ++k) {
    double dgamma[3], df[3], moment[3], lever[3];
    limpet_law_by_twist(view, &frame, &change[k], dgamma);
    limpet_vec3_cross(df, change[k].turn, view->f);
    for (int e = 0; e < 3; ++e) limpet_vec3_addmul(df, df, dgamma[e], view->W + 6 * e + 3);
    limpet_vec3_cross(moment, view->r, df);
    limpet_vec3_cross(lever, change[k].point, view->f);
    for (int i = 0; i < 3; ++i) {
      law->K_twist[6 * i + k] += moment[i] + lever[i];
      law->K_twist[6 * (3 + i) + k] += df[i];
    }
  }
}

// -------------------------------------------------------------------------- switches

static void add_switches(const limpet_law_view *view, const limpet_smooth_island *smooth, int index,
                         const limpet_point_change *change, limpet_patch_law *law) {
  const double *n = view->W + 12;
  for (int i = 0; i < smooth->weak_count; ++i) {
    const limpet_weak *weak = &smooth->weak[i];
    if (weak->kind == LIMPET_WEAK_ROW || weak->index != index) continue;
    limpet_switch_change *to = &law->switching[law->switch_count++];
    *to = (limpet_switch_change){.weak = i};
    limpet_spatial_copy(to->by_b, n);
    if (weak->kind == LIMPET_WEAK_CLOSING) limpet_spatial_copy(to->by_V, n);
    for (int k = 0; k < 6; ++k) {
      double by_b[3], by_V[3];
      limpet_vec3_cross(by_b, law->b, change[k].point);
      limpet_vec3_cross(by_V, law->V, change[k].point);
      const double gap =
          view->pair->surface
              ? -(change[k].force + view->phi * change[k].stiffness) / view->record->stiffness
              : change[k].distance;
      to->by_twist[k] = gap / view->c->dt + limpet_law_turned(change[k].turn, n + 3, view->b) +
                        limpet_vec3_dot(n + 3, by_b);
      if (weak->kind == LIMPET_WEAK_CLOSING)
        to->by_twist[k] +=
            limpet_law_turned(change[k].turn, n + 3, view->u) + limpet_vec3_dot(n + 3, by_V);
    }
  }
}

// -------------------------------------------------------------------------- patches

bool limpet_patch_law_known(const limpet_probe *probe, int island, const limpet_patch *patch) {
  const limpet_solved_step *solved = probe->residual->solved;
  const limpet_contact_problem *problem = &solved->problem;
  const limpet_island_solver *s = &probe->residual->smooth[island].base;
  if (!s->model->change || (patch->spin_count > 0 && !s->model->coupled) || problem->anisotropic)
    return false;
  for (int c = patch->contact; c < patch->contact + patch->contact_count; ++c) {
    const limpet_contact_record *record = &solved->records.record[problem->contact_source[c]];
    const limpet_contact_pair *pair = &solved->records.pair[record->pair];
    if (s->constants[c - s->island->contact].normal || pair->surface_moves || pair->shaped ||
        pair->driven || (patch->spin_count > 0 && pair->surface) || record->link ||
        record->pull != 0.0 || (problem->rebound && problem->rebound[c] > 0.0))
      return false;
  }
  return true;
}

limpet_status limpet_patch_law_make(const limpet_probe *probe, int island,
                                    const limpet_patch *patch, const double D[36],
                                    const limpet_point_change *point, const unsigned char *kinked,
                                    limpet_arena *arena, limpet_patch_law *law) {
  const limpet_smooth_island *smooth = &probe->residual->smooth[island];
  law->switching = LIMPET_TAKE(arena, limpet_switch_change, smooth->weak_count);
  if (!law->switching) return LIMPET_ERROR_MEMORY;
  for (int k = 0; k < patch->contact_count; ++k) {
    const int contact = patch->contact + k, index = contact - smooth->base.island->contact;
    limpet_law_view view;
    limpet_law_view_make(probe, island, contact, law, &view);
    add_switches(&view, smooth, index, point + 6 * k, law);
    if (!(view.gamma[2] > 0.0) && !(view.c->compliant.lagged_impulse > 0.0)) continue;
    limpet_law_view_slopes(&view);
    limpet_law_push(&view, 1.0, view.gamma, law->F);
    add_motion(&view, law);
    add_twist(&view, point + 6 * k, law);
    double by_n[3] = {0.0}, by_own[3] = {0.0};
    limpet_law_add_spins(&view, smooth, patch, contact, D, point + 6 * k, by_n, by_own, law);
    limpet_law_add_weights(&view, D, point + 6 * k, by_n, by_own, law);
    law->kinked |= kinked[contact];
  }
  return LIMPET_OK;
}
