// tests/support/crossing_scenes.c: see crossing_scenes.h.
#include "crossing_scenes.h"

#include <assert.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "random_models.h"

static void append(crossing_scene *s, const char *format, ...) {
  va_list values;
  va_start(values, format);
  s->length += (size_t)vsnprintf(s->text + s->length, sizeof s->text - s->length, format, values);
  va_end(values);
  assert(s->length < sizeof s->text);
}

static int whole_between(unsigned long *seed, int low, int high) {
  const int number = low + (int)random_uniform(seed, 0.0, high - low + 1.0);
  return number > high ? high : number;
}

static void begin(double time_step, double speed, crossing_scene *s) {
  s->length = 0;
  s->time_step = time_step, s->speed = speed;
  append(s, "<mujoco><option timestep='%g'/><worldbody>", time_step);
}

static void end(crossing_scene *s) { append(s, "</worldbody></mujoco>"); }

static void plane(unsigned long *seed, crossing_scene *s) {
  append(s, "<geom type='plane' size='1 1 .1' friction='%g'/>", random_uniform(seed, 0.0, 1.0));
}

static void material(unsigned long *seed, double softest, double stiffest, crossing_scene *s) {
  const double poisson = random_uniform(seed, 0.0, 0.45),
               young = random_log(seed, softest, stiffest);
  append(s, " young='%g' poisson='%g'", young, poisson);
  const double damping = random_log(seed, 1e-4, 1e-2), density = random_log(seed, 200.0, 2000.0);
  append(s, " density='%g' damping='%g'", density, damping);
  append(s, " friction='%g'", random_uniform(seed, 0.0, 1.0));
}

// The faces of a grid of n x m cells, each cut along one of its diagonals.
static void grid_faces(unsigned long *seed, int n, int m, crossing_scene *s) {
  append(s, "' faces='");
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < m; ++j) {
      const int a = i * (m + 1) + j, b = a + 1, c = a + m + 1, d = c + 1;
      if (whole_between(seed, 0, 1)) append(s, "%d %d %d %d %d %d ", a, b, c, b, d, c);
      else append(s, "%d %d %d %d %d %d ", a, b, d, a, d, c);
    }
  append(s, "'");
}

// n x m cells of size `cell` on their edge, a little wavy. No margin: the thickness holds.
void crossing_sheet(unsigned long *seed, double time_step, double speed, double cell,
                    crossing_scene *s) {
  const int n = whole_between(seed, 6, 12), m = whole_between(seed, 3, 6);
  begin(time_step, speed, s);
  s->cell = cell, s->thrown = 0;
  plane(seed, s);
  append(s, "<limpet:deformable type='direct' shell='true' self_contact='true' thickness='%g'",
         cell * random_log(seed, .02, .2));
  append(s, " pos='0 0 %g' euler='", cell * random_uniform(seed, .3, 3.0));
  for (int k = 0; k < 3; ++k) append(s, "%g ", random_uniform(seed, -.3, .3));
  append(s, "' point='");
  for (int i = 0; i <= n; ++i)
    for (int j = 0; j <= m; ++j)
      append(s, "%.8g %.8g %.8g ", (j - m * .5) * cell,
             cell * .1 * sin(2.0 * i) * random_uniform(seed, 0.0, 1.0), i * cell);
  grid_faces(seed, n, m, s);
  material(seed, 1e4, 1e7, s);
  append(s, "/>");
  end(s);
}

// Radius R, the wall 0.08 to 0.25 of it thick, one cell through.
void crossing_ring(unsigned long *seed, double time_step, double speed, crossing_scene *s) {
  static const int corner[6][4] = {{0, 1, 3, 7}, {0, 1, 5, 7}, {0, 2, 3, 7},
                                   {0, 2, 6, 7}, {0, 4, 5, 7}, {0, 4, 6, 7}};
  const double R = random_log(seed, .02, .1), wall = R * random_uniform(seed, .08, .25),
               width = R * random_uniform(seed, .3, .8);
  const int n = whole_between(seed, 16, 24);
  begin(time_step, speed, s);
  s->cell = wall, s->thrown = LIMPET_NONE;
  plane(seed, s);
  append(s, "<body pos='0 0 %g'><joint type='slide' axis='0 0 1'/>", 3.02 * R + 2.02 * wall);
  append(s, "<geom type='box' size='%g %g %g' mass='%g'/></body>", 3 * R, 3 * R, R,
         random_log(seed, .5, 10.0) * 1000.0 * R * R * R);
  append(s, "<limpet:deformable type='direct' self_contact='true' pos='0 0 %g' point='",
         wall + 1.005 * R);
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < 4; ++j) {
      const double angle = 2.0 * acos(-1.0) * i / n, r = R + (j / 2) * wall;
      append(s, "%.8g %.8g %.8g ", r * cos(angle), (j % 2 - .5) * width, r * sin(angle));
    }
  append(s, "' tetrahedra='");
  for (int i = 0; i < n; ++i)
    for (int c = 0; c < 6; ++c)
      for (int k = 0; k < 4; ++k) {
        const int at = corner[c][k];
        append(s, "%d ", 4 * ((i + at % 2) % n) + at / 2);
      }
  append(s, "' law='neo-hookean'");
  material(seed, 2e4, 5e5, s);
  append(s, "/>");
  end(s);
}

