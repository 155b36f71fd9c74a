/* record/skin.c: see skin.h. The stress at a vertex is the mean of the tetrahedra behind the
 * triangles around it, or of the triangles and segments of shells and ropes. Cost: the stress of
 * all elements for each frame. */
#include "record/skin.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "record/tendon_skin.h"

static int most_elements(const limpet_model *model) {
  int most = 1;
  for (int d = 0; d < model->deformable_count; ++d) {
    const int count = limpet_fem_body_information(model->deformable_body[d]).element_count;
    if (count > most) most = count;
  }
  return most;
}

// Vertices of the surfaces, in the order of the model.
static void list_vertices(limpet_skin *skin) {
  const limpet_model *model = skin->model;
  for (int i = 0; i < model->vertex_count; ++i) skin->number[i] = LIMPET_NONE;
  for (int d = 0; d < model->deformable_count; ++d) {
    const limpet_fem_body *body = model->deformable_body[d];
    const int first = model->deformable_vertex[d], *face = limpet_fem_body_faces(body);
    const int *end = limpet_fem_body_segments(body);
    const limpet_fem_body_info info = limpet_fem_body_information(body);
    for (int i = 0; i < 3 * info.face_count; ++i) skin->number[first + face[i]] = 0;
    for (int i = 0; i < 2 * info.segment_count; ++i) skin->number[first + end[i]] = 0;
    skin->begin[d] = skin->surface_count;
    for (int i = first; i < model->deformable_vertex[d + 1]; ++i) {
      if (skin->number[i] == LIMPET_NONE) continue;
      skin->number[i] = skin->surface_count;
      skin->vertex[skin->surface_count++] = i;
    }
  }
  skin->begin[model->deformable_count] = skin->vertex_count = skin->surface_count;
  for (int t = 0; t < model->tendon_count; ++t)
    skin->vertex_count += limpet_tendon_skin_vertices(model, t);
}

limpet_skin *limpet_skin_create(const limpet_model *model) {
  limpet_skin *skin = calloc(1, sizeof *skin);
  if (!skin) return NULL;
  const size_t vertices = (size_t)model->vertex_count + 1;
  skin->model = model;
  skin->vertex = calloc(vertices, sizeof *skin->vertex);
  skin->number = calloc(vertices, sizeof *skin->number);
  skin->shares = calloc(vertices, sizeof *skin->shares);
  skin->begin = calloc((size_t)model->deformable_count + 1, sizeof *skin->begin);
  skin->stress = calloc((size_t)most_elements(model), sizeof *skin->stress);
  if (skin->vertex && skin->number && skin->shares && skin->begin && skin->stress) {
    list_vertices(skin);
    return skin;
  }
  limpet_skin_destroy(skin);
  return NULL;
}

void limpet_skin_destroy(limpet_skin *skin) {
  if (!skin) return;
  free(skin->vertex), free(skin->number), free(skin->shares);
  free(skin->begin), free(skin->stress);
  free(skin);
}

static void add_stress(limpet_skin *skin, int vertex, double stress, float *numbers) {
  const int at = skin->number[vertex];
  numbers[LIMPET_SKIN_NUMBERS * at + 3] += (float)stress;
  ++skin->shares[at];
}

static void take_stress(limpet_skin *skin, const limpet_data *data, int d, float *numbers) {
  const limpet_fem_body *body = skin->model->deformable_body[d];
  const int first = skin->model->deformable_vertex[d], *face = limpet_fem_body_faces(body),
            *behind = limpet_fem_body_face_tetrahedra(body), *end = limpet_fem_body_segments(body);
  const limpet_fem_body_info info = limpet_fem_body_information(body);
  const bool solid = info.tetrahedron_count > 0;
  limpet_fem_body_stress(body, data->vertex_position + 3 * first, skin->stress, NULL);
  for (int i = 0; i < 3 * info.face_count; ++i)
    add_stress(skin, first + face[i], skin->stress[solid ? behind[i / 3] : i / 3], numbers);
  for (int i = 0; i < 2 * info.segment_count; ++i)
    add_stress(skin, first + end[i], skin->stress[info.face_count + i / 2], numbers);
}

void limpet_skin_take(limpet_skin *skin, const limpet_data *data, float *numbers) {
  assert(data->model == skin->model);
  memset(skin->shares, 0, (size_t)skin->surface_count * sizeof *skin->shares);
  for (int i = 0; i < skin->surface_count; ++i) {
    for (int k = 0; k < 3; ++k)
      numbers[LIMPET_SKIN_NUMBERS * i + k] = (float)data->vertex_position[3 * skin->vertex[i] + k];
    numbers[LIMPET_SKIN_NUMBERS * i + 3] = 0.0f;
  }
  for (int d = 0; d < skin->model->deformable_count; ++d) take_stress(skin, data, d, numbers);
  for (int i = 0; i < skin->surface_count; ++i)
    if (skin->shares[i] > 0) numbers[LIMPET_SKIN_NUMBERS * i + 3] /= (float)skin->shares[i];
  numbers += LIMPET_SKIN_NUMBERS * (ptrdiff_t)skin->surface_count;
  for (int t = 0; t < skin->model->tendon_count; ++t) {
    const int count = limpet_tendon_skin_vertices(skin->model, t);
    if (count > 0) limpet_tendon_skin_take(skin->model, data, t, numbers);
    numbers += LIMPET_SKIN_NUMBERS * (ptrdiff_t)count;
  }
}

// Numbers of the body's own vertices, by their places in it.
static json_t *indices_encode(const limpet_skin *skin, int d, const int *index, int count,
                              limpet_byte_stream *stream) {
  const int first = skin->model->deformable_vertex[d];
  json_t *array = limpet_stream_array_begin(stream, LIMPET_ELEMENT_U4, (size_t)count);
  for (int i = 0; i < count; ++i) {
    const uint32_t corner = (uint32_t)(skin->number[first + index[i]] - skin->begin[d]);
    limpet_stream_write(stream, &corner, sizeof corner);
  }
  return array;
}

json_t *limpet_skin_encode(const limpet_skin *skin, limpet_byte_stream *stream) {
  const limpet_model *model = skin->model;
  json_t *list = json_array();
  for (int d = 0; d < model->deformable_count; ++d) {
    const limpet_fem_body *body = model->deformable_body[d];
    const limpet_fem_body_info info = limpet_fem_body_information(body);
    json_t *faces =
        indices_encode(skin, d, limpet_fem_body_faces(body), 3 * info.face_count, stream);
    json_t *segments =
        indices_encode(skin, d, limpet_fem_body_segments(body), 2 * info.segment_count, stream);
    json_array_append_new(
        list, json_pack("{s:i, s:i, s:i, s:o, s:o, s:f}", "geom", model->deformable_geom[d],
                        "begin", skin->begin[d], "count", skin->begin[d + 1] - skin->begin[d],
                        "faces", faces, "segments", segments, "radius", 0.5 * info.thickness));
  }
  int begin = skin->surface_count;
  for (int t = 0; t < model->tendon_count; ++t) {
    const int count = limpet_tendon_skin_vertices(model, t);
    if (count > 0) json_array_append_new(list, limpet_tendon_skin_encode(model, t, begin, stream));
    begin += count;
  }
  return list;
}
