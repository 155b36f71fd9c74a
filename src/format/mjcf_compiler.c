/* format/mjcf_compiler.c: <compiler>: how the rest of the file is to be read. Of several elements
 * the later ones win, attribute by attribute. They hold for the whole file with its includes,
 * wherever they stand. */
#include <string.h>

#include "format/mjcf.h"

static void read_angles(limpet_mjcf *m, limpet_mjcf_compiler *c, const limpet_xml_element *e) {
  static const char *const units[] = {"radian", "degree", NULL}, *const coordinates[] = {
                                                                     "local", "global", NULL};
  int unit = c->degrees, coordinate = 0;
  limpet_mjcf_choice(m, e, "angle", units, &unit);
  c->degrees = unit == 1;
  limpet_mjcf_choice(m, e, "coordinate", coordinates, &coordinate);
  if (coordinate == 1)
    limpet_mjcf_fail(m, e, "coordinate",
                     "global coordinates are no longer part of MJCF; load and save the model with "
                     "MuJoCo 2.3.3 or older");
  const char *sequence = limpet_xml_value(e, "eulerseq");
  if (!sequence) return;
  if (strlen(sequence) != 3 || strspn(sequence, "xyzXYZ") != 3)
    limpet_mjcf_fail(m, e, "eulerseq",
                     "'eulerseq' is '%s'; it takes three letters of x, y, z (axes that move) or X, "
                     "Y, Z (fixed axes)",
                     sequence);
  memcpy(c->euler_sequence, sequence, 4);
}

static void read_inertia(limpet_mjcf *m, limpet_mjcf_compiler *c, const limpet_xml_element *e) {
  int from_geoms = LIMPET_MJCF_AUTO;
  double group[2];
  if (limpet_mjcf_tristate(m, e, "inertiafromgeom", &from_geoms)) {
    c->inertia_source = from_geoms == LIMPET_MJCF_AUTO   ? LIMPET_INERTIA_AUTO
                        : from_geoms == LIMPET_MJCF_TRUE ? LIMPET_INERTIA_FROM_GEOMS
                                                         : LIMPET_INERTIA_GIVEN;
  }
  if (limpet_mjcf_numbers(m, e, "inertiagrouprange", group, 2, 2))
    for (int i = 0; i < 2; ++i) c->inertia_group[i] = (int)group[i];
  limpet_mjcf_number(m, e, "boundmass", &c->bound_mass);
  limpet_mjcf_number(m, e, "boundinertia", &c->bound_inertia);
  limpet_mjcf_number(m, e, "settotalmass", &c->total_mass);
  limpet_mjcf_boolean(m, e, "balanceinertia", &c->balance_inertia);
  limpet_mjcf_boolean(m, e, "fitaabb", &c->fit_to_aabb);
}

static void read_folders(limpet_mjcf *m, limpet_mjcf_compiler *c, const limpet_xml_element *e) {
  const char *meshes = limpet_xml_value(e, "meshdir"), *assets = limpet_xml_value(e, "assetdir");
  if (assets) c->asset_folder = assets;
  if (meshes) c->mesh_folder = meshes;
  limpet_mjcf_boolean(m, e, "strippath", &c->strip_path);
}

void limpet_mjcf_compiler_read(limpet_mjcf *m, limpet_mjcf_source *source) {
  static const char *const policies[] = {"warning", "merge", "error", NULL};
  limpet_mjcf_compiler *c = &source->compiler;
  *c = (limpet_mjcf_compiler){.degrees = true,
                              .autolimits = true,
                              .euler_sequence = "xyz",
                              .inertia_group = {0, 5},
                              .total_mass = -1.0};
  for (const limpet_xml_element *e = source->root->first; e; e = e->next) {
    if (strcmp(e->name, "compiler") != 0) continue;
    read_angles(m, c, e);
    read_inertia(m, c, e);
    read_folders(m, c, e);
    limpet_mjcf_boolean(m, e, "autolimits", &c->autolimits);
    limpet_mjcf_choice(m, e, "conflict", policies, &c->conflict);
  }
}
