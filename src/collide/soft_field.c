/* collide/soft_field.c: a deformable body against the pressure field of a compliant geom.
 *
 * Triangles of the surface are clipped by the cells of the field; each polygon is a point at its
 * centroid. Its area A, the pressure p0 there and the gradient g_R along the normal give
 *   g = 1/(1/C + 1/g_R)   k = A g   f0 = A p0
 * C [Pa/m] stiffness of the soft surface (model->deformable_surface_stiffness). The point hangs on
 * the three vertices of its triangle, by its barycentric coordinates there.
 * Polygons square to the gradient have no stiffness, and round-off would decide whether they push:
 * those below 1e-9 of the steepest are dropped. With the setting polygon_centroids (Drake) their
 * vertices take part all the same: as points that are infinitely far, which assembly leaves out.
 * Polygons are laid out as far outside of both as they approach each other, whatever they do
 * together.
 * Source: shared golden fem README, "Contact"; Drake's deformable contact. */
#include <assert.h>
#include <math.h>

#include "collide/pressure.h"
#include "collide/soft_surface.h"
#include "math/vec3.h"

static const double ways_ahead = 2.0;       // [-]  as in step/detection.c
static const double least_gradient = 1e-9;  // [-]  of the steepest

// Weights of the corners of a triangle at a point of its plane.
static void barycentric(const double *const x[3], const double p[3], double b[3]) {
  double e[2][3], arm[3];
  limpet_vec3_sub(e[0], x[1], x[0]);
  limpet_vec3_sub(e[1], x[2], x[0]);
  limpet_vec3_sub(arm, p, x[0]);
  const double a = limpet_vec3_dot(e[0], e[0]), c = limpet_vec3_dot(e[0], e[1]),
               f = limpet_vec3_dot(e[1], e[1]);
  const double r = limpet_vec3_dot(arm, e[0]), t = limpet_vec3_dot(arm, e[1]);
  const double determinant = a * f - c * c;
  b[1] = (f * r - c * t) / determinant;
  b[2] = (a * t - c * r) / determinant;
  b[0] = 1.0 - b[1] - b[2];
}

static void add(limpet_soft_search *s, int d, int geom, const limpet_pressure_point *from) {
  const bool soft_is_a = s->model->deformable_geom[d] < geom;
  const double C = s->model->deformable_surface_stiffness[d];
  const int element = soft_is_a ? from->element_a : from->element_b;
  assert(element >= 0 && element < s->surfaces->surface[d].face_count);
  limpet_soft_link *link;
  limpet_collision_contact *contact = limpet_soft_append(s, &link);
  if (!contact) return;
  contact->area = from->area;
  contact->pressure = from->pressure;
  contact->gradient = contact->shear_gradient = 1.0 / (1.0 / C + 1.0 / from->gradient);
  limpet_contact_point *point = &contact->point;
  limpet_vec3_copy(point->on_a, from->position);
  limpet_vec3_copy(point->on_b, from->position);
  limpet_vec3_copy(point->normal, from->normal);
  point->distance = -from->pressure / contact->gradient;
  point->feature = from->feature;
  const int *face = s->surfaces->surface[d].face + 3 * element;
  const double *x[3];
  double b[3];
  for (int k = 0; k < 3; ++k) x[k] = s->data->vertex_position + 3 * face[k];
  barycentric(x, from->position, b);
  link->count = 3;
  for (int k = 0; k < 3; ++k) {
    link->vertex[k] = face[k];
    link->weight[k] = soft_is_a ? -b[k] : b[k];
  }
}

void limpet_soft_polygons(limpet_soft_search *search, int d, int geom) {
  static const double origin[3] = {0.0, 0.0, 0.0};
  static const double identity[9] = {1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0};
  const limpet_model *model = search->model;
  limpet_pressure_surface *surface = limpet_pressure_surface_of(search->data);
  const limpet_pressure_body soft = {
      .field = limpet_pressure_skin_field(search->surfaces->surface[d].skin),
      .position = origin,
      .rotation = identity};
  const limpet_pressure_body rigid = {.field = model->geom_field[geom],
                                      .position = search->data->geom_position + 3 * geom,
                                      .rotation = search->data->geom_rotation + 9 * geom};
  limpet_pressure_query query = limpet_pressure_query_default();
  query.points = LIMPET_PRESSURE_POINTS_CENTROID;
  const bool centroids = search->request->surfaces == LIMPET_SURFACE_CENTROIDS;
  if (!centroids)
    query.reach = search->request->speculative +
                  ways_ahead * search->request->dt * limpet_soft_speed_against(search, d, geom);
  const bool soft_is_a = model->deformable_geom[d] < geom;
  if (!surface ||
      limpet_pressure_surface_compute(surface, soft_is_a ? &soft : &rigid,
                                      soft_is_a ? &rigid : &soft, &query) != LIMPET_OK) {
    search->failed = true;
    return;
  }
  double steepest = 0.0;
  for (int i = 0; i < surface->point_count; ++i)
    steepest = fmax(steepest, surface->point[i].gradient);
  for (int i = 0; i < surface->point_count && !search->failed; ++i) {
    limpet_pressure_point point = surface->point[i];
    const bool acts = point.gradient > least_gradient * steepest;
    if (!(point.area > 0.0) || !(acts || centroids)) continue;
    if (!acts) point.pressure = -INFINITY;
    add(search, d, geom, &point);
  }
}
