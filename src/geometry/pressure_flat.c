/* geometry/pressure_flat.c: rigid flat faces in a curved compliant body: each face of a rigid box,
 * hull or triangle mesh, or the plane of a rigid half space (pressure_flat_face.h).
 *
 * Of a mesh with many faces each is a small part of the surface. What they carry together is
 * estimated first, and each may add its share of the error. Faces that lie in one smooth part of
 * the field get the few points of pressure_facet.c. Which faces come near is found in the tree of
 * boxes: a box with centre c and radius r is away where p(c) + r |grad p|_max is below the least.
 */
#include <math.h>

#include "geometry/pressure_flat_face.h"
#include "math/vec3.h"

// bits of a feature that a face's number is spread over, above the points of a ray and below marks
static const uint64_t face_bits = 0x00ffffffffffff00;
// [-]  of the tolerance: what faces get by their size, and each of them alike
static const double sized_share = 0.5, even_share = 0.5;

static void sweep_plane(limpet_pressure_surface *surface, limpet_pressure_flat_chart *f,
                        const limpet_pressure_frame *frame) {
  const limpet_pressure_info *info = &f->field->info;
  const double up[3] = {0.0, 0.0, 1.0};
  double foot[3], t[3], s[3], reach = 0.0;
  limpet_mat3_mul_vec(f->outward, frame->rotation, up);
  limpet_vec3_scale(foot, limpet_vec3_dot(f->outward, frame->offset), f->outward);
  limpet_vec3_steady_tangents(t, s, f->outward);
  for (int i = 0; i < 3; ++i) reach += info->high[i] * info->high[i];
  const double grown = 1.0 - f->least / f->field->modulus;  // level sets outside are this large
  reach = 2.0 * sqrt(reach) * grown;
  limpet_pressure_polygon square = {.count = 4};
  for (int k = 0; k < 4; ++k)
    for (int i = 0; i < 3; ++i)
      square.vertex[k][i] =
          foot[i] + reach * ((k == 1 || k == 2 ? t[i] : -t[i]) + (k >= 2 ? s[i] : -s[i]));
  limpet_pressure_flat_sweep(surface, f, &square, true);
}

// --------------------------------------------------------------------------- all faces

typedef struct flat_faces {
  limpet_pressure_surface *surface;
  limpet_pressure_flat_chart *chart;
  const limpet_pressure_field *rigid;
  limpet_pressure_frame frame;  // of it, in that of the compliant body
  double whole[2];              // [m^2], [N]  estimate
  int pressed;                  // faces
} flat_faces;

// A face in the frame of the compliant body; its normal goes to the chart.
static void turn_face(const flat_faces *faces, int face, limpet_pressure_polygon *polygon) {
  const limpet_pressure_field *rigid = faces->rigid;
  polygon->count = 0;
  for (int c = rigid->face_begin[face]; c < rigid->face_begin[face + 1]; ++c) {
    double *x = polygon->vertex[polygon->count++];
    limpet_mat3_mul_vec(x, faces->frame.rotation, rigid->corner + 3 * c);
    limpet_vec3_add(x, x, faces->frame.offset);
  }
  limpet_mat3_mul_vec(faces->chart->outward, faces->frame.rotation, rigid->face_normal + 3 * face);
}

static void estimate_face(flat_faces *faces, int face) {
  limpet_pressure_polygon polygon;
  turn_face(faces, face, &polygon);
  if (limpet_pressure_flat_radius(faces->chart, &polygon) < 0.0) return;
  bool pressed = false;
  for (int k = 0; k + 2 < polygon.count; ++k) {
    const limpet_pressure_facet facet = limpet_pressure_flat_facet(faces->chart, &polygon, k);
    pressed |= limpet_pressure_facet_estimate(&facet, faces->whole);
  }
  faces->pressed += pressed;
}

