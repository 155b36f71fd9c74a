/* format/robot/mesh.c: meshes of robot files. A file is read once, unless something is told of it
 * each time (pictures, turned tetrahedra); a mesh is made for each scale and use.
 *
 * What touches needs its file; what is only drawn is left out, with a note, where the file is
 * missing or cannot be read. Inertias of meshes count nowhere: the surface (of what is drawn, which
 * may be open) and the convex hull (of what touches) give the frames in which they are kept. */
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "format/mesh/turned.h"
#include "format/read/locate.h"
#include "format/read/text.h"
#include "format/read/value.h"
#include "format/robot/geom.h"

// a mesh of the builder, and the colour and picture of its file
typedef struct known_mesh {
  int handle;  // LIMPET_NONE: it cannot be read
  bool has_rgba;
  float rgba[4];
  int appearance;  // LIMPET_NONE: no picture
} known_mesh;

// what tells meshes apart
static const char *key_of(limpet_robot *robot, const char *path, const limpet_robot_mesh *mesh,
                          bool touches) {
  char text[128];
  snprintf(text, sizeof text, "?%.17g,%.17g,%.17g,%d%d", mesh->scale[0], mesh->scale[1],
           mesh->scale[2], touches, mesh->concave);
  return limpet_reader_join(robot->reader, path, text, "");
}

// a name that no other mesh has: that of the file, with a number where it is taken
static const char *name_of(limpet_robot *robot, const char *path) {
  const char *stem = limpet_path_stem(&robot->reader->pool, path);
  if (!stem) limpet_reader_no_memory(robot->reader);
  const char *name = stem;
  for (int i = 2; limpet_table_find(&robot->meshes, 1, name); ++i) {
    char number[16];
    snprintf(number, sizeof number, "_%d", i);
    name = limpet_reader_join(robot->reader, stem, number, "");
  }
  limpet_reader_enter(robot->reader, &robot->meshes, 1, name, robot);
  return name;
}

// what is only drawn and cannot be had
static void note_missing(limpet_robot *robot, const limpet_xml_element *e, const char *attribute,
                         const char *kind, const char *why) {
  limpet_reader_note(robot->reader, e, attribute, kind, "a mesh that is only drawn is left out: %s",
                     why);
}

// finds the file; NULL: it is missing and only drawn
static const char *find_file(limpet_robot *robot, const limpet_xml_element *e,
                             const char *attribute, bool touches) {
  const char *uri = limpet_read_required(robot->reader, e, attribute);
  const limpet_location location = limpet_locate(robot->reader, e->file, uri);
  if (location.path) {
    if (location.guessed)
      limpet_reader_mend(robot->reader, e, attribute, "guessed package",
                         "the package of '%s' cannot be found: %s is taken; give the folder of "
                         "the package with --package NAME=FOLDER",
                         uri, location.path);
    if (!strstr(uri, "://") && limpet_path_leaves(uri) && *uri != '/')
      limpet_reader_note(robot->reader, e, attribute, "path leaves",
                         "'%s' lies outside of the folder of the model: it is read from %s", uri,
                         location.path);
    return location.path;
  }
  const char *tried = location.tried ? location.tried : "nothing: there is no folder to look in";
  if (touches)
    limpet_reader_fail(robot->reader, e, attribute,
                       "the mesh '%s' cannot be found; give the folder of its package with "
                       "--package or in LIMPET_PACKAGE_PATH; tried %s",
                       uri, tried);
  note_missing(robot, e, attribute, uri,
               limpet_reader_join(robot->reader, "its file cannot be found; tried ", tried, ""));
  return NULL;
}

// Tells of a picture that is elsewhere, or not there; `path`: the file of the mesh.
static void note_picture(limpet_robot *robot, const limpet_xml_element *e, const char *attribute,
                         const char *path) {
  if (robot->mesh_file.image_missing)
    limpet_reader_note(
        robot->reader, e, attribute, "mesh picture",
        "a picture that %s names cannot be read as PNG or JPEG: the mesh is drawn in "
        "its colour",
        path);
  else if (robot->mesh_file.image_outside)
    limpet_reader_note(robot->reader, e, attribute, "mesh picture outside",
                       "%s takes its picture from outside of its folder: who gets the folder alone "
                       "cannot draw it",
                       path);
}

// reads the file; false: it cannot be read and is only drawn
static bool read_file(limpet_robot *robot, const limpet_xml_element *e, const char *attribute,
                      const char *path, bool touches) {
  limpet_error error = {0};
  limpet_mesh_file_free(&robot->mesh_file);
  limpet_reader_go_on(robot->reader);
  const limpet_status status = limpet_mesh_file_read(&robot->mesh_file, path, &error);
  if (status == LIMPET_OK) {
    note_picture(robot, e, attribute, path);
    limpet_mesh_turned_note(robot->reader, e, attribute, &robot->mesh_file, path);
  }
  if (status == LIMPET_OK && (touches || robot->mesh_file.vertex_count >= 4)) return true;
  const char *why = status == LIMPET_OK ? "it has fewer than 4 vertices" : error.message;
  if (touches) limpet_reader_fail(robot->reader, e, attribute, "%s", why);
  // one note for each kind of file that cannot be read, since they come in dozens
  const char *ending = strrchr(path, '.');
  note_missing(robot, e, attribute, status == LIMPET_ERROR_UNSUPPORTED && ending ? ending : path,
               why);
  return false;
}

