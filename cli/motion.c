/* cli/motion.c: another simulator's motion, or a recorded one, beside runs of our own. Coordinates
 * are those of MuJoCo's qpos, slot for slot; quaternions of any length are normalised by the
 * kinematics. */
#include "motion.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { NAME_SIZE = 96 };

typedef struct motion_reader {
  const char *path;
  int line;  // 1-based
  const limpet_model *model;
  double *row;  // (1 + nq)
} motion_reader;

// A line of numbers into the row; -1: not as many as there should be, -2: not all are numbers.
static int row_read(motion_reader *reader, char *text) {
  const int wanted = 1 + reader->model->nq;
  int count = 0;
  for (char *at = text; *at; ++count) {
    char *end;
    errno = 0;
    const double value = strtod(at, &end);
    if (end == at || !isfinite(value)) return -2;
    if (count < wanted) reader->row[count] = value;
    end += strspn(end, " \t\r\n");
    if (*end != '\0' && *end != ',') return -2;
    at = *end ? end + 1 : end;
  }
  return count == wanted ? count : -1;
}

static bool row_complain(const motion_reader *reader, int code) {
  if (code == -2)
    limpet_complain(
        "%s:%d: not all of it is numbers; give the time and the coordinates, separated "
        "by commas",
        reader->path, reader->line);
  else
    limpet_complain(
        "%s:%d: there should be %d numbers: the time [s] and the %d coordinates of the "
        "model",
        reader->path, reader->line, 1 + reader->model->nq, reader->model->nq);
  return false;
}

static bool row_show(motion_reader *reader, limpet_replay *replay, limpet_data *data,
                     double *last) {
  if (!(reader->row[0] > *last)) {
    limpet_complain("%s:%d: time goes back: %g s after %g s", reader->path, reader->line,
                    reader->row[0], *last);
    return false;
  }
  *last = data->time = reader->row[0];
  memcpy(data->q, reader->row + 1, (size_t)reader->model->nq * sizeof *data->q);
  if (limpet_replay_append(replay, reader->model, data) == LIMPET_OK) return true;
  limpet_complain("%s: not enough memory for the replay", reader->path);
  return false;
}

static bool rows_read(motion_reader *reader, FILE *file, limpet_replay *replay, limpet_data *data) {
  char *text = NULL;
  size_t room = 0;
  double last = -INFINITY;
  bool fine = true;
  int rows = 0;
  while (fine && getline(&text, &room, file) >= 0) {
    ++reader->line;
    if (!text[strspn(text, " \t\r\n")]) continue;
    const int count = row_read(reader, text);
    if (count == -2 && reader->line == 1) continue;  // names
    fine = count > 0 ? row_show(reader, replay, data, &last) : row_complain(reader, count);
    ++rows;
  }
  free(text);
  if (fine && rows == 0) limpet_complain("%s: there is no line of numbers", reader->path);
  return fine && rows > 0;
}

// What stands before "=", or the name of the file without folder and ending.
static void name_take(const char *word, char name[NAME_SIZE], const char **path) {
  const char *equal = strchr(word, '=');
  *path = equal ? equal + 1 : word;
  if (equal) {
    snprintf(name, NAME_SIZE, "%.*s", (int)(equal - word), word);
    return;
  }
  const char *slash = strrchr(word, '/');
  snprintf(name, NAME_SIZE, "%s", slash ? slash + 1 : word);
  char *dot = strrchr(name, '.');
  if (dot && dot > name) *dot = '\0';
}

limpet_replay *limpet_motion_read(const char *word, const limpet_model *model, limpet_data *data,
                                  int run_count) {
  char name[NAME_SIZE];
  motion_reader reader = {.model = model};
  name_take(word, name, &reader.path);
  FILE *file = fopen(reader.path, "r");
  if (!file) {
    limpet_complain("--motion %s: cannot be read: %s", reader.path, strerror(errno));
    return NULL;
  }
  limpet_replay_options options = limpet_replay_options_default();
  options.name = name;
  options.frame_limit /= run_count;
  limpet_replay *replay = limpet_replay_create(model, &options);
  reader.row = calloc((size_t)model->nq + 1, sizeof *reader.row);
  const bool read = replay && reader.row && rows_read(&reader, file, replay, data);
  if (!replay || !reader.row) limpet_complain("%s: not enough memory for the replay", reader.path);
  free(reader.row);
  fclose(file);
  if (read) return replay;
  limpet_replay_destroy(replay);
  return NULL;
}
