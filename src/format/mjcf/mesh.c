/* format/mjcf/mesh.c: meshes of the builder. A mesh file is read when the first geom needs it. */
#include "format/mjcf/mesh.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "format/mesh/formats.h"
#include "format/mesh/turned.h"
#include "format/mjcf/default.h"
#include "format/mjcf/file.h"
#include "format/mjcf/space.h"
#include "format/read/text.h"
#include "format/read/value.h"

static const size_t GMSH_FILE_LIMIT = (size_t)1 << 30;  // [bytes]

static void mesh_layer(limpet_reader *reader, const limpet_mjcf_source *source,
                       const limpet_xml_element *e, void *record) {
  static const char *const inertias[] = {"legacy", "exact", "convex", "shell", NULL};
  limpet_mesh_description *d = record;
  (void)source;
  limpet_read_numbers(reader, e, "scale", d->scale, 3, 3);
  limpet_read_integer(reader, e, "maxhullvert", &d->hull_vertex_limit);
  if (d->hull_vertex_limit != -1 && d->hull_vertex_limit < 4)
    limpet_reader_fail(reader, e, "maxhullvert",
                       "'maxhullvert' is %d; a hull needs four vertices or more, -1 means no limit",
                       d->hull_vertex_limit);
  limpet_read_boolean(reader, e, "limpet:concave", &d->concave);
  int inertia = (int)d->inertia;
  limpet_read_choice(reader, e, "inertia", inertias, &inertia);
  d->inertia = (limpet_mesh_inertia)inertia;
}

// 'texcoord': a pair a vertex, v from the top down
static void read_coordinates(limpet_reader *reader, const limpet_xml_element *e,
                             limpet_mesh_description *d) {
  int count = 0;
  const double *pair = limpet_read_array(reader, e, "texcoord", &count);
  if (count == 0) return;
  if (count != 2 * d->vertex_count)
    limpet_reader_fail(reader, e, "texcoord",
                       "'texcoord' has %d numbers; it takes two for each of the %d vertices", count,
                       d->vertex_count);
  if (d->face_count == 0) return;  // the faces of the hull have none
  float *corner = LIMPET_READER_TAKE(reader, float, 6 * d->face_count);
  for (int i = 0; i < 3 * d->face_count; ++i) {
    corner[2 * i] = (float)pair[2 * d->faces[i]];
    corner[2 * i + 1] = 1.0F - (float)pair[2 * d->faces[i] + 1];
  }
  d->texture_coordinates = corner;
}

// vertices and faces written in the XML
static void read_inline(limpet_reader *reader, const limpet_xml_element *e,
                        limpet_mesh_description *d) {
  int count = 0, index_count = 0;
  d->vertices = limpet_read_array(reader, e, "vertex", &count);
  if (count == 0) limpet_reader_fail(reader, e, NULL, "the mesh has neither a file nor vertices");
  if (count % 3 != 0)
    limpet_reader_fail(reader, e, "vertex",
                       "'vertex' has %d numbers; it takes three for each vertex", count);
  d->vertex_count = count / 3;
  const double *index = limpet_read_array(reader, e, "face", &index_count);
  if (index_count % 3 != 0)
    limpet_reader_fail(reader, e, "face", "'face' has %d numbers; it takes three for each triangle",
                       index_count);
  int *faces = LIMPET_READER_TAKE(reader, int, index_count ? index_count : 1);
  for (int i = 0; i < index_count; ++i) {
    if (!(index[i] >= 0.0 && index[i] < (double)d->vertex_count) || index[i] != floor(index[i]))
      limpet_reader_fail(reader, e, "face", "face %d names vertex %g, but the mesh has %d", i / 3,
                         index[i], d->vertex_count);
    faces[i] = (int)index[i];
  }
  d->face_count = index_count / 3;
  d->faces = index_count ? faces : NULL;
  read_coordinates(reader, e, d);
}

static void take_mesh_file(const limpet_mjcf *m, limpet_mesh_description *d) {
  d->vertex_count = m->mesh_file.vertex_count, d->face_count = m->mesh_file.face_count;
  d->vertices = m->mesh_file.vertices, d->faces = m->mesh_file.faces;
  d->tetrahedron_count = m->mesh_file.tetrahedron_count;
  d->tetrahedra = m->mesh_file.tetrahedra, d->field = m->mesh_file.field;
  d->texture_coordinates = m->mesh_file.texture_coordinates;
  // a volume mesh keeps its digits: a flat side stays flat
  if (d->tetrahedron_count > 0) d->single_precision = false;
}

static void mesh_file_read(limpet_mjcf *m, const char *path) {
  limpet_reader_go_on(m->reader);
  const limpet_status status = limpet_mesh_file_read(&m->mesh_file, path, m->reader->error);
  if (status != LIMPET_OK) limpet_reader_stop(m->reader, status);
}

