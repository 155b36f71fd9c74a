// tests/support/mjcf_writer.c: see mjcf_writer.h.
#include "mjcf_writer.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "math/quaternion.h"

void mjcf_write(mjcf_writer *w, const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  const int length = vsnprintf(w->text + w->at, w->size - w->at, format, arguments);
  va_end(arguments);
  assert_true(length >= 0 && (size_t)length < w->size - w->at);
  w->at += (size_t)length;
}

void mjcf_write_numbers(mjcf_writer *w, const char *name, const double *x, int count,
                        double scale) {
  mjcf_write(w, " %s='", name);
  for (int i = 0; i < count; ++i) mjcf_write(w, "%.17g ", scale * x[i]);
  mjcf_write(w, "'");
}

void mjcf_vector_in(double to[3], const double a[4], const double x[3]) {
  double inverse[4];
  limpet_quaternion_conjugate(inverse, a);
  limpet_quaternion_rotate(to, inverse, x);
}

void mjcf_turn_in(double to[4], const double a[4], const double b[4]) {
  double inverse[4];
  limpet_quaternion_conjugate(inverse, a);
  limpet_quaternion_mul(to, inverse, b);
}
