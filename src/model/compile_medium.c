/* model/compile_medium.c: what the forces of a medium need of the bodies and geoms.
 *
 * A body: half axes of the solid box with its mass and principal inertias,
 *   a_x = sqrt(3 (I_y + I_z - I_x)/(2 m)), ...
 * A geom with fluid_ellipsoid, semi-axes d: volumes of the medium that move and turn with it,
 *   v_x = V k_x/(2 - k_x),   V = 4/3 pi d_x d_y d_z,
 *   k_x = d_x d_y d_z int_0^inf ds/sqrt((d_x^2 + s)^3 (d_y^2 + s)(d_z^2 + s))
 *       = 2/3 d_x d_y d_z R_D(d_y^2, d_z^2, d_x^2)
 *   t_x = V/5 (d_y^2 - d_z^2)^2 |k_z - k_y| / |2 (d_y^2 - d_z^2) + (d_y^2 + d_z^2)(k_y - k_z)|
 * R_D: Carlson's integral, by his duplication theorem.
 * References: Lamb, Hydrodynamics (1932), sections 114 and 115; Carlson, Numerical computation of
 * real or complex elliptic integrals (1995); MuJoCo documentation, fluid forces. */
#include <math.h>

#include "math/quaternion.h"
#include "math/vec3.h"
#include "model/compile.h"
#include "model/semi_axes.h"

static const double CLOSE = 1e-3;  // of the arguments of R_D: its series is good to the sixth power

static double carlson_d(double x, double y, double z) {
  double sum = 0.0, factor = 1.0, mean, dx, dy, dz;
  for (;;) {
    mean = 0.2 * (x + y + 3.0 * z);
    dx = 1.0 - x / mean, dy = 1.0 - y / mean, dz = 1.0 - z / mean;
    if (fmax(fabs(dx), fmax(fabs(dy), fabs(dz))) < CLOSE) break;
    const double rx = sqrt(x), ry = sqrt(y), rz = sqrt(z), lambda = rx * (ry + rz) + ry * rz;
    sum += factor / (rz * (z + lambda));
    factor *= 0.25;
    x = 0.25 * (x + lambda), y = 0.25 * (y + lambda), z = 0.25 * (z + lambda);
  }
  const double a = dx * dy, b = dz * dz, c = a - b, d = a - 6.0 * b, e = d + c + c;
  const double series = 1.0 + d * (-3.0 / 14.0 + 9.0 / 88.0 * d - 4.5 / 26.0 * dz * e) +
                        dz * (e / 6.0 + dz * (-9.0 / 22.0 * c + dz * 3.0 / 26.0 * a));
  return 3.0 * sum + factor * series / (mean * sqrt(mean));
}

static void fill_added_volume(double *added, const double axes[3]) {
  const double volume = 4.0 / 3.0 * LIMPET_PI * axes[0] * axes[1] * axes[2];
  double kappa[3], square[3];
  for (int i = 0; i < 3; ++i) square[i] = axes[i] * axes[i];
  for (int i = 0; i < 3; ++i)
    kappa[i] = 2.0 / 3.0 * axes[0] * axes[1] * axes[2] *
               carlson_d(square[(i + 1) % 3], square[(i + 2) % 3], square[i]);
  for (int i = 0; i < 3; ++i) {
    const int j = (i + 1) % 3, k = (i + 2) % 3;
    const double difference = square[j] - square[k];
    const double below = fabs(2.0 * difference + (square[j] + square[k]) * (kappa[j] - kappa[k]));
    added[i] = volume * kappa[i] / (2.0 - kappa[i]);
    added[3 + i] = below > 0.0
                       ? volume / 5.0 * difference * difference * fabs(kappa[k] - kappa[j]) / below
                       : 0.0;
  }
}

// Principal inertias about the axes of body_inertia_quaternion.
static void principal(double I[3], const limpet_model *model, int b) {
  double R[9], T[9], D[9];
  limpet_quaternion_to_matrix(R, model->body_inertia_quaternion + 4 * b);
  limpet_mat3_mul(T, model->body_inertia + 9 * b, R);
  limpet_mat3_tmul(D, R, T);
  for (int k = 0; k < 3; ++k) I[k] = D[4 * k];
}

limpet_status limpet_compile_medium(limpet_compiler *compiler) {
  limpet_model *model = compiler->model;
  for (int b = 1; b < model->body_count; ++b) {
    double I[3];
    principal(I, model, b);
    const double m = model->body_mass[b], sum = I[0] + I[1] + I[2];
    for (int k = 0; k < 3; ++k)
      model->body_box[3 * b + k] = m > 0.0 ? sqrt(fmax(1.5 * (sum - 2.0 * I[k]) / m, 0.0)) : 0.0;
  }
  for (int g = 0; g < model->geom_count; ++g) {
    const limpet_geom_description *geom =
        limpet_builder_geoms(compiler->builder) + compiler->geom.handle[g];
    model->geom_fluid_ellipsoid[g] = geom->fluid_ellipsoid;
    for (int k = 0; k < 5; ++k)
      model->geom_fluid_coefficients[5 * g + k] = geom->fluid_coefficients[k];
    double axes[3];
    limpet_geom_semi_axes(model, g, axes);
    if (geom->fluid_ellipsoid && axes[0] > 0.0 && axes[1] > 0.0 && axes[2] > 0.0)
      fill_added_volume(model->geom_added_volume + 6 * g, axes);
  }
  return LIMPET_OK;
}
