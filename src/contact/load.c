/* contact/load.c: see load.h. A search in depth from the root, with the low points of Hopcroft and
 * Tarjan: where no edge leads from below a vertex to above it, its edges since it was entered are a
 * part, and their load is what was found below. */
#include "contact/load.h"

#include <assert.h>

enum { HEAP = 16 };  // edges: parts of more are heaps

typedef struct load_graph {
  int vertices, edges;  // blocks and, as the last vertex, the world; patches first
  int *end;             // (edges x 2)  vertices; LIMPET_NONE: no edge
  int *first, *beside;  // (vertices + 1), (edges x 2)  edges of each vertex
  double *mass;         // (vertices) [kg]  of the block, then of all that was found from it
} load_graph;

typedef struct load_search {
  int *seen, *low;   // (vertices)  0: not seen yet
  int *from, *next;  // (vertices)  edge it was found by; place in `beside`
  int *path, *edge;  // (vertices), (edges)  stacks
  int count, depth, open;
} load_search;

static bool floats(const limpet_model *model, int tree) {
  return model->joint_kind[model->dof_joint[model->tree_dof[tree]]] == LIMPET_JOINT_FREE;
}

static double mass_of(const limpet_model *model, int tree) {
  double sum = 0.0;
  const int first = model->tree_body[tree];
  for (int b = first; b < first + model->tree_body_count[tree]; ++b) sum += model->body_mass[b];
  return sum;
}

void limpet_contact_load_begin(const limpet_model *model, const limpet_contact_problem *problem,
                               const limpet_contact_records *records,
                               const limpet_patch_grouping *grouping, limpet_contact_load *load) {
  *load = (limpet_contact_load){.problem = problem, .records = records, .grouping = grouping};
  for (int t = 0; t < model->tree_count; ++t)
    if (!problem->block[t].still) load->all += mass_of(model, t);
}

static limpet_status take_graph(const limpet_model *model, limpet_arena *arena, load_graph *g) {
  const int v = g->vertices = model->tree_count + 1;
  g->end = LIMPET_TAKE(arena, int, 2 * g->edges);
  g->first = LIMPET_TAKE_ZERO(arena, int, v + 1);
  g->beside = LIMPET_TAKE(arena, int, 2 * g->edges);
  g->mass = LIMPET_TAKE_ZERO(arena, double, v);
  return g->end && g->first && g->beside && g->mass ? LIMPET_OK : LIMPET_ERROR_MEMORY;
}

static void connect(load_graph *g, int edge, int a, int b) {
  const bool none = a == b;
  g->end[2 * edge] = none ? LIMPET_NONE : a;
  g->end[2 * edge + 1] = none ? LIMPET_NONE : b;
}

static int vertex_of(const limpet_contact_load *load, const limpet_model *model, int unit) {
  const int block = limpet_problem_block_of(load->problem, model, unit);
  return block == LIMPET_NONE ? model->tree_count : block;
}

// Edges of patches, then of trees that are fixed to the world.
static void fill_edges(const limpet_contact_load *load, const limpet_model *model, load_graph *g) {
  const limpet_patch_grouping *grouping = load->grouping;
  const int world = model->tree_count;
  for (int p = 0; p < grouping->patch_count; ++p)
    connect(g, p, vertex_of(load, model, grouping->unit[2 * p]),
            vertex_of(load, model, grouping->unit[2 * p + 1]));
  // what lies on a deformable body is not told from what that body hangs on
  for (int i = 0; i < load->records->count; ++i)
    if (load->records->record[i].link) connect(g, grouping->patch_of[i], world, world);
  for (int t = 0; t < model->tree_count; ++t) {
    const bool moves = !load->problem->block[t].still;
    if (moves) g->mass[t] = mass_of(model, t);
    connect(g, grouping->patch_count + t, moves && !floats(model, t) ? t : world, world);
  }
}

// Edges by vertex; `cursor` (vertices): workspace.
static void sort_edges(load_graph *g, int *cursor) {
  for (int i = 0; i < 2 * g->edges; ++i)
    if (g->end[i] != LIMPET_NONE) ++g->first[g->end[i] + 1];
  for (int v = 0; v < g->vertices; ++v) {
    g->first[v + 1] += g->first[v];
    cursor[v] = g->first[v];
  }
  for (int i = 0; i < 2 * g->edges; ++i)
    if (g->end[i] != LIMPET_NONE) g->beside[cursor[g->end[i]]++] = i / 2;
}

