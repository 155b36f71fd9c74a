/* model/compile_fields.c: pressure fields of the geoms: limpet/pressure.h.
 *
 * Where one geom is compliant (its material has an elastic modulus), every geom that can collide
 * gets a field: rigid ones their boundary. A pair in which neither is compliant, or one has no
 * field, touches at points.
 *   primitives, planes         closed form
 *   meshes                     the convex hull, by its gauge
 *   meshes that are `concave`  the triangles, filled with tetrahedra where the geom is compliant
 *   meshes with tetrahedra     these; of a rigid geom their boundary
 *   point clouds               none
 * A mesh of the model is in its inertial frame, what users know is the frame of its file:
 *   x = R' (S B' (f - b) - c),   f = b + B S^-1 (c + R x)
 * f in the file, (b, B) reference pose, S scale, (c, R) inertial pose. A function of the user's is
 * asked at f; messages about triangles name places S f. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/error.h"
#include "limpet/pressure.h"
#include "math/quaternion.h"
#include "math/vec3.h"
#include "model/builder.h"
#include "model/compile.h"

static const double widest_body = 20.0;  // [m]  of a mesh, above which its unit is in doubt
// [-]  inner radius over the edge of a cube of the same volume, below which a body is thin
static const double thin_share = 0.05;
// [m]  inner radius up to which a primitive that is thin is told of: slabs of a floor are not
static const double shell = 5e-3;
static const double given_slack = 1e-6;  // [-]  of pressures that are given
static const double least_modulus = 10.0, largest_modulus = 2e12;  // [Pa]  of solids, with room

static bool is_compliant(const limpet_model *model, int g) {
  return isfinite(model->geom_material[g].elastic_modulus) && model->geom_collider[g] >= 0;
}

// --------------------------------------------------------------------------- frame of the file

// What a user's function is asked through.
typedef struct file_frame {
  const limpet_mesh_description *description;
  const limpet_mesh *mesh;
} file_frame;

static void to_file(const file_frame *frame, double f[3], const double x[3]) {
  const limpet_mesh_description *d = frame->description;
  double y[3], turned[3];
  limpet_quaternion_rotate(y, frame->mesh->quaternion, x);
  for (int i = 0; i < 3; ++i) y[i] = (y[i] + frame->mesh->position[i]) / d->scale[i];
  double turn[4];
  limpet_quaternion_copy(turn, d->reference_quaternion);
  limpet_quaternion_normalize(turn);
  limpet_quaternion_rotate(turned, turn, y);
  limpet_vec3_add(f, turned, d->reference_position);
}

static double ask_function(void *context, const double x[3]) {
  const file_frame *frame = context;
  double f[3];
  to_file(frame, f, x);
  return frame->description->field_function(frame->description->field_context, f);
}

/* The message about triangles with the places of the file, times its scale; `error` stays if they
 * have no fault. */
static void say_in_file_frame(const file_frame *frame, limpet_error *error) {
  const limpet_mesh *mesh = frame->mesh;
  const double *scale = frame->description->scale;
  double *vertices = malloc(3 * (size_t)mesh->vertex_count * sizeof *vertices);
  if (!vertices) return;
  for (int v = 0; v < mesh->vertex_count; ++v) {
    to_file(frame, vertices + 3 * v, mesh->vertices + 3 * v);
    for (int i = 0; i < 3; ++i) vertices[3 * v + i] *= scale[i];
  }
  limpet_pressure_material rigid = limpet_pressure_material_default();
  rigid.modulus = INFINITY;
  limpet_error again = {0};
  limpet_pressure_field *field = limpet_pressure_field_of_triangles(
      vertices, mesh->vertex_count, mesh->faces, mesh->face_count, &rigid, &again);
  const bool scaled = scale[0] != 1.0 || scale[1] != 1.0 || scale[2] != 1.0;
  if (!field)
    limpet_error_fill(error, again.status, "%s (places are those of the file%s)", again.message,
                      scaled ? ", times its scale" : "");
  limpet_pressure_field_destroy(field);
  free(vertices);
}

