/* model/compile_geoms.c: meshes, geoms and sites.
 *
 * A geom of kind mesh stands where its mesh's inertial frame is: pose of the description o pose of
 * the mesh. A primitive with a mesh is fitted to it: its size and its pose in the mesh's inertial
 * frame come from limpet_shape_fit. */
#include <math.h>
#include <string.h>

#include "geometry/mesh_geometry.h"
#include "geometry/ray.h"
#include "geometry/shape.h"
#include "math/quaternion.h"
#include "model/compile.h"
#include "model/sensor_kind.h"

// (position, quaternion) <- (position, quaternion) o (p, q)
static void compose(double position[3], double quaternion[4], const double p[3],
                    const double q[4]) {
  double moved[3], turned[4];
  limpet_quaternion_rotate(moved, quaternion, p);
  limpet_vec3_add(position, position, moved);
  limpet_quaternion_mul(turned, quaternion, q);
  limpet_quaternion_normalize(turned);
  limpet_quaternion_copy(quaternion, turned);
}

// ---------------------------------------------------------------------------------- meshes

// A sensor of distances (its reference is a geom or body) needs the hulls of all geoms that it
// measures.
static void want_hulls_of_sensors(limpet_compiler *compiler, bool *wanted) {
  const limpet_builder *builder = compiler->builder;
  const limpet_geom_description *geoms = limpet_builder_geoms(builder);
  for (int s = 0; s < compiler->model->sensor_count; ++s) {
    const limpet_sensor_description *sensor = limpet_builder_sensors(builder) + s;
    if (sensor->kind->range != LIMPET_SENSOR_REACH) continue;
    const limpet_object type[2] = {sensor->object_type, sensor->reference_type};
    const int handle[2] = {sensor->object, sensor->reference};
    for (int k = 0; k < 2; ++k)
      for (int g = 0; g < compiler->model->geom_count; ++g)
        if (geoms[g].kind == LIMPET_SHAPE_MESH &&
            handle[k] == (type[k] == LIMPET_OBJECT_GEOM ? g : geoms[g].body))
          wanted[geoms[g].mesh] = true;
  }
}

// Meshes of which a hull is needed: some geom that is the mesh can collide, by its bits or in an
// explicit pair.
static bool *hulls_wanted(limpet_compiler *compiler) {
  const limpet_builder *builder = compiler->builder;
  const limpet_geom_description *geoms = limpet_builder_geoms(builder);
  const limpet_pair_description *pairs = limpet_builder_pairs(builder);
  bool *wanted = LIMPET_TAKE_ZERO(&compiler->scratch, bool, compiler->model->mesh_count);
  if (!wanted) return NULL;
  for (int i = 0; i < compiler->model->geom_count; ++i)
    if (geoms[i].kind == LIMPET_SHAPE_MESH && (geoms[i].contype || geoms[i].conaffinity))
      wanted[geoms[i].mesh] = true;
  for (int i = 0; i < compiler->model->pair_count; ++i) {
    const int pair[2] = {pairs[i].geom_a, pairs[i].geom_b};
    for (int k = 0; k < 2; ++k)
      if (geoms[pair[k]].kind == LIMPET_SHAPE_MESH) wanted[geoms[pair[k]].mesh] = true;
  }
  want_hulls_of_sensors(compiler, wanted);
  return wanted;
}

// The height field of a mesh, in the mesh's inertial frame.
static limpet_status keep_heights(limpet_compiler *compiler, int m) {
  const limpet_mesh_description *from = limpet_builder_meshes(compiler->builder) + m;
  if (!from->heights) return LIMPET_OK;
  limpet_arena *arena = &compiler->storage->arena;
  const int count = from->rows * from->columns;
  limpet_height_field *field = LIMPET_TAKE_ZERO(arena, limpet_height_field, 1);
  double *height = LIMPET_TAKE(arena, double, count);
  if (!field || !height) return limpet_compile_no_memory(compiler);
  for (int i = 0; i < count; ++i) height[i] = from->scale[2] * from->heights[i];
  *field = (limpet_height_field){
      .rows = from->rows,
      .columns = from->columns,
      .half = {from->scale[0] * from->grid_half[0], from->scale[1] * from->grid_half[1]},
      .base = from->scale[2] * from->grid_base,
      .height = height};
  for (int i = 0; i < count; ++i) field->highest = fmax(field->highest, height[i]);
  double back[4], origin[3];
  limpet_quaternion_conjugate(back, compiler->model->mesh[m].quaternion);
  limpet_vec3_neg(origin, compiler->model->mesh[m].position);
  limpet_quaternion_rotate(field->position, back, origin);
  limpet_quaternion_to_matrix(field->rotation, back);
  compiler->model->mesh[m].heights = field;
  return LIMPET_OK;
}

