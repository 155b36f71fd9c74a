/* geometry/pressure_meet.c: where two compliant tetrahedra meet.
 *
 * In the frame of A: the slice of A's tetrahedron by p_A = p_B, three or four corners, cut by the
 * four faces of B's (pressure_kernels_code.h). Tetrahedra of B are turned into the frame of A once
 * a query. */
#include "geometry/pressure_meet.h"

#include <math.h>

#include "math/vec3.h"

static const double equal_gradients = 1e-12;  // [-]  difference of two that are equal

bool limpet_pressure_meeting_begin(limpet_pressure_meeting *meeting,
                                   limpet_pressure_surface *surface) {
  limpet_pressure_workspace *work = surface->workspace;
  meeting->surface = surface;
  meeting->a = work->a, meeting->b = work->b;
  meeting->frame = limpet_pressure_frame_of(work->b, work->a);
  meeting->least = work->least_pressure;
  meeting->query = work->queries;
  meeting->kernels = limpet_pressure_kernels_here();
  return limpet_pressure_zeroed_room(surface, &work->turned, &work->turned_room,
                                     work->b->field->cell_count, sizeof *work->turned);
}

static const limpet_pressure_turned *turned_cell(const limpet_pressure_meeting *m, int cell) {
  limpet_pressure_turned *turned = &m->surface->workspace->turned[cell];
  if (turned->query == m->query) return turned;
  const limpet_pressure_field *field = m->b->field;
  m->kernels->turn(turned, &m->frame, field->quad + 16 * cell, field->plane + 16 * cell,
                   &field->cell[cell]);
  turned->query = m->query;
  return turned;
}

// d: gradient of p_A less that of p_B, of length `length`; it looks from B into A.
static void hand_over(const limpet_pressure_meeting *m, const limpet_pressure_corner *corners,
                      int count, int i, int j, const double gradient_b[3], const double d[3],
                      double length) {
  const double *gradient_a = m->a->field->cell[i].gradient;
  double normal[3], world[LIMPET_PRESSURE_CORNERS_OF_CUT + 1][3],
      pressures[LIMPET_PRESSURE_CORNERS_OF_CUT];
  limpet_vec3_scale(normal, -1.0 / length, d);
  const double slope_a = -limpet_vec3_dot(gradient_a, normal),
               slope_b = limpet_vec3_dot(gradient_b, normal);
  if (m->surface->workspace->query->face_filter &&
      (limpet_pressure_looks_away(slope_a, gradient_a) ||
       limpet_pressure_looks_away(slope_b, gradient_b))) {
    ++m->surface->dropped;
    return;
  }
  limpet_pressure_face face = {.element_a = i, .element_b = j};
  face.gradient_a = slope_a > 0.0 ? slope_a : 0.0, face.gradient_b = slope_b > 0.0 ? slope_b : 0.0;
  face.feature = (uint64_t)(i + 1) << 32 | (uint64_t)(j + 1);
  limpet_mat3_mul_vec(face.normal, m->a->rotation, normal);
  m->kernels->to_world(world, pressures, corners, count, m->a);
  limpet_pressure_add_corners(m->surface, (const double(*)[3])world, pressures, count, &face);
}

bool limpet_pressure_is_near(const limpet_pressure_meeting *m, int i, int j, double slack) {
  return m->kernels->is_near(m->a->field->quad + 16 * i, turned_cell(m, j), slack);
}

void limpet_pressure_meet(const limpet_pressure_meeting *m, int i, int j) {
  const limpet_pressure_field *field = m->a->field;
  const limpet_pressure_turned *b = turned_cell(m, j);
  limpet_pressure_room room;
  int count;
  const limpet_pressure_corner *corners =
      m->kernels->meet(field->quad + 16 * i, &field->cell[i], b, m->least, &room, &count);
  if (!corners) return;
  const double *gradient_a = field->cell[i].gradient;
  double d[3];
  limpet_vec3_sub(d, gradient_a, b->gradient);
  const double length = limpet_vec3_norm(d);
  if (length > equal_gradients * (limpet_vec3_norm(gradient_a) + limpet_vec3_norm(b->gradient)))
    hand_over(m, corners, count, i, j, b->gradient, d, length);
}