// The share of the tolerance that a face may use.
static double part_of(const flat_faces *faces, const limpet_pressure_polygon *polygon) {
  double own[2] = {0.0};
  for (int k = 0; k + 2 < polygon->count; ++k) {
    const limpet_pressure_facet facet = limpet_pressure_flat_facet(faces->chart, polygon, k);
    limpet_pressure_facet_estimate(&facet, own);
  }
  return even_share / faces->pressed +
         sized_share * 0.5 * (own[0] / faces->whole[0] + own[1] / faces->whole[1]);
}

/* Bits by which features of a face differ from those of any other one: a mesh may have more faces
 * than fit above the code of a panel, so its number is scattered over all of them (finaliser of
 * splitmix64, Steele et al. 2014). */
static uint64_t feature_of(int face) {
  uint64_t x = ((uint64_t)face + 1) * 0x9e3779b97f4a7c15;
  x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9;
  x = (x ^ x >> 27) * 0x94d049bb133111eb;
  return (x ^ x >> 31) & face_bits;
}

static void sweep_face(flat_faces *faces, int face) {
  limpet_pressure_surface *surface = faces->surface;
  const int first = surface->point_count;
  limpet_pressure_polygon polygon;
  turn_face(faces, face, &polygon);
  faces->chart->chart.feature = feature_of(face);
  if (faces->pressed > 1) faces->chart->chart.part = part_of(faces, &polygon);
  limpet_pressure_flat_sweep(surface, faces->chart, &polygon, false);
  for (int i = first; i < surface->point_count; ++i) {
    limpet_pressure_point *point = &surface->point[i];
    *(faces->chart->rigid_is_a ? &point->element_a : &point->element_b) = face;
  }
}

static bool box_is_near(const flat_faces *faces, const limpet_item_node *node) {
  const limpet_pressure_field *field = faces->chart->field;
  double x[3];
  int piece;
  limpet_mat3_mul_vec(x, faces->frame.rotation, node->centre);
  limpet_vec3_add(x, x, faces->frame.offset);
  const double p = limpet_pressure_closed_form(field, x, NULL, &piece);
  return p + limpet_vec3_norm(node->half) * field->info.gradient_most >= faces->chart->least;
}

static void each_face(flat_faces *faces, void (*visit)(flat_faces *faces, int face)) {
  const limpet_item_tree *tree = &faces->rigid->tree;
  int stack[LIMPET_ITEM_TREE_DEPTH], depth = 0;
  stack[depth++] = 0;
  while (depth > 0) {
    const int k = stack[--depth];
    const limpet_item_node *node = &tree->node[k];
    if (!box_is_near(faces, node)) continue;
    if (node->item >= 0) visit(faces, node->item);
    else stack[depth++] = node->next, stack[depth++] = k + 1;
  }
}

static void sweep_faces(flat_faces *faces) {
  each_face(faces, estimate_face);
  limpet_pressure_chart *chart = &faces->chart->chart;
  for (int i = 0; i < 2 && faces->pressed > 1; ++i) chart->whole[i] = faces->whole[i];
  each_face(faces, sweep_face);
  // errors are shares of the estimate
  limpet_pressure_surface *surface = faces->surface;
  if (faces->pressed > 1 && surface->area > 0.0 && surface->pressure_integral > 0.0)
    surface->error *= fmax(
        1.0, fmax(chart->whole[0] / surface->area, chart->whole[1] / surface->pressure_integral));
}

void limpet_pressure_flat(limpet_pressure_surface *surface) {
  const limpet_pressure_workspace *work = surface->workspace;
  limpet_pressure_flat_memory memory;
  limpet_pressure_flat_chart f = limpet_pressure_flat_chart_of(surface, &memory);
  const limpet_pressure_body *body = f.body, *rigid = f.rigid_is_a ? work->a : work->b;
  const limpet_pressure_frame frame = limpet_pressure_frame_of(rigid, body);
  limpet_vec3_copy(surface->workspace->origin, body->position);
  if (rigid->field->kind == LIMPET_SHAPE_PLANE) {
    sweep_plane(surface, &f, &frame);
    return;
  }
  flat_faces faces = {.surface = surface, .chart = &f, .rigid = rigid->field, .frame = frame};
  sweep_faces(&faces);
}
