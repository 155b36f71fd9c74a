/* format/read/xml.h: an XML document in memory in which every element and every attribute knows its
 * place.
 *
 * Parsing is expat's. Document type declarations are refused, and with them all entities beyond the
 * five of XML, so that nothing expands; depth and size are limited. Texts are UTF-8, columns count
 * characters. */
#ifndef LIMPET_FORMAT_XML_H
#define LIMPET_FORMAT_XML_H

#include "format/read/pool.h"
#include "limpet/model.h"

enum {
  LIMPET_XML_DEPTH_LIMIT = 500,        // elements inside each other
  LIMPET_XML_ELEMENT_LIMIT = 4000000,  // elements of one file
  LIMPET_XML_FILE_LIMIT =
      192 << 20,  // [bytes]  four times that is the memory which one attribute may take
  LIMPET_XML_TEXT_LIMIT = 1 << 20  // [bytes]  of the text in one element
};

typedef struct limpet_xml_attribute {
  const char *name, *value;
  int line, column;  // 1-based, of the first letter of the name
} limpet_xml_attribute;

typedef struct limpet_xml_element limpet_xml_element;
struct limpet_xml_element {
  const char *name, *file;
  int line, column;            // 1-based, of the '<'
  int text_line, text_column;  // where text begins in it that is more than blanks; 0: nowhere
  char *text;                  // from there on; NULL: none, or more than LIMPET_XML_TEXT_LIMIT
  size_t text_length, text_room;
  int attribute_count;
  limpet_xml_attribute *attribute;  // (attribute_count)
  limpet_xml_element *parent, *first, *last, *next;
};

/* Parses `text`; elements live in `pool`, which keeps a copy of `file` (for messages) too. */
limpet_status limpet_xml_parse(limpet_xml_element **root, limpet_pool *pool, const char *text,
                               size_t length, const char *file, limpet_error *error);
limpet_status limpet_xml_parse_file(limpet_xml_element **root, limpet_pool *pool, const char *path,
                                    limpet_error *error);

// The first child of that name, and the next one behind `e` that has the name of `e`; NULL: none.
const limpet_xml_element *limpet_xml_child(const limpet_xml_element *element, const char *name);
const limpet_xml_element *limpet_xml_next(const limpet_xml_element *e);
// The attribute of that name, or NULL; its value, or NULL.
const limpet_xml_attribute *limpet_xml_find(const limpet_xml_element *element, const char *name);
const char *limpet_xml_value(const limpet_xml_element *element, const char *name);
// Where the attribute stands; where the element does if it has none or `attribute` is NULL.
limpet_place limpet_xml_place(const limpet_xml_element *element, const char *attribute);

#endif
