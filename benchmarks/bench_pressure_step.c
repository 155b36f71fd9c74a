/* benchmarks/bench_pressure_step.c: time of steps with contact surfaces, by stage, and per face.
 *
 * Scenes: the soft pads of scenes/pressure_pads.xml, a soft sphere on a plane and in a box, and
 * with shared data the meshed block (960 tetrahedra) of ../shared/models/soft on a plane and on
 * another one, and a soft ball in a bowl. Each world settles, then the mean and the least over the
 * steps that follow are printed.
 *
 * usage: bench_pressure_step [PADS.xml [BLOCK.vtk [BOWL.obj [PART [RUNS]]]]]
 *   PART: of the names of scenes to run; RUNS: of the twenty steps of Drake's ball (40), which two
 *   runs of callgrind with different numbers count */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "limpet/limpet.h"

enum { SETTLING = 300, MEASURED = 200 };

static const char *const ground = "<geom type='plane' size='1 1 .1'/>";
static const char *const ball =
    "<body pos='0 0 .048'><freejoint/><geom type='sphere' size='.05' mass='.5' "
    "limpet:elastic_modulus='1e5'/></body>";
static const char *const soft_box =
    "<geom type='box' size='.2 .2 .1' pos='0 0 -.1' limpet:elastic_modulus='1e6'/>";

static void add_soft_geom(limpet_builder *builder, const limpet_mesh_description *mesh) {
  limpet_geom_description g = limpet_geom_description_default();
  g.body = limpet_builder_find(builder, LIMPET_OBJECT_BODY, "ball");
  g.kind = LIMPET_SHAPE_MESH;
  g.mesh = limpet_builder_add_mesh(builder, mesh);
  g.material.elastic_modulus = 4e5, g.material.dissipation = 20.0, g.material.friction = 0.5;
  limpet_builder_add_geom(builder, &g);
}

// ball_mesh: the mesh of a soft geom of the body `ball`; or NULL
static limpet_model *from_text(const char *text, const limpet_mesh_description *ball_mesh) {
  limpet_builder *builder = limpet_builder_create();
  limpet_error error = {0};
  limpet_model *model = NULL;
  if (builder &&
      limpet_mjcf_read_text(builder, text, strlen(text), "scene.xml", NULL, &error) == LIMPET_OK) {
    if (ball_mesh) add_soft_geom(builder, ball_mesh);
    model = limpet_builder_compile(builder, &error);
  }
  if (!model) printf("left out: %s\n", error.message);
  limpet_builder_destroy(builder);
  return model;
}

static limpet_model *from_bodies(const char *asset, const char *floor, const char *bodies) {
  char text[4000];
  snprintf(text, sizeof text, "<mujoco>%s<worldbody>%s%s</worldbody></mujoco>", asset, floor,
           bodies);
  return from_text(text, NULL);
}

static const char *part = "";  // of a scene's name: others are left out
static int ball_runs = 40;

// Of one step, or a mean over several.
typedef struct timing {
  double stage[LIMPET_STAGE_COUNT], total;  // [us]
  double faces;
} timing;

static timing timed_step(const limpet_model *model, limpet_data *data,
                         const limpet_step_settings *settings) {
  limpet_step(model, data, settings);
  timing t = {.faces = (double)data->info.contact_count};
  for (int s = 0; s < LIMPET_STAGE_COUNT; ++s) {
    t.stage[s] = 1e6 * data->info.stage_time[s];
    t.total += t.stage[s];
  }
  return t;
}

static void keep_least(timing *least, timing t) {
  if (t.total < least->total) *least = t;
}

// target: [us]  asked for; 0: none
static void print(const char *name, double target, timing t) {
  printf(
      "%-22s %6.0f faces  step %8.1f us: surface %8.1f, assembly %6.1f, solve %7.1f; "
      "%.2f us a face",
      name, t.faces, t.total, t.stage[LIMPET_STAGE_NARROW_PHASE], t.stage[LIMPET_STAGE_ASSEMBLY],
      t.stage[LIMPET_STAGE_SOLVE], t.faces > 0.0 ? t.total / t.faces : 0.0);
  if (target > 0.0) printf("  (asked: %g us)", target);
  printf("\n");
}

