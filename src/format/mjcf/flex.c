/* format/mjcf/flex.c: <flex>, whose vertices are points of bodies of the file.
 *
 * The vertices are tied to their bodies, which move by their joints and feel what the elements
 * carry. Their mass is that of the bodies: the elements have a thousandth of it, without weight.
 * Source: MuJoCo documentation, XML reference, flex. */
#include "format/mjcf/flex.h"

#include <math.h>
#include <string.h>

#include "format/mjcf/flexcomp_thin.h"
#include "format/read/value.h"
#include "math/quaternion.h"
#include "math/vec3.h"

static const double mass_share = 1e-3;  // [-]  of the elements, of what the bodies have

// Where a point of a body is in the pose of the file.
static void to_world(limpet_builder *builder, int body, double x[3]) {
  while (body > 0) {
    const limpet_body_description *d = limpet_builder_body(builder, body);
    double turned[3];
    limpet_quaternion_rotate(turned, d->quaternion, x);
    limpet_vec3_add(x, turned, d->position);
    body = d->parent;
  }
}

// The bodies that an attribute lists; ends the reading where one is not there.
static int *bodies_of(limpet_mjcf *m, const limpet_mjcf_space *space, const limpet_xml_element *e,
                      int *count) {
  char *text = limpet_reader_join(m->reader, limpet_read_required(m->reader, e, "body"), "", "");
  int *body = LIMPET_READER_TAKE(m->reader, int, strlen(text) / 2 + 1);
  limpet_mjcf_reference reference = limpet_mjcf_refer(m, space, e);
  *count = 0;
  for (char *at = text; *at;) {
    at += strspn(at, " \t\r\n");
    char *end = at + strcspn(at, " \t\r\n");
    const char last = *end;
    *end = '\0';
    if (end > at)
      body[(*count)++] = limpet_mjcf_resolve_name(&reference, e, "body", at, LIMPET_OBJECT_BODY);
    if (reference.missing) limpet_reader_fail(m->reader, e, "body", "there is no body '%s'", at);
    *end = last, at = end;
  }
  return body;
}

// Vertices where their bodies carry them, and the ties; `body` one for each, or one for all.
static void take_vertices(limpet_mjcf *m, const limpet_xml_element *e, const int *body, int bodies,
                          limpet_deformable_description *d) {
  int numbers = 0;
  const double *local = limpet_read_array(m->reader, e, "vertex", &numbers);
  const int count = numbers > 0 ? numbers / 3 : bodies;
  if (numbers % 3 != 0 || (bodies != 1 && bodies != count))
    limpet_reader_fail(
        m->reader, e, "vertex",
        "a <flex> with %d bodies has %d numbers in 'vertex'; it takes three for each "
        "body, or one body for all",
        bodies, numbers);
  double *x = LIMPET_READER_TAKE(m->reader, double, 3 * count + 1);
  limpet_tie *ties = LIMPET_READER_TAKE(m->reader, limpet_tie, count + 1);
  int *vertex = LIMPET_READER_TAKE(m->reader, int, count + 1);
  for (int i = 0; i < count; ++i) {
    const int own = body[bodies == 1 ? 0 : i];
    if (numbers > 0) limpet_vec3_copy(x + 3 * i, local + 3 * i);
    to_world(m->reader->builder, own, x + 3 * i);
    vertex[i] = i;
    ties[i] = (limpet_tie){.body = own, .vertex_count = 1, .vertices = vertex + i};
  }
  d->vertex_count = count, d->vertices = x;
  d->tie_count = count, d->ties = ties;
}

static void take_elements(limpet_mjcf *m, const limpet_xml_element *e, int dim,
                          limpet_deformable_description *d) {
  int corners = 0;
  limpet_read_required(m->reader, e, "element");
  const double *element = limpet_read_array(m->reader, e, "element", &corners);
  int *index = LIMPET_READER_TAKE(m->reader, int, corners + 1);
  if (corners == 0 || corners % (dim + 1) != 0)
    limpet_reader_fail(m->reader, e, "element",
                       "a <flex> of dim %d has %d numbers in 'element'; it takes %d for each", dim,
                       corners, dim + 1);
  for (int i = 0; i < corners; ++i) {
    if (!(element[i] >= 0.0 && element[i] < d->vertex_count) || element[i] != floor(element[i]))
      limpet_reader_fail(m->reader, e, "element", "element %d names vertex %g, but there are %d",
                         i / (dim + 1), element[i], d->vertex_count);
    index[i] = (int)element[i];
  }
  if (dim == 1) d->segment_count = corners / 2, d->segments = index;
  else if (dim == 2) d->face_count = corners / 3, d->faces = index, d->shell = true;
  else d->tetrahedron_count = corners / 4, d->tetrahedra = index;
}

// [kg]  of the bodies that say it; each counts once where vertices are theirs alone.
static double mass_of(limpet_builder *builder, const int *body, int count) {
  double sum = 0.0;
  for (int i = 0; i < count; ++i) sum += limpet_builder_body(builder, body[i])->mass;
  return sum > 0.0 ? sum : 1.0;
}

static void read_flex(limpet_mjcf *m, const limpet_mjcf_space *space, const limpet_xml_element *e) {
  int dim = 2, bodies = 0;
  limpet_read_integer(m->reader, e, "dim", &dim);
  if (dim < 1 || dim > 3)
    limpet_reader_fail(m->reader, e, "dim", "'dim' is %d; give 1 (rope), 2 (cloth) or 3 (solid)",
                       dim);
  if (limpet_xml_find(e, "node")) {
    limpet_reader_unsupported(m->reader, e, "node", "flex with a cage",
                              "a <flex> whose vertices move with the nodes of a cage is left out");
    return;
  }
  limpet_deformable_description d = limpet_deformable_description_default();
  d.name = limpet_mjcf_full_name(m, space, e);
  d.place = limpet_xml_place(e, NULL);
  d.gravity = false;
  const int *body = bodies_of(m, space, e, &bodies);
  const double mass = mass_share * mass_of(m->reader->builder, body, bodies);
  take_vertices(m, e, body, bodies, &d);
  take_elements(m, e, dim, &d);
  limpet_mjcf_flexcomp_surface(m->reader, e, &d);
  limpet_mjcf_flexcomp_material(m->reader, e, dim, mass, true, &d);
  limpet_mjcf_flex_add(m, space, e, &d);
}

void limpet_mjcf_flexes_add(limpet_mjcf *m) {
  for (const limpet_mjcf_space *space = m->spaces; space; space = space->next)
    for (const limpet_xml_element *part = space->source->root->first; part; part = part->next) {
      if (space->replica || strcmp(part->name, "deformable") != 0) continue;
      for (const limpet_xml_element *e = part->first; e; e = e->next)
        if (strcmp(e->name, "flex") == 0) read_flex(m, space, e);
    }
}
