/* geometry/face_meet.c: where two faces, or a face and a segment, or two segments meet along a
 * normal.
 *
 * Both features are projected along the contact normal n. The polygon that is more nearly
 * perpendicular to n is the reference (A, unless B is clearly better); the other, incident one is
 * clipped by the planes that contain an edge of the reference and n (Sutherland, Hodgman, Comm. ACM
 * 17, 1974). Each corner of the result is a point p of the incident feature with a partner r on the
 * reference plane along n:
 *   r = p + t up,  t = ((r0 - p).m) / (up.m)     m: reference normal, r0: a point of it, up: n if A
 *                  is the reference, else -n
 *   distance along n = -t
 * The distance is linear over the common area, so its corners contain the deepest point.
 *
 * Steadiness: a corner within a tolerance of a clipping plane counts as on it: it is kept and no
 * second corner is made beside it. Corners are named after what meets there (vertex of A, vertex of
 * B, edge of A with edge of B), whichever is the reference. So aligned faces keep number and names
 * of their corners under noise far below the tolerance. Corners within the tolerance of each other
 * are one, and a stretch as short is none: where an end lies over an edge, the normal is that to
 * the edge, and round-off would choose between no point, one, and two at one place.
 * Cost: about 20 ns per reference edge and incident corner that is cut. No workspace. */
#include "geometry/face.h"
#include "math/extremes.h"
#include "math/vec3.h"

// of the smaller feature: closer to a clipping plane counts as on it
static const double plane_tolerance = 1e-5;
// of the smaller feature: what that may cost on a reference that is tilted
static const double height_tolerance = 2e-10;
// B is the reference only if its cosine is better by this
static const double reference_tolerance = 1e-6;
// sine of the angle above which two segments meet in a point
static const double crossing_tolerance = 1e-2;

enum {
  REFERENCE_EDGE = LIMPET_FACE_CAPACITY
};  // edge labels: below, of the incident polygon; from here on, of the reference

typedef struct clip_polygon {
  int count;
  double point[LIMPET_CANDIDATE_CAPACITY][3];
  int edge[LIMPET_CANDIDATE_CAPACITY];  // label of the edge from corner i to i + 1
} clip_polygon;

// Feature numbers: which kind of meeting, and the vertex or edge of each side (15 bits each).
enum { VERTEX_OF_A = 0, VERTEX_OF_B = 1, EDGES_CROSS = 2 };
static uint32_t feature_number(int kind, int of_a, int of_b) {
  return (uint32_t)kind << 30 | ((uint32_t)of_a & 0x7fff) << 15 | ((uint32_t)of_b & 0x7fff);
}

// The smaller extent of the two features.
static double common_size(const limpet_face *a, const limpet_face *b) {
  double square[2] = {0.0, 0.0}, way[3];
  const limpet_face *face[2] = {a, b};
  for (int f = 0; f < 2; ++f)
    for (int i = 1; i < face[f]->count; ++i) {
      limpet_vec3_sub(way, face[f]->point[i], face[f]->point[0]);
      square[f] = limpet_max(square[f], limpet_vec3_dot(way, way));
    }
  return sqrt(limpet_min(square[0], square[1]));
}

static void emit_corner(clip_polygon *out, const double point[3], int edge) {
  if (out->count == LIMPET_CANDIDATE_CAPACITY) return;
  limpet_vec3_copy(out->point[out->count], point);
  out->edge[out->count++] = edge;
}

/* Keeps what lies below the plane normal.x = offset, whose label is `label`. Heights within
 * `tolerance` are on the plane. Returns false if nothing was cut (`out` is then not filled). */
static bool clip_by_plane(clip_polygon *out, const clip_polygon *in, const double normal[3],
                          double offset, double tolerance, int label) {
  double height[LIMPET_CANDIDATE_CAPACITY];
  bool cut = false;
  for (int i = 0; i < in->count; ++i) {
    height[i] = limpet_vec3_dot(normal, in->point[i]) - offset;
    cut = cut || height[i] > tolerance;
  }
  if (!cut) return false;

  out->count = 0;
  for (int i = 0; i < in->count; ++i) {
    const int next = i + 1 < in->count ? i + 1 : 0;
    const bool inside = height[i] <= tolerance, next_inside = height[next] <= tolerance;
    const bool on = fabs(height[i]) <= tolerance, next_on = fabs(height[next]) <= tolerance;

    // a corner on the plane from which the polygon leaves begins the new edge
    if (inside) emit_corner(out, in->point[i], on && !next_inside ? label : in->edge[i]);
    if (inside == next_inside || (inside && on) || (next_inside && next_on)) continue;
    double point[3], along[3];
    limpet_vec3_sub(along, in->point[next], in->point[i]);
    limpet_vec3_addmul(point, in->point[i], height[i] / (height[i] - height[next]), along);
    emit_corner(out, point, inside ? label : in->edge[i]);
  }
  return true;
}

