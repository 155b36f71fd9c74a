/* optim/brent.h: the least value of a function of one variable, by Brent's method: parabolas,
 * golden sections as a fallback.
 * Reference: Brent, Algorithms for minimization without derivatives (1973), chapter 5. */
#ifndef LIMPET_OPTIM_BRENT_H
#define LIMPET_OPTIM_BRENT_H

/* Returns a minimiser of f between `low` and `high` (never at the ends, where f need not be
 * finite), to the absolute tolerance `tolerance`; *value: f there. *evaluations += calls. At most
 * 60 steps. */
double limpet_brent(double (*f)(void *context, double x), void *context, double low, double high,
                    double tolerance, double *value, int *evaluations);

#endif
