// fem/gas.c: gas within a shell: see gas.h.
#include "fem/gas.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "fem/body.h"
#include "math/vec3.h"

double limpet_fem_gas_volume(const limpet_fem_body *body, const double *q, double *normal) {
  double six = 0.0;
  if (normal) memset(normal, 0, 3 * (size_t)body->info.node_count * sizeof *normal);
  for (int f = 0; f < body->info.face_count; ++f) {
    const int *v = body->faces + 3L * f;
    for (int k = 0; k < 3; ++k) {
      double n[3];
      limpet_vec3_cross(n, q + 3L * v[(k + 1) % 3], q + 3L * v[(k + 2) % 3]);
      if (k == 0) six += limpet_vec3_dot(q + 3L * v[0], n);
      if (normal) limpet_vec3_addmul(normal + 3L * v[k], normal + 3L * v[k], 1.0 / 6.0, n);
    }
  }
  return six / 6.0;
}

double limpet_fem_gas_pressure(const limpet_fem_body *body, double volume) {
  const limpet_fem_gas_body *gas = &body->gas;
  const double least = 1e-3 * gas->volume;  // what is emptied has a finite pressure
  return gas->pressure * pow(gas->volume / fmax(volume, least), gas->exponent);
}

double limpet_fem_gas_energy(const limpet_fem_body *body, double volume) {
  const limpet_fem_gas_body *gas = &body->gas;
  const double ratio = fmax(volume, 1e-3 * gas->volume) / gas->volume, g = gas->exponent;
  const double work = g == 1.0 ? log(ratio) : (pow(ratio, 1.0 - g) - 1.0) / (1.0 - g);
  return -gas->pressure * gas->volume * work + gas->outside * (volume - gas->volume);
}

// A directed side of a triangle.
typedef struct half {
  int from, to;
} half;

static int compare_halves(const void *x, const void *y) {
  const half *s = x, *t = y;
  if (s->from != t->from) return s->from < t->from ? -1 : 1;
  return (s->to > t->to) - (s->to < t->to);
}

static limpet_status check_closed(const limpet_fem_description *d, half *halves,
                                  limpet_error *error) {
  const size_t count = 3 * (size_t)d->triangle_count;
  for (size_t i = 0; i < count; ++i) {
    const int *t = d->triangles + i / 3 * 3;
    halves[i] = (half){t[i % 3], t[(i + 1) % 3]};
  }
  qsort(halves, count, sizeof *halves, compare_halves);
  int open = 0, first[2] = {0, 0};
  for (size_t i = 0; i < count; ++i) {
    const half back = {halves[i].to, halves[i].from};
    if (bsearch(&back, halves, count, sizeof back, compare_halves)) continue;
    if (open++ == 0) first[0] = halves[i].from, first[1] = halves[i].to;
  }
  if (open == 0) return LIMPET_OK;
  return limpet_error_fill(
      error, LIMPET_ERROR_INPUT,
      "deformable body: it holds gas, but its surface is open at %d edges, the "
      "first from vertex %d to %d; close it, or leave the pressure out",
      open, first[0], first[1]);
}

limpet_status limpet_fem_gas_check(const limpet_fem_description *d, limpet_error *error) {
  const limpet_fem_gas *gas = &d->gas;
  if (!(gas->pressure >= 0.0 && isfinite(gas->pressure)) ||
      !(gas->outside >= 0.0 && isfinite(gas->outside)) ||
      !(gas->exponent >= 1.0 && gas->exponent <= 2.0))
    return limpet_error_fill(error, LIMPET_ERROR_INPUT,
                             "deformable body: gas of %g Pa, %g Pa outside, exponent %g; give "
                             "absolute pressures and an exponent from 1 (isothermal) to 5/3",
                             gas->pressure, gas->outside, gas->exponent);
  half *halves = malloc((3 * (size_t)d->triangle_count + 1) * sizeof *halves);
  if (!halves) return limpet_error_fill(error, LIMPET_ERROR_MEMORY, "no memory for edges");
  const limpet_status status = check_closed(d, halves, error);
  free(halves);
  return status;
}