// --------------------------------------------------------------------------- a field

// Pressures that a user's function gives the vertices of tetrahedra.
static limpet_pressure_field *field_of_tetrahedra(const limpet_mesh *mesh, const double *given,
                                                  const limpet_pressure_material *material,
                                                  limpet_error *error) {
  double *depth = NULL;
  if (material->function) {
    depth = malloc((size_t)mesh->vertex_count * sizeof *depth);
    if (!depth) {
      limpet_error_fill(error, LIMPET_ERROR_MEMORY, "no memory for a pressure field");
      return NULL;
    }
    for (int v = 0; v < mesh->vertex_count; ++v)
      depth[v] = material->function(material->context, mesh->vertices + 3 * v);
  }
  limpet_pressure_field *field = limpet_pressure_field_of_tetrahedra(
      mesh->vertices, mesh->vertex_count, mesh->tetrahedra, mesh->tetrahedron_count,
      depth ? depth : given, material, error);
  free(depth);
  return field;
}

// Tells the watcher of the share of the field at hand.
static bool tell(void *context, double share) {
  limpet_compiler *compiler = context;
  compiler->field_share = share;
  return limpet_compile_go_on(compiler) == LIMPET_OK;
}

// The geom's field; NULL and an error.
static limpet_pressure_field *field_of(limpet_compiler *compiler, int g, limpet_error *error) {
  const limpet_model *model = compiler->model;
  const limpet_material *own = &model->geom_material[g];
  limpet_pressure_material material = limpet_pressure_material_default();
  material.modulus = own->elastic_modulus;
  if (!isnan(own->slab_thickness)) material.slab_thickness = own->slab_thickness;
  material.margin = own->field_margin;
  material.size = own->field_size;
  material.progress = tell, material.progress_context = compiler;
  if (model->geom_kind[g] != LIMPET_SHAPE_MESH)
    return limpet_pressure_field_of_shape(model->geom_kind[g], model->geom_size + 3 * g, NULL,
                                          &material, error);
  const int m = model->geom_mesh[g];
  const limpet_mesh *mesh = &model->mesh[m];
  file_frame frame = {.description = limpet_builder_meshes(compiler->builder) + m, .mesh = mesh};
  if (frame.description->field_function)
    material.function = ask_function, material.context = &frame;
  if (mesh->tetrahedron_count > 0 && isfinite(material.modulus))
    return field_of_tetrahedra(mesh, mesh->field, &material, error);
  const bool as_given = mesh->concave || (material.function && isfinite(material.modulus));
  if (!as_given && mesh->tetrahedron_count == 0)
    return limpet_pressure_field_of_shape(LIMPET_SHAPE_MESH, model->geom_size + 3 * g, mesh->hull,
                                          &material, error);
  limpet_pressure_field *field = limpet_pressure_field_of_triangles(
      mesh->vertices, mesh->vertex_count, mesh->faces, mesh->face_count, &material, error);
  if (!field && error->status == LIMPET_ERROR_INPUT) say_in_file_frame(&frame, error);
  return field;
}

/* A mesh is at fault where it is described, and named with the geom that needs it; other shapes
 * where the geom is. */
static limpet_status fail(const limpet_compiler *compiler, int g, const limpet_error *inner) {
  const limpet_model *model = compiler->model;
  const bool is_mesh = model->geom_kind[g] == LIMPET_SHAPE_MESH;
  const int handle = compiler->geom.handle[g], m = is_mesh ? model->geom_mesh[g] : LIMPET_NONE;
  const limpet_label geom = limpet_compile_label(compiler, LIMPET_OBJECT_GEOM, handle);
  const limpet_place at =
      is_mesh ? limpet_builder_meshes(compiler->builder)[m].place
              : limpet_builder_item_place(compiler->builder, LIMPET_OBJECT_GEOM, handle);
  if (!is_mesh)
    return limpet_error_fill_at(compiler->error, inner->status, at.file, at.line, at.column,
                                "%s has no pressure field: %s", geom.text, inner->message);
  const bool as_given = model->mesh[m].concave && model->mesh[m].tetrahedron_count == 0;
  return limpet_error_fill_at(
      compiler->error, inner->status, at.file, at.line, at.column,
      "%s gives %s no pressure field: %s%s",
      limpet_compile_label(compiler, LIMPET_OBJECT_MESH, m).text, geom.text, inner->message,
      as_given ? "; a mesh that is not concave has the field of its convex hull (MJCF: "
                 "limpet:concave of this <mesh>; Drake's tags: <drake:declare_convex/>)"
               : "");
}

