/* geometry/pressure_field.c: pressure fields of primitives and hulls, in closed form.
 *
 * p = E e(x) with e as limpet/pressure.h lists it. Every e is concave, so one formula continues it
 * outside of the shape, where it is negative, and its level sets are convex. A smooth piece is a
 * part of the shape where e is one formula: the sides of a box, the faces of a hull, mantle and
 * ends of a cylinder, mantle and caps of a capsule. */
#include "geometry/pressure.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "math/vec3.h"

limpet_pressure_material limpet_pressure_material_default(void) {
  return (limpet_pressure_material){.modulus = 1e7, .slab_thickness = 0.1};
}

limpet_status limpet_pressure_material_check(const limpet_pressure_material *material,
                                             limpet_error *error) {
  if (!(material->modulus > 0.0))
    return limpet_error_fill(error, LIMPET_ERROR_INPUT,
                             "the elastic modulus is %g Pa; give a positive one, or infinity for "
                             "a rigid body",
                             material->modulus);
  if (!(material->margin >= 0.0 && material->margin < INFINITY))
    return limpet_error_fill(error, LIMPET_ERROR_INPUT,
                             "the margin of a pressure field is %g m; give 0 or more",
                             material->margin);
  if (!(material->size >= 0.0 && material->size < INFINITY))
    return limpet_error_fill(error, LIMPET_ERROR_INPUT,
                             "the size of tetrahedra is %g m; give 0 (chosen) or more",
                             material->size);
  return LIMPET_OK;
}

// --------------------------------------------------------------------------- closed forms

static double sphere_value(const double radius, double modulus, const double x[3], double g[3]) {
  const double r = limpet_vec3_norm(x);
  if (g) limpet_vec3_scale(g, r > 0.0 ? -modulus / (radius * r) : 0.0, x);
  return modulus * (1.0 - r / radius);
}

static double ellipsoid_value(const limpet_pressure_field *f, const double x[3], double g[3]) {
  double y[3];
  for (int i = 0; i < 3; ++i) y[i] = x[i] / f->size[i];
  const double r = limpet_vec3_norm(y);
  if (g)
    for (int i = 0; i < 3; ++i) g[i] = r > 0.0 ? -f->modulus * y[i] / (f->size[i] * r) : 0.0;
  return f->modulus * (1.0 - r);
}

static double capsule_value(const limpet_pressure_field *f, const double x[3], double g[3],
                            int *piece) {
  const double l = f->size[1], z = fmax(-l, fmin(l, x[2]));
  const double y[3] = {x[0], x[1], x[2] - z};
  *piece = x[2] > l ? 2 : x[2] < -l ? 0 : 1;
  return sphere_value(f->size[0], f->modulus, y, g);
}

static double cylinder_value(const limpet_pressure_field *f, const double x[3], double g[3],
                             int *piece) {
  const double r = sqrt(x[0] * x[0] + x[1] * x[1]), scale = f->modulus / f->depth;
  const double mantle = f->size[0] - r, end = f->size[1] - fabs(x[2]);
  if (mantle <= end) {
    *piece = 1;
    const double slope = r > 0.0 ? -scale / r : 0.0;
    if (g) limpet_vec3_set(g, slope * x[0], slope * x[1], 0.0);
    return scale * mantle;
  }
  *piece = x[2] > 0.0 ? 2 : 0;
  if (g) limpet_vec3_set(g, 0.0, 0.0, x[2] > 0.0 ? -scale : scale);
  return scale * end;
}

// The side that is the nearest; of two as near the one whose cell comes first.
static double box_value(const limpet_pressure_field *f, const double x[3], double g[3],
                        int *piece) {
  const double scale = f->modulus / f->depth;
  double least = INFINITY;
  int axis = 0;
  for (int i = 0; i < 3; ++i) {
    const double p = f->cell[2 * i].offset - scale * fabs(x[i]);
    if (p < least) least = p, axis = i;
  }
  const bool upper = x[axis] > 0.0;
  *piece = 2 * axis + upper;
  if (g) limpet_vec3_copy(g, f->cell[2 * axis + upper].gradient);
  return least;
}

static double cell_at(const limpet_pressure_cell *cell, const double x[3]) {
  return limpet_vec3_dot(cell->gradient, x) + cell->offset;
}

static double cells_value(const limpet_pressure_field *f, const double x[3], double g[3],
                          int *piece) {
  double least = INFINITY;
  const limpet_pressure_cell *best = f->cell;
  for (int k = 0; k < f->cell_count; ++k) {
    const double p = cell_at(&f->cell[k], x);
    if (p < least) least = p, best = &f->cell[k];
  }
  *piece = best->piece;
  if (g) limpet_vec3_copy(g, best->gradient);
  return least;
}

