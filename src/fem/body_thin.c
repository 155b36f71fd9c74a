/* fem/body_thin.c: a body of triangles and segments: its surface, elements and masses.
 *
 * Quality of a triangle: 4 sqrt(3) A/(sum of squared edges), 1 for a regular one, 0 for a line. */
#include <assert.h>
#include <math.h>
#include <string.h>

#include "base/error.h"
#include "base/hash.h"
#include "fem/body.h"
#include "math/vec3.h"

static double quality_of(const double *x, const int *t) {
  double u[3], v[3], n[3], sum = 0.0;
  limpet_vec3_sub(u, x + 3L * t[1], x + 3L * t[0]),
      limpet_vec3_sub(v, x + 3L * t[2], x + 3L * t[0]);
  limpet_vec3_cross(n, u, v);
  for (int k = 0; k < 3; ++k) {
    const double edge = limpet_vec3_distance(x + 3L * t[k], x + 3L * t[(k + 1) % 3]);
    sum += edge * edge;
  }
  return 2.0 * sqrt(3.0) * limpet_vec3_norm(n) / sum;
}

static void measure(limpet_fem_body *body, const limpet_fem_description *d) {
  limpet_fem_body_info *info = &body->info;
  info->quality_worst = info->quality_mean = 1.0;
  if (d->triangle_count == 0) return;
  info->quality_mean = 0.0;
  for (int t = 0; t < d->triangle_count; ++t) {
    const double quality = quality_of(d->vertices, d->triangles + 3L * t);
    info->quality_mean += quality / d->triangle_count;
    if (quality < info->quality_worst) info->quality_worst = quality, info->quality_element = t;
  }
}

static limpet_status arrays_take(limpet_fem_body *body, const limpet_fem_description *d) {
  limpet_arena *arena = &body->arena;
  body->rest = LIMPET_TAKE(arena, double, 3L * d->vertex_count);
  body->faces = LIMPET_TAKE(arena, int, 3L * d->triangle_count + 1);
  body->face_tetrahedron = LIMPET_TAKE_ZERO(arena, int, d->triangle_count + 1);
  body->segments = LIMPET_TAKE(arena, int, 2L * d->segment_count + 1);
  body->node_mass = LIMPET_TAKE_ZERO(arena, double, d->vertex_count);
  body->tetrahedra = LIMPET_TAKE(arena, int, 1);
  body->element_node = LIMPET_TAKE(arena, int, 1);
  return body->rest && body->faces && body->face_tetrahedron && body->segments && body->node_mass &&
                 body->tetrahedra && body->element_node
             ? LIMPET_OK
             : LIMPET_ERROR_MEMORY;
}

static limpet_status take_gas(limpet_fem_body *body, const limpet_fem_description *d,
                              limpet_error *error) {
  limpet_fem_gas_body *gas = &body->gas;
  gas->present = d->gas.pressure > 0.0;
  if (!gas->present) return LIMPET_OK;
  gas->pressure = d->gas.pressure, gas->outside = d->gas.outside, gas->exponent = d->gas.exponent;
  gas->volume = limpet_fem_gas_volume(body, body->rest, NULL);
  if (gas->volume > 0.0) return LIMPET_OK;
  return limpet_error_fill(error, LIMPET_ERROR_INPUT,
                           "deformable body: it holds gas, but its surface has a volume of %g m^3: "
                           "it is inside out; turn its triangles",
                           gas->volume);
}

limpet_status limpet_fem_body_thin(limpet_fem_body *body, const limpet_fem_description *d,
                                   limpet_error *error) {
  limpet_fem_body_info *info = &body->info;
  body->element_nodes = 4, body->element_points = 1;
  info->vertex_count = info->node_count = d->vertex_count;
  info->face_count = d->triangle_count, info->segment_count = d->segment_count;
  info->element_count = d->triangle_count + d->segment_count;
  info->thickness = d->thickness;
  if (arrays_take(body, d) || limpet_thin_make(d, &body->arena, &body->thin, body->node_mass))
    return limpet_error_fill(error, LIMPET_ERROR_MEMORY, "no memory for %d triangles",
                             d->triangle_count);
  memcpy(body->rest, d->vertices, 3 * (size_t)d->vertex_count * sizeof(double));
  if (d->triangle_count > 0)
    memcpy(body->faces, d->triangles, 3 * (size_t)d->triangle_count * sizeof(int));
  if (d->segment_count > 0)
    memcpy(body->segments, d->segments, 2 * (size_t)d->segment_count * sizeof(int));
  measure(body, d);
  return take_gas(body, d, error);
}

void limpet_fem_body_thin_masses(limpet_fem_body *body) {
  limpet_fem_body_info *info = &body->info;
  for (int i = 0; i < info->node_count; ++i) {
    body->mass[body->row_begin[i + 1] - 1] += body->node_mass[i];
    info->mass += body->node_mass[i];
  }
  for (int i = 0; i < info->node_count; ++i)
    limpet_vec3_addmul(info->centre, info->centre, body->node_mass[i] / info->mass,
                       body->rest + 3L * i);
  info->volume = body->gas.present ? body->gas.volume : info->mass / info->density;
  info->has_gas = body->gas.present;
}

uint64_t limpet_fem_body_thin_hash(const limpet_fem_body *body, uint64_t hash) {
  assert(body);
  const limpet_fem_gas_body *gas = &body->gas;
  const double numbers[] = {body->info.thickness, body->thin.lambda,
                            body->thin.mu,        gas->present ? gas->pressure : 0.0,
                            gas->outside,         gas->exponent};
  hash = limpet_hash_bytes(hash, numbers, sizeof numbers);
  hash = limpet_hash_bytes(hash, body->faces, 3 * (size_t)body->info.face_count * sizeof(int));
  hash =
      limpet_hash_bytes(hash, body->segments, 2 * (size_t)body->info.segment_count * sizeof(int));
  for (int t = 0; t < body->thin.count; ++t) {
    const limpet_thin_element *e = &body->thin.element[t];
    const double own[] = {e->rest, e->stiffness, e->damping, (double)e->kind};
    hash = limpet_hash_bytes(hash, own, sizeof own);
  }
  return hash;
}
