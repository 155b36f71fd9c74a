/* gradient/patch_law.c: see patch_law.h.
 *
 *   dF = [dr x f + r x df; df],  f = frame' gamma,  df = turn x f + frame' dgamma
 * dgamma: law_view.h, of the Delassus estimate law_weight.h, friction against turning law_spin.h.
 * Cost: about ten evaluations of the law and 1500 flops a contact. */
#include <math.h>
#include <string.h>

#include "gradient/law_spin.h"
#include "math/dense_table.h"
#include "math/spatial.h"

static const double small_part = 1e-7;  // [-]  of a twist, that meets no kink

// K += share x x f for vectors x of six columns, of three rows of K.
static void add_cross(const double *x, double share, const double f[3], double *K) {
  for (int i = 0; i < 3; ++i) {
    const int j = (i + 1) % 3, k = (i + 2) % 3;
    limpet_spatial_addmul(K + LIMPET_LAW_WIDTH * i, share * f[k], x + 6 * j);
    limpet_spatial_addmul(K + LIMPET_LAW_WIDTH * i, -share * f[j], x + 6 * k);
  }
}

// A force that turns with its frame and moves with its point: df = turn x f.
static void add_turns(const limpet_law_view *view, const limpet_twist_rows *twists,
                      limpet_patch_law *law) {
  double *K = law->K + LIMPET_BY_TWIST, df[3][6];
  for (int i = 0; i < 3; ++i) {
    const int j = (i + 1) % 3, k = (i + 2) % 3;
    limpet_spatial_zero(df[i]);
    limpet_spatial_addmul(df[i], view->f[k], twists->turn[j]);
    limpet_spatial_addmul(df[i], -view->f[j], twists->turn[k]);
    limpet_spatial_addmul(K + LIMPET_LAW_WIDTH * (3 + i), 1.0, df[i]);
  }
  add_cross(df[0], -1.0, view->r, K);
  add_cross(twists->point[0], 1.0, view->f, K);
}

// Weights stay, rows end at the mark.
static limpet_status take_rows(const limpet_patch *patch, limpet_arena *arena,
                               limpet_law_rows *rows, limpet_arena_mark *mark) {
  const int contacts = patch->contact_count, spins = patch->spin_count;
  *rows = (limpet_law_rows){
      .weight = LIMPET_TAKE(arena, limpet_law_weight, LIMPET_LAW_WEIGHTS * contacts + spins)};
  *mark = limpet_arena_mark_now(arena);
  rows->row = LIMPET_TAKE(arena, limpet_law_row, LIMPET_LAW_ROWS * contacts + spins);
  return rows->row && rows->weight ? LIMPET_OK : LIMPET_ERROR_MEMORY;
}

// K of all rows.
static void sum_rows(const limpet_law_rows *rows, limpet_patch_law *law) {
  enum { ROW = sizeof(limpet_law_row) / sizeof(double) };
  const int width = law->has_0 ? LIMPET_LAW_WIDTH : LIMPET_BY_START;
  if (rows->count > 0)
    limpet_dense()->sub_mul(6, width, rows->count, rows->row->less, 1, ROW, rows->row->change, ROW,
                            law->K, LIMPET_LAW_WIDTH);
  law->weight = rows->weight, law->weight_count = rows->weight_count;
  law->weighs = rows->weight_count > 0;
}

