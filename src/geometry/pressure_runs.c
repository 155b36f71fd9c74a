/* geometry/pressure_runs.c: a ray is looked at in a number of places, and intervals whose ends lie
 * in different pieces are closed around the place where the piece changes, by guesses and halvings,
 * and then by the root of what changes its sign there, so that points move smoothly with the
 * bodies. Where both ends lie beside the surface, and the chart can tell that nothing is between
 * them, the interval is parted until it does. */
#include "geometry/pressure_runs.h"

#include <math.h>

#include "math/vec3.h"

enum { root_steps = 60, most_grazes = 12 };
static const double root_share = 4e-16;  // [-]  of s, by which a root still moves
// [-]  of a ray: the pole often lies where pieces meet, and round-off would tell which it is in
static const double beside_pole = 1e-9;
enum { looks_beside = 4 };   // of one, where a ray is beside the surface
enum { beside_parts = 10 };  // one within the other, of a way between two looks beside it
static const double least_part = 0.05;   // [-]
static const double graze_share = 1e-3;  // of the looks' distance: the least step to the next

static void look_at(const limpet_pressure_ray *r, double s, limpet_pressure_look *look) {
  look->s = s;
  if (r->chart->look) r->chart->look(r->chart, r->theta, s, look);
  else look->piece = r->chart->evaluate(r->chart, r->theta, s, NULL);
}

// Where a + (b - a) t crosses zero between t = 0 and 1; else 1.
static double crossing_share(double a, double b) {
  return (a >= 0.0) != (b >= 0.0) ? a / (a - b) : 1.0;
}

/* Where field k changes its piece between two looks: where the tangents of both pieces have the
 * same value. */
static double piece_share(const limpet_pressure_look *low, const limpet_pressure_look *high,
                          int k) {
  double way[3];
  limpet_vec3_sub(way, high->x, low->x);
  const double before = low->value[k] - high->value[k],
               other = before + limpet_vec3_dot(high->gradient[k], way),
               own = before + limpet_vec3_dot(low->gradient[k], way);
  return other <= 0.0 && own > 0.0 ? other / (other - own) : 0.5;
}

/* A guess where the piece at `low` ends. The pressure falls with the square of s, as around a
 * pole. */
static double guess_end(const limpet_pressure_ray *r, const limpet_pressure_look *low,
                        const limpet_pressure_look *high) {
  const double width = high->s - low->s;
  if (!r->chart->guess) return low->s + 0.5 * width;
  const double least = r->chart->least;
  double level = crossing_share(low->pressure - least, high->pressure - least);
  level = fmin(level, crossing_share(low->pressure, high->pressure));
  const double from = low->s * low->s, to = high->s * high->s;
  double end = level < 1.0 ? sqrt(from + level * (to - from)) : high->s;
  for (int k = 0; k < 2; ++k)
    if (low->field_piece[k] != high->field_piece[k])
      end = fmin(end, low->s + piece_share(low, high, k) * width);
  return end > low->s && end < high->s ? end : low->s + 0.5 * width;
}

/* The root of the gap of two pieces between low and high, where it has other signs, by false
 * position with the weight of an end that stays halved (Illinois). NAN: no change of sign. */
static double gap_root(const limpet_pressure_ray *r, double low, double high, int piece,
                       int other) {
  const limpet_pressure_chart *chart = r->chart;
  double a = chart->gap(chart, r->theta, low, piece, other),
         b = chart->gap(chart, r->theta, high, piece, other);
  if (!((a < 0.0 && b > 0.0) || (a > 0.0 && b < 0.0))) return NAN;
  double s = high, last = low;
  for (int k = 0, side = 0; k < root_steps && fabs(s - last) > root_share * high; ++k) {
    last = s;
    s = low + (high - low) * a / (a - b);
    const double gap = chart->gap(chart, r->theta, s, piece, other);
    if (gap == 0.0) break;
    if (isnan(gap)) return NAN;
    if ((gap > 0.0) == (b > 0.0)) {
      high = s, b = gap;
      if (side == 1) a *= 0.5;
      side = 1;
    } else {
      low = s, a = gap;
      if (side == -1) b *= 0.5;
      side = -1;
    }
  }
  return s;
}

/* The same between two looks, where it is known: points then move smoothly with the bodies. `high`
 * becomes what follows there. */
static double polished_end(const limpet_pressure_ray *r, const limpet_pressure_look *low,
                           limpet_pressure_look *high) {
  // a layer of negative pressure may be thinner than all looks
  const bool leaves = high->piece == LIMPET_PRESSURE_OUTSIDE && low->piece % 2 == 0 && r->outside;
  const int other = leaves ? low->piece + 1 : high->piece;
  const double root = r->chart->gap ? gap_root(r, low->s, high->s, low->piece, other) : NAN;
  if (isnan(root)) return root;
  look_at(r, root, high);
  high->piece = other;
  return root;
}

