/* geometry/ray_cloud.c: rays against the balls around the points of a cloud, by its tree.
 *
 * A ball about a group of points, as much larger as a point's own ball is and rounding may be, is
 * passed by or entered at a range that no ball in it comes before. Groups are visited nearest
 * first and left out where they are passed by or entered behind the nearest hit. The hit is that
 * which all points give, to the bit: the nearest, of equal ones the lowest number.
 *
 *   slack   1e-7 (|q| + R + r) for a group of radius R at q from the start of the ray, points of
 *           radius r: a ball that is missed by a share e of |q| may be met by rounding where
 *           e^2 < 1e-15
 *
 * Cost: some eight balls for each level of the tree and each group of 32 points on the way. */
#include <assert.h>

#include "geometry/cloud_tree.h"
#include "geometry/ray_interval.h"

typedef struct cloud_ray {
  const limpet_cloud_tree *tree;
  double p[3], d[3];  // [m], [-]  in axes of the cloud
  double radius;      // [m]  of a point
  double nearest;     // [m]  INFINITY: nothing yet
  int point;
} cloud_ray;

static void leaf_visit(cloud_ray *ray, int leaf) {
  const limpet_cloud_tree *tree = ray->tree;
  for (int k = leaf * LIMPET_CLOUD_LEAF; k < (leaf + 1) * LIMPET_CLOUD_LEAF; ++k) {
    const int point = tree->point[k];
    if (point < 0) continue;
    const double q[3] = {ray->p[0] - tree->x[k], ray->p[1] - tree->y[k], ray->p[2] - tree->z[k]};
    const limpet_interval met = limpet_interval_of_ball(q, ray->d, 0.0, ray->radius);
    if (met.begin > met.end || met.end < 0.0) continue;
    const double t = met.begin >= 0.0 ? met.begin : met.end;
    if (t > ray->nearest || (t == ray->nearest && point > ray->point)) continue;
    ray->nearest = t, ray->point = point;
  }
}

// Before this range no ball of the group is met; INFINITY: none is met at all.
static double group_bound(const cloud_ray *ray, const limpet_cloud_level *level, int group) {
  const double q[3] = {level->x[group] - ray->p[0], level->y[group] - ray->p[1],
                       level->z[group] - ray->p[2]};
  return limpet_ray_ball_bound(q, ray->d, level->radius[group] + ray->radius);
}

// The groups of one level from `first` on, nearest bound first.
static void groups_visit(cloud_ray *ray, int depth, int first) {
  const limpet_cloud_level *level = &ray->tree->level[depth];
  double bound[LIMPET_CLOUD_FAN];
  int order[LIMPET_CLOUD_FAN];
  const int count = limpet_cloud_group_count(level, first);
  for (int i = 0; i < count; ++i) bound[i] = group_bound(ray, level, first + i);
  limpet_cloud_order(order, bound, count);
  for (int i = 0; i < count && bound[order[i]] <= ray->nearest; ++i) {
    if (isinf(bound[order[i]])) return;
    if (depth == 0) leaf_visit(ray, first + order[i]);
    else groups_visit(ray, depth - 1, (first + order[i]) * LIMPET_CLOUD_FAN);
  }
}

double limpet_cloud_ray(const limpet_cloud *cloud, const double position[3],
                        const double rotation[9], const double from[3], const double direction[3],
                        int *point) {
  assert(cloud && position);
  if (cloud->point_radius == 0.0) return -1.0;
  cloud_ray ray = {.tree = cloud->tree, .radius = cloud->point_radius, .nearest = INFINITY};
  limpet_ray_into_axes(ray.p, from, position, rotation);
  limpet_mat3_tmul_vec(ray.d, rotation, direction);
  groups_visit(&ray, cloud->tree->level_count - 1, 0);
  if (isinf(ray.nearest)) return -1.0;
  if (point) *point = ray.point;
  return ray.nearest;
}
