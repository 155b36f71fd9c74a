/* control/trajectory.c: coordinates of joints over time.
 *
 *   sinusoid   q = o + A sin(w t + phase)
 *   piecewise  q = sum_k c_k x^k,  x = (t - t_i)/h in [0, 1], h = t_{i+1} - t_i; p, v h at both
 *              ends, quintic: no acceleration there:
 *              cubic    c = p0, v0 h, 3 d - (2 v0 + v1) h, -2 d + (v0 + v1) h,
 *                       d = p1 - p0
 *              quintic  c = p0, v0 h, 0, 10 d - (6 v0 + 4 v1) h, -15 d + (8 v0 + 7 v1) h, 6 d - 3
 *                       (v0 + v1) h
 *   trapezoid  q = from + s (to - from), s from 0 to 1 with |s'| <= V = min speed/|d|, |s''| <= A =
 *              min acceleration/|d|; when V^2/A > 1 the speed V is not reached and the profile is a
 *              triangle
 * Reference: Siciliano, Sciavicco, Villani, Oriolo, Robotics (2009), section 4.2. Cost of a
 * look-up: O(log points + joints). */
#include <assert.h>
#include <math.h>
#include <stdlib.h>

#include "base/error.h"
#include "limpet/control.h"
#include "math/vec3.h"

enum { DEGREE = 5, TERMS = DEGREE + 1 };

typedef void evaluate(const limpet_trajectory *trajectory, double time, double *q, double *v,
                      double *a);

struct limpet_trajectory {
  evaluate *at;
  int count;           // joints
  int segment_count;   // piecewise
  double end;          // [s]
  double *time;        // (segment_count + 1)  piecewise
  double *number;      // by kind: sinusoid (4 x count); piecewise (segment_count x count x TERMS);
                       // trapezoid (2 x count)
  double start;        // [s]  trapezoid
  double speed, rate;  // [1/s], [1/s^2]  of s; trapezoid
  double rise, flat;   // [s]  how long it accelerates, and keeps its speed; trapezoid
};

static limpet_trajectory *create(evaluate *at, int count, int segment_count, size_t number_count,
                                 limpet_error *error) {
  limpet_trajectory *t = calloc(1, sizeof *t);
  if (t) {
    *t = (limpet_trajectory){
        .at = at, .count = count, .segment_count = segment_count, .end = INFINITY};
    t->number = calloc(number_count + 1, sizeof *t->number);
    t->time = calloc((size_t)segment_count + 1, sizeof *t->time);
    if (t->number && t->time) return t;
  }
  limpet_trajectory_destroy(t);
  limpet_error_fill(error, LIMPET_ERROR_MEMORY, "no memory for a trajectory");
  return NULL;
}

void limpet_trajectory_destroy(limpet_trajectory *trajectory) {
  if (!trajectory) return;
  free(trajectory->number);
  free(trajectory->time);
  free(trajectory);
}

int limpet_trajectory_count(const limpet_trajectory *trajectory) {
  assert(trajectory);
  return trajectory->count;
}
double limpet_trajectory_end(const limpet_trajectory *trajectory) {
  assert(trajectory);
  return trajectory->end;
}

void limpet_trajectory_at(const limpet_trajectory *trajectory, double time, double *q, double *v,
                          double *a) {
  assert(trajectory && q);
  trajectory->at(trajectory, time, q, v, a);
}

// Whether all numbers are finite; fills the error otherwise.
static bool all_finite(const char *what, int count, const double *number, limpet_error *error) {
  for (int i = 0; number && i < count; ++i)
    if (!isfinite(number[i])) {
      limpet_error_fill(error, LIMPET_ERROR_INPUT, "%s %d of a trajectory is not a finite number",
                        what, i);
      return false;
    }
  return true;
}

// ----------------------------------------------------------------------------------- sinusoid

