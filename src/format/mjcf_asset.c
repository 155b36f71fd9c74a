/* format/mjcf_asset.c: meshes, materials and models to attach. A mesh file is read when the first
 * geom needs it. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "format/mesh_file.h"
#include "format/mjcf.h"
#include "format/text.h"

// ------------------------------------------------------------------------------------ files

// whether a path stands in a list "a, b, c"
static bool listed(const char *list, const char *path) {
  const size_t length = strlen(path);
  for (const char *at = list; at && (at = strstr(at, path)); ++at)
    if ((at == list || at[-1] == ' ') && (at[length] == '\0' || at[length] == ',')) return true;
  return false;
}

static bool try_path(limpet_mjcf *m, const char *folder, const char *file, const char **found,
                     const char **tried) {
  const char *path = limpet_path_join(&m->pool, folder, file);
  if (!path)
    limpet_mjcf_fail_status(
        m, limpet_error_fill(m->error, LIMPET_ERROR_MEMORY, "no memory to read the model"));
  if (limpet_path_exists(path)) {
    *found = path;
    return true;
  }
  if (tried && !listed(*tried, path))
    *tried = *tried ? limpet_mjcf_join(m, *tried, ", ", path) : path;
  return false;
}

const char *limpet_mjcf_file_find(limpet_mjcf *m, const limpet_mjcf_source *source,
                                  const limpet_xml_element *e, const char *file, const char *folder,
                                  const char **tried) {
  const char *found = NULL;
  const char *declaring = limpet_path_folder(&m->pool, e->file);
  if (!declaring)
    limpet_mjcf_fail_status(
        m, limpet_error_fill(m->error, LIMPET_ERROR_MEMORY, "no memory to read the model"));
  const char *below =
      folder && *folder
          ? limpet_mjcf_join(m, folder, folder[strlen(folder) - 1] == '/' ? "" : "/", "")
          : "";
  const char *below_main = *below == '/' ? below : limpet_mjcf_join(m, source->folder, below, "");
  const char *below_declaring = *below == '/' ? below : limpet_mjcf_join(m, declaring, below, "");
  if (try_path(m, below_main, file, &found, tried)) return found;
  if (try_path(m, below_declaring, file, &found, tried)) return found;
  if (try_path(m, declaring, file, &found, tried)) return found;
  return NULL;
}

const char *limpet_mjcf_asset_folder(const limpet_mjcf_source *source) {
  return source->compiler.mesh_folder ? source->compiler.mesh_folder
                                      : source->compiler.asset_folder;
}

// ---------------------------------------------------------------------------------- section

static const char *stem(limpet_mjcf *m, const char *file) {
  const char *name = limpet_path_stem(&m->pool, file);
  if (!name)
    limpet_mjcf_fail_status(
        m, limpet_error_fill(m->error, LIMPET_ERROR_MEMORY, "no memory to read the model"));
  return name;
}

static void add_mesh(limpet_mjcf *m, limpet_mjcf_source *source, const limpet_xml_element *e) {
  const char *name = limpet_xml_value(e, "name"), *file = limpet_xml_value(e, "file");
  if (!name) name = file ? stem(m, file) : NULL;
  if (!name) limpet_mjcf_fail(m, e, NULL, "<mesh> needs the attribute 'file' or 'name'");
  const limpet_mjcf_mesh *other = limpet_mjcf_mesh_find(source, name);
  if (other)
    limpet_mjcf_fail(m, e, limpet_xml_find(e, "name") ? "name" : "file",
                     "the name '%s' is used twice for a mesh; the first is at %s:%d:%d", name,
                     other->element->file, other->element->line, other->element->column);
  limpet_mjcf_mesh *mesh = LIMPET_MJCF_TAKE(m, limpet_mjcf_mesh, 1);
  *mesh =
      (limpet_mjcf_mesh){.name = name, .element = e, .handle = LIMPET_NONE, .next = source->meshes};
  source->meshes = mesh;
}

static void material_layer(limpet_mjcf *m, const limpet_mjcf_source *source,
                           const limpet_xml_element *e, void *record) {
  limpet_mjcf_material *material = record;
  double rgba[4];
  (void)source;
  if (limpet_mjcf_numbers(m, e, "rgba", rgba, 4, 4))
    for (int i = 0; i < 4; ++i) material->rgba[i] = (float)rgba[i];
}

static void add_material(limpet_mjcf *m, limpet_mjcf_source *source, const limpet_xml_element *e) {
  static const char *const tags[] = {"material", NULL};
  limpet_mjcf_material *material = LIMPET_MJCF_TAKE(m, limpet_mjcf_material, 1);
  *material = (limpet_mjcf_material){
      .name = limpet_mjcf_required(m, e, "name"), .rgba = {1, 1, 1, 1}, .next = source->materials};
  limpet_mjcf_apply(m, source, NULL, e, tags, material_layer, material);
  source->materials = material;
}

static void add_model(limpet_mjcf *m, limpet_mjcf_source *source, const limpet_xml_element *e) {
  limpet_mjcf_required(m, e, "file");
  limpet_mjcf_model *model = LIMPET_MJCF_TAKE(m, limpet_mjcf_model, 1);
  *model = (limpet_mjcf_model){
      .name = limpet_xml_value(e, "name"), .element = e, .next = source->models};
  source->models = model;
}

void limpet_mjcf_assets_read(limpet_mjcf *m, limpet_mjcf_source *source) {
  for (const limpet_xml_element *part = source->root->first; part; part = part->next) {
    if (strcmp(part->name, "asset") != 0) continue;
    for (const limpet_xml_element *e = part->first; e; e = e->next) {
      if (strcmp(e->name, "mesh") == 0) add_mesh(m, source, e);
      else if (strcmp(e->name, "material") == 0) add_material(m, source, e);
      else if (strcmp(e->name, "model") == 0) add_model(m, source, e);
    }
  }
}

limpet_mjcf_material *limpet_mjcf_material_find(const limpet_mjcf_source *source,
                                                const char *name) {
  limpet_mjcf_material *material = source->materials;
  while (material && strcmp(material->name, name) != 0) material = material->next;
  return material;
}

limpet_mjcf_mesh *limpet_mjcf_mesh_find(const limpet_mjcf_source *source, const char *name) {
  limpet_mjcf_mesh *mesh = source->meshes;
  while (mesh && strcmp(mesh->name, name) != 0) mesh = mesh->next;
  return mesh;
}

// ----------------------------------------------------------------------------------- meshes

static void mesh_layer(limpet_mjcf *m, const limpet_mjcf_source *source,
                       const limpet_xml_element *e, void *record) {
  static const char *const inertias[] = {"legacy", "exact", "convex", "shell", NULL};
  limpet_mesh_description *d = record;
  (void)source;
  limpet_mjcf_numbers(m, e, "scale", d->scale, 3, 3);
  limpet_mjcf_integer(m, e, "maxhullvert", &d->hull_vertex_limit);
  if (d->hull_vertex_limit != -1 && d->hull_vertex_limit < 4)
    limpet_mjcf_fail(m, e, "maxhullvert",
                     "'maxhullvert' is %d; a hull needs four vertices or more, -1 means no limit",
                     d->hull_vertex_limit);
  int inertia = (int)d->inertia;
  limpet_mjcf_choice(m, e, "inertia", inertias, &inertia);
  d->inertia = (limpet_mesh_inertia)inertia;
}

// vertices and faces written in the XML
static void read_inline(limpet_mjcf *m, const limpet_xml_element *e, limpet_mesh_description *d) {
  int count = 0, index_count = 0;
  d->vertices = limpet_mjcf_array(m, e, "vertex", &count);
  if (count == 0) limpet_mjcf_fail(m, e, NULL, "the mesh has neither a file nor vertices");
  if (count % 3 != 0)
    limpet_mjcf_fail(m, e, "vertex", "'vertex' has %d numbers; it takes three for each vertex",
                     count);
  d->vertex_count = count / 3;
  const double *index = limpet_mjcf_array(m, e, "face", &index_count);
  if (index_count % 3 != 0)
    limpet_mjcf_fail(m, e, "face", "'face' has %d numbers; it takes three for each triangle",
                     index_count);
  int *faces = LIMPET_MJCF_TAKE(m, int, index_count ? index_count : 1);
  for (int i = 0; i < index_count; ++i) {
    if (!(index[i] >= 0.0 && index[i] < (double)d->vertex_count) || index[i] != floor(index[i]))
      limpet_mjcf_fail(m, e, "face", "face %d names vertex %g, but the mesh has %d", i / 3,
                       index[i], d->vertex_count);
    faces[i] = (int)index[i];
  }
  d->face_count = index_count / 3;
  d->faces = index_count ? faces : NULL;
}

static void take_mesh_file(const limpet_mjcf *m, limpet_mesh_description *d) {
  d->vertex_count = m->mesh_file.vertex_count, d->face_count = m->mesh_file.face_count;
  d->vertices = m->mesh_file.vertices, d->faces = m->mesh_file.faces;
}

// reads the file of the mesh; false: it is missing
static bool read_file(limpet_mjcf *m, const limpet_mjcf_source *source, limpet_mjcf_mesh *mesh,
                      bool needed, limpet_mesh_description *d) {
  const limpet_xml_element *e = mesh->element;
  const char *file = limpet_xml_value(e, "file"), *tried = NULL;
  if (source->compiler.strip_path) file = limpet_path_name(file);
  const char *path =
      limpet_mjcf_file_find(m, source, e, file, limpet_mjcf_asset_folder(source), &tried);
  if (!path && needed)
    limpet_mjcf_fail(m, e, "file", "the file of mesh '%s' cannot be found; tried %s", mesh->name,
                     tried);
  if (!path) {
    mesh->missing = true;
    limpet_mjcf_note(
        m, e, "file", tried,
        "the file of mesh '%s' cannot be found; visual geoms that use it are left out (tried %s)",
        mesh->name, tried);
    return false;
  }
  const limpet_status status = limpet_mesh_file_read(&m->mesh_file, path, m->error);
  if (status != LIMPET_OK) limpet_mjcf_fail_status(m, status);
  d->file = path;
  take_mesh_file(m, d);
  return true;
}

// the space in which a source was used first: its prefix tells the meshes of several sources apart
static const limpet_mjcf_space *first_space_of(const limpet_mjcf *m,
                                               const limpet_mjcf_source *source) {
  const limpet_mjcf_space *space = m->spaces;
  while (space->source != source) space = space->next;
  return space;
}

int limpet_mjcf_mesh_handle(limpet_mjcf *m, const limpet_mjcf_space *space, limpet_mjcf_mesh *mesh,
                            bool needed) {
  static const char *const tags[] = {"mesh", NULL};
  if (mesh->handle != LIMPET_NONE || (mesh->missing && !needed)) return mesh->handle;
  const limpet_mjcf_source *source = space->source;
  const limpet_xml_element *e = mesh->element;
  limpet_mesh_description d = limpet_mesh_description_default();
  d.name = limpet_mjcf_join(m, first_space_of(m, source)->prefix, mesh->name, "");
  d.place = limpet_mjcf_place(e, NULL);
  d.single_precision = true;
  limpet_mjcf_apply(m, source, NULL, e, tags, mesh_layer, &d);
  const bool made = limpet_xml_find(e, "builtin") && limpet_mjcf_builtin(m, e);
  if (!made && (limpet_xml_find(e, "builtin") || e->first)) {
    limpet_mjcf_unsupported(m, e, NULL, "generated mesh",
                            "meshes made by a plugin, wedges and plates are not supported: geoms "
                            "that use them are left out; export "
                            "the mesh and name it in 'file'");
    mesh->missing = true;
    return LIMPET_NONE;
  }
  limpet_mjcf_numbers(m, e, "refpos", d.reference_position, 3, 3);
  limpet_mjcf_numbers(m, e, "refquat", d.reference_quaternion, 4, 4);
  if (made) take_mesh_file(m, &d);
  else if (!limpet_xml_find(e, "file")) read_inline(m, e, &d);
  else if (!read_file(m, source, mesh, needed, &d)) return LIMPET_NONE;
  mesh->handle = limpet_mjcf_added(m, limpet_builder_add_mesh(m->builder, &d));
  limpet_mesh_file_free(&m->mesh_file);
  return mesh->handle;
}

void limpet_mjcf_gmsh_check(limpet_mjcf *m, const limpet_mjcf_space *space,
                            const limpet_xml_element *e) {
  const char *path = limpet_mjcf_file_find(m, space->source, e, limpet_xml_value(e, "file"),
                                           limpet_mjcf_asset_folder(space->source), NULL);
  char *text;
  size_t length;
  if (!path) return;
  limpet_status status = limpet_text_file(&text, &length, path, (size_t)1 << 30, m->error);
  if (status == LIMPET_OK) {
    status = limpet_mesh_check_gmsh(text, length, path, m->error);
    free(text);
  }
  if (status != LIMPET_OK) limpet_mjcf_fail_status(m, status);
}
