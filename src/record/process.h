/* record/process.h: another program that runs beside, and the sockets that lead to it. */
#ifndef LIMPET_RECORD_PROCESS_H
#define LIMPET_RECORD_PROCESS_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

typedef struct limpet_process {
  pid_t id;    // 0: none
  int input;   // socket to what it reads; -1: none
  int output;  // socket from what it writes; -1: none
} limpet_process;

// Whether there is such a program: a path, or a name that is looked up in PATH.
bool limpet_process_possible(const char *program);
/* Starts `arguments[0]` (looked up in PATH), which reads its descriptor `input` and writes its
 * descriptor `output` (-1: none); its other outputs go nowhere. False where it cannot be started.
 */
bool limpet_process_start(limpet_process *process, char *const arguments[], int input, int output);
// All bytes; false where the program has ended.
bool limpet_process_write(const limpet_process *process, const void *bytes, size_t size);
/* Reads what is there, at most `size` bytes, and waits at most `seconds` for it; 0: the program has
 * ended, -1: nothing came yet, -2: it cannot be read. */
long limpet_process_read(const limpet_process *process, void *bytes, size_t size, double seconds);
/* Closes its input and waits at most `seconds` for its end, then kills it. Its exit status; -1
 * where it was killed. */
int limpet_process_end(limpet_process *process, double seconds);

#endif
