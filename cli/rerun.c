/* cli/rerun.c: `limpet run --from`: takes a run from its log, and compares the end of both bit by
 * bit. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "json.h"
#include "run.h"

// exit codes of the process that reads a log first; 1 is what sanitizers take
enum { CHILD_READ = 0, CHILD_TOLD = 2 };
enum { PATIENCE = 60 };  // [s]  for reading a log

/* HDF5 1.10 reads beyond its buffers where bytes inside a file are wrong, and nothing can be done
 * about it from outside. So a process that may die of it tries first; it also tells what is wrong
 * with a log that can be read, but not used. */
bool limpet_rerun_readable(const char *path) {
  struct stat status;
  if (stat(path, &status) != 0 || !S_ISREG(status.st_mode)) {
    limpet_complain(
        "%s: there is no such file; give a log that 'limpet run FILE --log OUT.h5' wrote", path);
    return false;
  }
  fflush(NULL);
  const pid_t child = fork();
  if (child == 0) {
    alarm(PATIENCE);
    limpet_error error;
    const bool read = limpet_log_read(path, &error) != NULL;
    if (!read) limpet_complain("%s", error.message);
    _exit(read ? CHILD_READ : CHILD_TOLD);
  }
  int ending = 0;
  if (child < 0 || waitpid(child, &ending, 0) != child) return true;
  if (WIFEXITED(ending) && WEXITSTATUS(ending) == CHILD_READ) return true;
  if (WIFEXITED(ending) && WEXITSTATUS(ending) == CHILD_TOLD) return false;
  limpet_complain("%s: is a damaged log: HDF5 fails on it", path);
  return false;
}

static bool all_finite(const double *numbers, size_t count) {
  for (size_t i = 0; i < count; ++i)
    if (!isfinite(numbers[i])) return false;
  return true;
}

/* Steps up to the last record, whose state the end is compared with: a log with a period may know
 * the controls of steps after it. */
static int steps_recorded(const limpet_log_info *log) {
  int count = log->step_count;
  const double end = log->record_count ? log->time[log->record_count - 1] : -INFINITY;
  while (count > 0 && log->step_time[count - 1] > end) --count;
  return count;
}

static void state_tell(const limpet_session *session, int step_count) {
  const char *path = session->options->from;
  if (session->options->quiet || session->from->state == LIMPET_LOG_CLOSED) return;
  if (session->from->state == LIMPET_LOG_GROWING)
    limpet_complain("warning: %s: is still being written; the %d steps so far are run again", path,
                    step_count);
  else
    limpet_complain(
        "warning: %s: ends early, since its run was killed or the disk was full; the %d steps that "
        "it has are run again",
        path, step_count);
}

int limpet_rerun_open(limpet_session *session) {
  const limpet_log_info *log = session->from;
  const char *path = session->options->from;
  const limpet_model *model = session->model;
  if (log->model_hash != model->hash) {
    limpet_complain("%s: was made with another model than %s is now (hash %016" PRIx64
                    ", now %016" PRIx64 ")\n  give the original file: limpet run FILE --from %s",
                    path, session->path, log->model_hash, model->hash, path);
    return LIMPET_EXIT_INPUT;
  }
  const int step_count = steps_recorded(log);
  const bool fits = log->state_size == limpet_data_state_size(model) && log->nu == model->nu &&
                    log->nq == model->nq;
  if (!fits || log->nv != model->nv || step_count == 0) {
    limpet_complain("%s: holds no step that could be run again", path);
    return LIMPET_EXIT_INPUT;
  }
  if (!all_finite(log->start_state, (size_t)log->state_size) ||
      !all_finite(log->step_control, (size_t)log->step_count * (size_t)log->nu)) {
    limpet_complain(
        "%s: is a damaged log: a number in its start state or its controls is not finite", path);
    return LIMPET_EXIT_INPUT;
  }
  limpet_error error;
  if (limpet_log_settings(log, model, &session->settings, &error) != LIMPET_OK) {
    limpet_complain("%s: %s", path, error.message);
    return LIMPET_EXIT_INPUT;
  }
  if (log->controller_text[0]) {
    session->controller = limpet_controller_create(model, log->controller_text, path, &error);
    session->controller_text = strdup(log->controller_text);
    if (!session->controller || !session->controller_text) {
      limpet_complain("%s", session->controller ? "no memory for the controller" : error.message);
      return LIMPET_EXIT_INPUT;
    }
  }
  limpet_data_state_write(model, session->data, log->start_state);
  session->step_count = step_count;
  state_tell(session, step_count);
  return LIMPET_OPTIONS_GO;
}

void limpet_rerun_control(limpet_session *session, int64_t step) {
  const size_t nu = (size_t)session->model->nu;
  if (nu)
    memcpy(session->data->control, session->from->step_control + (size_t)step * nu,
           nu * sizeof *session->data->control);
}

// Whether the final states are equal; the largest difference of a velocity, and of a coordinate,
// where they are not.
static bool states_equal(const limpet_session *session, double difference[2]) {
  const limpet_model *model = session->model;
  const double *now[2] = {session->data->q, session->data->v},
               *then[2] = {session->from->end_q, session->from->end_v};
  const int count[2] = {model->nq, model->nv};
  bool equal = true;
  for (int part = 0; part < 2; ++part) {
    difference[part] = 0.0;
    if (count[part] == 0) continue;
    equal &= memcmp(now[part], then[part], (size_t)count[part] * sizeof(double)) == 0;
    for (int i = 0; i < count[part]; ++i)
      difference[part] = fmax(difference[part], fabs(now[part][i] - then[part][i]));
  }
  return equal;
}

void limpet_rerun_print(const limpet_session *session) {
  double difference[2];
  const bool equal = states_equal(session, difference);
  printf("rerun        of %s: the final state is %s\n", session->options->from,
         equal ? "bit-identical to the log's" : "NOT bit-identical to the log's");
  if (equal) return;
  printf(
      "             largest difference %.3g in q, %.3g in v (SI units); the log was written by "
      "limpet %s, this is %s\n",
      difference[0], difference[1], session->from->version, limpet_version());
}

json_t *limpet_rerun_json(const limpet_session *session) {
  double difference[2];
  const bool equal = states_equal(session, difference);
  return json_pack(
      "{s:o, s:b, s:b, s:o, s:o, s:o}", "from", limpet_json_text(session->options->from),
      "complete", session->from->state == LIMPET_LOG_CLOSED, "identical", equal, "difference_q",
      limpet_json_number(difference[0]), "difference_v", limpet_json_number(difference[1]),
      "version", limpet_json_text(session->from->version));
}
