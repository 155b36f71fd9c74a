/* format/mjcf/orientation.c: the five ways in which MJCF writes a rotation, and segments.
 *
 * euler with the sequence s1 s2 s3: lower-case letters turn about axes that move, q = q1 q2 q3;
 * upper-case ones about fixed axes, q = q3 q2 q1. xyaxes gives x and a vector in the xy plane;
 * zaxis the shortest rotation that takes z to it. */
#include <ctype.h>
#include <float.h>
#include <math.h>

#include "format/mjcf/orientation.h"
#include "format/read/value.h"
#include "math/quaternion.h"

static double angle_of(const limpet_mjcf_source *source, double angle) {
  return source->compiler.degrees ? angle * LIMPET_PI / 180.0 : angle;
}

void limpet_mjcf_euler(const limpet_mjcf_source *source, const double angle[3],
                       double quaternion[4]) {
  limpet_quaternion_identity(quaternion);
  for (int i = 0; i < 3; ++i) {
    const char letter = source->compiler.euler_sequence[i];
    double axis[3] = {0.0, 0.0, 0.0}, turn[4], product[4];
    axis[tolower((unsigned char)letter) - 'x'] = 1.0;
    limpet_quaternion_from_axis_angle(turn, axis, angle_of(source, angle[i]));
    if (islower((unsigned char)letter)) limpet_quaternion_mul(product, quaternion, turn);
    else limpet_quaternion_mul(product, turn, quaternion);
    limpet_quaternion_copy(quaternion, product);
  }
  limpet_quaternion_normalize(quaternion);
}

// unit vector, or the end of the reading where it is zero, or too long for doubles
static void normalize(limpet_reader *reader, const limpet_xml_element *e, const char *name,
                      double v[3]) {
  const double length = limpet_vec3_normalize(v);
  if (!(length >= 1e-14 && length <= DBL_MAX))
    limpet_reader_fail(reader, e, name, "'%s' needs a direction, but it is too %s", name,
                       length < 1e-14 ? "small or not independent" : "large");
}

static void from_quat(limpet_reader *reader, const limpet_mjcf_source *source,
                      const limpet_xml_element *e, double quaternion[4]) {
  (void)source;
  limpet_read_finite(reader, e, "quat", quaternion, 4);
  limpet_reader_check_length(reader, e, "quat", "'quat'", limpet_quaternion_normalize(quaternion),
                             "its length should be 1");
}

static void from_axis_angle(limpet_reader *reader, const limpet_mjcf_source *source,
                            const limpet_xml_element *e, double quaternion[4]) {
  double value[4];
  limpet_read_finite(reader, e, "axisangle", value, 4);
  normalize(reader, e, "axisangle", value);
  limpet_quaternion_from_axis_angle(quaternion, value, angle_of(source, value[3]));
}

// whether it is an eighth of a turn in radians, or several: 0.785, 1.57, 3.1416
static bool is_part_of_pi(double angle) {
  const double eighth = 0.25 * LIMPET_PI, rest = fabs(remainder(angle, eighth));
  return fabs(angle) > 0.5 * eighth && fabs(angle) < 9.0 * eighth && rest < 2e-3;
}

// Radians where nothing says that angles are degrees; degrees where angles are radians.
static void note_units(limpet_reader *reader, const limpet_mjcf_source *source,
                       const limpet_xml_element *e, const double angle[3]) {
  const double turn = 2.0 * LIMPET_PI * 1.01;
  for (int i = 0; i < 3; ++i) {
    if (source->compiler.degrees && !source->compiler.angle_given && is_part_of_pi(angle[i]))
      limpet_reader_note(reader, e, "euler", "euler in radians",
                         "an angle is %g degrees: are these radians? angles are degrees without "
                         "<compiler angle=\"radian\"/>",
                         angle[i]);
    if (!source->compiler.degrees && fabs(angle[i]) > turn)
      limpet_reader_note(reader, e, "euler", "euler in degrees",
                         "an angle is %g rad, more than a turn: are these degrees? <compiler "
                         "angle=\"radian\"/> says radians",
                         angle[i]);
  }
}

