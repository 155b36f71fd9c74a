/* cli/table.h: a CSV file of numbers with a header of names. */
#ifndef LIMPET_CLI_TABLE_H
#define LIMPET_CLI_TABLE_H

#include <stdbool.h>

typedef struct limpet_table {
  int row_count, column_count;
  char **name;     // (column_count)
  double *values;  // (row_count x column_count)
  int *line;       // (row_count)  where each row stands in the file, from 1
} limpet_table;

// Reads a file; an empty field is NAN. Complains with file:line and returns false on failure;
// limpet_table_free in any case.
bool limpet_table_read(limpet_table *table, const char *path);
void limpet_table_free(limpet_table *table);
// Column of that name, or -1.
int limpet_table_column(const limpet_table *table, const char *name);

#endif
