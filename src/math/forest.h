/* math/forest.h: sets that are joined (union-find): each element leads to its set's smallest one,
 * so that results do not depend on the order of joins. Nearly constant time each, by halving of
 * paths. Begins with parent[i] = i. */
#ifndef LIMPET_MATH_FOREST_H
#define LIMPET_MATH_FOREST_H

static inline int limpet_forest_root(int *parent, int element) {
  while (parent[element] != element) element = parent[element] = parent[parent[element]];
  return element;
}

static inline void limpet_forest_join(int *parent, int a, int b) {
  a = limpet_forest_root(parent, a), b = limpet_forest_root(parent, b);
  if (a < b) parent[b] = a;
  else parent[a] = b;
}

#endif
