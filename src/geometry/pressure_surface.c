/* geometry/pressure_surface.c: a query for a contact surface: which engine, which sums.
 *
 * Piecewise linear fields go to pressure_linear.c, spheres on half spaces to pressure_closed.c,
 * rigid flat faces in a curved field to pressure_flat.c, tetrahedra in a curved field to
 * pressure_graded.c, all other pairs to pressure_rays.c. */
#include <assert.h>
#include <math.h>
#include <stdlib.h>

#include "base/error.h"
#include "geometry/pressure_memory.h"
#include "math/vec3.h"

/* [-]  Stated error of rays, beyond which there are parts, of bodies that are pressed by more than
 * this share of the smaller modulus: less has no folds, and needs too many parts. */
static const double poor = 0.01, pressed_hard = 0.02;
/* [-]  Error that parts state, over that of rays: rays tell an estimate, and parts four times
 * theirs, which 2 of 3 random pairs stay below by far. */
static const double much_better = 4.0 / 3.0;
static const double lost = 0.25;  // [-]  of the same: rays that lack more force have lost a sheet

limpet_pressure_query limpet_pressure_query_default(void) {
  return (limpet_pressure_query){.tolerance = 1e-3, .points = LIMPET_PRESSURE_POINTS_BY_SIZE};
}

limpet_pressure_surface *limpet_pressure_surface_create(limpet_error *error) {
  limpet_pressure_surface *surface = calloc(1, sizeof *surface);
  if (surface) surface->workspace = calloc(1, sizeof *surface->workspace);
  if (surface && surface->workspace) return surface;
  free(surface);
  limpet_error_fill(error, LIMPET_ERROR_MEMORY, "no memory for a contact surface");
  return NULL;
}

void limpet_pressure_surface_destroy(limpet_pressure_surface *surface) {
  if (!surface) return;
  free(surface->point), free(surface->polygon_begin), free(surface->polygon_point);
  free(surface->vertex), free(surface->vertex_pressure);
  free(surface->workspace->face), free(surface->workspace->turned);
  free(surface->workspace->turned_face);
  free(surface->workspace->box[0]), free(surface->workspace->box[1]);
  limpet_pressure_memory_free(surface->workspace);
  free(surface->workspace);
  free(surface);
}

// --------------------------------------------------------------------------- a query

static void finish_integrals(limpet_pressure_surface *surface) {
  const limpet_pressure_workspace *work = surface->workspace;
  double shift[3];
  limpet_vec3_cross(shift, work->origin, surface->force);
  limpet_vec3_add(surface->moment, work->moment, shift);
  if (surface->area > 0.0)
    limpet_vec3_addmul(surface->centroid, work->origin, 1.0 / surface->area, work->first);
  if (surface->pressure_integral > 0.0)
    limpet_vec3_addmul(surface->centre_of_pressure, work->origin, 1.0 / surface->pressure_integral,
                       work->pressed);
}

/* Compliant tetrahedra: with a compliant curved body. (Rays from a rigid curved one meet them
 * without error.) */
static bool is_mesh(const limpet_pressure_field *field) {
  return field->kind == LIMPET_SHAPE_COUNT && !field->rigid;
}

static bool is_flat_rigid(const limpet_pressure_field *field) {
  return field->rigid && limpet_pressure_is_linear(field);
}

// Of rigid triangles it is not known.
static bool is_inside(const limpet_pressure_field *field, const double x[3]) {
  int piece;
  if (field->kind != LIMPET_SHAPE_COUNT)
    return limpet_pressure_closed_form(field, x, NULL, &piece) > 0.0;
  return !field->rigid && limpet_pressure_field_value(field, x, NULL) > 0.0;
}

// Whether the middle of a body that has one lies in another: in both fields.
static bool lies_in(const limpet_pressure_body *body, const limpet_pressure_body *other) {
  const limpet_pressure_field *field = body->field;
  if (field->kind == LIMPET_SHAPE_PLANE || !is_inside(field, field->centre)) return false;
  double x[3], y[3];
  limpet_mat3_mul_vec(x, body->rotation, field->centre);
  limpet_vec3_add(x, x, body->position);
  limpet_vec3_sub(x, x, other->position);
  limpet_mat3_tmul_vec(y, other->rotation, x);
  return is_inside(other->field, y);
}

static bool is_swallowed(const limpet_pressure_surface *surface) {
  const limpet_pressure_workspace *work = surface->workspace;
  for (int i = 0; i < surface->point_count; ++i)
    if (surface->point[i].pressure > 0.0) return false;
  return lies_in(work->a, work->b) || lies_in(work->b, work->a);
}

/* Whether rays do not suffice: they end far from what was asked for, or leave out a sheet. A rigid
 * body has no folds: each ray from its core leaves it once. */
