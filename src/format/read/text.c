/* format/read/text.c: numbers, paths and spelling. */
#include "format/read/text.h"

#include <ctype.h>
#include <errno.h>
#include <locale.h>
#include <math.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>

#include "base/error.h"

// --------------------------------------------------------------------------------- numbers

/* Digits, point and exponent are exact in double arithmetic when the digits fit 53 bits and the
 * power of ten is at most 22 (Clinger, How to read floating point numbers accurately, 1990); the
 * rest goes to strtod, with the decimal mark of the locale put in. */
static double number_by_library(const char *text, size_t length) {
  char copy[512];
  if (length >= sizeof copy) length = sizeof copy - 1;
  memcpy(copy, text, length);
  copy[length] = '\0';
  char *point = strchr(copy, '.');
  if (point) *point = *localeconv()->decimal_point;
  return strtod(copy, NULL);
}

static bool word_at(const char *text, const char *word) {
  return strncasecmp(text, word, strlen(word)) == 0;
}

// reads "inf", "infinity", "nan" at *cursor
static bool special_number(const char **cursor, double *value) {
  static const struct {
    const char *word;
    double value;
  } special[] = {{"infinity", INFINITY}, {"inf", INFINITY}, {"nan", NAN}};
  for (size_t i = 0; i < sizeof special / sizeof *special; ++i) {
    if (!word_at(*cursor, special[i].word)) continue;
    *cursor += strlen(special[i].word);
    *value = special[i].value;
    return true;
  }
  return false;
}

// reads "e-12" at *cursor; a bare 'e' is left alone
static int exponent_part(const char **cursor) {
  const char *p = *cursor;
  if (*p != 'e' && *p != 'E') return 0;
  const char sign = *++p;
  if (sign == '+' || sign == '-') ++p;
  if (!isdigit((unsigned char)*p)) return 0;
  int exponent = 0;
  for (; isdigit((unsigned char)*p); ++p)
    if (exponent < 100000) exponent = 10 * exponent + (*p - '0');
  *cursor = p;
  return sign == '-' ? -exponent : exponent;
}

static bool is_blank(char c) { return c == ' ' || (c >= '\t' && c <= '\r'); }
static bool is_digit(char c) { return c >= '0' && c <= '9'; }

// Adds the digits that stand at p; returns where they end. 19 of them fit.
static const char *add_digits(uint64_t *sum, const char *p) {
  uint64_t digits = *sum;
  for (; is_digit(*p); ++p) digits = 10 * digits + (uint64_t)(*p - '0');
  *sum = digits;
  return p;
}

bool limpet_text_number(const char **cursor, double *value) {
  static const double power[] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,
                                 1e8,  1e9,  1e10, 1e11, 1e12, 1e13, 1e14, 1e15,
                                 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};
  const char *p = *cursor;
  while (is_blank(*p)) ++p;
  const bool negative = *p == '-';
  if (*p == '-' || *p == '+') ++p;
  const char *first = p;

  // words
  if (!is_digit(*p) && isalpha((unsigned char)*p)) {
    if (!special_number(&p, value)) return false;
    if (negative) *value = -*value;
    *cursor = p;
    return true;
  }

  // digits before and behind the point
  uint64_t digits = 0;
  p = add_digits(&digits, p);
  ptrdiff_t count = p - first, scale = 0;
  if (*p == '.') {
    const char *fraction = ++p;
    p = add_digits(&digits, p);
    scale = fraction - p;
    count -= scale;
  }
  if (count == 0) return false;
  scale += exponent_part(&p);

  double x;
  if (count <= 19 && digits < (UINT64_C(1) << 53) && scale >= -22 && scale <= 22)
    x = scale < 0 ? (double)digits / power[-scale] : (double)digits * power[scale];
  else x = number_by_library(first, (size_t)(p - first));
  *value = negative ? -x : x;
  *cursor = p;
  return true;
}

// ----------------------------------------------------------------------------------- files

// Reads a file of `size` bytes whole, with room for '\0' behind it.
static limpet_status read_file(FILE *file, size_t size, char **text) {
  *text = malloc(size + 1);
  if (!*text) return LIMPET_ERROR_MEMORY;
  if (fread(*text, 1, size, file) == size) return LIMPET_OK;
  free(*text);
  *text = NULL;
  return LIMPET_ERROR_FILE;
}

/* Reads a pipe to its end, with room for '\0' behind it; more than `limit` bytes are told by a
 * length above it. NULL: no memory. */