/* Where the piece at `low` ends between two looks whose pieces differ; `high` becomes a look at
 * what follows. Each look lies a little beside the guess, on the side of the farther end, so that
 * the interval closes from both sides; where guesses do not halve it, it is halved. */
static double piece_end(const limpet_pressure_ray *r, limpet_pressure_look *low,
                        limpet_pressure_look *high) {
  double enough = ldexp(high->s - low->s, -r->halvings);
  for (int k = 0; k < 3 * r->halvings && high->s - low->s > 1.0001 * enough; ++k) {
    const double width = high->s - low->s, middle = low->s + 0.5 * width;
    double s = middle;
    if (r->chart->guess && k % 4 != 3) {
      s = guess_end(r, low, high);
      s += s < middle ? 0.5 * enough : -0.5 * enough;
    }
    limpet_pressure_look there;
    look_at(r, s, &there);
    if (there.piece == low->piece) *low = there;
    else *high = there;
    // of a surface that ends next to the pole
    if (r->chart->guess) enough = fmin(enough, ldexp(high->s, -r->halvings));
  }
  const double middle = 0.5 * (low->s + high->s), root = polished_end(r, low, high);
  return isnan(root) ? middle : root;
}

/* Makes one run of the two neighbours that are the shortest together: a rule over a kink, or over a
 * gap, where no place counts. Nothing is lost, and halves tell the error. */
static void runs_join(limpet_pressure_ray *r) {
  int best = 0;
  for (int i = 1; i + 1 < r->count; ++i)
    if (r->runs[i + 1].high - r->runs[i].low < r->runs[best + 1].high - r->runs[best].low) best = i;
  r->runs[best].high = r->runs[best + 1].high;
  for (int i = best + 1; i + 1 < r->count; ++i) r->runs[i] = r->runs[i + 1];
  --r->count;
}

static void run_add(limpet_pressure_ray *r, double low, double high, int piece) {
  if (piece % 2 == 0) r->pressed = high;
  const int pieces = (int)fmin(ceil((high - low) / r->chart->stretch), LIMPET_PRESSURE_RUNS);
  for (int k = 0; k < pieces; ++k) {
    if (r->count == LIMPET_PRESSURE_RUNS) runs_join(r);
    r->runs[r->count++] = (limpet_pressure_run){low + (high - low) * k / pieces,
                                                low + (high - low) * (k + 1) / pieces};
  }
}

// What a walk along a ray has come to: the last look, and where its piece began.
typedef struct walk {
  limpet_pressure_look low;
  double begin;
} walk;

/* Looks where most may be between two places beside the surface, as long as a part of it may lie
 * there. False: none does, or it is smaller than so many looks tell. */
static bool find_between(const limpet_pressure_ray *r, const limpet_pressure_look *low,
                         const limpet_pressure_look *high, int parts, limpet_pressure_look *found) {
  double share;
  if (!r->chart->is_beside || low->piece != LIMPET_PRESSURE_OUTSIDE ||
      high->piece != LIMPET_PRESSURE_OUTSIDE || parts == 0 ||
      r->chart->is_beside(r->chart, low, high, &share))
    return false;
  limpet_pressure_look at;
  share = fmin(fmax(share, least_part), 1.0 - least_part);
  look_at(r, low->s + share * (high->s - low->s), &at);
  if (at.piece != LIMPET_PRESSURE_OUTSIDE) {
    *found = at;
    return true;
  }
  return find_between(r, low, &at, parts - 1, found) ||
         find_between(r, &at, high, parts - 1, found);
}

static bool is_pressed(const limpet_pressure_look *look) {
  return look->piece != LIMPET_PRESSURE_OUTSIDE && look->piece % 2 == 0;
}

// Goes on to the next look; adds the runs that end before it. Whether the ray goes on from there.
static bool walk_to(limpet_pressure_ray *r, walk *w, const limpet_pressure_look *there) {
  for (int change = 0; change < LIMPET_PRESSURE_RUNS; ++change) {
    limpet_pressure_look next = *there;
    if (w->low.piece == there->piece && !find_between(r, &w->low, there, beside_parts, &next))
      break;
    const int piece = w->low.piece;
    const double cut = piece_end(r, &w->low, &next);
    if (piece != LIMPET_PRESSURE_OUTSIDE) run_add(r, w->begin, cut, piece);
    if (r->chart->folds && is_pressed(&w->low) != is_pressed(&next))
      r->folded |= r->chart->folds(r->chart, &next);
    w->low = next, w->begin = cut;
    if (w->low.piece == LIMPET_PRESSURE_OUTSIDE && r->chart->is_last &&
        r->chart->is_last(r->chart, &w->low))
      return false;
  }
  w->low = *there;
  return true;
}

