/* geometry/pressure_skin.c: see pressure_skin.h. The tree is made once, at rest, and refitted from
 * its leaves up: children stand behind their parents. */
#include "geometry/pressure_skin.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "geometry/pressure.h"
#include "math/vec3.h"

struct limpet_pressure_skin {
  limpet_pressure_field *field;
  int *faces;  // (field->face_count x 3)
};

static void place_corners(limpet_pressure_field *field, const int *faces, const double *vertices) {
  limpet_pressure_info *info = &field->info;
  for (int i = 0; i < 3; ++i) info->low[i] = INFINITY, info->high[i] = -INFINITY;
  for (int f = 0; f < field->face_count; ++f) {
    double *x = field->corner + 9 * f, edge[2][3];
    for (int k = 0; k < 3; ++k) {
      limpet_vec3_copy(x + 3 * k, vertices + 3 * faces[3 * f + k]);
      for (int i = 0; i < 3; ++i) {
        info->low[i] = fmin(info->low[i], x[3 * k + i]);
        info->high[i] = fmax(info->high[i], x[3 * k + i]);
      }
    }
    limpet_vec3_sub(edge[0], x + 3, x);
    limpet_vec3_sub(edge[1], x + 6, x);
    double *n = field->face_normal + 3 * f;
    limpet_vec3_cross(n, edge[0], edge[1]);
    const double twice_area = limpet_vec3_norm(n);
    if (twice_area > 0.0) limpet_vec3_scale(n, 1.0 / twice_area, n);
  }
}

static void node_box(limpet_item_node *node, const double low[3], const double high[3]) {
  for (int i = 0; i < 3; ++i) {
    node->centre[i] = 0.5 * (low[i] + high[i]);
    node->half[i] = 0.5 * (high[i] - low[i]);
  }
}

static void refit(limpet_pressure_field *field) {
  for (int k = field->tree.count - 1; k >= 0; --k) {
    limpet_item_node *node = &field->tree.node[k];
    double low[3], high[3];
    for (int i = 0; i < 3; ++i) {
      if (node->item >= 0) {
        const double *x = field->corner + 9 * node->item;
        low[i] = fmin(x[i], fmin(x[3 + i], x[6 + i]));
        high[i] = fmax(x[i], fmax(x[3 + i], x[6 + i]));
      } else {
        const limpet_item_node *a = node + 1, *b = field->tree.node + node->next;
        low[i] = fmin(a->centre[i] - a->half[i], b->centre[i] - b->half[i]);
        high[i] = fmax(a->centre[i] + a->half[i], b->centre[i] + b->half[i]);
      }
    }
    node_box(node, low, high);
  }
}

static limpet_pressure_field *field_make(const int *faces, int face_count, const double *vertices) {
  limpet_pressure_field *field = calloc(1, sizeof *field);
  if (!field) return NULL;
  const size_t n = (size_t)face_count;
  field->kind = LIMPET_SHAPE_COUNT, field->rigid = true;
  field->modulus = field->depth = field->spread = 1.0;
  field->face_begin = calloc(n + 1, sizeof(int));
  field->corner = calloc(n, 9 * sizeof(double));
  field->face_normal = calloc(n, 3 * sizeof(double));
  field->info.rigid = true, field->info.modulus = INFINITY;
  if (!field->face_begin || !field->corner || !field->face_normal) {
    limpet_pressure_field_destroy(field);
    return NULL;
  }
  for (int f = 0; f <= face_count; ++f) field->face_begin[f] = 3 * f;
  field->face_count = field->info.elements = face_count;
  field->corner_count = 3 * face_count;
  place_corners(field, faces, vertices);
  if (limpet_pressure_field_tree(field) == LIMPET_OK) return field;
  limpet_pressure_field_destroy(field);
  return NULL;
}

limpet_pressure_skin *limpet_pressure_skin_create(const int *faces, int face_count,
                                                  const double *vertices) {
  assert(faces && vertices && face_count > 0);
  limpet_pressure_skin *skin = calloc(1, sizeof *skin);
  if (!skin) return NULL;
  const size_t size = 3 * (size_t)face_count * sizeof *faces;
  skin->faces = malloc(size);
  if (skin->faces) {
    memcpy(skin->faces, faces, size);
    skin->field = field_make(faces, face_count, vertices);
  }
  if (skin->field) return skin;
  limpet_pressure_skin_destroy(skin);
  return NULL;
}

void limpet_pressure_skin_destroy(limpet_pressure_skin *skin) {
  if (!skin) return;
  limpet_pressure_field_destroy(skin->field);
  free(skin->faces);
  free(skin);
}

void limpet_pressure_skin_move(limpet_pressure_skin *skin, const double *vertices) {
  assert(skin && vertices);
  place_corners(skin->field, skin->faces, vertices);
  refit(skin->field);
}

const limpet_pressure_field *limpet_pressure_skin_field(const limpet_pressure_skin *skin) {
  assert(skin);
  return skin->field;
}
