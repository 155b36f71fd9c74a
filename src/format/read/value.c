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

enum { LABEL_SIZE = 128 };

// "attribute 'pos' of <geom>", or "<pose>" for the text of an element
static const char *label_of(char label[LABEL_SIZE], const limpet_xml_element *e, const char *name) {
  if (name) snprintf(label, LABEL_SIZE, "attribute '%.40s' of <%.40s>", name, e->name);
  else snprintf(label, LABEL_SIZE, "<%.40s>", e->name);
  return label;
}

// value of an attribute, or the text of the element; NULL: there is none
static const char *value_of(limpet_reader *reader, const limpet_xml_element *e, const char *name) {
  if (name) return limpet_xml_value(e, name);
  if (e->text_line && !e->text)
    limpet_reader_fail(reader, e, NULL,
                       "the text in <%s> is longer than %d kB, the most that is read", e->name,
                       LIMPET_XML_TEXT_LIMIT >> 10);
  return e->text;
}

static void skip_blanks(const char **cursor) {
  while (isspace((unsigned char)**cursor)) ++*cursor;
}

// a comma and a blank behind a number, where that may be; in "1,5" it may be that of a decimal
static void skip_comma(limpet_reader *reader, const limpet_xml_element *e, const char *name,
                       const char **cursor) {
  char label[LABEL_SIZE];
  if (!reader->mends_lists || **cursor != ',' || !isspace((unsigned char)(*cursor)[1])) return;
  limpet_reader_mend(reader, e, name, "commas", "%s has commas between its numbers: write blanks",
                     label_of(label, e, name));
  ++*cursor;
}

// xacro leaves none of these in what it makes
static const char *xacro_hint(const char *word) {
  return *word == '$' && (word[1] == '(' || word[1] == '{')
             ? ", which xacro replaces: expand the file with 'xacro FILE > robot.urdf', or write "
               "the numbers"
             : "";
}

// next number of a list; false at its end
static bool next_number(limpet_reader *reader, const limpet_xml_element *e, const char *name,
                        const char **cursor, double *value) {
  skip_blanks(cursor);
  if (**cursor == '\0') return false;
  const char *word = *cursor;
  char label[LABEL_SIZE];
  const bool read = limpet_text_number(cursor, value);
  if (read) skip_comma(reader, e, name, cursor);
  if (!read || !(**cursor == '\0' || isspace((unsigned char)**cursor))) {
    int length = 0;
    while (word[length] && !isspace((unsigned char)word[length]) && length < 40) ++length;
    limpet_reader_fail(reader, e, name, "%s needs numbers, but has '%.*s'%s",
                       label_of(label, e, name), length, word, xacro_hint(word));
  }
  if (isnan(*value))
    limpet_reader_fail(reader, e, name, "%s has a NaN; give a number", label_of(label, e, name));
  return true;
}

// more numbers than an attribute takes
static void end_list(limpet_reader *reader, const limpet_xml_element *e, const char *name,
                     bool exact, int most) {
  char label[LABEL_SIZE];
  label_of(label, e, name);
  if (reader->mends_lists && most > 1)
    limpet_reader_mend(reader, e, name, "long lists",
                       "%s has more than %d numbers: the first %d count; remove the rest", label,
                       most, most);
  else
    limpet_reader_fail(reader, e, name, "%s has too many numbers; it takes %s%d", label,
                       exact ? "" : "at most ", most);
}

int limpet_read_numbers(limpet_reader *reader, const limpet_xml_element *e, const char *name,
                        double *values, int least, int most) {
  const char *cursor = value_of(reader, e, name);
  if (!cursor) return 0;
  char label[LABEL_SIZE];
  int count = 0;
  for (double value; next_number(reader, e, name, &cursor, &value);) {
    if (count == most) {
      end_list(reader, e, name, least == most, most);
      break;
    }
    values[count++] = value;
  }
  if (count < least)
    limpet_reader_fail(reader, e, name, "%s has %d number%s; it takes %s%d",
                       label_of(label, e, name), count, count == 1 ? "" : "s",
                       least == most ? "" : "at least ", least);
  return count;
}

int limpet_read_finite(limpet_reader *reader, const limpet_xml_element *e, const char *name,
                       double *values, int count) {
  const int found = limpet_read_numbers(reader, e, name, values, count, count);
  char label[LABEL_SIZE];
  for (int i = 0; i < found; ++i)
    if (isinf(values[i]))
      limpet_reader_fail(reader, e, name, "%s is infinite; give finite numbers",
                         label_of(label, e, name));
  return found;
}

bool limpet_read_number(limpet_reader *reader, const limpet_xml_element *e, const char *name,
                        double *value) {
  return limpet_read_numbers(reader, e, name, value, 1, 1) == 1;
}

bool limpet_read_integer(limpet_reader *reader, const limpet_xml_element *e, const char *name,
                         int *value) {
  double number;
  char label[LABEL_SIZE];
  if (!limpet_read_number(reader, e, name, &number)) return false;
  if (number != floor(number) || fabs(number) > INT_MAX)
    limpet_reader_fail(reader, e, name, "%s needs a whole number, but has '%s'",
                       label_of(label, e, name), value_of(reader, e, name));
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
  char label[LABEL_SIZE];
  limpet_reader_fail(reader, e, name, "%s cannot be '%.200s'; it takes one of: %s",
                     label_of(label, e, name), value_of(reader, e, name), list);
}

bool limpet_read_choice(limpet_reader *reader, const limpet_xml_element *e, const char *name,
                        const char *const *words, int *value) {
  const char *text = value_of(reader, e, name);
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
  const char *text = value_of(reader, e, name);
  if (!text && name)
    limpet_reader_fail(reader, e, NULL, "<%s> needs the attribute '%s'", e->name, name);
  if (!text) limpet_reader_fail(reader, e, NULL, "<%s> is empty", e->name);
  return text;
}
