/* sense/taxels.c: taxels: pressure and shear on a grid of cells, as a tactile skin reads them.
 *
 *   traction of a cell = sum of forces on the site's body / area of the cell  [Pa], axes of the
 * site:
 *     (-f_z, f_x, f_y)/(4 h_x h_y/(rows columns)),   z out of the surface
 * The grid lies in the site's x, y plane: columns along x from -h_x, rows along y from -h_y; h half
 * lengths of the site, which is a box. Cell r, c has the numbers 3 (columns r + c) on. A contact
 * counts as for `touch`: one of its geoms is on the site's body, and its normal out of that body
 * meets the box. A point of a contact surface stands for a square of its area around it, whose
 * force is shared out over the cells under it; what lies beside the grid goes to its rim. Cost: one
 * ray and one cell by cell sum a contact of the body. */
#include <math.h>

#include "geometry/ray.h"
#include "math/vec3.h"
#include "sense/kinds.h"

static int size_of(const limpet_sensor_description *sensor,
                   const limpet_camera_description *camera) {
  (void)camera;
  return 3 * sensor->taxels[0] * sensor->taxels[1];
}

// Share of the stretch low..high, cut off at the grid, that lies in cell c of `count` over -h..h;
// of a stretch without length 1 in the cell that holds it.
static double share_of(double low, double high, double h, int c, int count) {
  const double begin = h * (2.0 * c / count - 1.0), end = h * (2.0 * (c + 1) / count - 1.0);
  const double from = fmax(low, -h), to = fmin(high, h);
  if (to - from > 0.0) return fmax(0.0, fmin(to, end) - fmax(from, begin)) / (to - from);
  return low >= begin && (low < end || (c + 1 == count && low <= end)) ? 1.0 : 0.0;
}

// traction [Pa] that a contact at x, in the frame of the site, adds to all cells
static void spread(const double x[3], double area, const double half[3], const int taxels[2],
                   const double traction[3], double *value) {
  const double reach = 0.5 * sqrt(area);
  for (int r = 0; r < taxels[0]; ++r) {
    const double along = share_of(x[1] - reach, x[1] + reach, half[1], r, taxels[0]);
    for (int c = 0; along > 0.0 && c < taxels[1]; ++c) {
      const double share = along * share_of(x[0] - reach, x[0] + reach, half[0], c, taxels[1]);
      for (int k = 0; k < 3; ++k) value[3 * (taxels[1] * r + c) + k] += share * traction[k];
    }
  }
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
    force_of(data, c, !on_b, f);
    limpet_mat3_tmul_vec(local, site.rotation, f);
    const double traction[3] = {-per_area * local[2], per_area * local[0], per_area * local[1]};
    spread(x, data->contact_area[c], half, taxels, traction, value);
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
