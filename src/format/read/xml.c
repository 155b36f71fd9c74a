/* format/read/xml.c: expat events to a tree of elements with places.
 *
 * Three slips that other programs pass over are no errors here, since they have one meaning: an XML
 * declaration behind blanks or comments, zero bytes behind the end, and names of encodings that
 * expat does not know ("ASCII", "utf8"), which are read as UTF-8. */
#include "format/read/xml.h"

#include <expat.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "format/read/text.h"

typedef struct xml_builder {
  XML_Parser parser;
  limpet_pool *pool;
  const char *text;  // the whole document
  size_t length;
  bool wide;  // it is UTF-16
  const char *file;
  limpet_xml_element *root, *current;
  int depth, element_count;
  limpet_status status;  // first thing that went wrong here, not in expat
  const char *reason;
} xml_builder;

static void stop(xml_builder *builder, limpet_status status, const char *reason) {
  if (builder->status == LIMPET_OK) builder->status = status, builder->reason = reason;
  XML_StopParser(builder->parser, XML_FALSE);
}

// ---------------------------------------------------------------------- places of attributes

typedef struct text_cursor {
  const char *at;
  int line, column;
} text_cursor;

// Moves to `target`; bytes that continue a character have no column of their own.
static void cursor_move(text_cursor *cursor, const char *target) {
  const char *at = cursor->at, *line_end;
  while ((line_end = memchr(at, '\n', (size_t)(target - at))))
    at = line_end + 1, ++cursor->line, cursor->column = 1;
  int columns = 0;
  for (const char *c = at; c < target; ++c) columns += (*c & 0xc0) != 0x80;
  cursor->column += columns;
  cursor->at = target;
}

static bool blank(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }

/* expat gives the place of a tag only: scans the tag, which expat has found well formed, for where
 * each attribute begins. */
static void attribute_places(const xml_builder *builder, limpet_xml_element *element, long offset) {
  if (offset < 0 || (size_t)offset >= builder->length) return;
  text_cursor cursor = {builder->text + offset, element->line, element->column};
  const char *at = cursor.at, *end = builder->text + builder->length;
  while (at < end && !blank(*at)) ++at;
  for (int i = 0; i < element->attribute_count; ++i) {
    while (at < end && blank(*at)) ++at;
    cursor_move(&cursor, at);
    element->attribute[i].line = cursor.line, element->attribute[i].column = cursor.column;
    while (at < end && *at != '"' && *at != '\'') ++at;
    const char *close = at < end ? memchr(at + 1, *at, (size_t)(end - at - 1)) : NULL;
    if (!close) return;
    at = close + 1;
  }
}

// ---------------------------------------------------------------------------------- events

static bool fill_attributes(xml_builder *builder, limpet_xml_element *element,
                            const XML_Char **attributes) {
  int count = 0;
  while (attributes[2 * count]) ++count;
  element->attribute = LIMPET_POOL_TAKE(builder->pool, limpet_xml_attribute, count);
  if (!element->attribute) return false;
  element->attribute_count = count;
  for (int i = 0; i < count; ++i) {
    element->attribute[i].name = limpet_pool_text(builder->pool, attributes[2 * i]);
    element->attribute[i].value = limpet_pool_text(builder->pool, attributes[2 * i + 1]);
    element->attribute[i].line = element->line, element->attribute[i].column = element->column;
    if (!element->attribute[i].name || !element->attribute[i].value) return false;
  }
  return true;
}

static void on_start(void *context, const XML_Char *name, const XML_Char **attributes) {
  xml_builder *builder = context;
  if (builder->status != LIMPET_OK) return;
  if (++builder->depth > LIMPET_XML_DEPTH_LIMIT) {
    stop(builder, LIMPET_ERROR_INPUT, "elements are nested too deeply; the limit is 500");
    return;
  }
  if (++builder->element_count > LIMPET_XML_ELEMENT_LIMIT) {
    stop(builder, LIMPET_ERROR_INPUT, "the file has too many elements; the limit is 4 million");
    return;
  }
  limpet_xml_element *element = LIMPET_POOL_TAKE(builder->pool, limpet_xml_element, 1);
  if (!element || !(element->name = limpet_pool_text(builder->pool, name))) {
    stop(builder, LIMPET_ERROR_MEMORY, "no memory");
    return;
  }
  element->file = builder->file;
  element->line = (int)XML_GetCurrentLineNumber(builder->parser);
  element->column = (int)XML_GetCurrentColumnNumber(builder->parser) + 1;
  if (!fill_attributes(builder, element, attributes)) {
    stop(builder, LIMPET_ERROR_MEMORY, "no memory");
    return;
  }
  if (!builder->wide) attribute_places(builder, element, XML_GetCurrentByteIndex(builder->parser));

  // hang it below the element that is open
  element->parent = builder->current;
  if (!builder->current) builder->root = element;
  else if (builder->current->last) builder->current->last->next = element;
  else builder->current->first = element;
  if (builder->current) builder->current->last = element;
  builder->current = element;
}

