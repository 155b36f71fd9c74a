/* geometry/pressure_begin.c: what a query for a contact surface begins with, and begins again with
 * where an engine gives up what it has made. */
#include <math.h>

#include "geometry/pressure_contact.h"
#include "math/vec3.h"

/* A face where the pressure is zero all over lies in the boundary of both bodies and is no part of
 * the contact: its pressures are below this share of the smaller modulus. */
static const double no_pressure = 1e-12;

void limpet_pressure_begin(limpet_pressure_surface *surface, const limpet_pressure_body *a,
                           const limpet_pressure_body *b, const limpet_pressure_query *query) {
  limpet_pressure_surface empty = {.point = surface->point,
                                   .polygon_begin = surface->polygon_begin,
                                   .polygon_point = surface->polygon_point,
                                   .vertex = surface->vertex,
                                   .vertex_pressure = surface->vertex_pressure,
                                   .growth_count = surface->growth_count,
                                   .workspace = surface->workspace};
  limpet_pressure_workspace *work = surface->workspace;
  const limpet_pressure_field *fa = a->field, *fb = b->field;
  *surface = empty;
  work->a = a, work->b = b, work->query = query;
  work->face_count = 0, work->vertex_count = 0, work->failed = work->folded = false;
  limpet_vec3_zero(work->moment), limpet_vec3_zero(work->first), limpet_vec3_zero(work->pressed);
  limpet_vec3_copy(work->origin, fa->kind == LIMPET_SHAPE_PLANE ? b->position : a->position);
  // fields go on outside until the flatter of them has fallen by reach times its slope
  const double slope_a = fa->rigid ? INFINITY : fa->modulus / fa->depth,
               slope_b = fb->rigid ? INFINITY : fb->modulus / fb->depth;
  work->slope = limpet_pressure_series(slope_a, slope_b);
  work->meshed = work->a->field->tetrahedra || work->b->field->tetrahedra;
  work->no_pressure =
      no_pressure * fmin(fa->rigid ? INFINITY : fa->modulus, fb->rigid ? INFINITY : fb->modulus);
  work->least_pressure = query->reach > 0.0 ? -query->reach * fmin(slope_a, slope_b) : 0.0;
}

void limpet_pressure_restart(limpet_pressure_surface *surface) {
  const limpet_pressure_workspace *work = surface->workspace;
  limpet_pressure_begin(surface, work->a, work->b, work->query);
}
