/* tests/support/command_line.h: running `limpet` as users run it, in a folder of its own, on a
 * small scene. */
#ifndef LIMPET_TEST_COMMAND_LINE_H
#define LIMPET_TEST_COMMAND_LINE_H

#include <stdbool.h>

#include <jansson.h>

#include "limpet/limpet.h"

// ---------------------------------------------------------------------------- files of a test

extern char command_folder[];  // of inputs and outputs: the current folder of the commands; made by
                               // command_scene_open

void text_load(char *text, size_t size, const char *name);  // "" if there is no such file
void text_save(const char *name, const char *text);
bool file_exists(const char *name);
int file_count(void);

// -------------------------------------------------------------------------------- the command

extern char command_output[1 << 20], command_errors[1 << 16];  // stdout, stderr of the last command
extern int command_code;                                       // its exit code

// Runs "limpet ..." by the shell, in the folder.
void limpet(const char *format, ...) __attribute__((format(printf, 1, 2)));
// The same; presses Ctrl-C at the end of the line with which `mark` stands in its stdout.
void limpet_interrupt(const char *mark, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

void expect_text(const char *text, const char *part);
// The last command failed with that exit code and said `part` on stderr.
void expect_error(int code, const char *part);
// The last command succeeded and its stdout is JSON.
json_t *output_json(void);
// Value at a path "a/b/c" of nested objects, which must be there.
json_t *json_at(json_t *root, const char *path);
double number_at(json_t *root, const char *path);
const char *text_at(json_t *root, const char *path);

// ---------------------------------------------------------------------------------- the scene

// An arm with a shoulder, a slide and a tendon between them, and a crate on the floor; scene.xml in
// the folder.
enum { SCENE_NQ = 9, SCENE_NV = 8, SCENE_NU = 2 };
extern const char scene_text[];
extern limpet_model *scene_model;
extern limpet_data *scene_data;

int command_scene_open(void **state);  // group fixtures of cmocka
int command_scene_close(void **state);

#endif
