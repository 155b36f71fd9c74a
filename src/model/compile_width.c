/* model/compile_width.c: tells what moves and is so large or so heavy, or what lies so far away,
 * that lengths are most likely in millimetres, masses in grams, or a number is wrong. Meshes have
 * no unit, and programs that draw them often write millimetres: a hand is then 100 m wide and
 * weighs a billion times as much. It is simulated as given; the note names the largest geom of a
 * body, or the body, once a body. */
#include <float.h>

#include "geometry/shape.h"
#include "math/vec3.h"
#include "model/compile.h"

static const double widest_radius = 25.0;  // [m]  of bounding spheres that are no mistake
static const double heaviest = 1e5;        // [kg]  of a body
static const double farthest = 1e7;        // [m]  where doubles are 2 nm apart; the earth's radius

// The geom of a body whose bounding sphere is the largest; LIMPET_NONE: none is too large.
static int find_largest(const limpet_model *model, int b) {
  int largest = LIMPET_NONE;
  double radius = widest_radius;
  for (int g = model->body_geom[b]; g < model->body_geom[b] + model->body_geom_count[b]; ++g) {
    const limpet_shape_kind kind = model->geom_kind[g];
    if (kind == LIMPET_SHAPE_PLANE || kind == LIMPET_SHAPE_SOFT) continue;
    if (model->geom_radius[g] > radius) radius = model->geom_radius[g], largest = g;
  }
  return largest;
}

static void doubt_width(limpet_compiler *compiler, int g) {
  const limpet_model *model = compiler->model;
  const bool mesh = model->geom_kind[g] == LIMPET_SHAPE_MESH;
  limpet_compile_doubt(
      compiler, limpet_builder_geoms(compiler->builder)[compiler->geom.handle[g]].place,
      "%s moves and is about %.3g m wide: are its lengths millimetres? lengths are metres%s",
      limpet_compile_label(compiler, LIMPET_OBJECT_GEOM, compiler->geom.handle[g]).text,
      2.0 * model->geom_radius[g], mesh ? "; scale=\"0.001 0.001 0.001\" shrinks a mesh" : "");
}

static void doubt_mass(limpet_compiler *compiler, int b) {
  const int handle = compiler->body.handle[b];
  limpet_compile_doubt(
      compiler, limpet_builder_bodies(compiler->builder)[handle].place,
      "%s moves and weighs %.3g kg: are lengths millimetres, or masses grams? lengths are metres, "
      "masses kilograms",
      limpet_compile_label(compiler, LIMPET_OBJECT_BODY, handle).text,
      compiler->model->body_mass[b]);
}

static double distance(const limpet_compiler *compiler, int b) {
  return limpet_vec3_norm(compiler->body_world_position + 3 * b);
}

// What hangs on a body that is told is not told again.
static bool is_first_far(const limpet_compiler *compiler, int b) {
  return distance(compiler, b) > farthest &&
         !(distance(compiler, compiler->model->body_parent[b]) > farthest);
}

static void doubt_place(limpet_compiler *compiler, int b) {
  const int handle = compiler->body.handle[b];
  limpet_compile_doubt(
      compiler, limpet_builder_bodies(compiler->builder)[handle].place,
      "%s is %.3g m from the origin, where a position is known to %.2g m: is a number wrong? "
      "lengths are metres",
      limpet_compile_label(compiler, LIMPET_OBJECT_BODY, handle).text, distance(compiler, b),
      distance(compiler, b) * DBL_EPSILON);
}

limpet_status limpet_compile_width(limpet_compiler *compiler) {
  const limpet_model *model = compiler->model;
  for (int b = 1; b < model->body_count; ++b) {
    if (is_first_far(compiler, b)) doubt_place(compiler, b);
    if (model->body_tree[b] < 0) continue;
    const int g = find_largest(model, b);
    if (g != LIMPET_NONE) doubt_width(compiler, g);
    else if (model->body_mass[b] >= heaviest) doubt_mass(compiler, b);
  }
  return LIMPET_OK;
}
