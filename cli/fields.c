/* cli/fields.c: pressure fields of a model, and contact surfaces of a run, in words and JSON. */
#include "fields.h"

#include <math.h>
#include <stdio.h>

#include "command.h"
#include "json.h"
#include "quantity.h"

/* [-]  of the inner radius that a box of the same volume would have, below which a field counts as
 * thin: past the middle of a thin body pressure falls again. */
static const double thin_share = 0.1;

static bool has_field(const limpet_model *model, int geom) {
  return model->geom_field[geom] && !limpet_pressure_field_info(model->geom_field[geom]).rigid;
}

static bool is_thin(const limpet_pressure_info *info) {
  return isfinite(info->volume) && info->depth < thin_share * cbrt(info->volume);
}

static void doubts_print(const limpet_pressure_info *info) {
  if (info->dead)
    printf("       %d of its tetrahedra would have been dead and were split\n", info->dead);
  if (info->thin) printf("       %d of its tetrahedra are thinner than 1 degree\n", info->thin);
  if (is_thin(info))
    printf(
        "       warning: it is thin; what comes deeper than %.3g m is pushed out on the other "
        "side\n",
        info->depth);
}

void limpet_fields_print(const limpet_model *model) {
  int count = 0;
  char label[600], modulus[LIMPET_QUANTITY_TEXT_SIZE], least[LIMPET_QUANTITY_TEXT_SIZE],
      most[LIMPET_QUANTITY_TEXT_SIZE], text[64];
  for (int g = 0; g < model->geom_count; ++g) count += has_field(model, g);
  if (count == 0) return;
  printf("\npressure fields: %d\n", count);
  printf("%5s  %-24s  %-10s  %-24s  %8s  %-10s  %s\n", "", "geom", "modulus", "gradient", "cells",
         "depth m", "volume m^3");
  for (int g = 0; g < model->geom_count; ++g) {
    if (!has_field(model, g)) continue;
    const limpet_pressure_info info = limpet_pressure_field_info(model->geom_field[g]);
    snprintf(text, sizeof text, "%s to %s",
             limpet_quantity_text(least, info.gradient_least, "Pa/m"),
             limpet_quantity_text(most, info.gradient_most, "Pa/m"));
    printf("%5d  %-24s  %-10s  %-24s  %8d  %-10.4g  %.4g\n", g,
           limpet_object_label(label, sizeof label, model, LIMPET_OBJECT_GEOM, g),
           limpet_quantity_text(modulus, info.modulus, "Pa"), text, info.elements, info.depth,
           info.volume);
    doubts_print(&info);
  }
}

json_t *limpet_field_json(const limpet_model *model, int geom) {
  if (!model->geom_field[geom]) return json_null();
  const limpet_pressure_info info = limpet_pressure_field_info(model->geom_field[geom]);
  json_t *object = json_pack("{s:b, s:b, s:i, s:i, s:i, s:i, s:b}", "rigid", info.rigid, "exact",
                             info.exact, "elements", info.elements, "vertices", info.vertices,
                             "dead", info.dead, "thin_elements", info.thin, "thin", is_thin(&info));
  json_object_set_new(object, "modulus", limpet_json_number(info.modulus));
  json_object_set_new(object, "volume", limpet_json_number(info.volume));
  json_object_set_new(object, "depth", limpet_json_number(info.depth));
  json_object_set_new(object, "gradient_least", limpet_json_number(info.gradient_least));
  json_object_set_new(object, "gradient_most", limpet_json_number(info.gradient_most));
  return object;
}

// ------------------------------------------------------------------------------------ surfaces

void limpet_surfaces_print(const limpet_model *model, const limpet_data *data) {
  enum { SHOWN = 6 };
  char a[600], b[600], force[LIMPET_QUANTITY_TEXT_SIZE], depth[LIMPET_QUANTITY_TEXT_SIZE],
      pressure[LIMPET_QUANTITY_TEXT_SIZE], torque[LIMPET_QUANTITY_TEXT_SIZE];
  for (int s = 0; s < data->surface_count && s < SHOWN; ++s) {
    const double *f = data->surface_force + 3 * s, *m = data->surface_torque + 3 * s,
                 *x = data->surface_centre + 3 * s;
    printf(
        "%s%s on %s: %s over %.4g cm^2, centre (%.4g, %.4g, %.4g) m, torque about it %s, at most "
        "%s, %s deep\n",
        s ? "             " : "surfaces     ",
        limpet_object_label(a, sizeof a, model, LIMPET_OBJECT_GEOM, data->surface_geom[2 * s]),
        limpet_object_label(b, sizeof b, model, LIMPET_OBJECT_GEOM, data->surface_geom[2 * s + 1]),
        limpet_quantity_text(force, sqrt(f[0] * f[0] + f[1] * f[1] + f[2] * f[2]), "N"),
        1e4 * data->surface_area[s], x[0], x[1], x[2],
        limpet_quantity_text(torque, sqrt(m[0] * m[0] + m[1] * m[1] + m[2] * m[2]), "N m"),
        limpet_quantity_text(pressure, data->surface_pressure[s], "Pa"),
        limpet_quantity_text(depth, data->surface_depth[s], "m"));
  }
  if (data->surface_count > SHOWN)
    printf("             and %d more\n", data->surface_count - SHOWN);
}

json_t *limpet_surfaces_json(const limpet_data *data) {
  json_t *surfaces = json_array();
  for (int s = 0; s < data->surface_count; ++s) {
    json_t *one = json_pack("{s:i, s:i}", "geom_a", data->surface_geom[2 * s], "geom_b",
                            data->surface_geom[2 * s + 1]);
    json_object_set_new(one, "area", limpet_json_number(data->surface_area[s]));
    json_object_set_new(one, "force", limpet_json_array(data->surface_force + 3 * s, 3));
    json_object_set_new(one, "torque", limpet_json_array(data->surface_torque + 3 * s, 3));
    json_object_set_new(one, "centre", limpet_json_array(data->surface_centre + 3 * s, 3));
    json_object_set_new(one, "deepest", limpet_json_array(data->surface_deepest + 3 * s, 3));
    json_object_set_new(one, "depth", limpet_json_number(data->surface_depth[s]));
    json_object_set_new(one, "pressure", limpet_json_number(data->surface_pressure[s]));
    json_array_append_new(surfaces, one);
  }
  return surfaces;
}
