/* format/mjcf/builtin.c: meshes that MJCF makes from numbers: <mesh builtin="..." params="...">.
 * All have unit size before `scale`.
 *
 *   sphere (level)              icosahedron, each triangle cut in four, level times, onto the unit
 *                               sphere
 *   hemisphere (n)              upper half of an octahedron, edges cut into n + 1, onto the unit
 *                               sphere, closed by its disc
 *   cone (n, r)                 n corners, radius 1 at z = -1 and r at z = 1
 *   supersphere (n, e, f)       x + i y = c(phi, f) (c(theta, e) + i s(theta, e)), z = s(phi, f)
 *   supertorus (n, r, e, f)     x + i y = (1 + r c(phi, e)) (c(theta, f) + i s(theta, f)), z = r
 *                               s(phi, e)
 *   wedge (n, m, a, b, g)       n m taxels on the unit sphere about -z, at the middles of steps of
 *                               azimuth within -a..a and elevation within -b..b degrees; a step
 *                               from s = -1..1 stands at g s^5 + (1 - g) s
 *   plate (n, m)                n m taxels at the middles of the cells of the square z = -1
 *
 * with c(w, k) = sign(cos w) |cos w|^k, s alike, and n steps of theta around and of phi from pole
 * to pole (sphere) or around (torus). What the parameters mean was measured with MuJoCo 4.0.1. A
 * taxel of wedge and plate has two tangents, for the sensor tactile. Those of a plate are y and z,
 * as MuJoCo has them, though z is its normal. */
#include <math.h>
#include <string.h>

#include "format/mesh/growth.h"
#include "format/mjcf/mesh.h"
#include "format/read/value.h"
#include "math/vec3.h"

typedef struct builtin_maker {
  limpet_reader *reader;
  limpet_mesh_growth growth;
  const double *parameter;
  limpet_mesh_description *mesh;
} builtin_maker;

static int vertex(builtin_maker *maker, double x, double y, double z) {
  const double v[3] = {x, y, z};
  return limpet_reader_added(maker->reader, limpet_mesh_add_vertex(&maker->growth, v));
}

static void face(builtin_maker *maker, int a, int b, int c) {
  limpet_reader_added(maker->reader, limpet_mesh_add_face(&maker->growth, a, b, c));
}

static void quad(builtin_maker *maker, int a, int b, int c, int d) {
  face(maker, a, b, c);
  face(maker, a, c, d);
}

// ---------------------------------------------------------------------------------- sphere

static int on_sphere(builtin_maker *maker, const double direction[3]) {
  double v[3];
  limpet_vec3_copy(v, direction);
  limpet_vec3_normalize(v);
  return vertex(maker, v[0], v[1], v[2]);
}

// vertex in the middle of an edge; the one that the neighbouring triangle made, if it did
static int middle(builtin_maker *maker, int first, int a, int b) {
  const double *p = maker->growth.mesh->vertices;
  double sum[3], unit[3];
  limpet_vec3_add(sum, p + 3 * a, p + 3 * b);
  limpet_vec3_copy(unit, sum);
  limpet_vec3_normalize(unit);
  for (int i = first; i < maker->growth.mesh->vertex_count; ++i)
    if (limpet_vec3_distance(maker->growth.mesh->vertices + 3 * i, unit) < 1e-9) return i;
  return on_sphere(maker, sum);
}

static void make_sphere(builtin_maker *maker) {
  static const int start[20][3] = {{0, 11, 5}, {0, 5, 1},  {0, 1, 7},   {0, 7, 10}, {0, 10, 11},
                                   {1, 5, 9},  {5, 11, 4}, {11, 10, 2}, {10, 7, 6}, {7, 1, 8},
                                   {3, 9, 4},  {3, 4, 2},  {3, 2, 6},   {3, 6, 8},  {3, 8, 9},
                                   {4, 9, 5},  {2, 4, 11}, {6, 2, 10},  {8, 6, 7},  {9, 8, 1}};
  const double golden = 0.5 * (1.0 + sqrt(5.0));
  for (int axis = 0; axis < 3; ++axis)
    for (int k = 0; k < 4; ++k) {
      double v[3] = {0.0, 0.0, 0.0};
      v[axis] = k % 2 ? 1.0 : -1.0;
      v[(axis + 1) % 3] = k < 2 ? golden : -golden;
      on_sphere(maker, v);
    }
  for (int i = 0; i < 20; ++i) face(maker, start[i][0], start[i][1], start[i][2]);
  limpet_mesh_file *mesh = maker->growth.mesh;
  for (int level = 0; level < (int)maker->parameter[0]; ++level) {
    const int count = mesh->face_count, first = mesh->vertex_count;
    for (int i = 0; i < count; ++i) {
      const int a = mesh->faces[3 * i], b = mesh->faces[3 * i + 1], c = mesh->faces[3 * i + 2];
      const int ab = middle(maker, first, a, b), bc = middle(maker, first, b, c),
                ca = middle(maker, first, c, a);
      face(maker, a, ab, ca);
      face(maker, b, bc, ab);
      face(maker, c, ca, bc);
      int *inner = mesh->faces + 3 * i;
      inner[0] = ab, inner[1] = bc, inner[2] = ca;
    }
  }
}