static bool may_need_parts(const limpet_pressure_surface *surface) {
  const limpet_pressure_workspace *work = surface->workspace;
  const limpet_pressure_field *a = work->a->field, *b = work->b->field;
  return (surface->error > poor || work->folded) && !work->meshed && !a->rigid && !b->rigid &&
         surface->pressure_most > pressed_hard * fmin(a->modulus, b->modulus);
}

// The sums of a surface whose points stay where they are, while parts are made.
typedef struct kept_sums {
  limpet_pressure_surface surface;
  double origin[3], moment[3], first[3], pressed[3];
} kept_sums;

static kept_sums keep_sums(const limpet_pressure_surface *surface) {
  const limpet_pressure_workspace *work = surface->workspace;
  kept_sums kept = {.surface = *surface};
  limpet_vec3_copy(kept.origin, work->origin), limpet_vec3_copy(kept.moment, work->moment);
  limpet_vec3_copy(kept.first, work->first), limpet_vec3_copy(kept.pressed, work->pressed);
  return kept;
}

static void take_back(limpet_pressure_surface *surface, const kept_sums *kept) {
  limpet_pressure_workspace *work = surface->workspace;
  limpet_pressure_restart(surface);
  const limpet_pressure_surface *from = &kept->surface;
  surface->point_count = from->point_count;
  surface->area = from->area, surface->pressure_integral = from->pressure_integral;
  surface->pressure_most = from->pressure_most;
  surface->error = from->error, surface->dropped = from->dropped;
  limpet_vec3_copy(surface->force, from->force);
  limpet_vec3_copy(work->origin, kept->origin), limpet_vec3_copy(work->moment, kept->moment);
  limpet_vec3_copy(work->first, kept->first), limpet_vec3_copy(work->pressed, kept->pressed);
}

// How much of a whole another number lacks, as a share of it.
static double lack_of(double whole, double other) {
  return whole > other ? (whole - other) / whole : 0.0;
}

/* By rays; where they end far from what was asked for, as along a rod that sticks in a ball, or
 * lack a sheet, by parts. Points of rays stay where they are meanwhile; outlines do not. */
static void sweep(limpet_pressure_surface *surface) {
  const limpet_pressure_workspace *work = surface->workspace;
  limpet_pressure_swept(surface);
  if (!may_need_parts(surface)) return;
  const bool folded = work->folded,
             s_is_a = limpet_pressure_starts_in_a(work->a->field, work->b->field);
  const kept_sums kept = keep_sums(surface);
  const limpet_pressure_surface *rays = &kept.surface;
  limpet_pressure_restart(surface);
  limpet_pressure_parts(surface, s_is_a ? work->a : work->b, s_is_a ? work->b : work->a);
  const double lack = lack_of(surface->pressure_integral, rays->pressure_integral),
               area_lack = lack_of(surface->area, rays->area);
  const bool lacks = folded && lack > lost * surface->error;
  if (work->face_count > 0 && (lacks || surface->error < much_better * rays->error)) return;
  if (work->query->polygons) {
    limpet_pressure_restart(surface);
    limpet_pressure_swept(surface);
  } else {
    take_back(surface, &kept);
  }
  if (folded) surface->error = fmax(surface->error, fmax(lack, area_lack));
}

limpet_status limpet_pressure_surface_compute(limpet_pressure_surface *surface,
                                              const limpet_pressure_body *a,
                                              const limpet_pressure_body *b,
                                              const limpet_pressure_query *query) {
  assert(surface && a && b && query && a->field && b->field);
  assert(!(a->field->rigid && b->field->rigid) && query->tolerance > 0.0 && query->reach >= 0.0);
  limpet_pressure_begin(surface, a, b, query);
  if (limpet_pressure_is_linear(a->field) && limpet_pressure_is_linear(b->field))
    limpet_pressure_linear(surface);
  else if (limpet_pressure_closed(surface)) surface->error = 0.0;
  else if (is_flat_rigid(a->field) || is_flat_rigid(b->field)) limpet_pressure_flat(surface);
  else if ((is_mesh(a->field) && !b->field->rigid) || (is_mesh(b->field) && !a->field->rigid))
    limpet_pressure_graded(surface);
  else sweep(surface);
  if (surface->workspace->face_count > 0) limpet_pressure_faces_finish(surface);
  finish_integrals(surface);
  surface->workspace->swallowed = is_swallowed(surface);
  if (!surface->workspace->failed) return LIMPET_OK;
  limpet_pressure_begin(surface, a, b, query);
  return LIMPET_ERROR_MEMORY;
}

double limpet_pressure_slope(const limpet_pressure_surface *surface) {
  return surface->workspace->slope;
}

bool limpet_pressure_is_swallowed(const limpet_pressure_surface *surface) {
  return surface->workspace->swallowed;
}

bool limpet_pressure_is_meshed(const limpet_pressure_surface *surface) {
  return surface->workspace->meshed;
}
