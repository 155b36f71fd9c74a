/* format/mjcf/actuator_gain.c: numbers that several kinds of actuators read. */
#include "format/mjcf/actuator.h"
#include "format/read/value.h"

void limpet_mjcf_refuse_negative(limpet_reader *reader, const limpet_xml_element *e,
                                 const char *attribute, const char *what, double value) {
  if (value < 0.0)
    limpet_reader_fail(reader, e, attribute, "%s is %g; it cannot be negative", what, value);
}

void limpet_mjcf_read_damping(limpet_reader *reader, const limpet_xml_element *e,
                              limpet_mjcf_actuator_record *r) {
  double damping, ratio;
  const bool has_damping = limpet_read_number(reader, e, "kv", &damping);
  if (has_damping) {
    limpet_mjcf_refuse_negative(reader, e, "kv", "'kv'", damping);
    r->bias[2] = -damping;
  }
  if (limpet_read_number(reader, e, "dampratio", &ratio)) {
    if (has_damping)
      limpet_reader_fail(reader, e, "dampratio",
                         "'kv' and 'dampratio' both give the damping; keep one");
    limpet_mjcf_refuse_negative(reader, e, "dampratio", "'dampratio'", ratio);
    r->bias[2] = ratio;
  }
}