double limpet_pressure_closed_form(const limpet_pressure_field *f, const double x[3], double g[3],
                                   int *piece) {
  *piece = 0;
  switch (f->kind) {
    case LIMPET_SHAPE_SPHERE: return sphere_value(f->size[0], f->modulus, x, g);
    case LIMPET_SHAPE_ELLIPSOID: return ellipsoid_value(f, x, g);
    case LIMPET_SHAPE_CAPSULE: return capsule_value(f, x, g, piece);
    case LIMPET_SHAPE_CYLINDER: return cylinder_value(f, x, g, piece);
    case LIMPET_SHAPE_BOX: return box_value(f, x, g, piece);
    default: return cells_value(f, x, g, piece);
  }
}

static double least_of_piece(const limpet_pressure_field *f, const double x[3], int piece) {
  double least = INFINITY;
  for (int k = 0; k < f->cell_count; ++k)
    if (f->cell[k].piece == piece) least = fmin(least, cell_at(&f->cell[k], x));
  return least;
}

double limpet_pressure_piece_gap(const limpet_pressure_field *f, const double x[3], int piece,
                                 int other) {
  const int low = piece < other ? piece : other;
  switch (f->kind) {
    case LIMPET_SHAPE_CAPSULE:
      if (piece + other == 2) return NAN;
      return low == 0 ? x[2] + f->size[1] : x[2] - f->size[1];
    case LIMPET_SHAPE_CYLINDER:
      if (piece + other == 2) return x[2];
      return f->size[0] - sqrt(x[0] * x[0] + x[1] * x[1]) - (f->size[1] - fabs(x[2]));
    case LIMPET_SHAPE_BOX: return cell_at(&f->cell[piece], x) - cell_at(&f->cell[other], x);
    case LIMPET_SHAPE_MESH: return least_of_piece(f, x, piece) - least_of_piece(f, x, other);
    default: return NAN;
  }
}

double limpet_pressure_piece_margin(const limpet_pressure_field *f, const double x[3], int piece) {
  if (f->kind == LIMPET_SHAPE_CAPSULE) return fabs(f->size[1] - fabs(x[2]));
  if (f->kind == LIMPET_SHAPE_CYLINDER)
    return fabs(limpet_pressure_piece_gap(f, x, 1, x[2] > 0.0 ? 2 : 0));
  double own = INFINITY, other = INFINITY;
  for (int k = 0; k < f->cell_count; ++k) {
    double *least = f->cell[k].piece == piece ? &own : &other;
    *least = fmin(*least, cell_at(&f->cell[k], x));
  }
  return isfinite(own) ? fabs(other - own) : INFINITY;
}

double limpet_pressure_field_value(const limpet_pressure_field *field, const double x[3],
                                   double gradient[3]) {
  assert(field && !field->rigid);
  int piece;
  if (field->kind != LIMPET_SHAPE_COUNT)
    return limpet_pressure_closed_form(field, x, gradient, &piece);
  const int t = limpet_pressure_locate(field, x, -1);
  if (t < 0) {
    if (gradient) limpet_vec3_zero(gradient);
    return -INFINITY;
  }
  if (gradient) limpet_vec3_copy(gradient, field->cell[t].gradient);
  return limpet_vec3_dot(field->cell[t].gradient, x) + field->cell[t].offset;
}

// --------------------------------------------------------------------------- creation

static int size_count(limpet_shape_kind kind) {
  switch (kind) {
    case LIMPET_SHAPE_SPHERE: return 1;
    case LIMPET_SHAPE_CAPSULE:
    case LIMPET_SHAPE_CYLINDER: return 2;
    case LIMPET_SHAPE_BOX:
    case LIMPET_SHAPE_ELLIPSOID: return 3;
    default: return 0;
  }
}

static limpet_status shape_check(limpet_shape_kind kind, const double size[3],
                                 const limpet_hull *hull, const limpet_pressure_material *material,
                                 limpet_error *error) {
  const char *word = limpet_shape_kind_word(kind);
  if (kind == LIMPET_SHAPE_CLOUD || (kind == LIMPET_SHAPE_MESH && !hull))
    return limpet_error_fill(error, LIMPET_ERROR_INPUT,
                             "a %s has no pressure field; use a shape with an inside", word);
  for (int i = 0; i < size_count(kind); ++i)
    if (!(size[i] > 0.0 && size[i] < INFINITY))
      return limpet_error_fill(error, LIMPET_ERROR_INPUT,
                               "a %s of size %g m has no pressure field; give a positive size",
                               word, size[i]);
  if (kind == LIMPET_SHAPE_PLANE && !(material->slab_thickness > 0.0))
    return limpet_error_fill(error, LIMPET_ERROR_INPUT,
                             "a half space has a slab of %g m; give a positive thickness",
                             material->slab_thickness);
  return limpet_pressure_material_check(material, error);
}

