/* record/process.c: sockets instead of pipes, since writing to one whose other end is gone is an
 * error and no signal. */
#include "record/process.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

extern char **environ;

enum { HIGH = 10 };  // descriptors from here on are not those that a program is given

// A pair whose first end stays here: no other program inherits it. Both ends are high, so that
// they are in nobody's way.
static bool pair_open(int ends[2]) {
  int low[2];
  if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, low) != 0) return false;
  for (int k = 0; k < 2; ++k) {
    ends[k] = fcntl(low[k], F_DUPFD_CLOEXEC, HIGH);
    close(low[k]);
  }
  return ends[0] >= 0 && ends[1] >= 0;
}

static void pair_close(const int ends[2]) {
  for (int k = 0; k < 2; ++k)
    if (ends[k] >= 0) close(ends[k]);
}

static bool spawn(limpet_process *process, char *const arguments[], int input, int input_end,
                  int output, int output_end) {
  posix_spawn_file_actions_t actions;
  if (posix_spawn_file_actions_init(&actions) != 0) return false;
  if (input != 0) posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0);
  for (int k = 1; k <= 2; ++k)
    if (output != k) posix_spawn_file_actions_addopen(&actions, k, "/dev/null", O_WRONLY, 0);
  posix_spawn_file_actions_adddup2(&actions, input_end, input);
  if (output >= 0) posix_spawn_file_actions_adddup2(&actions, output_end, output);
  const int failed = posix_spawnp(&process->id, arguments[0], &actions, NULL, arguments, environ);
  posix_spawn_file_actions_destroy(&actions);
  return !failed;
}

static bool is_program(const char *path) {
  struct stat status;
  return stat(path, &status) == 0 && S_ISREG(status.st_mode) && access(path, X_OK) == 0;
}

bool limpet_process_possible(const char *program) {
  if (strchr(program, '/')) return is_program(program);
  const char *at = getenv("PATH");
  if (!at) at = "/bin:/usr/bin";  // as posix_spawnp has it
  while (*at) {
    char path[4096];
    const size_t length = strcspn(at, ":");
    const int written = snprintf(path, sizeof path, "%.*s/%s", (int)length, at, program);
    if (length > 0 && written < (int)sizeof path && is_program(path)) return true;
    at += length + (at[length] == ':');
  }
  return false;
}

bool limpet_process_start(limpet_process *process, char *const arguments[], int input, int output) {
  int in[2] = {-1, -1}, out[2] = {-1, -1};
  *process = (limpet_process){.input = -1, .output = -1};
  const bool open = pair_open(in) && (output < 0 || pair_open(out));
  if (!open || !spawn(process, arguments, input, in[1], output, out[1])) {
    pair_close(in);
    pair_close(out);
    process->id = 0;
    return false;
  }
  close(in[1]);
  if (out[1] >= 0) close(out[1]);
  process->input = in[0];
  process->output = out[0];
  return true;
}

bool limpet_process_write(const limpet_process *process, const void *bytes, size_t size) {
  const char *at = bytes;
  while (size > 0) {
    const ssize_t count = send(process->input, at, size, MSG_NOSIGNAL);
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) return false;
    at += count;
    size -= (size_t)count;
  }
  return true;
}

long limpet_process_read(const limpet_process *process, void *bytes, size_t size, double seconds) {
  struct pollfd wait = {.fd = process->output, .events = POLLIN};
  const int ready = poll(&wait, 1, (int)(1000.0 * seconds));
  if (ready == 0 || (ready < 0 && errno == EINTR)) return -1;  // a signal is no end of the program
  if (ready < 0) return -2;
  const ssize_t count = read(process->output, bytes, size);
  if (count >= 0) return (long)count;
  return errno == EINTR ? -1 : -2;
}

int limpet_process_end(limpet_process *process, double seconds) {
  if (process->id == 0) return -1;
  if (process->input >= 0) close(process->input);
  static const double look = 0.01;  // [s]  between two looks
  int status = 0;
  pid_t ended = 0;
  for (double waited = 0.0; waited < seconds && ended == 0; waited += look) {
    ended = waitpid(process->id, &status, WNOHANG);
    if (ended == 0) nanosleep(&(struct timespec){.tv_nsec = (long)(1e9 * look)}, NULL);
  }
  if (ended == 0) {
    kill(process->id, SIGKILL);
    waitpid(process->id, &status, 0);
  }
  if (process->output >= 0) close(process->output);
  *process = (limpet_process){.input = -1, .output = -1};
  return ended > 0 && WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}
