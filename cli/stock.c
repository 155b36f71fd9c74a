// cli/stock.c: see stock.h.
#include "stock.h"

#include <math.h>

static const int64_t energy_period = 16;  // [steps]
static const double far_share = 0.5;      // [-]  of a cell

// The longest side of the first face or segment of a deformable body at rest [m].
static double cell_of(const limpet_model *model, int d) {
  const limpet_fem_body *body = model->deformable_body[d];
  const bool rope = limpet_fem_body_information(body).face_count == 0;
  const int *corner = rope ? limpet_fem_body_segments(body) : limpet_fem_body_faces(body);
  const int count = rope ? 2 : 3;
  const double *rest = limpet_fem_body_rest(body);
  double cell = 0.0;
  for (int k = 0; k < count; ++k) {
    const double *a = rest + 3 * corner[k], *b = rest + 3 * corner[(k + 1) % count];
    cell = fmax(cell, hypot(hypot(b[0] - a[0], b[1] - a[1]), b[2] - a[2]));
  }
  return cell;
}

bool limpet_takes_stock(const limpet_model *model, const limpet_data *data, int64_t step,
                        double time_step) {
  if (step % energy_period == 0) return true;
  for (int d = 0; d < model->deformable_count; ++d) {
    const double far = far_share * cell_of(model, d) / time_step;
    for (int i = model->deformable_vertex[d]; i < model->deformable_vertex[d + 1]; ++i) {
      const double *v = data->vertex_velocity + 3 * i;
      if (v[0] * v[0] + v[1] * v[1] + v[2] * v[2] > far * far) return true;
    }
  }
  return false;
}