static void on_end(void *context, const XML_Char *name) {
  xml_builder *builder = context;
  (void)name;
  if (builder->status != LIMPET_OK) return;
  limpet_xml_element *element = builder->current;
  while (element->text && element->text_length && blank(element->text[element->text_length - 1]))
    element->text[--element->text_length] = '\0';
  --builder->depth;
  builder->current = builder->current->parent;
}

// makes room for `length` more bytes of text; false: no memory, or too much text
static bool make_text_room(xml_builder *builder, limpet_xml_element *element, size_t length) {
  if (element->text_length + length > LIMPET_XML_TEXT_LIMIT) return false;
  if (element->text_length + length < element->text_room) return true;
  size_t room = element->text_room ? element->text_room : 16;
  while (room <= element->text_length + length) room *= 2;
  char *larger = limpet_pool_take(builder->pool, room);
  if (!larger) {
    stop(builder, LIMPET_ERROR_MEMORY, "no memory");
    return false;
  }
  if (element->text) memcpy(larger, element->text, element->text_length);
  element->text = larger, element->text_room = room;
  return true;
}

// text is kept from the first letter that is no blank
static void on_text(void *context, const XML_Char *text, int length) {
  xml_builder *builder = context;
  limpet_xml_element *element = builder->current;
  if (builder->status != LIMPET_OK || !element) return;
  int i = 0;
  if (!element->text_line) {
    while (i < length && blank(text[i])) ++i;
    if (i == length) return;
    element->text_line = (int)XML_GetCurrentLineNumber(builder->parser);
    element->text_column = (int)XML_GetCurrentColumnNumber(builder->parser) + 1 + i;
  } else if (!element->text) {
    return;  // there was too much of it
  }
  const size_t count = (size_t)(length - i);
  if (make_text_room(builder, element, count)) {
    memcpy(element->text + element->text_length, text + i, count);
    element->text_length += count;
    element->text[element->text_length] = '\0';
  } else {
    element->text = NULL;
  }
}

static void on_doctype(void *context, const XML_Char *name, const XML_Char *system_id,
                       const XML_Char *public_id, int has_subset) {
  (void)name, (void)system_id, (void)public_id, (void)has_subset;
  stop(context, LIMPET_ERROR_INPUT,
       "document type declarations are not read; remove <!DOCTYPE ...>");
}

// --------------------------------------------------------------------------------- encodings

// a character of UTF-8 that has several bytes; expat asks for those that map below 0 only
static int decode(void *context, const char *text) {
  const unsigned char *byte = (const unsigned char *)text;
  (void)context;
  const int count = byte[0] < 0xe0 ? 2 : byte[0] < 0xf0 ? 3 : 4;
  int code = byte[0] & (0xff >> (count + 1));
  for (int i = 1; i < count; ++i) {
    if ((byte[i] & 0xc0) != 0x80) return -1;
    code = code << 6 | (byte[i] & 0x3f);
  }
  return code < 0x10000 ? code : -1;  // all that expat takes from here
}

static int on_encoding(void *context, const XML_Char *name, XML_Encoding *encoding) {
  (void)context, (void)name;
  for (int byte = 0; byte < 256; ++byte)
    encoding->map[byte] = byte < 0x80   ? byte
                          : byte < 0xc2 ? -1
                          : byte < 0xe0 ? -2
                          : byte < 0xf0 ? -3
                          : byte < 0xf5 ? -4
                                        : -1;
  encoding->data = NULL, encoding->convert = decode, encoding->release = NULL;
  return XML_STATUS_OK;
}

// --------------------------------------------------------------------------------- parsing

static const char *behind(const char *at, const char *end, const char *mark) {
  const size_t length = strlen(mark);
  for (; (size_t)(end - at) >= length; ++at)
    if (memcmp(at, mark, length) == 0) return at + length;
  return end;
}

