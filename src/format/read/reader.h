/* format/read/reader.h: what every reader of models needs: memory for the time of reading, the way
 * out at the first error, notes, and limits.
 *
 * limpet_reader_run calls the reading. The first error fills the caller's limpet_error and jumps
 * back into limpet_reader_run, which returns the status. So functions that read return no status,
 * and none holds memory outside of the pool across a call that may fail. */
#ifndef LIMPET_FORMAT_READ_READER_H
#define LIMPET_FORMAT_READ_READER_H

#include <setjmp.h>

#include "format/read/pool.h"
#include "format/read/table.h"
#include "format/read/xml.h"
#include "limpet/format.h"

typedef struct limpet_reader {
  limpet_builder *builder;  // gets the model
  limpet_load_options options;
  limpet_error *error;  // of the caller; may be NULL
  bool mends_lists;     // of numbers: commas and numbers too many are remarks, no errors
  limpet_pool pool;
  limpet_status status;
  jmp_buf way_out;
  limpet_table noted;  // kinds of notes that were given
  int element_count;   // elements that were made
} limpet_reader;

/* Calls `read` with the context; returns LIMPET_OK, or the status of the error that ended it. Frees
 * the pool. Then leaves out overlaps of links, where options ask for it. */
limpet_status limpet_reader_run(limpet_reader *reader, void (*read)(void *context), void *context);

// ----------------------------------------------------------------------------------- memory

void *limpet_reader_take(limpet_reader *reader, size_t size);  // cleared
char *limpet_reader_join(limpet_reader *reader, const char *a, const char *b, const char *c);
// Enters a name as limpet_table_enter does; fails without memory.
void limpet_reader_enter(limpet_reader *reader, limpet_table *table, int kind, const char *name,
                         void *value);
#define LIMPET_READER_TAKE(reader, type, count) \
  ((type *)limpet_reader_take((reader), (size_t)(count) * sizeof(type)))

// A handle that the builder gave, where LIMPET_NONE means that it had no memory.
int limpet_reader_added(limpet_reader *reader, int handle);
// Counts an element that is made; more than two million end the reading.
void limpet_reader_count(limpet_reader *reader, const limpet_xml_element *element);
// Ends the reading if `count` more would be too many.
void limpet_reader_expect(limpet_reader *reader, const limpet_xml_element *element, int count);

// ----------------------------------------------------------------------------------- errors

/* Ends the reading with an error at the element, or at one of its attributes. */
_Noreturn void limpet_reader_fail(limpet_reader *reader, const limpet_xml_element *element,
                                  const char *attribute, const char *format, ...)
    __attribute__((format(printf, 4, 5)));
/* Ends the reading where a direction or a quaternion `what` has none: its length [-] is below
 * 1e-12, or it overflows. `hint`: what it needs. */
void limpet_reader_check_length(limpet_reader *reader, const limpet_xml_element *element,
                                const char *attribute, const char *what, double length,
                                const char *hint);
// Ends the reading of a file whose first element is not that of `format` ("MJCF").
_Noreturn void limpet_reader_wrong_root(limpet_reader *reader, const limpet_xml_element *root,
                                        const char *format);
void limpet_reader_go_on(limpet_reader *reader);  // stops where the builder's watcher says so
// Stops with reader->error, which is already filled.
_Noreturn void limpet_reader_stop(limpet_reader *reader, limpet_status status);
_Noreturn void limpet_reader_no_memory(limpet_reader *reader);

// ------------------------------------------------------------------------------------ notes

/* Something that changes physics and is not simulated: an error with options.strict, else one note
 * for each `kind`. */
void limpet_reader_unsupported(limpet_reader *reader, const limpet_xml_element *element,
                               const char *attribute, const char *kind, const char *format, ...)
    __attribute__((format(printf, 5, 6)));
/* Input that is a mistake and is read as if it were mended, as the text says: an error with
 * options.strict, else a remark, once for each `kind`. */
void limpet_reader_mend(limpet_reader *reader, const limpet_xml_element *element,
                        const char *attribute, const char *kind, const char *format, ...)
    __attribute__((format(printf, 5, 6)));
// A remark on input that is most likely a mistake, and is simulated as given; once for each `kind`.
void limpet_reader_doubt(limpet_reader *reader, const limpet_xml_element *element,
                         const char *attribute, const char *kind, const char *format, ...)
    __attribute__((format(printf, 5, 6)));
// A remark that changes no physics, once for each `kind`.
void limpet_reader_note(limpet_reader *reader, const limpet_xml_element *element,
                        const char *attribute, const char *kind, const char *format, ...)
    __attribute__((format(printf, 5, 6)));

#endif