// Outward normal and offset of the plane through edge `k` of the reference that contains `up`.
static double side_plane(double normal[3], const limpet_face *reference, int k,
                         const double up[3]) {
  double edge[3];
  const double *p = reference->point[k];
  limpet_vec3_sub(edge, reference->point[k + 1 < reference->count ? k + 1 : 0], p);
  limpet_vec3_cross(normal, edge, up);
  limpet_vec3_normalize(normal);
  return limpet_vec3_dot(normal, p);
}

// One corner with its partner on the reference plane.
static void emit_candidate(limpet_candidates *candidates, const double point[3],
                           const limpet_face *reference, const double up[3], bool reference_is_a,
                           uint32_t feature) {
  double to_plane[3], partner[3];
  limpet_vec3_sub(to_plane, reference->point[0], point);
  const double t =
      limpet_vec3_dot(to_plane, reference->normal) / limpet_vec3_dot(up, reference->normal);
  limpet_vec3_addmul(partner, point, t, up);
  const int i = candidates->count++;
  limpet_vec3_copy(candidates->on_a[i], reference_is_a ? partner : point);
  limpet_vec3_copy(candidates->on_b[i], reference_is_a ? point : partner);
  candidates->distance[i] = -t;
  candidates->feature[i] = feature;
}

// What the corner between two labelled edges is called.
static uint32_t corner_feature(int before, int after, const limpet_face *reference,
                               const limpet_face *incident, bool reference_is_a) {
  const int n = incident->count;
  const bool reference_before = before >= REFERENCE_EDGE, reference_after = after >= REFERENCE_EDGE;
  if (reference_before && reference_after) {
    const int id = reference->id[after - REFERENCE_EDGE];
    return reference_is_a ? feature_number(VERTEX_OF_A, id, 0) : feature_number(VERTEX_OF_B, 0, id);
  }
  if (!reference_before && !reference_after) {
    const int id = incident->id[n - 1 - after];
    return reference_is_a ? feature_number(VERTEX_OF_B, 0, id) : feature_number(VERTEX_OF_A, id, 0);
  }

  // the incident polygon runs backwards: its edge k begins, in the shape's own sense, at the next
  // corner
  const int of_reference = reference->id[(reference_before ? before : after) - REFERENCE_EDGE];
  const int of_incident = incident->id[(2 * n - 2 - (reference_before ? after : before)) % n];
  return reference_is_a ? feature_number(EDGES_CROSS, of_reference, of_incident)
                        : feature_number(EDGES_CROSS, of_incident, of_reference);
}

static void meet_polygons(limpet_candidates *candidates, const limpet_face *reference,
                          const limpet_face *incident, const double up[3], bool reference_is_a,
                          double tolerance) {
  clip_polygon buffer[2], *polygon = &buffer[0], *spare = &buffer[1];
  polygon->count = incident->count;
  for (int i = 0; i < incident->count; ++i) {
    limpet_vec3_copy(polygon->point[i], incident->point[incident->count - 1 - i]);
    polygon->edge[i] = i;
  }
  for (int k = 0; k < reference->count && polygon->count > 0; ++k) {
    double normal[3];
    const double offset = side_plane(normal, reference, k, up);
    if (clip_by_plane(spare, polygon, normal, offset, tolerance, REFERENCE_EDGE + k)) {
      clip_polygon *swap = polygon;
      polygon = spare, spare = swap;
    }
  }
  for (int i = 0; i < polygon->count; ++i) {
    const int before = polygon->edge[i > 0 ? i - 1 : polygon->count - 1];
    const uint32_t feature =
        corner_feature(before, polygon->edge[i], reference, incident, reference_is_a);
    emit_candidate(candidates, polygon->point[i], reference, up, reference_is_a, feature);
  }
}

static void meet_segment(limpet_candidates *candidates, const limpet_face *reference,
                         const limpet_face *segment, const double up[3], bool reference_is_a,
                         double tolerance) {
  double t[2] = {0.0, 1.0}, along[3];
  int cut_by[2] = {-1, -1};
  limpet_vec3_sub(along, segment->point[1], segment->point[0]);
  for (int k = 0; k < reference->count; ++k) {
    double normal[3];
    const double offset = side_plane(normal, reference, k, up);
    const double h0 = limpet_vec3_dot(normal, segment->point[0]) - offset,
                 h1 = limpet_vec3_dot(normal, segment->point[1]) - offset;
    if (h0 > tolerance && h1 > tolerance) return;
    if (h0 > tolerance && h0 / (h0 - h1) > t[0]) t[0] = h0 / (h0 - h1), cut_by[0] = k;
    if (h1 > tolerance && h0 / (h0 - h1) < t[1]) t[1] = fmax(0.0, h0 / (h0 - h1)), cut_by[1] = k;
  }
  if (!(t[1] - t[0] > plane_tolerance)) return;
  for (int e = 0; e < 2; ++e) {
    double point[3];
    limpet_vec3_addmul(point, segment->point[0], t[e], along);
    const int own = segment->id[e], other = cut_by[e] >= 0 ? reference->id[cut_by[e]] : 0;
    const int kind = cut_by[e] >= 0 ? EDGES_CROSS : reference_is_a ? VERTEX_OF_B : VERTEX_OF_A;
    const uint32_t feature =
        reference_is_a ? feature_number(kind, other, own) : feature_number(kind, own, other);
    emit_candidate(candidates, point, reference, up, reference_is_a, feature);
  }
}