static limpet_place place_of_geom(const limpet_compiler *compiler, int g) {
  return limpet_builder_item_place(compiler->builder, LIMPET_OBJECT_GEOM, compiler->geom.handle[g]);
}

static limpet_label label_of_geom(const limpet_compiler *compiler, int g) {
  return limpet_compile_label(compiler, LIMPET_OBJECT_GEOM, compiler->geom.handle[g]);
}

// A width that is most likely a mistake: of bodies that move, since grounds may be wide.
static void doubt_width(limpet_compiler *compiler, int g, const limpet_pressure_info *info) {
  double widest = 0.0;
  for (int i = 0; i < 3; ++i) widest = fmax(widest, info->high[i] - info->low[i]);
  if (widest <= widest_body || (info->rigid && compiler->model->geom_body[g] == 0)) return;
  limpet_compile_doubt(compiler, place_of_geom(compiler, g),
                       "%s: its pressure field is %g m wide; if the file is in millimetres, give "
                       "the mesh the scale 0.001 0.001 0.001",
                       label_of_geom(compiler, g).text, widest);
}

static void doubt_depth(limpet_compiler *compiler, int g, const limpet_pressure_info *info) {
  if (!isfinite(info->volume) || info->depth >= thin_share * cbrt(info->volume)) return;
  limpet_compile_doubt(
      compiler, place_of_geom(compiler, g),
      "%s: its pressure field is thin: what comes deeper than %g m is pushed out on its other "
      "side; give a stiffer modulus than %g Pa, a smaller step, or a thicker body",
      label_of_geom(compiler, g).text, info->depth, info->modulus);
}

// Pressures that a file or a function gives the vertices, and are no shares of the modulus.
static void doubt_given(limpet_compiler *compiler, int g, const limpet_pressure_info *info) {
  const int m = compiler->model->geom_mesh[g];
  const limpet_label mesh = limpet_compile_label(compiler, LIMPET_OBJECT_MESH, m);
  const limpet_place place = limpet_builder_meshes(compiler->builder)[m].place;
  if (info->given_rim > given_slack * info->given_most)
    limpet_compile_doubt(compiler, place,
                         "%s: the pressure given is %g of the modulus on the boundary (%g at "
                         "most), so that forces jump where bodies touch; give 0 there",
                         mesh.text, info->given_rim, info->given_most);
  if (info->given_most > 1.0 + given_slack)
    limpet_compile_doubt(compiler, place,
                         "%s: the pressure given is up to %g times the modulus of %g Pa; it is "
                         "pressure over modulus, 1 in the core",
                         mesh.text, info->given_most, info->modulus);
}

/* Triangles whose hull is the field: it hides what is wrong with them, and mass and inertia come
 * from the triangles. */
static void doubt_hidden(limpet_compiler *compiler, int g) {
  const int m = compiler->model->geom_mesh[g];
  const limpet_mesh *mesh = &compiler->model->mesh[m];
  const limpet_mesh_description *description = limpet_builder_meshes(compiler->builder) + m;
  const file_frame frame = {.description = description, .mesh = mesh};
  limpet_error fault = {0};
  if (mesh->concave || mesh->tetrahedron_count > 0 || description->face_count == 0) return;
  say_in_file_frame(&frame, &fault);
  if (fault.status != LIMPET_ERROR_INPUT) return;
  limpet_compile_doubt(compiler, description->place,
                       "%s: %s has the pressure field of its convex hull; its %d triangles, from "
                       "which mass and inertia come unless they are given, have a fault: %s",
                       limpet_compile_label(compiler, LIMPET_OBJECT_MESH, m).text,
                       label_of_geom(compiler, g).text, mesh->face_count, fault.message);
}

