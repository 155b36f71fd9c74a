/* format/mjcf/file.c: where files are looked for that a model names. */
#include "format/mjcf/file.h"

#include <string.h>

#include "format/read/locate.h"
#include "format/read/text.h"

// whether a path stands in a list "a, b, c"
static bool listed(const char *list, const char *path) {
  const size_t length = strlen(path);
  for (const char *at = list; at && (at = strstr(at, path)); ++at)
    if ((at == list || at[-1] == ' ') && (at[length] == '\0' || at[length] == ',')) return true;
  return false;
}

static bool try_path(limpet_reader *reader, const char *folder, const char *file,
                     const char **found, const char **tried) {
  const char *path = limpet_path_join(&reader->pool, folder, file);
  if (!path) limpet_reader_no_memory(reader);
  if (limpet_path_exists(path)) {
    *found = path;
    return true;
  }
  if (tried && !listed(*tried, path))
    *tried = *tried ? limpet_reader_join(reader, *tried, ", ", path) : path;
  return false;
}

const char *limpet_mjcf_file_find(limpet_reader *reader, const limpet_mjcf_source *source,
                                  const limpet_xml_element *e, const char *file, const char *folder,
                                  const char **tried) {
  const char *found = NULL;
  const char *declaring = limpet_path_folder(&reader->pool, e->file);
  if (!declaring) limpet_reader_no_memory(reader);
  const char *below =
      folder && *folder
          ? limpet_reader_join(reader, folder, folder[strlen(folder) - 1] == '/' ? "" : "/", "")
          : "";
  const char *below_main =
      *below == '/' ? below : limpet_reader_join(reader, source->folder, below, "");
  const char *below_declaring =
      *below == '/' ? below : limpet_reader_join(reader, declaring, below, "");
  const char *const folders[] = {below_main, below_declaring, declaring};
  for (int i = 0; i < 3; ++i) {
    if (!try_path(reader, folders[i], file, &found, tried)) continue;
    if (limpet_path_leaves(file))
      limpet_reader_note(reader, e, "file", "outside",
                         "'%.200s' lies outside of the folder of the model's files: who gets the "
                         "folder alone cannot load it",
                         file);
    return found;
  }
  return NULL;
}

const char *limpet_mjcf_asset_folder(const limpet_mjcf_source *source) {
  return source->compiler.mesh_folder ? source->compiler.mesh_folder
                                      : source->compiler.asset_folder;
}