void limpet_patch_law_sum_weights(limpet_patch_law *law) {
  enum { WEIGHT = sizeof(limpet_law_weight) / sizeof(double), MOST = 8 };
  double by_D[MOST * 36];
  memset(law->by_D, 0, sizeof law->by_D);
  for (int first = 0; first < law->weight_count; first += MOST) {
    const int rest = law->weight_count - first, count = rest < MOST ? rest : MOST;
    for (int i = 0; i < count; ++i)
      limpet_law_weight_matrix(&law->weight[first + i], by_D + 36 * i);
    limpet_dense()->sub_mul(6, 36, count, law->weight[first].less, 1, WEIGHT, by_D, 36,
                            law->by_D[0], 36);
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
    limpet_spatial_copy(to->change + LIMPET_BY_BIAS, n);
    if (weak->kind == LIMPET_WEAK_CLOSING) limpet_spatial_copy(to->change + LIMPET_BY_V, n);
    for (int k = 0; k < 6; ++k) {
      double by_b[3], by_V[3];
      limpet_vec3_cross(by_b, law->b, change[k].point);
      limpet_vec3_cross(by_V, law->V, change[k].point);
      const double gap =
          view->pair->surface
              ? -(change[k].force + view->phi * change[k].stiffness) / view->record->stiffness
              : change[k].distance;
      double *by_twist = to->change + LIMPET_BY_TWIST + k;
      *by_twist = gap / view->c->dt + limpet_law_turned(change[k].turn, n + 3, view->b) +
                  limpet_vec3_dot(n + 3, by_b);
      if (weak->kind == LIMPET_WEAK_CLOSING)
        *by_twist +=
            limpet_law_turned(change[k].turn, n + 3, view->u) + limpet_vec3_dot(n + 3, by_V);
    }
  }
}

// Both tangents of a contact at rest whose static friction bends.
static void add_bends(const limpet_law_view *view, const limpet_twist_rows *twists,
                      limpet_patch_law *law) {
  for (int e = 0; e < 2; ++e) {
    limpet_law_row slip;
    limpet_switch_change *to = &law->switching[law->switch_count++];
    limpet_law_view_slip(view, twists, law, e, &slip);
    to->weak = LIMPET_NONE;
    memcpy(to->change, slip.change, sizeof to->change);
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

bool limpet_patch_law_bends(const limpet_patch_law *law) {
  for (int i = 0; i < law->switch_count; ++i)
    if (law->switching[i].weak == LIMPET_NONE) return true;
  return false;
}

bool limpet_patch_law_meets_kink(const limpet_patch_law *law, const double xi[6]) {
  for (int k = 0; k < 6; ++k)
    if ((law->kinked >> k & 1) && fabs(xi[k]) > small_part * (k < 3 ? 1.0 : 0.1)) return true;
  return false;
}

limpet_status limpet_patch_law_make(const limpet_probe *probe, int island,
                                    const limpet_patch *patch,
                                    const limpet_patch_geometry *geometry, limpet_arena *arena,
                                    limpet_patch_law *law) {
  const limpet_smooth_island *smooth = &probe->residual->smooth[island];
  limpet_law_rows rows;
  law->switching =
      LIMPET_TAKE(arena, limpet_switch_change, smooth->weak_count + 2 * patch->contact_count);
  law->slope = LIMPET_TAKE(arena, double, 9 * patch->contact_count);
  limpet_arena_mark mark;
  if (!law->switching || !law->slope || take_rows(patch, arena, &rows, &mark))
    return LIMPET_ERROR_MEMORY;
  for (int k = 0; k < patch->contact_count; ++k) {
    const limpet_point_change *point = geometry->point + 6 * k;
    const int contact = patch->contact + k, index = contact - smooth->base.island->contact;
    limpet_law_view view;
    limpet_twist_rows twists;
    limpet_law_spins spins;
    limpet_law_view_make(probe, island, contact, law, &view);
    add_switches(&view, smooth, index, point, law);
    if (!(view.gamma[2] > 0.0) && !(view.c->compliant.lagged_impulse > 0.0)) continue;
    limpet_law_view_slopes(&view);
    memcpy(law->slope + 9 * k, view.law.v, sizeof view.law.v);
    limpet_twist_rows_make(point, &twists);
    limpet_law_push(&view, 1.0, view.gamma, law->F);
    limpet_law_spins_make(&view, patch, contact, geometry->D, &twists, &rows, &spins);
    limpet_vec3_add(law->F, law->F, spins.torque);
    limpet_law_view_rows(&view, point, &twists, spins.by_n, law, &rows);
    if (limpet_law_view_bends(&view, probe->residual->kink_speed)) add_bends(&view, &twists, law);
    limpet_law_add_weights(&view, geometry->D, &twists, spins.by_n, spins.by_own, &rows);
    add_turns(&view, &twists, law);
    if (patch->spin_count > 0) limpet_law_spins_add(&spins, &twists, law);
    law->kinked |= geometry->kinked[contact];
  }
  sum_rows(&rows, law);
  limpet_arena_release(arena, mark);
  return LIMPET_OK;
}
