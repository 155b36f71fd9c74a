/* format/read/schema.c: a document against the table of its format: unknown names are errors with a
 * suggestion, or notes in formats that others extend; what is not simulated is noted. */
#include "format/read/schema.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "base/text_distance.h"
#include "format/read/text.h"

enum { LONGEST_NAME = 64 };

typedef struct checker {
  limpet_reader *reader;
  const limpet_schema *schema;
} checker;

// copies the next word of a list and moves behind it; false at the end
static bool next_word(const char **list, char word[LONGEST_NAME]) {
  while (**list == ' ') ++*list;
  size_t length = 0;
  while ((*list)[length] && (*list)[length] != ' ' && length < LONGEST_NAME - 1) ++length;
  if (length == 0) return false;
  memcpy(word, *list, length);
  word[length] = '\0';
  *list += length;
  return true;
}

static bool list_has(const char *list, const char *name) {
  char word[LONGEST_NAME];
  while (next_word(&list, word))
    if (strcmp(word, name) == 0) return true;
  return false;
}

// ------------------------------------------------------------------------------- suggestions

typedef struct suggestion {
  const char *name;  // what was written
  char best[LONGEST_NAME];
  int distance;
} suggestion;

static void suggest(suggestion *s, const char *list) {
  char word[LONGEST_NAME];
  while (next_word(&list, word)) {
    char *context = strchr(word, '@');
    if (context) *context = '\0';
    const int distance = limpet_text_distance(s->name, word);
    if (distance < s->distance) {
      s->distance = distance;
      memcpy(s->best, word, sizeof word);
    }
  }
}

// "; did you mean 'x'?" if something is near enough
static const char *suggestion_text(const suggestion *s, char *text, size_t size) {
  const size_t length = strnlen(s->name, LONGEST_NAME);
  text[0] = '\0';
  if (s->best[0] && s->distance <= (length < 4 ? 1 : length < 8 ? 2 : 3))
    snprintf(text, size, "; did you mean '%s'?", s->best);
  return text;
}

// ----------------------------------------------------------------------------------- rules

static const limpet_schema_rule *rule_by_key(const limpet_schema *schema, const char *key) {
  for (const limpet_schema_rule *rule = schema->rules; rule->key; ++rule)
    if (strcmp(rule->key, key) == 0) return rule;
  return NULL;
}

// the rule of an element called `name` below `parent`
static const limpet_schema_rule *rule_of_child(const limpet_schema *schema,
                                               const limpet_schema_rule *parent, const char *name) {
  const char *list = parent->children;
  char key[LONGEST_NAME];
  const size_t length = strlen(name);
  while (next_word(&list, key))
    if (strncmp(key, name, length) == 0 && (key[length] == '\0' || key[length] == '@'))
      return rule_by_key(schema, key);
  return NULL;
}

static bool attribute_is_neutral(const char *value, const char *neutral) {
  if (neutral && strcmp(value, neutral) == 0) return true;
  if (strcmp(value, "false") == 0) return true;
  const char *cursor = value;
  double number;
  bool zero = false;
  while (limpet_text_number(&cursor, &number)) {
    if (number != 0.0) return false;
    zero = true;
  }
  while (isspace((unsigned char)*cursor)) ++cursor;
  return zero && *cursor == '\0';
}

static void note_attribute(const checker *c, const limpet_xml_element *e,
                           const limpet_xml_attribute *attribute) {
  const limpet_schema_reason *reason = c->schema->reasons;
  while (reason->name && strcmp(reason->name, attribute->name) != 0) ++reason;
  if (!reason->name || attribute_is_neutral(attribute->value, reason->neutral)) return;
  char kind[2 * LONGEST_NAME];
  snprintf(kind, sizeof kind, "attribute %s", attribute->name);
  limpet_reader_unsupported(c->reader, e, attribute->name, kind, "attribute '%s' of <%s>: %s",
                            attribute->name, e->name, reason->reason);
}

// an attribute that the rule does not know
static void unknown_attribute(const checker *c, const limpet_xml_element *e, const char *name,
                              const limpet_schema_rule *rule) {
  char text[LONGEST_NAME + 32], kind[2 * LONGEST_NAME];
  suggestion s = {.name = name, .distance = 1000};
  suggest(&s, rule->used);
  suggest(&s, rule->silent);
  suggest(&s, rule->unsupported);
  suggestion_text(&s, text, sizeof text);
  if (!c->schema->open)
    limpet_reader_fail(c->reader, e, name, "<%s> has no attribute '%s'%s", e->name, name, text);
  snprintf(kind, sizeof kind, "unknown %.50s of %.50s", name, e->name);
  limpet_reader_unsupported(c->reader, e, name, kind,
                            "<%s> has no attribute '%s' in %s: it is left out%s", e->name, name,
                            c->schema->format, text);
}

