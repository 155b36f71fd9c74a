/* contact/far.c: contacts of deformable bodies that cannot close within the step, dropped before
 * the vertices that take part are chosen.
 *
 * The matrix of a deformable body is condensed onto the vertices of its contacts, and that costs
 * the cube of their number. Points are searched as far as bodies may move either way, so most that
 * are found are left behind by a geom that moves along. What assembly asks (constants.c) is asked
 * here of the velocities of trees and vertices before they are one vector; sums run in its order.
 */
#include "contact/assemble.h"
#include "contact/constants.h"
#include "contact/patch.h"
#include "collide/soft.h"
#include "dynamics/curved_path.h"
#include "math/extremes.h"
#include "math/spatial.h"

// Velocities of the vertices of a link, added to those of the patch's rigid units.
static void add_vertices(const limpet_closing *f, const limpet_soft_link *link,
                         limpet_patch_sums *sums) {
  const limpet_vertex_motion *of = &f->vertices;
  for (int k = 0; k < link->count; ++k) {
    const int i = link->vertex[k];
    if (!of->moves[i]) continue;
    limpet_vec3_addmul(sums->V0 + 3, sums->V0 + 3, link->weight[k], of->v_start + 3 * i);
    limpet_vec3_addmul(sums->V_free + 3, sums->V_free + 3, link->weight[k], of->v_free + 3 * i);
    if (f->problem->v_thrown)
      limpet_vec3_addmul(sums->V_thrown + 3, sums->V_thrown + 3, link->weight[k],
                         of->v_free + 3 * i);
  }
  if (!f->problem->v_thrown) limpet_spatial_copy(sums->V_thrown, sums->V0);
}

/* Least normal speed [m/s], over 0 at most, if one of the two deformable bodies of a contact is
 * stopped within the step: a stack that falls closes as its lowest body lands. */
static double stopped_speed(const limpet_closing *f, const limpet_soft_link *link,
                            const double n[3]) {
  const limpet_vertex_motion *of = &f->vertices;
  double speed[2][2] = {{0.0}};  // of B and A, at the start and free
  for (int k = 0; k < link->count; ++k) {
    const int i = link->vertex[k], side = link->weight[k] < 0.0;
    if (!of->moves[i]) continue;
    speed[side][0] += link->weight[k] * limpet_vec3_dot(n, of->v_start + 3 * i);
    speed[side][1] += link->weight[k] * limpet_vec3_dot(n, of->v_free + 3 * i);
  }
  return limpet_min(limpet_min(speed[0][0], speed[0][1]), limpet_min(speed[1][0], speed[1][1]));
}

static bool is_of_two_deformables(const limpet_model *model, const limpet_geom_pair *geoms) {
  return geoms->geom_a != geoms->geom_b && model->geom_kind[geoms->geom_a] == LIMPET_SHAPE_SOFT &&
         model->geom_kind[geoms->geom_b] == LIMPET_SHAPE_SOFT;
}

// *acts: whether the contact may act within the step.
static limpet_status ask(const limpet_closing *f, const limpet_contact_records *records,
                         limpet_contact_record *record, limpet_arena *arena, bool *acts) {
  const limpet_geom_pair *geoms = &records->pair[record->pair].geoms;
  const int unit[2] = {f->model->body_weld[f->model->geom_body[geoms->geom_a]],
                       f->model->body_weld[f->model->geom_body[geoms->geom_b]]};
  limpet_patch patch = {0};
  limpet_contact_add_acting_point(&f->collision->contact[record->found], 1.0, patch.point);
  if (limpet_patch_columns(f->problem, f->model, f->data, unit, arena, &patch))
    return LIMPET_ERROR_MEMORY;
  limpet_patch_sums sums;
  limpet_patch_sums_compute(f->problem, f->model, f->data, &patch, NULL, &sums);
  add_vertices(f, record->link, &sums);
  const bool may_be_stopped = is_of_two_deformables(f->model, geoms);
  if (may_be_stopped) {
    const double *n = record->frame + 6;
    const double speed =
        stopped_speed(f, record->link, n) - limpet_min(0.0, limpet_vec3_dot(n, sums.V_thrown + 3));
    limpet_vec3_addmul(sums.V_thrown + 3, sums.V_thrown + 3, limpet_min(0.0, speed), n);
  }
  double path_bias[6];
  const bool curved = f->settings->curved_paths;
  if (curved)
    limpet_curved_path_bias(f->model, f->data, f->settings->centred, f->settings->bend, unit[0],
                            unit[1], patch.point, f->settings->dt, path_bias);
  const limpet_constants_builder builder = {.settings = f->settings,
                                            .records = records,
                                            .patch = &patch,
                                            .sums = &sums,
                                            .path_bias = curved ? path_bias : NULL};
  *acts = limpet_contact_may_act(&builder, record);
  record->kept = may_be_stopped && *acts;
  return LIMPET_OK;
}

limpet_status limpet_contacts_drop_far(const limpet_closing *closing, limpet_arena *arena,
                                       limpet_contact_records *records) {
  int count = 0;
  for (int i = 0; i < records->count; ++i) {
    bool acts = true;
    const limpet_arena_mark mark = limpet_arena_mark_now(arena);
    if (records->record[i].link && !records->record[i].kept &&
        ask(closing, records, &records->record[i], arena, &acts))
      return LIMPET_ERROR_MEMORY;
    limpet_arena_release(arena, mark);
    if (acts) records->record[count++] = records->record[i];
  }
  records->count = count;
  return LIMPET_OK;
}
