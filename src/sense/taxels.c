/* sense/taxels.c: taxels: pressure and shear on a grid of cells, as a tactile skin reads them.
 *
 *   traction of a cell = sum of forces on the site's body / area of the cell  [Pa], axes of the
 * site:
 *     (-f_z, f_x, f_y)/(4 h_x h_y/(rows columns)),   z out of the surface
 * The grid lies in the site's x, y plane: columns along x from -h_x, rows along y from -h_y; h half
 * lengths of the site, which is a box. Cell r, c has the numbers 3 (columns r + c) on. A contact
 * counts as for `touch`: one of its geoms is on the site's body, and its normal out of that body
 * meets the box. Cost: one ray a contact of the body. */
#include "geometry/ray.h"
#include "math/vec3.h"
#include "sense/kinds.h"

static int size_of(const limpet_sensor_description *sensor) {
  return 3 * sensor->taxels[0] * sensor->taxels[1];
}

// The cell under a point in the frame of the site; LIMPET_NONE: beside the grid.
static int cell_of(const double x[3], const double half[3], const int taxels[2]) {
  int place[2];
  for (int i = 0; i < 2; ++i) {
    const int count = taxels[1 - i];
    const double at = 0.5 * (x[i] / half[i] + 1.0) * count;
    if (!(at >= 0.0 && at <= count)) return LIMPET_NONE;
    place[i] = at < count ? (int)at : count - 1;
  }
  return taxels[1] * place[1] + place[0];
}

// Force of contact c on body B or, `on_a`, on body A; W.
static void force_of(const limpet_data *data, int c, bool on_a, double f[3]) {
  limpet_mat3_tmul_vec(f, data->contact_frame + 9 * c, data->contact_force + 3 * c);
  if (on_a) limpet_vec3_scale(f, -1.0, f);
}

static void read_taxels(const limpet_sensor_reading *reading, int sensor, double *value) {
  const limpet_model *model = reading->model;
  const limpet_data *data = reading->data;
  const limpet_sense_frame site = limpet_sense_object(reading, sensor);
  const limpet_shape volume = limpet_sense_site_volume(model, model->sensor_object[sensor], &site);
  const int *taxels = model->sensor_taxels + 2 * sensor;
  const double *half = volume.size;
  const double per_area = taxels[0] * taxels[1] / (4.0 * half[0] * half[1]);
  for (int i = 0; i < model->sensor_size[sensor]; ++i) value[i] = 0.0;
  for (int c = 0; reading->contact && c < data->contact_count; ++c) {
    const bool on_a = model->geom_body[data->contact_geom[2 * c]] == site.body;
    const bool on_b = model->geom_body[data->contact_geom[2 * c + 1]] == site.body;
    if (!(data->contact_force[3 * c + 2] > 0.0) || (!on_a && !on_b)) continue;
    double outward[3], arm[3], x[3], f[3], local[3];
    limpet_vec3_scale(outward, on_b ? -1.0 : 1.0, data->contact_frame + 9 * c + 6);
    if (limpet_shape_ray(&volume, data->contact_position + 3 * c, outward) < 0.0) continue;
    limpet_vec3_sub(arm, data->contact_position + 3 * c, site.position);
    limpet_mat3_tmul_vec(x, site.rotation, arm);
    const int cell = cell_of(x, half, taxels);
    if (cell == LIMPET_NONE) continue;
    force_of(data, c, !on_b, f);
    limpet_mat3_tmul_vec(local, site.rotation, f);
    value[3 * cell] -= per_area * local[2];
    value[3 * cell + 1] += per_area * local[0];
    value[3 * cell + 2] += per_area * local[1];
  }
}

const limpet_sensor_kind limpet_sensor_taxels = {
    .descriptor = {.name = "taxels",
                   .text = "Grid of cells over the x, y plane of a site that is a box: pressure "
                           "and shear along x and y on each cell, mean over the step. In MJCF "
                           "<limpet:taxels site=\"...\" rows=\"...\" columns=\"...\"/>."},
    .unit = "Pa",
    .stage = LIMPET_SENSOR_ACCELERATION,
    .range = LIMPET_SENSOR_REAL,
    .objects = LIMPET_SENSES_SITE,
    .size_of = size_of,
    .read = read_taxels};
