/* format/mjcf/compiler.c: <compiler>: how the rest of the file is to be read. Of several elements
 * the later ones win, attribute by attribute. They hold for the whole file with its includes,
 * wherever they stand. */
#include <string.h>

#include "format/mjcf/compiler.h"
#include "format/mjcf/value.h"

static void read_angles(limpet_reader *reader, limpet_mjcf_compiler *c,
                        const limpet_xml_element *e) {
  static const char *const units[] = {"radian", "degree", NULL}, *const coordinates[] = {
                                                                     "local", "global", NULL};
  int unit = c->degrees, coordinate = 0;
  limpet_read_choice(reader, e, "angle", units, &unit);
  c->degrees = unit == 1;
  if (limpet_xml_find(e, "angle")) c->angle_given = true;
  limpet_read_choice(reader, e, "coordinate", coordinates, &coordinate);
  if (coordinate == 1)
    limpet_reader_fail(
        reader, e, "coordinate",
        "global coordinates are no longer part of MJCF; load and save the model with "
        "MuJoCo 2.3.3 or older");
  const char *sequence = limpet_xml_value(e, "eulerseq");
  if (!sequence) return;
  if (strlen(sequence) != 3 || strspn(sequence, "xyzXYZ") != 3)
    limpet_reader_fail(
        reader, e, "eulerseq",
        "'eulerseq' is '%s'; it takes three letters of x, y, z (axes that move) or X, "
        "Y, Z (fixed axes)",
        sequence);
  memcpy(c->euler_sequence, sequence, 4);
}

static void read_inertia(limpet_reader *reader, limpet_mjcf_compiler *c,
                         const limpet_xml_element *e) {
  int from_geoms = LIMPET_MJCF_AUTO;
  double group[2];
  if (limpet_mjcf_tristate(reader, e, "inertiafromgeom", &from_geoms)) {
    c->inertia_source = from_geoms == LIMPET_MJCF_AUTO   ? LIMPET_INERTIA_AUTO
                        : from_geoms == LIMPET_MJCF_TRUE ? LIMPET_INERTIA_FROM_GEOMS
                                                         : LIMPET_INERTIA_GIVEN;
  }
  if (limpet_read_numbers(reader, e, "inertiagrouprange", group, 2, 2))
    for (int i = 0; i < 2; ++i) c->inertia_group[i] = (int)group[i];
  limpet_read_number(reader, e, "boundmass", &c->bound_mass);
  limpet_read_number(reader, e, "boundinertia", &c->bound_inertia);
  limpet_read_number(reader, e, "settotalmass", &c->total_mass);
  limpet_read_boolean(reader, e, "balanceinertia", &c->balance_inertia);
  limpet_read_boolean(reader, e, "fitaabb", &c->fit_to_aabb);
  limpet_read_boolean(reader, e, "alignfree", &c->align_free);
}

static void read_folders(limpet_reader *reader, limpet_mjcf_compiler *c,
                         const limpet_xml_element *e) {
  const char *meshes = limpet_xml_value(e, "meshdir"), *assets = limpet_xml_value(e, "assetdir"),
             *textures = limpet_xml_value(e, "texturedir");
  if (assets) c->asset_folder = assets;
  if (meshes) c->mesh_folder = meshes;
  if (textures) c->texture_folder = textures;
  limpet_read_boolean(reader, e, "strippath", &c->strip_path);
}

limpet_mjcf_compiler limpet_mjcf_compiler_read(limpet_reader *reader,
                                               const limpet_xml_element *root) {
  static const char *const policies[] = {"warning", "merge", "error", NULL};
  limpet_mjcf_compiler c = {.degrees = true,
                            .autolimits = true,
                            .euler_sequence = "xyz",
                            .inertia_group = {0, 5},
                            .total_mass = -1.0};
  for (const limpet_xml_element *e = root->first; e; e = e->next) {
    if (strcmp(e->name, "compiler") != 0) continue;
    read_angles(reader, &c, e);
    read_inertia(reader, &c, e);
    read_folders(reader, &c, e);
    limpet_read_boolean(reader, e, "autolimits", &c.autolimits);
    limpet_read_choice(reader, e, "conflict", policies, &c.conflict);
  }
  return c;
}
