/* cli/quantity.c: numbers with units, read from the command line and written for people. */
#include "quantity.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct unit_entry {
  const char *symbol;     // as written after the number
  const char *dimension;  // SI unit that it is converted to
  double factor;
} unit_entry;

static const unit_entry unit_table[] = {
    {"s", "s", 1.0},
    {"ms", "s", 1e-3},
    {"us", "s", 1e-6},
    {"\xc2\xb5s", "s", 1e-6},
    {"ns", "s", 1e-9},
    {"min", "s", 60.0},
    {"h", "s", 3600.0},
    {"m", "m", 1.0},
    {"km", "m", 1e3},
    {"cm", "m", 1e-2},
    {"mm", "m", 1e-3},
    {"um", "m", 1e-6},
    {"\xc2\xb5m", "m", 1e-6},
    {"m/s", "m/s", 1.0},
    {"cm/s", "m/s", 1e-2},
    {"mm/s", "m/s", 1e-3},
    {"um/s", "m/s", 1e-6},
    {"\xc2\xb5m/s", "m/s", 1e-6},
    {"km/h", "m/s", 1.0 / 3.6},
    {"rad", "rad", 1.0},
    {"mrad", "rad", 1e-3},
    {"deg", "rad", 0.017453292519943295},
    {"\xc2\xb0", "rad", 0.017453292519943295},
    {"rad/s", "rad/s", 1.0},
    {"deg/s", "rad/s", 0.017453292519943295},
    {"rpm", "rad/s", 0.10471975511965977},
    {"N", "N", 1.0},
    {"mN", "N", 1e-3},
    {"kN", "N", 1e3},
    {"N m", "N m", 1.0},
    {"Nm", "N m", 1.0},
    {"N*m", "N m", 1.0},
    {"mNm", "N m", 1e-3},
    {"kNm", "N m", 1e3},
    {"J", "J", 1.0},
    {"mJ", "J", 1e-3},
    {"uJ", "J", 1e-6},
    {"N/m", "N/m", 1.0},
    {"kN/m", "N/m", 1e3},
    {"MN/m", "N/m", 1e6},
    {"kg", "kg", 1.0},
    {"g", "kg", 1e-3},
    {"mg", "kg", 1e-6},
    {"t", "kg", 1e3},
    {"kg/m^3", "kg/m^3", 1.0},
    {"g/cm^3", "kg/m^3", 1e3},
    {"Pa", "Pa", 1.0},
    {"kPa", "Pa", 1e3},
    {"MPa", "Pa", 1e6},
    {"GPa", "Pa", 1e9},
    {"N s/m", "N s/m", 1.0},
    {"N m/rad", "N m/rad", 1.0},
    {"N m s/rad", "N m s/rad", 1.0},
    {"s/m", "s/m", 1.0},
    {"%", "1", 1e-2},
};
enum { UNIT_COUNT = (int)(sizeof unit_table / sizeof *unit_table) };

static const struct {
  const char *unit, *word, *placeholder;
} dimension_table[] = {{"s", "a time", "TIME"},
                       {"m", "a length", "LENGTH"},
                       {"m/s", "a speed", "SPEED"},
                       {"rad", "an angle", "ANGLE"},
                       {"rad/s", "an angular speed", "SPEED"},
                       {"N", "a force", "FORCE"},
                       {"N m", "a torque", "TORQUE"},
                       {"J", "an energy", "ENERGY"},
                       {"N/m", "a stiffness", "STIFFNESS"},
                       {"kg", "a mass", "MASS"},
                       {"kg/m^3", "a density", "DENSITY"},
                       {"Pa", "a pressure", "PRESSURE"},
                       {"N s/m", "a damping", "DAMPING"},
                       {"N m/rad", "a rotational stiffness", "STIFFNESS"},
                       {"N m s/rad", "a rotational damping", "DAMPING"},
                       {"s/m", "a dissipation", "DISSIPATION"},
                       {"m, rad", "a number in m and rad", "NUMBER"},
                       {"1", "a pure number", "NUMBER"}};

const char *limpet_quantity_placeholder(const char *unit) {
  for (size_t i = 0; i < sizeof dimension_table / sizeof *dimension_table; ++i) {
    if (strcmp(dimension_table[i].unit, unit) == 0) return dimension_table[i].placeholder;
  }
  return "QUANTITY";
}

