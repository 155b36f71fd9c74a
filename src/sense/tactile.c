/* sense/tactile.c: tactile: how deep the vertices of a mesh, the taxels of a skin, are inside of
 * what touches their body, and how fast they slide along it.
 *
 *   d = max(0, -phi(x)),   s_k = |t_k . (v - v_other)|,   k = 1, 2;   0 where d is 0
 * x: vertex, in the frame of the sensor's geom; phi: signed distance from the other geom; v,
 * v_other: velocities at x of the skin and of the other body; t_k: tangents of the vertex, of
 * builtin wedges and plates (other meshes: 0). All d come first, then all s_1, all s_2. A geom
 * counts that has a contact with a body that moves as one with the skin's; of several the deepest.
 * Meshes count with their convex hull. MuJoCo skips meshes without an octree, and its distances
 * inside of boxes are larger than the Euclidean ones. Source: MuJoCo documentation, sensor/tactile;
 * MuJoCo 4.0.1 by running it. Cost: one distance for each vertex and geom that touches. */
#include <math.h>
#include <string.h>

#include "limpet/distance.h"
#include "math/spatial.h"
#include "math/vec3.h"
#include "sense/kinds.h"

enum { BLOCK = 64 };  // vertices at a time

typedef struct skin {
  const limpet_model *model;
  const limpet_data *data;
  const limpet_mesh *mesh;
  limpet_sense_frame frame;
  double *depth, *slide;  // (vertex_count), (2 x vertex_count)
} skin;

// Velocity at x [m/s] of a point of a body; W.
static void velocity_at(const skin *s, int body, const double x[3], double v[3]) {
  const int last = s->model->body_last_dof[body];
  limpet_vec3_zero(v);
  if (last < 0) return;
  const double *V = s->data->body_velocity + 6 * body;
  double arm[3], turn[3];
  limpet_vec3_sub(arm, x, s->data->tree_origin + 3 * s->model->dof_tree[last]);
  limpet_vec3_cross(turn, V, arm);
  limpet_vec3_add(v, V + 3, turn);
}

static void feel(const skin *s, int vertex, const double x[3], int other_body, double depth) {
  const int count = s->mesh->vertex_count;
  if (!(depth > s->depth[vertex])) return;
  s->depth[vertex] = depth;
  if (!s->mesh->tangents) return;
  double own[3], other[3], sliding[3], local[3];
  velocity_at(s, s->frame.body, x, own);
  velocity_at(s, other_body, x, other);
  limpet_vec3_sub(sliding, own, other);
  limpet_mat3_tmul_vec(local, s->frame.rotation, sliding);
  for (int k = 0; k < 2; ++k)
    s->slide[k * count + vertex] =
        fabs(limpet_vec3_dot(s->mesh->tangents + 6 * vertex + 3 * k, local));
}

static void touch(const limpet_sensor_reading *reading, const skin *s, int geom) {
  const limpet_sense_frame frame = limpet_sense_geom_frame(reading, geom);
  const limpet_shape shape = limpet_sense_geom_shape(s->model, geom, &frame);
  double x[3 * BLOCK], distance[BLOCK];
  for (int first = 0; first < s->mesh->vertex_count; first += BLOCK) {
    const int count = s->mesh->vertex_count - first < BLOCK ? s->mesh->vertex_count - first : BLOCK;
    for (int i = 0; i < count; ++i) {
      limpet_mat3_mul_vec(x + 3 * i, s->frame.rotation, s->mesh->vertices + 3 * (first + i));
      limpet_vec3_add(x + 3 * i, x + 3 * i, s->frame.position);
    }
    limpet_signed_distance(&shape, x, count, distance, NULL);
    for (int i = 0; i < count; ++i)
      feel(s, first + i, x + 3 * i, s->model->geom_body[geom], -distance[i]);
  }
}

// Whether a contact before `contact` is with the same geom, on either side.
static bool was_met(const limpet_data *data, int contact, int geom) {
  for (int c = 0; c < contact; ++c)
    if (data->contact_geom[2 * c] == geom || data->contact_geom[2 * c + 1] == geom) return true;
  return false;
}

static void read_tactile(const limpet_sensor_reading *reading, int sensor, double *value) {
  const limpet_model *model = reading->model;
  const limpet_data *data = reading->data;
  const limpet_mesh *mesh = &model->mesh[model->sensor_reference[sensor]];
  const skin s = {.model = model,
                  .data = data,
                  .mesh = mesh,
                  .frame = limpet_sense_object(reading, sensor),
                  .depth = value,
                  .slide = value + mesh->vertex_count};
  memset(value, 0, (size_t)model->sensor_size[sensor] * sizeof *value);
  const int moves = model->body_last_dof[s.frame.body];
  for (int c = 0; reading->contact && c < data->contact_count; ++c)
    for (int side = 0; side < 2; ++side) {
      const int own = data->contact_geom[2 * c + side],
                other = data->contact_geom[2 * c + 1 - side];
      const bool touches = model->body_last_dof[model->geom_body[own]] == moves &&
                           model->body_last_dof[model->geom_body[other]] != moves;
      const limpet_shape_kind kind = model->geom_kind[other];
      if (touches && kind != LIMPET_SHAPE_SOFT && kind != LIMPET_SHAPE_CLOUD &&
          !was_met(data, c, other))
        touch(reading, &s, other);
    }
}

const limpet_sensor_kind limpet_sensor_tactile = {
    .descriptor = {.name = "tactile",
                   .text = "Depth of each vertex of a mesh in what touches the body of a geom, and "
                           "the speeds at which it slides along two tangents: of all vertices the "
                           "depths [m], then both speeds [m/s]."},
    .unit = "m, m/s",
    .stage = LIMPET_SENSOR_ACCELERATION,
    .range = LIMPET_SENSOR_POSITIVE,
    .objects = LIMPET_SENSES_GEOM,
    .references = 1 << LIMPET_OBJECT_MESH,
    .reference_needed = true,
    .read = read_tactile};
