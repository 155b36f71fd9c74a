/* tests/support/shared_data.h: what tests share: the data beside a checkout, reading JSON,
 * comparing arrays. */
#ifndef LIMPET_TEST_SHARED_DATA_H
#define LIMPET_TEST_SHARED_DATA_H

#include <stdbool.h>
#include <stddef.h>

#include <jansson.h>

/* Path of `relative` under LIMPET_SHARED (default: ../shared beside the checkout), in a static
 * buffer of which four are used in turn. */
const char *shared_path(const char *relative);
// Whether that file or folder exists; if not, prints "skipped: no shared data (...)" once.
bool shared_exists(const char *relative);

/* All files below `folder` (absolute) whose names end in `ending`, sorted by path; freed with
 * file_list_free. */
typedef struct file_list {
  int count;
  char **path;
} file_list;
file_list file_list_find(const char *folder, const char *ending);
void file_list_free(file_list *list);

json_t *json_read(const char *path);  // NULL, with a message on stderr, if it cannot be read
/* Numbers of nested lists, flattened in order, into `values` (at most `capacity`); returns
 * how many there are. null counts as NAN. */
int json_numbers(const json_t *value, double *values, int capacity);

/* |a - b| <= tolerance * max(1, max |b|) over the array; prints the worst entry, with `what`, where
 * it fails. */
bool arrays_agree(const char *what, const double *a, const double *b, int count, double tolerance);

// Uniform in [low, high] from a small generator with a fixed start; the same on every machine.
double random_uniform(unsigned long *state, double low, double high);
// The same on a log scale.
double random_log_uniform(unsigned long *state, double low, double high);
// Arrays to free(): zeros, and numbers in [-size, size]. Never NULL.
double *zero_array(size_t count);
double *random_array(size_t count, double size, unsigned long *state);

// Writes a text file; the test fails where that is not possible.
void file_write(const char *path, const char *text);

#endif
