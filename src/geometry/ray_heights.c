/* geometry/ray_heights.c: the cells of a height field that are on the way of a ray.
 *
 * Along the axis on which the ray crosses more cells it goes from strip to strip. Within a strip it
 * has a range of coordinates on the other axis, one or two cells mostly, and one of heights: a cell
 * whose four heights are all below or all above that is left out. All ranges are wider by the slack
 * of the walk, so that no cell is missed by rounding.
 *
 * Faces 2 (row (columns - 1) + column) and the next are those of a cell. */
#include <assert.h>

#include "geometry/ray_mesh.h"

// Vertices of a mesh may be rounded to float, the heights are not.
static const double rounding = 1e-6;

typedef struct range {
  double low, high;
} range;

typedef struct heights_walk {
  limpet_mesh_walk *ray;
  const limpet_height_field *field;
  double slack;     // [m]
  double width[2];  // [m]  of a cell along x, y
  int cells[2];     // columns - 1, rows - 1
} heights_walk;

// Coordinates along an axis between two ranges of the ray.
static range between(const heights_walk *walk, int axis, limpet_interval t) {
  const double a = walk->ray->q[axis] + t.begin * walk->ray->e[axis],
               b = walk->ray->q[axis] + t.end * walk->ray->e[axis];
  return (range){(a < b ? a : b) - walk->slack, (a < b ? b : a) + walk->slack};
}

// Number of the cell at a coordinate, the first or last beyond them.
static int cell_at(const heights_walk *walk, int axis, double x) {
  const double cell = floor((x + walk->field->half[axis]) / walk->width[axis]);
  return cell < 0.0 ? 0 : cell < walk->cells[axis] ? (int)cell : walk->cells[axis] - 1;
}

static void cell_visit(heights_walk *walk, int column, int row, range z) {
  const limpet_height_field *field = walk->field;
  const double *h = field->height + row * field->columns + column, *above = h + field->columns;
  const double low = fmin(fmin(h[0], h[1]), fmin(above[0], above[1])),
               high = fmax(fmax(h[0], h[1]), fmax(above[0], above[1]));
  if (z.low > high || z.high < low) return;
  const int face = 2 * (row * walk->cells[0] + column);
  limpet_mesh_face_visit(walk->ray, face);
  limpet_mesh_face_visit(walk->ray, face + 1);
}

// The cells of one strip across the axis `along`.
static void strip_visit(heights_walk *walk, int along, int strip, limpet_interval inside) {
  const int across = 1 - along;
  const double half = 0.5 * walk->width[along],
               centre = (2 * strip + 1) * half - walk->field->half[along],
               offset = centre - walk->ray->q[along], inverse = walk->ray->inverse[along];
  limpet_interval t = inside;
  if (inverse != 0.0) {
    const double a = (offset - half - walk->slack) * inverse,
                 b = (offset + half + walk->slack) * inverse;
    t = limpet_interval_both(t, (limpet_interval){fmin(a, b), fmax(a, b)});
  }
  if (t.begin > t.end || t.begin > walk->ray->nearest) return;
  const range z = between(walk, 2, t), y = between(walk, across, t);
  const int last = cell_at(walk, across, y.high);
  for (int k = cell_at(walk, across, y.low); k <= last; ++k)
    cell_visit(walk, along == 0 ? strip : k, along == 0 ? k : strip, z);
}

void limpet_mesh_heights_visit(limpet_mesh_walk *ray) {
  const limpet_height_field *field = ray->mesh->heights;
  assert(field);
  const double extent = fmax(fmax(field->half[0], field->half[1]), field->highest);
  heights_walk walk = {.ray = ray,
                       .field = field,
                       .slack = 2.0 * ray->slack + rounding * extent,
                       .cells = {field->columns - 1, field->rows - 1}};
  for (int i = 0; i < 2; ++i) walk.width[i] = 2.0 * field->half[i] / walk.cells[i];
  const double centre[3] = {0.0, 0.0, 0.5 * field->highest},
               half[3] = {field->half[0], field->half[1], 0.5 * field->highest};
  limpet_interval inside = limpet_mesh_ray_box(ray, centre, half, walk.slack);
  inside.begin = fmax(inside.begin, 0.0);
  if (inside.begin > inside.end) return;
  const int along = fabs(ray->e[1]) * walk.width[0] > fabs(ray->e[0]) * walk.width[1] ? 1 : 0;
  const range x = between(&walk, along, inside);
  const int first = cell_at(&walk, along, x.low), last = cell_at(&walk, along, x.high);
  const bool forward = ray->e[along] >= 0.0;
  for (int k = 0; k <= last - first; ++k)
    strip_visit(&walk, along, forward ? first + k : last - k, inside);
}
