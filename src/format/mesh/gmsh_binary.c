/* format/mesh/gmsh_binary.c: binary sections of Gmsh's files, versions 2.2 and 4.1. i: 4 bytes, l:
 * 8 bytes, d: double.
 *
 *   2.2: $Nodes line with the count; "i number, 3 d" each; $Elements line with the count; blocks "i
 *     type, i count, i tags", then "i number, i tags..., i nodes..." each
 *   4.1: $Nodes "4 l: blocks, nodes, least, most", blocks "3 i: dim, tag, parametric, l count",
 *     numbers l, coordinates 3 d (and parameters); $Elements likewise, blocks "3 i: dim, tag, type,
 *     l count", "l number, l nodes..." each
 * Every read is within the file; counts are held against what is left of it. */
#include <math.h>
#include <stdint.h>
#include <string.h>

#include "format/mesh/gmsh_reader.h"
#include "format/read/text.h"

enum { NODES_MOST = 10 };  // of an element that is read or passed over

// Nodes of an element of a type of Gmsh; 0: one that we do not know.
static int nodes_of(int32_t type) {
  static const struct {
    int type, nodes;
  } known[] = {{1, 2},  {2, 3},  {3, 4},  {4, 4},  {8, 3},   {9, 6},
               {10, 9}, {15, 1}, {16, 8}, {20, 9}, {21, 10}, {26, 4}};
  for (size_t i = 0; i < sizeof known / sizeof *known; ++i)
    if (known[i].type == type) return known[i].nodes;
  return 0;
}

// Whether `count` things of `size` bytes are left.
static bool has(const limpet_gmsh_reader *r, uint64_t count, size_t size) {
  return count <= (uint64_t)(r->end - r->at) / size;
}

static bool take(limpet_gmsh_reader *r, void *to, size_t size) {
  if ((size_t)(r->end - r->at) < size) return false;
  memcpy(to, r->at, size);
  r->at += size;
  return true;
}

static limpet_status ends_early(const limpet_gmsh_reader *r) {
  return limpet_gmsh_fail(r, "the file ends within a section");
}

// The count of a section of 2.2 in a line of its own.
static bool take_count(limpet_gmsh_reader *r, uint64_t *count) {
  double value;
  if (!limpet_text_number(&r->at, &value) || !(value >= 0.0) || value > INT32_MAX) return false;
  while (r->at < r->end && *r->at != '\n') ++r->at;
  if (r->at < r->end) ++r->at;
  *count = (uint64_t)value;
  return true;
}

bool limpet_gmsh_binary_begins(const limpet_gmsh_reader *r, double size) {
  int32_t one = 0;
  if (r->end - r->at < (ptrdiff_t)sizeof one) return false;
  memcpy(&one, r->at, sizeof one);
  return one == 1 && size == sizeof(double);
}

static limpet_status nodes_22(limpet_gmsh_reader *r) {
  uint64_t count;
  if (!take_count(r, &count)) return limpet_gmsh_fail(r, "expected the number of nodes");
  if (!has(r, count, sizeof(int32_t) + 3 * sizeof(double))) return ends_early(r);
  for (uint64_t i = 0; i < count; ++i) {
    int32_t number;
    double x[3];
    if (!take(r, &number, sizeof number) || !take(r, x, sizeof x)) return ends_early(r);
    const limpet_status status = limpet_gmsh_add_node(r, number, x);
    if (status != LIMPET_OK) return status;
  }
  return LIMPET_OK;
}

// One element of 2.2 behind the head of its block.
static limpet_status element_22(limpet_gmsh_reader *r, int32_t type, int nodes, int32_t tags) {
  int32_t number, node[NODES_MOST];
  double numbers[NODES_MOST];
  if (!take(r, &number, sizeof number) || !has(r, (uint64_t)tags, sizeof(int32_t)))
    return ends_early(r);
  r->at += (size_t)tags * sizeof(int32_t);
  if (!take(r, node, (size_t)nodes * sizeof *node)) return ends_early(r);
  for (int k = 0; k < nodes; ++k) numbers[k] = node[k];
  return limpet_gmsh_add_element(r, type, numbers, nodes);
}

