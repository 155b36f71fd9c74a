/* tests/format/test_textures.c: textures and materials of MJCF as pictures get them: defaults,
 * classes, layers, images as they are in their files, what is missing, and that no motion depends
 * on them. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "limpet/limpet.h"
#include "mjcf_text.h"

static const char scene[] = MODEL(
    "<default><material specular='0.1'/><default class='shiny'><material shininess='0.9' "
    "texrepeat='2 3'/><texture builtin='checker' rgb1='1 0 0'/></default></default><asset>"
    "<texture name='board' class='shiny' type='2d' mark='edge' markrgb='0 1 0' width='64' "
    "height='32'/><texture name='unused' type='2d' builtin='flat'/>"
    "<texture type='skybox' builtin='gradient' rgb1='.3 .5 .7' rgb2='0 0 0'/>"
    "<material name='tiles' class='shiny' texture='board' texuniform='true' rgba='0 0 1 1'/>"
    "<material name='layered'><layer role='rgb' texture='board'/></material>"
    "<material name='plain' emission='0.5'/></asset><worldbody>"
    "<geom name='floor' type='plane' size='1 1 .1' material='tiles'/>"
    "<geom name='own' size='.1' material='plain' rgba='0 1 0 1'/>"
    "<geom name='none' size='.1'/><geom name='layer' size='.1' material='layered'/></worldbody>");

static const limpet_appearance *look_of(const limpet_model *model, const char *geom) {
  const int g = limpet_model_find(model, LIMPET_OBJECT_GEOM, geom);
  const int a = model->geom_appearance[g];
  return a == LIMPET_NONE ? NULL : &model->appearance[a];
}

static void materials_and_textures_are_what_the_file_says(void **state) {
  (void)state;
  limpet_model *model = mjcf_load(scene);
  // a texture that nothing uses is left out; the sky is there
  assert_int_equal(model->texture_count, 2);
  assert_int_equal(model->appearance_count, 3);
  const limpet_appearance *floor = look_of(model, "floor");
  assert_string_equal(floor->name, "tiles");
  assert_true(floor->uniform && floor->repeat[0] == 2.0 && floor->repeat[1] == 3.0);
  assert_true(floor->shininess == 0.9 && floor->specular == 0.1);
  const limpet_texture *board = &model->texture[floor->texture];
  assert_string_equal(board->name, "board");
  assert_int_equal(board->kind, LIMPET_TEXTURE_FLAT);
  assert_int_equal(board->pattern, LIMPET_PATTERN_CHECKER);
  assert_int_equal(board->mark, LIMPET_MARK_EDGE);
  assert_true(board->rgb1[0] == 1.0f && board->rgb1[1] == 0.0f && board->mark_rgb[1] == 1.0f);
  assert_true(board->width == 64 && board->height == 32);
  assert_int_equal(look_of(model, "layer")->texture, floor->texture);
  assert_null(look_of(model, "none"));
  const limpet_appearance *own = look_of(model, "own");
  assert_true(own->texture == LIMPET_NONE && own->emission == 0.5);
  const int g = limpet_model_find(model, LIMPET_OBJECT_GEOM, "own");
  assert_true(model->geom_rgba[4 * g + 1] == 1.0f && model->geom_rgba[4 * g] == 0.0f);
  int skies = 0;
  for (int t = 0; t < model->texture_count; ++t)
    skies += model->texture[t].kind == LIMPET_TEXTURE_SKY;
  assert_int_equal(skies, 1);
  limpet_model_destroy(model);
}

static void no_motion_depends_on_them(void **state) {
  (void)state;
  limpet_model *with = mjcf_load(
      MODEL("<asset><texture name='t' builtin='flat'/><material name='m' texture='t'/></asset>"
            "<worldbody><geom size='.1' material='m'/></worldbody>"));
  limpet_model *without =
      mjcf_load(MODEL("<worldbody><geom size='.1' rgba='1 1 1 1'/></worldbody>"));
  assert_int_equal(with->texture_count, 1);
  assert_true(with->hash == without->hash);
  limpet_model_destroy(with);
  limpet_model_destroy(without);
}

static void write_file(const char *path, const char *text, size_t size) {
  FILE *file = fopen(path, "wb");
  assert_non_null(file);
  assert_int_equal(fwrite(text, 1, size, file), size);
  fclose(file);
}

// Images come as the bytes of their files; one that is missing or no image leaves a note.
static void images_are_passed_on(void **state) {
  (void)state;
  static const char bytes[] = "\x89PNG\r\n\x1a\n and what else an image holds";
  char folder[] = "/tmp/limpet-textures-XXXXXX", path[64], names[2][64];
  assert_non_null(mkdtemp(folder));
  snprintf(names[0], sizeof names[0], "%s/a.png", folder);
  snprintf(names[1], sizeof names[1], "%s/b.png", folder);
  snprintf(path, sizeof path, "%s/scene.xml", folder);
  write_file(names[0], bytes, sizeof bytes);
  write_file(names[1], "no image at all", 15);
  static const char text[] =
      "<mujoco><asset><texture name='good' type='2d' file='a.png'/>"
      "<texture name='bad' type='2d' file='b.png'/><texture name='gone' type='2d' file='c.png'/>"
      "<texture name='six' type='cube' fileright='a.png' fileup='a.png'/>"
      "<material name='good' texture='good'/><material name='bad' texture='bad'/>"
      "<material name='gone' texture='gone'/><material name='six' texture='six'/></asset>"
      "<worldbody><geom name='good' size='1' material='good'/><geom name='bad' size='1' "
      "material='bad'/><geom name='gone' size='1' material='gone'/><geom name='six' size='1' "
      "material='six'/></worldbody></mujoco>";
  write_file(path, text, sizeof text - 1);
  limpet_error error;
  limpet_model *model = limpet_load(path, NULL, &error);
  if (!model) fail_msg("%s", error.message);
  assert_int_equal(model->texture_count, 2);
  const limpet_texture *good = &model->texture[look_of(model, "good")->texture];
  assert_int_equal(good->image_size[0], (int)sizeof bytes);
  assert_memory_equal(good->image[0], bytes, sizeof bytes);
  assert_int_equal(look_of(model, "bad")->texture, LIMPET_NONE);
  assert_int_equal(look_of(model, "gone")->texture, LIMPET_NONE);
  const limpet_texture *six = &model->texture[look_of(model, "six")->texture];
  assert_true(six->image[0] && !six->image[1] && six->image[2] && !six->image[3]);
  assert_int_equal(model->note_count, 2);
  limpet_model_destroy(model);
  unlink(names[0]), unlink(names[1]), unlink(path), rmdir(folder);
}

// What a program gives that cannot be is refused with the name of the material.
static void what_cannot_be_is_refused(void **state) {
  (void)state;
  limpet_error error;
  limpet_builder *builder = limpet_builder_create();
  limpet_appearance look = limpet_appearance_default();
  look.name = "wrong";
  look.texture = 3;
  limpet_builder_add_appearance(builder, &look);
  assert_null(limpet_builder_compile(builder, &error));
  assert_non_null(strstr(error.message, "material 'wrong'"));
  limpet_builder_destroy(builder);

  builder = limpet_builder_create();
  look.texture = LIMPET_NONE;
  look.repeat[1] = (double)NAN;
  limpet_builder_add_appearance(builder, &look);
  assert_null(limpet_builder_compile(builder, &error));
  assert_non_null(strstr(error.message, "not finite"));
  limpet_builder_destroy(builder);

  builder = limpet_builder_create();
  limpet_geom_description geom = limpet_geom_description_default();
  geom.appearance = 0;
  geom.kind = LIMPET_SHAPE_SPHERE;
  geom.size[0] = 1.0;
  limpet_builder_add_geom(builder, &geom);
  assert_null(limpet_builder_compile(builder, &error));
  assert_non_null(strstr(error.message, "appearance"));
  limpet_builder_destroy(builder);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(materials_and_textures_are_what_the_file_says),
      cmocka_unit_test(no_motion_depends_on_them),
      cmocka_unit_test(images_are_passed_on),
      cmocka_unit_test(what_cannot_be_is_refused),
  };
  return cmocka_run_group_tests_name("textures", tests, NULL, NULL);
}
