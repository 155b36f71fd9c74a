/* cli/bench_moving_scene.c: robots and heaps in motion, from the pose of their files.
 *
 *   drive   fingers close to a share of their range; the arm that holds a cube shakes its base by
 *           0.1 rad at 2 Hz; all others keep the controls that they start with
 *   heap    10,000 spheres, boxes and capsules over each other in a bin, made here: the bodies and
 *           the spacing are those of the files clutter40 to clutter1000 */
#include "bench_moving_scene.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "text_file.h"

// ------------------------------------------------------------------------------------- drives

static void gripper_close(const limpet_model *model, double time, double *control) {
  (void)time;
  for (int i = 0; i < model->nu; ++i) control[i] = model->actuator_control_range[2 * i + 1];
}

// Every servo of the fingers goes to seven tenths of its range.
static void hand_close(const limpet_model *model, double time, double *control) {
  static const double share = 0.7;
  (void)time;
  for (int i = 0; i < model->nu; ++i) {
    const double *range = model->actuator_control_range + 2 * i;
    control[i] = range[0] + share * (range[1] - range[0]);
  }
}

static void arm_shake(const limpet_model *model, double time, double *control) {
  static const double pi = 3.14159265358979323846, width = 0.1, frequency = 2.0;  // [rad, Hz]
  (void)model;
  control[0] = width * sin(2.0 * pi * frequency * time);
}

// --------------------------------------------------------------------------------------- heap

static double uniform(unsigned long long *seed, double low, double high) {
  *seed = *seed * 6364136223846793005ull + 1442695040888963407ull;
  return low + (high - low) * (double)(*seed >> 11) * 0x1p-53;
}

static void append(limpet_text *text, const char *piece) {
  limpet_text_append(text, piece, strlen(piece));
}

static void wall_append(limpet_text *text, double x, double y, double z, const double half[3]) {
  char piece[256];
  snprintf(piece, sizeof piece,
           "<geom type=\"box\" pos=\"%g %g %g\" size=\"%g %g %g\" friction=\"0.5\"/>\n", x, y, z,
           half[0], half[1], half[2]);
  append(text, piece);
}

static void body_append(limpet_text *text, int number, const double position[3],
                        unsigned long long *seed) {
  static const char *const shapes[] = {"type=\"sphere\" size=\"0.04\"",
                                       "type=\"box\" size=\"0.032 0.032 0.032\"",
                                       "type=\"capsule\" size=\"0.024 0.024\""};
  char piece[512];
  double turn[4];
  for (int i = 0; i < 4; ++i) turn[i] = uniform(seed, -1.0, 1.0);
  snprintf(piece, sizeof piece,
           "<body pos=\"%.9g %.9g %.9g\" quat=\"%.9g %.9g %.9g %.9g\"><freejoint/>"
           "<geom %s density=\"1000\" friction=\"0.5\"/></body>\n",
           position[0], position[1], position[2], turn[0], turn[1], turn[2], turn[3],
           shapes[number % 3]);
  append(text, piece);
}

static char *heap_make(const char *text, const char *folder) {
  enum { SIDE = 25, LAYERS = 16 };
  static const double spacing = 0.105, jitter = 0.005, lowest = 0.07, thickness = 0.1;  // [m]
  const double inner = 0.5 * spacing * (SIDE + 1), outer = inner + thickness,
               height = 0.5 * spacing * (LAYERS + 2);
  unsigned long long seed = 10000;
  limpet_text builder = {0};
  (void)text, (void)folder;
  append(&builder, "<mujoco model=\"clutter10000\"><option timestep=\"0.002\"/><worldbody>\n");
  wall_append(&builder, 0.0, 0.0, -thickness, (double[]){outer, outer, thickness});
  for (int side = -1; side <= 1; side += 2) {
    wall_append(&builder, side * (inner + thickness), 0.0, height,
                (double[]){thickness, outer, height});
    wall_append(&builder, 0.0, side * (inner + thickness), height,
                (double[]){inner, thickness, height});
  }
  for (int n = 0; n < SIDE * SIDE * LAYERS; ++n) {
    const double middle = 0.5 * (SIDE - 1);
    const double position[3] = {
        spacing * (n % SIDE - middle) + uniform(&seed, -jitter, jitter),
        spacing * (n / SIDE % SIDE - middle) + uniform(&seed, -jitter, jitter),
        lowest + spacing * (n / SIDE / SIDE)};
    body_append(&builder, n, position, &seed);
  }
  append(&builder, "</worldbody></mujoco>\n");
  return builder.text;
}

// ------------------------------------------------------------------------------------- scenes

#define MENAGERIE "models/menagerie/"
#define HEAP(name, text, file) \
  { name, text, "scenes-peers/" file, NULL, 0.0, 0, NULL, NULL }
#define ROBOT(name, text, file) \
  { name, text, MENAGERIE file, NULL, 0.0, 0, NULL, NULL }

const limpet_bench_motion limpet_bench_motions[] = {
    {ROBOT("2f85", "Robotiq 2F-85 closes", "robotiq_2f85/2f85.xml"), 500, gripper_close, false},
    {{"humanoid", "humanoid falls", "models/mjcf/model/humanoid/humanoid.xml", NULL, 0.0, 0, NULL,
      NULL},
     1000,
     NULL,
     false},
    {ROBOT("g1", "Unitree G1 collapses", "unitree_g1/scene.xml"), 500, NULL, false},
    {ROBOT("shadow_hand", "Shadow hand closes, an ellipsoid falls on it",
           "shadow_hand/scene_right.xml"),
     500, hand_close, false},
    {ROBOT("anymal", "ANYmal falls", "anybotics_anymal_c/scene.xml"), 500, NULL, false},
    {ROBOT("aloha", "ALOHA collapses", "aloha/scene.xml"), 500, NULL, false},
    {ROBOT("allegro", "Allegro hand closes, an ellipsoid falls on it",
           "wonik_allegro/scene_right.xml"),
     500, hand_close, false},
    {ROBOT("cassie", "Cassie falls", "agility_cassie/scene.xml"), 500, NULL, false},
    {{"panda", "Panda, free, back to its home pose", MENAGERIE "franka_emika_panda/panda.xml",
      "home", 0.0, 0, NULL, limpet_bench_panda_start},
     500,
     NULL,
     false},
    {{"panda_shaken", "Panda shakes a cube that it holds", MENAGERIE "franka_emika_panda/panda.xml",
      NULL, 0.0, 0, limpet_bench_grasp_edit, limpet_bench_grasp_start},
     500,
     arm_shake,
     false},
    {HEAP("clutter40", "40 bodies fall into a bin", "clutter40.xml"), 300, NULL, false},
    {HEAP("clutter100", "100 bodies fall into a bin", "clutter100.xml"), 300, NULL, false},
    {HEAP("clutter200", "200 bodies fall into a bin", "clutter200.xml"), 300, NULL, false},
    {HEAP("clutter1000", "1000 bodies fall into a bin", "clutter1000.xml"), 150, NULL, false},
    {{"clutter10000", "10,000 bodies fall into a bin", NULL, NULL, 0.0, 0, heap_make, NULL},
     50,
     NULL,
     true},
};
const int limpet_bench_motion_count = sizeof limpet_bench_motions / sizeof *limpet_bench_motions;
