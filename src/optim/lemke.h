/* optim/lemke.h: linear complementarity by Lemke's complementary pivoting.
 *
 *   w = M z + q,   z >= 0,  w >= 0,  z'w = 0
 * M need not be symmetric. With an artificial unknown that lifts all w, z = 0 is a start; it is
 * driven out along a path on which one pair alone is not complementary. For copositive-plus M,
 * among them those of contacts with friction, the path ends at a solution wherever w, z >= 0 can
 * be met; else it may end at a ray. Each pivot takes O(n^2), n pivots or a few times that are
 * usual. References: Lemke, Bimatrix equilibrium points and mathematical programming, Management
 * Sci. 11 (1965); Cottle, Pang, Stone, The linear complementarity problem (1992), 4.4. */
#ifndef LIMPET_OPTIM_LEMKE_H
#define LIMPET_OPTIM_LEMKE_H

#include <stdbool.h>
#include <stddef.h>

/* The table of a problem of n unknowns: its rows are M and two more columns, which pivots
 * overwrite. */
static inline int limpet_lemke_width(int n) { return n + 2; }
// [bytes] besides the table.
size_t limpet_lemke_memory_size(int n);
/* table (n x width): M in the first n columns; q (n), of size 1; z (n) is the result, of q to 1e-6.
 * False: the path ends at a ray, or 10 n pivots were not enough. */
bool limpet_lemke(int n, double *table, const double *q, void *memory, double *z);

#endif
