/* contact/find.c: contacts of a pose, without stepping. */
#include "collide/collide.h"
#include "limpet/contact.h"
#include "math/vec3.h"
#include "model/workspace.h"

int limpet_contacts_find(const limpet_model *model, limpet_data *data, bool single) {
  limpet_arena *arena = limpet_workspace_turn(data->workspace);
  limpet_collision collision = {0};
  data->contact_count = 0;
  const double *zero =
      LIMPET_TAKE_ZERO(arena, double, model->body_count);  // there are fewer trees than bodies
  if (!zero) return -1;
  const limpet_reach reach = {zero, zero};
  if (!(model->options.disabled & LIMPET_DISABLE_CONTACT) &&
      (limpet_broad_phase(model, data, &reach, arena, &collision) != LIMPET_OK ||
       limpet_narrow_phase(model, data, single, arena, &collision) != LIMPET_OK))
    return -1;

  const size_t n = (size_t)collision.contact_count;
  data->contact_geom = LIMPET_TAKE(arena, int, 2 * n);
  data->contact_feature = LIMPET_TAKE(arena, uint64_t, n);
  data->contact_position = LIMPET_TAKE(arena, double, 3 * n);
  data->contact_frame = LIMPET_TAKE(arena, double, 9 * n);
  data->contact_distance = LIMPET_TAKE(arena, double, n);
  data->contact_sticks = LIMPET_TAKE_ZERO(arena, bool, n);
  double *zeros = LIMPET_TAKE_ZERO(arena, double, 11 * n);
  if (!data->contact_geom || !data->contact_feature || !data->contact_position ||
      !data->contact_frame || !data->contact_distance || !data->contact_sticks || !zeros)
    return -1;
  data->contact_velocity = zeros, data->contact_force = zeros + 3 * n;
  data->contact_stiffness = zeros + 6 * n, data->contact_dissipation = zeros + 7 * n,
  data->contact_friction = zeros + 8 * n, data->contact_slip_speed = zeros + 9 * n;
  data->contact_torsion = zeros + 10 * n;

  for (int i = 0; i < collision.contact_count; ++i) {
    const limpet_contact_point *point = &collision.contact[i].point;
    const limpet_collision_pair *pair = &collision.pair[collision.contact[i].pair];
    double *frame = data->contact_frame + 9 * i;
    data->contact_geom[2 * i] = pair->geom_a;
    data->contact_geom[2 * i + 1] = pair->geom_b;
    data->contact_feature[i] = point->feature;
    data->contact_distance[i] = point->distance;
    limpet_vec3_copy(frame + 6, point->normal);
    limpet_vec3_tangents(frame, frame + 3, frame + 6);
    for (int k = 0; k < 3; ++k)
      data->contact_position[3 * i + k] = 0.5 * (point->on_a[k] + point->on_b[k]);
  }
  return data->contact_count = collision.contact_count;
}
