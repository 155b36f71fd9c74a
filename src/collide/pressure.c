/* collide/pressure.c: see pressure.h.
 *
 * A point of a contact surface has an area A, the pressure p0 there and the gradient g of both
 * fields along the normal. It acts with the elastic force A p0 and the stiffness A g. Before the
 * bodies touch p0 is negative: the point acts where they close within the step.
 *   distance   -p0/g, for reports; where g is below a tenth of the surface's largest gradient, that
 *              one counts: the boundary runs along the gradient there, and g says nothing of depth
 * A face that runs along the gradient has a pressure and no stiffness: a body that rocks turns the
 * gradient at its upright sides to and fro, and dropping such faces would switch their force on and
 * off. They keep their force, and the gradient counts as `stiffless` of the largest at least.
 * Its friction is Coulomb's like that of any other: for shear it counts a tenth of the mean
 * gradient (shear_gradient). Points that have some gradient keep it: their shear shares the load.
 * Polygons as Drake makes them are dropped there, as Drake does.
 * Cost: that of limpet_pressure_surface_compute. */
#include "collide/pressure.h"

#include <math.h>

#include "geometry/pressure.h"
#include "math/extremes.h"
#include "math/vec3.h"
#include "model/workspace.h"

// [-]  of the largest gradient, below which a point's own one says nothing of depth
static const double least_gradient = 0.1;
// [-]  of the slope of the fields, below which no point says anything of depth
static const double sides_only = 1e-3;
/* [-]  of the largest gradient, that each point has at least: 1e-6 of the stiffness of its area, so
 * that -p0/g stays a length. */
static const double stiffless = 1e-6;
// [-]  of the mean gradient, that counts for shear where a point runs along the gradient, and the
// gradient below which it does
static const double least_shear = 0.1, nearly_along = 1e-3;

bool limpet_pressure_meets(const limpet_model *model, int geom_a, int geom_b) {
  return model->geom_field[geom_a] && model->geom_field[geom_b] &&
         (isfinite(model->geom_material[geom_a].elastic_modulus) ||
          isfinite(model->geom_material[geom_b].elastic_modulus));
}

static void surface_destroy(void *surface) { limpet_pressure_surface_destroy(surface); }

// The surface of the world's workspace, made on first use. NULL: no memory.
limpet_pressure_surface *limpet_pressure_surface_of(limpet_data *data) {
  limpet_workspace *workspace = data->workspace;
  void **slot = &workspace->object[LIMPET_SLOT_PRESSURE];
  if (!*slot) *slot = limpet_pressure_surface_create(NULL);
  workspace->destroy[LIMPET_SLOT_PRESSURE] = surface_destroy;
  return *slot;
}

static limpet_pressure_body body_of(const limpet_model *model, const limpet_data *data, int geom) {
  return (limpet_pressure_body){.field = model->geom_field[geom],
                                .position = data->geom_position + 3 * geom,
                                .rotation = data->geom_rotation + 9 * geom};
}

/* The reach of a pair, which grows with its speed, rounded up to one of four in each power of two:
 * a surface of curved fields has its outer points by it, and would change with every speed. */
static double reach_in_steps(double reach) {
  static const double steps[4] = {0.59460355750136053, 0.70710678118654752, 0.84089641525371454, 1};
  int exponent, k = 0;
  const double mantissa = frexp(reach, &exponent);
  while (mantissa > steps[k]) ++k;
  return ldexp(steps[k], exponent);
}

const limpet_pressure_surface *limpet_pressure_of_pair(const limpet_model *model, limpet_data *data,
                                                       const limpet_collision_pair *pair,
                                                       double reach, limpet_surface_kind kind) {
  limpet_pressure_surface *surface = limpet_pressure_surface_of(data);
  if (!surface) return NULL;
  const limpet_pressure_body a = body_of(model, data, pair->geom_a),
                             b = body_of(model, data, pair->geom_b);
  const bool centroids = kind == LIMPET_SURFACE_CENTROIDS;
  limpet_pressure_query query = limpet_pressure_query_default();
  query.reach = reach > 0.0 ? reach_in_steps(reach) : reach;
  query.points = centroids ? LIMPET_PRESSURE_POINTS_CENTROID : LIMPET_PRESSURE_POINTS_BY_SIZE;
  query.face_filter = centroids;
  query.pair = (uint64_t)pair->geom_a * (uint64_t)model->geom_count + (uint64_t)pair->geom_b + 1;
  const double error = fmin(model->geom_material[pair->geom_a].field_error,
                            model->geom_material[pair->geom_b].field_error);
  if (error > 0.0) query.tolerance = error;
  return limpet_pressure_surface_compute(surface, &a, &b, &query) == LIMPET_OK ? surface : NULL;
}

/* Largest gradient of a point; the slope of the fields where all points run along the gradients, as
 * where a body is pressed through another one and only its sides are left. */
static double largest_gradient(const limpet_pressure_surface *surface) {
  double most = 0.0;
  for (int i = 0; i < surface->point_count; ++i)
    most = limpet_max(most, surface->point[i].gradient);
  const double slope = limpet_pressure_slope(surface);
  return most > sides_only * slope ? most : slope;
}

// The gradient that counts for shear: that of a point which has one, smoothly.
static double shear_gradient(double gradient, double mean) {
  const double over = gradient / (nearly_along * mean);
  return mean > 0.0 ? gradient + least_shear * mean / (1.0 + over * over) : gradient;
}

/* Mean gradient by area of the points that are pressed; without any, of all. Zero with tetrahedra:
 * gradients are flat there where the mesh makes them so, and stiff shear of such points would let
 * go what the others hold. */
static double mean_gradient(const limpet_pressure_surface *surface) {
  if (limpet_pressure_is_meshed(surface)) return 0.0;
  double area = 0.0, sum = 0.0;
  for (int pressed = 1; pressed >= 0 && !(area > 0.0); --pressed)
    for (int i = 0; i < surface->point_count; ++i) {
      const limpet_pressure_point *point = &surface->point[i];
      if (pressed && !(point->pressure > 0.0)) continue;
      area += point->area, sum += point->area * point->gradient;
    }
  return area > 0.0 ? sum / area : 0.0;
}

static limpet_collision_contact contact_of(const limpet_pressure_point *from, double steepest,
                                           double mean, int pair) {
  const double gradient = limpet_max(from->gradient, stiffless * steepest);
  limpet_collision_contact contact = {.pair = pair,
                                      .area = from->area,
                                      .pressure = from->pressure,
                                      .gradient = gradient,
                                      .shear_gradient = shear_gradient(gradient, mean)};
  limpet_contact_point *point = &contact.point;
  limpet_vec3_copy(point->on_a, from->position);
  limpet_vec3_copy(point->on_b, from->position);
  limpet_vec3_copy(point->normal, from->normal);
  const bool along = from->gradient < least_gradient * steepest;
  point->distance = -from->pressure / (along ? steepest : from->gradient);
  point->feature = from->feature;
  return contact;
}

void limpet_pressure_append(const limpet_pressure_surface *surface, int pair,
                            limpet_collision *collision) {
  const double steepest = largest_gradient(surface), mean = mean_gradient(surface);
  const bool keeps_stiffless = collision->surfaces == LIMPET_SURFACE_EXACT;
  for (int i = 0; i < surface->point_count; ++i) {
    const limpet_pressure_point *point = &surface->point[i];
    const bool acts = point->gradient > 0.0 || (keeps_stiffless && point->pressure > 0.0);
    if (acts && steepest > 0.0 && point->area > 0.0)
      collision->contact[collision->contact_count++] = contact_of(point, steepest, mean, pair);
  }
}
