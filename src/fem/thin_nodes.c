// fem/thin_nodes.c: nodes of a thin element in ascending order, and what goes with them.
#include "fem/thin.h"

void limpet_thin_sort_nodes(limpet_thin_element *e) {
  for (int i = 1; i < e->count; ++i)
    for (int j = i; j > 0 && e->node[j - 1] > e->node[j]; --j) {
      const int node = e->node[j];
      const double weight = e->weight[j], by_nu = e->weight_by_nu[j];
      e->node[j] = e->node[j - 1], e->node[j - 1] = node;
      e->weight[j] = e->weight[j - 1], e->weight[j - 1] = weight;
      e->weight_by_nu[j] = e->weight_by_nu[j - 1], e->weight_by_nu[j - 1] = by_nu;
      for (int k = 0; e->kind == LIMPET_THIN_TRIANGLE && k < 2; ++k) {
        const double g = e->gradient[j][k];
        e->gradient[j][k] = e->gradient[j - 1][k], e->gradient[j - 1][k] = g;
      }
      for (int k = 0; k < 4; ++k)
        if (e->corner[k] == j) e->corner[k] = j - 1;
        else if (e->corner[k] == j - 1) e->corner[k] = j;
    }
}
