/* model/tendon_path.c: a spatial tendon as a chain of straight pieces and pieces on surfaces.
 *
 *   length  = sum over branches of (straight + wrapped)/divisor
 *   row     = sum over straight pieces of (u . J_1 - u . J_0)/divisor
 * u: unit vector from end 0 to end 1 of a piece, J_i the Jacobian of the material point there. The
 * ends of a piece on a surface move along the surface, across to u to first order, so they count as
 * fixed to the body of the surface, and the piece between them, which is on one body, has no row.
 * Velocities that move both ends of a piece alike drop out exactly, and have no entry.
 * Source: MJCF reference, tendon/spatial. Cost: some 50 flops for each velocity on the paths of a
 * piece, and those of wrap.c. */
#include "model/tendon_path.h"

#include <assert.h>

#include "geometry/wrap.h"
#include "math/spatial.h"
#include "math/vec3.h"

int limpet_common_dof(const limpet_model *model, int body_a, int body_b) {
  assert(body_a >= 0 && body_a < model->body_count && body_b >= 0 && body_b < model->body_count);
  // parents have lower numbers, so the higher one steps back
  int a = model->body_last_dof[body_a], b = model->body_last_dof[body_b];
  while (a != b) {
    if (a > b) a = model->dof_parent[a];
    else b = model->dof_parent[b];
  }
  return a;
}

static void to_world(double point[3], const limpet_tendon_frames *frames, int body,
                     const double local[3]) {
  limpet_mat3_mul_vec(point, frames->body_rotation + 9 * body, local);
  limpet_vec3_add(point, point, frames->body_position + 3 * body);
}

static void site_point(double point[3], const limpet_model *model,
                       const limpet_tendon_frames *frames, int site) {
  to_world(point, frames, model->site_body[site], model->site_position + 3 * site);
}

// The path around the geom of a tendon point; false: straight.
static bool wraps(const limpet_model *model, const limpet_tendon_frames *frames, int point,
                  const double from[3], const double to[3], limpet_wrap *wrap) {
  const int geom = model->tendon_point_object[point], body = model->geom_body[geom],
            side_site = model->tendon_point_side[point];
  double position[3], rotation[9], side[3];
  to_world(position, frames, body, model->geom_position + 3 * geom);
  limpet_mat3_mul(rotation, frames->body_rotation + 9 * body, model->geom_rotation + 9 * geom);
  if (side_site != LIMPET_NONE) site_point(side, model, frames, side_site);
  const limpet_wrap_shape shape = {.cylinder = model->geom_kind[geom] == LIMPET_SHAPE_CYLINDER,
                                   .radius = model->geom_size[3 * geom],
                                   .position = position,
                                   .rotation = rotation};
  return limpet_wrap_path(&shape, from, to, side_site != LIMPET_NONE ? side : NULL, wrap);
}

static void visit_piece(limpet_tendon_visit *visit, void *context, int body_a, const double a[3],
                        int body_b, const double b[3], int surface, double share) {
  const limpet_tendon_piece piece = {.body = {body_a, body_b},
                                     .surface = surface,
                                     .end = {{a[0], a[1], a[2]}, {b[0], b[1], b[2]}},
                                     .share = share};
  visit(context, &piece);
}

double limpet_tendon_walk(const limpet_model *model, const limpet_tendon_frames *frames, int tendon,
                          limpet_tendon_visit *visit, void *context) {
  assert(model && frames && tendon >= 0 && tendon < model->tendon_count && visit);
  int last_body = LIMPET_NONE, geom_point = LIMPET_NONE;
  double share = 1.0, wrapped = 0.0, last[3] = {0.0}, here[3];
  for (int i = model->tendon_point_begin[tendon]; i < model->tendon_point_begin[tendon + 1]; ++i) {
    const int object = model->tendon_point_object[i];
    if (model->tendon_point_kind[i] == LIMPET_TENDON_PULLEY) {
      share = 1.0 / model->tendon_point_divisor[i];
      last_body = geom_point = LIMPET_NONE;
      continue;
    }
    if (model->tendon_point_kind[i] == LIMPET_TENDON_GEOM) {
      geom_point = i;
      continue;
    }

    // from site to site, straight or around the geom between them
    const int body = model->site_body[object];
    limpet_wrap wrap;
    site_point(here, model, frames, object);
    if (last_body != LIMPET_NONE) {
      if (geom_point != LIMPET_NONE && wraps(model, frames, geom_point, last, here, &wrap)) {
        const int geom = model->tendon_point_object[geom_point], surface = model->geom_body[geom];
        visit_piece(visit, context, last_body, last, surface, wrap.first, geom, share);
        visit_piece(visit, context, surface, wrap.last, body, here, LIMPET_NONE, share);
        wrapped += share * wrap.length;
      } else {
        visit_piece(visit, context, last_body, last, body, here, LIMPET_NONE, share);
      }
    }
    limpet_vec3_copy(last, here);
    last_body = body, geom_point = LIMPET_NONE;
  }
  return wrapped;
}