// The quickest step of a world that has settled.
static void measure(const char *name, limpet_model *model) {
  limpet_data *data = model && strstr(name, part) ? limpet_data_create(model) : NULL;
  if (data) {
    limpet_step_settings settings = limpet_step_settings_default(model);
    settings.profile = true;
    timing least = {.total = INFINITY};
    for (int i = 0; i < SETTLING + MEASURED; ++i) {
      const timing t = timed_step(model, data, &settings);
      if (i >= SETTLING) keep_least(&least, t);
    }
    print(name, 0.0, least);
  }
  limpet_data_destroy(data);
  limpet_model_destroy(model);
}

static const char *const bowl = "<geom type='mesh' mesh='bowl' friction='.5'/>";

/* A soft ball that lies in a rigid bowl of 320 triangles: its exact field, and tetrahedra. */
static void measure_bowl(const char *bowl_file) {
  char asset[700];
  snprintf(asset, sizeof asset,
           "<asset><mesh name='bowl' file='%s' limpet:concave='true'/>"
           "<mesh name='ball' builtin='sphere' params='2' scale='.03 .03 .03' "
           "limpet:concave='true'/></asset>",
           bowl_file);
  const char *body =
      "<body pos='.02 .01 .0371'><freejoint/><geom %s mass='.2' limpet:elastic_modulus='4e5' "
      "limpet:dissipation='20' friction='.5'/></body>";
  char exact[400], meshed[400];
  snprintf(exact, sizeof exact, body, "type='sphere' size='.03'");
  snprintf(meshed, sizeof meshed, body, "type='mesh' mesh='ball'");
  measure("exact sphere in bowl", from_bodies(asset, bowl, exact));
  measure("meshed sphere in bowl", from_bodies(asset, bowl, meshed));
}

/* An octahedron whose faces are halved three times, each face a tetrahedron to the centre, as
 * Drake makes of a sphere of 3 cm at a resolution of 1 cm. */
enum { BALL_POINTS = 259, BALL_CELLS = 512, HALVINGS = 3 };
static const double ball_radius = 0.03;  // [m]

typedef struct ball_mesh {
  double x[BALL_POINTS][3];  // [m]  point 0: the centre
  int cells[BALL_CELLS][4];
  int point_count, cell_count;
} ball_mesh;

// The point of the ball in direction `d`, a new one if need be.
static int ball_point(ball_mesh *m, const double d[3]) {
  const double scale = ball_radius / sqrt(d[0] * d[0] + d[1] * d[1] + d[2] * d[2]);
  const double x[3] = {scale * d[0], scale * d[1], scale * d[2]};
  for (int i = 1; i < m->point_count; ++i) {
    const double *y = m->x[i];
    if (hypot(hypot(x[0] - y[0], x[1] - y[1]), x[2] - y[2]) < 1e-9) return i;
  }
  memcpy(m->x[m->point_count], x, sizeof x);
  return m->point_count++;
}

static int ball_middle(ball_mesh *m, int a, int b) {
  const double *x = m->x[a], *y = m->x[b];
  return ball_point(m, (double[3]){x[0] + y[0], x[1] + y[1], x[2] + y[2]});
}

static void halve(ball_mesh *m, int a, int b, int c, int times) {
  if (times == 0) {
    memcpy(m->cells[m->cell_count++], (int[4]){a, b, c, 0}, sizeof(int[4]));
    return;
  }
  const int ab = ball_middle(m, a, b), bc = ball_middle(m, b, c), ca = ball_middle(m, c, a);
  halve(m, a, ab, ca, times - 1), halve(m, b, bc, ab, times - 1);
  halve(m, c, ca, bc, times - 1), halve(m, ab, bc, ca, times - 1);
}

static void make_ball(ball_mesh *m) {
  m->point_count = 1, m->cell_count = 0;
  memset(m->x[0], 0, sizeof m->x[0]);
  for (int octant = 0; octant < 8; ++octant) {
    double axis[3][3] = {{0.0}};
    for (int i = 0; i < 3; ++i) axis[i][i] = octant >> i & 1 ? -1.0 : 1.0;
    const bool mirrored = axis[0][0] * axis[1][1] * axis[2][2] > 0.0;
    const int a = ball_point(m, axis[0]), b = ball_point(m, axis[1]), c = ball_point(m, axis[2]);
    halve(m, a, mirrored ? c : b, mirrored ? b : c, HALVINGS);
  }
}

