/* geometry/pair_cloud.c: contact of every shape A with the points of a cloud B, through the signed
 * distance from A.
 *
 *   phi, g = signed distance of a point x from A and its gradient;  r = radius of the points
 *   distance = phi - r,  normal (A to B) = g,  on_a = x - phi g,  on_b = x - r g;  feature: number
 *                        of the point
 * The points are the `contact_points` of the cloud that are nearest. But on a flat face hundreds
 * are as near to round-off, and a handful of neighbours among them would carry a box at one corner.
 * So points whose distances differ by less than a millionth of the cloud's extent, or a tenth of
 * the greatest depth, count as equal. Of equal ones of which not all are wanted,
 * LIMPET_CANDIDATE_CAPACITY are looked at that lie spread over the cloud, and those taken that lie
 * widest apart (manifold.c). Everything is decided by where points are: numbering them differently
 * changes nothing.
 * Cost: two searches of the tree (cloud_search.c) and, where points are as near as others, 32
 * distances per candidate. */
#include "geometry/cloud_tree.h"
#include "geometry/face.h"
#include "geometry/pair_list.h"
#include "geometry/point_distance.h"
#include "math/vec3.h"

static const double depth_band = 0.1;   // of the greatest depth
static const double least_band = 1e-6;  // of the extent

/* The candidates: first those that are nearer than the last one that is wanted (*fixed of them),
 * then those as near as it. Returns their number. */
static int candidates_find(limpet_cloud_hit *hit, int *fixed, const limpet_cloud *cloud,
                           const limpet_distance_view *view, double margin) {
  limpet_cloud_query query = {.capacity = 1, .wanted = 1, .reach = margin + cloud->point_radius};
  *fixed = 0;
  if (limpet_cloud_search(hit, cloud->tree, view, &query, false) == 0) return 0;
  query.capacity = LIMPET_CANDIDATE_CAPACITY;
  query.wanted = cloud->contact_points;
  query.origin = hit[0].distance;
  query.quantum =
      fmax(least_band * cloud->radius, depth_band * (cloud->point_radius - hit[0].distance));
  int count = limpet_cloud_search(hit, cloud->tree, view, &query, false);
  const int wanted = cloud->contact_points < count ? cloud->contact_points : count;
  const double last = hit[wanted - 1].rank;
  while (hit[*fixed].rank < last) ++*fixed;
  while (hit[count - 1].rank > last) --count;
  return count;
}

// Distance, gradient and contact points of one candidate, in the axes of A.
static void candidate_fill(limpet_candidates *candidates, double gradient[3], int i,
                           const limpet_shape *a, const limpet_cloud *cloud,
                           const limpet_distance_view *view, int point) {
  double x[3];
  limpet_mat3_mul_vec(x, view->rotation, cloud->points + 3 * point);
  limpet_vec3_add(x, x, view->offset);
  const double phi = limpet_point_distance[a->kind](gradient, a, x);
  limpet_vec3_addmul(candidates->on_a[i], x, -phi, gradient);
  limpet_vec3_addmul(candidates->on_b[i], x, -cloud->point_radius, gradient);
  candidates->distance[i] = phi - cloud->point_radius;
  candidates->feature[i] = (uint32_t)point;
}

static void cloud_contact(limpet_manifold *manifold, const limpet_shape *a, const limpet_shape *b,
                          double margin) {
  const limpet_cloud *cloud = b->cloud;
  const limpet_distance_view view = limpet_distance_view_create(a, b->position, b->rotation);
  limpet_cloud_hit hit[LIMPET_CANDIDATE_CAPACITY];
  limpet_candidates candidates;
  double gradient[LIMPET_CANDIDATE_CAPACITY][3];
  int index[LIMPET_CANDIDATE_CAPACITY], fixed;
  manifold->count = 0;
  int count = candidates_find(hit, &fixed, cloud, &view, margin);
  for (int i = 0; i < count; ++i) {
    candidate_fill(&candidates, gradient[i], i, a, cloud, &view, cloud->tree->point[hit[i].place]);
    index[i] = i;
  }
  if (count > cloud->contact_points) {
    limpet_manifold_thin(index, count, &candidates, fixed, cloud->contact_points);
    count = cloud->contact_points;
  }
  for (int k = 0; k < count; ++k) {
    const int i = index[k];
    double on_a[3], on_b[3], normal[3];
    if (!limpet_within_margin(candidates.distance[i], margin)) continue;
    limpet_mat3_mul_vec(on_a, a->rotation, candidates.on_a[i]);
    limpet_mat3_mul_vec(on_b, a->rotation, candidates.on_b[i]);
    limpet_mat3_mul_vec(normal, a->rotation, gradient[i]);
    limpet_vec3_add(on_a, on_a, a->position);
    limpet_vec3_add(on_b, on_b, a->position);
    limpet_manifold_add(manifold, on_a, on_b, normal, candidates.distance[i],
                        candidates.feature[i]);
  }
}

#define CLOUD_PAIR(kind, text)                                                                 \
  {                                                                                            \
    LIMPET_SHAPE_##kind, LIMPET_SHAPE_CLOUD, cloud_contact, NULL,                              \
        text ", up to 32 points (or as many as set)",                                          \
        "Tracy, Manchester, quasi-dynamic contact of point clouds; thinned as other manifolds" \
  }

const limpet_shape_pair limpet_pair_plane_cloud =
    CLOUD_PAIR(PLANE, "signed distances in closed form");
const limpet_shape_pair limpet_pair_sphere_cloud =
    CLOUD_PAIR(SPHERE, "signed distances in closed form");
const limpet_shape_pair limpet_pair_capsule_cloud =
    CLOUD_PAIR(CAPSULE, "signed distances in closed form");
const limpet_shape_pair limpet_pair_ellipsoid_cloud =
    CLOUD_PAIR(ELLIPSOID, "signed distances by Newton's method");
const limpet_shape_pair limpet_pair_cylinder_cloud =
    CLOUD_PAIR(CYLINDER, "signed distances in closed form");
const limpet_shape_pair limpet_pair_box_cloud = CLOUD_PAIR(BOX, "signed distances in closed form");
const limpet_shape_pair limpet_pair_mesh_cloud =
    CLOUD_PAIR(MESH, "signed distances from the faces of the hull");
