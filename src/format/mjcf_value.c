/* format/mjcf_value.c: attributes to numbers, words and flags. A text that is not what it should
 * be ends the reading, at the attribute. */
#include <ctype.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "format/mjcf.h"
#include "format/text.h"

// ---------------------------------------------------------------------------------- numbers

static void skip_blanks(const char **cursor) {
  while (isspace((unsigned char)**cursor)) ++*cursor;
}

// next number of a list; false at its end
static bool next_number(limpet_mjcf *m, const limpet_xml_element *e, const char *name,
                        const char **cursor, double *value) {
  skip_blanks(cursor);
  if (**cursor == '\0') return false;
  const char *word = *cursor;
  if (!limpet_text_number(cursor, value) ||
      !(**cursor == '\0' || isspace((unsigned char)**cursor))) {
    int length = 0;
    while (word[length] && !isspace((unsigned char)word[length]) && length < 40) ++length;
    limpet_mjcf_fail(m, e, name, "attribute '%s' needs numbers, but has '%.*s'", name, length,
                     word);
  }
  if (isnan(*value)) limpet_mjcf_fail(m, e, name, "attribute '%s' has a NaN; give a number", name);
  return true;
}

int limpet_mjcf_numbers(limpet_mjcf *m, const limpet_xml_element *e, const char *name,
                        double *values, int least, int most) {
  const char *cursor = limpet_xml_value(e, name);
  if (!cursor) return 0;
  int count = 0;
  for (double value; next_number(m, e, name, &cursor, &value);) {
    if (count == most)
      limpet_mjcf_fail(m, e, name, "attribute '%s' of <%s> has too many numbers; it takes %s%d",
                       name, e->name, least == most ? "" : "at most ", most);
    values[count++] = value;
  }
  if (count < least)
    limpet_mjcf_fail(m, e, name, "attribute '%s' of <%s> has %d number%s; it takes %s%d", name,
                     e->name, count, count == 1 ? "" : "s", least == most ? "" : "at least ",
                     least);
  return count;
}

bool limpet_mjcf_number(limpet_mjcf *m, const limpet_xml_element *e, const char *name,
                        double *value) {
  return limpet_mjcf_numbers(m, e, name, value, 1, 1) == 1;
}

bool limpet_mjcf_integer(limpet_mjcf *m, const limpet_xml_element *e, const char *name,
                         int *value) {
  double number;
  if (!limpet_mjcf_number(m, e, name, &number)) return false;
  if (number != floor(number) || fabs(number) > INT_MAX)
    limpet_mjcf_fail(m, e, name, "attribute '%s' needs a whole number, but has '%s'", name,
                     limpet_xml_value(e, name));
  *value = (int)number;
  return true;
}

double *limpet_mjcf_array(limpet_mjcf *m, const limpet_xml_element *e, const char *name,
                          int *count) {
  const char *text = limpet_xml_value(e, name), *cursor = text;
  *count = 0;
  if (!text) return NULL;
  // one number takes two letters at least, its blank included
  double *values = LIMPET_MJCF_TAKE(m, double, strlen(text) / 2 + 1);
  while (next_number(m, e, name, &cursor, &values[*count])) ++*count;
  return values;
}

// ------------------------------------------------------------------------------------ words

static void fail_choice(limpet_mjcf *m, const limpet_xml_element *e, const char *name,
                        const char *const *words) {
  char list[512] = "";
  size_t used = 0;
  for (int i = 0; words[i] && used < sizeof list; ++i)
    used += (size_t)snprintf(list + used, sizeof list - used, "%s%s", i ? ", " : "", words[i]);
  limpet_mjcf_fail(m, e, name, "attribute '%s' of <%s> cannot be '%s'; it takes one of: %s", name,
                   e->name, limpet_xml_value(e, name), list);
}

bool limpet_mjcf_choice(limpet_mjcf *m, const limpet_xml_element *e, const char *name,
                        const char *const *words, int *value) {
  const char *text = limpet_xml_value(e, name);
  if (!text) return false;
  for (int i = 0; words[i]; ++i) {
    if (strcmp(words[i], text) == 0) {
      *value = i;
      return true;
    }
  }
  fail_choice(m, e, name, words);
  return false;
}

bool limpet_mjcf_boolean(limpet_mjcf *m, const limpet_xml_element *e, const char *name,
                         bool *value) {
  static const char *const words[] = {"false", "true", NULL};
  int choice = 0;
  if (!limpet_mjcf_choice(m, e, name, words, &choice)) return false;
  *value = choice == 1;
  return true;
}

bool limpet_mjcf_tristate(limpet_mjcf *m, const limpet_xml_element *e, const char *name,
                          int *value) {
  static const char *const words[] = {"false", "true", "auto", NULL};
  return limpet_mjcf_choice(m, e, name, words, value);
}

const char *limpet_mjcf_required(limpet_mjcf *m, const limpet_xml_element *e, const char *name) {
  const char *text = limpet_xml_value(e, name);
  if (!text) limpet_mjcf_fail(m, e, NULL, "<%s> needs the attribute '%s'", e->name, name);
  return text;
}

// -------------------------------------------------------------------- limits and impedances

bool limpet_mjcf_limited(limpet_mjcf *m, const limpet_xml_element *e,
                         const limpet_mjcf_source *source, int limited, const double range[2],
                         const char *limited_name, const char *range_name) {
  const bool given = range[0] != 0.0 || range[1] != 0.0;
  if (limited == LIMPET_MJCF_AUTO && given && !source->compiler.autolimits)
    limpet_mjcf_fail(
        m, e, range_name,
        "'%s' is given, but not '%s', and autolimits is off; write %s=\"true\" or \"false\"",
        range_name, limited_name, limited_name);
  const bool result = limited == LIMPET_MJCF_AUTO ? given : limited == LIMPET_MJCF_TRUE;
  if (result && !(range[0] < range[1])) {
    char numbers[64];  // in SI units, unless the element itself has them as they stand in the file
    const char *text = limpet_xml_value(e, range_name);
    snprintf(numbers, sizeof numbers, "%g %g", range[0], range[1]);
    limpet_mjcf_fail(m, e, range_name,
                     "'%s' of <%s> is %s; the first number must be smaller than the second",
                     range_name, e->name, text ? text : numbers);
  }
  return result;
}

bool limpet_mjcf_impedance(limpet_mjcf *m, const limpet_xml_element *e, const char *reference,
                           const char *impedance, limpet_impedance *value) {
  const int a = limpet_mjcf_numbers(m, e, reference, value->reference, 1, 2);
  const int b = limpet_mjcf_numbers(m, e, impedance, value->impedance, 1, 5);
  if (a > 0 && value->reference[0] * value->reference[1] < 0.0) {
    limpet_mjcf_note(m, e, reference, "mixed reference",
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

bool limpet_mjcf_linear(limpet_mjcf *m, const limpet_xml_element *e, const char *name,
                        double *value) {
  double coefficient[3];
  const int count = limpet_mjcf_numbers(m, e, name, coefficient, 1, 3);
  if (count > 0) *value = coefficient[0];
  for (int i = 1; i < count; ++i)
    if (coefficient[i] != 0.0)
      limpet_mjcf_unsupported(m, e, name, "polynomial force",
                              "'%s' of <%s> is a polynomial: only its linear part is simulated",
                              name, e->name);
  return count > 0;
}
