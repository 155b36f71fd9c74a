/* record/patch.c: contact surfaces as polygons with a pressure at each corner, for pictures.
 *
 * A step keeps the points of its surfaces and not their polygons, so a picture asks for the
 * surfaces once more, at the poses that it shows. Pairs that touch at points have none. Cost: that
 * of the surfaces, for pictures alone. */
#include "record/patch.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/grow.h"

static const double tolerance = 1e-2;  // [-]  of curved surfaces: enough to look at

static bool has_surface(const limpet_model *model, int a, int b) {
  return model->geom_field && model->geom_field[a] && model->geom_field[b] &&
         (isfinite(model->geom_material[a].elastic_modulus) ||
          isfinite(model->geom_material[b].elastic_modulus));
}

static limpet_pressure_body body_of(const limpet_data *data, int geom) {
  return (limpet_pressure_body){.field = data->model->geom_field[geom],
                                .position = data->geom_position + 3 * geom,
                                .rotation = data->geom_rotation + 9 * geom};
}

// Adds all polygons of a surface.
static bool add(limpet_patches *patches, const limpet_pressure_surface *surface) {
  for (int k = 0; k < surface->polygon_count; ++k) {
    const int begin = surface->polygon_begin[k], size = surface->polygon_begin[k + 1] - begin,
              corner = patches->corner_count;
    if (!limpet_grow(&patches->size, &patches->size_room, patches->polygon_count + 1,
                     sizeof *patches->size) ||
        !limpet_grow(&patches->vertex, &patches->vertex_room, corner + size, 3 * sizeof(double)) ||
        !limpet_grow(&patches->pressure, &patches->pressure_room, corner + size, sizeof(double)))
      return false;
    memcpy(patches->vertex + 3 * corner, surface->vertex + 3 * begin,
           (size_t)size * 3 * sizeof(double));
    memcpy(patches->pressure + corner, surface->vertex_pressure + begin,
           (size_t)size * sizeof(double));
    patches->size[patches->polygon_count++] = size;
    patches->corner_count += size;
  }
  return true;
}

limpet_status limpet_patches_take(limpet_patches *patches, const limpet_data *data) {
  patches->polygon_count = patches->corner_count = 0;
  limpet_pressure_query query = limpet_pressure_query_default();
  query.polygons = true, query.tolerance = tolerance;
  for (int k = 0; k < data->surface_count; ++k) {
    const int *geom = data->surface_geom + 2 * k;
    if (!has_surface(data->model, geom[0], geom[1])) continue;
    if (!patches->surface) patches->surface = limpet_pressure_surface_create(NULL);
    if (!patches->surface) return LIMPET_ERROR_MEMORY;
    const limpet_pressure_body a = body_of(data, geom[0]), b = body_of(data, geom[1]);
    if (limpet_pressure_surface_compute(patches->surface, &a, &b, &query) != LIMPET_OK ||
        !add(patches, patches->surface))
      return LIMPET_ERROR_MEMORY;
  }
  return LIMPET_OK;
}

void limpet_patches_free(limpet_patches *patches) {
  free(patches->size), free(patches->vertex), free(patches->pressure);
  limpet_pressure_surface_destroy(patches->surface);
  *patches = (limpet_patches){0};
}