static void sinusoid_at(const limpet_trajectory *t, double time, double *q, double *v, double *a) {
  for (int i = 0; i < t->count; ++i) {
    const double *n = t->number + 4 * i, phase = n[2] * time + n[3], wave = n[1] * sin(phase);
    q[i] = n[0] + wave;
    v[i] = n[1] * n[2] * cos(phase);
    a[i] = -n[2] * n[2] * wave;
  }
}

limpet_trajectory *limpet_trajectory_sinusoid(int count, const double *offset,
                                              const double *amplitude, const double *frequency,
                                              const double *phase, limpet_error *error) {
  assert(count >= 0 && offset && amplitude && frequency && phase);
  if (!all_finite("offset", count, offset, error) ||
      !all_finite("amplitude", count, amplitude, error))
    return NULL;
  if (!all_finite("frequency", count, frequency, error) ||
      !all_finite("phase", count, phase, error))
    return NULL;
  limpet_trajectory *t = create(sinusoid_at, count, 0, 4 * (size_t)count, error);
  for (int i = 0; t && i < count; ++i) {
    double *n = t->number + 4 * i;
    n[0] = offset[i], n[1] = amplitude[i], n[2] = 2.0 * LIMPET_PI * frequency[i], n[3] = phase[i];
  }
  return t;
}

// ---------------------------------------------------------------------------------- piecewise

// The segment that holds `time`, which lies between the first and the last point.
static int segment_of(const limpet_trajectory *t, double time) {
  int low = 0, high = t->segment_count;
  while (high - low > 1) {
    const int middle = (low + high) / 2;
    if (time >= t->time[middle]) low = middle;
    else high = middle;
  }
  return low;
}

static void piecewise_at(const limpet_trajectory *t, double time, double *q, double *v, double *a) {
  const bool moves = time >= t->time[0] && time < t->end;
  const int segment = segment_of(t, fmin(fmax(time, t->time[0]), t->end));
  const double h = t->time[segment + 1] - t->time[segment];
  const double x = fmin(fmax((time - t->time[segment]) / h, 0.0), 1.0);
  for (int i = 0; i < t->count; ++i) {
    const double *c = t->number + ((size_t)segment * (size_t)t->count + (size_t)i) * TERMS;
    double p = c[DEGREE], first = 0.0, second = 0.0;
    for (int k = DEGREE - 1; k >= 0; --k) {  // Horner, with both derivatives
      second = second * x + 2.0 * first;
      first = first * x + p;
      p = p * x + c[k];
    }
    q[i] = p;
    v[i] = moves ? first / h : 0.0;
    a[i] = moves ? second / (h * h) : 0.0;
  }
}

static limpet_trajectory *piecewise(bool quintic, int count, int point_count, const double *time,
                                    const double *position, const double *velocity,
                                    limpet_error *error) {
  if (point_count < 2) {
    limpet_error_fill(error, LIMPET_ERROR_INPUT, "a trajectory needs two points or more");
    return NULL;
  }
  if (!all_finite("time", point_count, time, error) ||
      !all_finite("position", point_count * count, position, error))
    return NULL;
  if (!all_finite("velocity", point_count * count, velocity, error)) return NULL;
  for (int i = 1; i < point_count; ++i)
    if (!(time[i] > time[i - 1])) {
      limpet_error_fill(error, LIMPET_ERROR_INPUT,
                        "time %d of a trajectory, %g s, is not after the one before it, %g s", i,
                        time[i], time[i - 1]);
      return NULL;
    }
  limpet_trajectory *t = create(piecewise_at, count, point_count - 1,
                                (size_t)(point_count - 1) * (size_t)count * TERMS, error);
  if (!t) return NULL;
  for (int i = 0; i < point_count; ++i) t->time[i] = time[i];
  t->end = time[point_count - 1];
  for (int k = 0; k < (point_count - 1) * count; ++k) {
    const double h = time[k / count + 1] - time[k / count], d = position[k + count] - position[k];
    const double v0 = velocity ? h * velocity[k] : 0.0,
                 v1 = velocity ? h * velocity[k + count] : 0.0;
    double *c = t->number + (size_t)k * TERMS;
    c[0] = position[k], c[1] = v0;
    if (quintic)
      c[3] = 10.0 * d - 6.0 * v0 - 4.0 * v1, c[4] = -15.0 * d + 8.0 * v0 + 7.0 * v1,
      c[5] = 6.0 * d - 3.0 * (v0 + v1);
    else c[2] = 3.0 * d - 2.0 * v0 - v1, c[3] = v0 + v1 - 2.0 * d;
  }
  return t;
}

