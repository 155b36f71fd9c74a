/* record/scene_encode.c: bodies, geoms and meshes of a scene as JSON and binary arrays.
 *
 * Meshes are written once each, however many geoms use them: the triangles of the file if a geom
 * that is drawn as visual geometry uses them, and the convex hull if a geom collides with it.
 * Vertices are 16-bit integers between the corners of the mesh's box: x = low + (high - low) u /
 * 65535, which is 5 um on 0.3 m. Points of clouds likewise. */
#include <math.h>
#include <stdlib.h>

#include "record/scene.h"

enum {
  COLLISION_GROUP = 3,  // geoms of this group and above are no visual geometry if they collide, as
                        // is usual in MJCF
  DRAWN_POINTS = 20000  // of a larger cloud every second, third, ... point is drawn
};
static const double whole_range = 65535.0;  // of 16-bit integers

static json_t *numbers(const double *values, int count) {
  json_t *array = json_array();
  for (int i = 0; i < count; ++i)
    json_array_append_new(array, json_real(isfinite(values[i]) ? values[i] : 0.0));
  return array;
}

static json_t *name_or_null(const limpet_model *model, limpet_object object, int index) {
  const char *name = limpet_model_name(model, object, index);
  json_t *value = name ? json_string(name) : NULL;  // NULL, too, where a name is not UTF-8
  return value ? value : json_null();
}

// ------------------------------------------------------------------------------------- bodies

static json_t *bodies(const limpet_scene *scene) {
  const limpet_model *model = scene->model;
  json_t *list = json_array();
  for (int b = 0, m = 0; b < model->body_count; ++b) {
    const bool moves = m < scene->moving_count && scene->moving_body[m] == b;
    json_array_append_new(
        list, json_pack("{s:o, s:i, s:i, s:o, s:o, s:f, s:o}", "name",
                        name_or_null(model, LIMPET_OBJECT_BODY, b), "parent", model->body_parent[b],
                        "track", moves ? m : -1, "position", numbers(&scene->first_pose[7 * b], 3),
                        "quaternion", numbers(&scene->first_pose[7 * b + 3], 4), "mass",
                        model->body_mass[b], "centre", numbers(&model->body_com[3 * b], 3)));
    if (moves) ++m;
  }
  return list;
}

// joints that have an axis or a centre of their own
static json_t *joints(const limpet_model *model) {
  json_t *list = json_array();
  for (int j = 0; j < model->joint_count; ++j) {
    if (model->joint_kind[j] == LIMPET_JOINT_FREE) continue;
    json_array_append_new(
        list, json_pack("{s:o, s:i, s:s, s:o, s:o}", "name",
                        name_or_null(model, LIMPET_OBJECT_JOINT, j), "body", model->joint_body[j],
                        "kind", limpet_joint_kind_word(model->joint_kind[j]), "position",
                        numbers(&model->joint_position[3 * j], 3), "axis",
                        numbers(&model->joint_axis[3 * j], 3)));
  }
  return list;
}

// -------------------------------------------------------------------------------------- geoms

static json_t *geom(const limpet_model *model, int g) {
  const limpet_shape_kind kind = model->geom_kind[g];
  const double colour[4] = {(double)model->geom_rgba[4 * g], (double)model->geom_rgba[4 * g + 1],
                            (double)model->geom_rgba[4 * g + 2],
                            (double)model->geom_rgba[4 * g + 3]};
  return json_pack("{s:o, s:i, s:s, s:o, s:i, s:i, s:o, s:o, s:o, s:i, s:b, s:i}", "name",
                   name_or_null(model, LIMPET_OBJECT_GEOM, g), "body", model->geom_body[g], "kind",
                   limpet_shape_kind_word(kind), "size", numbers(&model->geom_size[3 * g], 3),
                   "mesh", kind == LIMPET_SHAPE_MESH ? model->geom_mesh[g] : LIMPET_NONE, "cloud",
                   model->geom_cloud[g], "position", numbers(&model->geom_position[3 * g], 3),
                   "quaternion", numbers(&model->geom_quaternion[4 * g], 4), "rgba",
                   numbers(colour, 4), "group", model->geom_group[g], "collides",
                   model->geom_collider[g] >= 0, "appearance", model->geom_appearance[g]);
}

