/* tests/support/mjcf_text.h: models from small MJCF texts. The text counts as the file
 * "robot.xml". */
#ifndef LIMPET_TEST_MJCF_TEXT_H
#define LIMPET_TEST_MJCF_TEXT_H

#include "limpet/format.h"

// The model, or NULL with the error.
limpet_model *mjcf_load_with(const char *text, const limpet_load_options *options,
                             limpet_error *error);
// The model; prints the error and ends the program if there is none.
limpet_model *mjcf_load(const char *text);
// Whether the text is refused with exactly this message; prints what came instead.
bool mjcf_refused(const char *text, const char *message);
// Index of an object; prints and ends the program if there is none.
int mjcf_index(const limpet_model *model, limpet_object kind, const char *name);
// Names of all objects of a kind, joined by blanks, "-" for one without, in a static buffer.
const char *mjcf_names(const limpet_model *model, limpet_object kind);
// |a - b| <= 1e-14: a handful of operations on numbers of order one; prints the first entry that
// differs.
bool mjcf_close(const double *a, const double *b, int count);

// CLOSE(array, 1, 2, 3): the first entries of the array
#define CLOSE(array, ...)                                        \
  assert_true(mjcf_close((array), (const double[]){__VA_ARGS__}, \
                         (int)(sizeof((const double[]){__VA_ARGS__}) / sizeof(double))))

// a model around a world, and a world around a geom
#define MODEL(content) "<mujoco>\n" content "\n</mujoco>"
#define GEOM "<geom size='1'/>"

#endif
