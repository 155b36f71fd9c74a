/* model/compile_fields.c: pressure fields of the geoms: limpet/pressure.h.
 *
 * Where one geom is compliant (its material has an elastic modulus), every geom that can collide
 * gets a field: rigid ones their boundary. A pair in which neither is compliant, or one has no
 * field, touches at points.
 *   primitives, planes         closed form
 *   meshes                     the convex hull, by its gauge
 *   meshes that are `concave`  the triangles, filled with tetrahedra where the geom is compliant
 *   meshes with tetrahedra     these; of a rigid geom their boundary
 *   point clouds               none */
#include <math.h>

#include "base/error.h"
#include "limpet/pressure.h"
#include "model/compile.h"

static const double widest_body = 20.0;  // [m]  of a mesh, above which its unit is in doubt
// [-]  inner radius over the edge of a cube of the same volume, below which a body is thin
static const double thin_share = 0.05;

static bool is_compliant(const limpet_model *model, int g) {
  return isfinite(model->geom_material[g].elastic_modulus) && model->geom_collider[g] >= 0;
}

// The geom's field; NULL and an error.
static limpet_pressure_field *field_of(const limpet_model *model, int g, limpet_error *error) {
  const limpet_material *own = &model->geom_material[g];
  limpet_pressure_material material = limpet_pressure_material_default();
  material.modulus = own->elastic_modulus;
  if (!isnan(own->slab_thickness)) material.slab_thickness = own->slab_thickness;
  material.margin = own->field_margin;
  material.size = own->field_size;
  const limpet_mesh *mesh =
      model->geom_kind[g] == LIMPET_SHAPE_MESH ? &model->mesh[model->geom_mesh[g]] : NULL;
  if (mesh && mesh->tetrahedron_count > 0 && isfinite(material.modulus))
    return limpet_pressure_field_of_tetrahedra(mesh->vertices, mesh->vertex_count, mesh->tetrahedra,
                                               mesh->tetrahedron_count, mesh->field, &material,
                                               error);
  if (mesh && (mesh->concave || mesh->tetrahedron_count > 0))
    return limpet_pressure_field_of_triangles(mesh->vertices, mesh->vertex_count, mesh->faces,
                                              mesh->face_count, &material, error);
  return limpet_pressure_field_of_shape(model->geom_kind[g], model->geom_size + 3 * g,
                                        mesh ? mesh->hull : NULL, &material, error);
}

static limpet_status fail(const limpet_compiler *compiler, int g, const limpet_error *inner) {
  const int handle = compiler->geom.handle[g];
  const limpet_place place =
      limpet_builder_item_place(compiler->builder, LIMPET_OBJECT_GEOM, handle);
  return limpet_error_fill_at(compiler->error, inner->status, place.file, place.line, place.column,
                              "%s has no pressure field: %s",
                              limpet_compile_label(compiler, LIMPET_OBJECT_GEOM, handle).text,
                              inner->message);
}

// Sizes of a mesh that are most likely a mistake.
static void note_sizes(limpet_compiler *compiler, int g, const limpet_pressure_info *info) {
  const int handle = compiler->geom.handle[g];
  const limpet_place place =
      limpet_builder_item_place(compiler->builder, LIMPET_OBJECT_GEOM, handle);
  const limpet_label label = limpet_compile_label(compiler, LIMPET_OBJECT_GEOM, handle);
  double widest = 0.0;
  for (int i = 0; i < 3; ++i) widest = fmax(widest, info->high[i] - info->low[i]);
  if (widest > widest_body)
    limpet_compile_note(compiler, false, place,
                        "%s: its pressure field is %g m wide; if the file is in millimetres, give "
                        "the mesh the scale 0.001 0.001 0.001",
                        label.text, widest);
  if (info->depth < thin_share * cbrt(info->volume))
    limpet_compile_note(compiler, false, place,
                        "%s: its pressure field is thin: what comes deeper than %g m is pushed out "
                        "on the other side; give a stiffer modulus than %g Pa, a smaller step, or "
                        "a thicker body",
                        label.text, info->depth, info->modulus);
}

// What a field of a mesh lacks, as notes.
static void note_doubts(limpet_compiler *compiler, int g) {
  const int handle = compiler->geom.handle[g];
  const limpet_pressure_info info = limpet_pressure_field_info(compiler->model->geom_field[g]);
  if (info.rigid || compiler->model->geom_kind[g] != LIMPET_SHAPE_MESH) return;
  note_sizes(compiler, g, &info);
  if (info.dead == 0 && info.thin == 0) return;
  limpet_compile_note(
      compiler, false, limpet_builder_item_place(compiler->builder, LIMPET_OBJECT_GEOM, handle),
      "%s: of the %d tetrahedra of its pressure field %d had all corners on the boundary and were "
      "split (they would carry no pressure), and %d are thinner than 1 degree (they slow contact "
      "down; mesh the body again)",
      limpet_compile_label(compiler, LIMPET_OBJECT_GEOM, handle).text, info.elements, info.dead,
      info.thin);
}

static limpet_status fill_field(limpet_compiler *compiler, int g) {
  limpet_model *model = compiler->model;
  const limpet_material *material = &model->geom_material[g];
  const int list = LIMPET_OBJECT_GEOM, handle = compiler->geom.handle[g];
  if (model->geom_kind[g] == LIMPET_SHAPE_CLOUD) {
    if (!is_compliant(model, g)) return LIMPET_OK;
    return limpet_compile_error(
        compiler, list, handle,
        " is a point cloud with an elastic modulus of %g Pa; points have no inside: give it a "
        "stiffness in N/m, or make it a mesh",
        material->elastic_modulus);
  }
  if (model->geom_kind[g] == LIMPET_SHAPE_PLANE && is_compliant(model, g) &&
      isnan(material->slab_thickness))
    return limpet_compile_error(
        compiler, list, handle,
        " is a plane with an elastic modulus of %g Pa, but without a slab thickness; give the "
        "depth in metres at which the pressure is the modulus",
        material->elastic_modulus);
  limpet_error inner = {0};
  model->geom_field[g] = field_of(model, g, &inner);
  if (!model->geom_field[g]) return fail(compiler, g, &inner);
  note_doubts(compiler, g);
  return LIMPET_OK;
}

limpet_status limpet_compile_fields(limpet_compiler *compiler) {
  const limpet_model *model = compiler->model;
  bool wanted = false;
  for (int g = 0; g < model->geom_count; ++g) wanted |= is_compliant(model, g);
  limpet_status status = LIMPET_OK;
  for (int g = 0; wanted && g < model->geom_count && !status; ++g)
    if (model->geom_collider[g] >= 0) status = fill_field(compiler, g);
  return status;
}
