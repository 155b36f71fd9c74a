// collide/soft_hull.c: see soft_hull.h.
#include "collide/soft_hull.h"

#include <math.h>

#include "math/extremes.h"
#include "math/vec3.h"

static const double thin_share = 0.1;  // [-]  of the half size: the skin is no thicker

enum { BOX_CORNERS = 8, BOX_SIDES = 6 };

// Corners of each side of a box as seen from outside, against the clock; corner i is at the upper
// end along x, y, z by its bits.
static const int box_side[BOX_SIDES][4] = {{0, 4, 6, 2}, {1, 3, 7, 5}, {0, 1, 5, 4},
                                           {2, 6, 7, 3}, {0, 2, 3, 1}, {4, 5, 7, 6}};

bool limpet_soft_has_corners(const limpet_model *model, int geom) {
  if (model->geom_kind[geom] == LIMPET_SHAPE_BOX) return true;
  if (model->geom_kind[geom] != LIMPET_SHAPE_MESH) return false;
  const limpet_mesh *mesh = &model->mesh[model->geom_mesh[geom]];
  return mesh->hull && !mesh->heights && mesh->hull->vertex_count <= LIMPET_SOFT_MOST_CORNERS;
}

// Room for so many vertices, triangles and edges. LIMPET_OK or LIMPET_ERROR_MEMORY.
static limpet_status take_room(limpet_arena *arena, int vertices, int faces, int edges,
                               limpet_soft_corners_of *c) {
  *c = (limpet_soft_corners_of){.x = LIMPET_TAKE(arena, double, 3 * vertices),
                                .end = LIMPET_TAKE(arena, double, 3 * vertices),
                                .skin = LIMPET_TAKE(arena, double, 3 * vertices),
                                .skin_end = LIMPET_TAKE(arena, double, 3 * vertices)};
  c->surface.vertex = LIMPET_TAKE(arena, int, vertices);
  c->surface.face = LIMPET_TAKE(arena, int, 3 * faces);
  c->surface.edge_end = LIMPET_TAKE(arena, int, 2 * edges);
  c->surface.edge_face = LIMPET_TAKE(arena, int, 2 * edges);
  c->surface.shortest = INFINITY;
  return c->x && c->end && c->skin && c->skin_end && c->surface.vertex && c->surface.face &&
                 c->surface.edge_end && c->surface.edge_face
             ? LIMPET_OK
             : LIMPET_ERROR_MEMORY;
}

// A corner at `local`, of which `skin` is left out [m], both in the frame of the geom.
static void add_corner(const limpet_data *data, const limpet_soft_sweep_request *request, int geom,
                       const double local[3], const double skin[3], limpet_soft_corners_of *c) {
  limpet_soft_surface *surface = &c->surface;
  const int i = surface->vertex_count++;
  const double *R = data->geom_rotation + 9 * geom, *R_end = request->geom_rotation + 9 * geom;
  double inner[3];
  limpet_vec3_sub(inner, local, skin);
  surface->vertex[i] = data->model->vertex_count + i;
  limpet_mat3_mul_vec(c->skin + 3 * i, R, skin);
  limpet_mat3_mul_vec(c->skin_end + 3 * i, R_end, skin);
  limpet_mat3_mul_vec(c->x + 3 * i, R, inner);
  limpet_vec3_add(c->x + 3 * i, c->x + 3 * i, data->geom_position + 3 * geom);
  limpet_mat3_mul_vec(c->end + 3 * i, R_end, inner);
  limpet_vec3_add(c->end + 3 * i, c->end + 3 * i, request->geom_position + 3 * geom);
}

// A side with `count` corners, as triangles around its first one. Returns the first of them.
static int add_side(const int *corner, int count, limpet_soft_surface *surface) {
  const int first = surface->face_count;
  for (int k = 1; k + 1 < count; ++k) {
    int *face = surface->face + 3 * surface->face_count++;
    face[0] = surface->vertex[corner[0]];
    face[1] = surface->vertex[corner[k]], face[2] = surface->vertex[corner[k + 1]];
  }
  return first;
}

// An edge from corner a to corner b between triangles, the first one to its left.
static void add_edge(int a, int b, int left, int right, limpet_soft_corners_of *c) {
  limpet_soft_surface *surface = &c->surface;
  const int e = 2 * surface->edge_count++;
  surface->edge_end[e] = surface->vertex[a], surface->edge_end[e + 1] = surface->vertex[b];
  surface->edge_face[e] = left, surface->edge_face[e + 1] = right;
  surface->shortest =
      limpet_min(surface->shortest, limpet_vec3_distance(c->x + 3 * a, c->x + 3 * b));
}

