/* tests/support/shared_data.c: the data beside a checkout, reading JSON, comparing arrays. */
#include "shared_data.h"

#include <dirent.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

const char *shared_path(const char *relative) {
  static char buffer[4][4096];
  static int turn;
  char *path = buffer[turn = (turn + 1) % 4];
  const char *root = getenv("LIMPET_SHARED");
  if (root && *root) snprintf(path, sizeof buffer[0], "%s/%s", root, relative);
  else snprintf(path, sizeof buffer[0], "%s/../shared/%s", LIMPET_SOURCE_DIR, relative);
  return path;
}

bool shared_exists(const char *relative) {
  struct stat status;
  const char *path = shared_path(relative);
  if (stat(path, &status) == 0) return true;
  printf("skipped: no shared data (%s; set LIMPET_SHARED)\n", path);
  return false;
}

static int path_compare(const void *a, const void *b) {
  return strcmp(*(char *const *)a, *(char *const *)b);
}

static void collect(file_list *list, const char *folder, const char *ending) {
  DIR *handle = opendir(folder);
  if (!handle) return;
  for (struct dirent *entry; (entry = readdir(handle));) {
    if (entry->d_name[0] == '.') continue;
    char path[4096];
    struct stat status;
    snprintf(path, sizeof path, "%s/%s", folder, entry->d_name);
    if (stat(path, &status) != 0) continue;
    const size_t length = strlen(path), tail = strlen(ending);
    if (S_ISDIR(status.st_mode)) {
      collect(list, path, ending);
    } else if (length >= tail && strcmp(path + length - tail, ending) == 0) {
      list->path = realloc(list->path, (size_t)(list->count + 1) * sizeof *list->path);
      list->path[list->count++] = strdup(path);
    }
  }
  closedir(handle);
}

file_list file_list_find(const char *folder, const char *ending) {
  file_list list = {0};
  collect(&list, folder, ending);
  if (list.count) qsort(list.path, (size_t)list.count, sizeof *list.path, path_compare);
  return list;
}

void file_list_free(file_list *list) {
  for (int i = 0; i < list->count; ++i) free(list->path[i]);
  free(list->path);
  *list = (file_list){0};
}

json_t *json_read(const char *path) {
  json_error_t error;
  json_t *root = json_load_file(path, 0, &error);
  if (!root) fprintf(stderr, "%s:%d:%d: %s\n", path, error.line, error.column, error.text);
  return root;
}

static void flatten(const json_t *value, double *values, int capacity, int *count) {
  if (json_is_array(value)) {
    for (size_t i = 0; i < json_array_size(value); ++i)
      flatten(json_array_get(value, i), values, capacity, count);
  } else {
    if (*count < capacity) values[*count] = json_is_number(value) ? json_number_value(value) : NAN;
    ++*count;
  }
}

int json_numbers(const json_t *value, double *values, int capacity) {
  int count = 0;
  if (value) flatten(value, values, capacity, &count);
  return count;
}

bool arrays_agree(const char *what, const double *a, const double *b, int count, double tolerance) {
  double scale = 1.0, worst = 0.0;
  int at = -1;
  for (int i = 0; i < count; ++i) scale = fmax(scale, fabs(b[i]));
  for (int i = 0; i < count; ++i) {
    const double difference = fabs(a[i] - b[i]);
    if (!(difference <= worst)) worst = difference, at = i;
  }
  if (worst <= tolerance * scale) return true;
  printf("%s: entry %d of %d is %.17g, expected %.17g: difference %.3g, allowed %.3g\n", what, at,
         count, at < 0 ? NAN : a[at], at < 0 ? NAN : b[at], worst, tolerance * scale);
  return false;
}

double random_uniform(unsigned long *state, double low, double high) {
  *state = *state * 6364136223846793005ul + 1442695040888963407ul;
  return low + (high - low) * (double)(*state >> 11) / 9007199254740992.0;
}

double random_log_uniform(unsigned long *state, double low, double high) {
  return low * pow(high / low, random_uniform(state, 0.0, 1.0));
}

double *zero_array(size_t count) {
  double *array = calloc(count + 1, sizeof *array);
  if (!array) abort();
  return array;
}

double *random_array(size_t count, double size, unsigned long *state) {
  double *array = zero_array(count);
  for (size_t i = 0; i < count; ++i) array[i] = random_uniform(state, -size, size);
  return array;
}

void file_write(const char *path, const char *text) {
  FILE *file = fopen(path, "w");
  if (!file || fputs(text, file) < 0 || fclose(file) != 0) {
    perror(path);
    abort();
  }
}