static limpet_status process_mesh(limpet_compiler *compiler, int m, bool want_hull) {
  const limpet_mesh_description *description = limpet_builder_meshes(compiler->builder) + m;
  limpet_mesh_input input = {
      .name = description->name,
      .file = description->file,
      .vertex_count = description->vertex_count,
      .face_count = description->face_count,
      .vertices = description->vertices,
      .faces = description->faces,
      .inertia = description->inertia,
      .hull_vertex_limit = description->hull_vertex_limit,
      .tetrahedron_count = description->tetrahedron_count,
      .tetrahedra = description->tetrahedra,
      .field = description->field,
      .texture_coordinates = description->texture_coordinates,
      .tangents = description->tangents,
      .concave = description->concave,
      .single_precision = description->single_precision,
      .want_hull = want_hull,
  };
  limpet_vec3_copy(input.scale, description->scale);
  limpet_vec3_copy(input.reference_position, description->reference_position);
  limpet_quaternion_copy(input.reference_quaternion, description->reference_quaternion);
  limpet_error error = {0};
  const limpet_status status = limpet_mesh_process(
      &compiler->model->mesh[m], &compiler->storage->mesh_storage[m], &input, &error);
  if (!status) return keep_heights(compiler, m);
  const limpet_place place = description->place;  // the message names the mesh
  return limpet_error_fill_at(compiler->error, status, place.file, place.line, place.column, "%s",
                              error.message);
}

// Trees for the rays of sensors, of meshes that stand in the scene as meshes.
static limpet_status grow_face_trees(limpet_compiler *compiler) {
  limpet_model *model = compiler->model;
  const limpet_geom_description *geoms = limpet_builder_geoms(compiler->builder);
  bool rays = false;
  for (int s = 0; s < model->sensor_count; ++s)
    rays |= limpet_builder_sensors(compiler->builder)[s].kind->casts_rays;
  for (int g = 0; rays && g < model->geom_count; ++g) {
    if (geoms[g].kind != LIMPET_SHAPE_MESH) continue;
    limpet_mesh *mesh = &model->mesh[geoms[g].mesh];
    if (!mesh->face_tree) mesh->face_tree = limpet_mesh_face_tree_create(mesh);
    if (!mesh->face_tree) return limpet_compile_no_memory(compiler);
  }
  return LIMPET_OK;
}

limpet_status limpet_compile_meshes(limpet_compiler *compiler) {
  limpet_model *model = compiler->model;
  bool *wanted = hulls_wanted(compiler);
  compiler->storage->mesh_storage =
      LIMPET_TAKE_ZERO(&compiler->storage->arena, void *, model->mesh_count);
  if (!wanted || !compiler->storage->mesh_storage) return limpet_compile_no_memory(compiler);
  for (int m = 0; m < model->mesh_count; ++m) {
    limpet_status status = limpet_compile_go_on(compiler);
    if (!status) status = process_mesh(compiler, m, wanted[m]);
    if (status) return status;
    model->mesh[m].name =
        limpet_compile_text(compiler, limpet_builder_meshes(compiler->builder)[m].name);
    model->mesh[m].file =
        limpet_compile_text(compiler, limpet_builder_meshes(compiler->builder)[m].file);
  }
  return grow_face_trees(compiler);
}

// ----------------------------------------------------------------------------------- geoms

// How many entries of `size` a shape needs to be positive.
static int size_count(limpet_shape_kind kind) {
  switch (kind) {
    case LIMPET_SHAPE_SPHERE: return 1;
    case LIMPET_SHAPE_CAPSULE:
    case LIMPET_SHAPE_CYLINDER: return 2;
    case LIMPET_SHAPE_ELLIPSOID:
    case LIMPET_SHAPE_BOX: return 3;
    case LIMPET_SHAPE_PLANE:
    case LIMPET_SHAPE_MESH:
    case LIMPET_SHAPE_CLOUD:
    case LIMPET_SHAPE_SOFT:
    case LIMPET_SHAPE_COUNT: break;
  }
  return 0;
}

static bool finite3(const double v[3]) {
  return isfinite(v[0]) && isfinite(v[1]) && isfinite(v[2]);
}