// The side of a box along which an edge runs from a to b.
static int box_side_of(int a, int b) {
  for (int s = 0; s < BOX_SIDES; ++s)
    for (int k = 0; k < 4; ++k)
      if (box_side[s][k] == a && box_side[s][(k + 1) % 4] == b) return s;
  return LIMPET_NONE;
}

static limpet_status take_box(limpet_soft_search *search, const limpet_soft_sweep_request *request,
                              int geom, limpet_soft_corners_of *c) {
  const double *half = search->model->geom_size + 3 * geom;
  if (take_room(search->arena, BOX_CORNERS, 2 * BOX_SIDES, 12, c)) return LIMPET_ERROR_MEMORY;
  for (int i = 0; i < BOX_CORNERS; ++i) {
    const double sign[3] = {i & 1 ? 1.0 : -1.0, i & 2 ? 1.0 : -1.0, i & 4 ? 1.0 : -1.0};
    double local[3], skin[3];
    for (int k = 0; k < 3; ++k) {
      local[k] = sign[k] * half[k];
      skin[k] = sign[k] * limpet_min(request->allowed, thin_share * half[k]);
    }
    add_corner(search->data, request, geom, local, skin, c);
  }
  for (int s = 0; s < BOX_SIDES; ++s) add_side(box_side[s], 4, &c->surface);
  for (int s = 0; s < BOX_SIDES; ++s)
    for (int k = 0; k < 4; ++k) {
      const int a = box_side[s][k], b = box_side[s][(k + 1) % 4];
      if (a < b) add_edge(a, b, 2 * s, 2 * box_side_of(b, a), c);
    }
  return LIMPET_OK;
}

static limpet_status take_hull(limpet_soft_search *search, const limpet_soft_sweep_request *request,
                               int geom, limpet_soft_corners_of *c) {
  const limpet_model *model = search->model;
  const limpet_hull *hull = model->mesh[model->geom_mesh[geom]].hull;
  const int triangles = hull->face_begin[hull->face_count] - 2 * hull->face_count;
  int *first = LIMPET_TAKE(search->arena, int, hull->face_count);
  if (!first || take_room(search->arena, hull->vertex_count, triangles, hull->edge_count, c))
    return LIMPET_ERROR_MEMORY;
  for (int i = 0; i < hull->vertex_count; ++i) {
    double skin[3];
    limpet_vec3_sub(skin, hull->vertices + 3 * i, hull->centre);
    const double out = limpet_vec3_norm(skin);
    limpet_vec3_scale(skin, limpet_min(request->allowed / out, thin_share), skin);
    add_corner(search->data, request, geom, hull->vertices + 3 * i, skin, c);
  }
  for (int f = 0; f < hull->face_count; ++f)
    first[f] = add_side(hull->face_vertex + hull->face_begin[f],
                        hull->face_begin[f + 1] - hull->face_begin[f], &c->surface);
  for (int e = 0; e < hull->edge_count; ++e) {
    const int *edge = hull->edge + 4 * e;
    add_edge(edge[0], edge[1], first[edge[2]], first[edge[3]], c);
  }
  return LIMPET_OK;
}

// The axis of a capsule: an edge that sticks out all around.
static limpet_status take_axis(limpet_soft_search *search, const limpet_soft_sweep_request *request,
                               int geom, limpet_soft_corners_of *c) {
  const double *size = search->model->geom_size + 3 * geom, none[3] = {0.0, 0.0, 0.0};
  if (take_room(search->arena, 2, 0, 1, c)) return LIMPET_ERROR_MEMORY;
  for (int i = 0; i < 2; ++i) {
    const double local[3] = {0.0, 0.0, i ? size[1] : -size[1]};
    add_corner(search->data, request, geom, local, none, c);
  }
  add_edge(0, 1, LIMPET_NONE, LIMPET_NONE, c);
  c->surface.two_sided = true;
  c->radius = size[0];
  return LIMPET_OK;
}

limpet_status limpet_soft_corners_take(limpet_soft_search *search,
                                       const limpet_soft_sweep_request *request, int geom,
                                       limpet_soft_corners_of *corners) {
  if (search->model->geom_kind[geom] == LIMPET_SHAPE_CAPSULE)
    return take_axis(search, request, geom, corners);
  return search->model->geom_kind[geom] == LIMPET_SHAPE_BOX
             ? take_box(search, request, geom, corners)
             : take_hull(search, request, geom, corners);
}