static bool begins(const char *at, const char *end, const char *mark) {
  const size_t length = strlen(mark);
  return (size_t)(end - at) >= length && memcmp(at, mark, length) == 0;
}

// An XML declaration that comes after blanks or comments; NULL: there is none, or it comes first.
static const char *late_declaration(const char *text, const char *end) {
  const char *at = text;
  for (;;) {
    while (at < end && blank(*at)) ++at;
    if (!begins(at, end, "<!--")) break;
    at = behind(at, end, "-->");
  }
  return at > text && begins(at, end, "<?xml ") ? at : NULL;
}

/* Gives the document to expat, which takes a declaration at the very beginning alone: a later one
 * is given as blanks, so that places stay what they are. */
static enum XML_Status feed(xml_builder *builder) {
  XML_Parser parser = builder->parser;
  const char *end = builder->text + builder->length;
  const char *late = late_declaration(builder->text, end);
  if (!late) return XML_Parse(parser, builder->text, (int)builder->length, XML_TRUE);
  const char *rest = behind(late, end, "?>");
  enum XML_Status status = XML_Parse(parser, builder->text, (int)(late - builder->text), XML_FALSE);
  for (const char *at = late; at < rest && status == XML_STATUS_OK; ++at)
    status = XML_Parse(parser, blank(*at) ? at : " ", 1, XML_FALSE);
  return status == XML_STATUS_OK ? XML_Parse(parser, rest, (int)(end - rest), XML_TRUE) : status;
}

// whether the first letter of the document begins a tag
static bool begins_with_tag(const xml_builder *builder) {
  const char *at = builder->text, *end = at + builder->length;
  if (begins(at, end, "\xef\xbb\xbf")) at += 3;
  while (at < end && blank(*at)) ++at;
  return builder->wide || (at < end && *at == '<');
}

// Whether a whole character of UTF-8 is where the parser stopped.
static bool is_utf8_here(const xml_builder *builder) {
  const XML_Index index = XML_GetCurrentByteIndex(builder->parser);
  if (builder->wide || index < 0 || (size_t)index >= builder->length) return true;
  const unsigned char *at = (const unsigned char *)builder->text + index;
  const int more = at[0] >= 0xf0 ? 3 : at[0] >= 0xe0 ? 2 : at[0] >= 0x80 ? 1 : 0;
  if (more && (at[0] < 0xc2 || at[0] > 0xf4)) return false;
  for (int k = 1; k <= more; ++k)
    if ((size_t)index + (size_t)k >= builder->length || (at[k] & 0xc0) != 0x80) return false;
  return true;
}

static const char *what_went_wrong(const xml_builder *builder, char *text, size_t size) {
  const enum XML_Error code = XML_GetErrorCode(builder->parser);
  const limpet_xml_element *open = builder->current;
  if (code == XML_ERROR_NO_ELEMENTS) {
    snprintf(text, size, "the file ends before its XML is complete: %s",
             open ? "an element is still open" : "there is no element in it");
    if (open)
      snprintf(text, size,
               "the file ends before its XML is complete: <%s> of line %d is still open; is the "
               "file truncated?",
               open->name, open->line);
  } else if (code == XML_ERROR_UNCLOSED_TOKEN) {
    snprintf(text, size, "the file ends in the middle of a tag; is it truncated?");
  } else if (code == XML_ERROR_TAG_MISMATCH && open) {
    snprintf(text, size, "the end tag does not fit: <%s> of line %d is open", open->name,
             open->line);
  } else if (!open && !builder->root && !begins_with_tag(builder)) {
    snprintf(text, size, "this is not XML: it does not begin with '<'");
  } else if (code == XML_ERROR_INVALID_TOKEN && !is_utf8_here(builder)) {
    snprintf(text, size,
             "the file is not UTF-8 here; save it as UTF-8, or begin it with <?xml version=\"1.0\" "
             "encoding=\"ISO-8859-1\"?>");
  } else if (code == XML_ERROR_INVALID_TOKEN) {
    snprintf(text, size,
             "not well-formed XML: a character that may not stand here; write &amp; for & and &lt; "
             "for <");
  } else {
    snprintf(text, size, "not well-formed XML: %s", XML_ErrorString(code));
  }
  return text;
}

