/* dynamics/column_kernels.h: columns of a point (point_columns.h) and sums over them, as a table of
 * functions for one instruction set. All tables give the same bits. */
#ifndef LIMPET_DYNAMICS_COLUMN_KERNELS_H
#define LIMPET_DYNAMICS_COLUMN_KERNELS_H

typedef struct limpet_column_kernels {
  const char *name;  // "baseline", "avx2"
  /* Of `count` velocities, one after the other by `parent` from `last` on, into dof and column
   * (count x 6) from the end on: sign [w; u + w x lever] of the axes [w; u]. */
  void (*columns)(const int *parent, const double *axis, int last, int count, const double lever[3],
                  double sign, int *dof, double *column);
  /* D (6 x 6) += sum inverse[dof_k] S_k S_k', rows first: its lower triangle, and some numbers
   * above it. */
  void (*add_outer)(int count, const double *column, const double *inverse, const int *dof,
                    double D[36]);
  // V_m (6) += sum v_m[dof_k] S_k of two motions, and of three.
  void (*add_two)(int count, const int *dof, const double *column, const double *const v[2],
                  double *const V[2]);
  void (*add_three)(int count, const int *dof, const double *column, const double *const v[3],
                    double *const V[3]);
} limpet_column_kernels;

extern const limpet_column_kernels limpet_column_kernels_baseline;
extern const limpet_column_kernels limpet_column_kernels_avx2;  // x86-64 only
const limpet_column_kernels *limpet_column_kernels_here(void);  // those of this machine

#endif
