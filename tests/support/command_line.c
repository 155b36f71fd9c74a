/* tests/support/command_line.c: running `limpet` as users run it, in a folder of its own, on a
 * small scene. */
#include "command_line.h"

#include <dirent.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

// ------------------------------------------------------------------------- running the command

char command_folder[] =
    "/tmp/limpet_cli_XXXXXX";  // of inputs and outputs: the current folder of the commands
char command_output[1 << 20], command_errors[1 << 16];  // stdout, stderr of the last command
int command_code;                                       // its exit code

void text_load(char *text, size_t size, const char *name) {
  char path[256];
  snprintf(path, sizeof path, "%s/%s", command_folder, name);
  FILE *file = fopen(path, "r");
  const size_t length = file ? fread(text, 1, size - 1, file) : 0;
  text[length] = '\0';
  if (file) fclose(file);
}

void text_save(const char *name, const char *text) {
  char path[256];
  snprintf(path, sizeof path, "%s/%s", command_folder, name);
  FILE *file = fopen(path, "w");
  assert_non_null(file);
  fputs(text, file);
  fclose(file);
}

// Runs "limpet ..." by the shell, in the folder; fills the globals.
void limpet(const char *format, ...) {
  char arguments[2048], line[4096];
  va_list list;
  va_start(list, format);
  vsnprintf(arguments, sizeof arguments, format, list);
  va_end(list);
  snprintf(line, sizeof line, "cd %s && %s/limpet %s >.out 2>.err", command_folder,
           LIMPET_BINARY_DIR, arguments);
  const int status = system(line);
  assert_true(WIFEXITED(status));
  command_code = WEXITSTATUS(status);
  text_load(command_output, sizeof command_output, ".out");
  text_load(command_errors, sizeof command_errors, ".err");
}

// Reads what a child prints until `mark`, sends it SIGINT, and reads the rest.
static void interrupt_at(FILE *from, pid_t child, const char *mark) {
  size_t length = 0;
  bool sent = false;
  for (int c; (c = fgetc(from)) != EOF && length + 1 < sizeof command_output;) {
    command_output[length++] = (char)c;
    command_output[length] = '\0';
    if (sent || c != '\n' || !strstr(command_output, mark)) continue;
    kill(child, SIGINT);
    sent = true;
  }
  assert_true(sent);
}

void limpet_interrupt(const char *mark, const char *format, ...) {
  char arguments[2048], line[4096];
  int ends[2], status = 0;
  va_list list;
  va_start(list, format);
  vsnprintf(arguments, sizeof arguments, format, list);
  va_end(list);
  snprintf(line, sizeof line, "cd %s && exec %s/limpet %s 2>.err", command_folder,
           LIMPET_BINARY_DIR, arguments);
  assert_int_equal(pipe(ends), 0);
  const pid_t child = fork();
  if (child == 0) {
    if (dup2(ends[1], 1) < 0) _exit(99);
    close(ends[0]);
    close(ends[1]);
    execl("/bin/sh", "sh", "-c", line, (char *)NULL);
    _exit(99);
  }
  close(ends[1]);
  FILE *from = fdopen(ends[0], "r");
  assert_non_null(from);
  interrupt_at(from, child, mark);
  fclose(from);
  waitpid(child, &status, 0);
  assert_true(WIFEXITED(status));
  command_code = WEXITSTATUS(status);
  text_load(command_errors, sizeof command_errors, ".err");
}

void expect_text(const char *text, const char *part) {
  if (strstr(text, part)) return;
  print_message("'%s' is not in:\n%s\n", part, text);
  fail();
}

// The last command failed with that exit code and said `part` on stderr.
void expect_error(int expected, const char *part) {
  if (command_code != expected)
    print_message("exit code %d, expected %d; stderr:\n%s\n", command_code, expected,
                  command_errors);
  assert_int_equal(command_code, expected);
  assert_int_equal(strncmp(command_errors, "limpet: ", 8), 0);
  expect_text(command_errors, part);
}

