/* format/mesh/turned.c: the remark on tetrahedra that a file gives inside out. Programs number the
 * vertices of a tetrahedron in one of two orders: a file that has the other one throughout is as
 * good. A few among many are a mistake of whatever made the mesh. */
#include "format/mesh/turned.h"

void limpet_mesh_turned_note(limpet_reader *reader, const limpet_xml_element *element,
                             const char *attribute, const limpet_mesh_file *mesh,
                             const char *path) {
  const int turned = mesh->turned_count, count = mesh->tetrahedron_count;
  if (turned == 0) return;
  if (turned == count) {
    limpet_reader_note(reader, element, attribute, path,
                       "%s: all %d tetrahedra number their vertices the other way round (volumes "
                       "are negative); they were turned",
                       path, count);
    return;
  }
  const int first = mesh->turned_first, *v = mesh->tetrahedra + 4L * first;
  limpet_reader_doubt(reader, element, attribute, path,
                      "%s: %d of %d tetrahedra are inside out (volumes are negative), first "
                      "tetrahedron %d (vertices %d %d %d %d); they were turned; if parts of the "
                      "body are folded over, remesh it",
                      path, turned, count, first, v[0], v[1], v[3], v[2]);
}
