/* format/read/value.c: attributes to numbers, words and flags. A text that is not what it should
 * be ends the reading, at the attribute. */
#include "format/read/value.h"

#include <ctype.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "format/read/text.h"

// ---------------------------------------------------------------------------------- numbers

static void skip_blanks(const char **cursor) {
  while (isspace((unsigned char)**cursor)) ++*cursor;
}

// next number of a list; false at its end
static bool next_number(limpet_reader *reader, const limpet_xml_element *e, const char *name,
                        const char **cursor, double *value) {
  skip_blanks(cursor);
  if (**cursor == '\0') return false;
  const char *word = *cursor;
  if (!limpet_text_number(cursor, value) ||
      !(**cursor == '\0' || isspace((unsigned char)**cursor))) {
    int length = 0;
    while (word[length] && !isspace((unsigned char)word[length]) && length < 40) ++length;
    limpet_reader_fail(reader, e, name, "attribute '%s' needs numbers, but has '%.*s'", name,
                       length, word);
  }
  if (isnan(*value))
    limpet_reader_fail(reader, e, name, "attribute '%s' has a NaN; give a number", name);
  return true;
}

int limpet_read_numbers(limpet_reader *reader, const limpet_xml_element *e, const char *name,
                        double *values, int least, int most) {
  const char *cursor = limpet_xml_value(e, name);
  if (!cursor) return 0;
  int count = 0;
  for (double value; next_number(reader, e, name, &cursor, &value);) {
    if (count == most)
      limpet_reader_fail(reader, e, name,
                         "attribute '%s' of <%s> has too many numbers; it takes %s%d", name,
                         e->name, least == most ? "" : "at most ", most);
    values[count++] = value;
  }
  if (count < least)
    limpet_reader_fail(reader, e, name, "attribute '%s' of <%s> has %d number%s; it takes %s%d",
                       name, e->name, count, count == 1 ? "" : "s",
                       least == most ? "" : "at least ", least);
  return count;
}

bool limpet_read_number(limpet_reader *reader, const limpet_xml_element *e, const char *name,
                        double *value) {
  return limpet_read_numbers(reader, e, name, value, 1, 1) == 1;
}

bool limpet_read_integer(limpet_reader *reader, const limpet_xml_element *e, const char *name,
                         int *value) {
  double number;
  if (!limpet_read_number(reader, e, name, &number)) return false;
  if (number != floor(number) || fabs(number) > INT_MAX)
    limpet_reader_fail(reader, e, name, "attribute '%s' needs a whole number, but has '%s'", name,
                       limpet_xml_value(e, name));
  *value = (int)number;
  return true;
}

double *limpet_read_array(limpet_reader *reader, const limpet_xml_element *e, const char *name,
                          int *count) {
  const char *text = limpet_xml_value(e, name), *cursor = text;
  *count = 0;
  if (!text) return NULL;
  // one number takes two letters at least, its blank included
  double *values = LIMPET_READER_TAKE(reader, double, strlen(text) / 2 + 1);
  while (next_number(reader, e, name, &cursor, &values[*count])) ++*count;
  return values;
}

// ------------------------------------------------------------------------------------ words

static void fail_choice(limpet_reader *reader, const limpet_xml_element *e, const char *name,
                        const char *const *words) {
  char list[512] = "";
  size_t used = 0;
  for (int i = 0; words[i] && used < sizeof list; ++i)
    used += (size_t)snprintf(list + used, sizeof list - used, "%s%s", i ? ", " : "", words[i]);
  limpet_reader_fail(reader, e, name, "attribute '%s' of <%s> cannot be '%s'; it takes one of: %s",
                     name, e->name, limpet_xml_value(e, name), list);
}

bool limpet_read_choice(limpet_reader *reader, const limpet_xml_element *e, const char *name,
                        const char *const *words, int *value) {
  const char *text = limpet_xml_value(e, name);
  if (!text) return false;
  for (int i = 0; words[i]; ++i) {
    if (strcmp(words[i], text) == 0) {
      *value = i;
      return true;
    }
  }
  fail_choice(reader, e, name, words);
  return false;
}

bool limpet_read_boolean(limpet_reader *reader, const limpet_xml_element *e, const char *name,
                         bool *value) {
  static const char *const words[] = {"false", "true", NULL};
  int choice = 0;
  if (!limpet_read_choice(reader, e, name, words, &choice)) return false;
  *value = choice == 1;
  return true;
}

const char *limpet_read_required(limpet_reader *reader, const limpet_xml_element *e,
                                 const char *name) {
  const char *text = limpet_xml_value(e, name);
  if (!text) limpet_reader_fail(reader, e, NULL, "<%s> needs the attribute '%s'", e->name, name);
  return text;
}
