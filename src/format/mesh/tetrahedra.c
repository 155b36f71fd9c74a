/* format/mesh/tetrahedra.c: see tetrahedra.h.
 *
 *   volume   V = (b - a) x (c - a) . (d - a)/6 > 0 after orientation
 *   faces    of (a, b, c, d), outward: (a, c, b), (a, b, d), (a, d, c), (b, c, d)
 *   boundary faces that one tetrahedron has alone
 * Faces are sorted by their vertices: O(n log n) once a file. */
#include "format/mesh/tetrahedra.h"

#include <math.h>
#include <stdlib.h>

#include "base/error.h"
#include "math/vec3.h"

/* [-]  of the cube of the longest edge: a tetrahedron of less volume is flat by the round-off of
 * its file. */
static const double flat = 1e-12;

typedef struct face {
  int key[3];   // vertices, ascending
  int seen[3];  // as seen from outside
  int owner;    // tetrahedron
} face;

static int face_compare(const void *one, const void *other) {
  const face *a = one, *b = other;
  for (int i = 0; i < 3; ++i)
    if (a->key[i] != b->key[i]) return a->key[i] < b->key[i] ? -1 : 1;
  return (a->owner > b->owner) - (a->owner < b->owner);
}

static bool same_face(const face *a, const face *b) {
  return a->key[0] == b->key[0] && a->key[1] == b->key[1] && a->key[2] == b->key[2];
}

// Volume [file units^3], and the longest edge.
static double volume_of(const limpet_mesh_file *mesh, const int corner[4], double *longest) {
  double edge[3][3], cross[3];
  *longest = 0.0;
  for (int i = 0; i < 4; ++i)
    for (int j = 0; j < i; ++j)
      *longest = fmax(*longest, limpet_vec3_distance(mesh->vertices + 3 * corner[i],
                                                     mesh->vertices + 3 * corner[j]));
  for (int i = 0; i < 3; ++i)
    limpet_vec3_sub(edge[i], mesh->vertices + 3 * corner[i + 1], mesh->vertices + 3 * corner[0]);
  limpet_vec3_cross(cross, edge[0], edge[1]);
  return limpet_vec3_dot(cross, edge[2]) / 6.0;
}

static limpet_status check_tetrahedron(limpet_mesh_file *mesh, int t, const char *path,
                                       limpet_error *error) {
  int *corner = mesh->tetrahedra + 4 * t;
  for (int i = 0; i < 4; ++i) {
    if (corner[i] < 0 || corner[i] >= mesh->vertex_count)
      return limpet_error_fill_at(error, LIMPET_ERROR_INPUT, path, 0, 0,
                                  "tetrahedron %d names vertex %d, but there are %d", t, corner[i],
                                  mesh->vertex_count);
  }
  double longest;
  const double volume = volume_of(mesh, corner, &longest);
  if (!(fabs(volume) > flat * longest * longest * longest))
    return limpet_error_fill_at(error, LIMPET_ERROR_INPUT, path, 0, 0,
                                "tetrahedron %d (vertices %d %d %d %d) has the volume %g at edges "
                                "of %g: it is flat; mesh the body again",
                                t, corner[0], corner[1], corner[2], corner[3], volume, longest);
  if (volume < 0.0) {
    if (mesh->turned_count++ == 0) mesh->turned_first = t;
    const int last = corner[3];
    corner[3] = corner[2];
    corner[2] = last;
  }
  return LIMPET_OK;
}

static void faces_of(const limpet_mesh_file *mesh, int t, face out[4]) {
  static const int corners[4][3] = {{0, 2, 1}, {0, 1, 3}, {0, 3, 2}, {1, 2, 3}};
  for (int f = 0; f < 4; ++f) {
    for (int i = 0; i < 3; ++i)
      out[f].seen[i] = out[f].key[i] = mesh->tetrahedra[4 * t + corners[f][i]];
    out[f].owner = t;
    int *k = out[f].key;
    for (int i = 0; i < 2; ++i)
      for (int j = 0; j < 2 - i; ++j)
        if (k[j] > k[j + 1]) {
          const int swap = k[j];
          k[j] = k[j + 1];
          k[j + 1] = swap;
        }
  }
}

// Whether two outward faces see the same three vertices in the same order: both lie on one side.
static bool same_side(const int a[3], const int b[3]) {
  for (int i = 0; i < 3; ++i)
    if (a[0] == b[i]) return a[1] == b[(i + 1) % 3];
  return false;
}

// Faces that occur once; sorted ones in.
static limpet_status take_boundary(limpet_mesh_file *mesh, const face *sorted, int count,
                                   const char *path, limpet_error *error) {
  for (int first = 0, end; first < count; first = end) {
    for (end = first + 1; end < count && same_face(&sorted[first], &sorted[end]);) ++end;
    const face *f = &sorted[first];
    if (end - first > 2)
      return limpet_error_fill_at(error, LIMPET_ERROR_INPUT, path, 0, 0,
                                  "%d tetrahedra have the face of vertices %d %d %d; two at most "
                                  "can: some overlap",
                                  end - first, f->key[0], f->key[1], f->key[2]);
    if (end - first == 2 && same_side(f[0].seen, f[1].seen))
      return limpet_error_fill_at(error, LIMPET_ERROR_INPUT, path, 0, 0,
                                  "tetrahedra %d and %d lie on the same side of the face that they "
                                  "share (vertices %d %d %d): they overlap",
                                  f[0].owner, f[1].owner, f->key[0], f->key[1], f->key[2]);
    if (end - first == 1) {
      int *to = mesh->faces + 3 * mesh->face_count++;
      for (int i = 0; i < 3; ++i) to[i] = f->seen[i];
    }
  }
  return LIMPET_OK;
}

limpet_status limpet_mesh_tetrahedra_finish(limpet_mesh_file *mesh, const char *path,
                                            limpet_error *error) {
  const size_t count = (size_t)mesh->tetrahedron_count;
  if (count == 0)
    return limpet_error_fill_at(error, LIMPET_ERROR_INPUT, path, 0, 0,
                                "has no tetrahedra; export a volume mesh of linear tetrahedra");
  mesh->turned_count = mesh->turned_first = 0;
  for (int t = 0; t < mesh->tetrahedron_count; ++t) {
    const limpet_status status = check_tetrahedron(mesh, t, path, error);
    if (status != LIMPET_OK) return status;
  }
  face *faces = malloc(4 * count * sizeof *faces);
  free(mesh->faces);
  mesh->faces = malloc(12 * count * sizeof *mesh->faces);
  mesh->face_count = 0;
  limpet_status status = LIMPET_ERROR_MEMORY;
  if (faces && mesh->faces) {
    for (int t = 0; t < mesh->tetrahedron_count; ++t) faces_of(mesh, t, faces + 4 * t);
    qsort(faces, 4 * count, sizeof *faces, face_compare);
    status = take_boundary(mesh, faces, 4 * mesh->tetrahedron_count, path, error);
  } else {
    limpet_error_fill_at(error, status, path, 0, 0, "no memory for the faces of the mesh");
  }
  free(faces);
  return status;
}
