/* gradient/patch_view.c: see patch_view.h. */
#include "gradient/patch_view.h"

#include <stddef.h>
#include <string.h>

#include "math/spatial.h"

void limpet_patch_view_origin(const limpet_body_path *path, const double P[3], double arm[3],
                              double v[3]) {
  limpet_vec3_sub(arm, path->origin, P);
  limpet_vec3_cross(v, path->V0, arm);
  limpet_vec3_add(v, v, path->V0 + 3);
}

int limpet_patch_view_slower(const limpet_patch_view *p) {
  const double *a = p->path[LIMPET_SIDE_A].V0, *b = p->path[LIMPET_SIDE_B].V0;
  return limpet_vec3_dot(a, a) <= limpet_vec3_dot(b, b) ? LIMPET_SIDE_A : LIMPET_SIDE_B;
}

// b, as a field: about P.
static void path_bias(const limpet_patch_view *p, double dt, double b[6]) {
  const double *P = p->patch->point;
  double apart[3], turn[3], arm[3], v[3];
  limpet_spatial_zero(b);
  for (int side = 0; side < LIMPET_SIDES; ++side) {
    const limpet_body_path *path = &p->path[side];
    limpet_spatial_addmul(b, 0.5 * dt * limpet_patch_signs[side], path->A);
    limpet_patch_view_origin(path, P, arm, v);
    limpet_vec3_cross(turn, path->V0, v);
    limpet_vec3_addmul(b + 3, b + 3, 0.5 * dt * limpet_patch_signs[side], turn);
    const double *bend = limpet_probe_bend(p->w->probe, p->unit[side]);
    if (bend) limpet_vec3_addmul(b + 3, b + 3, -0.5 * dt * limpet_patch_signs[side], bend);
  }
  const double *omega = p->path[limpet_patch_view_slower(p)].V0;
  limpet_vec3_sub(apart, p->path[LIMPET_SIDE_A].pivot, p->path[LIMPET_SIDE_B].pivot);
  limpet_vec3_cross(turn, omega, apart);
  limpet_vec3_cross(arm, omega, turn);
  limpet_vec3_addmul(b + 3, b + 3, 0.5 * dt, arm);
}

// D about the patch's point.
static void delassus_of(const limpet_patch_view *p, double D[36]) {
  memset(D, 0, 36 * sizeof *D);
  for (int side = 0; side < LIMPET_SIDES; ++side)
    for (int k = 0; k < p->path[side].count; ++k) {
      const limpet_path_dof *step = &p->path[side].step[k];
      if (step->shared) continue;
      for (int i = 0; i < 6; ++i) limpet_spatial_addmul(D + 6 * i, step->C[i], step->W);
    }
}

bool limpet_contacts_weigh(const limpet_probe *probe) {
  const limpet_solved_step *solved = probe->residual->solved;
  const limpet_contact_problem *problem = &solved->problem;
  if (problem->contact_count == 0) return false;
  if (problem->spin_count > 0 || !limpet_compliant_model_of(problem->model)->coupled) return true;
  for (int i = 0; i < problem->contact_count; ++i) {
    const limpet_contact_record *record = &solved->records.record[problem->contact_source[i]];
    const limpet_pair_material *material = &solved->records.pair[record->pair].material;
    if (problem->constants[i].near_rigid || material->friction_static > material->friction)
      return true;
  }
  return false;
}

// Whether a contact pulls, or stands at a switch: others change nothing.
static bool matters(const limpet_column_writer *w, int island, int contact) {
  const limpet_smooth_island *smooth = &w->probe->residual->smooth[island];
  const int index = contact - smooth->base.island->contact;
  if (smooth->base.contact_gamma[3 * index + 2] > 0.0 ||
      smooth->base.constants[index].compliant.lagged_impulse > 0.0)
    return true;
  for (int i = 0; i < smooth->weak_count; ++i)
    if (smooth->weak[i].kind != LIMPET_WEAK_ROW && smooth->weak[i].index == index) return true;
  return false;
}

bool limpet_patch_view_matters(const limpet_column_writer *w, int island,
                               const limpet_patch *patch) {
  for (int c = patch->contact; c < patch->contact + patch->contact_count; ++c)
    if (matters(w, island, c)) return true;
  return false;
}

static limpet_status points_of(const limpet_patch_view *p, unsigned char *kinked,
                               limpet_point_change *point) {
  const limpet_solved_step *solved = p->w->probe->residual->solved;
  const limpet_contact_problem *problem = &solved->problem;
  const int first = p->patch->contact, end = first + p->patch->contact_count;
  for (int c = first, next; c < end; c = next) {
    const int pair = solved->records.record[problem->contact_source[c]].pair;
    bool any = matters(p->w, p->island, c);
    for (next = c + 1;
         next < end && solved->records.record[problem->contact_source[next]].pair == pair; ++next)
      any = any || matters(p->w, p->island, next);
    const limpet_pair_contacts contacts = {c, next - c, p->patch->point, p->w->width};
    if (any &&
        limpet_pair_change(p->w->probe, &contacts, p->w->arena, kinked, point + 6 * (c - first)))
      return LIMPET_ERROR_MEMORY;
  }
  return LIMPET_OK;
}

