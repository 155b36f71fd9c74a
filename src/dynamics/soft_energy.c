/* dynamics/soft_energy.c: see soft_energy.h. Cost: of kinetic energy one product with the mass
 * matrix; of the potential one pass over the elements, or a comparison of positions. */
#include "dynamics/soft_energy.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "fem/body.h"
#include "model/workspace.h"

// What elements store at some positions.
typedef struct kept_elastic {
  double *position;  // (vertex_count x 3)
  double *elastic;   // (deformable_count)  [J]
} kept_elastic;

static void kept_destroy(void *object) {
  kept_elastic *kept = object;
  free(kept->position), free(kept->elastic);
  free(kept);
}

static kept_elastic *kept_create(const limpet_model *model) {
  kept_elastic *kept = calloc(1, sizeof *kept);
  if (!kept) return NULL;
  kept->position = malloc(3 * (size_t)model->vertex_count * sizeof *kept->position);
  kept->elastic = malloc((size_t)model->deformable_count * sizeof *kept->elastic);
  if (kept->position && kept->elastic) return kept;
  kept_destroy(kept);
  return NULL;
}

void limpet_soft_elastic_keep(limpet_data *data, const double *elastic) {
  assert(data && elastic);
  const limpet_model *model = data->model;
  void **slot = &data->workspace->object[LIMPET_SLOT_SOFT_ENERGY];
  if (!*slot) {
    *slot = kept_create(model);
    data->workspace->destroy[LIMPET_SLOT_SOFT_ENERGY] = kept_destroy;
  }
  kept_elastic *kept = *slot;
  if (!kept) return;
  memcpy(kept->position, data->vertex_position,
         3 * (size_t)model->vertex_count * sizeof *kept->position);
  memcpy(kept->elastic, elastic, (size_t)model->deformable_count * sizeof *kept->elastic);
}

static double elastic_of(const limpet_model *model, const limpet_data *data, int d) {
  const kept_elastic *kept = data->workspace->object[LIMPET_SLOT_SOFT_ENERGY];
  const int first = 3 * model->deformable_vertex[d];
  const double *q = data->vertex_position + first;
  const size_t size = (size_t)(3 * model->deformable_vertex[d + 1] - first) * sizeof *q;
  if (kept && memcmp(kept->position + first, q, size) == 0) return kept->elastic[d];
  return limpet_fem_body_strained(model->deformable_body[d], q, NULL).elastic;
}

double limpet_soft_kinetic(const limpet_model *model, const limpet_data *data) {
  assert(limpet_data_ready(model, data, 0));
  double energy = 0.0;
  for (int d = 0; d < model->deformable_count; ++d)
    energy += limpet_fem_body_kinetic(model->deformable_body[d],
                                      data->vertex_velocity + 3 * model->deformable_vertex[d]);
  return energy;
}

double limpet_soft_potential(const limpet_model *model, const limpet_data *data) {
  assert(limpet_data_ready(model, data, 0));
  double energy = 0.0;
  for (int d = 0; d < model->deformable_count; ++d) {
    energy += elastic_of(model, data, d);
    if (model->deformable_gravity[d] && !(model->options.disabled & LIMPET_DISABLE_GRAVITY))
      energy += limpet_fem_body_weight_energy(
          model->deformable_body[d], data->vertex_position + 3 * model->deformable_vertex[d],
          model->options.gravity);
  }
  return energy;
}
