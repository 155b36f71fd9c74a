/* limpet/base.h: status codes, errors, descriptors, version and visibility. Floor 0; everything
 * includes it.
 *
 * A function that can fail returns a limpet_status, or a pointer that is NULL on failure, and fills
 * a limpet_error if one is given (NULL: the caller does not want the text). A misuse of the API (a
 * null model, an index out of range) is a bug and asserts. What goes wrong in the numbers (no
 * convergence, NaN) is a result: see limpet_step_info in data.h. */
#ifndef LIMPET_BASE_H
#define LIMPET_BASE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#if defined(__GNUC__)
#define LIMPET_API __attribute__((visibility("default")))
#else
#define LIMPET_API
#endif

#ifdef __cplusplus
extern "C" {
#endif

#define LIMPET_VERSION_MAJOR 0
#define LIMPET_VERSION_MINOR 1
#define LIMPET_VERSION_PATCH 0
#define LIMPET_VERSION_STRING "0.1.0"

typedef enum limpet_status {
  LIMPET_OK = 0,
  LIMPET_ERROR_INPUT,  // a file or a description that is malformed, contradictory or non-physical
  LIMPET_ERROR_FILE,   // a file that cannot be found, read or written
  LIMPET_ERROR_UNSUPPORTED,  // understood but not implemented, where the caller is strict
  LIMPET_ERROR_MEMORY,       // the system gave no memory
  LIMPET_ERROR_STATE         // a call in the wrong order, or data that belongs to another model
} limpet_status;

enum { LIMPET_ERROR_TEXT_SIZE = 4096, LIMPET_ERROR_FILE_SIZE = 512 };

// What went wrong, where, and what to do about it. `message` is complete: "file:line:column: what;
// what to do".
typedef struct limpet_error {
  limpet_status status;
  int line;                           // 1-based line in `file`; 0: not known
  int column;                         // 1-based column in `file`; 0: not known
  char file[LIMPET_ERROR_FILE_SIZE];  // path as the user gave it; "": no file
  char message[LIMPET_ERROR_TEXT_SIZE];
} limpet_error;

// "0.1.0": the version of the linked library. The macro is that of the compiled header.
LIMPET_API const char *limpet_version(void);

// "ok", "input error", ...; never NULL.
LIMPET_API const char *limpet_status_name(limpet_status status);

/* One parameter of what a table describes (a contact model, a constraint, a scheme): what `limpet
 * list`, the docs page and Python attributes show. */
typedef struct limpet_parameter {
  const char *name;
  // "1" for pure numbers. NULL: a field of the settings or of a material; limpet_step_parameter of
  // step.h gives the rest.
  const char *unit;
  double value;             // default; NAN: that of the setting
  double minimum, maximum;  // NAN: that of the setting
  const char *text;         // one sentence
} limpet_parameter;

// What every descriptor begins with.
typedef struct limpet_descriptor {
  const char *name;       // as on the command line
  const char *text;       // one paragraph
  const char *reference;  // paper and equation, or file of this project
  int parameter_count;
  const limpet_parameter *parameters;
} limpet_descriptor;

// Default of the parameter `name` of a descriptor; NAN if it has none of that name.
LIMPET_API double limpet_parameter_default(const limpet_descriptor *descriptor, const char *name);

#ifdef __cplusplus
}
#endif
#endif