static void make_hemisphere(builtin_maker *maker) {
  const int rings = (int)maker->parameter[0] + 1;
  vertex(maker, 0.0, 0.0, 1.0);
  int before = 0;  // first vertex of the ring above
  for (int i = 1; i <= rings; ++i) {
    const int first = maker->growth.mesh->vertex_count, count = 4 * i,
              above = i > 1 ? 4 * (i - 1) : 1;
    for (int k = 0; k < count; ++k) {
      static const double corner[5][2] = {{1, 0}, {0, 1}, {-1, 0}, {0, -1}, {1, 0}};
      const int side = k / i;
      const double t = (double)(k % i) / i, *a = corner[side], *b = corner[side + 1];
      const double v[3] = {i * (a[0] + t * (b[0] - a[0])), i * (a[1] + t * (b[1] - a[1])),
                           rings - i};
      on_sphere(maker, v);
    }
    for (int k = 0; k < count; ++k) {
      const int side = k / i, up = before + (k - side) % above;
      face(maker, first + k, first + (k + 1) % count, up);
      if (k % i) face(maker, up, before + (k - side - 1) % above, first + k);
    }
    before = first;
  }
  const int centre = vertex(maker, 0.0, 0.0, 0.0), count = 4 * rings;
  for (int k = 0; k < count; ++k) face(maker, centre, before + (k + 1) % count, before + k);
}

static void make_cone(builtin_maker *maker) {
  const int n = (int)maker->parameter[0];
  const double r = maker->parameter[1];
  const int low = vertex(maker, 0.0, 0.0, -1.0), high = vertex(maker, 0.0, 0.0, 1.0);
  for (int k = 0; k < n; ++k) {
    const double angle = 2.0 * LIMPET_PI * k / n;
    vertex(maker, cos(angle), sin(angle), -1.0);
    if (r > 0.0) vertex(maker, r * cos(angle), r * sin(angle), 1.0);
  }
  const int step = r > 0.0 ? 2 : 1;
  for (int k = 0; k < n; ++k) {
    const int a = 2 + step * k, b = 2 + step * ((k + 1) % n);
    face(maker, low, b, a);
    if (r > 0.0) quad(maker, a, b, b + 1, a + 1), face(maker, high, a + 1, b + 1);
    else face(maker, a, b, high);
  }
}

// ---------------------------------------------------------------------------- superquadrics

// sign(x) |x|^power; what is zero but for round-off stays near it as in MuJoCo
static double signed_power(double x, double power) { return copysign(pow(fabs(x), power), x); }

static void make_supersphere(builtin_maker *maker) {
  const int n = (int)maker->parameter[0];
  const double e = maker->parameter[1], f = maker->parameter[2];
  const int low = vertex(maker, 0.0, 0.0, -1.0);
  for (int i = 1; i < n; ++i) {
    const double phi = LIMPET_PI * i / n - 0.5 * LIMPET_PI, c = signed_power(cos(phi), f),
                 s = signed_power(sin(phi), f);
    for (int k = 0; k < n; ++k) {
      const double theta = 2.0 * LIMPET_PI * k / n - LIMPET_PI;
      vertex(maker, c * signed_power(cos(theta), e), c * signed_power(sin(theta), e), s);
    }
  }
  const int high = vertex(maker, 0.0, 0.0, 1.0);
  for (int k = 0; k < n; ++k) {
    const int next = (k + 1) % n;
    face(maker, low, 1 + next, 1 + k);
    for (int i = 0; i + 2 < n; ++i)
      quad(maker, 1 + n * i + k, 1 + n * i + next, 1 + n * (i + 1) + next, 1 + n * (i + 1) + k);
    face(maker, high, 1 + n * (n - 2) + k, 1 + n * (n - 2) + next);
  }
}

static void make_supertorus(builtin_maker *maker) {
  const int n = (int)maker->parameter[0];
  const double r = maker->parameter[1], e = maker->parameter[2], f = maker->parameter[3];
  for (int i = 0; i < n; ++i) {
    const double theta = 2.0 * LIMPET_PI * i / n, ct = signed_power(cos(theta), f),
                 st = signed_power(sin(theta), f);
    for (int k = 0; k < n; ++k) {
      const double phi = 2.0 * LIMPET_PI * k / n, distance = 1.0 + r * signed_power(cos(phi), e);
      vertex(maker, distance * ct, distance * st, r * signed_power(sin(phi), e));
    }
  }
  for (int i = 0; i < n; ++i)
    for (int k = 0; k < n; ++k) {
      const int along = (i + 1) % n, around = (k + 1) % n;
      quad(maker, n * i + k, n * along + k, n * along + around, n * i + around);
    }
}

