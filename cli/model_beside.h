// cli/model_beside.h: files that a plan or a fit names, looked for beside it.
#ifndef LIMPET_CLI_MODEL_BESIDE_H
#define LIMPET_CLI_MODEL_BESIDE_H

// `name` in the folder of `path`, or itself where it is absolute. By malloc; NULL: no memory.
char *limpet_path_beside(const char *path, const char *name);
/* The file of the key "model" of a JSON file, which is there. By malloc; NULL after a complaint
 * with file and line. */
char *limpet_model_beside(const char *path);

#endif