static limpet_status take_search(const load_graph *g, limpet_arena *arena, load_search *s) {
  const int v = g->vertices;
  *s = (load_search){.seen = LIMPET_TAKE_ZERO(arena, int, v),
                     .low = LIMPET_TAKE(arena, int, v),
                     .from = LIMPET_TAKE(arena, int, v),
                     .next = LIMPET_TAKE(arena, int, v),
                     .path = LIMPET_TAKE(arena, int, v),
                     .edge = LIMPET_TAKE(arena, int, g->edges)};
  const bool all = s->seen && s->low && s->from && s->next && s->path && s->edge;
  return all ? LIMPET_OK : LIMPET_ERROR_MEMORY;
}

static void enter(const load_graph *g, load_search *s, int vertex, int from) {
  s->seen[vertex] = s->low[vertex] = ++s->count;
  s->from[vertex] = from;
  s->next[vertex] = g->first[vertex];
  s->path[s->depth++] = vertex;
}

static int least(int a, int b) { return a < b ? a : b; }

// Leaves a vertex for the one above it on the path. Patches of the part that ends there get their
// share of its load.
static void leave(load_graph *g, load_search *s, double *load, int patches) {
  const int vertex = s->path[--s->depth];
  if (s->depth == 0) return;
  const int above = s->path[s->depth - 1];
  g->mass[above] += g->mass[vertex];
  s->low[above] = least(s->low[above], s->low[vertex]);
  if (s->low[vertex] < s->seen[above]) return;
  int first = s->open, ways = 0;
  do {
    const int edge = s->edge[--first];
    ways += edge < patches && (g->end[2 * edge] == above || g->end[2 * edge + 1] == above);
  } while (s->edge[first] != s->from[vertex]);
  const bool heap = s->open - first > HEAP;
  while (s->open > first) {
    const int edge = s->edge[--s->open];
    if (edge < patches && !heap) load[edge] = g->mass[vertex] / (ways > 1 ? ways : 1);
  }
}

static void search_from(load_graph *g, load_search *s, int root, double *load, int patches) {
  enter(g, s, root, LIMPET_NONE);
  while (s->depth > 0) {
    const int vertex = s->path[s->depth - 1];
    if (s->next[vertex] == g->first[vertex + 1]) {
      leave(g, s, load, patches);
      continue;
    }
    const int edge = g->beside[s->next[vertex]++];
    const int other = g->end[2 * edge] + g->end[2 * edge + 1] - vertex;
    if (edge == s->from[vertex] || s->seen[other] > s->seen[vertex]) continue;
    s->edge[s->open++] = edge;
    if (s->seen[other] == 0) enter(g, s, other, edge);
    else s->low[vertex] = least(s->low[vertex], s->seen[other]);
  }
}

// The heaviest vertex that hangs together with `start`, on nothing that was seen.
static int heaviest_of(const load_graph *g, load_search *s, bool *known, int start) {
  int best = start, depth = 0;
  known[start] = true;
  s->path[depth++] = start;
  while (depth > 0) {
    const int vertex = s->path[--depth];
    if (g->mass[vertex] > g->mass[best]) best = vertex;
    for (int i = g->first[vertex]; i < g->first[vertex + 1]; ++i) {
      const int other = g->end[2 * g->beside[i]] + g->end[2 * g->beside[i] + 1] - vertex;
      if (known[other]) continue;
      known[other] = true;
      s->path[depth++] = other;
    }
  }
  return best;
}

limpet_status limpet_contact_load_find(const limpet_model *model, limpet_arena *arena,
                                       limpet_contact_load *load) {
  assert(model && arena && load && load->grouping);
  const int patches = load->grouping->patch_count, world = model->tree_count;
  load_graph g = {.edges = patches + model->tree_count};
  load_search s;
  double *of = LIMPET_TAKE_ZERO(arena, double, patches);
  bool *known = LIMPET_TAKE_ZERO(arena, bool, world + 1);
  if (!of || !known || take_graph(model, arena, &g) || take_search(&g, arena, &s))
    return LIMPET_ERROR_MEMORY;
  fill_edges(load, model, &g);
  sort_edges(&g, s.next);
  search_from(&g, &s, world, of, patches);
  for (int v = 0; v < world; ++v)
    if (s.seen[v] == 0 && g.first[v] < g.first[v + 1])
      search_from(&g, &s, heaviest_of(&g, &s, known, v), of, patches);
  load->of = of;
  return LIMPET_OK;
}