limpet_trajectory *limpet_trajectory_cubic(int count, int point_count, const double *time,
                                           const double *position, const double *velocity,
                                           limpet_error *error) {
  assert(count >= 0 && point_count >= 1 && time && position);
  return piecewise(false, count, point_count, time, position, velocity, error);
}

limpet_trajectory *limpet_trajectory_quintic(int count, int point_count, const double *time,
                                             const double *position, const double *velocity,
                                             limpet_error *error) {
  assert(count >= 0 && point_count >= 1 && time && position);
  return piecewise(true, count, point_count, time, position, velocity, error);
}

// ---------------------------------------------------------------------------------- trapezoid

static void trapezoid_at(const limpet_trajectory *t, double time, double *q, double *v, double *a) {
  const double x = time - t->start, total = 2.0 * t->rise + t->flat;
  double s = 0.0, rate = 0.0, second = 0.0;
  if (x >= total) {
    s = 1.0;
  } else if (x > 0.0 && x < t->rise) {
    s = 0.5 * t->rate * x * x, rate = t->rate * x, second = t->rate;
  } else if (x > 0.0 && x < t->rise + t->flat) {
    s = t->speed * (x - 0.5 * t->rise), rate = t->speed;
  } else if (x > 0.0) {
    const double left = total - x;
    s = 1.0 - 0.5 * t->rate * left * left, rate = t->rate * left, second = -t->rate;
  }
  for (int i = 0; i < t->count; ++i) {
    const double d = t->number[2 * i + 1] - t->number[2 * i];
    q[i] = t->number[2 * i] + s * d;
    v[i] = rate * d;
    a[i] = second * d;
  }
}

limpet_trajectory *limpet_trajectory_trapezoid(int count, double start_time, const double *from,
                                               const double *to, const double *speed,
                                               const double *acceleration, limpet_error *error) {
  assert(count >= 0 && from && to && speed && acceleration);
  double fastest = INFINITY, steepest = INFINITY;
  if (!all_finite("start", count, from, error) || !all_finite("end", count, to, error)) return NULL;
  for (int i = 0; i < count; ++i) {
    const double d = fabs(to[i] - from[i]);
    if (!(speed[i] > 0.0 && acceleration[i] > 0.0)) {
      limpet_error_fill(error, LIMPET_ERROR_INPUT,
                        "speed and acceleration %d of a trajectory, %g and %g, must be positive", i,
                        speed[i], acceleration[i]);
      return NULL;
    }
    if (d > 0.0)
      fastest = fmin(fastest, speed[i] / d), steepest = fmin(steepest, acceleration[i] / d);
  }
  limpet_trajectory *t = create(trapezoid_at, count, 0, 2 * (size_t)count, error);
  if (!t) return NULL;
  for (int i = 0; i < count; ++i) t->number[2 * i] = from[i], t->number[2 * i + 1] = to[i];
  t->start = t->end = start_time;
  if (!isfinite(fastest) || !isfinite(steepest)) return t;  // nothing moves
  t->speed = fmin(fastest, sqrt(steepest));
  t->rate = steepest;
  t->rise = t->speed / t->rate;
  t->flat = fmax(0.0, 1.0 / t->speed - t->rise);
  t->end = start_time + 2.0 * t->rise + t->flat;
  return t;
}
