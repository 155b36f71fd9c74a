/* record/texture_encode.c: textures and appearances of a scene as JSON; images go into the stream
 * as the bytes of their files, once each. */
#include "record/scene.h"

static json_t *colour(const float rgb[3]) {
  return json_pack("[f, f, f]", (double)rgb[0], (double)rgb[1], (double)rgb[2]);
}

static json_t *images(const limpet_texture *texture, limpet_byte_stream *stream) {
  json_t *list = json_array();
  for (int f = 0; f < LIMPET_TEXTURE_FACES; ++f) {
    const size_t size = (size_t)texture->image_size[f];
    json_array_append_new(list, texture->image[f] ? limpet_stream_array(stream, LIMPET_ELEMENT_U1,
                                                                        size, texture->image[f])
                                                  : json_null());
  }
  return list;
}

static json_t *texture(const limpet_texture *t, limpet_byte_stream *stream) {
  static const char *const kinds[] = {"2d", "cube", "sky"};
  static const char *const patterns[] = {"image", "gradient", "checker", "flat"};
  static const char *const marks[] = {"none", "edge", "cross", "random"};
  return json_pack("{s:s, s:s, s:s, s:o, s:o, s:o, s:f, s:i, s:i, s:o, s:[i,i], s:s, s:[b,b]}",
                   "kind", kinds[t->kind], "pattern", patterns[t->pattern], "mark", marks[t->mark],
                   "rgb1", colour(t->rgb1), "rgb2", colour(t->rgb2), "markrgb", colour(t->mark_rgb),
                   "random", t->random, "width", t->width, "height", t->height, "images",
                   images(t, stream), "grid", t->grid_rows, t->grid_columns, "layout",
                   t->grid_layout, "flip", t->flip_horizontal, t->flip_vertical);
}

json_t *limpet_textures_encode(const limpet_model *model, limpet_byte_stream *stream) {
  json_t *list = json_array();
  for (int t = 0; t < model->texture_count; ++t)
    json_array_append_new(list, texture(&model->texture[t], stream));
  return list;
}

json_t *limpet_appearances_encode(const limpet_model *model) {
  json_t *list = json_array();
  for (int a = 0; a < model->appearance_count; ++a) {
    const limpet_appearance *look = &model->appearance[a];
    json_array_append_new(
        list, json_pack("{s:i, s:[f,f], s:b, s:f, s:f, s:f, s:f, s:f, s:f}", "texture",
                        look->texture, "repeat", look->repeat[0], look->repeat[1], "uniform",
                        look->uniform, "emission", look->emission, "specular", look->specular,
                        "shininess", look->shininess, "reflectance", look->reflectance, "metallic",
                        look->metallic, "roughness", look->roughness));
  }
  return list;
}