// reads the file of the mesh; false: it is missing
static bool read_file(limpet_mjcf *m, const limpet_mjcf_source *source, limpet_mjcf_mesh *mesh,
                      bool needed, limpet_mesh_description *d) {
  const limpet_xml_element *e = mesh->element;
  const char *file = limpet_xml_value(e, "file"), *tried = NULL;
  if (source->compiler.strip_path) file = limpet_path_name(file);
  const char *path =
      limpet_mjcf_file_find(m->reader, source, e, file, limpet_mjcf_asset_folder(source), &tried);
  if (!path && needed)
    limpet_reader_fail(m->reader, e, "file", "the file of mesh '%s' cannot be found; tried %s",
                       mesh->name, tried);
  if (!path) {
    mesh->missing = true;
    limpet_reader_note(
        m->reader, e, "file", tried,
        "the file of mesh '%s' cannot be found; visual geoms that use it are left out (tried %s)",
        mesh->name, tried);
    return false;
  }
  mesh_file_read(m, path);
  limpet_mesh_turned_note(m->reader, e, "file", &m->mesh_file, path);
  d->file = path;
  take_mesh_file(m, d);
  return true;
}

// the prefix of the space in which a source was used first tells the meshes of several sources
// apart
int limpet_mjcf_mesh_handle(limpet_mjcf *m, const limpet_mjcf_source *source,
                            limpet_mjcf_mesh *mesh, bool needed) {
  static const char *const tags[] = {"mesh", NULL};
  if (mesh->handle != LIMPET_NONE || (mesh->missing && !needed)) return mesh->handle;
  const limpet_xml_element *e = mesh->element;
  limpet_mesh_description d = limpet_mesh_description_default();
  d.name = limpet_reader_join(m->reader, source->first_space->prefix, mesh->name, "");
  d.place = limpet_xml_place(e, NULL);
  d.single_precision = true;
  limpet_mjcf_apply(m->reader, source, NULL, e, tags, mesh_layer, &d);
  const bool made =
      limpet_xml_find(e, "builtin") && limpet_mjcf_builtin(m->reader, e, &m->mesh_file, &d);
  if (!made && (limpet_xml_find(e, "builtin") || e->first)) {
    limpet_reader_unsupported(m->reader, e, NULL, "generated mesh",
                              "meshes made by a plugin, or of a 'builtin' that is for flexes, are "
                              "not supported: geoms that use them are left out; export the mesh "
                              "and name it in 'file'");
    mesh->missing = true;
    return LIMPET_NONE;
  }
  limpet_read_numbers(m->reader, e, "refpos", d.reference_position, 3, 3);
  limpet_read_numbers(m->reader, e, "refquat", d.reference_quaternion, 4, 4);
  if (made) take_mesh_file(m, &d);
  else if (!limpet_xml_find(e, "file")) read_inline(m->reader, e, &d);
  else if (!read_file(m, source, mesh, needed, &d)) return LIMPET_NONE;
  mesh->handle = limpet_reader_added(m->reader, limpet_builder_add_mesh(m->reader->builder, &d));
  limpet_mesh_file_free(&m->mesh_file);
  return mesh->handle;
}

void limpet_mjcf_gmsh_check(limpet_reader *reader, const limpet_mjcf_source *source,
                            const limpet_xml_element *e) {
  const char *path = limpet_mjcf_file_find(reader, source, e, limpet_xml_value(e, "file"),
                                           limpet_mjcf_asset_folder(source), NULL);
  char *text;
  size_t length;
  if (!path) return;
  limpet_status status = limpet_text_file(&text, &length, path, GMSH_FILE_LIMIT, reader->error);
  if (status == LIMPET_OK) {
    status = limpet_mesh_check_gmsh(text, length, path, reader->error);
    free(text);
  }
  if (status != LIMPET_OK) limpet_reader_stop(reader, status);
}

const char *limpet_mjcf_mesh_file(limpet_mjcf *m, const limpet_mjcf_source *source,
                                  const limpet_xml_element *e) {
  const char *file = limpet_read_required(m->reader, e, "file"), *tried = NULL;
  if (source->compiler.strip_path) file = limpet_path_name(file);
  const char *path =
      limpet_mjcf_file_find(m->reader, source, e, file, limpet_mjcf_asset_folder(source), &tried);
  if (!path)
    limpet_reader_fail(m->reader, e, "file", "the mesh '%s' cannot be found; tried %s", file,
                       tried);
  mesh_file_read(m, path);
  limpet_mesh_turned_note(m->reader, e, "file", &m->mesh_file, path);
  return path;
}
