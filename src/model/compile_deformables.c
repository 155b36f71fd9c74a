/* model/compile_deformables.c: deformable bodies: elements, vertices, and the vertices that are
 * tied.
 *
 *   rest shape    R (s x) + p of the description, in the frame of its body
 *   reference     the same in W, at the reference pose
 *   ties          vertices by number, or those within a box of the mesh frame (s x)
 * A closed surface is filled by the lattice of a pressure field (limpet/pressure.h), cut at the
 * surface (geometry/stuffing.h). */
#include <math.h>
#include <string.h>

#include "base/error.h"
#include "geometry/pressure.h"
#include "geometry/pressure_mesh.h"
#include "geometry/stuffing.h"
#include "math/quaternion.h"
#include "model/compile.h"

typedef struct limpet_soft_part {
  limpet_fem_body *body;
  limpet_fem_body_info info;
  const double *at;  // (node_count x 3)  [m]  nodes in the frame of the mesh, for boxes
  int *tied;         // (node_count)  handle of the body; LIMPET_NONE: free
  int tie_count;
} limpet_soft_part;

static limpet_status fail(const limpet_compiler *compiler, int d, const limpet_error *inner) {
  const int list = LIMPET_OBJECT_DEFORMABLE;
  const limpet_place place = limpet_builder_item_place(compiler->builder, list, d);
  return limpet_error_fill_at(compiler->error, inner->status, place.file, place.line, place.column,
                              "%s: %s", limpet_compile_label(compiler, list, d).text,
                              inner->message);
}

static limpet_status check(const limpet_compiler *compiler, int d) {
  const int list = LIMPET_OBJECT_DEFORMABLE;
  const limpet_deformable_description *soft = limpet_builder_deformables(compiler->builder) + d;
  const bool is_thin = soft->shell || soft->segment_count > 0;
  const int least = soft->shell ? 3 : is_thin ? 2 : 4;
  if (soft->vertex_count < least || !soft->vertices)
    return limpet_compile_error(compiler, list, d, " has %d vertices; it needs at least %d",
                                soft->vertex_count, least);
  if (is_thin && soft->tetrahedron_count > 0)
    return limpet_compile_error(compiler, list, d,
                                " has %d tetrahedra and is a shell or rope; make it two bodies",
                                soft->tetrahedron_count);
  if (!is_thin && soft->tetrahedron_count <= 0 && (soft->face_count < 4 || !soft->faces))
    return limpet_compile_error(compiler, list, d,
                                " has no tetrahedra and %d faces; give tetrahedra, or a closed "
                                "surface of at least 4 triangles",
                                soft->face_count);
  for (int i = 0; i < 3 * soft->vertex_count; ++i)
    if (!(fabs(soft->vertices[i]) <= LIMPET_LARGEST_NUMBER))
      return limpet_compile_error(
          compiler, list, d, ": vertex %d is %s", i / 3,
          isfinite(soft->vertices[i]) ? "too far away to reckon with" : "not finite");
  if (!(soft->surface_stiffness > 0.0))
    return limpet_compile_error(compiler, list, d,
                                ": its surface stiffness is %g Pa/m; give a positive one",
                                soft->surface_stiffness);
  if (soft->body < 0 || soft->body >= compiler->builder->list[LIMPET_OBJECT_BODY].count)
    return limpet_compile_error(compiler, list, d, ": its body is number %d; there are %d",
                                soft->body, compiler->builder->list[LIMPET_OBJECT_BODY].count);
  return LIMPET_OK;
}

// ---------------------------------------------------------------------------------- elements

// The tetrahedra of a description in the frame of its mesh: those given, or those that fill it.
typedef struct mesh_of {
  int vertex_count, tetrahedron_count;
  double *vertices;  // (vertex_count x 3)  [m]  scaled
  const int *tetrahedra;
  limpet_stuffing filled;  // that owns the tetrahedra where a surface is filled
  double density_share;    // [-]  volume of the surface over that of the tetrahedra that fill it
} mesh_of;

static limpet_status scale_vertices(limpet_compiler *compiler, const double *from, int count,
                                    const double scale[3], double **to) {
  *to = LIMPET_TAKE(&compiler->scratch, double, 3 * (size_t)count);
  if (!*to) return limpet_compile_no_memory(compiler);
  for (int i = 0; i < 3 * count; ++i) (*to)[i] = scale[i % 3] * from[i];
  return LIMPET_OK;
}

