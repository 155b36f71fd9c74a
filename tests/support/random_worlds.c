/* tests/support/random_worlds.c: see random_worlds.h. A world is written twice: trees in the air
 * first, and then as low as their lowest points allow. */
#include "random_worlds.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "limpet/dynamics.h"
#include "mjcf_text.h"
#include "shared_data.h"

static const double slab_half = 0.05;  // [m]  of its height
static const double apart = 20.0;      // [m]  between trees of which nothing is known yet

typedef struct writer {
  random_world *world;
  unsigned long seed;
  char *at;
  double mass;                                            // [kg]  of the link that is being written
  double masses[RANDOM_WORLD_TREES][RANDOM_WORLD_LINKS];  // [kg]
  double place[RANDOM_WORLD_TREES][3];                    // [m]  of the roots
} writer;

#define WRITE(w, ...) ((w)->at += sprintf((w)->at, __VA_ARGS__))

static double uniform(writer *w, double low, double high) {
  return random_uniform(&w->seed, low, high);
}

static double log_uniform(writer *w, double low, double high) {
  return random_log_uniform(&w->seed, low, high);
}

static int one_of(writer *w, int count) { return (int)uniform(w, 0.0, count); }

static bool chance(writer *w, double probability) { return uniform(w, 0.0, 1.0) < probability; }

static void three(writer *w, double x[3], double low, double high) {
  for (int i = 0; i < 3; ++i) x[i] = uniform(w, low, high);
}

// A joint that turns or slides about any axis; `name` by link and part.
static void write_joint(writer *w, const char *kind, int tree, int link, int part) {
  const random_world *world = w->world;
  const bool turns = strcmp(kind, "slide") != 0, ball = strcmp(kind, "ball") == 0;
  double axis[3];
  three(w, axis, -1.0, 1.0);
  WRITE(w, "<joint name='j%d_%d_%d' type='%s' axis='%.4f %.4f %.4f'", tree, link, part, kind,
        axis[0], axis[1], axis[2] + 1.1);
  const double scale = w->mass * (turns ? 0.01 : 1.0);
  const double armature = log_uniform(w, 0.01, 10.0), stiffness = log_uniform(w, 1.0, 1e4),
               damping = log_uniform(w, 0.1, 100.0), dry = log_uniform(w, 0.01, 10.0),
               reach = log_uniform(w, 0.01, 1.0), rest = uniform(w, -0.5, 0.5);
  if (world->armature) WRITE(w, " armature='%g'", scale * armature);
  if (world->springs) WRITE(w, " stiffness='%g'", scale * stiffness);
  if (world->springs && !ball) WRITE(w, " springref='%g'", turns ? rest : 0.1 * rest);
  if (world->dampers) WRITE(w, " damping='%g'", scale * damping);
  if (world->dry && !ball) WRITE(w, " frictionloss='%g'", scale * dry);
  if (world->limits && ball) WRITE(w, " range='0 %g'", reach);
  if (world->limits && !ball) WRITE(w, " range='%g %g'", -reach, 0.5 * reach);
  WRITE(w, "/>");
}

static void write_joints(writer *w, int tree, int link) {
  static const char *const kinds[] = {"hinge", "slide", "ball"};
  const int draw = one_of(w, 5);
  write_joint(w, draw < 3 ? kinds[draw] : "hinge", tree, link, 0);
  if (draw == 3) write_joint(w, "hinge", tree, link, 1);
  if (draw == 4) write_joint(w, "slide", tree, link, 1);
}

static void write_geom(writer *w, int tree, int link) {
  static const char *const kinds[] = {"sphere", "box", "capsule", "cylinder", "ellipsoid"};
  const int kind = one_of(w, 5);
  const double size = uniform(w, 0.03, 0.08), first = uniform(w, 0.3, 1.0),
               second = uniform(w, 0.3, 1.0), friction = log_uniform(w, 0.01, 1.5);
  const unsigned own = 2u << tree, others = 0xffu & ~(w->world->selfish ? 0u : own);
  double turn[3];
  three(w, turn, -1.0, 1.0);
  WRITE(w,
        "<geom name='g%d_%d' type='%s' size='%.5f %.5f %.5f' euler='%.4f %.4f %.4f' mass='%.6g' "
        "friction='%.5f' contype='%u' conaffinity='%u'/>",
        tree, link, kinds[kind], size, first * size, second * size, turn[0], turn[1], turn[2],
        w->mass, friction, own, others);
}