static limpet_status check_material(const limpet_compiler *compiler, int handle) {
  const limpet_material *material = &limpet_builder_geoms(compiler->builder)[handle].material;
  const int list = LIMPET_OBJECT_GEOM;
  if (!(material->friction >= 0.0) || material->friction_torsional < 0.0 ||
      material->friction_rolling < 0.0)
    return limpet_compile_error(
        compiler, list, handle, ": its friction is %g %g %g; give numbers of 0 or more",
        material->friction, material->friction_torsional, material->friction_rolling);
  if (!(material->stiffness > 0.0) || material->dissipation < 0.0 ||
      material->relaxation_time < 0.0)
    return limpet_compile_error(compiler, list, handle,
                                ": stiffness %g N/m, dissipation %g s/m, relaxation time %g s; the "
                                "first must be positive (infinite "
                                "for rigid), the others 0 or more",
                                material->stiffness, material->dissipation,
                                material->relaxation_time);
  if (isinf(material->friction_static))
    return limpet_compile_error(compiler, list, handle,
                                ": its static friction is infinite; give a finite number");
  if (material->friction_static < material->friction)
    return limpet_compile_error(
        compiler, list, handle,
        ": its static friction is %g, below its friction, %g; give at least that, or leave it out",
        material->friction_static, material->friction);
  if (!(material->friction_ratio >= 0.0) || isinf(material->friction_ratio))
    return limpet_compile_error(compiler, list, handle,
                                ": its friction ratio is %g; give a number of 0 or more",
                                material->friction_ratio);
  if (!(material->elastic_modulus > 0.0))
    return limpet_compile_error(
        compiler, list, handle,
        ": its elastic modulus is %g Pa; give a positive one (infinite for rigid)",
        material->elastic_modulus);
  if (material->slab_thickness <= 0.0 || isinf(material->slab_thickness))
    return limpet_compile_error(compiler, list, handle,
                                ": its slab thickness is %g m; give a positive one",
                                material->slab_thickness);
  if (!(material->field_size >= 0.0 && material->field_error >= 0.0 &&
        material->field_margin >= 0.0) ||
      isinf(material->field_size) || isinf(material->field_error) || isinf(material->field_margin))
    return limpet_compile_error(
        compiler, list, handle,
        ": its field has size %g m, error %g and margin %g m; give finite numbers of 0 or more",
        material->field_size, material->field_error, material->field_margin);
  if (!(material->restitution >= 0.0 && material->restitution <= 1.0))
    return limpet_compile_error(compiler, list, handle,
                                ": its restitution is %g; give a number from 0 to 1",
                                material->restitution);
  if (!finite3(material->friction_axis) || !(limpet_vec3_norm(material->friction_axis) > 0.0))
    return limpet_compile_error(
        compiler, list, handle,
        ": its friction axis is %g %g %g; give a direction that is not zero",
        material->friction_axis[0], material->friction_axis[1], material->friction_axis[2]);
  if (!finite3(material->surface_velocity))
    return limpet_compile_error(compiler, list, handle,
                                ": its surface velocity is %g %g %g m/s; give finite numbers",
                                material->surface_velocity[0], material->surface_velocity[1],
                                material->surface_velocity[2]);
  const double *spin = material->surface_angular_velocity;
  if (!finite3(spin))
    return limpet_compile_error(compiler, list, handle,
                                ": its surface turns with %g %g %g rad/s; give finite numbers",
                                spin[0], spin[1], spin[2]);
  return LIMPET_OK;
}

static limpet_status check_geom(const limpet_compiler *compiler, int g) {
  const int handle = compiler->geom.handle[g], list = LIMPET_OBJECT_GEOM;
  const limpet_geom_description *geom = limpet_builder_geoms(compiler->builder) + handle;
  for (int k = 0; k < size_count(geom->kind) && geom->mesh == LIMPET_NONE; ++k)
    if (!(geom->size[k] > 0.0))
      return limpet_compile_error(
          compiler, list, handle,
          " is a %s of size %g %g %g; the first %d must be positive (in metres)",
          limpet_shape_kind_word(geom->kind), geom->size[0], geom->size[1], geom->size[2],
          size_count(geom->kind));
  if (geom->kind == LIMPET_SHAPE_PLANE && compiler->body_moves[compiler->model->geom_body[g]])
    return limpet_compile_error(
        compiler, list, handle,
        " is a plane on a body that moves; planes must be static, use a box");
  if (geom->kind == LIMPET_SHAPE_PLANE && geom->mesh != LIMPET_NONE)
    return limpet_compile_error(compiler, list, handle,
                                " is a plane with a mesh; a plane cannot be fitted, use a box");
  if (geom->mass < 0.0 || geom->mass > LIMPET_LARGEST_NUMBER || geom->density < 0.0)
    return limpet_compile_error(
        compiler, list, handle,
        " has mass %g kg and density %g kg/m^3; neither may be negative, or above 1e50", geom->mass,
        geom->density);
  return check_material(compiler, handle);
}

