/* format/mjcf/surface.c: what the surface of a geom is made of, beyond MJCF's friction and
 * impedance: the attributes limpet:... and MuJoCo's surface velocity. */
#include "format/mjcf/surface.h"

#include <math.h>
#include <string.h>

#include "format/read/value.h"

void limpet_mjcf_surface_read(limpet_reader *reader, const limpet_xml_element *e,
                              limpet_material *material) {
  double surface[6] = {0.0};
  if (limpet_read_numbers(reader, e, "surfacevel", surface, 1, 6)) {
    memcpy(material->surface_velocity, surface, 3 * sizeof *surface);
    memcpy(material->surface_angular_velocity, surface + 3, 3 * sizeof *surface);
  }
  limpet_read_number(reader, e, "adhesion", &material->adhesion);
  limpet_read_number(reader, e, "limpet:stiffness", &material->stiffness);
  limpet_read_number(reader, e, "limpet:dissipation", &material->dissipation);
  limpet_read_number(reader, e, "limpet:relaxation_time", &material->relaxation_time);
  limpet_read_number(reader, e, "limpet:friction_static", &material->friction_static);
  limpet_read_number(reader, e, "limpet:friction_ratio", &material->friction_ratio);
  limpet_read_number(reader, e, "limpet:restitution", &material->restitution);
  limpet_read_number(reader, e, "limpet:elastic_modulus", &material->elastic_modulus);
  limpet_read_number(reader, e, "limpet:slab_thickness", &material->slab_thickness);
  limpet_read_number(reader, e, "limpet:field_size", &material->field_size);
  limpet_read_number(reader, e, "limpet:field_error", &material->field_error);
  limpet_read_number(reader, e, "limpet:field_margin", &material->field_margin);
  limpet_read_numbers(reader, e, "limpet:friction_axis", material->friction_axis, 3, 3);
  limpet_read_numbers(reader, e, "limpet:surface_velocity", material->surface_velocity, 3, 3);
}

static void require(limpet_reader *reader, const limpet_xml_element *e, const char *name,
                    double value, bool good, const char *range) {
  if (!good) limpet_reader_fail(reader, e, name, "'%s' is %g; it must be %s", name, value, range);
}

void limpet_mjcf_surface_check(limpet_reader *reader, const limpet_xml_element *e,
                               const limpet_material *a) {
  static const char *const not_negative = "a finite number of 0 or more";
  require(reader, e, "limpet:stiffness", a->stiffness, a->stiffness > 0.0,
          "positive, in N/m (inf: rigid)");
  require(reader, e, "adhesion", a->adhesion, a->adhesion >= 0.0 && isfinite(a->adhesion),
          not_negative);
  require(reader, e, "limpet:dissipation", a->dissipation,
          a->dissipation >= 0.0 && isfinite(a->dissipation), not_negative);
  require(reader, e, "limpet:relaxation_time", a->relaxation_time,
          a->relaxation_time >= 0.0 && isfinite(a->relaxation_time), not_negative);
  require(reader, e, "limpet:friction_ratio", a->friction_ratio,
          a->friction_ratio >= 0.0 && isfinite(a->friction_ratio), not_negative);
  require(reader, e, "limpet:restitution", a->restitution,
          a->restitution >= 0.0 && a->restitution <= 1.0, "from 0 to 1");
  require(reader, e, "limpet:elastic_modulus", a->elastic_modulus, a->elastic_modulus > 0.0,
          "positive, in Pa (inf: rigid)");
  require(reader, e, "limpet:slab_thickness", a->slab_thickness,
          isnan(a->slab_thickness) || (a->slab_thickness > 0.0 && isfinite(a->slab_thickness)),
          "positive, in m");
  require(reader, e, "limpet:field_size", a->field_size,
          a->field_size >= 0.0 && isfinite(a->field_size), not_negative);
  require(reader, e, "limpet:field_error", a->field_error,
          a->field_error >= 0.0 && isfinite(a->field_error), not_negative);
  require(reader, e, "limpet:field_margin", a->field_margin,
          a->field_margin >= 0.0 && isfinite(a->field_margin), not_negative);
  if (a->friction_static < a->friction || isinf(a->friction_static))
    limpet_reader_fail(
        reader, e, "limpet:friction_static",
        "'limpet:friction_static' is %g; it must be finite and at least the geom's friction, %g",
        a->friction_static, a->friction);
  const double *axis = a->friction_axis, *s = a->surface_velocity, *w = a->surface_angular_velocity;
  if (axis[0] == 0.0 && axis[1] == 0.0 && axis[2] == 0.0)
    limpet_reader_fail(reader, e, "limpet:friction_axis",
                       "'limpet:friction_axis' is zero; give a direction");
  for (int i = 0; i < 3; ++i) {
    require(reader, e, "limpet:friction_axis", axis[i], isfinite(axis[i]),
            "a direction of finite numbers");
    require(reader, e, limpet_xml_find(e, "surfacevel") ? "surfacevel" : "limpet:surface_velocity",
            s[i], isfinite(s[i]), "a velocity of finite numbers");
    require(reader, e, "surfacevel", w[i], isfinite(w[i]), "a velocity of finite numbers");
  }
}
