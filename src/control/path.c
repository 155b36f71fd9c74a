/* control/path.c: a pose over time: straight lines with slerp, and circles, at rest at both ends of
 * each piece.
 *
 *   time law  s(x) = 10 x^3 - 15 x^4 + 6 x^5,  x = (t - t0)/h:  s, s', s'' are 0, 0, 0 at x = 0 and
 *             1, 0, 0 at x = 1
 *   line      p = p0 + s (p1 - p0),  R = R0 exp(s r),  r = log(R0' R1):  w = s' R0 r,  dw/dt = s''
 *             R0 r
 *   circle    p = c + exp(s angle n)(p0 - c),  w = s' angle n:  dp/dt = w x (p - c),  d2p/dt2 =
 *             dw/dt x (p - c) + w x dp/dt
 * A piece of either kind is a line and a turn: position and rotation are kept apart. */
#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "limpet/control.h"
#include "math/quaternion.h"

typedef struct piece {
  double begin, end;  // [s]
  limpet_pose start;  // W
  double shift[3];    // [m]  W  straight motion of the position
  double turn[3];     // [rad]  W  rotation vector of the orientation
  bool circular;      // the position turns by `arc` about `centre` instead
  double centre[3];   // [m]  W
  double arc[3];      // [rad]  W
} piece;

struct limpet_path {
  int count;
  piece *piece;  // (count)
};

static limpet_path *create(int count, limpet_error *error) {
  limpet_path *path = calloc(1, sizeof *path);
  if (path) path->piece = calloc((size_t)count, sizeof *path->piece);
  if (path && path->piece) {
    path->count = count;
    return path;
  }
  free(path);
  limpet_error_fill(error, LIMPET_ERROR_MEMORY, "no memory for a path");
  return NULL;
}

void limpet_path_destroy(limpet_path *path) {
  if (!path) return;
  free(path->piece);
  free(path);
}

double limpet_path_start(const limpet_path *path) {
  assert(path);
  return path->piece[0].begin;
}

double limpet_path_end(const limpet_path *path) {
  assert(path);
  return path->piece[path->count - 1].end;
}

// The pose with a unit quaternion; false, with the error, if it is none.
static bool pose_take(limpet_pose *pose, const limpet_pose *given, limpet_error *error) {
  *pose = *given;
  bool finite = limpet_quaternion_normalize(pose->quaternion) > 0.0;
  for (int i = 0; i < 3; ++i) finite &= isfinite(pose->position[i]) != 0;
  for (int i = 0; i < 4; ++i) finite &= isfinite(pose->quaternion[i]) != 0;
  if (!finite)
    limpet_error_fill(error, LIMPET_ERROR_INPUT,
                      "a pose of a path is not finite, or its quaternion is zero");
  return finite;
}

// Rotation vector in W that leads from a to b, by the shorter way.
static void turn_between(double turn[3], const double a[4], const double b[4]) {
  double back[4], relative[4], local[3];
  limpet_quaternion_conjugate(back, a);
  limpet_quaternion_mul(relative, back, b);
  limpet_quaternion_log(local, relative);
  limpet_quaternion_rotate(turn, a, local);
}

limpet_path *limpet_path_line(int point_count, const double *time, const limpet_pose *pose,
                              limpet_error *error) {
  assert(point_count >= 1 && time && pose);
  if (point_count < 2) {
    limpet_error_fill(error, LIMPET_ERROR_INPUT, "a path needs two poses or more");
    return NULL;
  }
  for (int i = 0; i < point_count; ++i)
    if (!isfinite(time[i]) || (i > 0 && !(time[i] > time[i - 1]))) {
      limpet_error_fill(error, LIMPET_ERROR_INPUT,
                        "time %d of a path, %g s, is not after the one before it", i, time[i]);
      return NULL;
    }
  limpet_path *path = create(point_count - 1, error);
  for (int i = 0; path && i + 1 < point_count; ++i) {
    piece *p = &path->piece[i];
    limpet_pose next;
    p->begin = time[i], p->end = time[i + 1];
    if (!pose_take(&p->start, &pose[i], error) || !pose_take(&next, &pose[i + 1], error)) {
      limpet_path_destroy(path);
      return NULL;
    }
    limpet_vec3_sub(p->shift, next.position, p->start.position);
    turn_between(p->turn, p->start.quaternion, next.quaternion);
  }
  return path;
}