// Depth, volume, steepest and least gradient, box of the primitives.
static void fill_info(limpet_pressure_field *f) {
  const double *s = f->size, pi = LIMPET_PI;
  limpet_pressure_info *info = &f->info;
  double half[3] = {s[0], s[0], s[0]}, steep = 1.0, flat = 1.0;  // gradients times d/E
  switch (f->kind) {
    case LIMPET_SHAPE_SPHERE: info->volume = 4.0 / 3.0 * pi * s[0] * s[0] * s[0]; break;
    case LIMPET_SHAPE_ELLIPSOID:
      info->volume = 4.0 / 3.0 * pi * s[0] * s[1] * s[2];
      limpet_vec3_copy(half, s);
      flat = f->depth / fmax(s[0], fmax(s[1], s[2]));
      break;
    case LIMPET_SHAPE_CAPSULE:
      info->volume = pi * s[0] * s[0] * (4.0 / 3.0 * s[0] + 2.0 * s[1]);
      half[2] += s[1];
      break;
    case LIMPET_SHAPE_CYLINDER: info->volume = 2.0 * pi * s[0] * s[0] * s[1], half[2] = s[1]; break;
    case LIMPET_SHAPE_BOX:
      info->volume = 8.0 * s[0] * s[1] * s[2];
      limpet_vec3_copy(half, s);
      break;
    case LIMPET_SHAPE_MESH:
      for (int k = 0; k < f->cell_count; ++k) {
        const double g = limpet_vec3_norm(f->cell[k].gradient) * f->depth / f->modulus;
        steep = k ? fmax(steep, g) : g, flat = k ? fmin(flat, g) : g;
      }
      break;
    default: info->volume = INFINITY; half[0] = half[1] = half[2] = INFINITY;
  }
  for (int i = 0; i < 3; ++i) info->low[i] = -half[i], info->high[i] = half[i];
  if (f->kind == LIMPET_SHAPE_PLANE) info->high[2] = 0.0;
  for (int k = 0; f->kind == LIMPET_SHAPE_MESH && k < f->corner_count; ++k)
    for (int i = 0; i < 3; ++i) {
      const double x = f->corner[3 * k + i];
      info->low[i] = k ? fmin(info->low[i], x) : x, info->high[i] = k ? fmax(info->high[i], x) : x;
    }
  info->gradient_most = steep * f->modulus / f->depth;
  info->gradient_least = flat * f->modulus / f->depth;
}

static limpet_status fill_cells(limpet_pressure_field *field, const limpet_hull *hull,
                                limpet_error *error) {
  limpet_status status = LIMPET_OK;
  if (field->kind == LIMPET_SHAPE_BOX) status = limpet_pressure_cells_box(field);
  if (field->kind == LIMPET_SHAPE_PLANE) status = limpet_pressure_cells_half_space(field);
  if (field->kind == LIMPET_SHAPE_MESH) status = limpet_pressure_cells_hull(field, hull, error);
  if (status == LIMPET_OK && field->cell_count > 1) status = limpet_pressure_field_tree(field);
  if (status == LIMPET_ERROR_MEMORY)
    limpet_error_fill(error, LIMPET_ERROR_MEMORY, "no memory for a pressure field");
  return status;
}

limpet_pressure_field *limpet_pressure_field_of_shape(limpet_shape_kind kind, const double size[3],
                                                      const limpet_hull *hull,
                                                      const limpet_pressure_material *material,
                                                      limpet_error *error) {
  assert(material && (size || size_count(kind) == 0));
  if (shape_check(kind, size, hull, material, error) != LIMPET_OK) return NULL;
  limpet_pressure_field *field = calloc(1, sizeof *field);
  if (!field) {
    limpet_error_fill(error, LIMPET_ERROR_MEMORY, "no memory for a pressure field");
    return NULL;
  }
  field->kind = kind;
  field->rigid = !(material->modulus < INFINITY);
  field->modulus = field->rigid ? 1.0 : material->modulus;
  field->depth = material->slab_thickness;
  field->spread = 1.0;
  for (int i = 0; i < size_count(kind); ++i) field->size[i] = size[i];
  if (size_count(kind) > 0) field->depth = size[0];
  if (kind == LIMPET_SHAPE_CYLINDER) field->depth = fmin(size[0], size[1]);
  if (size_count(kind) == 3) field->depth = fmin(size[0], fmin(size[1], size[2]));
  if (fill_cells(field, hull, error) != LIMPET_OK) {
    limpet_pressure_field_destroy(field);
    return NULL;
  }
  fill_info(field);
  field->info.rigid = field->rigid, field->info.exact = true;
  field->info.elements = field->rigid ? field->face_count : field->cell_count;
  field->info.modulus = material->modulus, field->info.depth = field->depth;
  return field;
}

void limpet_pressure_field_destroy(limpet_pressure_field *field) {
  if (!field) return;
  free(field->cell), free(field->plane), free(field->vertices), free(field->pressure);
  free(field->tetrahedra), free(field->face_begin), free(field->corner), free(field->face_normal);
  free(field->quad), free(field->tree.node);
  free(field);
}

limpet_pressure_info limpet_pressure_field_info(const limpet_pressure_field *field) {
  assert(field);
  return field->info;
}