// [m^3]
static double volume_of(const limpet_stuffing *filled) {
  double volume = 0.0;
  for (int t = 0; t < filled->tetrahedron_count; ++t) {
    const double *x[4];
    for (int k = 0; k < 4; ++k) x[k] = filled->vertices + 3L * filled->tetrahedra[4L * t + k];
    volume += limpet_pressure_mesh_volume6(x[0], x[1], x[2], x[3]) / 6.0;
  }
  return volume;
}

static bool goes_on(void *compiler, double share) {
  (void)share;
  return limpet_compile_go_on(compiler) == LIMPET_OK;
}

/* Fills the surface: the lattice that a pressure field has, cut at the surface. Flat facets at
 * curved places and rounded edges leave a little out: the density makes the mass right. */
static limpet_status fill_surface(limpet_compiler *compiler, int d, mesh_of *mesh) {
  const limpet_deformable_description *soft = limpet_builder_deformables(compiler->builder) + d;
  limpet_pressure_material material = limpet_pressure_material_default();
  material.size = soft->fill_size;
  material.progress = goes_on, material.progress_context = compiler;
  limpet_error inner = {0};
  limpet_pressure_field *field = limpet_pressure_field_of_triangles(
      mesh->vertices, soft->vertex_count, soft->faces, soft->face_count, &material, &inner);
  if (!field) return fail(compiler, d, &inner);
  const limpet_status status = limpet_stuff(field->vertices, field->vertex_count, field->pressure,
                                            field->tetrahedra, field->info.elements, &mesh->filled);
  const double whole = field->info.volume;  // of the surface
  limpet_pressure_field_destroy(field);
  if (status) return limpet_compile_no_memory(compiler);
  const limpet_stuffing *filled = &mesh->filled;
  if (filled->tetrahedron_count == 0)
    return limpet_compile_error(compiler, LIMPET_OBJECT_DEFORMABLE, d,
                                " is thinner than the tetrahedra that fill it; give a smaller "
                                "fill_size than %g m",
                                soft->fill_size);
  mesh->vertex_count = filled->vertex_count, mesh->vertices = filled->vertices;
  mesh->tetrahedron_count = filled->tetrahedron_count, mesh->tetrahedra = filled->tetrahedra;
  mesh->density_share = whole / volume_of(filled);
  return LIMPET_OK;
}

static limpet_status mesh_make(limpet_compiler *compiler, int d, mesh_of *mesh) {
  const limpet_deformable_description *soft = limpet_builder_deformables(compiler->builder) + d;
  *mesh = (mesh_of){.vertex_count = soft->vertex_count,
                    .tetrahedron_count = soft->tetrahedron_count,
                    .tetrahedra = soft->tetrahedra,
                    .density_share = 1.0};
  const limpet_status status =
      scale_vertices(compiler, soft->vertices, soft->vertex_count, soft->scale, &mesh->vertices);
  if (status || soft->tetrahedron_count > 0 || soft->shell || soft->segment_count > 0)
    return status;
  return fill_surface(compiler, d, mesh);
}

// x <- R x + p for all vertices.
static void place_vertices(const double quaternion[4], const double p[3], double *x, int count) {
  for (int i = 0; i < count; ++i) {
    double turned[3];
    limpet_quaternion_rotate(turned, quaternion, x + 3 * i);
    limpet_vec3_add(x + 3 * i, turned, p);
  }
}

