/* record/tendon_skin.c: see tendon_skin.h.
 *
 * Around a sphere or cylinder of centre c and radius r the path goes on from where it touches, in
 * the direction from which it came: c + r (cos(a) e0 + sin(a) e1), e0 from the centre to the touch,
 * e1 along the string, a from 0 to the angle at which it leaves; on a cylinder it climbs evenly. */
#include "record/tendon_skin.h"

#include <assert.h>
#include <math.h>

#include "math/vec3.h"
#include "model/tendon_path.h"
#include "record/skin.h"

enum { STRAIGHT = 2, ROUND = 12 };  // points of a piece from site to site: alone, past a geom
static const double radius_share = 0.008, least_radius = 5e-4, most_radius = 6e-3;  // [-], [m], [m]
static const double turn = 6.283185307179586;                                       // [rad]

// Whether the point of a tendon is a site that a piece leads to; `points`: of that piece.
static bool piece_ends(const limpet_model *model, int tendon, int point, int *points) {
  if (model->tendon_point_kind[point] != LIMPET_TENDON_SITE) return false;
  const int before = point - 1;
  if (before < model->tendon_point_begin[tendon]) return false;
  *points = model->tendon_point_kind[before] == LIMPET_TENDON_GEOM ? ROUND : STRAIGHT;
  return model->tendon_point_kind[before] != LIMPET_TENDON_PULLEY;
}

int limpet_tendon_skin_vertices(const limpet_model *model, int tendon) {
  int count = 0, points;
  for (int i = model->tendon_point_begin[tendon]; i < model->tendon_point_begin[tendon + 1]; ++i)
    if (piece_ends(model, tendon, i, &points)) count += points;
  return count;
}

// ----------------------------------------------------------------------------------- a frame

typedef struct path_points {
  const limpet_model *model;
  const limpet_data *data;
  int tendon, point;     // of the model; the point that was looked at last
  int on;                // geom on which the piece before ended, or LIMPET_NONE
  double from[3], u[3];  // where that piece ended, and its direction (not of unit length)
  double start[3];       // where it began
  float *numbers;        // where the next points go
} path_points;

static void put(path_points *path, const double x[3]) {
  for (int k = 0; k < 3; ++k) path->numbers[k] = (float)x[k];
  path->numbers[3] = 0.0f;
  path->numbers += LIMPET_SKIN_NUMBERS;
}

static void put_straight(path_points *path, const double a[3], const double b[3], int count) {
  for (int i = 0; i < count; ++i) {
    const double share = (double)i / (count - 1);
    double x[3];
    for (int k = 0; k < 3; ++k) x[k] = a[k] + share * (b[k] - a[k]);
    put(path, x);
  }
}

// Takes the part along `axis` (unit) out of x, and returns it.
static double split(double x[3], const double axis[3]) {
  const double along = limpet_vec3_dot(x, axis);
  for (int k = 0; k < 3; ++k) x[k] -= along * axis[k];
  return along;
}

// From where the string touches the geom to where it leaves it, both included.
static void put_round(path_points *path, const double leave[3], int count) {
  const limpet_model *model = path->model;
  const int geom = path->on, body = model->geom_body[geom];
  const double *R = path->data->body_rotation + 9 * body;
  double centre[3], local[9], axis[3], e0[3], e1[3], end[3];
  limpet_mat3_mul_vec(centre, R, model->geom_position + 3 * geom);
  limpet_vec3_add(centre, centre, path->data->body_position + 3 * body);
  limpet_mat3_mul(local, R, model->geom_rotation + 9 * geom);
  for (int k = 0; k < 3; ++k) axis[k] = local[3 * k + 2];
  limpet_vec3_sub(e0, path->from, centre);
  limpet_vec3_sub(end, leave, centre);
  limpet_vec3_copy(e1, path->u);
  double low = 0.0, high = 0.0;
  if (model->geom_kind[geom] == LIMPET_SHAPE_CYLINDER) {
    low = split(e0, axis), high = split(end, axis);
    split(e1, axis);
  }
  const double r = limpet_vec3_norm(e0);
  if (r > 0.0) limpet_vec3_scale(e0, 1.0 / r, e0);
  split(e1, e0);
  // from a site on the surface there is no direction: the short way
  if (!(limpet_vec3_norm(e1) > 1e-9 * r)) {
    limpet_vec3_copy(e1, end);
    split(e1, e0);
  }
  const double length = limpet_vec3_norm(e1);
  if (length > 0.0) limpet_vec3_scale(e1, 1.0 / length, e1);
  double angle = atan2(limpet_vec3_dot(end, e1), limpet_vec3_dot(end, e0));
  if (angle < 0.0) angle += turn;
  if (angle > turn - 1e-6) angle = 0.0;  // it touches in one point
  for (int i = 0; i < count; ++i) {
    const double share = (double)i / (count - 1), a = share * angle, c = cos(a), s = sin(a);
    double x[3];
    for (int k = 0; k < 3; ++k)
      x[k] = centre[k] + (low + share * (high - low)) * axis[k] + r * (c * e0[k] + s * e1[k]);
    put(path, x);
  }
}

