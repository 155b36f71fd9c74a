/* tests/format/test_schema.c: the tables of MJCF, URDF and SDFormat are sound, and their pages in
 * docs/ show exactly what is in them. The tables of a page are printed by this program:
 * test_schema --table urdf. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "format/mjcf/schema.h"
#include "format/read/text.h"
#include "format/sdformat/schema.h"
#include "format/urdf/schema.h"

static const struct {
  const limpet_schema *schema;
  const char *page;
} formats[] = {
    {&limpet_mjcf_schema, "mjcf"}, {&limpet_urdf_schema, "urdf"}, {&limpet_sdf_schema, "sdformat"}};
enum { FORMAT_COUNT = sizeof formats / sizeof *formats };

static const limpet_schema *schema;  // that is being looked at

static const limpet_schema_rule *find_rule(const char *key) {
  for (const limpet_schema_rule *rule = schema->rules; rule->key; ++rule)
    if (strcmp(rule->key, key) == 0) return rule;
  return NULL;
}

// the next word of a list, in a static buffer; NULL at the end
static const char *word_of(const char **list) {
  static char word[64];
  while (**list == ' ') ++*list;
  const size_t length = strcspn(*list, " ");
  if (length == 0 || length >= sizeof word) return NULL;
  memcpy(word, *list, length);
  word[length] = '\0';
  *list += length;
  return word;
}

static int count_word(const char *list, const char *name) {
  int count = 0;
  for (const char *word; (word = word_of(&list));) count += strcmp(word, name) == 0;
  return count;
}

// -------------------------------------------------------------------------------- soundness

static void every_child_has_a_rule(void) {
  for (const limpet_schema_rule *rule = schema->rules; rule->key; ++rule) {
    const char *list = rule->children;
    for (const char *word; (word = word_of(&list)) && strcmp(word, "*") != 0;)
      if (!find_rule(word))
        fail_msg("<%s> names the child '%s', which has no rule", rule->key, word);
    bool has_parent = rule == schema->rules || strcmp(rule->key, "mujocoinclude") == 0;
    for (const limpet_schema_rule *other = schema->rules; other->key; ++other)
      has_parent |= count_word(other->children, rule->key) > 0;
    if (!has_parent) fail_msg("no element holds <%s>", rule->key);
    if ((rule->support == LIMPET_SCHEMA_USED) != (rule->reason == NULL))
      fail_msg("<%s>: a reason is missing, or too much", rule->key);
    assert_ptr_equal(find_rule(rule->key), rule);
  }
}

static void every_attribute_is_listed_once(void) {
  for (const limpet_schema_rule *rule = schema->rules; rule->key; ++rule) {
    const char *const lists[] = {rule->used, rule->silent, rule->unsupported};
    for (int i = 0; i < 3; ++i) {
      const char *list = lists[i];
      for (const char *word; (word = word_of(&list));) {
        int count = 0;
        char name[64];
        snprintf(name, sizeof name, "%s", word);
        for (int k = 0; k < 3; ++k) count += count_word(lists[k], name);
        if (count != 1) fail_msg("<%s>: attribute '%s' is listed %d times", rule->key, name, count);
        bool has_reason = i != 2;
        for (const limpet_schema_reason *r = schema->reasons; r->name; ++r)
          has_reason |= !strcmp(r->name, name);
        if (!has_reason) fail_msg("attribute '%s' of <%s> has no reason", name, rule->key);
      }
    }
  }
}

// -------------------------------------------------------------------------------------- page

// "`a`", or what stands for the text in an element
static const char *shown(const char *word) {
  static char text[80];
  if (strcmp(word, "#text") == 0) return "text";
  snprintf(text, sizeof text, "`%s`", word);
  return text;
}

// "`a` `b`", or a dash
static void write_words(char *text, size_t size, const char *list) {
  size_t used = strlen(text);
  const char *start = list;
  for (const char *word; (word = word_of(&list)) && used < size;)
    used += (size_t)snprintf(text + used, size - used, "%s%s",
                             list - strlen(word) == start ? "" : " ", shown(word));
  if (used == 0 || !*start) snprintf(text + used, size - used, "–");
}

// "<joint> in <fixed>"
static void write_key(char *text, size_t size, const char *key) {
  const char *context = strchr(key, '@');
  if (context) snprintf(text, size, "`<%.*s>` in `%s`", (int)(context - key), key, context + 1);
  else snprintf(text, size, "`<%s>`", key);
}

// a row of the table of elements that count; empty for silent ones
static void write_row(char *row, size_t size, const limpet_schema_rule *rule) {
  char key[100], used[2000] = "", silent[2000] = "", missing[2000] = "";
  row[0] = '\0';
  if (rule->support == LIMPET_SCHEMA_SILENT) return;
  write_key(key, sizeof key, rule->key);
  write_words(used, sizeof used, rule->used);
  write_words(silent, sizeof silent, rule->silent);
  write_words(missing, sizeof missing, rule->unsupported);
  snprintf(row, size, "| %s | %s | %s | %s | %s |\n", key,
           rule->support == LIMPET_SCHEMA_USED ? "read" : rule->reason, used, silent, missing);
}

static bool is_first_with_reason(const limpet_schema_rule *rule) {
  for (const limpet_schema_rule *other = schema->rules; other != rule; ++other)
    if (other->support == LIMPET_SCHEMA_SILENT && strcmp(other->reason, rule->reason) == 0)
      return false;
  return true;
}

// all elements that are silent for the same reason; empty for others
static void write_silent_row(char *row, size_t size, const limpet_schema_rule *rule) {
  row[0] = '\0';
  if (rule->support != LIMPET_SCHEMA_SILENT || !is_first_with_reason(rule)) return;
  size_t used = (size_t)snprintf(row, size, "| %s |", rule->reason);
  for (const limpet_schema_rule *other = rule; other->key; ++other) {
    if (other->support != LIMPET_SCHEMA_SILENT || strcmp(other->reason, rule->reason) != 0)
      continue;
    char key[100];
    write_key(key, sizeof key, other->key);
    used += (size_t)snprintf(row + used, size - used, " %s", key);
  }
  snprintf(row + used, size - used, " |\n");
}

static void write_reason_row(char *row, size_t size, const limpet_schema_reason *reason) {
  snprintf(row, size, "| `%s` | %s | %s%s |\n", reason->name, reason->reason,
           reason->neutral ? reason->neutral : "0", reason->neutral ? ", 0" : "");
}

static void print_tables(void) {
  static char row[20000];
  puts(
      "| element | what becomes of it | attributes read | accepted in silence | not simulated "
      "|\n|---|---|---|---|---|");
  for (const limpet_schema_rule *rule = schema->rules; rule->key; ++rule)
    write_row(row, sizeof row, rule), fputs(row, stdout);
  puts("\n| reason | elements |\n|---|---|");
  for (const limpet_schema_rule *rule = schema->rules; rule->key; ++rule)
    write_silent_row(row, sizeof row, rule), fputs(row, stdout);
  puts("\n| attribute | reason | values that change nothing |\n|---|---|---|");
  for (const limpet_schema_reason *r = schema->reasons; r->name; ++r)
    write_reason_row(row, sizeof row, r), fputs(row, stdout);
}

static void page_shows_the_table(const char *name) {
  static char row[20000];
  char *page;
  size_t length;
  char path[1024];
  snprintf(path, sizeof path, LIMPET_SOURCE_DIR "/docs/%s.md", name);
  assert_int_equal(limpet_text_file(&page, &length, path, 1 << 24, NULL), LIMPET_OK);
  int rows = 0;
  for (const limpet_schema_rule *rule = schema->rules; rule->key; ++rule) {
    write_row(row, sizeof row, rule);
    if (!strstr(page, row)) fail_msg("the page lacks the row: %s", row);
    rows += row[0] != '\0';
    write_silent_row(row, sizeof row, rule);
    if (!strstr(page, row)) fail_msg("the page lacks the row: %s", row);
    rows += row[0] != '\0';
  }
  for (const limpet_schema_reason *r = schema->reasons; r->name; ++r, ++rows) {
    write_reason_row(row, sizeof row, r);
    if (!strstr(page, row)) fail_msg("the page lacks the row: %s", row);
  }

  // and nothing else: as many rows below the heading as the tables have, besides three heads of two
  // lines each
  int lines = 0;
  for (const char *at = strstr(page, "## Coverage"); at; at = strstr(at + 1, "\n|")) ++lines;
  assert_int_equal(lines - 1, rows + 6);
  free(page);
}

static void tables_are_sound(void **state) {
  (void)state;
  for (int i = 0; i < FORMAT_COUNT; ++i) {
    schema = formats[i].schema;
    every_child_has_a_rule();
    every_attribute_is_listed_once();
  }
}

static void pages_show_the_tables(void **state) {
  (void)state;
  for (int i = 0; i < FORMAT_COUNT; ++i) {
    schema = formats[i].schema;
    page_shows_the_table(formats[i].page);
  }
}

int main(int argument_count, char **arguments) {
  for (int i = 0; i < FORMAT_COUNT && argument_count == 3; ++i) {
    if (strcmp(arguments[1], "--table") != 0 || strcmp(arguments[2], formats[i].page) != 0)
      continue;
    schema = formats[i].schema;
    print_tables();
    return 0;
  }
  const struct CMUnitTest tests[] = {cmocka_unit_test(tables_are_sound),
                                     cmocka_unit_test(pages_show_the_tables)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