// The picture of a file, as an appearance of the builder.
static int add_picture(limpet_robot *robot, const limpet_mesh_file *file, const char *name) {
  if (!file->image || !file->texture_coordinates || file->image_size > INT_MAX) return LIMPET_NONE;
  limpet_texture texture = limpet_texture_default();
  texture.name = name;
  texture.kind = LIMPET_TEXTURE_FLAT;
  texture.pattern = LIMPET_PATTERN_IMAGE;
  texture.image[0] = file->image, texture.image_size[0] = (int)file->image_size;
  limpet_appearance look = limpet_appearance_default();
  look.name = name;
  look.texture = limpet_reader_added(robot->reader,
                                     limpet_builder_add_texture(robot->reader->builder, &texture));
  return limpet_reader_added(robot->reader,
                             limpet_builder_add_appearance(robot->reader->builder, &look));
}

static known_mesh *add_mesh(limpet_robot *robot, const limpet_mesh_file *file, const char *path,
                            const limpet_robot_mesh *mesh, bool touches) {
  limpet_mesh_description d = limpet_mesh_description_default();
  d.name = name_of(robot, path);
  d.file = path;
  d.place = limpet_xml_place(mesh->element, NULL);
  d.vertex_count = file->vertex_count, d.vertices = file->vertices;
  d.face_count = file->face_count, d.faces = file->faces;
  d.tetrahedron_count = file->tetrahedron_count, d.tetrahedra = file->tetrahedra;
  d.field = file->field;
  d.texture_coordinates = file->texture_coordinates;
  d.concave = mesh->concave;
  memcpy(d.scale, mesh->scale, sizeof d.scale);
  d.inertia = touches ? LIMPET_MESH_INERTIA_CONVEX : LIMPET_MESH_INERTIA_SHELL;
  const double thickness = touches && !mesh->concave ? limpet_robot_plate(robot, &d) : 0.0;
  if (thickness > 0.0)
    limpet_reader_mend(robot->reader, mesh->element, mesh->attribute, path,
                       "the mesh lies in a plane and has no volume: it touches as a plate %g thick "
                       "(units of the mesh); use a box",
                       thickness);
  known_mesh *known = LIMPET_READER_TAKE(robot->reader, known_mesh, 1);
  known->handle =
      limpet_reader_added(robot->reader, limpet_builder_add_mesh(robot->reader->builder, &d));
  known->has_rgba = file->has_rgba;
  memcpy(known->rgba, file->rgba, sizeof known->rgba);
  known->appearance = add_picture(robot, file, d.name);
  return known;
}

// Keeps the file that has just been read for other meshes, if there is nothing to tell of it.
static void keep_file(limpet_robot *robot, const char *path) {
  const limpet_mesh_file *file = &robot->mesh_file;
  if (file->image || file->image_missing || file->image_outside || file->turned_count > 0 ||
      file->vertex_count < 4)
    return;
  limpet_robot_file *kept = malloc(sizeof *kept);
  if (!kept) limpet_reader_no_memory(robot->reader);
  *kept = (limpet_robot_file){.file = *file, .next = robot->files};
  robot->files = kept;
  robot->mesh_file = (limpet_mesh_file){0};
  limpet_reader_enter(robot->reader, &robot->meshes, 2, path, kept);
}

void limpet_robot_files_free(limpet_robot *robot) {
  limpet_mesh_file_free(&robot->mesh_file);
  while (robot->files) {
    limpet_robot_file *kept = robot->files;
    robot->files = kept->next;
    limpet_mesh_file_free(&kept->file);
    free(kept);
  }
}

// reads the file if it is the first time
static const known_mesh *find_mesh(limpet_robot *robot, const char *path,
                                   const limpet_robot_mesh *mesh, bool touches) {
  const char *key = key_of(robot, path, mesh, touches);
  known_mesh *known = limpet_table_find(&robot->meshes, 0, key);
  if (known) return known;
  const limpet_robot_file *kept = limpet_table_find(&robot->meshes, 2, path);
  if (kept) {
    known = add_mesh(robot, &kept->file, path, mesh, touches);
  } else if (read_file(robot, mesh->element, mesh->attribute, path, touches)) {
    known = add_mesh(robot, &robot->mesh_file, path, mesh, touches);
    keep_file(robot, path);
  } else {
    known = LIMPET_READER_TAKE(robot->reader, known_mesh, 1);
    known->handle = known->appearance = LIMPET_NONE;
  }
  limpet_reader_enter(robot->reader, &robot->meshes, 0, key, known);
  return known;
}

static void check_scale(limpet_robot *robot, const limpet_robot_mesh *mesh) {
  const limpet_xml_element *e = mesh->element;
  for (int i = 0; i < 3; ++i)
    if (mesh->scale[i] == 0.0)
      limpet_reader_fail(robot->reader, e, limpet_xml_find(e, "scale") ? "scale" : NULL,
                         "the scale of the mesh is zero; give three numbers that are not");
}

const char *limpet_robot_mesh_read(limpet_robot *robot, const limpet_robot_mesh *mesh) {
  const char *path = find_file(robot, mesh->element, mesh->attribute, true);
  check_scale(robot, mesh);
  read_file(robot, mesh->element, mesh->attribute, path, true);
  return path;
}

bool limpet_robot_mesh_take(limpet_robot *robot, const limpet_robot_mesh *mesh,
                            limpet_geom_description *d) {
  const limpet_xml_element *e = mesh->element;
  const bool touches = d->contype || d->conaffinity;
  const char *path = find_file(robot, e, mesh->attribute, touches);
  if (!path) return false;
  check_scale(robot, mesh);
  const known_mesh *known = find_mesh(robot, path, mesh, touches);
  d->kind = LIMPET_SHAPE_MESH;
  d->mesh = known->handle;
  if (known->has_rgba) memcpy(d->rgba, known->rgba, sizeof d->rgba);
  if (known->appearance != LIMPET_NONE) d->appearance = known->appearance;
  return known->handle != LIMPET_NONE;
}
