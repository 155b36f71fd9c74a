/* format/mjcf/flexcomp_close.c: a surface made fit to be filled. Vertices at the same place become
 * one, those that no face names go, and holes are closed: each open edge gets a triangle to the
 * middle of its hole. For holes that are about flat, such as the foot of a scanned figure. */
#include <stdlib.h>
#include <string.h>

#include "format/mjcf/flexcomp_thin.h"
#include "math/vec3.h"

// A vertex with its number.
typedef struct place {
  double x[3];
  int number;
} place;

static int compare_places(const void *x, const void *y) {
  const place *s = x, *t = y;
  for (int k = 0; k < 3; ++k)
    if (s->x[k] != t->x[k]) return s->x[k] < t->x[k] ? -1 : 1;
  return (s->number > t->number) - (s->number < t->number);
}

// Files have a vertex at a place more than once where textures meet: faces name the first.
static void weld(limpet_reader *reader, limpet_deformable_description *d) {
  const int count = d->vertex_count;
  place *all = LIMPET_READER_TAKE(reader, place, count + 1);
  int *first = LIMPET_READER_TAKE(reader, int, count + 1);
  int *faces = LIMPET_READER_TAKE(reader, int, 3 * d->face_count + 1);
  for (int i = 0; i < count; ++i) {
    limpet_vec3_copy(all[i].x, d->vertices + 3 * i);
    all[i].number = i;
  }
  qsort(all, (size_t)count, sizeof *all, compare_places);
  for (int i = 0; i < count; ++i) {
    const bool again = i > 0 && memcmp(all[i].x, all[i - 1].x, sizeof all[i].x) == 0;
    first[all[i].number] = again ? first[all[i - 1].number] : all[i].number;
  }
  for (int i = 0; i < 3 * d->face_count; ++i) faces[i] = first[d->faces[i]];
  d->faces = faces;
}

typedef struct side {
  int a, b;   // the triangle runs from a to b
  bool used;  // part of a hole that is closed
} side;

static int compare(const void *x, const void *y) {
  const side *s = x, *t = y;
  const int low[2] = {s->a < s->b ? s->a : s->b, t->a < t->b ? t->a : t->b};
  const int high[2] = {s->a + s->b - low[0], t->a + t->b - low[1]};
  if (low[0] != low[1]) return low[0] < low[1] ? -1 : 1;
  return (high[0] > high[1]) - (high[0] < high[1]);
}

// Sides that one triangle alone has, at the front of the list. Returns how many.
static int open_sides(const limpet_deformable_description *d, side *sides) {
  const int count = 3 * d->face_count;
  int open = 0;
  for (int i = 0; i < count; ++i)
    sides[i] = (side){d->faces[i], d->faces[i / 3 * 3 + (i + 1) % 3], false};
  qsort(sides, (size_t)count, sizeof *sides, compare);
  for (int i = 0, next; i < count; i = next) {
    for (next = i + 1; next < count && !compare(&sides[i], &sides[next]);) ++next;
    if (next == i + 1) sides[open++] = sides[i];
  }
  return open;
}

static side *from(side *sides, int count, int vertex) {
  for (int i = 0; i < count; ++i)
    if (!sides[i].used && sides[i].a == vertex) return &sides[i];
  return NULL;
}

// Triangles (b, a, centre) of the hole that begins with a side; the centre is a new vertex.
static void close_hole(limpet_deformable_description *d, side *sides, int open, side *first,
                       double *x, int *faces) {
  const int centre = d->vertex_count++;
  double *sum = x + 3 * centre;
  int count = 0;
  for (side *s = first; s; s = from(sides, open, s->b)) {
    const int corner[3] = {s->b, s->a, centre};
    s->used = true;
    memcpy(faces + 3 * d->face_count++, corner, sizeof corner);
    limpet_vec3_add(sum, sum, x + 3 * s->a), ++count;
  }
  limpet_vec3_scale(sum, 1.0 / count, sum);
}

int limpet_mjcf_close_holes(limpet_reader *reader, limpet_deformable_description *d) {
  weld(reader, d);
  limpet_mjcf_drop_unused(reader, d);
  const int before = d->vertex_count;
  side *sides = LIMPET_READER_TAKE(reader, side, 3 * d->face_count + 1);
  const int open = open_sides(d, sides);
  if (open == 0) return 0;
  double *x = LIMPET_READER_TAKE(reader, double, 3 * (d->vertex_count + open));
  int *faces = LIMPET_READER_TAKE(reader, int, 3 * (d->face_count + open));
  memcpy(x, d->vertices, 3 * (size_t)d->vertex_count * sizeof *x);
  memcpy(faces, d->faces, 3 * (size_t)d->face_count * sizeof *faces);
  for (int i = 0; i < open; ++i)
    if (!sides[i].used) close_hole(d, sides, open, &sides[i], x, faces);
  d->vertices = x, d->faces = faces;
  return d->vertex_count - before;
}