// A modulus that no solid has.
static void doubt_modulus(limpet_compiler *compiler, int g) {
  const double modulus = compiler->model->geom_material[g].elastic_modulus;
  if (!isfinite(modulus) || (modulus >= least_modulus && modulus <= largest_modulus)) return;
  limpet_compile_doubt(compiler, place_of_geom(compiler, g),
                       "%s: its elastic modulus is %g Pa; solids have %g (soft gels) to %g Pa "
                       "(diamond); give it in pascals",
                       label_of_geom(compiler, g).text, modulus, least_modulus, largest_modulus);
}

// Triangles without area, at the mesh.
static void note_flat(limpet_compiler *compiler, int g, const limpet_pressure_info *info) {
  const int m = compiler->model->geom_mesh[g];
  if (info->flat == 0) return;
  limpet_compile_note(
      compiler, false, limpet_builder_meshes(compiler->builder)[m].place,
      "%s: %d of its %d triangles %s no area (two corners in one place, or three on a line); the "
      "pressure field leaves them out; merge their corners, or mesh the body again",
      limpet_compile_label(compiler, LIMPET_OBJECT_MESH, m).text, info->flat,
      compiler->model->mesh[m].face_count, info->flat == 1 ? "has" : "have");
}

static void note_tetrahedra(limpet_compiler *compiler, int g, const limpet_pressure_info *info) {
  if (info->dead == 0 && info->thin == 0) return;
  char dead[128] = "", thin[128] = "";
  if (info->dead > 0)
    snprintf(dead, sizeof dead,
             "%d had all corners on the boundary and were split (they would carry no pressure)",
             info->dead);
  if (info->thin > 0)
    snprintf(thin, sizeof thin,
             "%d are thinner than 1 degree (they slow contact down; mesh the body again)",
             info->thin);
  limpet_compile_note(compiler, false, place_of_geom(compiler, g),
                      "%s: of the %d tetrahedra of its pressure field %s%s%s",
                      label_of_geom(compiler, g).text, info->elements, dead,
                      *dead && *thin ? ", and " : "", thin);
}

// What a field lacks, as notes: LIMPET_GEOM_NOTES at most.
static void note_doubts(limpet_compiler *compiler, int g) {
  const limpet_pressure_info info = limpet_pressure_field_info(compiler->model->geom_field[g]);
  doubt_modulus(compiler, g);
  const bool mesh = compiler->model->geom_kind[g] == LIMPET_SHAPE_MESH;
  if (!info.rigid && (mesh || info.depth < shell)) doubt_depth(compiler, g, &info);
  if (!mesh) return;
  note_flat(compiler, g, &info);
  doubt_width(compiler, g, &info);
  if (info.rigid) return;
  doubt_given(compiler, g, &info);
  doubt_hidden(compiler, g);
  note_tetrahedra(compiler, g, &info);
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
  model->geom_field[g] = field_of(compiler, g, &inner);
  if (!model->geom_field[g]) return fail(compiler, g, &inner);
  note_doubts(compiler, g);
  return LIMPET_OK;
}

limpet_status limpet_compile_fields(limpet_compiler *compiler) {
  const limpet_model *model = compiler->model;
  bool wanted = false;
  for (int g = 0; g < model->geom_count; ++g) wanted |= is_compliant(model, g);
  if (!wanted) return LIMPET_OK;
  for (int g = 0; g < model->geom_count; ++g) compiler->field_count += model->geom_collider[g] >= 0;
  limpet_status status = LIMPET_OK;
  for (int g = 0; g < model->geom_count && !status; ++g) {
    if (model->geom_collider[g] < 0) continue;
    status = limpet_compile_go_on(compiler);
    if (!status) status = fill_field(compiler, g);
    ++compiler->fields_done, compiler->field_share = 0.0;
  }
  return status;
}