/* Between three looks in one piece, of which the middle one is the closest to another piece: the
 * least of the parabola through the margins to field f, until a look lies in that piece. False: the
 * ray passes it by. look: from the lowest to the highest, drawn together around the least. */
static bool graze_find(const limpet_pressure_ray *r, int f, limpet_pressure_look look[3],
                       limpet_pressure_look *found) {
  for (int k = 0; k < most_grazes; ++k) {
    const double *m[3] = {look[0].margin + f, look[1].margin + f, look[2].margin + f};
    const double left = look[1].s - look[0].s, right = look[2].s - look[1].s,
                 before = (*m[1] - *m[0]) / left, after = (*m[2] - *m[1]) / right,
                 bend = (after - before) / (left + right),
                 slope = before + bend * left,  // at the middle one
        shift = bend > 0.0 ? -0.5 * slope / bend : 0.0, least = *m[1] - bend * shift * shift;
    const double wide = fmax(left, right), off = fmax(fabs(shift), graze_share * wide);
    if (k > 1 && least > 0.5 * *m[1]) return false;
    double s = look[1].s + copysign(off, shift != 0.0 ? shift : right - left);
    if (!(s > look[0].s && s < look[2].s))
      s = look[1].s + (right > left ? 0.5 * right : -0.5 * left);
    limpet_pressure_look at;
    look_at(r, s, &at);
    if (at.piece != look[1].piece) {
      *found = at;
      return true;
    }
    const bool later = s > look[1].s;
    if (at.margin[f] < *m[1]) look[later ? 0 : 2] = look[1], look[1] = at;
    else look[later ? 2 : 0] = at;
  }
  return false;
}

/* Whether a ray grazes another piece between three looks in one piece: `found` lies in it. */
static bool grazes(const limpet_pressure_ray *r, const limpet_pressure_look at[3],
                   limpet_pressure_look *found) {
  const int piece = at[1].piece;
  if (piece == LIMPET_PRESSURE_OUTSIDE || at[0].piece != piece || at[2].piece != piece)
    return false;
  for (int f = 0; f < 2; ++f) {
    const double before = at[0].margin[f], here = at[1].margin[f], after = at[2].margin[f];
    limpet_pressure_look look[3] = {at[0], at[1], at[2]};
    if (here < INFINITY && here < before && here <= after && graze_find(r, f, look, found))
      return true;
  }
  return false;
}

void limpet_pressure_find_runs(limpet_pressure_ray *r) {
  const limpet_pressure_chart *chart = r->chart;
  const double end = chart->end(chart, r->theta);
  const bool asks_beside = chart->is_thin && !chart->is_beside;
  r->count = 0, r->pressed = 0.0, r->folded = false;
  if (chart->looks == 0) {
    const double zero = chart->zero ? chart->zero(chart, r->theta, end) : end;
    run_add(r, 0.0, zero, 0), run_add(r, zero, end, 1);
    return;
  }
  walk w = {.begin = 0.0};
  limpet_pressure_look last[3], found;  // the last three looks
  look_at(r, beside_pole * end, &w.low);
  last[1] = last[2] = w.low;
  for (int k = 1; k <= chart->looks; ++k) {
    // looks are closer to each other near the pole
    const double share = (double)k / chart->looks;
    // beside the surface, where more of it may come, it may be as small as what is thin
    for (int m = 1; asks_beside && w.low.piece == LIMPET_PRESSURE_OUTSIDE && m < looks_beside;
         ++m) {
      const double before = last[2].s, part = (double)m / looks_beside;
      limpet_pressure_look beside;
      look_at(r, before + part * (end * share * share - before), &beside);
      if (!walk_to(r, &w, &beside)) return;
    }
    last[0] = last[1], last[1] = last[2];
    look_at(r, end * share * share, &last[2]);
    if (chart->grazes && k > 1 && grazes(r, last, &found)) {
      const bool before = found.s < last[1].s;
      if (before) w.low = last[0];
      if (!walk_to(r, &w, &found)) return;
      if (before && !walk_to(r, &w, &last[1])) return;
    }
    if (!walk_to(r, &w, &last[2])) return;
  }
  if (w.low.piece != LIMPET_PRESSURE_OUTSIDE) run_add(r, w.begin, end, w.low.piece);
}
