/* cli/sweep.c: `limpet sweep`: one scene with numbers that vary: a table with one row a run.
 *
 * Runs are independent: threads, or the processes of an MPI job, take them one by one. */
#include "sweep.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "output.h"
#include "signals.h"

static int options_read(const limpet_command *command, int argc, char **argv, limpet_sweep *sweep) {
  const limpet_option own[] = {
      {"--samples", LIMPET_OPTION_COUNT, &sweep->samples, "N",
       "runs, spread evenly over ranges LOW:HIGH; without it every combination", 0, 1, 1e8},
      {"--out", LIMPET_OPTION_TEXT, &sweep->out, "FILE.csv",
       "the table; rows that are there are not done again; sweep.csv", 0, 0, 0},
      {"--track", LIMPET_OPTION_REPEATED, &sweep->track, "BODY",
       "columns for where a body ends, and how far it moved; BODY@FRAME: as seen from the body "
       "FRAME; "
       "may be repeated",
       0, 0, 0},
      {"--threads", LIMPET_OPTION_COUNT, &sweep->threads, "N", "runs at a time; 1", 0, 1, 1024},
      {"--shard", LIMPET_OPTION_TEXT, &sweep->shard, "I/N",
       "only part I of N (0/N to N-1/N), for jobs on many machines; each with its own --out", 0, 0,
       0},
      {"--mpi", LIMPET_OPTION_FLAG, &sweep->mpi, NULL,
       "share the runs among the processes of an MPI job: mpirun -n 8 limpet sweep --mpi ...", 0, 0,
       0},
      {"--contact", LIMPET_OPTION_TEXT, &sweep->contact, "MODEL", "contact model", 0, 0, 0},
      {"--scheme", LIMPET_OPTION_TEXT, &sweep->scheme, "SCHEME", "stepping scheme", 0, 0, 0},
      {"--quiet", LIMPET_OPTION_FLAG, &sweep->quiet, NULL, "no progress bar, no words", 0, 0, 0},
  };
  enum { OWN_COUNT = (int)(sizeof own / sizeof *own) };
  enum {
    CAPACITY =
        LIMPET_START_OPTION_COUNT + LIMPET_LOADING_OPTION_COUNT + OWN_COUNT + LIMPET_SETTING_LIMIT
  };
  limpet_option options[CAPACITY];
  int count = limpet_start_options_begin(&sweep->start, options);
  count += limpet_loading_options(&sweep->loading, options + count);
  memcpy(options + count, own, sizeof own);
  count = limpet_settings_options(&sweep->start.settings, options, count + OWN_COUNT, CAPACITY);
  return limpet_options_parse(command, options, count, argc, argv, &sweep->arguments);
}

static int options_check(limpet_sweep *sweep) {
  if (sweep->arguments.count != 1) {
    limpet_complain("give one model file: 'limpet sweep scene.xml --param pad.friction=0.2:1:9'");
    return LIMPET_EXIT_USAGE;
  }
  if (sweep->track.count > LIMPET_SWEEP_TRACK_LIMIT) {
    limpet_complain("--track: at most %d bodies", LIMPET_SWEEP_TRACK_LIMIT);
    return LIMPET_EXIT_USAGE;
  }
  sweep->shard_count = 1;
  int end = 0;
  if (sweep->shard &&
      (sscanf(sweep->shard, "%d/%d%n", &sweep->shard_index, &sweep->shard_count, &end) != 2 ||
       sweep->shard[end] || sweep->shard_index < 0 || sweep->shard_index >= sweep->shard_count)) {
    limpet_complain("--shard %s: write I/N, 0/N to N-1/N", sweep->shard);
    return LIMPET_EXIT_USAGE;
  }
  if (sweep->mpi && !limpet_sweep_mpi_available()) {
    limpet_complain(
        "--mpi: this command was built without MPI; configure with -DLIMPET_MPI=ON "
        "(libopenmpi-dev), or use --shard");
    return LIMPET_EXIT_USAGE;
  }
  if (sweep->mpi && sweep->threads > 1) {
    limpet_complain("--mpi: each process does one run at a time; leave --threads out");
    return LIMPET_EXIT_USAGE;
  }
  if (!sweep->out) sweep->out = "sweep.csv";
  const char *const inputs[] = {sweep->arguments.text[0], sweep->start.controls,
                                sweep->start.controller};
  if (!limpet_output_possible("--out", sweep->out, inputs, 3)) return LIMPET_EXIT_INPUT;
  const char *const ending = strrchr(sweep->out, '.');
  if (ending && strcasecmp(ending, ".parquet") == 0) {
    limpet_complain(
        "--out %s: this command writes CSV; give a name that ends in .csv (limpet.sweep of Python "
        "writes Parquet)",
        sweep->out);
    return LIMPET_EXIT_USAGE;
  }
  if (!sweep->threads) sweep->threads = 1;
  return LIMPET_OPTIONS_GO;
}

// -------------------------------------------------------------------------------------- threads

int limpet_sweep_take(limpet_sweep *sweep) {
  pthread_mutex_lock(&sweep->mutex);
  int run = -1;
  while (run < 0 && sweep->next < sweep->plan.run_count && !sweep->broken &&
         !limpet_signal_caught()) {
    const int next = sweep->next++;
    if (next % sweep->shard_count == sweep->shard_index && !sweep->done[next]) run = next;
  }
  pthread_mutex_unlock(&sweep->mutex);
  return run;
}

