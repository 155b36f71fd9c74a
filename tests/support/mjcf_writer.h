/* tests/support/mjcf_writer.h: MJCF texts of mechanisms that tests draw: one world that is written
 * in several ways. */
#ifndef LIMPET_TEST_MJCF_WRITER_H
#define LIMPET_TEST_MJCF_WRITER_H

#include <stddef.h>

// Starts with {.text = text, .size = sizeof text}.
typedef struct mjcf_writer {
  char *text;
  size_t size, at;
} mjcf_writer;

// As printf, behind what is there; fails the test where there is no room.
__attribute__((format(printf, 2, 3))) void mjcf_write(mjcf_writer *writer, const char *format, ...);
// An attribute with `count` numbers, each times `scale`, to all digits.
void mjcf_write_numbers(mjcf_writer *writer, const char *name, const double *x, int count,
                        double scale);

// x, which has the axes that a and b have, in the axes of a frame that is turned by a.
void mjcf_vector_in(double to[3], const double a[4], const double x[3]);
// The turn b in that frame: a^-1 b.
void mjcf_turn_in(double to[4], const double a[4], const double b[4]);

#endif