static void write_link(writer *w, int tree, int link, bool floats) {
  double at[3];
  three(w, at, -0.1, 0.1);
  at[one_of(w, 3)] = (chance(w, 0.5) ? 1.0 : -1.0) * uniform(w, 0.1, 0.3);
  if (link == 0) memcpy(at, w->place[tree], sizeof at);
  w->mass = w->masses[tree][link] = log_uniform(w, 1e-3, 1e3);
  WRITE(w, "<body name='b%d_%d' pos='%.6f %.6f %.6f'>", tree, link, at[0], at[1], at[2]);
  if (link == 0 && floats) WRITE(w, "<freejoint/>");
  else write_joints(w, tree, link);
  write_geom(w, tree, link);
}

static void write_tree(writer *w, int tree) {
  const int links = w->world->tree_links[tree];
  const bool floats = chance(w, 0.75);
  int depth = 0;
  for (int i = 0; i < links; ++i, ++depth) {
    for (; depth > 1 && one_of(w, 3) == 0; --depth) WRITE(w, "</body>");
    write_link(w, tree, i, floats || links == 1);
  }
  while (depth-- > 0) WRITE(w, "</body>");
}

// The first joint of a link is a hinge or a slide.
static bool has_number(const writer *w, int tree, int link, char name[32]) {
  snprintf(name, 32, "'j%d_%d_0' type='", tree, link);
  const char *found = strstr(w->world->text, name);
  if (!found) return false;
  found += strlen(name);
  snprintf(name, 32, "j%d_%d_0", tree, link);
  return strncmp(found, "ball", 4) != 0;
}

static void write_loops(writer *w) {
  WRITE(w, "<equality>");
  for (int t = 0; t < w->world->trees; ++t) {
    const int links = w->world->tree_links[t];
    double anchor[3];
    three(w, anchor, -0.1, 0.1);
    if (links > 2 && chance(w, 0.7))
      WRITE(w, "<connect body1='b%d_0' body2='b%d_%d' anchor='%.4f %.4f %.4f'/>", t, t, links - 1,
            anchor[0], anchor[1], anchor[2]);
    if (t > 0 && chance(w, 0.5))
      WRITE(w, "<weld body1='b%d_0' body2='b%d_%d'/>", t - 1, t, links - 1);
  }
  WRITE(w, "</equality>");
}

static void write_tendons(writer *w) {
  char first[32], second[32];
  WRITE(w, "<tendon>");
  for (int t = 0; t < w->world->trees; ++t) {
    const double stiffness = log_uniform(w, 0.1, 1e3), damping = log_uniform(w, 0.01, 1.0);
    if (!has_number(w, t, 1, first) || !has_number(w, t, 2, second)) continue;
    WRITE(w,
          "<fixed stiffness='%g' damping='%g'><joint joint='%s' coef='1'/><joint joint='%s' "
          "coef='-0.5'/></fixed>",
          0.01 * w->mass * stiffness, 0.01 * w->mass * damping, first, second);
  }
  WRITE(w, "</tendon>");
}

static void write_actuators(writer *w) {
  char joint[32];
  WRITE(w, "<actuator>");
  for (int t = 0; t < w->world->trees; ++t)
    for (int i = 0; i < w->world->tree_links[t]; ++i) {
      const bool servo = chance(w, 0.5);
      const double scale = 0.1 * w->masses[t][i] * log_uniform(w, 0.01, 10.0),
                   gain = w->masses[t][i] * log_uniform(w, 0.1, 1e4);
      if (!has_number(w, t, i, joint)) continue;
      if (servo) WRITE(w, "<position joint='%s' kp='%g' kv='%g'/>", joint, gain, 0.1 * gain);
      else WRITE(w, "<motor joint='%s' gear='%g'/>", joint, scale);
    }
  WRITE(w, "</actuator>");
}

static void write_world(writer *w) {
  random_world *world = w->world;
  const double tilt = world->tilted ? uniform(w, 0.0, 0.7) : 0.0;
  const double weight = world->weightless ? 0.0 : 9.81;
  const double slab_mass = log_uniform(w, 1.0, 1e6), slab_friction = log_uniform(w, 0.01, 1.5);
  w->at = world->text;
  WRITE(w,
        "<mujoco><compiler angle='radian'/><option gravity='%.6f 0 %.6f'/><worldbody>"
        "<geom type='plane' size='9 9 1' friction='0.01' contype='1' conaffinity='255'/>",
        weight * sin(tilt), -weight * cos(tilt));
  if (world->slab)
    WRITE(w,
          "<body name='slab' pos='0 0 %g'><freejoint/><geom type='box' size='3 3 %g' mass='%g' "
          "friction='%.5f' contype='128' conaffinity='255'/></body>",
          slab_half, slab_half, slab_mass, slab_friction);
  for (int t = 0; t < world->trees; ++t) write_tree(w, t);
  WRITE(w, "</worldbody>");
  if (world->tendons) write_tendons(w);
  if (world->loops) write_loops(w);
  if (world->driven) write_actuators(w);
  WRITE(w, "</mujoco>");
}