static void take_piece(void *context, const limpet_tendon_piece *piece) {
  path_points *path = context;
  if (path->on != LIMPET_NONE) {
    put(path, path->start);
    put_round(path, piece->end[0], ROUND - 2);
    put(path, piece->end[1]);
  } else if (piece->surface == LIMPET_NONE) {
    int points = STRAIGHT;
    while (!piece_ends(path->model, path->tendon, path->point, &points)) ++path->point;
    put_straight(path, piece->end[0], piece->end[1], points);
  }
  if (piece->surface == LIMPET_NONE) {
    // the site that this piece leads to is done
    int points;
    while (!piece_ends(path->model, path->tendon, path->point, &points)) ++path->point;
    ++path->point;
  }
  path->on = piece->surface;
  limpet_vec3_copy(path->start, piece->end[0]);
  limpet_vec3_copy(path->from, piece->end[1]);
  limpet_vec3_sub(path->u, piece->end[1], piece->end[0]);
}

void limpet_tendon_skin_take(const limpet_model *model, const limpet_data *data, int tendon,
                             float *numbers) {
  const limpet_tendon_frames frames = {.body_position = data->body_position,
                                       .body_rotation = data->body_rotation};
  path_points path = {.model = model,
                      .data = data,
                      .tendon = tendon,
                      .point = model->tendon_point_begin[tendon],
                      .on = LIMPET_NONE,
                      .numbers = numbers};
  limpet_tendon_walk(model, &frames, tendon, take_piece, &path);
  assert(path.numbers ==
         numbers + (ptrdiff_t)LIMPET_SKIN_NUMBERS * limpet_tendon_skin_vertices(model, tendon));
}

// ---------------------------------------------------------------------------------- the scene

json_t *limpet_tendon_skin_encode(const limpet_model *model, int tendon, int begin,
                                  limpet_byte_stream *stream) {
  const int count = limpet_tendon_skin_vertices(model, tendon),
            first = model->tendon_point_begin[tendon], end = model->tendon_point_begin[tendon + 1];
  int segments = 0, points, vertex = 0;
  for (int i = first; i < end; ++i)
    if (piece_ends(model, tendon, i, &points)) segments += points - 1;
  json_t *faces = limpet_stream_array_begin(stream, LIMPET_ELEMENT_U4, 0);
  json_t *ends = limpet_stream_array_begin(stream, LIMPET_ELEMENT_U4, 2 * (size_t)segments);
  for (int i = first; i < end; ++i) {
    if (!piece_ends(model, tendon, i, &points)) continue;
    for (int k = 0; k < points - 1; ++k) {
      const uint32_t pair[2] = {(uint32_t)(vertex + k), (uint32_t)(vertex + k + 1)};
      limpet_stream_write(stream, pair, sizeof pair);
    }
    vertex += points;
  }
  const double radius =
      fmin(most_radius, fmax(least_radius, radius_share * model->tendon_reference_length[tendon]));
  return json_pack("{s:i, s:i, s:i, s:i, s:o, s:o, s:f}", "geom", -1, "tendon", tendon, "begin",
                   begin, "count", count, "faces", faces, "segments", ends, "radius", radius);
}
