/* format/mesh/gmsh.c: is a Gmsh file whole? Text format, versions 2.2 and 4.1 (Gmsh reference
 * manual, "Gmsh mesh file formats").
 *
 *   2.2: $Nodes count, then lines "number x y z"; $Elements count, then lines "number type
 *     tag-count tags... nodes..."
 *   4.1: $Nodes "blocks nodes min max", then blocks: "dim tag parametric count", numbers,
 *     coordinates; $Elements alike. */
#include <string.h>

#include "base/error.h"
#include "format/mesh/formats.h"
#include "format/read/text.h"

typedef struct gmsh_text {
  const char *start, *at;
  const char *path;
  limpet_error *error;
} gmsh_text;

static limpet_status fail(const gmsh_text *text, const char *reason) {
  int line = 1;
  for (const char *p = text->start; p < text->at; ++p) line += *p == '\n';
  return limpet_error_fill_at(text->error, LIMPET_ERROR_INPUT, text->path, line, 0,
                              "%s; is the mesh file damaged?", reason);
}

// moves behind the line that holds exactly `word`
static bool find_section(gmsh_text *text, const char *word) {
  const char *found = strstr(text->start, word);
  if (!found) return false;
  text->at = found + strlen(word);
  while (*text->at == ' ' || *text->at == '\r') ++text->at;
  return *text->at == '\n';
}

// number of numbers in the current line, at most 64 of them kept; moves to the next line
static int read_line(gmsh_text *text, double *numbers) {
  int count = 0;
  double value;
  if (*text->at == '\n') ++text->at;
  for (;;) {
    while (*text->at == ' ' || *text->at == '\t' || *text->at == '\r') ++text->at;
    if (*text->at == '\n' || !limpet_text_number(&text->at, &value)) return count;
    if (count < 64) numbers[count] = value;
    ++count;
  }
}

static limpet_status check_nodes_22(gmsh_text *text, long *node_count) {
  double n[64];
  if (!find_section(text, "$Nodes")) return fail(text, "the section $Nodes is missing");
  if (read_line(text, n) != 1 || !(n[0] > 0.0) || n[0] > 1e8)
    return fail(text, "expected the number of nodes");
  *node_count = (long)n[0];
  for (long i = 0; i < *node_count; ++i)
    if (read_line(text, n) != 4) return fail(text, "expected 'number x y z' for a node");
  return LIMPET_OK;
}

static limpet_status check_elements_22(gmsh_text *text) {
  double n[64];
  if (!find_section(text, "$Elements")) return fail(text, "the section $Elements is missing");
  if (read_line(text, n) != 1 || !(n[0] > 0.0) || n[0] > 1e8)
    return fail(text, "expected the number of elements");
  const long count = (long)n[0];
  for (long i = 0; i < count; ++i)
    if (read_line(text, n) < 5)
      return fail(text, "expected 'number type tags nodes' for an element");
  return LIMPET_OK;
}

// both sections of 4.1 are built alike: a header of four numbers, then blocks with a header of four
// numbers each
static limpet_status check_blocks_41(gmsh_text *text, const char *section, bool nodes) {
  double header[64], n[64];
  if (!find_section(text, section))
    return fail(text, nodes ? "the section $Nodes is missing" : "the section $Elements is missing");
  if (read_line(text, header) != 4 || !(header[0] > 0.0) || !(header[1] > 0.0) || header[1] > 1e8)
    return fail(text, "expected 'blocks count smallest largest' at the head of the section");
  if (nodes && header[3] != header[1])
    return fail(text, "nodes are not numbered from 1 to their count, as MuJoCo wants them");
  double left = header[1];
  for (double block = 0; block < header[0]; ++block) {
    if (read_line(text, n) != 4 || !(n[3] >= 0.0) || n[3] > left)
      return fail(text, "expected 'dimension tag kind count' at the head of a block");
    const long count = (long)n[3];
    left -= n[3];
    for (long i = 0; nodes && i < count; ++i)
      if (read_line(text, n) != 1) return fail(text, "expected the number of a node");
    for (long i = 0; i < count; ++i) {
      const int found = read_line(text, n);
      if (nodes ? found != 3 : found < 2)
        return fail(
            text, nodes ? "expected 'x y z' of a node" : "expected 'number nodes' for an element");
    }
  }
  return left == 0.0 ? LIMPET_OK
                     : fail(text, "the blocks hold fewer entries than the section announces");
}

limpet_status limpet_mesh_check_gmsh(const char *bytes, size_t length, const char *path,
                                     limpet_error *error) {
  gmsh_text text = {bytes, bytes, path, error};
  double n[64];
  if (length < 11 || memcmp(bytes, "$MeshFormat", 11) != 0)
    return fail(&text, "a Gmsh file begins with $MeshFormat");
  text.at += 11;
  if (*text.at == '\r') ++text.at;
  if (read_line(&text, n) != 3)
    return fail(&text, "expected 'version type size' below $MeshFormat");
  if (n[1] != 0.0) return LIMPET_OK;  // binary
  limpet_status status = LIMPET_OK;
  if (n[0] == 2.2) {
    long node_count = 0;
    status = check_nodes_22(&text, &node_count);
    return status == LIMPET_OK ? check_elements_22(&text) : status;
  }
  if (n[0] != 4.1) return fail(&text, "only the versions 2.2 and 4.1 are known");
  status = check_blocks_41(&text, "$Nodes", true);
  return status == LIMPET_OK ? check_blocks_41(&text, "$Elements", false) : status;
}