// [m]  half the height of a geom as it stands.
static double half_height(const limpet_model *model, const limpet_data *data, int geom) {
  const double *s = model->geom_size + 3 * geom, *R = data->geom_rotation + 9 * geom + 6;
  switch (model->geom_kind[geom]) {
    case LIMPET_SHAPE_BOX: return fabs(R[0]) * s[0] + fabs(R[1]) * s[1] + fabs(R[2]) * s[2];
    case LIMPET_SHAPE_CAPSULE: return s[0] + fabs(R[2]) * s[1];
    case LIMPET_SHAPE_CYLINDER: return s[0] * hypot(R[0], R[1]) + fabs(R[2]) * s[1];
    case LIMPET_SHAPE_ELLIPSOID:
      return sqrt(R[0] * R[0] * s[0] * s[0] + R[1] * R[1] * s[1] * s[1] +
                  R[2] * R[2] * s[2] * s[2]);
    default: return s[0];
  }
}

typedef struct bounds {
  double low[3], high[3];
} bounds;

// Of the geoms of each tree, relative to its root's place.
static void measure(const writer *w, bounds *of) {
  limpet_model *model = mjcf_load(w->world->text);
  limpet_data *data = limpet_data_create(model);
  assert_non_null(data);
  limpet_kinematics(model, data);
  limpet_geom_kinematics(model, data, true);
  for (int t = 0; t < w->world->trees; ++t)
    for (int k = 0; k < 3; ++k) of[t].low[k] = INFINITY, of[t].high[k] = -INFINITY;
  for (int g = 0; g < model->geom_count; ++g) {
    int t;
    const char *name = model->object_name[LIMPET_OBJECT_GEOM][g];
    if (!name || sscanf(name, "g%d_", &t) != 1) continue;
    for (int k = 0; k < 3; ++k) {
      const double x = data->geom_position[3 * g + k] - w->place[t][k];
      const double r = k < 2 ? model->geom_radius[g] : half_height(model, data, g);
      of[t].low[k] = fmin(of[t].low[k], x - r), of[t].high[k] = fmax(of[t].high[k], x + r);
    }
  }
  limpet_data_destroy(data);
  limpet_model_destroy(model);
}

// Beside each other, or one above the other; gaps as wide as what falls comes in the run.
static void place(writer *w) {
  bounds of[RANDOM_WORLD_TREES];
  const random_world *world = w->world;
  for (int t = 0; t < world->trees; ++t)
    w->place[t][0] = apart * t, w->place[t][1] = 0.0, w->place[t][2] = apart;
  const unsigned long seed = w->seed;
  write_world(w);
  measure(w, of);
  double x = -0.5 * (world->trees - 1), top = world->slab ? 2.0 * slab_half : 0.0;
  for (int t = 0; t < world->trees; ++t) {
    const double gap = log_uniform(w, 1e-5, 100.0 * world->dt * fmax(world->speed, 0.1));
    w->place[t][0] = world->stacked ? 0.0 : x - of[t].low[0];
    w->place[t][2] = top + gap - of[t].low[2];
    x += of[t].high[0] - of[t].low[0] + 0.01;
    if (world->stacked) top = w->place[t][2] + of[t].high[2];
  }
  w->seed = seed;
}

void random_world_draw(random_world *world, unsigned long seed) {
  static const char *const models[] = {"lagged", "similar", "sap", "anitescu"};
  static writer w;
  seed = (seed ^ seed >> 7) * 0x9e3779b97f4a7c15UL;
  w = (writer){.world = world, .seed = seed ^ seed >> 31};
  for (int k = 0; k < 8; ++k) uniform(&w, 0.0, 1.0);
  world->dt = log_uniform(&w, 5e-5, 5e-3);
  const int model = one_of(&w, 8);
  world->contact_model = model < 4 ? "coulomb" : models[model - 4];
  world->speed = log_uniform(&w, 0.01, 3.0);
  if (chance(&w, 0.2)) world->speed = 0.0;
  world->trees = 1 + one_of(&w, RANDOM_WORLD_TREES);
  for (int t = 0; t < RANDOM_WORLD_TREES; ++t)
    world->tree_links[t] = 1 + one_of(&w, RANDOM_WORLD_LINKS);
  world->slab = chance(&w, 0.5), world->tilted = chance(&w, 0.2);
  world->weightless = chance(&w, 0.1), world->stacked = chance(&w, 0.5);
  world->selfish = chance(&w, 0.15);
  world->springs = chance(&w, 0.25), world->dampers = chance(&w, 0.25);
  world->dry = chance(&w, 0.2), world->limits = chance(&w, 0.25);
  world->armature = chance(&w, 0.2), world->tendons = chance(&w, 0.2);
  world->loops = chance(&w, 0.2), world->driven = chance(&w, 0.2);
  place(&w);
  write_world(&w);
  world->start = w.seed;
  world->material = 0;
  world->meshes = world->terrain = world->paddle = world->floating = false;
}

