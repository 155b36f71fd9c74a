/* collide/colliders.c: what the broad phase knows of a model: made once for each world. Memory:
 * proportional to the number of geoms, pairs and excludes. */
#include "collide/colliders.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/pages.h"
#include "collide/carrier_pairs.h"
#include "math/vec3.h"
#include "model/workspace.h"

// Box around the shape in axes of the geom.
static void local_box(double centre[3], double half[3], const limpet_model *model, int geom) {
  const double *size = model->geom_size + 3 * geom;
  for (int i = 0; i < 3; ++i) centre[i] = 0.0, half[i] = size[i];
  switch (model->geom_kind[geom]) {
    case LIMPET_SHAPE_SPHERE: half[1] = half[2] = size[0]; break;
    case LIMPET_SHAPE_CAPSULE: half[1] = size[0], half[2] = size[0] + size[1]; break;
    case LIMPET_SHAPE_CYLINDER: half[1] = size[0], half[2] = size[1]; break;
    case LIMPET_SHAPE_MESH:
      for (int i = 0; i < 3; ++i) {
        centre[i] = model->mesh[model->geom_mesh[geom]].aabb[i];
        half[i] = model->mesh[model->geom_mesh[geom]].aabb[3 + i];
      }
      break;
    case LIMPET_SHAPE_CLOUD:
      limpet_vec3_copy(centre, model->cloud[model->geom_cloud[geom]]->aabb);
      limpet_vec3_copy(half, model->cloud[model->geom_cloud[geom]]->aabb + 3);
      break;
    default: break;
  }
}

// The mocap body that a body without joints hangs on, or -1.
static int mocap_of(const limpet_model *model, int body) {
  while (body > 0 && model->body_mocap[body] < 0) body = model->body_parent[body];
  return body > 0 ? body : -1;
}

// body_weld, but a mocap body and what is fixed to it are a unit of their own and not part of the
// world.
static int rigid_unit(const limpet_model *model, int body) {
  const int unit = model->body_weld[body], mocap = unit == 0 ? mocap_of(model, body) : -1;
  return mocap > 0 ? mocap : unit;
}

static bool is_costly(limpet_shape_kind kind) {
  return kind == LIMPET_SHAPE_MESH || kind == LIMPET_SHAPE_CYLINDER ||
         kind == LIMPET_SHAPE_ELLIPSOID || kind == LIMPET_SHAPE_CLOUD;
}

/* The carrier of a collider: its body, or its own one for what cannot move. Colliders of a body
 * follow each other. */
static int carrier_find(limpet_colliders *colliders, int body) {
  const int last = colliders->carrier_count - 1;
  if (body > 0 && last >= 0 && colliders->carrier[last].body == body) return last;
  colliders->carrier[last + 1] = (limpet_carrier){.body = body};
  return colliders->carrier_count++;
}

static void collider_fill(limpet_colliders *colliders, const limpet_model *model, int c) {
  const int geom = model->collider_geom[c], body = model->geom_body[geom];
  const limpet_shape_kind kind = model->geom_kind[geom];
  const int unit = rigid_unit(model, body), parent = rigid_unit(model, model->body_parent[unit]);
  colliders->unit[c] = unit;
  colliders->parent_unit[c] =
      parent > 0 && !(model->options.disabled & LIMPET_DISABLE_PARENT_FILTER) ? parent : -1;
  unsigned flags = 0;
  if (model->body_tree[body] >= 0) flags |= LIMPET_COLLIDER_MOVES;
  else if (mocap_of(model, body) > 0) flags |= LIMPET_COLLIDER_CARRIED, colliders->carried = true;
  if (is_costly(kind)) flags |= LIMPET_COLLIDER_COSTLY;
  for (int k = 0; k < 2 * model->exclude_count && !(flags & LIMPET_COLLIDER_EXCLUDES); ++k)
    if (model->exclude_body[k] == body) flags |= LIMPET_COLLIDER_EXCLUDES;
  colliders->flags[c] = (unsigned char)flags;
  local_box(colliders->centre + 3 * c, colliders->half + 3 * c, model, geom);
  const bool carried = flags & (LIMPET_COLLIDER_MOVES | LIMPET_COLLIDER_CARRIED);
  colliders->carrier_of[c] = carrier_find(colliders, carried ? body : 0);
  limpet_carrier *carrier = &colliders->carrier[colliders->carrier_of[c]];
  limpet_vec3_add(carrier->middle, carrier->middle, model->geom_position + 3 * geom);
  ++carrier->count;

  // into one of the three groups
  if (kind == LIMPET_SHAPE_PLANE) {
    colliders->flags[c] |= LIMPET_COLLIDER_PLANE;
    colliders->plane[colliders->plane_count++] = c;
  } else if (flags & LIMPET_COLLIDER_MOVES) {
    colliders->moving[colliders->moving_count++] = c;
  } else {
    colliders->fixed[colliders->fixed_count++] = c;
  }
}

// Middles of the carriers, and the arms of their colliders. What cannot move has no way, however
// large it is.
static void arms_fill(limpet_colliders *colliders, const limpet_model *model) {
  for (int k = 0; k < colliders->carrier_count; ++k) {
    limpet_carrier *carrier = &colliders->carrier[k];
    if (carrier->count > 0)
      limpet_vec3_scale(carrier->middle, 1.0 / carrier->count, carrier->middle);
  }
  for (int c = 0; c < colliders->count; ++c) {
    limpet_carrier *carrier = &colliders->carrier[colliders->carrier_of[c]];
    if (carrier->body == 0) continue;
    const int geom = model->collider_geom[c];
    const double away = limpet_vec3_distance(model->geom_position + 3 * geom, carrier->middle);
    colliders->arm[2 * c] = away + model->geom_radius[geom];
    colliders->arm[2 * c + 1] =
        away + fmax(model->geom_radius[geom], limpet_vec3_norm(colliders->centre + 3 * c) +
                                                  limpet_vec3_norm(colliders->half + 3 * c));
    carrier->arm = fmax(carrier->arm, colliders->arm[2 * c + 1]);
  }
}

