/* format/mjcf/texture.c: textures and materials as pictures need them. Patterns are passed on as
 * they are described, images as the bytes of their files: who draws decodes them. Source: MJCF
 * reference, asset/texture and asset/material. */
#include <stdlib.h>
#include <string.h>

#include "format/mjcf/asset.h"
#include "format/mjcf/default.h"
#include "format/mjcf/file.h"
#include "format/mjcf/space.h"
#include "format/read/text.h"
#include "format/read/value.h"

static const size_t FILE_LIMIT = (size_t)1 << 26;  // [bytes]  of an image

typedef struct limpet_mjcf_texture {
  const char *name;
  const limpet_xml_element *element;
  int handle;    // in the builder, once something needs it
  bool missing;  // its image cannot be used
} limpet_mjcf_texture;

typedef struct texture_record {
  limpet_texture d;
  const char *file[1 + LIMPET_TEXTURE_FACES];  // of all, then of each face
} texture_record;

static const char *const file_words[1 + LIMPET_TEXTURE_FACES] = {
    "file", "fileright", "fileleft", "fileup", "filedown", "filefront", "fileback"};

void limpet_mjcf_texture_add(limpet_reader *reader, limpet_mjcf_source *source,
                             const limpet_xml_element *e) {
  const char *name = limpet_xml_value(e, "name"), *file = limpet_xml_value(e, "file");
  const char *type = limpet_xml_value(e, "type");
  if (!name && file) name = limpet_path_stem(&reader->pool, file);
  limpet_mjcf_texture *texture = LIMPET_READER_TAKE(reader, limpet_mjcf_texture, 1);
  *texture = (limpet_mjcf_texture){.name = name ? name : "", .element = e, .handle = LIMPET_NONE};
  if (type && strcmp(type, "skybox") == 0 && !source->sky) source->sky = texture;
  if (name) limpet_reader_enter(reader, &source->textures, 0, name, texture);
}

// ---------------------------------------------------------------------------------- reading

static void read_colour(limpet_reader *reader, const limpet_xml_element *e, const char *word,
                        float colour[3]) {
  double rgb[3];
  if (!limpet_read_numbers(reader, e, word, rgb, 3, 3)) return;
  for (int k = 0; k < 3; ++k) colour[k] = (float)rgb[k];
}

static void texture_layer(limpet_reader *reader, const limpet_mjcf_source *source,
                          const limpet_xml_element *e, void *record) {
  static const char *const kinds[] = {"2d", "cube", "skybox", NULL};
  static const char *const patterns[] = {"none", "gradient", "checker", "flat", NULL};
  static const char *const marks[] = {"none", "edge", "cross", "random", NULL};
  texture_record *r = record;
  (void)source;
  int kind = (int)r->d.kind, pattern = (int)r->d.pattern, mark = (int)r->d.mark;
  limpet_read_choice(reader, e, "type", kinds, &kind);
  limpet_read_choice(reader, e, "builtin", patterns, &pattern);
  limpet_read_choice(reader, e, "mark", marks, &mark);
  r->d.kind = (limpet_texture_kind)kind;
  r->d.pattern = (limpet_texture_pattern)pattern;
  r->d.mark = (limpet_texture_mark)mark;
  read_colour(reader, e, "rgb1", r->d.rgb1);
  read_colour(reader, e, "rgb2", r->d.rgb2);
  read_colour(reader, e, "markrgb", r->d.mark_rgb);
  limpet_read_number(reader, e, "random", &r->d.random);
  limpet_read_integer(reader, e, "width", &r->d.width);
  limpet_read_integer(reader, e, "height", &r->d.height);
  limpet_read_boolean(reader, e, "hflip", &r->d.flip_horizontal);
  limpet_read_boolean(reader, e, "vflip", &r->d.flip_vertical);
  double grid[2];
  if (limpet_read_numbers(reader, e, "gridsize", grid, 2, 2))
    r->d.grid_rows = (int)grid[0], r->d.grid_columns = (int)grid[1];
  const char *layout = limpet_xml_value(e, "gridlayout");
  if (layout) strncpy(r->d.grid_layout, layout, sizeof r->d.grid_layout - 1);
  for (int f = 0; f <= LIMPET_TEXTURE_FACES; ++f)
    if (limpet_xml_find(e, file_words[f])) r->file[f] = limpet_xml_value(e, file_words[f]);
}