static limpet_status elements_22(limpet_gmsh_reader *r) {
  uint64_t left;
  if (!take_count(r, &left)) return limpet_gmsh_fail(r, "expected the number of elements");
  while (left > 0) {
    int32_t head[3];
    if (!take(r, head, sizeof head)) return ends_early(r);
    const int nodes = nodes_of(head[0]);
    if (nodes == 0)
      return limpet_gmsh_fail(r, "an element is no tetrahedron of four nodes (type 4)");
    if (head[1] <= 0 || (uint64_t)head[1] > left || head[2] < 0)
      return limpet_gmsh_fail(r, "a block of elements has counts that cannot be");
    for (int32_t i = 0; i < head[1]; ++i) {
      const limpet_status status = element_22(r, head[0], nodes, head[2]);
      if (status != LIMPET_OK) return status;
    }
    left -= (uint64_t)head[1];
  }
  return LIMPET_OK;
}

static limpet_status node_block_41(limpet_gmsh_reader *r, uint64_t count, int parameters) {
  const size_t one = (3 + (size_t)parameters) * sizeof(double);
  if (!has(r, count, sizeof(uint64_t) + one)) return ends_early(r);
  const char *numbers = r->at, *points = r->at + count * sizeof(uint64_t);
  for (uint64_t i = 0; i < count; ++i) {
    uint64_t number;
    double x[3];
    memcpy(&number, numbers + i * sizeof number, sizeof number);
    memcpy(x, points + i * one, sizeof x);
    const limpet_status status = limpet_gmsh_add_node(r, (double)number, x);
    if (status != LIMPET_OK) return status;
  }
  r->at = points + count * one;
  return LIMPET_OK;
}

static limpet_status element_block_41(limpet_gmsh_reader *r, int32_t type, uint64_t count) {
  const int nodes = nodes_of(type);
  if (nodes == 0) return limpet_gmsh_fail(r, "an element is no tetrahedron of four nodes (type 4)");
  if (!has(r, count, (1 + (size_t)nodes) * sizeof(uint64_t))) return ends_early(r);
  for (uint64_t i = 0; i < count; ++i) {
    uint64_t number[1 + NODES_MOST];
    double numbers[NODES_MOST];
    if (!take(r, number, (1 + (size_t)nodes) * sizeof *number)) return ends_early(r);
    for (int k = 0; k < nodes; ++k) numbers[k] = (double)number[1 + k];
    const limpet_status status = limpet_gmsh_add_element(r, type, numbers, nodes);
    if (status != LIMPET_OK) return status;
  }
  return LIMPET_OK;
}

static limpet_status blocks_41(limpet_gmsh_reader *r, bool nodes) {
  uint64_t head[4], left, count;
  if (!take(r, head, sizeof head)) return ends_early(r);
  left = head[1];
  for (uint64_t block = 0; block < head[0]; ++block) {
    int32_t kind[3];
    if (!take(r, kind, sizeof kind) || !take(r, &count, sizeof count)) return ends_early(r);
    if (count > left) return limpet_gmsh_fail(r, "a block has more entries than its section");
    left -= count;
    const int parameters = kind[2] != 0 && kind[0] > 0 && kind[0] <= 3 ? kind[0] : 0;
    const limpet_status status =
        nodes ? node_block_41(r, count, parameters) : element_block_41(r, kind[2], count);
    if (status != LIMPET_OK) return status;
  }
  return left == 0
             ? LIMPET_OK
             : limpet_gmsh_fail(r, "the blocks hold fewer entries than the section announces");
}

limpet_status limpet_gmsh_binary_nodes(limpet_gmsh_reader *r, bool old) {
  return old ? nodes_22(r) : blocks_41(r, true);
}

limpet_status limpet_gmsh_binary_elements(limpet_gmsh_reader *r, bool old) {
  return old ? elements_22(r) : blocks_41(r, false);
}