static void from_euler(limpet_reader *reader, const limpet_mjcf_source *source,
                       const limpet_xml_element *e, double quaternion[4]) {
  double angle[3];
  limpet_read_finite(reader, e, "euler", angle, 3);
  note_units(reader, source, e, angle);
  limpet_mjcf_euler(source, angle, quaternion);
}

static void from_xy_axes(limpet_reader *reader, const limpet_mjcf_source *source,
                         const limpet_xml_element *e, double quaternion[4]) {
  (void)source;
  double axes[6], z[3], R[9];
  limpet_read_finite(reader, e, "xyaxes", axes, 6);
  double *x = axes, *y = axes + 3;
  normalize(reader, e, "xyaxes", x);
  limpet_vec3_addmul(y, y, -limpet_vec3_dot(x, y), x);
  normalize(reader, e, "xyaxes", y);
  limpet_vec3_cross(z, x, y);
  for (int i = 0; i < 3; ++i) R[3 * i] = x[i], R[3 * i + 1] = y[i], R[3 * i + 2] = z[i];
  limpet_quaternion_from_matrix(quaternion, R);

  // MuJoCo's of both signs, so that qpos0 is its: w or, beyond 120 degrees, the largest of x, y, z
  // is positive
  const double *u = quaternion + 1;
  int most = fabs(u[1]) > fabs(u[0]) ? 1 : 0;
  if (fabs(u[2]) > fabs(u[most])) most = 2;
  if (R[0] + R[4] + R[8] <= 0.0 && u[most] < 0.0)
    for (int i = 0; i < 4; ++i) quaternion[i] = -quaternion[i];
}

// the shortest rotation that takes z to the unit `axis`
static void z_to(const double axis[3], double quaternion[4]) {
  const double z[3] = {0.0, 0.0, 1.0};
  double turn[3];
  limpet_vec3_cross(turn, z, axis);
  const double sine = limpet_vec3_norm(turn);
  if (sine < 1e-10) limpet_vec3_set(turn, 1.0, 0.0, 0.0);
  else limpet_vec3_scale(turn, 1.0 / sine, turn);
  limpet_quaternion_from_axis_angle(quaternion, turn, atan2(sine, axis[2]));
}

static void from_z_axis(limpet_reader *reader, const limpet_mjcf_source *source,
                        const limpet_xml_element *e, double quaternion[4]) {
  (void)source;
  double axis[3];
  limpet_read_finite(reader, e, "zaxis", axis, 3);
  normalize(reader, e, "zaxis", axis);
  z_to(axis, quaternion);
}

bool limpet_mjcf_orientation(limpet_reader *reader, const limpet_mjcf_source *source,
                             const limpet_xml_element *e, double quaternion[4]) {
  static const struct {
    const char *name;
    void (*read)(limpet_reader *, const limpet_mjcf_source *, const limpet_xml_element *,
                 double[4]);
  } forms[] = {{"quat", from_quat},
               {"axisangle", from_axis_angle},
               {"euler", from_euler},
               {"xyaxes", from_xy_axes},
               {"zaxis", from_z_axis}};
  const char *found = NULL;
  for (size_t i = 0; i < sizeof forms / sizeof *forms; ++i) {
    if (!limpet_xml_find(e, forms[i].name)) continue;
    if (found)
      limpet_reader_fail(reader, e, forms[i].name,
                         "<%s> has two orientations, '%s' and '%s'; keep one", e->name, found,
                         forms[i].name);
    found = forms[i].name;
    forms[i].read(reader, source, e, quaternion);
  }
  return found != NULL;
}

double limpet_mjcf_segment(const double from_to[6], double position[3], double quaternion[4]) {
  double axis[3];
  limpet_vec3_sub(axis, from_to, from_to + 3);
  const double length = limpet_vec3_normalize(axis);
  for (int i = 0; i < 3; ++i) position[i] = 0.5 * (from_to[i] + from_to[3 + i]);
  z_to(axis, quaternion);
  return 0.5 * length;
}