/* A level cloth of n x n cells at that height, turned by up to `tilt` [degrees], its vertices moved
 * within it; held: ends in the `ties`, text of its ties. */
static void cloth(unsigned long *seed, int n, double height, double tilt, const char *ties,
                  crossing_scene *s) {
  const double cell = s->cell;
  append(s, "<limpet:deformable type='direct' shell='true' self_contact='true' thickness='%g'",
         cell * random_log(seed, .02, .2));
  const double y = random_uniform(seed, -.2, .2) * cell, x = random_uniform(seed, -.2, .2) * cell;
  append(s, " pos='%g %g %g' euler='", x, y, height);
  append(s, "%g ", random_uniform(seed, -tilt, tilt));
  append(s, "%g ", random_uniform(seed, -tilt, tilt));
  append(s, "%g", tilt > 0.0 ? random_uniform(seed, -180.0, 180.0) : 0.0);
  append(s, "' point='");
  for (int i = 0; i <= n; ++i)
    for (int j = 0; j <= n; ++j) {
      const bool rim = i == 0 || j == 0 || i == n || j == n;
      const double more = rim ? 0.0 : .2 * cell;
      append(s, "%.8g ", (i - n * .5) * cell + more * random_uniform(seed, -1.0, 1.0));
      append(s, "%.8g ", (j - n * .5) * cell + more * random_uniform(seed, -1.0, 1.0));
      append(s, "%.8g ", .02 * cell * random_uniform(seed, -1.0, 1.0));
    }
  grid_faces(seed, n, n, s);
  material(seed, 1e4, 1e7, s);
  append(s, ">%s</limpet:deformable>", ties);
}

// Text of ties that hold two opposite sides of a cloth, or its corners.
static void hold(unsigned long *seed, int n, double cell, char *text, size_t room) {
  const double end = (n * .5 - .01) * cell, more = n * cell;
  if (whole_between(seed, 0, 1))
    snprintf(text, room, "<limpet:tie box='%g %g -1 %g %g 1'/><limpet:tie box='%g %g -1 %g %g 1'/>",
             -more, -more, -end, more, end, -more, more, more);
  else snprintf(text, room, "<limpet:tie vertices='0 %d %d %d'/>", n, n * (n + 1), n * (n + 1) + n);
}

void crossing_cloths(unsigned long *seed, double time_step, double speed, crossing_scene *s) {
  char ties[256] = "";
  const int n = whole_between(seed, 4, 7), lower = whole_between(seed, 4, 7);
  begin(time_step, speed, s);
  s->cell = random_log(seed, .005, .03), s->thrown = 1;
  const bool lies = whole_between(seed, 0, 2) == 0;
  const double height = lies ? .05 * s->cell : 4.0 * s->cell;
  plane(seed, s);
  if (!lies) hold(seed, lower, s->cell, ties, sizeof ties);
  cloth(seed, lower, height, 0.0, ties, s);
  const double tilt = random_uniform(seed, 0.0, 60.0);
  cloth(seed, n, height + s->cell * (.2 + .6 * n * sin(tilt * acos(-1.0) / 180.0) * 1.5), tilt, "",
        s);
  end(s);
}

void crossing_balloon(unsigned long *seed, double time_step, double speed, crossing_scene *s) {
  const double size = random_log(seed, .02, .1);
  begin(time_step, speed, s);
  s->cell = .5 * size, s->thrown = 0;
  plane(seed, s);
  append(s,
         "<limpet:deformable type='ellipsoid' shell='true' self_contact='true' cells='4 4 4' "
         "size='%g %g %g' pos='0 0 %g' euler='",
         size * random_uniform(seed, .5, 1.0), size * random_uniform(seed, .5, 1.0), size,
         1.1 * size);
  for (int k = 0; k < 3; ++k) append(s, "%g ", random_uniform(seed, -90.0, 90.0));
  append(s, "' thickness='%g' pressure='%g'", size * random_log(seed, .003, .03),
         101325.0 * random_log(seed, .3, 1.02));
  material(seed, 1e4, 1e7, s);
  append(s, "/>");
  end(s);
}

