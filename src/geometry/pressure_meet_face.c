/* geometry/pressure_meet_face.c: the part of a rigid face within a compliant tetrahedron.
 *
 * In the frame of the tetrahedron. Most pairs are kept apart by the plane of the face, with all
 * vertices on one side, or by a face of the tetrahedron, with all corners outside of it. What is
 * left is cut by the tetrahedron (pressure_kernels_code.h). A face in which two tetrahedra meet
 * counts for the one on its inner side. Faces are turned into the frame of the tetrahedra once a
 * query. */
#include "geometry/pressure_meet_face.h"

#include <math.h>

#include "math/vec3.h"

enum { most_corners = 4 };  // of a face

bool limpet_pressure_facing_begin(limpet_pressure_facing *facing,
                                  limpet_pressure_surface *surface) {
  limpet_pressure_workspace *work = surface->workspace;
  facing->surface = surface;
  facing->rigid_is_a = work->a->field->rigid;
  facing->hard = facing->rigid_is_a ? work->a : work->b;
  facing->soft = facing->rigid_is_a ? work->b : work->a;
  facing->frame = limpet_pressure_frame_of(facing->hard, facing->soft);
  facing->least = work->least_pressure, facing->query = work->queries;
  facing->kernels = limpet_pressure_kernels_here();
  return limpet_pressure_zeroed_room(surface, &work->turned_face, &work->turned_face_room,
                                     facing->hard->field->face_count, sizeof *work->turned_face);
}

static int corner_count(const limpet_pressure_field *field, int face) {
  return field->face_begin[face + 1] - field->face_begin[face];
}

bool limpet_pressure_facing_takes(const limpet_pressure_facing *facing, int face) {
  return corner_count(facing->hard->field, face) <= most_corners;
}

static const limpet_pressure_turned_face *turned_face(const limpet_pressure_facing *facing,
                                                      int face) {
  limpet_pressure_turned_face *turned = &facing->surface->workspace->turned_face[face];
  if (turned->query == facing->query) return turned;
  const limpet_pressure_field *field = facing->hard->field;
  const double *R = facing->frame.rotation, *corner = field->corner + 3 * field->face_begin[face];
  const int count = corner_count(field, face);
  for (int k = 0; k < most_corners; ++k) {  // the last one again, up to four
    double x[3];
    limpet_mat3_mul_vec(x, R, corner + 3 * (k < count ? k : count - 1));
    limpet_vec3_add(x, x, facing->frame.offset);
    for (int i = 0; i < 3; ++i) turned->corner[4 * i + k] = x[i];
  }
  limpet_mat3_mul_vec(turned->plane, R, field->face_normal + 3 * face);
  const double first[3] = {turned->corner[0], turned->corner[4], turned->corner[8]};
  turned->plane[3] = -limpet_vec3_dot(turned->plane, first);
  turned->query = facing->query;
  return turned;
}

bool limpet_pressure_face_is_near(const limpet_pressure_facing *facing, int cell, int face,
                                  double slack) {
  const limpet_pressure_field *field = facing->soft->field;
  return facing->kernels->face_is_near(field->quad + 16 * cell, field->plane + 16 * cell,
                                       turned_face(facing, face), slack);
}

static void hand_over(const limpet_pressure_facing *facing, const limpet_pressure_corner *corners,
                      int count, int cell, int number, const double outward[3]) {
  const limpet_pressure_field *field = facing->soft->field;
  const double *gradient = field->cell[cell].gradient;
  double world[LIMPET_PRESSURE_CORNERS_OF_CUT + 1][3], pressures[LIMPET_PRESSURE_CORNERS_OF_CUT];
  // the pressure grows along the outward normal of the rigid body, into the compliant one
  const double slope = limpet_vec3_dot(gradient, outward);
  if (facing->surface->workspace->query->face_filter &&
      limpet_pressure_looks_away(slope, gradient)) {
    ++facing->surface->dropped;
    return;
  }
  const double rate = slope > 0.0 ? slope : 0.0;
  limpet_pressure_face face = {.gradient_a = facing->rigid_is_a ? INFINITY : rate,
                               .gradient_b = facing->rigid_is_a ? rate : INFINITY,
                               .element_a = facing->rigid_is_a ? number : cell,
                               .element_b = facing->rigid_is_a ? cell : number};
  face.feature = (uint64_t)(face.element_a + 1) << 32 | (uint64_t)(face.element_b + 1);
  limpet_mat3_mul_vec(face.normal, facing->soft->rotation, outward);
  if (!facing->rigid_is_a) limpet_vec3_neg(face.normal, face.normal);
  facing->kernels->to_world(world, pressures, corners, count, facing->soft);
  limpet_pressure_add_corners(facing->surface, (const double(*)[3])world, pressures, count, &face);
}

void limpet_pressure_meet_face(const limpet_pressure_facing *facing, int cell, int face) {
  const limpet_pressure_field *field = facing->soft->field;
  const limpet_pressure_turned_face *turned = turned_face(facing, face);
  limpet_pressure_room room;
  int count = corner_count(facing->hard->field, face);
  const limpet_pressure_corner *corners =
      facing->kernels->meet_face(field->quad + 16 * cell, field->plane + 16 * cell,
                                 &field->cell[cell], turned, facing->least, &room, &count);
  if (corners) hand_over(facing, corners, count, cell, face, turned->plane);
}