void limpet_patch_units(const limpet_column_writer *w, const limpet_patch *patch,
                        int unit[LIMPET_SIDES]) {
  const limpet_model *model = w->probe->model;
  const limpet_solved_step *solved = w->probe->residual->solved;
  const limpet_contact_record *record =
      &solved->records.record[solved->problem.contact_source[patch->contact]];
  const limpet_geom_pair *geoms = &solved->records.pair[record->pair].geoms;
  unit[LIMPET_SIDE_A] = model->body_weld[model->geom_body[geoms->geom_a]];
  unit[LIMPET_SIDE_B] = model->body_weld[model->geom_body[geoms->geom_b]];
}

static limpet_status paths_of(limpet_patch_view *p) {
  const limpet_probe *probe = p->w->probe;
  if (limpet_body_paths_make(probe, p->unit, p->patch->point, &p->w->delassus, p->w->arena,
                             p->path))
    return LIMPET_ERROR_MEMORY;
  for (int side = 0; side < LIMPET_SIDES; ++side) {
    limpet_probe_origin(probe, p->unit[side], p->path[side].origin);
    limpet_probe_pivot(probe, p->unit[side], p->path[side].pivot);
  }
  delassus_of(p, p->D);
  return LIMPET_OK;
}

// to += share D about P.
static void add_delassus(double to[36], double share, const double D[36], const double lever[3]) {
  double rows[36], column[6], moved[6];
  for (int i = 0; i < 6; ++i) limpet_spatial_shift_motion(rows + 6 * i, D + 6 * i, lever);
  for (int j = 0; j < 6; ++j) {
    for (int i = 0; i < 6; ++i) column[i] = rows[6 * i + j];
    limpet_spatial_shift_motion(moved, column, lever);
    for (int i = 0; i < 6; ++i) to[6 * i + j] += share * moved[i];
  }
}

static void take_motions(limpet_patch_view *p, const limpet_body_motion *motion, bool weighs) {
  const limpet_model *model = p->w->probe->model;
  const limpet_data *data = p->w->probe->data;
  double lever[3];
  memset(p->D, 0, sizeof p->D);
  p->meets = limpet_body_paths_meet(model, p->unit[LIMPET_SIDE_A], p->unit[LIMPET_SIDE_B]);
  for (int side = 0; side < LIMPET_SIDES; ++side) {
    const int unit = p->unit[side], tree = model->body_tree[unit];
    limpet_body_path *path = &p->path[side];
    *path = (limpet_body_path){.model = model, .count = tree >= 0};
    limpet_probe_origin(p->w->probe, unit, path->origin);
    limpet_probe_pivot(p->w->probe, unit, path->pivot);
    if (tree < 0) continue;
    limpet_vec3_sub(lever, p->patch->point, data->tree_origin + 3 * tree);
    limpet_spatial_shift_motion(path->V, motion[unit].V, lever);
    limpet_spatial_shift_motion(path->V0, motion[unit].V0, lever);
    limpet_spatial_shift_motion(path->A, motion[unit].A, lever);
    if (weighs) add_delassus(p->D, 1.0, motion[unit].D, lever);
  }
  if (p->meets != LIMPET_NONE && weighs) add_delassus(p->D, -2.0, motion[p->meets].D, lever);
}

static void law_begin(limpet_patch_view *p) {
  const limpet_probe *probe = p->w->probe;
  for (int i = 0; i < 6; ++i) {
    p->law.V[i] = p->path[LIMPET_SIDE_B].V[i] - p->path[LIMPET_SIDE_A].V[i];
    p->law.V0[i] = p->path[LIMPET_SIDE_B].V0[i] - p->path[LIMPET_SIDE_A].V0[i];
  }
  p->curved = probe->settings->curved_paths && !probe->residual->solved->motion.straight;
  if (p->curved) path_bias(p, probe->settings->time_step, p->law.b);
}

limpet_status limpet_patch_view_make(const limpet_column_writer *w, int island,
                                     const limpet_patch *patch, const limpet_body_motion *motion,
                                     bool weighs, limpet_patch_view *view) {
  limpet_point_change *point =
      LIMPET_TAKE_ZERO(w->arena, limpet_point_change, 6 * patch->contact_count);
  unsigned char *kinked =
      LIMPET_TAKE_ZERO(w->arena, unsigned char, w->probe->residual->solved->problem.contact_count);
  memset(view, 0, offsetof(limpet_patch_view, law) + offsetof(limpet_patch_law, by_D));
  view->w = w, view->island = island, view->patch = patch;
  view->point = point;
  limpet_patch_units(w, patch, view->unit);
  if (motion) take_motions(view, motion, weighs);
  if (!point || !kinked || (!motion && paths_of(view))) return LIMPET_ERROR_MEMORY;
  law_begin(view);
  if (points_of(view, kinked, point)) return LIMPET_ERROR_MEMORY;
  const limpet_patch_geometry geometry = {view->D, point, kinked};
  return limpet_patch_law_make(w->probe, island, patch, &geometry, w->arena, &view->law);
}
