/* cli/table.c: reads a CSV file of numbers with a header of names. */
#include "table.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "command.h"

// How many fields a line has.
static int fields_count(const char *line) {
  int count = 1;
  for (; *line; ++line) count += *line == ',';
  return count;
}

static bool header_take(limpet_table *table, char *line) {
  table->column_count = fields_count(line);
  table->name = calloc((size_t)table->column_count, sizeof *table->name);
  for (int i = 0; table->name && i < table->column_count; ++i) {
    line += strspn(line, " \t");
    const size_t length = strcspn(line, ",");
    size_t used = length;
    while (used > 0 && (line[used - 1] == ' ' || line[used - 1] == '\t')) --used;
    table->name[i] = calloc(used + 1, 1);
    if (!table->name[i]) return false;
    memcpy(table->name[i], line, used);
    line += length + (line[length] == ',');
  }
  return table->name != NULL;
}

static bool row_take(limpet_table *table, const char *line, const char *path, int number) {
  const size_t columns = (size_t)table->column_count;
  if (fields_count(line) != table->column_count) {
    limpet_complain("%s:%d: has %d fields, and the header has %d%s", path, number,
                    fields_count(line), table->column_count,
                    fields_count(line) > table->column_count ? "; are there decimal commas?" : "");
    return false;
  }
  double *grown = realloc(table->values, ((size_t)table->row_count + 1) * columns * sizeof *grown);
  if (!grown) return false;
  table->values = grown;
  int *lines = realloc(table->line, ((size_t)table->row_count + 1) * sizeof *lines);
  if (!lines) return false;
  table->line = lines;
  lines[table->row_count] = number;
  double *row = grown + (size_t)table->row_count++ * columns;
  for (size_t i = 0; i < columns; ++i) {
    char *end;
    line += strspn(line, " \t");
    row[i] = strtod(line, &end);
    const bool empty = end == line;
    if (empty) row[i] = NAN;
    end += strspn(end, " \t");
    if ((*end && *end != ',') || (!empty && !isfinite(row[i]))) {
      limpet_complain("%s:%d: field %zu (%s) is no finite number", path, number, i + 1,
                      table->name[i]);
      return false;
    }
    line = end + (*end == ',');
  }
  return true;
}

static bool header_is_good(const char *line, const char *path, int number) {
  if (!strchr(line, ';')) return true;
  limpet_complain(
      "%s:%d: there is a ';' in the header; columns are parted by commas, and numbers "
      "have decimal points",
      path, number);
  return false;
}

bool limpet_table_read(limpet_table *table, const char *path) {
  *table = (limpet_table){0};
  FILE *file = fopen(path, "r");
  if (!file) {
    limpet_complain("%s: cannot be read", path);
    return false;
  }
  char *line = NULL;
  size_t room = 0;
  bool good = true;
  for (int number = 1; good && getline(&line, &room, file) >= 0; ++number) {
    line[strcspn(line, "\r\n")] = '\0';
    if (!line[strspn(line, " \t")]) continue;
    good = table->name ? row_take(table, line, path, number)
                       : header_is_good(line, path, number) && header_take(table, line);
  }
  free(line);
  fclose(file);
  if (good && table->row_count == 0) {
    limpet_complain("%s: has no rows of numbers below a header", path);
    good = false;
  }
  if (!good) limpet_table_free(table);
  return good;
}

void limpet_table_free(limpet_table *table) {
  for (int i = 0; table->name && i < table->column_count; ++i) free(table->name[i]);
  free(table->name), free(table->values), free(table->line);
  *table = (limpet_table){0};
}

int limpet_table_column(const limpet_table *table, const char *name) {
  for (int i = 0; i < table->column_count; ++i)
    if (strcmp(table->name[i], name) == 0) return i;
  return -1;
}
