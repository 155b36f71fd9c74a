/* model/compile_clouds.c: point clouds, and the note where two of them may meet. */
#include "limpet/distance.h"
#include "model/compile.h"

static limpet_status fill_cloud(limpet_compiler *compiler, int c) {
  const int list = LIMPET_OBJECT_CLOUD;
  const limpet_cloud_description *description = limpet_builder_clouds(compiler->builder) + c;
  if (description->point_count > 0 && !description->points)
    return limpet_compile_error(compiler, list, c, " says %d points but gives none",
                                description->point_count);
  if (description->contact_points < 1 || description->contact_points > LIMPET_CLOUD_CONTACTS)
    return limpet_compile_error(compiler, list, c, ": its contact points are %d; give 1 to %d",
                                description->contact_points, LIMPET_CLOUD_CONTACTS);
  limpet_error error = {0};
  limpet_cloud *cloud = limpet_cloud_create(description->points, description->point_count,
                                            description->scale, description->point_radius, &error);
  if (!cloud) {
    const limpet_place place = description->place;
    return limpet_error_fill_at(compiler->error, error.status, place.file, place.line, place.column,
                                "%s: %s", limpet_compile_label(compiler, list, c).text,
                                error.message);
  }
  compiler->model->cloud[c] = cloud;
  cloud->name = limpet_compile_text(compiler, description->name);
  cloud->file = limpet_compile_text(compiler, description->file);
  cloud->contact_points = description->contact_points;
  return LIMPET_OK;
}

limpet_status limpet_compile_clouds(limpet_compiler *compiler) {
  limpet_status status = LIMPET_OK;
  for (int c = 0; c < compiler->model->cloud_count && !status; ++c)
    status = fill_cloud(compiler, c);
  return status;
}

// Whether two geoms, the first a cloud, are clouds that would be tested against each other.
static bool clouds_may_meet(const limpet_model *model, int a, int b) {
  const int unit_a = model->body_weld[model->geom_body[a]],
            unit_b = model->body_weld[model->geom_body[b]];
  if (model->geom_kind[b] != LIMPET_SHAPE_CLOUD || unit_a == unit_b) return false;
  return (model->geom_contype[a] & model->geom_conaffinity[b]) ||
         (model->geom_contype[b] & model->geom_conaffinity[a]);
}

limpet_status limpet_compile_cloud_pairs(limpet_compiler *compiler) {
  const limpet_model *model = compiler->model;
  long count = 0;
  int first = LIMPET_NONE;
  for (int a = 0; a < model->geom_count; ++a) {
    if (model->geom_kind[a] != LIMPET_SHAPE_CLOUD) continue;
    for (int b = a + 1; b < model->geom_count; ++b)
      if (clouds_may_meet(model, a, b) && count++ == 0) first = a;
  }
  if (count == 0) return LIMPET_OK;
  const int handle = compiler->geom.handle[first];
  limpet_compile_note(compiler, true,
                      limpet_builder_item_place(compiler->builder, LIMPET_OBJECT_GEOM, handle),
                      "%ld pair%s of point clouds pass through each other: clouds touch all other "
                      "shapes, but not clouds; make one "
                      "of the two a mesh, or keep them apart by contype and conaffinity",
                      count, count == 1 ? "" : "s");
  return LIMPET_OK;
}