json_t *output_json(void) {
  json_error_t error;
  if (command_code != 0) print_message("exit code %d; stderr:\n%s\n", command_code, command_errors);
  json_t *root = json_loads(command_output, 0, &error);
  if (!root)
    print_message("%s at %d:%d of:\n%.500s\n", error.text, error.line, error.column,
                  command_output);
  assert_non_null(root);
  return root;
}

// Value at a path "a/b/c" of nested objects.
json_t *json_at(json_t *root, const char *path) {
  char key[64];
  json_t *value = root;
  while (value && *path) {
    const size_t length = strcspn(path, "/");
    snprintf(key, sizeof key, "%.*s", (int)length, path);
    value = json_object_get(value, key);
    path += length + (path[length] == '/');
  }
  assert_non_null(value);
  return value;
}

double number_at(json_t *root, const char *path) { return json_number_value(json_at(root, path)); }

const char *text_at(json_t *root, const char *path) {
  return json_string_value(json_at(root, path));
}

bool file_exists(const char *name) {
  char path[256];
  struct stat status;
  snprintf(path, sizeof path, "%s/%s", command_folder, name);
  return stat(path, &status) == 0;
}

int file_count(void) {
  int count = 0;
  DIR *handle = opendir(command_folder);
  while (readdir(handle)) ++count;
  closedir(handle);
  return count;
}

// -------------------------------------------------------------------------------------- models

const char scene_text[] =
    "<mujoco model='arm and crate'>\n"
    "  <option timestep='0.002'/>\n"
    "  <worldbody>\n"
    "    <geom name='floor' type='plane' size='0 0 1'/>\n"
    "    <body name='crate' pos='0 0 0.11'><freejoint/><geom name='wood' type='box' size='.1 .1 "
    ".1' mass='1'/></body>\n"
    "    <body name='arm' pos='2 0 1'>\n"
    "      <joint name='shoulder' axis='0 1 0' damping='0.1'/><geom type='capsule' size='.02 "
    ".1'/>\n"
    "      <body name='hand' pos='.3 0 0'>\n"
    "        <joint name='reach' type='slide' axis='1 0 0' range='-.1 .1' limited='true' "
    "stiffness='50'/>\n"
    "        <geom type='sphere' size='.05'/>\n"
    "      </body>\n"
    "    </body>\n"
    "  </worldbody>\n"
    "  <tendon><fixed name='both' stiffness='3' damping='0.2'>\n"
    "    <joint joint='shoulder' coef='0.5'/><joint joint='reach' coef='2'/>\n"
    "  </fixed></tendon>\n"
    "  <actuator><position name='servo' joint='shoulder' kp='20'/><motor name='push' "
    "joint='reach'/></actuator>\n"
    "  <keyframe>\n"
    "    <key name='up' qpos='0 0 .3 1 0 0 0 .4 .01' ctrl='.3 1'/>\n"
    "    <key name='wild' qpos='0 0 .3 1 0 0 0 .4 .01' qvel='0 0 0 0 0 0 1e200 1e200'/>\n"
    "  </keyframe>\n"
    "</mujoco>\n";

limpet_model *scene_model;
limpet_data *scene_data;

int command_scene_open(void **state) {
  (void)state;
  limpet_error error;
  if (!mkdtemp(command_folder)) return -1;
  text_save("scene.xml", scene_text);
  scene_model =
      limpet_load(strcat(strcpy(command_output, command_folder), "/scene.xml"), NULL, &error);
  if (!scene_model) return print_message("%s\n", error.message), -1;
  scene_data = limpet_data_create(scene_model);
  return scene_data && scene_model->nq == SCENE_NQ && scene_model->nv == SCENE_NV &&
                 scene_model->nu == SCENE_NU
             ? 0
             : -1;
}

int command_scene_close(void **state) {
  (void)state;
  char line[256];
  limpet_data_destroy(scene_data);
  limpet_model_destroy(scene_model);
  snprintf(line, sizeof line, "rm -rf %s", command_folder);
  return system(line);
}
