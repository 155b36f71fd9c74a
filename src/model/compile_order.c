/* model/compile_order.c: the order of the model. Bodies depth first with children in the order of
 * adding, so a subtree is a range; joints, geoms and sites by body, in the order of adding. Counts
 * trees: a tree begins at a body that has joints and whose ancestors have none. */
#include <limits.h>

#include "model/compile.h"

int limpet_builder_order_bodies(const limpet_builder *builder, int *handle, int *work) {
  const limpet_body_description *bodies = limpet_builder_bodies(builder);
  const int count = builder->list[LIMPET_OBJECT_BODY].count;
  int *first = work, *sibling = work + count, reached = 0;  // the first child of a body, the next
  for (int i = 0; i < count; ++i) first[i] = sibling[i] = LIMPET_NONE;
  for (int i = count - 1; i > 0; --i) {
    sibling[i] = first[bodies[i].parent];
    first[bodies[i].parent] = i;
  }

  // depth first without recursion: down to the first child, else to the next sibling of the nearest
  // ancestor that has one
  for (int body = 0; body != LIMPET_NONE;) {
    handle[reached++] = body;
    int next = first[body];
    while (next == LIMPET_NONE && body != 0) {
      next = sibling[body];
      body = bodies[body].parent;
    }
    body = next;
  }
  return reached;
}

static limpet_status order_bodies(limpet_compiler *compiler) {
  const int count = compiler->sizes.body_count;
  limpet_order *order = &compiler->body;
  order->index = LIMPET_TAKE(&compiler->scratch, int, count);
  order->handle = LIMPET_TAKE(&compiler->scratch, int, count);
  int *work = LIMPET_TAKE(&compiler->scratch, int, 2 * count);
  if (!order->index || !order->handle || !work) return limpet_compile_no_memory(compiler);
  for (int i = 0; i < count; ++i) order->index[i] = LIMPET_NONE;
  const int reached = limpet_builder_order_bodies(compiler->builder, order->handle, work);
  for (int i = 0; i < reached; ++i) order->index[order->handle[i]] = i;

  // what cannot be reached from the world hangs on itself
  for (int i = 0; i < count; ++i)
    if (order->index[i] == LIMPET_NONE)
      return limpet_compile_error(
          compiler, LIMPET_OBJECT_BODY, i,
          " is its own ancestor; its chain of parents must end at the world");
  return LIMPET_OK;
}

/* Stable order of `count` objects by the index of their body, whose handle stands `offset` bytes
 * into the description. */
static limpet_status order_by_body(limpet_compiler *compiler, int list, size_t offset,
                                   limpet_order *order) {
  const limpet_builder_list *items = &compiler->builder->list[list];
  const int bodies = compiler->sizes.body_count;
  order->index = LIMPET_TAKE(&compiler->scratch, int, items->count);
  order->handle = LIMPET_TAKE(&compiler->scratch, int, items->count);
  order->begin = LIMPET_TAKE_ZERO(&compiler->scratch, int, bodies + 1);
  int *place = LIMPET_TAKE(&compiler->scratch, int, bodies);
  if (!order->index || !order->handle || !order->begin || !place)
    return limpet_compile_no_memory(compiler);

  // count by body, sum, place
  const char *item = items->items;
  const size_t size = limpet_description_kinds[list].size;
  for (int i = 0; i < items->count; ++i)
    ++order->begin[compiler->body
                       .index[*(const int *)(const void *)(item + (size_t)i * size + offset)] +
                   1];
  for (int b = 0; b < bodies; ++b) order->begin[b + 1] += order->begin[b];
  for (int b = 0; b < bodies; ++b) place[b] = order->begin[b];
  for (int i = 0; i < items->count; ++i) {
    const int index =
        place[compiler->body
                  .index[*(const int *)(const void *)(item + (size_t)i * size + offset)]]++;
    order->index[i] = index;
    order->handle[index] = i;
  }
  return LIMPET_OK;
}

// Trees, and the room that their blocks of the mass matrix take.
static limpet_status count_trees(limpet_compiler *compiler) {
  const limpet_body_description *bodies = limpet_builder_bodies(compiler->builder);
  const limpet_joint_description *joints = limpet_builder_joints(compiler->builder);
  compiler->body_moves = LIMPET_TAKE_ZERO(&compiler->scratch, bool, compiler->sizes.body_count);
  if (!compiler->body_moves) return limpet_compile_no_memory(compiler);
  int nv = 0;
  int64_t mass_size = 0;
  for (int b = 1; b < compiler->sizes.body_count; ++b) {
    const bool carried =
        compiler->body_moves[compiler->body.index[bodies[compiler->body.handle[b]].parent]];
    const int begin = compiler->joint.begin[b], end = compiler->joint.begin[b + 1];
    compiler->body_moves[b] = carried || end > begin;
    if (compiler->body_moves[b] && !carried) {
      mass_size += (int64_t)nv * nv;
      ++compiler->sizes.tree_count;
      nv = 0;
    }
    for (int j = begin; j < end; ++j)
      nv += limpet_joint_kind_nv(joints[compiler->joint.handle[j]].kind);
  }
  mass_size += (int64_t)nv * nv;
  if (mass_size > INT_MAX)
    return limpet_error_fill(compiler->error, LIMPET_ERROR_INPUT,
                             "the mass matrix would have %.3g entries, more than this library "
                             "counts; split the longest trees",
                             (double)mass_size);
  compiler->sizes.mass_size = (int)mass_size;
  return LIMPET_OK;
}

limpet_status limpet_compile_order(limpet_compiler *compiler) {
  limpet_status status = order_bodies(compiler);
  if (!status)
    status = order_by_body(compiler, LIMPET_OBJECT_JOINT, offsetof(limpet_joint_description, body),
                           &compiler->joint);
  if (!status)
    status = order_by_body(compiler, LIMPET_OBJECT_GEOM, offsetof(limpet_geom_description, body),
                           &compiler->geom);
  if (!status)
    status = order_by_body(compiler, LIMPET_OBJECT_SITE, offsetof(limpet_site_description, body),
                           &compiler->site);
  if (!status)
    status = order_by_body(compiler, LIMPET_OBJECT_CAMERA,
                           offsetof(limpet_camera_description, body), &compiler->camera);
  if (!status) status = count_trees(compiler);
  return status;
}
