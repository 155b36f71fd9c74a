/* cli/json.h: what the commands add to jansson: arrays of doubles, null for what JSON cannot say,
 * output with all 17 digits. */
#ifndef LIMPET_CLI_JSON_H
#define LIMPET_CLI_JSON_H

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include <limpet/field.h>

json_t *limpet_json_number(double value);    // null where infinite or NaN
json_t *limpet_json_text(const char *text);  // null where NULL; what is not UTF-8 is escaped
json_t *limpet_json_array(const double *values, int count);               // [count]
json_t *limpet_json_matrix(const double *values, int rows, int columns);  // list of rows
// A struct by its table, whose shapes are plain numbers: fields by the last part of their names.
json_t *limpet_json_record(const limpet_field_table *table, const void *record);
json_t *limpet_json_hash(uint64_t hash);  // 16 hexadecimal digits, since a double cannot hold it

// Reads a file ("-": stdin); complains with file, line and column, and returns NULL, when it is not
// JSON.
json_t *limpet_json_read(const char *path);

/* Reads a list of exactly `count` finite numbers, nested lists allowed, into `values`. On
 * failure says in `problem` what is wrong. */
bool limpet_json_numbers(const json_t *list, double *values, int count, char *problem,
                         size_t problem_size);

/* Writes with 17 significant digits and a newline at the end; `compact`: on one line, for what
 * mostly consists of numbers. */
bool limpet_json_print(const json_t *root, FILE *stream, bool compact);

#endif
