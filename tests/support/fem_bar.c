/* tests/support/fem_bar.c: see fem_bar.h. */
#include "fem_bar.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

fem_bar fem_bar_make(int nx, int ny, int nz, double lx, double ly, double lz) {
  static const int kuhn[6][4] = {{0, 1, 3, 7}, {0, 1, 5, 7}, {0, 2, 3, 7},
                                 {0, 2, 6, 7}, {0, 4, 5, 7}, {0, 4, 6, 7}};
  fem_bar bar = {.cells = {nx, ny, nz}, .size = {lx, ly, lz}};
  limpet_fem_description *d = &bar.description;
  *d = limpet_fem_description_default();
  d->vertex_count = (nx + 1) * (ny + 1) * (nz + 1);
  d->tetrahedron_count = 6 * nx * ny * nz;
  d->vertices = bar.vertices = malloc((size_t)d->vertex_count * 3 * sizeof(double));
  d->tetrahedra = bar.tetrahedra = malloc((size_t)d->tetrahedron_count * 4 * sizeof(int));
  for (int i = 0, v = 0; i <= nx; ++i)
    for (int j = 0; j <= ny; ++j)
      for (int k = 0; k <= nz; ++k, ++v) {
        bar.vertices[3 * v] = lx * i / nx;
        bar.vertices[3 * v + 1] = ly * j / ny;
        bar.vertices[3 * v + 2] = lz * k / nz;
      }
  for (int cell = 0, at = 0; cell < nx * ny * nz; ++cell)
    for (int t = 0; t < 6; ++t)
      for (int c = 0; c < 4; ++c) {
        const int corner = kuhn[t][c];
        const int i = cell / nz / ny + (corner & 1), j = cell / nz % ny + (corner >> 1 & 1),
                  k = cell % nz + (corner >> 2 & 1);
        bar.tetrahedra[at++] = (i * (ny + 1) + j) * (nz + 1) + k;
      }
  return bar;
}

void fem_bar_free(fem_bar *bar) { free(bar->vertices), free(bar->tetrahedra); }

fem_world fem_world_make(const limpet_fem_description *description) {
  fem_world w = {0};
  limpet_error error = {0};
  w.body = limpet_fem_body_create(description, &error);
  if (!w.body) fail_msg("%s", error.message);
  w.step = limpet_fem_step_create(w.body, &error);
  if (!w.step) fail_msg("%s", error.message);
  w.n = 3 * limpet_fem_body_information(w.body).node_count;
  w.q = malloc((size_t)w.n * sizeof *w.q);
  w.v = calloc((size_t)w.n, sizeof *w.v);
  w.next = calloc((size_t)w.n, sizeof *w.next);
  w.fixed = malloc((size_t)w.n * sizeof *w.fixed);
  memcpy(w.q, limpet_fem_body_rest(w.body), (size_t)w.n * sizeof *w.q);
  w.input = (limpet_fem_input){.position = w.q, .velocity = w.v, .dt = 0.01, .fixed = w.fixed};
  return w;
}

void fem_world_free(fem_world *w) {
  limpet_fem_step_destroy(w->step);
  limpet_fem_body_destroy(w->body);
  free(w->q), free(w->v), free(w->next), free(w->fixed);
}

void fem_world_fix(fem_world *w, int axis, double value) {
  const double *rest = limpet_fem_body_rest(w->body);
  for (int i = 0; i < w->n / 3; ++i)
    if (fabs(rest[3 * i + axis] - value) < 1e-9) w->fixed[w->input.fixed_count++] = i;
}

void fem_world_step(fem_world *w) {
  const limpet_fem_outcome outcome = limpet_fem_step_begin(w->step, &w->input);
  if (outcome != LIMPET_FEM_SOLVED)
    fail_msg("%s after %d iterations", limpet_fem_outcome_name(outcome),
             limpet_fem_step_info(w->step).iterations);
  const double *v = limpet_fem_step_free_velocity(w->step);
  limpet_fem_step_positions(w->step, v, w->next);
  memcpy(w->v, v, (size_t)w->n * sizeof *v);
  memcpy(w->q, w->next, (size_t)w->n * sizeof *v);
}