// Half lengths of the box about the origin that holds the box `aabb` (centre, half lengths).
static void farthest_corner(double size[3], const double aabb[6]) {
  for (int k = 0; k < 3; ++k)
    size[k] = fmax(fabs(aabb[k] - aabb[3 + k]), fabs(aabb[k] + aabb[3 + k]));
}

// Size, pose and mesh, the mesh's own pose included.
static limpet_status fill_shape(limpet_compiler *compiler, int g) {
  limpet_model *model = compiler->model;
  const int handle = compiler->geom.handle[g];
  const limpet_geom_description *geom = limpet_builder_geoms(compiler->builder) + handle;
  double *position = model->geom_position + 3 * g, *quaternion = model->geom_quaternion + 4 * g,
         *size = model->geom_size + 3 * g;
  limpet_vec3_copy(position, geom->position);
  limpet_vec3_copy(size, geom->size);
  limpet_status status = limpet_compile_quaternion(compiler, LIMPET_OBJECT_GEOM, handle,
                                                   "quaternion", geom->quaternion, quaternion);
  model->geom_mesh[g] = geom->kind == LIMPET_SHAPE_MESH ? geom->mesh : LIMPET_NONE;
  model->geom_cloud[g] = geom->kind == LIMPET_SHAPE_CLOUD ? geom->cloud : LIMPET_NONE;
  if (geom->kind == LIMPET_SHAPE_CLOUD) farthest_corner(size, model->cloud[geom->cloud]->aabb);
  if (status || geom->mesh == LIMPET_NONE) return status;

  const limpet_mesh *mesh = &model->mesh[geom->mesh];
  compose(position, quaternion, mesh->position, mesh->quaternion);
  if (geom->kind == LIMPET_SHAPE_MESH) {
    farthest_corner(size, mesh->aabb);
  } else {
    double fit_position[3], fit_quaternion[4];
    limpet_shape_fit(size, fit_position, fit_quaternion, geom->kind, mesh,
                     model->options.fit_box_to_aabb);
    limpet_vec3_scale(size, geom->fit_scale, size);
    compose(position, quaternion, fit_position, fit_quaternion);
  }
  return LIMPET_OK;
}

static double mesh_radius(const limpet_mesh *mesh) {
  double radius = 0.0;
  for (int i = 0; i < mesh->vertex_count; ++i)
    radius = fmax(radius, limpet_vec3_norm(mesh->vertices + 3 * i));
  return radius;
}

/* Directions of the material turn with the frame, which for meshes is not the description's; the
 * field of a surface that turns keeps its axis. */
static void fill_material(limpet_model *model, int g, const limpet_geom_description *geom) {
  limpet_material *material = &model->geom_material[g];
  *material = geom->material;
  if (geom->mesh == LIMPET_NONE) return;
  double given[4], back[4], turn[4];
  limpet_quaternion_copy(given, geom->quaternion);
  limpet_quaternion_normalize(given);
  limpet_quaternion_conjugate(back, model->geom_quaternion + 4 * g);
  limpet_quaternion_mul(turn, back, given);
  limpet_quaternion_rotate(material->friction_axis, turn, geom->material.friction_axis);
  const double *angular = geom->material.surface_angular_velocity;
  double shift[3], velocity[3], here[3];
  limpet_vec3_sub(shift, model->geom_position + 3 * g, geom->position);
  limpet_quaternion_conjugate(back, given);
  limpet_quaternion_rotate(here, back, shift);
  limpet_vec3_cross(velocity, angular, here);
  limpet_vec3_add(velocity, velocity, geom->material.surface_velocity);
  limpet_quaternion_rotate(material->surface_velocity, turn, velocity);
  limpet_quaternion_rotate(material->surface_angular_velocity, turn, angular);
}