// PNG and JPEG are what browsers show
static bool is_image(const char *bytes, size_t size) {
  return size > 8 && (memcmp(bytes, "\x89PNG", 4) == 0 || memcmp(bytes, "\xff\xd8\xff", 3) == 0);
}

// The bytes of an image in the memory of the reading; NULL, with a note: it cannot be drawn.
static const unsigned char *read_image(limpet_reader *reader, const limpet_mjcf_source *source,
                                       const limpet_xml_element *e, const char *file, int *length) {
  const limpet_mjcf_compiler *compiler = &source->compiler;
  const char *tried = NULL,
             *folder = compiler->texture_folder ? compiler->texture_folder : compiler->asset_folder;
  if (compiler->strip_path) file = limpet_path_name(file);
  const char *path = limpet_mjcf_file_find(reader, source, e, file, folder, &tried);
  if (!path) {
    limpet_reader_note(reader, e, "file", "missing texture",
                       "the file of the texture cannot be found; tried %s; pictures show its "
                       "material in plain colour",
                       tried);
    return NULL;
  }
  char *text;
  size_t size;
  const limpet_status status = limpet_text_file(&text, &size, path, FILE_LIMIT, reader->error);
  if (status != LIMPET_OK) limpet_reader_stop(reader, status);
  if (!is_image(text, size)) {
    free(text);
    limpet_reader_note(reader, e, "file", "texture format",
                       "%s is no PNG and no JPEG; pictures show its material in plain colour",
                       path);
    return NULL;
  }
  unsigned char *kept = limpet_pool_take(&reader->pool, size);
  if (kept) memcpy(kept, text, size);
  free(text);
  if (!kept) limpet_reader_no_memory(reader);
  *length = (int)size;
  return kept;
}

// false: an image that is needed is not there
static bool read_images(limpet_reader *reader, const limpet_mjcf_source *source,
                        const limpet_xml_element *e, texture_record *r) {
  bool complete = true;
  if (r->d.pattern != LIMPET_PATTERN_IMAGE) return true;
  const bool single = r->file[0] && *r->file[0];
  for (int f = 0; f < (single ? 1 : LIMPET_TEXTURE_FACES) && complete; ++f) {
    const char *file = r->file[single ? 0 : 1 + f];
    if (!file || !*file) continue;
    r->d.image[f] = read_image(reader, source, e, file, &r->d.image_size[f]);
    complete = r->d.image[f] != NULL;
  }
  bool any = false;
  for (int f = 0; f < LIMPET_TEXTURE_FACES; ++f) any |= r->d.image[f] != NULL;
  return complete && any;
}

static int texture_handle(limpet_reader *reader, const limpet_mjcf_source *source,
                          limpet_mjcf_texture *texture) {
  static const char *const tags[] = {"texture", NULL};
  if (texture->handle != LIMPET_NONE || texture->missing) return texture->handle;
  const limpet_xml_element *e = texture->element;
  texture_record r = {.d = limpet_texture_default()};
  limpet_mjcf_apply(reader, source, NULL, e, tags, texture_layer, &r);
  r.d.name = texture->name;
  r.d.place = limpet_xml_place(e, NULL);
  texture->missing = !read_images(reader, source, e, &r);
  if (texture->missing) return LIMPET_NONE;
  texture->handle = limpet_reader_added(reader, limpet_builder_add_texture(reader->builder, &r.d));
  return texture->handle;
}

int limpet_mjcf_look_handle(limpet_reader *reader, const limpet_mjcf_source *source,
                            limpet_mjcf_material *material) {
  if (material->handle != LIMPET_NONE) return material->handle;
  material->look.name = material->name;
  material->look.place = limpet_xml_place(material->element, NULL);
  limpet_mjcf_texture *texture =
      material->texture ? limpet_table_find(&source->textures, 0, material->texture) : NULL;
  if (material->texture && !texture)
    limpet_reader_note(reader, material->element, "texture", "unknown texture",
                       "there is no texture '%s' in <asset>; pictures show plain colour",
                       material->texture);
  if (texture) material->look.texture = texture_handle(reader, source, texture);
  material->handle =
      limpet_reader_added(reader, limpet_builder_add_appearance(reader->builder, &material->look));
  return material->handle;
}

void limpet_mjcf_sky_add(limpet_reader *reader, const limpet_mjcf_source *source) {
  if (source->sky && !reader->options.discard_visual) texture_handle(reader, source, source->sky);
}