/* Two nearly parallel segments: the ends of the stretch that they share. Crossing ones meet in a
 * point, which the caller knows. */
static void meet_segments(limpet_candidates *candidates, const limpet_face *a, const limpet_face *b,
                          const double normal[3]) {
  double u[3], v[3], c[3], offset[3];
  limpet_vec3_sub(u, a->point[1], a->point[0]);
  limpet_vec3_sub(v, b->point[1], b->point[0]);
  limpet_vec3_cross(c, u, v);
  const double uu = limpet_vec3_dot(u, u), uv = limpet_vec3_dot(u, v), vv = limpet_vec3_dot(v, v);
  if (!(limpet_vec3_dot(c, c) < crossing_tolerance * crossing_tolerance * uu * vv)) return;

  // ends of B along A, then the common stretch
  limpet_vec3_sub(offset, b->point[0], a->point[0]);
  const double start = limpet_vec3_dot(offset, u) / uu, end = start + uv / uu;
  const int low_end = end < start, high_end = !low_end;
  const double b_low = fmin(start, end), b_high = fmax(start, end);
  const double low = fmax(0.0, b_low), high = fmin(1.0, b_high);
  if (!(high - low > plane_tolerance)) return;
  for (int e = 0; e < 2; ++e) {
    const double s = e == 0 ? low : high, t = (s - start) * uu / uv;
    const bool end_of_a = e == 0 ? b_low < plane_tolerance : b_high > 1.0 - plane_tolerance;
    const int i = candidates->count++;
    limpet_vec3_addmul(candidates->on_a[i], a->point[0], s, u);
    limpet_vec3_addmul(candidates->on_b[i], b->point[0], t, v);
    limpet_vec3_sub(offset, candidates->on_b[i], candidates->on_a[i]);
    candidates->distance[i] = limpet_vec3_dot(offset, normal);
    candidates->feature[i] =
        end_of_a ? feature_number(VERTEX_OF_A, a->id[e], 0)
                 : feature_number(VERTEX_OF_B, 0, b->id[e == 0 ? low_end : high_end]);
  }
}

// Of candidates nearer than `near` to each other the deeper one is left, with the name of the
// first.
static void join_candidates(limpet_candidates *c, double near) {
  int count = 0;
  for (int i = 0; i < c->count; ++i) {
    int k = 0;
    while (k < count && !(limpet_vec3_distance(c->on_a[i], c->on_a[k]) < near)) ++k;
    const bool apart = k == count;
    if (apart) c->feature[count++] = c->feature[i];
    else if (!(c->distance[i] < c->distance[k])) continue;
    if (k == i) continue;
    limpet_vec3_copy(c->on_a[k], c->on_a[i]);
    limpet_vec3_copy(c->on_b[k], c->on_b[i]);
    c->distance[k] = c->distance[i];
  }
  c->count = count;
}

// Distance from a clipping plane that counts as on it. Outside a reference that is tilted the
// distance along the normal would be wrong.
static double clip_tolerance(double size, const limpet_face *reference, const double normal[3]) {
  const double cosine = limpet_vec3_dot(reference->normal, normal),
               sine = sqrt(fmax(0.0, 1.0 - cosine * cosine));
  return size *
         (sine * plane_tolerance > height_tolerance ? height_tolerance / sine : plane_tolerance);
}

void limpet_face_meet(limpet_candidates *candidates, const limpet_face *a, const limpet_face *b,
                      const double normal[3]) {
  candidates->count = 0;
  if (a->count == 0 || b->count == 0) return;
  if (a->count == 2 && b->count == 2) {
    meet_segments(candidates, a, b, normal);
    return;
  }
  const double down[3] = {-normal[0], -normal[1], -normal[2]};
  const bool polygons = a->count > 2 && b->count > 2;
  const bool better_a = polygons && limpet_vec3_dot(a->normal, normal) >=
                                        limpet_vec3_dot(b->normal, down) - reference_tolerance;
  const bool reference_is_a = polygons ? better_a : a->count > 2;
  const limpet_face *reference = reference_is_a ? a : b, *incident = reference_is_a ? b : a;
  const double *up = reference_is_a ? normal : down;
  const double size = common_size(a, b), tolerance = clip_tolerance(size, reference, normal);
  if (polygons) {
    meet_polygons(candidates, reference, incident, up, reference_is_a, tolerance);
    join_candidates(candidates, plane_tolerance * size);
  } else meet_segment(candidates, reference, incident, up, reference_is_a, tolerance);
}
