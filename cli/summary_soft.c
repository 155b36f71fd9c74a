/* cli/summary_soft.c: see summary_soft.h. The reaction on what a body touches is the sum of its
 * contact forces there, mean over the last step. */
#include "summary_soft.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "command.h"
#include "json.h"
#include "quantity.h"

typedef struct soft_report {
  limpet_fem_state state;
  double rest_volume;  // [m^3]
  double stress;       // [Pa]  largest; NAN: no memory
} soft_report;

static soft_report report_of(const limpet_model *model, const limpet_data *data, int d) {
  const limpet_fem_body *body = model->deformable_body[d];
  const double *q = data->vertex_position + 3 * model->deformable_vertex[d];
  const limpet_fem_body_info info = limpet_fem_body_information(body);
  soft_report report = {.state = limpet_fem_body_state(body, q, NULL, NULL),
                        .rest_volume = info.volume,
                        .stress = NAN};
  double *stress = malloc((size_t)info.element_count * sizeof *stress);
  if (!stress) return report;
  limpet_fem_body_stress(body, q, stress, NULL);
  report.stress = 0.0;
  for (int e = 0; e < info.element_count; ++e) report.stress = fmax(report.stress, stress[e]);
  free(stress);
  return report;
}

// Force [N], W, of geom `own` on geom `other`. False: they have no contact.
static bool force_on(const limpet_data *data, int own, int other, double force[3]) {
  bool touches = false;
  force[0] = force[1] = force[2] = 0.0;
  for (int i = 0; i < data->contact_count; ++i) {
    const int a = data->contact_geom[2 * i], b = data->contact_geom[2 * i + 1];
    if (!((a == own && b == other) || (a == other && b == own))) continue;
    const double *R = data->contact_frame + 9 * i, *f = data->contact_force + 3 * i;
    for (int e = 0; e < 3; ++e)
      for (int k = 0; k < 3; ++k) force[k] += (b == other ? 1.0 : -1.0) * f[e] * R[3 * e + k];
    touches = true;
  }
  return touches;
}

static double size_of(const double x[3]) { return sqrt(x[0] * x[0] + x[1] * x[1] + x[2] * x[2]); }

void limpet_soft_print(const limpet_model *model, const limpet_data *data) {
  char energy[LIMPET_QUANTITY_TEXT_SIZE], stress[LIMPET_QUANTITY_TEXT_SIZE], name[600];
  for (int d = 0; d < model->deformable_count; ++d) {
    const soft_report r = report_of(model, data, d);
    const int own = model->deformable_geom[d];
    printf(
        "soft         %s: elastic energy %s, volume %+.3g %%, von Mises %s at most, %d inverted "
        "elements\n",
        limpet_object_label(name, sizeof name, model, LIMPET_OBJECT_GEOM, own),
        limpet_quantity_text(energy, r.state.elastic, "J"),
        100.0 * (r.state.volume / r.rest_volume - 1.0),
        limpet_quantity_text(stress, r.stress, "Pa"), r.state.inverted);
    for (int g = 0; g < model->geom_count; ++g) {
      double f[3];
      if (!force_on(data, own, g, f)) continue;
      printf("               on %s: %.4g N (%.3g %.3g %.3g)\n",
             limpet_object_label(name, sizeof name, model, LIMPET_OBJECT_GEOM, g), size_of(f), f[0],
             f[1], f[2]);
    }
  }
}

static json_t *reactions_json(const limpet_model *model, const limpet_data *data, int own) {
  json_t *list = json_array();
  for (int g = 0; g < model->geom_count; ++g) {
    double f[3];
    if (!force_on(data, own, g, f)) continue;
    const char *geom = limpet_model_name(model, LIMPET_OBJECT_GEOM, g),
               *body = limpet_model_name(model, LIMPET_OBJECT_BODY, model->geom_body[g]);
    json_array_append_new(
        list, json_pack("{s:o, s:o, s:o}", "geom", geom ? limpet_json_text(geom) : json_integer(g),
                        "body", limpet_json_text(body), "force", limpet_json_array(f, 3)));
  }
  return list;
}

// The box [m], W, that holds the vertices.
static json_t *bounds_json(const limpet_model *model, const limpet_data *data, int d) {
  double low[3] = {INFINITY, INFINITY, INFINITY}, high[3] = {-INFINITY, -INFINITY, -INFINITY};
  for (int i = model->deformable_vertex[d]; i < model->deformable_vertex[d + 1]; ++i)
    for (int k = 0; k < 3; ++k) {
      low[k] = fmin(low[k], data->vertex_position[3 * i + k]);
      high[k] = fmax(high[k], data->vertex_position[3 * i + k]);
    }
  return json_pack("[o, o]", limpet_json_array(low, 3), limpet_json_array(high, 3));
}

json_t *limpet_soft_json(const limpet_model *model, const limpet_data *data) {
  if (model->deformable_count == 0) return json_null();
  json_t *list = json_array();
  for (int d = 0; d < model->deformable_count; ++d) {
    const soft_report r = report_of(model, data, d);
    const int own = model->deformable_geom[d];
    const char *name = limpet_model_name(model, LIMPET_OBJECT_GEOM, own);
    json_array_append_new(
        list, json_pack("{s:o, s:o, s:o, s:o, s:o, s:o, s:i, s:o}", "name",
                        name ? limpet_json_text(name) : json_integer(d), "bounds",
                        bounds_json(model, data, d), "elastic_energy",
                        limpet_json_number(r.state.elastic), "volume",
                        limpet_json_number(r.state.volume), "volume_at_rest",
                        limpet_json_number(r.rest_volume), "stress", limpet_json_number(r.stress),
                        "inverted", r.state.inverted, "forces", reactions_json(model, data, own)));
  }
  return list;
}
