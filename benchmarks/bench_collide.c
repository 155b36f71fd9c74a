/* benchmarks/bench_collide.c: time of broad and narrow phase on one thread, for scenes made here.
 *
 * Each figure is the least of 15 batches of about 2 ms. Bodies move a little from call to
 * call, so the order of the sweep has work. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "collide/collide.h"
#include "collide/colliders.h"
#include "limpet/dynamics.h"
#include "limpet/format.h"
#include "measure.h"
#include "model/workspace.h"

static unsigned long long seed = 7;
static double between(double low, double high) { return uniform(&seed, low, high); }

static int body_add(limpet_builder *builder, int parent, limpet_joint_kind kind, double x, double y,
                    double z) {
  limpet_body_description body = limpet_body_description_default();
  body.parent = parent;
  body.position[0] = x, body.position[1] = y, body.position[2] = z;
  limpet_joint_description joint = limpet_joint_description_default();
  joint.body = limpet_builder_add_body(builder, &body);
  joint.kind = kind;
  if (kind == LIMPET_JOINT_REVOLUTE) joint.axis[0] = between(-1, 1), joint.axis[1] = between(-1, 1);
  limpet_builder_add_joint(builder, &joint);
  return joint.body;
}

static void floor_add(limpet_builder *builder) {
  limpet_geom_description geom = limpet_geom_description_default();
  geom.kind = LIMPET_SHAPE_PLANE;
  limpet_builder_add_geom(builder, &geom);
}

// `count` bodies of one shape of size 0.1 m on a grid, a little closer than touching and shaken.
static limpet_builder *pile(int count, limpet_shape_kind kind) {
  limpet_builder *builder = limpet_builder_create();
  floor_add(builder);
  const int side = (int)ceil(cbrt(count));
  for (int i = 0; i < count; ++i) {
    const double x = 0.199 * (i % side), y = 0.199 * (i / side % side),
                 z = 0.099 + 0.199 * (i / side / side);
    limpet_geom_description geom = limpet_geom_description_default();
    geom.body = body_add(builder, 0, LIMPET_JOINT_FREE, x + between(-0.01, 0.01),
                         y + between(-0.01, 0.01), z);
    geom.kind = kind;
    geom.size[0] = geom.size[1] = geom.size[2] = 0.1;
    geom.quaternion[1] = between(-0.05, 0.05);
    geom.quaternion[2] = between(-0.05, 0.05);
    limpet_builder_add_geom(builder, &geom);
  }
  return builder;
}

// An arm of `count` links, each a hull of 60 vertices, 0.3 m long and 0.1 m thick, in a bent pose,
// over a floor.
static limpet_builder *arm(int count) {
  limpet_builder *builder = limpet_builder_create();
  floor_add(builder);
  double points[60 * 3];
  for (int i = 0; i < 60; ++i) {
    double *p = points + 3 * i, n = 0.0;
    for (int k = 0; k < 3; ++k) p[k] = between(-1, 1), n += p[k] * p[k];
    for (int k = 0; k < 3; ++k) p[k] *= (k == 2 ? 0.15 : 0.05) / sqrt(n);
  }
  limpet_mesh_description mesh = limpet_mesh_description_default();
  mesh.vertex_count = 60;
  mesh.vertices = points;
  const int handle = limpet_builder_add_mesh(builder, &mesh);
  int parent = 0;
  for (int i = 0; i < count; ++i) {
    parent =
        body_add(builder, parent, LIMPET_JOINT_REVOLUTE, 0.0, i % 3 ? 0.05 : 0.0, i ? 0.22 : 0.3);
    limpet_geom_description geom = limpet_geom_description_default();
    geom.body = parent;
    geom.kind = LIMPET_SHAPE_MESH;
    geom.mesh = handle;
    limpet_builder_add_geom(builder, &geom);
  }
  return builder;
}

static void report_model(const char *name, limpet_model *model, double bend) {
  limpet_data *data = limpet_data_create(model);
  if (model->keyframe_count > 0) limpet_data_reset_keyframe(model, data, 0);
  for (int j = 0; j < model->joint_count; ++j)
    if (bend > 0.0 && model->joint_kind[j] == LIMPET_JOINT_REVOLUTE)
      data->q[model->joint_q[j]] = bend * between(-1, 1);

  double *start_pose = malloc((size_t)model->nq * sizeof *start_pose);
  memcpy(start_pose, data->q, (size_t)model->nq * sizeof *start_pose);
  double best[2] = {INFINITY, INFINITY};
  limpet_collision collision = {0};
  int count = 1;
  for (int batch = 0; batch < 16; ++batch) {
    double spent[2] = {0.0, 0.0};
    for (int i = 0; i < count; ++i) {
      for (int k = 0; k < model->nq; ++k) data->q[k] = start_pose[k] + 1e-4 * sin(0.01 * i + k);
      limpet_kinematics(model, data);
      limpet_geom_kinematics(model, data, false);
      limpet_arena *arena = limpet_workspace_turn(data->workspace);
      const double *zero = LIMPET_TAKE_ZERO(arena, double, model->body_count);
      const limpet_reach reach = {.body = zero, .tree = zero};
      const double start = now();
      limpet_broad_phase(model, data, &reach, arena, &collision);
      const double middle = now();
      limpet_narrow_phase(model, data, false, NULL, NULL, arena, &collision);
      spent[0] += middle - start;
      spent[1] += now() - middle;
    }
    if (batch > 0)
      for (int k = 0; k < 2; ++k) best[k] = fmin(best[k], spent[k] / count);
    if (batch == 0) count = (int)fmax(1.0, 2e-3 / (spent[0] + spent[1]));
  }
  const limpet_colliders *colliders = limpet_colliders_of(model, data);
  printf(
      "%-28s %5d geoms: broad %9.2f us, narrow %9.2f us, %6.1f tests a geom, %6d candidates of "
      "%zu bytes, %5d pairs, %5d contacts\n",
      name, model->collider_count, 1e6 * best[0], 1e6 * best[1],
      (double)colliders->tests / model->collider_count,
      colliders->pairs.carriers > 0 ? colliders->pairs.count : colliders->candidates.count,
      2 * sizeof(limpet_candidate) + sizeof(limpet_pair_memory) + sizeof(int), collision.pair_count,
      collision.contact_count);
  free(start_pose);
  limpet_data_destroy(data);
  limpet_model_destroy(model);
}

static void report(const char *name, limpet_builder *builder, double bend) {
  limpet_error error;
  limpet_model *model = limpet_builder_compile(builder, &error);
  limpet_builder_destroy(builder);
  if (!model) {
    fprintf(stderr, "%s\n", error.message);
    exit(1);
  }
  report_model(name, model, bend);
}

static void report_file(const char *path) {
  limpet_error error;
  limpet_model *model = limpet_load(path, NULL, &error);
  if (model) report_model(path, model, 0.0);
  else fprintf(stderr, "%s\n", error.message);
}

// With arguments: the files named, in their first keyframe.
int main(int argument_count, char **arguments) {
  for (int k = 1; k < argument_count; ++k) report_file(arguments[k]);
  if (argument_count > 1) return 0;
  printf("times include about 0.03 us of reading the clock\n");
  report("arm of 10 hulls, straight", arm(10), 0.0);
  report("arm of 10 hulls, bent", arm(10), 2.5);
  report("pile of spheres", pile(100, LIMPET_SHAPE_SPHERE), 0.0);
  report("pile of boxes", pile(40, LIMPET_SHAPE_BOX), 0.0);
  report("pile of boxes", pile(100, LIMPET_SHAPE_BOX), 0.0);
  report("pile of boxes", pile(216, LIMPET_SHAPE_BOX), 0.0);
  report("pile of boxes", pile(1000, LIMPET_SHAPE_BOX), 0.0);
  report("pile of boxes", pile(10000, LIMPET_SHAPE_BOX), 0.0);
  report("pile of cylinders", pile(100, LIMPET_SHAPE_CYLINDER), 0.0);
  return 0;
}
