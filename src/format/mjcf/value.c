/* format/mjcf/value.c: flags of three states, limits, polynomials. */
#include "format/mjcf/value.h"

#include <stdio.h>

bool limpet_mjcf_tristate(limpet_reader *reader, const limpet_xml_element *e, const char *name,
                          int *value) {
  static const char *const words[] = {"false", "true", "auto", NULL};
  return limpet_read_choice(reader, e, name, words, value);
}

bool limpet_mjcf_limited(limpet_reader *reader, const limpet_xml_element *e,
                         const limpet_mjcf_source *source, int limited, const double range[2],
                         const char *limited_name, const char *range_name) {
  const bool given = range[0] != 0.0 || range[1] != 0.0;
  if (limited == LIMPET_MJCF_AUTO && given && !source->compiler.autolimits)
    limpet_reader_fail(
        reader, e, range_name,
        "'%s' is given, but not '%s', and autolimits is off; write %s=\"true\" or \"false\"",
        range_name, limited_name, limited_name);
  const bool result = limited == LIMPET_MJCF_AUTO ? given : limited == LIMPET_MJCF_TRUE;
  if (result && !(range[0] < range[1])) {
    char numbers[64];  // in SI units, unless the element itself has them as they stand in the file
    const char *text = limpet_xml_value(e, range_name);
    snprintf(numbers, sizeof numbers, "%g %g", range[0], range[1]);
    limpet_reader_fail(reader, e, range_name,
                       "'%s' of <%s> is %s; the first number must be smaller than the second",
                       range_name, e->name, text ? text : numbers);
  }
  return result;
}

void limpet_mjcf_polynomial(limpet_reader *reader, const limpet_xml_element *e, const char *name,
                            double *linear, double growth[2]) {
  double coefficient[3] = {*linear, growth[0], growth[1]};
  limpet_read_numbers(reader, e, name, coefficient, 1, 3);
  *linear = coefficient[0], growth[0] = coefficient[1], growth[1] = coefficient[2];
}

void limpet_mjcf_delay(limpet_reader *reader, const limpet_xml_element *e, double *delay,
                       int *samples, limpet_interpolation *interpolation) {
  static const char *const words[] = {"zoh", "linear", "cubic", NULL};
  int word = (int)*interpolation;
  limpet_read_number(reader, e, "delay", delay);
  limpet_read_integer(reader, e, "nsample", samples);
  limpet_read_choice(reader, e, "interp", words, &word);
  *interpolation = (limpet_interpolation)word;
}