static limpet_status body_make(limpet_compiler *compiler, int d, const mesh_of *mesh,
                               limpet_soft_part *part) {
  const limpet_deformable_description *soft = limpet_builder_deformables(compiler->builder) + d;
  double quaternion[4], back[4], *x;
  const double one[3] = {1.0, 1.0, 1.0};
  limpet_status status = limpet_compile_quaternion(compiler, LIMPET_OBJECT_DEFORMABLE, d,
                                                   "quaternion", soft->quaternion, quaternion);
  if (!status) status = scale_vertices(compiler, mesh->vertices, mesh->vertex_count, one, &x);
  if (status) return status;
  place_vertices(quaternion, soft->position, x, mesh->vertex_count);
  limpet_fem_description fem = limpet_fem_description_default();
  fem.vertex_count = mesh->vertex_count, fem.vertices = x;
  fem.tetrahedron_count = mesh->tetrahedron_count, fem.tetrahedra = mesh->tetrahedra;
  fem.element = soft->element;
  if (soft->law) fem.law = soft->law;
  fem.youngs_modulus = soft->youngs_modulus, fem.poissons_ratio = soft->poissons_ratio;
  fem.density = mesh->density_share * soft->density;
  fem.mass_damping = soft->mass_damping, fem.stiffness_damping = soft->stiffness_damping;
  if (soft->shell) fem.triangle_count = soft->face_count, fem.triangles = soft->faces;
  fem.segment_count = soft->segment_count, fem.segments = soft->segments;
  fem.thickness = soft->thickness, fem.membrane = soft->membrane, fem.bending = soft->bending;
  fem.edge_stiffness = soft->edge_stiffness, fem.edge_damping = soft->edge_damping;
  fem.gas = soft->gas;
  limpet_error inner = {0};
  part->body = limpet_fem_body_create(&fem, &inner);
  if (!part->body) return fail(compiler, d, &inner);
  part->info = limpet_fem_body_information(part->body);

  // nodes in the frame of the mesh, those that elements add included
  double *at, origin[3];
  status =
      scale_vertices(compiler, limpet_fem_body_rest(part->body), part->info.node_count, one, &at);
  if (status) return status;
  limpet_quaternion_conjugate(back, quaternion);
  limpet_quaternion_rotate(origin, back, soft->position);
  limpet_vec3_neg(origin, origin);
  place_vertices(back, origin, at, part->info.node_count);
  part->at = at;
  return LIMPET_OK;
}

// ---------------------------------------------------------------------------------- ties

static bool within(const double x[3], const limpet_tie *tie) {
  for (int k = 0; k < 3; ++k)
    if (!(x[k] >= tie->low[k] && x[k] <= tie->high[k])) return false;
  return true;
}

static limpet_status tie_one(const limpet_compiler *compiler, int d, int vertex, int body,
                             limpet_soft_part *part) {
  const int list = LIMPET_OBJECT_DEFORMABLE;
  if (vertex < 0 || vertex >= part->info.node_count)
    return limpet_compile_error(compiler, list, d, " ties vertex %d, but it has %d", vertex,
                                part->info.node_count);
  if (part->tied[vertex] != LIMPET_NONE && part->tied[vertex] != body)
    return limpet_compile_error(compiler, list, d,
                                " ties vertex %d to two bodies; a vertex moves with one", vertex);
  part->tie_count += part->tied[vertex] == LIMPET_NONE;
  part->tied[vertex] = body;
  return LIMPET_OK;
}

static limpet_status tie_some(const limpet_compiler *compiler, int d, int t,
                              limpet_soft_part *part) {
  const limpet_deformable_description *soft = limpet_builder_deformables(compiler->builder) + d;
  const limpet_tie *tie = &soft->ties[t];
  const int list = LIMPET_OBJECT_DEFORMABLE,
            bodies = compiler->builder->list[LIMPET_OBJECT_BODY].count;
  if (tie->body < 0 || tie->body >= bodies)
    return limpet_compile_error(compiler, list, d, ": tie %d names body number %d; there are %d", t,
                                tie->body, bodies);
  limpet_status status = LIMPET_OK;
  for (int i = 0; i < tie->vertex_count && !status; ++i)
    status = tie_one(compiler, d, tie->vertices[i], tie->body, part);
  if (tie->vertex_count > 0 || status) return status;
  const int before = part->tie_count;
  for (int i = 0; i < part->info.node_count && !status; ++i)
    if (within(part->at + 3 * i, tie)) status = tie_one(compiler, d, i, tie->body, part);
  if (!status && part->tie_count == before)
    return limpet_compile_error(
        compiler, list, d, ": no vertex is in the box (%g %g %g) to (%g %g %g) of tie %d",
        tie->low[0], tie->low[1], tie->low[2], tie->high[0], tie->high[1], tie->high[2], t);
  return status;
}

