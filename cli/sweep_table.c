/* cli/sweep_table.c: the table of a sweep. A row is written when its run is done, so that a sweep
 * that was killed and is started again does what is missing; at the end rows are put in the order
 * of runs, so that the table is the same at any number of threads and processes. While a process
 * writes it, the table is locked for others. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "output.h"
#include "sweep.h"

static int another(const limpet_sweep *sweep) {
  limpet_complain("%s: it is the table of another sweep; name another --out", sweep->out);
  return LIMPET_EXIT_INPUT;
}

// The run that a row is of; -1 where its values are not those of this sweep.
static int run_of(const limpet_sweep *sweep, const char *line) {
  limpet_row begin = {.length = 0};
  const int run = atoi(line);
  if (run < 0 || run >= sweep->plan.run_count) return -1;
  limpet_sweep_row_begin(sweep, run, &begin);
  return strncmp(line, begin.text, begin.length) == 0 && line[begin.length] == ',' ? run : -1;
}

static int unwritten(const limpet_sweep *sweep) {
  limpet_complain("%s: cannot be written: %s", sweep->out, strerror(errno));
  return LIMPET_EXIT_INPUT;
}

/* Marks the runs whose rows are whole, and cuts off one that is not, all of it: the row to come may
 * be shorter. Head and rows must be those of this sweep; part of a head is none. */
static int table_resume(limpet_sweep *sweep, const limpet_row *head) {
  char line[LIMPET_SWEEP_ROW_SIZE];
  if (!fgets(line, sizeof line, sweep->file)) return LIMPET_OPTIONS_GO;
  const bool cut = !strchr(line, '\n') && strncmp(head->text, line, strlen(line)) == 0;
  if (cut) {
    rewind(sweep->file);
    return ftruncate(fileno(sweep->file), 0) == 0 ? LIMPET_OPTIONS_GO : unwritten(sweep);
  }
  if (strcmp(line, head->text) != 0) return another(sweep);
  long whole = ftell(sweep->file);
  while (fgets(line, sizeof line, sweep->file) && strchr(line, '\n')) {
    const int run = run_of(sweep, line);
    if (run < 0) return another(sweep);
    sweep->done[run] = true;
    whole = ftell(sweep->file);
  }
  if (fseek(sweep->file, whole, SEEK_SET) == 0 && ftruncate(fileno(sweep->file), whole) == 0)
    return LIMPET_OPTIONS_GO;
  return unwritten(sweep);
}

int limpet_sweep_table_open(limpet_sweep *sweep) {
  limpet_row head = {.length = 0};
  limpet_sweep_head(sweep, &head);
  sweep->file = fopen(sweep->out, "r+b");
  if (!sweep->file && errno == ENOENT) sweep->file = fopen(sweep->out, "w+b");
  if (!sweep->file) return unwritten(sweep);
  struct stat status;
  if (fstat(fileno(sweep->file), &status) == 0 && !S_ISREG(status.st_mode)) {
    limpet_complain("%s: cannot be written: a sweep reads its table back; give --out a file",
                    sweep->out);
    return LIMPET_EXIT_INPUT;
  }
  if (flock(fileno(sweep->file), LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK) {
    limpet_complain("%s: another sweep writes this table; let it end, or name another --out",
                    sweep->out);
    return LIMPET_EXIT_INPUT;
  }
  const int code = table_resume(sweep, &head);
  if (code != LIMPET_OPTIONS_GO) return code;
  if (ftell(sweep->file) == 0) fputs(head.text, sweep->file);
  return fflush(sweep->file) == 0 ? LIMPET_OPTIONS_GO : unwritten(sweep);
}

void limpet_sweep_table_add(limpet_sweep *sweep, const char *row, bool failed) {
  if (sweep->broken) return;
  fputs(row, sweep->file);
  if (fflush(sweep->file) != 0) {
    sweep->broken = true;
    unwritten(sweep);
    return;
  }
  ++sweep->finished;
  sweep->failed += failed;
}

static int compare_rows(const void *a, const void *b) {
  const int first = atoi(*(char *const *)a), second = atoi(*(char *const *)b);
  return (first > second) - (first < second);
}

bool limpet_sweep_table_sort(limpet_sweep *sweep) {
  char line[LIMPET_SWEEP_ROW_SIZE], *head = NULL;
  int count = 0;
  limpet_output output;
  char **rows = calloc((size_t)sweep->plan.run_count + 1, sizeof *rows);
  rewind(sweep->file);
  if (rows && fgets(line, sizeof line, sweep->file)) head = strdup(line);
  while (head && count < sweep->plan.run_count && fgets(line, sizeof line, sweep->file))
    rows[count++] = strdup(line);
  qsort(rows, (size_t)count, sizeof *rows, compare_rows);
  bool sorted = head && limpet_output_begin(&output, sweep->out);
  FILE *file = sorted ? fopen(output.temporary, "wb") : NULL;
  if (file) {
    fputs(head, file);
    for (int i = 0; i < count; ++i) fputs(rows[i] ? rows[i] : "", file);
    const bool whole = !ferror(file);
    sorted = fclose(file) == 0 && whole;
    if (!sorted) limpet_output_discard(&output);
    sorted = sorted && limpet_output_commit(&output);
  }
  for (int i = 0; i < count; ++i) free(rows[i]);
  free(rows);
  free(head);
  return sorted && file;
}
