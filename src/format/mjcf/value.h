/* format/mjcf/value.h: values that only MJCF has: flags of three states, limits, polynomials. */
#ifndef LIMPET_FORMAT_MJCF_VALUE_H
#define LIMPET_FORMAT_MJCF_VALUE_H

#include "format/mjcf/source.h"
#include "format/read/value.h"

enum { LIMPET_MJCF_FALSE, LIMPET_MJCF_TRUE, LIMPET_MJCF_AUTO };
// Accepts false, true and auto.
bool limpet_mjcf_tristate(limpet_reader *reader, const limpet_xml_element *e, const char *name,
                          int *value);
/* Whether a limit acts: `limited` as written, or, for auto, whether a range was given (with
 * autolimits; without, that is an error). */
bool limpet_mjcf_limited(limpet_reader *reader, const limpet_xml_element *e,
                         const limpet_mjcf_source *source, int limited, const double range[2],
                         const char *limited_name, const char *range_name);
/* `delay`, `nsample` and `interp` of an actuator or sensor. */
void limpet_mjcf_delay(limpet_reader *reader, const limpet_xml_element *e, double *delay,
                       int *samples, limpet_interpolation *interpolation);
/* Stiffness or damping: the linear coefficient and, since MuJoCo 4, how it grows with the first and
 * second power; those that are not given stay. */
void limpet_mjcf_polynomial(limpet_reader *reader, const limpet_xml_element *e, const char *name,
                            double *linear, double growth[2]);

#endif
