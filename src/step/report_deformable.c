/* step/report_deformable.c: what became of deformable bodies in a step: elastic energy, volume,
 * largest stress, inverted elements, and the force of their contacts. */
#include <math.h>
#include <string.h>

#include "dynamics/soft_energy.h"
#include "fem/body.h"
#include "math/vec3.h"
#include "step/reports.h"

// The deformable body whose surface a geom is, or LIMPET_NONE.
static int deformable_of(const limpet_model *model, int geom) {
  if (model->geom_kind[geom] != LIMPET_SHAPE_SOFT) return LIMPET_NONE;
  for (int d = 0; d < model->deformable_count; ++d)
    if (model->deformable_geom[d] == geom) return d;
  return LIMPET_NONE;
}

void limpet_report_deformable_forces(limpet_data *data) {
  const limpet_model *model = data->model;
  if (model->deformable_count == 0) return;
  memset(data->deformable_force, 0, 3 * (size_t)model->deformable_count * sizeof(double));
  for (int i = 0; i < data->contact_count; ++i) {
    const double *R = data->contact_frame + 9 * i, *f = data->contact_force + 3 * i;
    double on_b[3];
    limpet_mat3_tmul_vec(on_b, R, f);
    for (int side = 0; side < 2; ++side) {
      const int d = deformable_of(model, data->contact_geom[2 * i + side]);
      if (d == LIMPET_NONE) continue;
      double *sum = data->deformable_force + 3 * d;
      limpet_vec3_addmul(sum, sum, side == 1 ? 1.0 : -1.0, on_b);
    }
  }
}

limpet_status limpet_report_deformables(limpet_data *data, limpet_arena *arena) {
  const limpet_model *model = data->model;
  for (int d = 0; d < model->deformable_count; ++d) {
    const limpet_fem_body *body = model->deformable_body[d];
    const double *q = data->vertex_position + 3 * model->deformable_vertex[d];
    const int elements = limpet_fem_body_information(body).element_count;
    double *stress = LIMPET_TAKE(arena, double, elements), most = 0.0;
    if (!stress) return LIMPET_ERROR_MEMORY;
    const limpet_fem_state state = limpet_fem_body_strained(body, q, stress);
    for (int e = 0; e < elements; ++e) most = fmax(most, stress[e]);
    data->deformable_energy[d] = state.elastic;
    data->deformable_volume[d] = state.volume;
    data->deformable_inverted[d] = state.inverted;
    data->deformable_stress[d] = most;
  }
  if (model->deformable_count > 0) limpet_soft_elastic_keep(data, data->deformable_energy);
  return LIMPET_OK;
}
