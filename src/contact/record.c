/* contact/record.c: see record.h.
 *
 *   position   s p_A + (1 - s) p_B     s: share of the stiffer surface; 0 or 1 where the points are
 *                                      far apart and the force acts at one of them
 *   frame      n of the point, tangents along friction's axes where it has some
 * Cost: the materials once a pair, a frame once a point. */
#include "contact/record.h"

#include "dynamics/surface.h"
#include "math/spatial.h"
#include "model/mocap.h"

static void pair_make(const limpet_model *model, const limpet_data *data, double rigid_stiffness,
                      const limpet_collision_pair *found, bool surface, limpet_contact_pair *pair) {
  const int a = found->geom_a, b = found->geom_b;
  pair->geoms = (limpet_geom_pair){a, b, found->pair};
  pair->margin = found->margin;
  pair->material = limpet_material_combine(model, rigid_stiffness, a, b, found->pair);
  pair->inverse_weight = model->body_inverse_weight[2 * model->geom_body[a]] +
                         model->body_inverse_weight[2 * model->geom_body[b]];
  pair->surface = surface;
  pair->driven = limpet_body_on_mocap(model, model->geom_body[a]) ||
                 limpet_body_on_mocap(model, model->geom_body[b]);
  pair->surface_moves = limpet_surface_moves(model, a) || limpet_surface_moves(model, b);
  if (surface) limpet_material_combine_fields(model, a, b, &pair->material);
  pair->shaped =
      pair->material.friction > 0.0 && limpet_friction_shape_matters(model, &pair->geoms);
  limpet_spatial_zero(pair->surface_velocity);
  if (pair->surface_moves) {
    double of_a[6], of_b[6];
    limpet_surface_velocity(model, data, a, of_a);
    limpet_surface_velocity(model, data, b, of_b);
    for (int i = 0; i < 6; ++i) pair->surface_velocity[i] = of_b[i] - of_a[i];
  }
}

static void record_make(const limpet_collision_contact *found, const limpet_contact_pair *pair,
                        limpet_contact_record *record) {
  const limpet_contact_point *point = &found->point;
  const double share_a = found->acts_on == LIMPET_ACTS_BETWEEN ? pair->material.share_a
                                                               : found->acts_on == LIMPET_ACTS_ON_A;
  record->pull = 0.0, record->pull_reach = found->pull_reach, record->kept = found->passes;
  record->of_end = found->of_end;
  record->contact = LIMPET_NONE;
  record->link = found->link;
  record->feature = point->feature;
  record->distance = point->distance;
  record->stiffness = pair->surface ? found->area * found->gradient : pair->material.stiffness;
  record->area = found->area;
  record->elastic_force = found->area * found->pressure;
  record->shear = found->area * found->shear_gradient;
  for (int i = 0; i < 3; ++i)
    record->position[i] = share_a * point->on_a[i] + (1.0 - share_a) * point->on_b[i];
  limpet_vec3_copy(record->frame + 6, point->normal);
}

// Pairs that have contacts, which are by pair.
static int count_pairs(const limpet_collision *collision) {
  int count = 0;
  for (int i = 0; i < collision->contact_count; ++i)
    count += i == 0 || collision->contact[i].pair != collision->contact[i - 1].pair;
  return count;
}

// Shapes of all contacts, taken when the first is needed. NULL: no memory.
static limpet_friction_shape *shapes_of(limpet_contact_records *records, int count,
                                        limpet_arena *arena) {
  if (!records->shape) records->shape = LIMPET_TAKE(arena, limpet_friction_shape, count);
  return records->shape;
}

limpet_status limpet_contact_records_make(const limpet_model *model, const limpet_data *data,
                                          double rigid_stiffness, const limpet_collision *collision,
                                          limpet_arena *arena, limpet_contact_records *records) {
  const int count = collision->contact_count;
  *records = (limpet_contact_records){
      .count = count,
      .pair = LIMPET_TAKE(arena, limpet_contact_pair, count_pairs(collision)),
      .record = LIMPET_TAKE(arena, limpet_contact_record, count)};
  if (!records->pair || !records->record) return LIMPET_ERROR_MEMORY;
  for (int i = 0; i < count; ++i) {
    const limpet_collision_contact *found = &collision->contact[i];
    if (i == 0 || found->pair != found[-1].pair)
      pair_make(model, data, rigid_stiffness, &collision->pair[found->pair], found->area > 0.0,
                &records->pair[records->pair_count++]);
    const limpet_contact_pair *pair = &records->pair[records->pair_count - 1];
    limpet_contact_record *record = &records->record[i];
    record->pair = records->pair_count - 1;
    record->found = i;
    record_make(found, pair, record);
    records->shears |= pair->surface && !record->link;
    double *frame = record->frame;
    if (!pair->shaped) {
      limpet_vec3_tangents(frame, frame + 3, frame + 6);
      continue;
    }
    if (!shapes_of(records, count, arena)) return LIMPET_ERROR_MEMORY;
    records->shape[i] = limpet_friction_shape_of(model, data, &pair->geoms, frame);
  }
  return LIMPET_OK;
}