static json_t *geoms(const limpet_model *model) {
  json_t *list = json_array();
  for (int g = 0; g < model->geom_count; ++g) json_array_append_new(list, geom(model, g));
  return list;
}

// ------------------------------------------------------------------------------------- meshes

static void bounds(double low[3], double high[3], const double *vertices, int count) {
  for (int k = 0; k < 3; ++k) {
    low[k] = INFINITY;
    high[k] = -INFINITY;
  }
  for (int i = 0; i < count; ++i)
    for (int k = 0; k < 3; ++k) {
      low[k] = fmin(low[k], vertices[3 * i + k]);
      high[k] = fmax(high[k], vertices[3 * i + k]);
    }
}

static json_t *vertex_array(limpet_byte_stream *stream, const double *vertices, int count) {
  double low[3], high[3], scale[3];
  bounds(low, high, vertices, count);
  for (int k = 0; k < 3; ++k) scale[k] = high[k] > low[k] ? whole_range / (high[k] - low[k]) : 0.0;

  json_t *array = limpet_stream_array_begin(stream, LIMPET_ELEMENT_U2, 3 * (size_t)count);
  for (int i = 0; i < count; ++i) {
    uint16_t corner[3];
    for (int k = 0; k < 3; ++k)
      corner[k] = (uint16_t)lround(scale[k] * (vertices[3 * i + k] - low[k]));
    limpet_stream_write(stream, corner, sizeof corner);
  }
  json_object_set_new(array, "low", numbers(low, 3));
  json_object_set_new(array, "high", numbers(high, 3));
  return array;
}

static void write_triangle(limpet_byte_stream *stream, bool narrow, int a, int b, int c) {
  const uint16_t small[3] = {(uint16_t)a, (uint16_t)b, (uint16_t)c};
  const uint32_t large[3] = {(uint32_t)a, (uint32_t)b, (uint32_t)c};
  if (narrow) limpet_stream_write(stream, small, sizeof small);
  else limpet_stream_write(stream, large, sizeof large);
}

// Whether a flat texture lies on a geom of the mesh.
static bool has_picture(const limpet_model *model, int m) {
  for (int g = 0; g < model->geom_count; ++g) {
    const int look = model->geom_appearance[g];
    if (model->geom_kind[g] != LIMPET_SHAPE_MESH || model->geom_mesh[g] != m || look < 0) continue;
    const int texture = model->appearance[look].texture;
    if (texture >= 0 && model->texture[texture].kind == LIMPET_TEXTURE_FLAT) return true;
  }
  return false;
}

// null: none that are drawn
static json_t *coordinates(limpet_byte_stream *stream, const limpet_model *model, int m) {
  const limpet_mesh *mesh = &model->mesh[m];
  if (!mesh->texture_coordinates || !has_picture(model, m)) return json_null();
  return limpet_stream_array(stream, LIMPET_ELEMENT_F4, 6 * (size_t)mesh->face_count,
                             mesh->texture_coordinates);
}

static json_t *surface(limpet_byte_stream *stream, const limpet_model *model, int m) {
  const limpet_mesh *mesh = &model->mesh[m];
  json_t *vertices = vertex_array(stream, mesh->vertices, mesh->vertex_count);
  const bool narrow = mesh->vertex_count <= 65536;
  json_t *faces = limpet_stream_array_begin(stream, narrow ? LIMPET_ELEMENT_U2 : LIMPET_ELEMENT_U4,
                                            3 * (size_t)mesh->face_count);
  for (int f = 0; f < mesh->face_count; ++f)
    write_triangle(stream, narrow, mesh->faces[3 * f], mesh->faces[3 * f + 1],
                   mesh->faces[3 * f + 2]);
  return json_pack("{s:o, s:o, s:o}", "vertices", vertices, "faces", faces, "coordinates",
                   coordinates(stream, model, m));
}