static limpet_status report(const xml_builder *builder, limpet_error *error) {
  char text[256];
  const limpet_status status = builder->status != LIMPET_OK ? builder->status : LIMPET_ERROR_INPUT;
  const char *reason =
      builder->status != LIMPET_OK ? builder->reason : what_went_wrong(builder, text, sizeof text);
  return limpet_error_fill_at(error, status, builder->file,
                              (int)XML_GetCurrentLineNumber(builder->parser),
                              (int)XML_GetCurrentColumnNumber(builder->parser) + 1, "%s", reason);
}

// Whether a text is UTF-16, by its byte order mark or its first '<'.
static bool is_wide(const char *text, size_t length) {
  static const char heads[][3] = {"\xff\xfe", "\xfe\xff", {'<', '\0'}, {'\0', '<'}};
  for (size_t i = 0; length >= 2 && i < sizeof heads / sizeof *heads; ++i)
    if (memcmp(text, heads[i], 2) == 0) return true;
  return false;
}

// The length of a text without zeros behind its end: letters of two bytes, where it is wide.
static size_t length_without_zeros(const char *text, size_t length, bool wide) {
  const size_t letter = wide ? 2 : 1;
  while (length >= letter && text[length - 1] == '\0' && text[length - letter] == '\0')
    length -= letter;
  return length;
}

limpet_status limpet_xml_parse(limpet_xml_element **root, limpet_pool *pool, const char *text,
                               size_t length, const char *file, limpet_error *error) {
  if (length > (size_t)LIMPET_XML_FILE_LIMIT)
    return limpet_error_fill_at(error, LIMPET_ERROR_INPUT, file, 0, 0,
                                "the text is longer than %d MB, the most that is read",
                                LIMPET_XML_FILE_LIMIT >> 20);
  const bool wide = is_wide(text, length);
  length = length_without_zeros(text, length, wide);
  xml_builder builder = {.pool = pool, .text = text, .length = length, .wide = wide};
  builder.file = limpet_pool_text(pool, file ? file : "(text)");
  builder.parser = XML_ParserCreate(NULL);
  if (!builder.parser || !builder.file) {
    if (builder.parser) XML_ParserFree(builder.parser);
    return limpet_error_fill_at(error, LIMPET_ERROR_MEMORY, file, 0, 0, "no memory");
  }
  XML_SetUserData(builder.parser, &builder);
  XML_SetElementHandler(builder.parser, on_start, on_end);
  XML_SetCharacterDataHandler(builder.parser, on_text);
  XML_SetStartDoctypeDeclHandler(builder.parser, on_doctype);
  XML_SetUnknownEncodingHandler(builder.parser, on_encoding, NULL);

  limpet_status status = LIMPET_OK;
  if (feed(&builder) != XML_STATUS_OK) status = report(&builder, error);
  XML_ParserFree(builder.parser);
  *root = builder.root;
  return status;
}

limpet_status limpet_xml_parse_file(limpet_xml_element **root, limpet_pool *pool, const char *path,
                                    limpet_error *error) {
  char *text;
  size_t length;
  limpet_status status = limpet_text_file(&text, &length, path, LIMPET_XML_FILE_LIMIT, error);
  if (status != LIMPET_OK) return status;
  status = limpet_xml_parse(root, pool, text, length, path, error);
  free(text);
  return status;
}

const limpet_xml_element *limpet_xml_child(const limpet_xml_element *element, const char *name) {
  const limpet_xml_element *child = element->first;
  while (child && strcmp(child->name, name) != 0) child = child->next;
  return child;
}

const limpet_xml_element *limpet_xml_next(const limpet_xml_element *e) {
  const limpet_xml_element *next = e->next;
  while (next && strcmp(next->name, e->name) != 0) next = next->next;
  return next;
}

const limpet_xml_attribute *limpet_xml_find(const limpet_xml_element *element, const char *name) {
  for (int i = 0; i < element->attribute_count; ++i)
    if (strcmp(element->attribute[i].name, name) == 0) return &element->attribute[i];
  return NULL;
}

const char *limpet_xml_value(const limpet_xml_element *element, const char *name) {
  const limpet_xml_attribute *attribute = limpet_xml_find(element, name);
  return attribute ? attribute->value : NULL;
}

limpet_place limpet_xml_place(const limpet_xml_element *element, const char *attribute) {
  const limpet_xml_attribute *a = attribute ? limpet_xml_find(element, attribute) : NULL;
  return (limpet_place){element->file, a ? a->line : element->line,
                        a ? a->column : element->column};
}
