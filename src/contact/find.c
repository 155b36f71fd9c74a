/* contact/find.c: contacts of a pose, without stepping. */
#include <assert.h>
#include <string.h>

#include "collide/collide.h"
#include "contact/arrays.h"
#include "limpet/contact.h"
#include "math/vec3.h"
#include "model/workspace.h"

// What only a step knows.
static void clear_results(limpet_data *data, int count) {
  const size_t n = (size_t)count, real = sizeof(double);
  memset(data->contact_velocity, 0, 3 * n * real);
  memset(data->contact_force, 0, 3 * n * real);
  memset(data->contact_stiffness, 0, n * real);
  memset(data->contact_dissipation, 0, n * real);
  memset(data->contact_friction, 0, n * real);
  memset(data->contact_slip_speed, 0, n * real);
  memset(data->contact_torsion, 0, n * real);
  memset(data->contact_rolling, 0, 2 * n * real);
  memset(data->contact_sticks, 0, n * sizeof *data->contact_sticks);
}

int limpet_contacts_find(const limpet_model *model, limpet_data *data, bool single) {
  assert(limpet_data_ready(model, data, LIMPET_MARK_GEOMS));
  limpet_arena *arena = limpet_workspace_turn(data->workspace);
  limpet_collision collision = {0};
  data->contact_count = data->surface_count = 0;
  const double *zero =
      LIMPET_TAKE_ZERO(arena, double, model->body_count);  // there are fewer trees than bodies
  if (!zero) return -1;
  const limpet_reach reach = {.body = zero, .tree = zero};
  if (!(model->options.disabled & LIMPET_DISABLE_CONTACT)) {
    if (limpet_broad_phase(model, data, &reach, arena, &collision) != LIMPET_OK) return -1;
    collision.surfaces = LIMPET_SURFACE_EXACT;
    if (limpet_narrow_phase(model, data, single, NULL, NULL, arena, &collision) != LIMPET_OK)
      return -1;
  }

  const int n = collision.contact_count;
  if (limpet_contact_arrays_take(data, n, arena)) return -1;
  clear_results(data, n);
  for (int i = 0; i < n; ++i) {
    const limpet_contact_point *point = &collision.contact[i].point;
    const limpet_collision_pair *pair = &collision.pair[collision.contact[i].pair];
    double *frame = data->contact_frame + 9 * i;
    data->contact_geom[2 * i] = pair->geom_a;
    data->contact_geom[2 * i + 1] = pair->geom_b;
    data->contact_feature[i] = point->feature;
    data->contact_distance[i] = point->distance;
    data->contact_area[i] = collision.contact[i].area;
    limpet_vec3_copy(frame + 6, point->normal);
    limpet_vec3_tangents(frame, frame + 3, frame + 6);
    for (int k = 0; k < 3; ++k)
      data->contact_position[3 * i + k] = 0.5 * (point->on_a[k] + point->on_b[k]);
  }
  return data->contact_count = n;
}
