/* format/mjcf/check.c: a document against the schema: unknown names are errors with a
 * suggestion, what is not simulated is noted. */
#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "base/text_distance.h"
#include "format/mjcf/check.h"
#include "format/mjcf/schema.h"
#include "format/read/text.h"

enum { LONGEST_NAME = 64 };

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
  const int length = (int)strlen(s->name);
  text[0] = '\0';
  if (s->best[0] && s->distance <= (length < 4 ? 1 : length < 8 ? 2 : 3))
    snprintf(text, size, "; did you mean '%s'?", s->best);
  return text;
}

// ----------------------------------------------------------------------------------- rules

static const limpet_mjcf_rule *rule_by_key(const char *key) {
  for (const limpet_mjcf_rule *rule = limpet_mjcf_rules; rule->key; ++rule)
    if (strcmp(rule->key, key) == 0) return rule;
  return NULL;
}

// the rule of an element called `name` below `parent`
static const limpet_mjcf_rule *rule_of_child(const limpet_mjcf_rule *parent, const char *name) {
  const char *list = parent->children;
  char key[LONGEST_NAME];
  const size_t length = strlen(name);
  while (next_word(&list, key))
    if (strncmp(key, name, length) == 0 && (key[length] == '\0' || key[length] == '@'))
      return rule_by_key(key);
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

static void note_attribute(limpet_reader *reader, const limpet_xml_element *e,
                           const limpet_xml_attribute *attribute) {
  const limpet_mjcf_attribute_reason *reason = limpet_mjcf_attribute_reasons;
  while (reason->name && strcmp(reason->name, attribute->name) != 0) ++reason;
  if (!reason->name || attribute_is_neutral(attribute->value, reason->neutral)) return;
  char kind[2 * LONGEST_NAME];
  snprintf(kind, sizeof kind, "attribute %s", attribute->name);
  limpet_reader_unsupported(reader, e, attribute->name, kind, "attribute '%s' of <%s>: %s",
                            attribute->name, e->name, reason->reason);
}

static void check_attributes(limpet_reader *reader, const limpet_xml_element *e,
                             const limpet_mjcf_rule *rule) {
  for (int i = 0; i < e->attribute_count; ++i) {
    const char *name = e->attribute[i].name;
    if (!e->parent && strncmp(name, "xmlns:", 6) == 0) continue;  // declares a prefix, as limpet:
    if (list_has(rule->used, name) || list_has(rule->silent, name)) continue;
    if (list_has(rule->unsupported, name)) {
      note_attribute(reader, e, &e->attribute[i]);
      continue;
    }
    char text[LONGEST_NAME + 32];
    suggestion s = {.name = name, .distance = 1000};
    suggest(&s, rule->used);
    suggest(&s, rule->silent);
    suggest(&s, rule->unsupported);
    limpet_reader_fail(reader, e, name, "<%s> has no attribute '%s'%s", e->name, name,
                       suggestion_text(&s, text, sizeof text));
  }
}

static void check_element(limpet_reader *reader, const limpet_xml_element *e,
                          const limpet_mjcf_rule *rule) {
  check_attributes(reader, e, rule);
  if (e->text_line)
    limpet_reader_note(reader, e, NULL, "text",
                       "there is text in <%s>, in line %d, column %d: it means nothing in MJCF",
                       e->name, e->text_line, e->text_column);
  // an equality that is switched off changes nothing
  const char *active = limpet_xml_value(e, "active");
  const bool off = active && strcmp(active, "false") == 0;
  const bool in_default = e->parent && strcmp(e->parent->name, "default") == 0;
  if (rule->support == LIMPET_MJCF_UNSUPPORTED && !off && !in_default)
    limpet_reader_unsupported(reader, e, NULL, rule->key, "<%s>: %s", e->name, rule->reason);
  for (const limpet_xml_element *child = e->first; child; child = child->next) {
    const limpet_mjcf_rule *child_rule = rule_of_child(rule, child->name);
    if (!child_rule) {
      char text[LONGEST_NAME + 32];
      suggestion s = {.name = child->name, .distance = 1000};
      suggest(&s, rule->children);
      limpet_reader_fail(reader, child, NULL, "<%s> cannot hold an element <%s>%s", e->name,
                         child->name, suggestion_text(&s, text, sizeof text));
    }
    check_element(reader, child, child_rule);
  }
}

void limpet_mjcf_check(limpet_reader *reader, const limpet_xml_element *root) {
  check_element(reader, root, rule_by_key("mujoco"));
}
