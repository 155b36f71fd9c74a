/* format/write/writer.c: XML, and what all formats ask of a model. */
#include "format/write/writer.h"

#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "math/quaternion.h"

// ------------------------------------------------------------------------------------- XML

static void close_head(limpet_writer *w) {
  if (w->head_open) fputs(">\n", w->file);
  w->head_open = false;
}

static void indent(const limpet_writer *w) {
  for (int i = 0; i < w->depth; ++i) fputs("  ", w->file);
}

void limpet_write_begin(limpet_writer *w, const char *element) {
  close_head(w);
  indent(w);
  fprintf(w->file, "<%s", element);
  w->head_open = true;
  ++w->depth;
}

void limpet_write_end(limpet_writer *w, const char *element) {
  --w->depth;
  if (w->head_open) {
    fputs("/>\n", w->file);
  } else {
    indent(w);
    fprintf(w->file, "</%s>\n", element);
  }
  w->head_open = false;
}

void limpet_write_content(limpet_writer *w, const char *element, const char *text) {
  close_head(w);
  indent(w);
  fprintf(w->file, "<%s>%s</%s>\n", element, text, element);
}

void limpet_write_text(limpet_writer *w, const char *attribute, const char *value) {
  fprintf(w->file, " %s=\"", attribute);
  for (const char *c = value; *c; ++c) {
    switch (*c) {
      case '&': fputs("&amp;", w->file); break;
      case '<': fputs("&lt;", w->file); break;
      case '>': fputs("&gt;", w->file); break;
      case '"': fputs("&quot;", w->file); break;
      default: fputc(*c, w->file);
    }
  }
  fputc('"', w->file);
}

// as few digits as give the number back
static void print_number(FILE *file, double value) {
  enum { FEWEST = 15, MOST = 17 };  // digits that a double always and never needs
  char text[32];
  for (int digits = FEWEST; digits <= MOST; ++digits) {
    snprintf(text, sizeof text, "%.*g", digits, value);
    if (strtod(text, NULL) == value) break;
  }
  fputs(text, file);
}

void limpet_write_numbers(limpet_writer *w, const char *attribute, const double *value, int count) {
  fprintf(w->file, " %s=\"", attribute);
  for (int i = 0; i < count; ++i) {
    if (i) fputc(' ', w->file);
    print_number(w->file, value[i]);
  }
  fputc('"', w->file);
}

void limpet_write_number(limpet_writer *w, const char *attribute, double value) {
  limpet_write_numbers(w, attribute, &value, 1);
}

void limpet_write_integer(limpet_writer *w, const char *attribute, int value) {
  fprintf(w->file, " %s=\"%d\"", attribute, value);
}

void limpet_write_flag(limpet_writer *w, const char *attribute, bool value) {
  limpet_write_text(w, attribute, value ? "true" : "false");
}

void limpet_write_unless(limpet_writer *w, const char *attribute, double value, double standard) {
  if (value != standard) limpet_write_number(w, attribute, value);
}

void limpet_write_polynomial(limpet_writer *w, const char *attribute, double value,
                             const double growth[2]) {
  const double coefficient[3] = {value, growth[0], growth[1]};
  if (growth[0] == 0.0 && growth[1] == 0.0) limpet_write_unless(w, attribute, value, 0.0);
  else limpet_write_numbers(w, attribute, coefficient, 3);
}

void limpet_write_delay(limpet_writer *w, double delay, int samples, limpet_interpolation by) {
  static const char *const words[] = {"zoh", "linear", "cubic"};
  limpet_write_number(w, "delay", delay);
  limpet_write_integer(w, "nsample", samples);
  limpet_write_text(w, "interp", words[by]);
}

void limpet_write_impedance(limpet_writer *w, const char *reference, const char *impedance,
                            bool given, const limpet_impedance *value) {
  if (!given) return;
  limpet_write_numbers(w, reference, value->reference, 2);
  limpet_write_numbers(w, impedance, value->impedance, 5);
}

// --------------------------------------------------------------------------------- the model

const char *limpet_writer_name(const limpet_writer *w, limpet_object object, int index,
                               char text[LIMPET_WRITER_NAME_SIZE]) {
  const char *own = limpet_model_name(w->model, object, index);
  if (own && strlen(own) < LIMPET_WRITER_NAME_SIZE) return own;
  if (object == LIMPET_OBJECT_BODY && index == 0) return "world";
  snprintf(text, LIMPET_WRITER_NAME_SIZE, "%s_%d", limpet_object_word(object), index);
  while (limpet_model_find(w->model, object, text) != LIMPET_NONE &&
         strlen(text) + 2 < LIMPET_WRITER_NAME_SIZE)
    strcat(text, "_");
  return text;
}

void limpet_write_name(limpet_writer *w, const char *attribute, limpet_object object, int index) {
  char text[LIMPET_WRITER_NAME_SIZE];
  limpet_write_text(w, attribute, limpet_writer_name(w, object, index, text));
}

void limpet_writer_leave_out(const limpet_writer *w, const char *format, ...) {
  char text[1024];
  va_list arguments;
  if (!w->left_out) return;
  va_start(arguments, format);
  vsnprintf(text, sizeof text, format, arguments);
  va_end(arguments);
  w->left_out(w->context, text);
}

void limpet_writer_geom_pose(const limpet_model *model, int geom, double position[3],
                             double quaternion[4]) {
  limpet_vec3_copy(position, model->geom_position + 3 * geom);
  limpet_quaternion_copy(quaternion, model->geom_quaternion + 4 * geom);
  if (model->geom_kind[geom] != LIMPET_SHAPE_MESH) return;
  const limpet_mesh *mesh = &model->mesh[model->geom_mesh[geom]];
  double back[4], turned[3], product[4];
  limpet_quaternion_conjugate(back, mesh->quaternion);
  limpet_quaternion_mul(product, quaternion, back);
  limpet_quaternion_copy(quaternion, product);
  limpet_quaternion_rotate(turned, quaternion, mesh->position);
  limpet_vec3_sub(position, position, turned);
}

void limpet_writer_vertex(const limpet_mesh *mesh, int vertex, double x[3]) {
  limpet_quaternion_rotate(x, mesh->quaternion, mesh->vertices + 3 * vertex);
  limpet_vec3_add(x, x, mesh->position);
}

void limpet_writer_moments(const limpet_model *model, int body, double moment[3]) {
  double R[9], IR[9];
  limpet_quaternion_to_matrix(R, model->body_inertia_quaternion + 4 * body);
  limpet_mat3_mul(IR, model->body_inertia + 9 * body, R);
  for (int k = 0; k < 3; ++k)
    moment[k] = R[k] * IR[k] + R[3 + k] * IR[3 + k] + R[6 + k] * IR[6 + k];
}

limpet_status limpet_writer_run(limpet_writer *w, const char *path, void (*write)(limpet_writer *w),
                                limpet_error *error) {
  w->file = fopen(path, "w");
  if (!w->file)
    return limpet_error_fill_at(error, LIMPET_ERROR_FILE, path, 0, 0, "cannot be written: %s",
                                strerror(errno));
  write(w);
  const bool failed = ferror(w->file) != 0;
  if (fclose(w->file) != 0 || failed)
    return limpet_error_fill_at(error, LIMPET_ERROR_FILE, path, 0, 0,
                                "cannot be written to its end; is the disk full?");
  return LIMPET_OK;
}