// ------------------------------------------------------------------------------------ skins

static double *take_tangents(builtin_maker *maker) {
  const int count = (int)maker->parameter[0] * (int)maker->parameter[1];
  double *tangents = LIMPET_READER_TAKE(maker->reader, double, 6 * count);
  maker->mesh->tangents = tangents;
  return tangents;
}

// Middle of step i of n over -1..1, drawn towards the centre by g.
static double foveal_middle(int i, int n, double g) {
  double middle = 0.0;
  for (int k = 0; k < 2; ++k) {
    const double s = 2.0 * (i + k) / n - 1.0;
    middle += 0.5 * (g * pow(s, 5) + (1.0 - g) * s);
  }
  return middle;
}

static void make_wedge(builtin_maker *maker) {
  const int n = (int)maker->parameter[0], m = (int)maker->parameter[1];
  const double g = maker->parameter[4], degree = LIMPET_PI / 180.0;
  double *tangent = take_tangents(maker);
  for (int i = 0; i < n; ++i)
    for (int k = 0; k < m; ++k, tangent += 6) {
      const double a = degree * maker->parameter[2] * foveal_middle(i, n, g),
                   e = degree * maker->parameter[3] * foveal_middle(k, m, g);
      vertex(maker, cos(e) * sin(a), sin(e), -cos(e) * cos(a));
      const double along[6] = {cos(a), 0.0, sin(a), -sin(e) * sin(a), cos(e), sin(e) * cos(a)};
      memcpy(tangent, along, sizeof along);
    }
}

static void make_plate(builtin_maker *maker) {
  static const double along[6] = {0.0, 1.0, 0.0, 0.0, 0.0, 1.0};
  const int n = (int)maker->parameter[0], m = (int)maker->parameter[1];
  double *tangent = take_tangents(maker);
  for (int i = 0; i < n; ++i)
    for (int k = 0; k < m; ++k, tangent += 6) {
      vertex(maker, (2.0 * i + 1.0) / n - 1.0, (2.0 * k + 1.0) / m - 1.0, -1.0);
      memcpy(tangent, along, sizeof along);
    }
  for (int i = 0; i + 1 < n; ++i)
    for (int k = 0; k + 1 < m; ++k)
      quad(maker, m * i + k, m * (i + 1) + k, m * (i + 1) + k + 1, m * i + k + 1);
  maker->mesh->inertia = LIMPET_MESH_INERTIA_SHELL;
}

// ------------------------------------------------------------------------------------ table

static const struct {
  const char *name;
  int parameter_count;
  double low[5], high[5];  // of each parameter
  void (*make)(builtin_maker *maker);
} builtins[] = {{"sphere", 1, {0}, {4}, make_sphere},
                {"hemisphere", 1, {0}, {10}, make_hemisphere},
                {"cone", 2, {3, 0}, {1000, 1}, make_cone},
                {"supersphere", 3, {3, 0, 0}, {500, 100, 100}, make_supersphere},
                {"supertorus", 4, {3, 1e-6, 1e-6, 1e-6}, {500, 1, 100, 100}, make_supertorus},
                {"wedge", 5, {1, 1, 1e-6, 1e-6, 0}, {1000, 1000, 180, 90, 1}, make_wedge},
                {"plate", 2, {1, 1}, {1000, 1000}, make_plate}};

bool limpet_mjcf_builtin(limpet_reader *reader, const limpet_xml_element *e, limpet_mesh_file *mesh,
                         limpet_mesh_description *d) {
  const char *name = limpet_xml_value(e, "builtin");
  for (size_t i = 0; i < sizeof builtins / sizeof *builtins; ++i) {
    if (strcmp(builtins[i].name, name) != 0) continue;
    double parameter[5];
    limpet_read_required(reader, e, "params");
    limpet_read_numbers(reader, e, "params", parameter, builtins[i].parameter_count,
                        builtins[i].parameter_count);
    for (int k = 0; k < builtins[i].parameter_count; ++k)
      if (!(parameter[k] >= builtins[i].low[k] && parameter[k] <= builtins[i].high[k]))
        limpet_reader_fail(reader, e, "params",
                           "number %d of the parameters of a %s is %g; it lies between %g and %g",
                           k + 1, name, parameter[k], builtins[i].low[k], builtins[i].high[k]);
    builtin_maker maker = {
        .reader = reader, .growth.mesh = mesh, .parameter = parameter, .mesh = d};
    builtins[i].make(&maker);
    return true;
  }
  return false;
}
