/* geometry/principal_axes.h: principal axes of a symmetric tensor. */
#ifndef LIMPET_GEOMETRY_PRINCIPAL_AXES_H
#define LIMPET_GEOMETRY_PRINCIPAL_AXES_H

#include <stdbool.h>

// Principal moments (descending) and axes of a symmetric tensor: I = R(q) diag(moment) R(q)'.
void limpet_principal_axes(double moment[3], double q[4], const double I[9]);

#endif
