/* tests/format/test_field_notes.c: meshes with pressure fields of sizes that are most likely a
 * mistake are accepted and noted, with numbers and what to do: millimetres, thin bodies. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "limpet/limpet.h"

// A box of these edges as a compliant mesh; its notes in one text.
static void notes_at(double height, double x, double y, double z, char *notes, size_t room) {
  char text[900];
  snprintf(text, sizeof text,
           "<mujoco><asset><mesh name='m' vertex='0 0 0 %g 0 0 0 %g 0 %g %g 0 0 0 %g %g 0 %g 0 %g "
           "%g %g %g %g'/></asset><worldbody><geom type='plane' size='1 1 .1'/><body pos='0 0 %g'>"
           "<freejoint/><geom type='mesh' mesh='m' limpet:elastic_modulus='1e6'/></body>"
           "</worldbody></mujoco>",
           x, y, x, y, z, x, z, y, z, x, y, z, height);
  limpet_builder *builder = limpet_builder_create();
  limpet_error error = {0};
  if (limpet_mjcf_read_text(builder, text, strlen(text), "box.xml", NULL, &error) != LIMPET_OK)
    fail_msg("%s", error.message);
  limpet_model *model = limpet_builder_compile(builder, &error);
  if (!model) fail_msg("%s", error.message);
  notes[0] = '\0';
  for (int i = 0; i < model->note_count; ++i)
    strncat(notes, model->note[i].text, room - strlen(notes) - 1);
  limpet_model_destroy(model);
  limpet_builder_destroy(builder);
}

static void notes_of(double x, double y, double z, char *notes, size_t room) {
  notes_at(9.0, x, y, z, notes, room);
}

static void what_is_far_away_is_noted(void **state) {
  (void)state;
  char notes[2000];
  notes_at(9e20, 0.1, 0.2, 0.05, notes, sizeof notes);
  assert_non_null(strstr(notes,
                         "body 1 is 9e+20 m from the origin, where a position is known to "
                         "2e+05 m"));
  notes_at(6e6, 0.1, 0.2, 0.05, notes, sizeof notes);
  assert_string_equal(notes, "");
}

static void millimetres_are_noted(void **state) {
  (void)state;
  char notes[2000];
  notes_of(100.0, 50.0, 80.0, notes, sizeof notes);
  assert_non_null(strstr(notes, "100 m wide"));
  assert_non_null(strstr(notes, "scale 0.001 0.001 0.001"));
}

static void thin_bodies_are_noted(void **state) {
  (void)state;
  char notes[2000];
  notes_of(0.2, 0.3, 1e-4, notes, sizeof notes);
  assert_non_null(strstr(notes, "thin"));
  assert_non_null(strstr(notes, "deeper than 5e-05 m"));
}

static void usual_bodies_are_not(void **state) {
  (void)state;
  char notes[2000];
  notes_of(0.1, 0.2, 0.05, notes, sizeof notes);
  assert_string_equal(notes, "");
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(what_is_far_away_is_noted),
      cmocka_unit_test(millimetres_are_noted),
      cmocka_unit_test(thin_bodies_are_noted),
      cmocka_unit_test(usual_bodies_are_not),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
