/* format/mjcf/schema.h: the table of what MJCF consists of. docs/mjcf.md shows it to users; a test
 * compares the two. */
#ifndef LIMPET_FORMAT_MJCF_SCHEMA_H
#define LIMPET_FORMAT_MJCF_SCHEMA_H

typedef enum limpet_mjcf_support {
  LIMPET_MJCF_USED,        // simulated, or needed to read the file
  LIMPET_MJCF_SILENT,      // chooses MuJoCo's method, or is for drawing and for people: changes no
                           // physics
  LIMPET_MJCF_UNSUPPORTED  // changes physics and is not simulated: noted, or an error with
                           // options.strict
} limpet_mjcf_support;

typedef struct limpet_mjcf_rule {
  const char *key;  // name of the element; "joint@fixed" where one name has several meanings
  limpet_mjcf_support support;
  const char *reason;       // why it is silent or unsupported; NULL: used
  const char *used;         // attributes, blanks between
  const char *silent;       // attributes accepted in silence
  const char *unsupported;  // attributes that are noted unless their value is neutral; reasons in
                            // limpet_mjcf_attribute_reasons
  const char *children;     // keys of rules
} limpet_mjcf_rule;

typedef struct limpet_mjcf_attribute_reason {
  const char *name;
  // besides numbers that are all zero: the value that changes nothing; NULL: none
  const char *neutral;
  const char *reason;
} limpet_mjcf_attribute_reason;

extern const limpet_mjcf_rule limpet_mjcf_rules[];  // ended by key NULL; the root is first
extern const limpet_mjcf_attribute_reason limpet_mjcf_attribute_reasons[];  // ended by name NULL

#endif
