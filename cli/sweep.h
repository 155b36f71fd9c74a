/* cli/sweep.h: `limpet sweep` in parts: one run as a row (sweep_row.c), the table (sweep_table.c),
 * runs dealt to processes by MPI (sweep_mpi.c), and the command (sweep.c). */
#ifndef LIMPET_CLI_SWEEP_H
#define LIMPET_CLI_SWEEP_H

#include <pthread.h>
#include <stdio.h>

#include "progress.h"
#include "start.h"
#include "sweep_plan.h"

enum { LIMPET_SWEEP_ROW_SIZE = 8192, LIMPET_SWEEP_TRACK_LIMIT = 16 };

typedef struct limpet_row {
  char text[LIMPET_SWEEP_ROW_SIZE];
  size_t length;
} limpet_row;

typedef struct limpet_sweep {
  limpet_start_options start;
  limpet_loading loading;
  const char *contact, *scheme, *out, *shard;
  int threads, samples;
  bool mpi, quiet;
  limpet_text_list arguments, track;
  // made of them
  limpet_sweep_plan plan;
  int shard_index, shard_count;  // this process does runs with run % count == index
  FILE *file;                    // the table; NULL in processes that hand their rows to another
  bool broken;                   // a row could not be written: no more runs are made
  bool *done;                    // (run_count)  has its row
  int next;                      // run that is not taken yet
  limpet_progress progress;
  int finished, failed;   // rows that were added, and those of runs that failed
  pthread_mutex_t mutex;  // of file, done, next and the counts
} limpet_sweep;

// --------------------------------------------------------------------------------------- one run

/* The model of the run before, which serves the next one of the thread, too, if only controls
 * differ. A sweep's inner loop is over controls where these stand last. */
typedef struct limpet_sweep_kept {
  limpet_model *model;  // NULL: none
  double values[LIMPET_SWEEP_DIMENSIONS];
} limpet_sweep_kept;

// The first line of the table: names of the columns.
void limpet_sweep_head(const limpet_sweep *sweep, limpet_row *row);
// What the row of a run begins with: its number and the values of what varies.
void limpet_sweep_row_begin(const limpet_sweep *sweep, int run, limpet_row *row);
/* Simulates a run and makes its row; `failed` says whether the run failed. False: interrupted, so
 * that there is no row. `kept` begins as zeros; limpet_sweep_kept_free ends it. */
bool limpet_sweep_row_make(const limpet_sweep *sweep, limpet_sweep_kept *kept, int run,
                           limpet_row *row, bool *failed);
void limpet_sweep_kept_free(limpet_sweep_kept *kept);
/* Whether a run can begin: what does not vary, and names of --set and --track. Else an exit code
 * after a complaint, before any run. */
int limpet_sweep_check(const limpet_sweep *sweep);

// ---------------------------------------------------------------------------------------- table

/* Opens and locks the table, marks in `done` the runs whose rows are there, and cuts off a row that
 * is not whole. Rows must be those of this sweep. Returns LIMPET_OPTIONS_GO or an exit code. */
int limpet_sweep_table_open(limpet_sweep *sweep);
// Writes a row; where it cannot be written, complains once and sets `broken`.
void limpet_sweep_table_add(limpet_sweep *sweep, const char *row, bool failed);
// Puts rows in the order of runs, in a file that appears whole.
bool limpet_sweep_table_sort(limpet_sweep *sweep);

// ---------------------------------------------------------------------------------------- taking

// The next run of this shard that has no row; -1: none is left.
int limpet_sweep_take(limpet_sweep *sweep);

// ------------------------------------------------------------------------------------------- MPI

// Whether the command was built with MPI.
bool limpet_sweep_mpi_available(void);
// Begins MPI, which ends when the program does. The rank of this process; rank 0 holds the table.
int limpet_sweep_mpi_begin(void);
/* Tells all processes which runs have rows. Returns LIMPET_OPTIONS_GO where that is the code of all
 * of them, else the code of one that has another. */
int limpet_sweep_mpi_share(limpet_sweep *sweep, int code);
// Does the runs of this process. Rank 0 returns when all rows are in the table.
void limpet_sweep_mpi_work(limpet_sweep *sweep);

#endif
