/* fem/body.c: deformable bodies: what they are made of, and their life. */
#include "fem/body.h"

#include <assert.h>
#include <stdlib.h>

#include "base/error.h"

limpet_fem_description limpet_fem_description_default(void) {
  return (limpet_fem_description){.element = LIMPET_FEM_LINEAR,
                                  .law = &limpet_elastic_law_linear_corotated,
                                  .youngs_modulus = 1e6,
                                  .poissons_ratio = 0.4,
                                  .density = 1000.0,
                                  .least_quality = 1e-3,
                                  .thickness = 1e-3,
                                  .membrane = true,
                                  .bending = true,
                                  .gas = {.outside = 101325.0, .exponent = 1.0}};
}

static limpet_status body_fill(limpet_fem_body *body, const limpet_fem_description *d,
                               limpet_error *error) {
  limpet_fem_body_info *info = &body->info;
  info->law = d->law;
  info->youngs_modulus = d->youngs_modulus;
  info->poissons_ratio = d->poissons_ratio;
  info->density = d->density;
  info->mass_damping = d->mass_damping;
  info->stiffness_damping = d->stiffness_damping;
  body->constants = limpet_elastic_constants_of(d->law, d->youngs_modulus, d->poissons_ratio);
  body->lame =
      limpet_elastic_constants_of(&limpet_elastic_law_linear, d->youngs_modulus, d->poissons_ratio);
  body->damping = d->damping;
  const bool is_thin = d->tetrahedron_count == 0;
  const limpet_status status =
      is_thin ? limpet_fem_body_thin(body, d, error) : limpet_fem_body_mesh(body, d, error);
  if (status != LIMPET_OK) return status;
  if (limpet_fem_body_pattern(body) || limpet_fem_body_order(body) ||
      limpet_fem_body_inertia(body) || limpet_fem_body_elements(body))
    return limpet_error_fill(error, LIMPET_ERROR_MEMORY,
                             "no memory for a deformable body of %d "
                             "tetrahedra",
                             d->tetrahedron_count);
  if (is_thin) limpet_fem_body_thin_masses(body);
  return LIMPET_OK;
}

limpet_fem_body *limpet_fem_body_create(const limpet_fem_description *description,
                                        limpet_error *error) {
  assert(description && description->vertices && description->law);
  assert(description->tetrahedron_count == 0 || description->tetrahedra);
  if (limpet_fem_body_check(description, error)) return NULL;
  limpet_fem_body *body = calloc(1, sizeof *body);
  const size_t per_element = 1024;  // [bytes]  first block of the arena, about what is needed
  const int elements =
      description->tetrahedron_count + description->triangle_count + description->segment_count;
  if (!body || limpet_arena_create(&body->arena, per_element * (size_t)(elements + 16))) {
    free(body);
    limpet_error_fill(error, LIMPET_ERROR_MEMORY, "no memory for a deformable body");
    return NULL;
  }
  if (body_fill(body, description, error)) {
    limpet_fem_body_destroy(body);
    return NULL;
  }
  return body;
}

void limpet_fem_body_destroy(limpet_fem_body *body) {
  if (!body) return;
  limpet_arena_destroy(&body->arena);
  free(body);
}

limpet_fem_body_info limpet_fem_body_information(const limpet_fem_body *body) {
  assert(body);
  return body->info;
}

const double *limpet_fem_body_rest(const limpet_fem_body *body) {
  assert(body);
  return body->rest;
}

const int *limpet_fem_body_tetrahedra(const limpet_fem_body *body) {
  assert(body);
  return body->tetrahedra;
}

const int *limpet_fem_body_faces(const limpet_fem_body *body) {
  assert(body);
  return body->faces;
}

const int *limpet_fem_body_segments(const limpet_fem_body *body) {
  assert(body);
  return body->segments;
}

const int *limpet_fem_body_face_tetrahedra(const limpet_fem_body *body) {
  assert(body);
  return body->face_tetrahedron;
}

const double *limpet_fem_body_node_mass(const limpet_fem_body *body) {
  assert(body);
  return body->node_mass;
}