static void keys_fill(limpet_colliders *colliders, const limpet_model *model) {
  for (int k = 0; k < model->exclude_count; ++k)
    colliders->exclude[k] =
        limpet_pair_key(model->exclude_body[2 * k], model->exclude_body[2 * k + 1]);
  for (int k = 0; k < model->pair_count; ++k) {
    const int a = model->geom_collider[model->pair_geom[2 * k]],
              b = model->geom_collider[model->pair_geom[2 * k + 1]];
    if (a < 0 || b < 0) continue;
    colliders->flags[a] |= LIMPET_COLLIDER_PAIRED;
    colliders->flags[b] |= LIMPET_COLLIDER_PAIRED;
    colliders->pair[colliders->pair_count++] = limpet_pair_key(a, b);
  }
  colliders->exclude_count = model->exclude_count;
  qsort(colliders->exclude, (size_t)colliders->exclude_count, sizeof(uint64_t),
        limpet_pair_key_compare);
  qsort(colliders->pair, (size_t)colliders->pair_count, sizeof(uint64_t), limpet_pair_key_compare);
}

// One block: `next` moves through it; with `block` NULL only the size is found.
static void *piece(char *block, size_t *next, size_t size) {
  void *memory = block ? block + *next : NULL;
  *next += (size + 63) & ~(size_t)63;
  return memory;
}

static size_t arrays_place(limpet_colliders *colliders, const limpet_model *model, char *block) {
  const size_t n = (size_t)model->collider_count;
  size_t next = (sizeof(limpet_colliders) + 63) & ~(size_t)63;
  colliders->unit = piece(block, &next, n * sizeof(int));
  colliders->parent_unit = piece(block, &next, n * sizeof(int));
  colliders->plane = piece(block, &next, n * sizeof(int));
  colliders->bucket = piece(block, &next, (n + 1) * sizeof(int));
  colliders->flags = piece(block, &next, n);
  colliders->centre = piece(block, &next, 3 * n * sizeof(double));
  colliders->half = piece(block, &next, 3 * n * sizeof(double));
  colliders->box = piece(block, &next, n * sizeof(limpet_box));
  colliders->wide = piece(block, &next, n * sizeof(limpet_box));
  colliders->carrier = piece(block, &next, n * sizeof(limpet_carrier));
  colliders->carrier_of = piece(block, &next, n * sizeof(int));
  colliders->arm = piece(block, &next, 2 * n * sizeof(double));
  colliders->spread = piece(block, &next, n * sizeof(double));
  colliders->stays = piece(block, &next, n * sizeof(double));
  colliders->calm = piece(block, &next, n * sizeof(double));
  colliders->boxed = piece(block, &next, n * sizeof(long));
  colliders->moving = piece(block, &next, n * sizeof(int));
  colliders->fixed = piece(block, &next, n * sizeof(int));
  colliders->left = piece(block, &next, n * sizeof(int));
  colliders->stack = piece(block, &next, 2 * n * sizeof(int));
  colliders->found = piece(block, &next, n * sizeof(int));
  for (int t = 0; t < LIMPET_TREE_COUNT; ++t) {
    limpet_box_tree *tree = &colliders->tree[t];
    tree->node = piece(block, &next, 2 * n * sizeof(limpet_box_node));
    tree->spare = piece(block, &next, n * sizeof(int));
    tree->room = model->collider_count;
    tree->root = -1;
  }
  colliders->exclude = piece(block, &next, (size_t)model->exclude_count * sizeof(uint64_t));
  colliders->pair = piece(block, &next, (size_t)model->pair_count * sizeof(uint64_t));
  return next;
}

static void colliders_free(void *object) {
  limpet_colliders *colliders = object;
  limpet_candidates_free(&colliders->candidates);
  limpet_carrier_pairs_free(&colliders->pairs);
  limpet_pair_memories_free(&colliders->memories);
  free(colliders);
}

limpet_colliders *limpet_colliders_of(const limpet_model *model, limpet_data *data) {
  assert(model && data && data->model == model);
  limpet_workspace *workspace = data->workspace;
  if (workspace->object[LIMPET_SLOT_COLLIDE]) return workspace->object[LIMPET_SLOT_COLLIDE];
  limpet_colliders sizes;
  const size_t size = arrays_place(&sizes, model, NULL);
  char *block = limpet_pages_alloc(size);
  if (!block) return NULL;
  memset(block, 0, size);
  limpet_colliders *colliders = (limpet_colliders *)(void *)block;
  arrays_place(colliders, model, block);
  for (int c = 0; c < model->collider_count; ++c) collider_fill(colliders, model, c);
  colliders->count = model->collider_count;
  colliders->fixed_reach = -1.0;
  arms_fill(colliders, model);
  keys_fill(colliders, model);
  if (limpet_carrier_pairs_make(colliders, model) != LIMPET_OK) {
    colliders_free(colliders);
    return NULL;
  }
  workspace->object[LIMPET_SLOT_COLLIDE] = colliders;
  workspace->destroy[LIMPET_SLOT_COLLIDE] = colliders_free;
  return colliders;
}
