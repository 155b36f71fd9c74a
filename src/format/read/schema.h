/* format/read/schema.h: what a format consists of, as a table, and a document against it.
 *
 * Each reader has one table. The page of the format in docs/ shows it to users, and a test compares
 * the two. */
#ifndef LIMPET_FORMAT_READ_SCHEMA_H
#define LIMPET_FORMAT_READ_SCHEMA_H

#include "format/read/reader.h"

typedef enum limpet_schema_support {
  LIMPET_SCHEMA_USED,    // simulated, or needed to read the file
  LIMPET_SCHEMA_SILENT,  // chooses a numerical method, or is for drawing and for people: changes
                         // no physics
  LIMPET_SCHEMA_UNSUPPORTED  // changes physics and is not simulated: noted, or an error with
                             // options.strict
} limpet_schema_support;

typedef struct limpet_schema_rule {
  const char *key;  // name of the element; "joint@fixed" where one name has several meanings
  limpet_schema_support support;
  const char *reason;       // why it is silent or unsupported; NULL: used
  const char *used;         // attributes, blanks between; "#text": the text in the element
  const char *silent;       // attributes accepted in silence
  const char *unsupported;  // attributes that are noted unless their value is neutral
  const char *children;     // keys of rules; "*": anything, which is not looked at
} limpet_schema_rule;

typedef struct limpet_schema_reason {
  const char *name;  // of an attribute
  // besides numbers that are all zero: the value that changes nothing; NULL: none
  const char *neutral;
  const char *reason;
} limpet_schema_reason;

typedef struct limpet_schema {
  const char *format;                   // "MJCF"
  const limpet_schema_rule *rules;      // ended by key NULL; the root is first
  const limpet_schema_reason *reasons;  // of attributes that are not simulated; ended by name NULL
  const char *single;  // keys of rules, blanks between: of which an element holds one at most
  bool open;  // files come from other programs: unknown names and second ones of `single` are
              // noted, not errors
} limpet_schema;

// Ends the reading at an unknown element or attribute, or notes it; notes what is not simulated.
void limpet_schema_check(limpet_reader *reader, const limpet_schema *schema,
                         const limpet_xml_element *root);

#endif