static double geom_radius(const limpet_model *model, int g) {
  if (model->geom_kind[g] == LIMPET_SHAPE_SOFT) return 0.0;
  if (model->geom_cloud[g] != LIMPET_NONE) return model->cloud[model->geom_cloud[g]]->radius;
  if (model->geom_mesh[g] != LIMPET_NONE) return mesh_radius(&model->mesh[model->geom_mesh[g]]);
  return limpet_shape_radius(model->geom_kind[g], model->geom_size + 3 * g, NULL);
}

static void fill_contact(limpet_compiler *compiler, int g) {
  limpet_model *model = compiler->model;
  const limpet_geom_description *geom =
      limpet_builder_geoms(compiler->builder) + compiler->geom.handle[g];
  limpet_quaternion_to_matrix(model->geom_rotation + 9 * g, model->geom_quaternion + 4 * g);
  model->geom_radius[g] = geom_radius(model, g);
  fill_material(model, g, geom);
  model->geom_contype[g] = geom->contype;
  model->geom_conaffinity[g] = geom->conaffinity;
  model->geom_condim[g] = geom->condim;
  model->geom_priority[g] = geom->priority;
  model->geom_group[g] = geom->group;
  model->geom_impedance_mix[g] = geom->impedance_mix;
  model->geom_margin[g] = geom->margin;
  model->geom_gap[g] = geom->gap;
  for (int k = 0; k < 4; ++k) model->geom_rgba[4 * g + k] = geom->rgba[k];
  model->geom_appearance[g] = geom->appearance;
}

limpet_status limpet_compile_geoms(limpet_compiler *compiler) {
  limpet_model *model = compiler->model;
  const limpet_geom_description *geoms = limpet_builder_geoms(compiler->builder);
  for (int g = 0; g < model->geom_count; ++g) {
    const limpet_geom_description *geom = &geoms[compiler->geom.handle[g]];
    model->geom_kind[g] = geom->kind;
    model->geom_body[g] = compiler->body.index[geom->body];
    limpet_status status = check_geom(compiler, g);
    if (!status) status = fill_shape(compiler, g);
    if (status) return status;
    fill_contact(compiler, g);
  }
  return LIMPET_OK;
}

limpet_status limpet_compile_sites(limpet_compiler *compiler) {
  limpet_model *model = compiler->model;
  for (int s = 0; s < model->site_count; ++s) {
    const int handle = compiler->site.handle[s];
    const limpet_site_description *site = limpet_builder_sites(compiler->builder) + handle;
    model->site_body[s] = compiler->body.index[site->body];
    limpet_vec3_copy(model->site_position + 3 * s, site->position);
    const limpet_status status =
        limpet_compile_quaternion(compiler, LIMPET_OBJECT_SITE, handle, "quaternion",
                                  site->quaternion, model->site_quaternion + 4 * s);
    if (status) return status;
    static const int sizes[] = {[LIMPET_SHAPE_SPHERE] = 1,
                                [LIMPET_SHAPE_CAPSULE] = 2,
                                [LIMPET_SHAPE_ELLIPSOID] = 3,
                                [LIMPET_SHAPE_CYLINDER] = 2,
                                [LIMPET_SHAPE_BOX] = 3};
    for (int k = 0; k < sizes[site->kind]; ++k)
      if (!(site->size[k] > 0.0))
        return limpet_compile_error(compiler, LIMPET_OBJECT_SITE, handle,
                                    ": number %d of its size is %g m; give a positive one", k + 1,
                                    site->size[k]);
    model->site_kind[s] = site->kind;
    limpet_vec3_copy(model->site_size + 3 * s, site->size);
  }
  return LIMPET_OK;
}

limpet_status limpet_compile_cameras(limpet_compiler *compiler) {
  limpet_model *model = compiler->model;
  limpet_status status = LIMPET_OK;
  for (int c = 0; c < model->camera_count && !status; ++c) {
    const int handle = compiler->camera.handle[c];
    const limpet_camera_description *camera = limpet_builder_cameras(compiler->builder) + handle;
    model->camera_body[c] = compiler->body.index[camera->body];
    limpet_vec3_copy(model->camera_position + 3 * c, camera->position);
    status = limpet_compile_quaternion(compiler, LIMPET_OBJECT_CAMERA, handle, "quaternion",
                                       camera->quaternion, model->camera_quaternion + 4 * c);
    model->camera_orthographic[c] = camera->orthographic;
    for (int k = 0; k < 2; ++k) {
      model->camera_resolution[2 * c + k] = camera->resolution[k];
      model->camera_focal[2 * c + k] = camera->focal[k];
      model->camera_centre[2 * c + k] = camera->centre[k];
    }
  }
  return status;
}
