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
  }
  const double *omega = p->path[limpet_patch_view_slower(p)].V0;
  limpet_vec3_sub(apart, p->path[LIMPET_SIDE_A].origin, p->path[LIMPET_SIDE_B].origin);
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
      const double inverse = p->w->inverse[step->dof];
      for (int i = 0; i < 6; ++i) limpet_spatial_addmul(D + 6 * i, inverse * step->C[i], step->C);
    }
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
    if (any && limpet_pair_change(p->w->probe, c, next - c, p->patch->point, p->w->width,
                                  p->w->arena, kinked, point + 6 * (c - first)))
      return LIMPET_ERROR_MEMORY;
  }
  return LIMPET_OK;
}

static limpet_status paths_of(limpet_patch_view *p) {
  const limpet_probe *probe = p->w->probe;
  const limpet_model *model = probe->model;
  const limpet_solved_step *solved = probe->residual->solved;
  const limpet_contact_record *record =
      &solved->records.record[solved->problem.contact_source[p->patch->contact]];
  const limpet_geom_pair *geoms = &solved->records.pair[record->pair].geoms;
  const int unit[LIMPET_SIDES] = {model->body_weld[model->geom_body[geoms->geom_a]],
                                  model->body_weld[model->geom_body[geoms->geom_b]]};
  for (int side = 0; side < LIMPET_SIDES; ++side)
    if (limpet_body_path_make(model, probe->data, unit[side], p->patch->point, probe->residual->v,
                              p->w->arena, &p->path[side]))
      return LIMPET_ERROR_MEMORY;
  limpet_body_path_share(&p->path[LIMPET_SIDE_A], &p->path[LIMPET_SIDE_B]);
  for (int i = 0; i < 6; ++i) {
    p->law.V[i] = p->path[LIMPET_SIDE_B].V[i] - p->path[LIMPET_SIDE_A].V[i];
    p->law.V0[i] = p->path[LIMPET_SIDE_B].V0[i] - p->path[LIMPET_SIDE_A].V0[i];
  }
  p->curved = probe->settings->curved_paths && !solved->motion.straight;
  if (p->curved) path_bias(p, probe->settings->time_step, p->law.b);
  return LIMPET_OK;
}

limpet_status limpet_patch_view_make(const limpet_column_writer *w, int island,
                                     const limpet_patch *patch, limpet_patch_view *view) {
  limpet_point_change *point =
      LIMPET_TAKE_ZERO(w->arena, limpet_point_change, 6 * patch->contact_count);
  unsigned char *kinked =
      LIMPET_TAKE_ZERO(w->arena, unsigned char, w->probe->residual->solved->problem.contact_count);
  double D[36];
  memset(view, 0, offsetof(limpet_patch_view, law) + offsetof(limpet_patch_law, by_D));
  view->w = w, view->island = island, view->patch = patch;
  if (!point || !kinked || paths_of(view) || points_of(view, kinked, point))
    return LIMPET_ERROR_MEMORY;
  delassus_of(view, D);
  return limpet_patch_law_make(w->probe, island, patch, D, point, kinked, w->arena, &view->law);
}