void crossing_plate(unsigned long *seed, double time_step, double speed, crossing_scene *s) {
  char ties[256];
  const int n = whole_between(seed, 4, 8);
  begin(time_step, speed, s);
  s->cell = random_log(seed, .005, .03), s->thrown = LIMPET_NONE;
  const double a = s->cell * n * random_uniform(seed, .1, .3),
               b = s->cell * n * random_uniform(seed, .1, .3), up = hypot(a, b) + s->cell;
  const double y = s->cell * random_uniform(seed, -1.0, 1.0),
               x = s->cell * random_uniform(seed, -1.0, 1.0);
  append(s, "<body pos='%g %g %g' euler='", x, y, up);
  for (int k = 0; k < 3; ++k) append(s, "%g ", random_uniform(seed, -90.0, 90.0));
  const double friction = random_uniform(seed, 0.0, 1.0), density = random_log(seed, 500.0, 8000.0);
  append(s, "'><freejoint/><geom type='box' size='%g %g .0005' density='%g' friction='%g'/></body>",
         a, b, density, friction);
  hold(seed, n, s->cell, ties, sizeof ties);
  cloth(seed, n, 0.0, 0.0, ties, s);
  end(s);
}

void crossing_shot(unsigned long *seed, double time_step, double speed, crossing_scene *s) {
  static const char *const kinds[] = {"sphere", "capsule", "ellipsoid", "cylinder"};
  char ties[256];
  const int n = whole_between(seed, 4, 8);
  begin(time_step, speed, s);
  s->cell = random_log(seed, .01, .04), s->thrown = LIMPET_NONE;
  const char *kind = kinds[whole_between(seed, 0, 3)];
  double size[3];
  for (int k = 0; k < 3; ++k) size[k] = s->cell * n * random_log(seed, .05, .2);
  const double up =
      size[0] + size[1] + size[2] + speed * time_step * random_uniform(seed, 0.0, 1.0);
  append(s, "<body pos='%g %g %g' euler='", s->cell * random_uniform(seed, -1.0, 1.0),
         s->cell * random_uniform(seed, -1.0, 1.0), up);
  for (int k = 0; k < 3; ++k) append(s, "%g ", random_uniform(seed, -90.0, 90.0));
  const double friction = random_uniform(seed, 0.0, 1.0), density = random_log(seed, 50.0, 8000.0);
  append(s, "'><freejoint/><geom type='%s' size='%g %g %g' density='%g' friction='%g'/></body>",
         kind, size[0], size[1], size[2], density, friction);
  hold(seed, n, s->cell, ties, sizeof ties);
  cloth(seed, n, 0.0, 0.0, ties, s);
  end(s);
}

void crossing_wire(unsigned long *seed, double time_step, double speed, crossing_scene *s) {
  char ties[256], pose[256];
  const int n = whole_between(seed, 4, 8);
  begin(time_step, speed, s);
  s->cell = random_log(seed, .005, .02), s->thrown = LIMPET_NONE;
  const double radius = random_log(seed, 5e-5, 5e-4),
               half = s->cell * n * random_uniform(seed, .2, .8),
               x = s->cell * random_uniform(seed, -1.0, 1.0),
               y = s->cell * random_uniform(seed, -1.0, 1.0),
               tilt = random_uniform(seed, 0.0, 90.0), turn = random_uniform(seed, -180.0, 180.0);
  snprintf(pose, sizeof pose, "pos='%g %g %g' euler='%g %g 0'", x, y, half + s->cell, tilt, turn);
  append(s, "<body name='pulled' %s><freejoint/>", pose);
  append(s, "<geom type='capsule' size='%g %g' density='%g'/></body>", radius, half,
         random_log(seed, 1e4, 1e5));
  append(s, "<body name='hand' mocap='true' %s/>", pose);
  hold(seed, n, s->cell, ties, sizeof ties);
  cloth(seed, n, 0.0, 0.0, ties, s);
  end(s);
  const char *const weld = "<equality><weld body1='pulled' body2='hand'/></equality></mujoco>";
  s->length -= strlen("</mujoco>");
  append(s, "%s", weld);
}

void crossing_edge(unsigned long *seed, double time_step, double speed, crossing_scene *s) {
  const int n = whole_between(seed, 4, 8);
  begin(time_step, speed, s);
  s->cell = random_log(seed, .005, .03), s->thrown = 0;
  const double a = s->cell * n * random_uniform(seed, .1, .4);
  const double thin = a * random_uniform(seed, .02, .5), wide = a * random_uniform(seed, .3, 2.0);
  append(s, "<geom type='box' size='%g %g %g' euler='", a, wide, thin);
  for (int k = 0; k < 3; ++k) append(s, "%g ", random_uniform(seed, -90.0, 90.0));
  append(s, "' friction='%g'/>", random_uniform(seed, 0.0, 1.0));
  cloth(seed, n, 2.5 * a + .5 * s->cell * n, random_uniform(seed, 0.0, 40.0), "", s);
  end(s);
}

mjcf_world crossing_world(const crossing_scene *s, const char *contact_model) {
  mjcf_world w = mjcf_world_of(s->text, contact_model);
  if (s->thrown == LIMPET_NONE) w.data->v[w.model->nv == 6 ? 2 : 0] = -s->speed;
  else
    for (int k = w.model->deformable_vertex[s->thrown];
         k < w.model->deformable_vertex[s->thrown + 1]; ++k)
      w.data->vertex_velocity[3 * k + 2] = -s->speed;
  return w;
}