// What a number of an attribute, which begins at `read`, becomes; NULL: it is none of these.
static const char *rewrite(writer *w, const char *read, int condim, double weight, bool soft) {
  static const char gravity[] = "gravity='", friction[] = " friction='";
  const char *end = strchr(read + strlen(friction), '\'');
  if (strncmp(read, gravity, strlen(gravity)) == 0) {
    double x, y, z;
    assert_int_equal(sscanf(read + strlen(gravity), "%lf %lf %lf", &x, &y, &z), 3);
    WRITE(w, "gravity='%g %g %g'", x * weight, y * weight, z * weight);
    return strchr(read + strlen(gravity), '\'') + 1;
  }
  if (strncmp(read, friction, strlen(friction)) != 0) return NULL;
  const double mu = strtod(read + strlen(friction), NULL);
  if (condim == 3) {
    WRITE(w, " friction='%g'", mu);
  } else {
    const double turning = log_uniform(w, 1e-4, 0.05), rolling = log_uniform(w, 1e-5, 0.02);
    WRITE(w, " condim='%d' friction='%g %g %g'", condim, mu, turning, rolling);
  }
  if (soft) {
    const double stiffness = log_uniform(w, 1e2, 1e6), damping = log_uniform(w, 1e-2, 1e3);
    WRITE(w, " solref='%g %g'", -stiffness, -damping);
  }
  return end + 1;
}

void random_world_draw_materials(random_world *world, unsigned long seed) {
  static const int condims[] = {3, 4, 6};
  static char text[RANDOM_WORLD_TEXT];
  static writer w;
  random_world_draw(world, seed);
  world->contact_model = "coulomb";
  w = (writer){.world = world, .seed = seed * 7919 + 13};
  for (int i = 0; i < 5; ++i) uniform(&w, 0.0, 1.0);
  const int condim = condims[one_of(&w, 3)];
  const double weight = chance(&w, 0.1) ? 0.0 : log_uniform(&w, 0.1, 100.0) / 9.81;
  const bool soft = chance(&w, 0.4), returns = chance(&w, 0.4);
  memcpy(text, world->text, sizeof text);
  w.at = world->text;
  for (const char *read = text; *read;) {
    const char *next = rewrite(&w, read, condim, weight, soft);
    if (next) read = next;
    else *w.at++ = *read++;
    assert_true(w.at + 128 < world->text + RANDOM_WORLD_TEXT);
  }
  *w.at = '\0';
  world->material = returns ? w.seed : 0;
}

static const double paddle_way = 1.5;  // [m]  that the paddle sweeps to either side

// A convex mesh about the origin, within a ball of radius r [m].
static void write_mesh(writer *w, int index, double r) {
  const int count = 4 + one_of(w, 9);
  WRITE(w, "<mesh name='m%d' vertex='", index);
  for (int i = 0; i < count; ++i) {
    double x[3], square = 0.0;
    three(w, x, -1.0, 1.0);
    if (i < 4)  // a tetrahedron, so that there is volume
      for (int k = 0; k < 3; ++k) x[k] = (k == i ? 1.0 : i == 3 ? -0.7 : -0.1) + 0.1 * x[k];
    for (int k = 0; k < 3; ++k) square += x[k] * x[k];
    for (int k = 0; k < 3; ++k) WRITE(w, "%.6f ", r * x[k] / fmax(1.0, sqrt(square)));
  }
  WRITE(w, "'/>");
}

// Its highest points are those of the plane that it stands for.
static void write_terrain(writer *w, double height) {
  enum { ROWS = 12 };
  WRITE(w, "<hfield name='terrain' nrow='%d' ncol='%d' size='6 6 %g 1' elevation='", ROWS, ROWS,
        height);
  for (int i = 0; i < ROWS * ROWS; ++i) WRITE(w, "%.3f ", uniform(w, 0.0, 1.0));
  WRITE(w, "'/>");
}

static bool starts_with(const char *text, const char *with) {
  return strncmp(text, with, strlen(with)) == 0;
}