static void *work(void *context) {
  limpet_sweep *sweep = context;
  limpet_sweep_kept kept = {0};
  for (int run = limpet_sweep_take(sweep); run >= 0; run = limpet_sweep_take(sweep)) {
    limpet_row row = {.length = 0};
    bool failed = false;
    if (!limpet_sweep_row_make(sweep, &kept, run, &row, &failed)) break;
    pthread_mutex_lock(&sweep->mutex);
    limpet_sweep_table_add(sweep, row.text, failed);
    limpet_progress_show(&sweep->progress, sweep->finished);
    pthread_mutex_unlock(&sweep->mutex);
  }
  limpet_sweep_kept_free(&kept);
  return NULL;
}

static void work_all(limpet_sweep *sweep) {
  pthread_t *threads = calloc((size_t)sweep->threads, sizeof *threads);
  int started = 1;
  for (; threads && started < sweep->threads; ++started)
    if (pthread_create(&threads[started], NULL, work, sweep) != 0) break;
  work(sweep);
  for (int t = 1; threads && t < started; ++t) pthread_join(threads[t], NULL);
  free(threads);
}

// Runs that are left to this process, and those that have rows.
static void count_runs(const limpet_sweep *sweep, int *left, int *kept) {
  *left = *kept = 0;
  for (int r = 0; r < sweep->plan.run_count; ++r) {
    *kept += sweep->done[r];
    *left += !sweep->done[r] && r % sweep->shard_count == sweep->shard_index;
  }
}

static int prepare(limpet_sweep *sweep, int rank) {
  int code = limpet_sweep_plan_make(&sweep->plan, sweep->arguments.text[0], &sweep->loading,
                                    &sweep->loading.parameters, &sweep->start.set, sweep->samples);
  if (code == LIMPET_OPTIONS_GO) code = limpet_sweep_check(sweep);
  if (code != LIMPET_OPTIONS_GO) return code;
  sweep->done = calloc((size_t)sweep->plan.run_count, sizeof *sweep->done);
  if (!sweep->done) return LIMPET_EXIT_SIMULATION;
  return rank == 0 ? limpet_sweep_table_open(sweep) : code;
}

// Says how a sweep ended that did not do all; returns the exit code.
static int ending_tell(const limpet_sweep *sweep, int left, bool sorted) {
  const int missing = left - sweep->finished;
  if (limpet_signal_caught() || sweep->broken) {
    limpet_complain("%s with %d runs missing; the same command does those and keeps the rows",
                    sweep->broken ? "ended" : "interrupted", missing);
    return sweep->broken ? LIMPET_EXIT_INPUT : LIMPET_EXIT_SIGNAL + limpet_signal_caught();
  }
  if (sorted) return LIMPET_EXIT_FINE;
  limpet_complain("%s: has all rows, but not in order: no second table could be written beside it",
                  sweep->out);
  return LIMPET_EXIT_INPUT;
}

static int sweep_all(limpet_sweep *sweep) {
  int left, kept;
  const int rank = sweep->mpi ? limpet_sweep_mpi_begin() : 0;
  int code = prepare(sweep, rank);
  if (sweep->mpi) code = limpet_sweep_mpi_share(sweep, code);
  if (code != LIMPET_OPTIONS_GO) return code;
  count_runs(sweep, &left, &kept);
  limpet_signals_listen();
  pthread_mutex_init(&sweep->mutex, NULL);
  sweep->progress = limpet_progress_begin(left, sweep->quiet || rank > 0);
  sweep->progress.counted = "runs";
  if (sweep->mpi) limpet_sweep_mpi_work(sweep);
  else work_all(sweep);
  limpet_progress_end(&sweep->progress);
  pthread_mutex_destroy(&sweep->mutex);
  if (rank > 0) return LIMPET_EXIT_FINE;
  const bool sorted = !sweep->broken && limpet_sweep_table_sort(sweep);
  if (!sweep->quiet)
    printf("%d run%s done, %d of them failed, %d were there: %s\n", sweep->finished,
           sweep->finished == 1 ? "" : "s", sweep->failed, kept, sweep->out);
  return ending_tell(sweep, left, sorted);
}

static int sweep(const limpet_command *command, int argc, char **argv) {
  limpet_sweep *sweep = calloc(1, sizeof *sweep);
  if (!sweep) return LIMPET_EXIT_SIMULATION;
  int code = options_read(command, argc, argv, sweep);
  if (code == LIMPET_OPTIONS_GO) code = options_check(sweep);
  if (code == LIMPET_OPTIONS_GO) code = sweep_all(sweep);
  if (sweep->file) fclose(sweep->file);
  free(sweep->done);
  limpet_sweep_plan_free(&sweep->plan);
  free(sweep);
  return code;
}

const limpet_command limpet_command_sweep = {
    .name = "sweep",
    .synopsis = "sweep FILE --param NAME.FIELD=VALUES [options]",
    .summary = "run a scene with numbers that vary; one row a run",
    .text =
        "Runs a scene once for each combination of the values that --param and --set give, or for "
        "--samples "
        "points in\n"
        "their ranges, and writes a table (CSV). VALUES: LOW:HIGH, LOW:HIGH:COUNT or A,B,C. A run "
        "that fails is a row\n"
        "that says so. A sweep that was stopped goes on where it was.\n",
    .examples =
        "  limpet sweep grasp.xml --param 'pad*.friction=0.2:1:9' --set grip=5,10,20 --track cube\n"
        "  limpet sweep grasp.xml --param pad.friction=0.2:1 --samples 1000 --threads 8\n"
        "  limpet sweep grasp.xml --param pad.friction=0.2:1 --samples 1000 --shard 3/10 --out "
        "3.csv\n"
        "  mpirun -n 8 limpet sweep grasp.xml --param pad.friction=0.2:1 --samples 1000 --mpi\n",
    .run = sweep,
};
