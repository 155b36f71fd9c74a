/* model/compile_width.c: tells what moves and is so large that its lengths are most likely in
 * millimetres. Meshes have no unit, and programs that draw them often write millimetres: a hand is
 * then 100 m wide and weighs a billion times as much. It is simulated as given; the note names the
 * largest geom of a body, once a body. */
#include "geometry/shape.h"
#include "model/compile.h"

static const double widest_radius = 25.0;  // [m]  of bounding spheres that are no mistake

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

limpet_status limpet_compile_width(limpet_compiler *compiler) {
  const limpet_model *model = compiler->model;
  for (int b = 1; b < model->body_count; ++b) {
    const int g = model->body_tree[b] >= 0 ? find_largest(model, b) : LIMPET_NONE;
    if (g == LIMPET_NONE) continue;
    const bool mesh = model->geom_kind[g] == LIMPET_SHAPE_MESH;
    limpet_compile_doubt(
        compiler, limpet_builder_geoms(compiler->builder)[compiler->geom.handle[g]].place,
        "%s moves and is about %.3g m wide: are its lengths millimetres? lengths are metres%s",
        limpet_compile_label(compiler, LIMPET_OBJECT_GEOM, compiler->geom.handle[g]).text,
        2.0 * model->geom_radius[g], mesh ? "; scale=\"0.001 0.001 0.001\" shrinks a mesh" : "");
  }
  return LIMPET_OK;
}