static limpet_status part_make(limpet_compiler *compiler, int d, limpet_soft_part *part) {
  const limpet_deformable_description *soft = limpet_builder_deformables(compiler->builder) + d;
  mesh_of mesh;
  limpet_status status = check(compiler, d);
  if (status) return status;
  status = mesh_make(compiler, d, &mesh);
  if (!status) status = body_make(compiler, d, &mesh, part);
  limpet_stuffing_free(&mesh.filled);
  if (status) return status;
  part->tied = LIMPET_TAKE(&compiler->scratch, int, part->info.node_count);
  if (!part->tied) return limpet_compile_no_memory(compiler);
  for (int i = 0; i < part->info.node_count; ++i) part->tied[i] = LIMPET_NONE;
  for (int t = 0; t < soft->tie_count && !status; ++t) status = tie_some(compiler, d, t, part);
  return status;
}

limpet_status limpet_compile_deformable_bodies(limpet_compiler *compiler) {
  const int count = compiler->builder->list[LIMPET_OBJECT_DEFORMABLE].count;
  compiler->soft = LIMPET_TAKE_ZERO(&compiler->scratch, limpet_soft_part, count);
  if (!compiler->soft) return limpet_compile_no_memory(compiler);
  limpet_status status = LIMPET_OK;
  for (int d = 0; d < count && !status; ++d) {
    compiler->soft_count = d + 1;
    status = limpet_compile_go_on(compiler);
    if (!status) status = part_make(compiler, d, &compiler->soft[d]);
  }
  return status;
}

void limpet_compile_deformable_sizes(limpet_compiler *compiler) {
  for (int d = 0; d < compiler->soft_count; ++d) {
    compiler->sizes.vertex_count += compiler->soft[d].info.node_count;
    compiler->sizes.tie_count += compiler->soft[d].tie_count;
  }
}

// ---------------------------------------------------------------------------------- arrays

// R' (x - p) of a body's pose at the reference pose.
static void into_body(const limpet_compiler *compiler, int body, const double x[3], double to[3]) {
  double back[4], arm[3];
  limpet_quaternion_conjugate(back, compiler->body_world_quaternion + 4 * body);
  limpet_vec3_sub(arm, x, compiler->body_world_position + 3 * body);
  limpet_quaternion_rotate(to, back, arm);
}

static void fill(limpet_compiler *compiler, int d) {
  limpet_model *model = compiler->model;
  limpet_soft_part *part = &compiler->soft[d];
  const limpet_deformable_description *soft = limpet_builder_deformables(compiler->builder) + d;
  const int body = compiler->body.index[soft->body], first = model->deformable_vertex[d];
  const int nodes = part->info.node_count;
  model->deformable_body[d] = part->body, part->body = NULL;
  model->deformable_geom[d] = compiler->geom.index[soft->geom];
  model->deformable_gravity[d] = soft->gravity;
  model->deformable_self_contact[d] = soft->self_contact;
  model->deformable_surface_stiffness[d] = soft->surface_stiffness;
  double *x = model->vertex_reference + 3 * first;
  memcpy(x, limpet_fem_body_rest(model->deformable_body[d]), 3 * (size_t)nodes * sizeof *x);
  place_vertices(compiler->body_world_quaternion + 4 * body,
                 compiler->body_world_position + 3 * body, x, nodes);
  int tie = model->deformable_tie[d];
  for (int i = 0; i < nodes; ++i) {
    if (part->tied[i] == LIMPET_NONE) continue;
    model->tie_vertex[tie] = first + i;
    model->tie_body[tie] = compiler->body.index[part->tied[i]];
    into_body(compiler, model->tie_body[tie], x + 3 * i, model->tie_position + 3 * tie);
    ++tie;
  }
  model->deformable_vertex[d + 1] = first + nodes;
  model->deformable_tie[d + 1] = tie;
}

limpet_status limpet_compile_deformables(limpet_compiler *compiler) {
  for (int d = 0; d < compiler->soft_count; ++d) fill(compiler, d);
  return LIMPET_OK;
}

void limpet_compile_deformables_end(limpet_compiler *compiler) {
  for (int d = 0; d < compiler->soft_count; ++d) limpet_fem_body_destroy(compiler->soft[d].body);
}
