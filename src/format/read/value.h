/* format/read/value.h: attributes to numbers, words and flags; with the name NULL the text in the
 * element.
 *
 * Each function returns whether the attribute is there; if not, the value is left alone. A text
 * that is not what it should be ends the reading, at the attribute. */
#ifndef LIMPET_FORMAT_READ_VALUE_H
#define LIMPET_FORMAT_READ_VALUE_H

#include "format/read/reader.h"

bool limpet_read_number(limpet_reader *reader, const limpet_xml_element *e, const char *name,
                        double *value);
bool limpet_read_integer(limpet_reader *reader, const limpet_xml_element *e, const char *name,
                         int *value);
// Accepts true and false.
bool limpet_read_boolean(limpet_reader *reader, const limpet_xml_element *e, const char *name,
                         bool *value);
// `words`, ended by NULL; the value is the index of the word.
bool limpet_read_choice(limpet_reader *reader, const limpet_xml_element *e, const char *name,
                        const char *const *words, int *value);
// `count` numbers that are finite, of a place or direction; returns how many, as below.
int limpet_read_finite(limpet_reader *reader, const limpet_xml_element *e, const char *name,
                       double *values, int count);
// Between `least` and `most` numbers; returns how many (0: the attribute is absent).
int limpet_read_numbers(limpet_reader *reader, const limpet_xml_element *e, const char *name,
                        double *values, int least, int most);
// Any number of numbers, in the pool; NULL and 0 if absent.
double *limpet_read_array(limpet_reader *reader, const limpet_xml_element *e, const char *name,
                          int *count);
// The text of an attribute that must be there.
const char *limpet_read_required(limpet_reader *reader, const limpet_xml_element *e,
                                 const char *name);

#endif
