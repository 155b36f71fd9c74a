/* collide/soft_plane.c: vertices of a deformable body that end below a plane.
 *
 * A vertex takes part in contact as it goes by itself (soft_take.c). One that the body throws down
 * within the step, as other parts of it land, does not: it is seen at the end of the attempt, where
 * it is deeper than `allowed` and than a share of its way, and is a contact of the next attempt.
 * The plane is flat and stays, so the gap of the start is exact. Cost: 6 flops a vertex. */
#include "collide/soft_surface.h"
#include "math/extremes.h"
#include "math/vec3.h"

static const double stopped_share = 0.1;  // [-]  of the way: contacts let less of it pass
enum { PASS_FEATURE_BIT = 63, ROUND_BIT = 59 };

static void add(limpet_soft_search *search, const limpet_soft_sweep_request *request, int d,
                int geom, int vertex, double phi, const double n[3]) {
  const limpet_model *model = search->model;
  const bool soft_is_a = model->deformable_geom[d] < geom;
  const double *x = search->data->vertex_position + 3 * vertex;
  limpet_soft_link *link;
  limpet_collision_contact *contact = limpet_soft_append(search, &link);
  if (!contact) return;
  limpet_contact_point *point = &contact->point;
  double other[3];
  limpet_vec3_addmul(other, x, -phi, n);
  limpet_vec3_copy(point->on_a, soft_is_a ? x : other);
  limpet_vec3_copy(point->on_b, soft_is_a ? other : x);
  limpet_vec3_scale(point->normal, soft_is_a ? -1.0 : 1.0, n);
  point->distance = phi;
  point->feature = (uint64_t)1 << PASS_FEATURE_BIT | (uint64_t)request->round << ROUND_BIT |
                   (uint64_t)(vertex - model->deformable_vertex[d]);
  contact->passes = true;
  contact->acts_on = soft_is_a ? LIMPET_ACTS_ON_A : LIMPET_ACTS_ON_B;
  link->count = 1;
  link->vertex[0] = vertex;
  link->weight[0] = soft_is_a ? -1.0 : 1.0;
}

void limpet_soft_sweep_plane(limpet_soft_search *search, const limpet_soft_sweep_request *request,
                             int d, int geom, limpet_soft_passes *passes) {
  const limpet_soft_surface *surface = &search->surfaces->surface[d];
  const double *R = search->data->geom_rotation + 9 * geom,
               *p = search->data->geom_position + 3 * geom, n[3] = {R[2], R[5], R[8]};
  const limpet_collision *collision = search->collision;
  const double margin = collision->pair[collision->pair_count - 1].margin;
  for (int i = 0; i < surface->vertex_count && !search->failed; ++i) {
    const int v = surface->vertex[i];
    double from[3], to[3];
    limpet_vec3_sub(from, search->data->vertex_position + 3 * v, p);
    limpet_vec3_sub(to, request->end + 3 * v, p);
    const double start = limpet_vec3_dot(n, from), end = limpet_vec3_dot(n, to) - margin;
    if (start < margin || -end <= limpet_max(request->allowed, stopped_share * (start - end)))
      continue;
    ++passes->count;
    if (-end > passes->depth) passes->depth = -end, passes->vertex = v;
    if (request->adds) add(search, request, d, geom, v, start, n);
  }
}