typedef struct path_sum {
  const limpet_model *model;
  const limpet_tendon_frames *frames;
  int tendon;
  double length, *row;
} path_sum;

// Adds scale * (u . velocity of the point) per unit of each velocity that moves `body`, down to,
// but without, `stop`.
static void row_add(path_sum *sum, int body, int stop, const double point[3], const double u[3],
                    double scale) {
  const limpet_model *model = sum->model;
  const int dof = model->body_last_dof[body];
  if (dof < 0 || dof == stop) return;
  const int *entries = model->tendon_dof + model->tendon_dof_begin[sum->tendon];
  int e = model->tendon_dof_begin[sum->tendon + 1] - model->tendon_dof_begin[sum->tendon] - 1;
  double lever[3], F[6];
  limpet_vec3_sub(lever, point, sum->frames->tree_origin + 3 * model->dof_tree[dof]);
  limpet_vec3_cross(F, lever, u);
  limpet_vec3_copy(F + 3, u);
  for (int d = dof; d >= 0 && d != stop; d = model->dof_parent[d]) {
    while (e >= 0 && entries[e] > d) --e;  // both descend
    assert(e >= 0 && entries[e] == d);
    sum->row[e] += scale * limpet_spatial_dot(sum->frames->dof_axis + 6 * d, F);
  }
}

static void add_piece(void *context, const limpet_tendon_piece *piece) {
  path_sum *sum = context;
  double u[3];
  limpet_vec3_sub(u, piece->end[1], piece->end[0]);
  const double length = limpet_vec3_norm(u);
  sum->length += piece->share * length;
  if (!sum->row || piece->body[0] == piece->body[1] || length == 0.0) return;
  limpet_vec3_scale(u, 1.0 / length, u);
  const int stop = limpet_common_dof(sum->model, piece->body[0], piece->body[1]);
  row_add(sum, piece->body[0], stop, piece->end[0], u, -piece->share);
  row_add(sum, piece->body[1], stop, piece->end[1], u, piece->share);
}

double limpet_tendon_path(const limpet_model *model, const limpet_tendon_frames *frames, int tendon,
                          double *row) {
  assert(model && frames && tendon >= 0 && tendon < model->tendon_count);
  const int entries = model->tendon_dof_begin[tendon + 1] - model->tendon_dof_begin[tendon];
  path_sum sum = {.model = model, .frames = frames, .tendon = tendon, .row = row};
  for (int e = 0; row && e < entries; ++e) row[e] = 0.0;
  const double wrapped = limpet_tendon_walk(model, frames, tendon, add_piece, &sum);
  return wrapped + sum.length;
}

int limpet_tendon_tree(const limpet_model *model, int tendon) {
  int tree = -1;
  for (int i = model->tendon_dof_begin[tendon]; i < model->tendon_dof_begin[tendon + 1]; ++i) {
    const int other = model->dof_tree[model->tendon_dof[i]];
    if (tree >= 0 && other != tree) return -1;
    tree = other;
  }
  return tree;
}

static double armature_where(const limpet_model *model, int tendon, bool shared) {
  const double armature = model->tendon_armature[tendon];
  if (!(armature > 0.0)) return 0.0;
  return (limpet_tendon_tree(model, tendon) < 0) == shared ? armature : 0.0;
}

double limpet_tendon_own_armature(const limpet_model *model, int tendon) {
  return armature_where(model, tendon, false);
}

double limpet_tendon_shared_armature(const limpet_model *model, int tendon) {
  return armature_where(model, tendon, true);
}
