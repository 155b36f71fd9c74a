/* cli/sweep_mpi.c: runs of a sweep dealt to the processes of an MPI job, where the command was
 * built with -DLIMPET_MPI=ON. Of the runs that have no row yet, process r of n does number r, r +
 * n, ...; process 0 holds the table and takes the rows of the others between its own runs. A row is
 * a message, and an empty one is the last of a process. */
#include "sweep.h"

#ifdef LIMPET_MPI
#include <mpi.h>
#include <stdlib.h>

#include "signals.h"

enum { TAG_ROW = 1, TAG_FAILED = 2, TAG_END = 3 };

bool limpet_sweep_mpi_available(void) { return true; }

static void finish(void) { MPI_Finalize(); }

int limpet_sweep_mpi_begin(void) {
  int rank = 0;
  MPI_Init(NULL, NULL);
  atexit(finish);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  return rank;
}

int limpet_sweep_mpi_share(limpet_sweep *sweep, int code) {
  MPI_Allreduce(MPI_IN_PLACE, &code, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
  if (code != LIMPET_OPTIONS_GO) return code;
  MPI_Bcast(sweep->done, sweep->plan.run_count, MPI_C_BOOL, 0, MPI_COMM_WORLD);
  return code;
}

// Takes one message of another process; returns whether it was the last of that one.
static bool take_message(limpet_sweep *sweep) {
  static char text[LIMPET_SWEEP_ROW_SIZE];
  MPI_Status status;
  MPI_Recv(text, (int)sizeof text, MPI_CHAR, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &status);
  if (status.MPI_TAG == TAG_END) return true;
  limpet_sweep_table_add(sweep, text, status.MPI_TAG == TAG_FAILED);
  return false;
}

// What has come by now; returns how many processes have ended.
static int take_messages(limpet_sweep *sweep) {
  int ended = 0;
  for (int waiting = 1; waiting;) {
    MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &waiting, MPI_STATUS_IGNORE);
    if (waiting) ended += take_message(sweep);
  }
  return ended;
}

static void hand_over(limpet_sweep *sweep, int rank, const limpet_row *row, bool failed) {
  if (rank == 0) limpet_sweep_table_add(sweep, row->text, failed);
  else
    MPI_Send(row->text, (int)row->length + 1, MPI_CHAR, 0, failed ? TAG_FAILED : TAG_ROW,
             MPI_COMM_WORLD);
}

void limpet_sweep_mpi_work(limpet_sweep *sweep) {
  int rank = 0, size = 1, ended = 1, turn = 0;
  limpet_sweep_kept kept = {0};
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  for (int run = limpet_sweep_take(sweep); run >= 0; run = limpet_sweep_take(sweep)) {
    limpet_row row = {.length = 0};
    bool failed = false;
    if (turn++ % size != rank) continue;
    if (!limpet_sweep_row_make(sweep, &kept, run, &row, &failed)) break;
    hand_over(sweep, rank, &row, failed);
    if (rank == 0) ended += take_messages(sweep);
  }
  limpet_sweep_kept_free(&kept);
  if (rank > 0) MPI_Send("", 1, MPI_CHAR, 0, TAG_END, MPI_COMM_WORLD);
  else
    while (ended < size) ended += take_message(sweep);
}

#else

bool limpet_sweep_mpi_available(void) { return false; }
int limpet_sweep_mpi_begin(void) { return 0; }
int limpet_sweep_mpi_share(limpet_sweep *sweep, int code) {
  (void)sweep;
  return code;
}
void limpet_sweep_mpi_work(limpet_sweep *sweep) { (void)sweep; }

#endif