/* What of the world's text, which begins at `read`, becomes, with its assets; NULL: it stays.
 * height [m]: of the terrain. */
static const char *rewrite_scenery(writer *w, writer *assets, int *meshes, const char *read,
                                   double height) {
  static const char plane[] = "<geom type='plane' size='9 9 1'", body[] = "<body name='b";
  double size[3];
  char kind[16];
  int tree, link;
  if (w->world->terrain && starts_with(read, plane)) {
    WRITE(w, "<geom type='hfield' hfield='terrain' pos='0 0 %g'", -height);
    return read + strlen(plane);
  }
  if (w->world->floating && starts_with(read, body) && chance(assets, 0.4)) {
    WRITE(w, "<body gravcomp='%g' ", uniform(assets, 0.0, 1.5));
    return read + strlen("<body ");
  }
  if (w->world->meshes &&
      sscanf(read, "<geom name='g%d_%d' type='%15[a-z]' size='%lf %lf %lf'", &tree, &link, kind,
             size, size + 1, size + 2) == 6 &&
      chance(assets, 0.6)) {
    write_mesh(assets, *meshes, fmin(size[0], fmin(size[1], size[2])));
    WRITE(w, "<geom name='g%d_%d' type='mesh' mesh='m%d'", tree, link, (*meshes)++);
    return strstr(read, " euler=");
  }
  return NULL;
}

void random_world_draw_scenery(random_world *world, unsigned long seed) {
  static char text[RANDOM_WORLD_TEXT], asset_text[RANDOM_WORLD_TEXT];
  static writer w, assets;
  int meshes = 0;
  random_world_draw(world, seed);
  world->contact_model = "coulomb";
  w = (writer){.world = world, .at = world->text};
  assets = (writer){.world = world, .seed = seed * 7919 + 31, .at = asset_text};
  for (int i = 0; i < 5; ++i) uniform(&assets, 0.0, 1.0);
  world->meshes = chance(&assets, 0.6), world->terrain = chance(&assets, 0.5);
  world->paddle = chance(&assets, 0.4), world->floating = chance(&assets, 0.4);
  const double height = log_uniform(&assets, 1e-3, 0.1);
  memcpy(text, world->text, sizeof text);
  if (world->terrain) write_terrain(&assets, height);
  for (const char *read = text; *read;) {
    const char *next = rewrite_scenery(&w, &assets, &meshes, read, height);
    if (!next && world->paddle && starts_with(read, "</worldbody>"))
      WRITE(&w,
            "<body name='paddle' mocap='true' pos='0 %g 0.2'><geom type='box' size='3 0.05 0.1' "
            "friction='0.5' contype='64' conaffinity='255'/></body>",
            -paddle_way);
    if (!next && starts_with(read, "</mujoco>"))
      WRITE(&w, "<asset>%.*s</asset>", (int)(assets.at - asset_text), asset_text);
    if (next) read = next;
    else *w.at++ = *read++;
    assert_true(w.at + (assets.at - asset_text) + 256 < world->text + RANDOM_WORLD_TEXT);
  }
  *w.at = '\0';
}

void random_world_sweep(const random_world *world, mjcf_world *w) {
  if (!world->paddle) return;
  const double rate = fmax(world->speed, 0.1) / paddle_way;  // [rad/s]
  w->data->mocap_position[1] = -paddle_way * cos(rate * (w->data->time + world->dt));
}

mjcf_world random_world_make(const random_world *world) {
  mjcf_world w = mjcf_world_of(world->text, NULL);
  limpet_step_settings_contact_model(&w.settings, limpet_contact_model_find(world->contact_model));
  w.settings.time_step = world->dt;
  w.settings.energy = true;
  unsigned long seed = world->material;
  for (int g = 0; g < w.model->geom_count && seed != 0; ++g)
    w.model->geom_material[g].restitution = random_uniform(&seed, 0.0, 1.0);
  seed = world->start;
  for (int j = 0; j < w.model->joint_count; ++j) {
    const int first = w.model->joint_v[j];
    const int end = j + 1 < w.model->joint_count ? w.model->joint_v[j + 1] : w.model->nv;
    const bool floats = w.model->joint_kind[j] == LIMPET_JOINT_FREE;
    for (int d = first; d < end; ++d)
      w.data->v[d] = world->speed * random_uniform(&seed, -1.0, 1.0);
    if (floats) w.data->v[first + 2] -= world->speed;
  }
  if (world->slab) memset(w.data->v, 0, 6 * sizeof *w.data->v);
  for (int u = 0; u < w.model->nu; ++u) w.data->control[u] = random_uniform(&seed, -0.5, 0.5);
  return w;
}