static char *read_stream(FILE *file, size_t *length, size_t limit) {
  size_t room = 1 << 16;
  char *buffer = malloc(room);
  *length = 0;
  while (buffer) {
    *length += fread(buffer + *length, 1, room - 1 - *length, file);
    if (*length < room - 1 || *length > limit) return buffer;
    char *larger = realloc(buffer, room *= 2);
    if (!larger) free(buffer);
    buffer = larger;
  }
  return NULL;
}

// What Git leaves in place of a large file that was not fetched.
static bool is_pointer(const char *text) {
  const char head[] = "version https://git-lfs.github.com/spec/";
  return strncmp(text, head, sizeof head - 1) == 0;
}

static limpet_status fail(limpet_error *error, limpet_status status, const char *path,
                          const char *why) {
  return limpet_error_fill_at(error, status, path, 0, 0, "%s", why);
}

static limpet_status read_text(char **text, size_t *length, const char *path, size_t limit,
                               bool streams, limpet_error *error) {
  struct stat status = {0};
  FILE *file = fopen(path, "rb");
  if (!file)
    return limpet_error_fill_at(error, LIMPET_ERROR_FILE, path, 0, 0,
                                "cannot be opened: %s; check the path", strerror(errno));
  char *buffer = NULL;
  size_t size = 0;
  limpet_status result = LIMPET_OK;
  if (fstat(fileno(file), &status) != 0 || S_ISDIR(status.st_mode) ||
      !(streams || S_ISREG(status.st_mode))) {
    const bool folder = S_ISDIR(status.st_mode);
    result = fail(error, LIMPET_ERROR_FILE, path,
                  folder ? "is a folder; give a file in it" : "is not a file");
  } else if (!S_ISREG(status.st_mode)) {
    buffer = read_stream(file, &size, limit);
    if (!buffer) result = fail(error, LIMPET_ERROR_MEMORY, path, "no memory to read it");
  } else {
    size = (size_t)status.st_size;
    if (size <= limit && (result = read_file(file, size, &buffer)) != LIMPET_OK)
      fail(error, result, path,
           result == LIMPET_ERROR_MEMORY ? "no memory to read it" : "cannot be read");
  }
  fclose(file);
  if (result == LIMPET_OK && size > limit)
    result = limpet_error_fill_at(error, LIMPET_ERROR_INPUT, path, 0, 0,
                                  "is larger than %zu MB, the most that is read", limit >> 20);
  if (result == LIMPET_OK) {
    buffer[size] = '\0';
    if (is_pointer(buffer))
      result = fail(error, LIMPET_ERROR_FILE, path,
                    "is only a pointer to the file that Git LFS keeps; 'git lfs pull' fetches it");
  }
  if (result != LIMPET_OK) {
    free(buffer);
    return result;
  }
  *text = buffer;
  *length = size;
  return LIMPET_OK;
}

limpet_status limpet_text_file(char **text, size_t *length, const char *path, size_t limit,
                               limpet_error *error) {
  return read_text(text, length, path, limit, false, error);
}

limpet_status limpet_text_input(char **text, size_t *length, const char *path, size_t limit,
                                limpet_error *error) {
  return read_text(text, length, path, limit, true, error);
}

bool limpet_path_exists(const char *path) {
  struct stat status;
  return stat(path, &status) == 0 && S_ISREG(status.st_mode);
}

const char *limpet_path_name(const char *path) {
  const char *name = path;
  for (const char *p = path; *p; ++p)
    if (*p == '/' || *p == '\\') name = p + 1;
  return name;
}

char *limpet_path_folder(limpet_pool *pool, const char *path) {
  return limpet_pool_text_n(pool, path, (size_t)(limpet_path_name(path) - path));
}

char *limpet_path_join(limpet_pool *pool, const char *folder, const char *name) {
  if (*name == '/' || *folder == '\0') return limpet_pool_text(pool, name);
  const char last = folder[strlen(folder) - 1];
  return limpet_pool_join(pool, folder, last == '/' || last == '\\' ? "" : "/", name);
}

char *limpet_path_stem(limpet_pool *pool, const char *path) {
  const char *name = limpet_path_name(path), *dot = strrchr(name, '.');
  return limpet_pool_text_n(pool, name, dot && dot != name ? (size_t)(dot - name) : strlen(name));
}

bool limpet_path_ends_in(const char *path, const char *ending) {
  const size_t n = strlen(path), m = strlen(ending);
  return n >= m && strcasecmp(path + n - m, ending) == 0;
}