limpet_path *limpet_path_circle(const limpet_pose *start, const double centre[3],
                                const double axis[3], double angle, double start_time,
                                double end_time, bool turning, limpet_error *error) {
  assert(start && centre && axis);
  const double length = limpet_vec3_norm(axis);
  if (!(length > 0.0) || !isfinite(length) || !isfinite(angle) ||
      !isfinite(limpet_vec3_norm(centre))) {
    limpet_error_fill(error, LIMPET_ERROR_INPUT,
                      "the axis, centre or angle of a circle is not finite, or the axis is zero");
    return NULL;
  }
  if (!(end_time > start_time) || !isfinite(end_time - start_time)) {
    limpet_error_fill(error, LIMPET_ERROR_INPUT,
                      "a circle ends at %g s, which is not after its start at %g s", end_time,
                      start_time);
    return NULL;
  }
  limpet_path *path = create(1, error);
  if (!path) return NULL;
  piece *p = path->piece;
  *p = (piece){.begin = start_time, .end = end_time, .circular = true};
  if (!pose_take(&p->start, start, error)) {
    limpet_path_destroy(path);
    return NULL;
  }
  limpet_vec3_copy(p->centre, centre);
  limpet_vec3_scale(p->arc, angle / length, axis);
  if (turning) limpet_vec3_copy(p->turn, p->arc);
  return path;
}

static void position_at(const piece *p, double s, double rate, double second, double position[3],
                        double v[3], double a[3]) {
  if (!p->circular) {
    for (int i = 0; i < 3; ++i) {
      position[i] = p->start.position[i] + s * p->shift[i];
      v[i] = rate * p->shift[i];
      a[i] = second * p->shift[i];
    }
    return;
  }
  double turned[3], rotation[4], radius[3], from[3], w[3], tangent[3], inward[3];
  limpet_vec3_scale(turned, s, p->arc);
  limpet_quaternion_exp(rotation, turned);
  limpet_vec3_sub(from, p->start.position, p->centre);
  limpet_quaternion_rotate(radius, rotation, from);
  limpet_vec3_add(position, p->centre, radius);
  limpet_vec3_scale(w, rate, p->arc);
  limpet_vec3_cross(v, w, radius);
  limpet_vec3_cross(tangent, p->arc, radius);
  limpet_vec3_cross(inward, w, v);
  for (int i = 0; i < 3; ++i) a[i] = second * tangent[i] + inward[i];
}

void limpet_path_at(const limpet_path *path, double time, limpet_pose *pose, double velocity[6],
                    double acceleration[6]) {
  assert(path && pose);
  int i = 0;
  while (i + 1 < path->count && time >= path->piece[i + 1].begin) ++i;
  const piece *p = &path->piece[i];
  const double h = p->end - p->begin, x = fmin(fmax((time - p->begin) / h, 0.0), 1.0);
  const double s = x * x * x * (10.0 - 15.0 * x + 6.0 * x * x),
               rate = 30.0 * x * x * (1.0 - x) * (1.0 - x) / h;
  const double second = 60.0 * x * (1.0 - x) * (1.0 - 2.0 * x) / (h * h);
  position_at(p, s, rate, second, pose->position, velocity + 3, acceleration + 3);
  double turned[3], rotation[4];
  limpet_vec3_scale(turned, s, p->turn);
  limpet_quaternion_exp(rotation, turned);
  limpet_quaternion_mul(pose->quaternion, rotation, p->start.quaternion);
  limpet_vec3_scale(velocity, rate, p->turn);
  limpet_vec3_scale(acceleration, second, p->turn);
}