// the polygons of the hull as fans of triangles
static json_t *hull_surface(limpet_byte_stream *stream, const limpet_hull *hull) {
  json_t *vertices = vertex_array(stream, hull->vertices, hull->vertex_count);
  const bool narrow = hull->vertex_count <= 65536;
  size_t triangles = 0;
  for (int f = 0; f < hull->face_count; ++f)
    triangles += (size_t)(hull->face_begin[f + 1] - hull->face_begin[f] - 2);
  json_t *faces = limpet_stream_array_begin(stream, narrow ? LIMPET_ELEMENT_U2 : LIMPET_ELEMENT_U4,
                                            3 * triangles);
  for (int f = 0; f < hull->face_count; ++f) {
    const int *corner = &hull->face_vertex[hull->face_begin[f]];
    for (int k = 2; k < hull->face_begin[f + 1] - hull->face_begin[f]; ++k)
      write_triangle(stream, narrow, corner[0], corner[k - 1], corner[k]);
  }
  return json_pack("{s:o, s:o}", "vertices", vertices, "faces", faces);
}

static json_t *meshes(limpet_byte_stream *stream, const limpet_model *model) {
  json_t *list = json_array();
  for (int m = 0; m < model->mesh_count; ++m) {
    bool seen = false, collides = false;
    for (int g = 0; g < model->geom_count; ++g) {
      if (model->geom_kind[g] != LIMPET_SHAPE_MESH || model->geom_mesh[g] != m) continue;
      if (model->geom_collider[g] >= 0) collides = true;
      if (model->geom_collider[g] < 0 || model->geom_group[g] < COLLISION_GROUP) seen = true;
    }
    const limpet_mesh *mesh = &model->mesh[m];
    json_t *visual = seen && mesh->face_count > 0 ? surface(stream, model, m) : json_null();
    json_t *hull = collides && mesh->hull ? hull_surface(stream, mesh->hull) : json_null();
    json_array_append_new(
        list, json_pack("{s:o, s:o, s:o}", "name", name_or_null(model, LIMPET_OBJECT_MESH, m),
                        "visual", visual, "hull", hull));
  }
  return list;
}

// ------------------------------------------------------------------------------------- clouds

static json_t *clouds(limpet_byte_stream *stream, const limpet_model *model) {
  json_t *list = json_array();
  for (int c = 0; c < model->cloud_count; ++c) {
    const limpet_cloud *cloud = model->cloud[c];
    const int stride = (cloud->point_count + DRAWN_POINTS - 1) / DRAWN_POINTS,
              count = (cloud->point_count - 1) / stride + 1;
    double *points =
        malloc(3 * (size_t)count * sizeof *points);  // without memory the cloud is not drawn
    for (int i = 0; i < 3 * count && points; ++i)
      points[i] = cloud->points[3 * (i / 3 * stride) + i % 3];
    json_array_append_new(
        list,
        json_pack("{s:o, s:f, s:o}", "name", name_or_null(model, LIMPET_OBJECT_CLOUD, c), "radius",
                  cloud->point_radius, "points", vertex_array(stream, points, points ? count : 0)));
    free(points);
  }
  return list;
}

// ---------------------------------------------------------------------------------------- scene

static json_t *text_or_empty(const char *text) {
  json_t *value = json_string(text);
  return value ? value : json_string("");  // a title may be no UTF-8
}

json_t *limpet_scene_encode(const limpet_scene *scene, limpet_byte_stream *stream) {
  const limpet_model *model = scene->model;
  const double *gravity = model->options.gravity;
  json_t *meshes_entry = meshes(stream, model), *clouds_entry = clouds(stream, model),
         *skins_entry = limpet_skin_encode(scene->skin, stream),
         *textures_entry = limpet_textures_encode(model, stream);
  return json_pack(
      "{s:s, s:i, s:s, s:o, s:i, s:i, s:[f,f,f], s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:i, s:o, s:o}",
      "format", "limpet scene", "revision", LIMPET_SCENE_REVISION, "version", limpet_version(),
      "title", text_or_empty(scene->title), "nv", model->nv, "nu", model->nu, "gravity", gravity[0],
      gravity[1], gravity[2], "bodies", bodies(scene), "geoms", geoms(model), "meshes",
      meshes_entry, "clouds", clouds_entry, "skins", skins_entry, "joints", joints(model),
      "channels", limpet_channels_encode(scene->channels), "channels_left_out",
      scene->channels->left_out, "textures", textures_entry, "appearances",
      limpet_appearances_encode(model));
}