static const char *dimension_word(const char *unit) {
  for (size_t i = 0; i < sizeof dimension_table / sizeof *dimension_table; ++i) {
    if (strcmp(dimension_table[i].unit, unit) == 0) return dimension_table[i].word;
  }
  return "a quantity";
}

const char *limpet_quantity_units(const char *unit, char *text, size_t size) {
  size_t length = (size_t)snprintf(text, size, "%s", dimension_word(unit));
  const char *separator = strcmp(unit, "1") == 0 ? " or " : ": ";
  for (int i = 0; i < UNIT_COUNT && length < size; ++i) {
    if (strcmp(unit_table[i].dimension, unit) != 0 ||
        (unsigned char)unit_table[i].symbol[0] >= 0x80)
      continue;
    length +=
        (size_t)snprintf(text + length, size - length, "%s%s", separator, unit_table[i].symbol);
    separator = ", ";
  }
  return text;
}

static const unit_entry *unit_find(const char *symbol, const char *dimension) {
  for (int i = 0; i < UNIT_COUNT; ++i) {
    const bool wanted = !dimension || strcmp(unit_table[i].dimension, dimension) == 0;
    if (wanted && strcmp(unit_table[i].symbol, symbol) == 0) return &unit_table[i];
  }
  return NULL;
}

bool limpet_quantity_parse(const char *text, const char *unit, double *value, char *problem,
                           size_t problem_size) {
  char expected[128];
  limpet_quantity_units(unit, expected, sizeof expected);

  // the number, finite and in decimal
  char *end = NULL;
  const double number = strtod(text, &end);
  if (end == text || !isfinite(number) || strpbrk(text, "xX")) {
    snprintf(problem, problem_size, "'%s' is not a number; expected %s", text, expected);
    return false;
  }

  // the unit: nothing means SI
  while (*end == ' ') ++end;
  const unit_entry *entry = *end ? unit_find(end, unit) : NULL;
  if (*end && !entry) {
    const unit_entry *other = unit_find(end, NULL);
    if (other)
      snprintf(problem, problem_size, "'%s' is %s; expected %s", text,
               dimension_word(other->dimension), expected);
    else
      snprintf(problem, problem_size,
               "'%s' after the number in '%s' is not understood; expected %s", end, text, expected);
    return false;
  }
  *value = entry ? number * entry->factor : number;
  return true;
}

static const struct {
  double factor;
  const char *symbol;
} prefix_table[] = {{1e9, "G"},  {1e6, "M"},  {1e3, "k"}, {1.0, ""},
                    {1e-3, "m"}, {1e-6, "u"}, {1e-9, "n"}};
enum { PREFIX_COUNT = (int)(sizeof prefix_table / sizeof *prefix_table), PREFIX_NONE = 3 };

/* Index of the prefix that keeps `value` between 1 and 1000: seconds are not counted in
 * kiloseconds, and what is below a nano stands as a power of ten of the plain unit. */
static int prefix_choose(double value, const char *unit) {
  const double size = fabs(value);
  int chosen = strcmp(unit, "s") == 0 ? PREFIX_NONE : 0;
  if (!(size >= 1e-12) || !isfinite(size)) return PREFIX_NONE;
  while (chosen < PREFIX_COUNT - 1 && size < 0.99995 * prefix_table[chosen].factor) ++chosen;
  return chosen;
}

const char *limpet_quantity_text(char text[LIMPET_QUANTITY_TEXT_SIZE], double value,
                                 const char *unit) {
  double factor;
  char symbol[LIMPET_QUANTITY_TEXT_SIZE];
  limpet_quantity_scale(value, unit, &factor, symbol);
  snprintf(text, LIMPET_QUANTITY_TEXT_SIZE, "%.4g %.20s", value / factor, symbol);
  return text;
}

void limpet_quantity_scale(double value, const char *unit, double *factor,
                           char symbol[LIMPET_QUANTITY_TEXT_SIZE]) {
  const int chosen = prefix_choose(value, unit);
  *factor = prefix_table[chosen].factor;
  snprintf(symbol, LIMPET_QUANTITY_TEXT_SIZE, "%s%s", prefix_table[chosen].symbol, unit);
}