static limpet_model *drake_ball_model(const char *bowl_file) {
  static ball_mesh m;
  make_ball(&m);
  double field[BALL_POINTS] = {1.0};
  limpet_mesh_description d = limpet_mesh_description_default();
  d.name = "ball";
  d.vertices = m.x[0], d.vertex_count = m.point_count;
  d.tetrahedra = m.cells[0], d.tetrahedron_count = m.cell_count;
  d.field = field;
  char text[1500];
  snprintf(text, sizeof text,
           "<mujoco><asset><mesh name='bowl' file='%s' limpet:concave='true'/></asset><worldbody>"
           "%s<body name='ball'><freejoint/><inertial pos='0 0 0' mass='.2' "
           "diaginertia='7.2e-5 7.2e-5 7.2e-5'/></body></worldbody></mujoco>",
           bowl_file, bowl);
  return from_text(text, &d);
}

/* Twenty steps of a ball that slides and spins in the bowl: `sphere_in_bowl` of
 * ../shared/golden/hydroelastic/scenes, on Drake's mesh. They run again and again; of each step
 * the least time counts. */
static void measure_drake_ball(const char *name, const char *bowl_file, const char *preset) {
  enum { STEPS = 20 };
  limpet_model *model = strstr(name, part) ? drake_ball_model(bowl_file) : NULL;
  limpet_data *data = model ? limpet_data_create(model) : NULL;
  if (data) {
    const double q[7] = {.03, .01, .0371, 1.0, 0.0, 0.0, 0.0}, v[6] = {.2, .3, -.1, 3.0, 0.0, 0.0};
    limpet_step_settings settings = limpet_step_settings_default(model);
    if (preset) limpet_step_settings_preset(&settings, model, preset);
    settings.profile = true, settings.time_step = 2e-3;
    timing least[STEPS], mean = {.faces = 0.0};
    for (int run = 0; run < ball_runs; ++run) {
      limpet_data_reset(model, data);
      memcpy(data->q, q, sizeof q), memcpy(data->v, v, sizeof v);
      for (int i = 0; i < STEPS; ++i) {
        if (run == 0) least[i].total = INFINITY;
        keep_least(&least[i], timed_step(model, data, &settings));
      }
    }
    for (int i = 0; i < STEPS; ++i) {
      mean.total += least[i].total / STEPS, mean.faces += least[i].faces / STEPS;
      for (int s = 0; s < LIMPET_STAGE_COUNT; ++s) mean.stage[s] += least[i].stage[s] / STEPS;
    }
    print(name, 200.0, mean);
  }
  limpet_data_destroy(data);
  limpet_model_destroy(model);
}

int main(int argc, char **argv) {
  limpet_error error;
  const char *scene = argc > 1 ? argv[1] : "scenes/pressure_pads.xml";
  const char *block_file = argc > 2 ? argv[2] : "../shared/models/soft/shapes/u_block.vtk";
  if (argc > 4) part = argv[4];
  if (argc > 5) ball_runs = atoi(argv[5]);
  limpet_model *pads = limpet_load(scene, NULL, &error);
  if (!pads) printf("left out: %s\n", error.message);
  measure("pads", pads);
  measure("sphere on plane", from_bodies("", ground, ball));
  measure("sphere on soft box", from_bodies("", soft_box, ball));
  char asset[600];
  snprintf(asset, sizeof asset, "<asset><mesh name='u' file='%s'/></asset>", block_file);
  const char *block =
      "<body pos='0 0 .0395'><freejoint/><geom type='mesh' mesh='u' density='3000' "
      "limpet:elastic_modulus='1e6'/></body>";
  const char *two =
      "<body pos='0 0 .0395'><freejoint/><geom type='mesh' mesh='u' density='3000' "
      "limpet:elastic_modulus='1e6'/></body>"
      "<body pos='.001 0 .1195' euler='180 0 3'><freejoint/><geom type='mesh' mesh='u' "
      "density='3000' limpet:elastic_modulus='1e6'/></body>";
  measure("block on plane", from_bodies(asset, ground, block));
  measure("block on block", from_bodies(asset, ground, two));
  const char *bowl_file = argc > 3 ? argv[3] : "../shared/models/soft/shapes/bowl.obj";
  measure_bowl(bowl_file);
  measure_drake_ball("Drake's ball in bowl", bowl_file, NULL);
  measure_drake_ball("the same, polygons", bowl_file, "drake");
  return 0;
}
