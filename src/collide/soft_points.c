/* collide/soft_points.c: points of a deformable body with a rigid geom.
 *
 *   vertices   of the surface: phi(x) and its gradient g (limpet/distance.h), normal g; here
 *   edges      lowest between their ends, where the geom is bent: soft_edges.c
 *   corners    of the geom that look into a triangle: soft_corners.c
 * All three say that a point of the surface is outside of the geom, so none takes from another.
 * Which of them take part: soft_take.c.
 * Cost: one distance for each vertex in the geom's box, a few for each edge that may touch between
 * its ends. */
#include <math.h>

#include "collide/shape_of_geom.h"
#include "collide/soft_surface.h"
#include "limpet/distance.h"
#include "math/vec3.h"

static const double ways_ahead = 2.0;  // [-]  as in step/detection.c

// Distances of the vertices near the geom, into the scratch of the surfaces. Returns how many.
static int measure(limpet_soft_search *s, const limpet_soft_against *against) {
  const limpet_soft_surface *surface = &s->surfaces->surface[against->d];
  limpet_soft_surfaces *scratch = s->surfaces;
  const bool plane = against->shape.kind == LIMPET_SHAPE_PLANE;
  int count = 0;
  for (int i = 0; i < surface->vertex_count; ++i) {
    const int v = surface->vertex[i];
    const double *x = s->data->vertex_position + 3 * v;
    scratch->slot[v] = LIMPET_NONE;
    scratch->side[v] =
        plane ? 0 : (unsigned char)limpet_soft_sides(x, against->low, against->high, against->most);
    if (scratch->side[v]) continue;
    limpet_vec3_copy(scratch->point + 3 * count, x);
    scratch->slot[v] = count;
    scratch->found[count++] = v;
  }
  limpet_signed_distance(&against->shape, scratch->point, count, scratch->distance,
                         scratch->gradient);
  return count;
}

static void vertices(limpet_soft_search *s, const limpet_soft_against *against) {
  const limpet_soft_surfaces *scratch = s->surfaces;
  const int count = measure(s, against), first = s->model->deformable_vertex[against->d];
  for (int i = 0; i < count && !s->failed; ++i) {
    const int v = scratch->found[i];
    limpet_soft_point point = {.phi = scratch->distance[i],
                               .feature = (uint64_t)(v - first),
                               .count = 1,
                               .vertex = &v,
                               .weight = {1.0}};
    limpet_vec3_copy(point.x, scratch->point + 3 * i);
    limpet_vec3_copy(point.normal, scratch->gradient + 3 * i);
    limpet_soft_take(s, against, &point);
  }
}

void limpet_soft_points(limpet_soft_search *search, int d, int geom) {
  limpet_soft_against against = {
      .d = d, .geom = geom, .shape = limpet_shape_of_geom(search->model, search->data, geom)};
  against.base = search->request->speculative + limpet_soft_reach(search, geom) +
                 search->collision->pair[search->collision->pair_count - 1].margin;
  against.most =
      against.base + ways_ahead * search->request->dt * search->surfaces->surface[d].speed;
  limpet_soft_geom_box(search->model, search->data, geom, against.low, against.high);
  vertices(search, &against);
  if (against.shape.kind == LIMPET_SHAPE_PLANE) return;
  limpet_soft_edges(search, &against);
  limpet_soft_corners(search, &against);
}
