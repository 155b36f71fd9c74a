/* sense/touch.c: touch: the sum of normal forces of contacts that the volume of a site feels.
 *
 * A contact counts when one of its geoms is on the site's body and the ray from the contact point
 * along the normal, out of that body, meets the volume: so a thin volume on the surface feels what
 * touches it through the surface. */
#include "geometry/ray.h"
#include "math/vec3.h"
#include "sense/kinds.h"

static void read_touch(const limpet_sensor_reading *reading, int sensor, double *value) {
  const limpet_model *model = reading->model;
  const limpet_data *data = reading->data;
  const limpet_sense_frame site = limpet_sense_object(reading, sensor);
  const limpet_shape volume = limpet_sense_site_volume(model, model->sensor_object[sensor], &site);
  value[0] = 0.0;
  for (int c = 0; reading->contact && c < data->contact_count; ++c) {
    const double normal_force = data->contact_force[3 * c + 2];
    const bool on_a = model->geom_body[data->contact_geom[2 * c]] == site.body;
    const bool on_b = model->geom_body[data->contact_geom[2 * c + 1]] == site.body;
    if (!(normal_force > 0.0) || (!on_a && !on_b)) continue;
    double outward[3];
    limpet_vec3_scale(outward, on_b ? -1.0 : 1.0, data->contact_frame + 9 * c + 6);
    if (limpet_shape_ray(&volume, data->contact_position + 3 * c, outward) >= 0.0)
      value[0] += normal_force;
  }
}

const limpet_sensor_kind limpet_sensor_touch = {
    .descriptor = {.name = "touch",
                   .text = "Sum of the normal forces of contacts of the site's body whose normals "
                           "pass through the site's volume: "
                           "mean over the step."},
    .unit = "N",
    .stage = LIMPET_SENSOR_ACCELERATION,
    .size = 1,
    .range = LIMPET_SENSOR_POSITIVE,
    .objects = LIMPET_SENSES_SITE,
    .read = read_touch};