static void check_attributes(const checker *c, const limpet_xml_element *e,
                             const limpet_schema_rule *rule) {
  // of what is not read at all, in formats that many programs write, attributes are not told
  const bool unread = rule->support != LIMPET_SCHEMA_USED && strcmp(rule->children, "*") == 0;
  for (int i = 0; i < e->attribute_count && !(unread && c->schema->open); ++i) {
    const char *name = e->attribute[i].name;
    // declares a prefix, as limpet:
    if ((!e->parent || c->schema->open) && strncmp(name, "xmlns", 5) == 0) continue;
    if (list_has(rule->used, name) || list_has(rule->silent, name)) continue;
    if (list_has(rule->unsupported, name)) note_attribute(c, e, &e->attribute[i]);
    else unknown_attribute(c, e, name, rule);
  }
}

// an element that its parent's rule does not know
static void unknown_element(const checker *c, const limpet_xml_element *e,
                            const limpet_schema_rule *parent) {
  char text[LONGEST_NAME + 32], kind[2 * LONGEST_NAME];
  suggestion s = {.name = e->name, .distance = 1000};
  suggest(&s, parent->children);
  suggestion_text(&s, text, sizeof text);
  if (!c->schema->open)
    limpet_reader_fail(c->reader, e, NULL, "<%s> cannot hold an element <%s>%s", e->parent->name,
                       e->name, text);
  snprintf(kind, sizeof kind, "unknown <%.50s> in %.50s", e->name, e->parent->name);
  limpet_reader_unsupported(c->reader, e, NULL, kind,
                            "<%s> has no element <%s> in %s: it is left out%s", e->parent->name,
                            e->name, c->schema->format, text);
}

// an element that may stand once in its parent, and stands there again; where programs of all kinds
// write the format the first counts, as in urdfdom and Drake
static void check_single(const checker *c, const limpet_xml_element *parent,
                         const limpet_xml_element *e, const limpet_schema_rule *rule) {
  if (!list_has(c->schema->single, rule->key)) return;
  const limpet_xml_element *first = limpet_xml_child(parent, e->name);
  if (first == e) return;
  if (!c->schema->open)
    limpet_reader_fail(c->reader, e, NULL,
                       "<%s> stands twice in <%s>, which takes one; the first is at %s:%d:%d",
                       e->name, parent->name, first->file, first->line, first->column);
  char kind[LIMPET_ERROR_TEXT_SIZE];
  snprintf(kind, sizeof kind, "second <%.50s> at %d:%d", e->name, e->line, e->column);
  limpet_reader_mend(c->reader, e, NULL, kind,
                     "<%s> stands twice in <%s>, which takes one: the first counts, at %s:%d:%d; "
                     "remove this one",
                     e->name, parent->name, first->file, first->line, first->column);
}

static void check_element(const checker *c, const limpet_xml_element *e,
                          const limpet_schema_rule *rule) {
  check_attributes(c, e, rule);
  if (e->text_line && !list_has(rule->used, "#text") && !list_has(rule->silent, "#text") &&
      strcmp(rule->children, "*") != 0)
    limpet_reader_note(c->reader, e, NULL, "text",
                       "there is text in <%s>, in line %d, column %d: it means nothing in %s",
                       e->name, e->text_line, e->text_column, c->schema->format);
  // an equality that is switched off changes nothing
  const char *active = limpet_xml_value(e, "active");
  const bool off = active && strcmp(active, "false") == 0;
  const bool in_default = e->parent && strcmp(e->parent->name, "default") == 0;
  if (rule->support == LIMPET_SCHEMA_UNSUPPORTED && !off && !in_default)
    limpet_reader_unsupported(c->reader, e, NULL, rule->key, "<%s>: %s", e->name, rule->reason);
  if (strcmp(rule->children, "*") == 0) return;
  for (const limpet_xml_element *child = e->first; child; child = child->next) {
    const limpet_schema_rule *child_rule = rule_of_child(c->schema, rule, child->name);
    if (child_rule) check_single(c, e, child, child_rule);
    if (child_rule) check_element(c, child, child_rule);
    else unknown_element(c, child, rule);
  }
}

void limpet_schema_check(limpet_reader *reader, const limpet_schema *schema,
                         const limpet_xml_element *root) {
  const checker c = {reader, schema};
  check_element(&c, root, schema->rules);
}
