/* fem/body_check.c: what a deformable body refuses, with numbers: material and tetrahedra.
 *
 * Quality of a tetrahedron: 12 (3 V)^(2/3)/(sum of squared edges), the mean ratio; 1 for a regular
 * one, 0 for a flat one. Source: Liu, Joe, Relationship between tetrahedron shape measures (1994).
 */
#include <assert.h>
#include <math.h>
#include <stdlib.h>

#include "base/error.h"
#include "fem/body.h"
#include "fem/tetrahedron.h"
#include "math/vec3.h"

// [-]  volume over the cube of the longest edge: below, a tetrahedron is flat to round-off
static const double least_volume = 1e-14;
// [-]  neo-hookean-drake has the bulk modulus lambda - mu/3, which is positive above
static const double least_drake_ratio = 0.125;

static limpet_status check_number(const char *name, const char *unit, double value, bool may_zero,
                                  limpet_error *error) {
  if (isfinite(value) && (value > 0.0 || (may_zero && value == 0.0))) return LIMPET_OK;
  return limpet_error_fill(error, LIMPET_ERROR_INPUT, "deformable body: %s is %g %s; give %s", name,
                           value, unit, may_zero ? "zero or more" : "a positive number");
}

static limpet_status check_material(const limpet_fem_description *d, limpet_error *error) {
  const double nu = d->poissons_ratio;
  if (check_number("Young's modulus", "Pa", d->youngs_modulus, false, error) ||
      check_number("the density", "kg/m^3", d->density, false, error) ||
      check_number("the mass damping", "1/s", d->mass_damping, true, error) ||
      check_number("the stiffness damping", "s", d->stiffness_damping, true, error))
    return LIMPET_ERROR_INPUT;
  if (!(nu > -1.0 && nu < 0.5))
    return limpet_error_fill(error, LIMPET_ERROR_INPUT,
                             "deformable body: Poisson's ratio is %g; give one above -1 and below "
                             "0.5 (0.5 would be incompressible; rubber has 0.49)",
                             nu);
  if (d->law == &limpet_elastic_law_neo_hookean_drake && !(nu > least_drake_ratio))
    return limpet_error_fill(error, LIMPET_ERROR_INPUT,
                             "deformable body: Poisson's ratio is %g, but the law "
                             "neo-hookean-drake needs one above %g, as it blows itself up below; "
                             "take neo-hookean",
                             nu, least_drake_ratio);
  return LIMPET_OK;
}

static limpet_status check_vertices(const limpet_fem_description *d, limpet_error *error) {
  bool *used = calloc((size_t)d->vertex_count + 1, sizeof *used);
  if (!used)
    return limpet_error_fill(error, LIMPET_ERROR_MEMORY, "no memory for %d vertices",
                             d->vertex_count);
  limpet_status status = LIMPET_OK;
  for (long i = 0; status == LIMPET_OK && i < 3L * d->vertex_count; ++i)
    if (!isfinite(d->vertices[i]))
      status = limpet_error_fill(error, LIMPET_ERROR_INPUT,
                                 "deformable body: vertex %ld has a coordinate that is no number",
                                 i / 3);
  for (long i = 0; status == LIMPET_OK && i < 4L * d->tetrahedron_count; ++i) {
    const int v = d->tetrahedra[i];
    if (v < 0 || v >= d->vertex_count)
      status = limpet_error_fill(error, LIMPET_ERROR_INPUT,
                                 "deformable body: tetrahedron %ld names vertex %d, but vertices "
                                 "run from 0 to %d",
                                 i / 4, v, d->vertex_count - 1);
    else used[v] = true;
  }
  int unused = 0, first = 0;
  for (int v = d->vertex_count - 1; v >= 0; --v)
    if (!used[v]) ++unused, first = v;
  if (status == LIMPET_OK && unused > 0)
    status = limpet_error_fill(error, LIMPET_ERROR_INPUT,
                               "deformable body: %d of %d vertices belong to no tetrahedron, "
                               "vertex %d first; leave them out",
                               unused, d->vertex_count, first);
  free(used);
  return status;
}

static limpet_status check_shape(const limpet_fem_description *d, limpet_error *error) {
  int worst = -1, below = 0;
  double worst_quality = INFINITY;
  for (int t = 0; t < d->tetrahedron_count; ++t) {
    const limpet_tetrahedron_shape shape =
        limpet_tetrahedron_shape_of(d->vertices, d->tetrahedra + 4L * t);
    if (!(fabs(shape.volume) > least_volume * pow(shape.longest, 3.0)))
      return limpet_error_fill(error, LIMPET_ERROR_INPUT,
                               "deformable body: tetrahedron %d has a volume of %g m^3 with edges "
                               "up to %g m: it is flat; remesh the body",
                               t, fabs(shape.volume), shape.longest);
    below += shape.quality < d->least_quality;
    if (shape.quality < worst_quality) worst_quality = shape.quality, worst = t;
  }
  if (below == 0) return LIMPET_OK;
  const int *v = d->tetrahedra + 4L * worst;
  return limpet_error_fill(
      error, LIMPET_ERROR_INPUT,
      "deformable body: %d of %d tetrahedra have a quality below %g; the "
      "worst is tetrahedron %d (vertices %d %d %d %d) with %.3g (1: regular, "
      "0: flat); remesh the body, or give its surface (STL, OBJ) in the place of "
      "tetrahedra, which is then filled with even ones of edge fill_size (in "
      "C, least_quality of the elements can be lowered, too)",
      below, d->tetrahedron_count, d->least_quality, worst, v[0], v[1], v[2], v[3], worst_quality);
}

limpet_status limpet_fem_body_check(const limpet_fem_description *d, limpet_error *error) {
  assert(d && d->law);
  const long most = 1L << 24;  // indices of blocks stay below 2^31
  const bool is_thin = d->tetrahedron_count == 0 && d->triangle_count + d->segment_count > 0;
  if (is_thin && d->vertex_count <= most && d->triangle_count <= most && d->segment_count <= most) {
    limpet_status status = check_material(d, error);
    if (!status) status = limpet_thin_check(d, error);
    if (!status && d->gas.pressure != 0.0) status = limpet_fem_gas_check(d, error);
    return status;
  }
  if (d->vertex_count < 4 || d->tetrahedron_count < 1)
    return limpet_error_fill(error, LIMPET_ERROR_INPUT,
                             "deformable body: %d vertices and %d tetrahedra; it needs at least 4 "
                             "and 1",
                             d->vertex_count, d->tetrahedron_count);
  if (d->vertex_count > most || d->tetrahedron_count > most)
    return limpet_error_fill(error, LIMPET_ERROR_INPUT,
                             "deformable body: %d vertices and %d tetrahedra; the most is %ld",
                             d->vertex_count, d->tetrahedron_count, most);
  limpet_status status = check_material(d, error);
  if (status == LIMPET_OK) status = check_vertices(d, error);
  if (status == LIMPET_OK) status = check_shape(d, error);
  if (status == LIMPET_OK) status = limpet_fem_body_check_joined(d, error);
  return status;
}
