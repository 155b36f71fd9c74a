/* gradient/soft_kinks.c: coordinates of vertices along which the slopes of the compliances of
 * deformable bodies jump: see soft_gradient.h. */
#include <assert.h>
#include <math.h>

#include "gradient/soft_product.h"

// [-]  what a jump of the slope does to velocities, over 1/dt, which positions do
static const double jump_share = 1e-6;

typedef struct jumps {
  limpet_soft_product p;
  double width;  // [m]
  double *jump;  // (vertex_count) [1/s]  of velocities
} jumps;

// What a number of w or A adds: the fastest velocity that it makes, times the jump of its slope.
static void add_jumps(limpet_soft_product *p, int i, int d,
                      const limpet_fem_stiffness_gradient *g) {
  const jumps *j = (const jumps *)p;
  const size_t size = (size_t)p->w->residual.size;
  double fastest = 0.0;
  (void)g;
  limpet_residual_forward(&p->w->residual, p->soft->by_w + (size_t)i * size, -1, p->dx);
  for (int k = 0; k < p->soft->solved.problem.nv; ++k) fastest = fmax(fastest, fabs(p->dx[k]));
  limpet_fem_stiffness_jumps(limpet_soft_body_at(p, d)->step, p->z, fastest / p->soft->scale[i],
                             j->width, j->jump + p->w->model->deformable_vertex[d]);
}

// Whether a tension begins anywhere.
static bool tension_begins(const limpet_soft_product *p, double width) {
  for (int d = 0; d < p->w->model->deformable_count; ++d)
    if (limpet_soft_body_at(p, d)->block != LIMPET_NONE &&
        limpet_fem_tangent_kinks(limpet_soft_body_at(p, d)->step,
                                 p->soft->v + limpet_soft_first(p, d), width, -1.0) > 0)
      return true;
  return false;
}

int limpet_soft_gradient_weight_kinks(limpet_gradient_workspace *w) {
  assert(w && w->soft);
  const int count = w->model->vertex_count;
  const limpet_arena_mark mark = limpet_arena_mark_now(&w->arena);
  jumps j = {.width = LIMPET_TENSION_WIDTH * w->wanted.difference,
             .jump = LIMPET_TAKE_ZERO(&w->arena, double, count)};
  int kinks = 0;
  if (!j.jump || !limpet_soft_product_take(w, &j.p)) kinks = -1;
  else if (tension_begins(&j.p, j.width)) limpet_soft_each_weight(&j.p, false, add_jumps);
  for (int i = 0; i < count && kinks >= 0; ++i)
    kinks += j.jump[i] * w->settings.time_step > jump_share ? 3 : 0;
  limpet_arena_release(&w->arena, mark);
  return kinks;
}
