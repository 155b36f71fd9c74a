/* fem/body_joined.c: tetrahedra that lie face to face without common vertices.
 *
 * A file that writes the vertices of each tetrahedron anew, or those of each part, gives a body
 * that falls apart at the first step. Vertices are numbered by their place; two faces of the same
 * places but of different vertices are not joined. Pieces may touch in a point or along an edge.
 * Cost: vertices sorted by place; faces only where two vertices are in one. */
#include <stdlib.h>

#include "base/error.h"
#include "fem/body.h"

typedef struct place {
  double x[3];
  int vertex;
} place;

typedef struct placed_face {
  int place[3], vertex[3], tetrahedron;  // sorted by place
} placed_face;

static int compare_coordinates(const place *p, const place *q) {
  for (int k = 0; k < 3; ++k)
    if (p->x[k] != q->x[k]) return p->x[k] < q->x[k] ? -1 : 1;
  return 0;
}

static int compare_places(const void *a, const void *b) {
  const place *p = a, *q = b;
  const int order = compare_coordinates(p, q);
  return order ? order : (p->vertex > q->vertex) - (p->vertex < q->vertex);
}

static bool same_place(const placed_face *a, const placed_face *b) {
  return a->place[0] == b->place[0] && a->place[1] == b->place[1] && a->place[2] == b->place[2];
}

static bool same_vertices(const placed_face *a, const placed_face *b) {
  return a->vertex[0] == b->vertex[0] && a->vertex[1] == b->vertex[1] &&
         a->vertex[2] == b->vertex[2];
}

static int compare_faces(const void *a, const void *b) {
  const placed_face *p = a, *q = b;
  for (int k = 0; k < 3; ++k)
    if (p->place[k] != q->place[k]) return p->place[k] < q->place[k] ? -1 : 1;
  return (p->tetrahedron > q->tetrahedron) - (p->tetrahedron < q->tetrahedron);
}

// For each vertex the first one in its place; returns how many are in the place of another one.
static int number_places(const limpet_fem_description *d, place *places, int *first) {
  int more = 0;
  for (int v = 0; v < d->vertex_count; ++v) {
    places[v].vertex = v;
    for (int k = 0; k < 3; ++k) places[v].x[k] = d->vertices[3L * v + k];
  }
  qsort(places, (size_t)d->vertex_count, sizeof *places, compare_places);
  for (int i = 0; i < d->vertex_count; ++i) {
    const bool again = i > 0 && compare_coordinates(&places[i - 1], &places[i]) == 0;
    first[places[i].vertex] = again ? first[places[i - 1].vertex] : places[i].vertex;
    more += again;
  }
  return more;
}

static placed_face face_of(const limpet_fem_description *d, const int *first, int t, int without) {
  placed_face f = {.tetrahedron = t};
  for (int k = 0, n = 0; k < 4; ++k) {
    if (k == without) continue;
    const int v = d->tetrahedra[4L * t + k];
    int at = n++;
    for (; at > 0 && f.place[at - 1] > first[v]; --at)
      f.place[at] = f.place[at - 1], f.vertex[at] = f.vertex[at - 1];
    f.place[at] = first[v], f.vertex[at] = v;
  }
  return f;
}

// Faces that lie on another one and have vertices of their own; the first two that do.
static int count_unjoined(const placed_face *faces, long count, int pair[2]) {
  int unjoined = 0;
  for (long i = 1; i < count; ++i) {
    if (!same_place(&faces[i - 1], &faces[i]) || same_vertices(&faces[i - 1], &faces[i])) continue;
    if (unjoined++ == 0) pair[0] = faces[i - 1].tetrahedron, pair[1] = faces[i].tetrahedron;
  }
  return unjoined;
}

limpet_status limpet_fem_body_check_joined(const limpet_fem_description *d, limpet_error *error) {
  const long count = 4L * d->tetrahedron_count;
  place *places = malloc((size_t)d->vertex_count * sizeof *places);
  int *first = malloc((size_t)d->vertex_count * sizeof *first), pair[2] = {0, 0}, unjoined = 0;
  placed_face *faces = NULL;
  bool has_memory = places && first;
  const int more = has_memory ? number_places(d, places, first) : 0;
  if (more > 0) {
    faces = malloc((size_t)count * sizeof *faces);
    has_memory = faces;
  }
  if (faces) {
    for (long i = 0; i < count; ++i) faces[i] = face_of(d, first, (int)(i / 4), (int)(i % 4));
    qsort(faces, (size_t)count, sizeof *faces, compare_faces);
    unjoined = count_unjoined(faces, count, pair);
  }
  free(places), free(first), free(faces);
  if (!has_memory)
    return limpet_error_fill(error, LIMPET_ERROR_MEMORY, "no memory for %d vertices",
                             d->vertex_count);
  if (unjoined == 0) return LIMPET_OK;
  return limpet_error_fill(error, LIMPET_ERROR_INPUT,
                           "deformable body: %d of %d vertices lie where another one does, and %d "
                           "faces lie on one that has vertices of its own, those of tetrahedra %d "
                           "and %d first: the body would fall apart; let tetrahedra that belong "
                           "together have their vertices in common",
                           more, d->vertex_count, unjoined, pair[0], pair[1]);
}
