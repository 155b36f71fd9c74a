/* format/mjcf/impedance.c: solref and solimp, and how strong they are beside MuJoCo's defaults. */
#include "format/mjcf/impedance.h"

#include <math.h>

#include "format/read/value.h"

bool limpet_mjcf_impedance(limpet_reader *reader, const limpet_xml_element *e,
                           const char *reference, const char *impedance, limpet_impedance *value) {
  const int a = limpet_read_numbers(reader, e, reference, value->reference, 1, 2);
  const int b = limpet_read_numbers(reader, e, impedance, value->impedance, 1, 5);
  if (a > 0 && value->reference[0] * value->reference[1] < 0.0) {
    limpet_reader_note(reader, e, reference, "mixed reference",
                       "'%s' is %g %g: one positive and one negative number mean nothing; MuJoCo's "
                       "default is taken, as MuJoCo does",
                       reference, value->reference[0], value->reference[1]);
    for (int i = 0; i < 2; ++i) value->reference[i] = limpet_impedance_default().reference[i];
  }
  return a > 0 || b > 0;
}

bool limpet_mjcf_impedance_differs(const limpet_impedance *value) {
  const limpet_impedance standard = limpet_impedance_default();
  for (int i = 0; i < 2; ++i)
    if (value->reference[i] != standard.reference[i]) return true;
  for (int i = 0; i < 5; ++i)
    if (value->impedance[i] != standard.impedance[i]) return true;
  return false;
}

// Stiffness k d^2/(1 - d) and damping b d/(1 - d), both times the inverse weight; `end` 0: at zero
// violation, 1: at full width.
static void impedance_strength(const limpet_impedance *value, int end, double *stiffness,
                               double *damping) {
  const double least = 1e-4, most = 0.9999, *s = value->reference;
  const double widest = fmin(fmax(value->impedance[1], least), most),
               d = fmin(fmax(value->impedance[end], least), most);
  const bool standard = s[0] > 0.0 && s[1] > 0.0;
  const double k = standard ? 1.0 / (widest * widest * s[0] * s[0] * s[1] * s[1])
                            : fmax(-s[0], 0.0) / (widest * widest);
  const double b = standard ? 2.0 / (widest * s[0]) : fmax(-s[1], 0.0) / widest;
  *stiffness = k * d * d / (1.0 - d);
  *damping = b * d / (1.0 - d);
}

bool limpet_mjcf_impedance_weaker(const limpet_impedance *value) {
  const limpet_impedance standard = limpet_impedance_default();
  bool weaker = false;
  for (int end = 0; end < 2; ++end) {
    double k, b, k_standard, b_standard;
    impedance_strength(value, end, &k, &b);
    impedance_strength(&standard, end, &k_standard, &b_standard);
    weaker = weaker || k < k_standard || b < b_standard;
  }
  return weaker;
}
