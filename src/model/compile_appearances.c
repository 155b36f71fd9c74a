/* model/compile_appearances.c: textures and appearances, copied into the model: pictures draw
 * them. */
#include <math.h>
#include <string.h>

#include "model/compile.h"

static limpet_status check_texture(const limpet_compiler *compiler, int t) {
  const limpet_texture *texture = limpet_builder_textures(compiler->builder) + t;
  const int list = LIMPET_LIST_TEXTURE;
  if ((int)texture->kind < 0 || texture->kind > LIMPET_TEXTURE_SKY || (int)texture->pattern < 0 ||
      texture->pattern > LIMPET_PATTERN_FLAT || (int)texture->mark < 0 ||
      texture->mark > LIMPET_MARK_RANDOM)
    return limpet_compile_error(compiler, list, t, " has an unknown kind, pattern or mark");
  if (texture->grid_rows < 1 || texture->grid_columns < 1 ||
      texture->grid_rows * texture->grid_columns > 12)
    return limpet_compile_error(compiler, list, t, ": a grid of %d x %d images; give 1 to 12",
                                texture->grid_rows, texture->grid_columns);
  return LIMPET_OK;
}

static limpet_status check_appearance(const limpet_compiler *compiler, int a) {
  const limpet_appearance *look = limpet_builder_appearances(compiler->builder) + a;
  const int list = LIMPET_LIST_APPEARANCE;
  const int textures = compiler->builder->list[LIMPET_LIST_TEXTURE].count;
  if (look->texture != LIMPET_NONE && (look->texture < 0 || look->texture >= textures))
    return limpet_compile_error(compiler, list, a, ": its texture %d does not exist",
                                look->texture);
  const double numbers[] = {look->repeat[0], look->repeat[1],   look->emission, look->specular,
                            look->shininess, look->reflectance, look->metallic, look->roughness};
  for (size_t i = 0; i < sizeof numbers / sizeof *numbers; ++i)
    if (!isfinite(numbers[i]))
      return limpet_compile_error(compiler, list, a, " has a number that is not finite");
  return LIMPET_OK;
}

static limpet_status fill_texture(limpet_compiler *compiler, int t) {
  const limpet_status status = check_texture(compiler, t);
  if (status) return status;
  limpet_texture *texture = &compiler->model->texture[t];
  *texture = limpet_builder_textures(compiler->builder)[t];
  texture->name = limpet_compile_text(compiler, texture->name);
  texture->place = (limpet_place){0};
  for (int f = 0; f < LIMPET_TEXTURE_FACES; ++f) {
    if (!texture->image[f]) continue;
    void *copy = limpet_arena_take(&compiler->storage->arena, (size_t)texture->image_size[f]);
    if (!copy) return limpet_compile_no_memory(compiler);
    texture->image[f] = memcpy(copy, texture->image[f], (size_t)texture->image_size[f]);
  }
  return LIMPET_OK;
}

limpet_status limpet_compile_appearances(limpet_compiler *compiler) {
  limpet_model *model = compiler->model;
  limpet_status status = LIMPET_OK;
  for (int t = 0; t < model->texture_count && !status; ++t) status = fill_texture(compiler, t);
  for (int a = 0; a < model->appearance_count && !status; ++a) {
    status = check_appearance(compiler, a);
    model->appearance[a] = limpet_builder_appearances(compiler->builder)[a];
    model->appearance[a].name = limpet_compile_text(compiler, model->appearance[a].name);
    model->appearance[a].place = (limpet_place){0};
  }
  return status;
}
