/* geometry/pressure_sweep.h: integrals over a curved surface in polar coordinates.
 *
 * A chart maps (theta, s) to points of a surface: theta turns around a pole, s goes away from it.
 */
#ifndef LIMPET_GEOMETRY_PRESSURE_SWEEP_H
#define LIMPET_GEOMETRY_PRESSURE_SWEEP_H

#include "geometry/pressure_contact.h"

typedef struct limpet_pressure_sample {
  double x[3], normal[3];         // [m], [-]  W; normal from A to B
  double element;                 // area for each d theta d s, in m^2 and the unit of s
  double pressure;                // [Pa]
  double gradient_a, gradient_b;  // [Pa/m]  as limpet_pressure_point has them
} limpet_pressure_sample;

enum { LIMPET_PRESSURE_OUTSIDE = -1 };

/* What is seen at a place of a chart: its smooth piece, and by what the next place may be guessed
 * where the piece ends. */
typedef struct limpet_pressure_look {
  double s, x[3];                   // place; [m] in a frame of the chart's own
  double pressure;                  // [Pa]  also beyond the surface's end
  int piece;                        // as limpet_pressure_chart.evaluate returns it
  int field_piece[2];               // of each field; -1: none
  double value[2], gradient[2][3];  // [Pa], [Pa/m]  of each field
  double margin[2];                 // how far off another piece of each field is, if asked for
} limpet_pressure_look;

typedef struct limpet_pressure_chart limpet_pressure_chart;
struct limpet_pressure_chart {
  /* The smooth piece at (theta, s), odd where p < 0, or LIMPET_PRESSURE_OUTSIDE: not part of the
   * surface. `sample`
   * (NULL: not wanted) is filled where there is a surface. */
  int (*evaluate)(const limpet_pressure_chart *chart, double theta, double s,
                  limpet_pressure_sample *sample);
  /* Fills a look at (theta, s); all but the piece may be left alone if guess is false. */
  void (*look)(const limpet_pressure_chart *chart, double theta, double s,
               limpet_pressure_look *look);
  /* A function that changes its sign where one piece along s meets another one; NAN: none is known.
   * NULL: of no pieces. */
  double (*gap)(const limpet_pressure_chart *chart, double theta, double s, int piece, int other);
  bool guess;    // looks tell where pieces end
  bool grazes;   // looks tell their margins, so that pieces that a ray only grazes are found
  double least;  // [Pa]  where the surface ends, for guesses
  // s ends here along theta
  double (*end)(const limpet_pressure_chart *chart, double theta);
  /* Where the pressure changes its sign for the only time between 0 and `end` along theta, of a
   * chart without looks; NULL: nowhere. */
  double (*zero)(const limpet_pressure_chart *chart, double theta, double end);
  int looks;       // how many places along s are looked at for other pieces; 0: one piece
  double stretch;  // a rule along s spans no more than this
  bool at_corner;  // the pole is a corner: a surface that fills panels is no needle between them
  /* Whether nothing of the surface comes along s after a look at which it has ended; NULL: not
   * known. */
  bool (*is_last)(const limpet_pressure_chart *chart, const limpet_pressure_look *look);
  /* Whether nothing of the surface comes along s between two looks beside it; if it may, share [-]:
   * how far on it is the likeliest. NULL: not known. */
  bool (*is_beside)(const limpet_pressure_chart *chart, const limpet_pressure_look *low,
                    const limpet_pressure_look *high, double *share);
  bool is_thin;  // a part of the surface may lie between two looks
  /* Whether a ray meets the surface again beyond a look at which its pressure has just come to zero
   * or risen from it: the surface folds back there. NULL: it does not. */
  bool (*folds)(const limpet_pressure_chart *chart, const limpet_pressure_look *look);
  const double *angle;  // (angle_count + 1)  [rad]  where theta is cut from the start, ascending
  int angle_count;
  double length;  // [m]  size of the surface, for errors of moments
  /* Of a chart that is a part of a surface: the size of all of it, and the share of the tolerance
   * that each panel may use. 0: it is the surface. */
  double whole[2];   // [m^2], [N]
  double part;       // [-]
  uint64_t feature;  // bits 8 to 59 that tell its points from those of other charts
};

/* Adds the points of a chart: tensor products of Gauss rules between the pieces along s and in
 * panels of theta, which are halved until the result changes by less than the tolerance. */
void limpet_pressure_sweep(limpet_pressure_surface *surface, const limpet_pressure_chart *chart);

#endif
