/* format/mjcf/asset.c: the section <asset>: meshes, materials and models to attach, by name. */
#include "format/mjcf/asset.h"

#include <string.h>

#include "format/mjcf/default.h"
#include "format/read/text.h"
#include "format/read/value.h"

static const char *stem(limpet_reader *reader, const char *file) {
  const char *name = limpet_path_stem(&reader->pool, file);
  if (!name) limpet_reader_no_memory(reader);
  return name;
}

static void add_mesh(limpet_reader *reader, limpet_mjcf_source *source,
                     const limpet_xml_element *e) {
  const char *name = limpet_xml_value(e, "name"), *file = limpet_xml_value(e, "file");
  if (!name) name = file ? stem(reader, file) : NULL;
  if (!name) limpet_reader_fail(reader, e, NULL, "<mesh> needs the attribute 'file' or 'name'");
  const limpet_mjcf_mesh *other = limpet_mjcf_mesh_find(source, name);
  if (other)
    limpet_reader_fail(reader, e, limpet_xml_find(e, "name") ? "name" : "file",
                       "the name '%s' is used twice for a mesh; the first is at %s:%d:%d", name,
                       other->element->file, other->element->line, other->element->column);
  limpet_mjcf_mesh *mesh = LIMPET_READER_TAKE(reader, limpet_mjcf_mesh, 1);
  *mesh = (limpet_mjcf_mesh){.name = name, .element = e, .handle = LIMPET_NONE};
  limpet_reader_enter(reader, &source->meshes, 0, name, mesh);
}

// what pictures show; a layer of colours is the texture, too
static void read_look(limpet_reader *reader, const limpet_xml_element *e,
                      limpet_mjcf_material *material) {
  limpet_appearance *look = &material->look;
  if (limpet_xml_find(e, "texture")) material->texture = limpet_xml_value(e, "texture");
  for (const limpet_xml_element *layer = e->first; layer; layer = layer->next) {
    const char *role = strcmp(layer->name, "layer") == 0 ? limpet_xml_value(layer, "role") : NULL;
    if (role && strncmp(role, "rgb", 3) == 0)
      material->texture = limpet_xml_value(layer, "texture");
  }
  limpet_read_numbers(reader, e, "texrepeat", look->repeat, 2, 2);
  limpet_read_boolean(reader, e, "texuniform", &look->uniform);
  limpet_read_number(reader, e, "emission", &look->emission);
  limpet_read_number(reader, e, "specular", &look->specular);
  limpet_read_number(reader, e, "shininess", &look->shininess);
  limpet_read_number(reader, e, "reflectance", &look->reflectance);
  limpet_read_number(reader, e, "metallic", &look->metallic);
  limpet_read_number(reader, e, "roughness", &look->roughness);
}

static void material_layer(limpet_reader *reader, const limpet_mjcf_source *source,
                           const limpet_xml_element *e, void *record) {
  limpet_mjcf_material *material = record;
  double rgba[4];
  (void)source;
  if (limpet_read_numbers(reader, e, "rgba", rgba, 4, 4))
    for (int i = 0; i < 4; ++i) material->rgba[i] = (float)rgba[i];
  for (int i = 0; i < e->attribute_count; ++i)
    if (strncmp(e->attribute[i].name, "limpet:", 7) == 0) material->has_surface = true;
  read_look(reader, e, material);
}

static void add_material(limpet_reader *reader, limpet_mjcf_source *source,
                         const limpet_xml_element *e) {
  static const char *const tags[] = {"material", NULL};
  const char *name = limpet_read_required(reader, e, "name");
  const limpet_mjcf_material *other = limpet_mjcf_material_find(source, name);
  if (other)
    limpet_reader_fail(reader, e, "name",
                       "the name '%s' is used twice for a material; the first is at %s:%d:%d", name,
                       other->element->file, other->element->line, other->element->column);
  limpet_mjcf_material *material = LIMPET_READER_TAKE(reader, limpet_mjcf_material, 1);
  *material = (limpet_mjcf_material){.name = name,
                                     .rgba = {1, 1, 1, 1},
                                     .look = limpet_appearance_default(),
                                     .handle = LIMPET_NONE,
                                     .element = e};
  limpet_mjcf_apply(reader, source, NULL, e, tags, material_layer, material);
  limpet_reader_enter(reader, &source->materials, 0, name, material);
}

static void add_model(limpet_reader *reader, limpet_mjcf_source *source,
                      const limpet_xml_element *e) {
  limpet_read_required(reader, e, "file");
  limpet_mjcf_model *model = LIMPET_READER_TAKE(reader, limpet_mjcf_model, 1);
  *model = (limpet_mjcf_model){
      .name = limpet_xml_value(e, "name"), .element = e, .next = source->models};
  source->models = model;
}

void limpet_mjcf_assets_read(limpet_reader *reader, limpet_mjcf_source *source) {
  for (const limpet_xml_element *part = source->root->first; part; part = part->next) {
    if (strcmp(part->name, "asset") != 0) continue;
    for (const limpet_xml_element *e = part->first; e; e = e->next) {
      if (strcmp(e->name, "mesh") == 0) add_mesh(reader, source, e);
      else if (strcmp(e->name, "hfield") == 0) limpet_mjcf_hfield_add(reader, source, e);
      else if (strcmp(e->name, "material") == 0) add_material(reader, source, e);
      else if (strcmp(e->name, "texture") == 0) limpet_mjcf_texture_add(reader, source, e);
      else if (strcmp(e->name, "model") == 0) add_model(reader, source, e);
    }
  }
}

limpet_mjcf_material *limpet_mjcf_material_find(const limpet_mjcf_source *source,
                                                const char *name) {
  return limpet_table_find(&source->materials, 0, name);
}

limpet_mjcf_mesh *limpet_mjcf_mesh_find(const limpet_mjcf_source *source, const char *name) {
  return limpet_table_find(&source->meshes, 0, name);
}
