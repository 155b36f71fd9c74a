/* format/mjcf/sensor.c: sensors. The element's name is that of the kind; which attributes name what
 * it measures follows from what the kind can measure. A sensor that is not simulated keeps its
 * place in data->sensor with zeros. */
#include <stdio.h>
#include <string.h>

#include "format/mjcf/section.h"
#include "format/mjcf/value.h"
#include "format/mjcf/mesh.h"
#include "format/read/value.h"
#include "limpet/sense.h"

enum {
  BODY = 1 << LIMPET_OBJECT_BODY,
  GEOM = 1 << LIMPET_OBJECT_GEOM,
  SITE = 1 << LIMPET_OBJECT_SITE
};
enum {
  CAMERA = 1 << LIMPET_OBJECT_CAMERA,
  FRAME = BODY | GEOM | SITE | CAMERA,
  SOLID = BODY | GEOM
};

// --------------------------------------------------------------------------- what is measured

static const char *const frame_words[] = {"body", "xbody", "geom", "site", "camera", NULL};
static const limpet_object frame_objects[] = {LIMPET_OBJECT_BODY, LIMPET_OBJECT_BODY,
                                              LIMPET_OBJECT_GEOM, LIMPET_OBJECT_SITE,
                                              LIMPET_OBJECT_CAMERA};
enum { WORD_BODY };

typedef struct target {
  limpet_object type;
  int handle;
  bool inertial;
  bool left_out;  // it is named and not in the model
} target;

static target resolve(limpet_mjcf_reference *reference, const limpet_xml_element *e,
                      const char *attribute, limpet_object type) {
  const char *missing = reference->missing, *name = limpet_xml_value(e, attribute);
  target t = {.type = type};
  if (name && !*name)
    limpet_reader_fail(reference->m->reader, e, attribute,
                       "'%s' of <%s> is empty; give the name of its %s", attribute, e->name,
                       limpet_object_word(type));
  t.handle = limpet_mjcf_resolve(reference, e, attribute, type);
  t.left_out = t.handle == LIMPET_NONE && reference->missing == missing;
  return t;
}

// objtype and objname, or refname and reftype: both or none
static target read_frame(limpet_mjcf_reference *reference, const limpet_xml_element *e,
                         const char *type, const char *name) {
  limpet_mjcf *m = reference->m;
  target t = {.type = LIMPET_OBJECT_SITE, .handle = LIMPET_NONE};
  const bool has_type = limpet_xml_find(e, type) != NULL,
             has_name = limpet_xml_find(e, name) != NULL;
  if (!has_type && !has_name) return t;
  if (!has_type || !has_name)
    limpet_reader_fail(m->reader, e, has_type ? type : name,
                       "<%s> has '%s' without '%s'; give both", e->name, has_type ? type : name,
                       has_type ? name : type);
  int word = WORD_BODY;
  limpet_read_choice(m->reader, e, type, frame_words, &word);
  t = resolve(reference, e, name, frame_objects[word]);
  t.inertial = word == WORD_BODY;
  return t;
}

// one of two attributes: a geom or a body
static target read_solid(limpet_mjcf_reference *reference, const limpet_xml_element *e,
                         const char *geom, const char *body) {
  const bool has_geom = limpet_xml_find(e, geom) != NULL,
             has_body = limpet_xml_find(e, body) != NULL;
  if (has_geom == has_body)
    limpet_reader_fail(reference->m->reader, e, has_geom ? body : NULL,
                       "<%s> needs one of '%s' and '%s'", e->name, geom, body);
  return has_geom ? resolve(reference, e, geom, LIMPET_OBJECT_GEOM)
                  : resolve(reference, e, body, LIMPET_OBJECT_BODY);
}

static target read_named(limpet_mjcf_reference *reference, const limpet_xml_element *e,
                         unsigned objects) {
  static const limpet_object types[] = {LIMPET_OBJECT_SITE, LIMPET_OBJECT_JOINT,
                                        LIMPET_OBJECT_TENDON, LIMPET_OBJECT_ACTUATOR,
                                        LIMPET_OBJECT_BODY};
  for (size_t i = 0; i < sizeof types / sizeof *types; ++i) {
    if (!(objects >> types[i] & 1u)) continue;
    const char *attribute = limpet_object_word(types[i]);
    if ((objects & CAMERA) && limpet_xml_find(e, "camera")) {
      if (limpet_xml_find(e, "site"))
        limpet_reader_fail(reference->m->reader, e, "camera",
                           "<%s> has both 'site' and 'camera'; keep one", e->name);
      return resolve(reference, e, "camera", LIMPET_OBJECT_CAMERA);
    }
    limpet_read_required(reference->m->reader, e, attribute);
    return resolve(reference, e, attribute, types[i]);
  }
  return (target){.type = LIMPET_OBJECT_SITE, .handle = LIMPET_NONE};
}

static target read_side(limpet_mjcf_reference *reference, const limpet_xml_element *e,
                        const char *const *attributes, bool *subtree) {
  static const limpet_object types[] = {LIMPET_OBJECT_GEOM, LIMPET_OBJECT_BODY, LIMPET_OBJECT_BODY,
                                        LIMPET_OBJECT_SITE};
  target side = {.type = LIMPET_OBJECT_GEOM, .handle = LIMPET_NONE};
  const char *found = NULL;
  for (int i = 0; attributes[i]; ++i) {
    if (!limpet_xml_find(e, attributes[i])) continue;
    if (found)
      limpet_reader_fail(reference->m->reader, e, attributes[i],
                         "<%s> has both '%s' and '%s'; keep one", e->name, found, attributes[i]);
    found = attributes[i];
    side = resolve(reference, e, found, types[i]);
    *subtree = i == 2;
  }
  return side;
}

static void read_targets(limpet_mjcf_reference *reference, const limpet_xml_element *e,
                         const limpet_sensor_kind *kind, target *object, target *other) {
  const unsigned objects = limpet_sensor_kind_objects(kind),
                 references = limpet_sensor_kind_references(kind);
  *other = (target){.type = LIMPET_OBJECT_SITE, .handle = LIMPET_NONE};
  if (objects == SOLID) {
    *object = read_solid(reference, e, "geom1", "body1");
    *other = read_solid(reference, e, "geom2", "body2");
  } else if (objects == FRAME) {
    limpet_read_required(reference->m->reader, e, "objtype");
    *object = read_frame(reference, e, "objtype", "objname");
    if (references == FRAME) *other = read_frame(reference, e, "reftype", "refname");
    if (references == SITE) {
      limpet_read_required(reference->m->reader, e, "site");
      *other = resolve(reference, e, "site", LIMPET_OBJECT_SITE);
    }
  } else {
    *object = read_named(reference, e, objects);
    if (references == CAMERA) {
      limpet_read_required(reference->m->reader, e, "camera");
      *other = resolve(reference, e, "camera", LIMPET_OBJECT_CAMERA);
    }
  }
}

// ----------------------------------------------------------------------- what is not simulated

typedef struct datum {
  const char *word;
  int size;
} datum;

// numbers that these fields have
static int data_size(const datum *known, unsigned fields) {
  int size = 0;
  for (int i = 0; known[i].word; ++i)
    if (fields >> i & 1u) size += known[i].size;
  return size;
}

static int whole(limpet_reader *reader, const limpet_xml_element *e, const char *name,
                 int otherwise) {
  int value = otherwise;
  limpet_read_integer(reader, e, name, &value);
  if (value < 0 || value > 100000)
    limpet_reader_fail(reader, e, name, "'%s' of <%s> is %d; give 0 to 100000", name, e->name,
                       value);
  return value;
}

// numbers of a sensor whose kind Limpet does not have; 0 where only MuJoCo could tell
static int size_of_unknown(limpet_reader *reader, const limpet_xml_element *e) {
  return strcmp(e->name, "user") == 0 ? whole(reader, e, "dim", 0) : 0;
}

static bool measures_enclosure(limpet_reader *reader, const limpet_xml_element *e) {
  bool enclosed = false;
  if (strcmp(e->name, "insidesite") != 0 ||
      !limpet_read_boolean(reader, e, "enclosed", &enclosed) || !enclosed)
    return false;
  limpet_reader_unsupported(
      reader, e, "enclosed", "enclosed",
      "<insidesite> asks for origins of frames only; with 'enclosed' it is zero");
  return true;
}

// ------------------------------------------------------------------------- fields of a sensor

static const datum contact_data[] = {{"found", 1},  {"force", 3},  {"torque", 3},  {"dist", 1},
                                     {"pos", 3},    {"normal", 3}, {"tangent", 3}, {"linvel", 3},
                                     {"angvel", 3}, {NULL, 0}};
static const datum range_data[] = {{"dist", 1},   {"dir", 3},   {"origin", 3}, {"point", 3},
                                   {"normal", 3}, {"depth", 1}, {NULL, 0}};

// bits of the words of `data`, each once and in the order of the table; `otherwise` without any
static unsigned fields_of(limpet_reader *reader, const limpet_xml_element *e, const datum *known,
                          unsigned otherwise) {
  const char *text = limpet_xml_value(e, "data");
  unsigned fields = 0;
  for (int i = 0; text && known[i].word; ++i) {
    text += strspn(text, " \t\n\r");
    const size_t length = strcspn(text, " \t\n\r");
    if (length == 0 || strlen(known[i].word) != length || strncmp(known[i].word, text, length) != 0)
      continue;
    fields |= 1u << i;
    text += length;
  }
  if (text && text[strspn(text, " \t\n\r")]) {
    char words[128] = "";
    for (int i = 0; known[i].word; ++i)
      snprintf(words + strlen(words), sizeof words - strlen(words), " %s", known[i].word);
    limpet_reader_fail(reader, e, "data", "'data' of <%s> takes, each once and in this order:%s",
                       e->name, words);
  }
  return fields ? fields : otherwise;
}

static void read_contact(limpet_reader *reader, const limpet_xml_element *e,
                         limpet_sensor_description *d) {
  static const char *const reductions[] = {"none", "mindist", "maxforce", "netforce", NULL};
  int reduction = LIMPET_CONTACT_FIRST;
  limpet_read_choice(reader, e, "reduce", reductions, &reduction);
  d->contact.reduction = (limpet_contact_reduction)reduction;
  d->contact.slots = whole(reader, e, "num", 1);
  if (d->contact.slots == 0)
    limpet_reader_fail(reader, e, "num", "'num' of <contact> is 0; give 1 or more");
  d->contact.fields = fields_of(reader, e, contact_data, LIMPET_CONTACT_FOUND);
  const unsigned motion = LIMPET_CONTACT_LINEAR_VELOCITY | LIMPET_CONTACT_ANGULAR_VELOCITY;
  if (reduction == LIMPET_CONTACT_NET && (d->contact.fields & motion))
    limpet_reader_fail(reader, e, "data",
                       "a resultant (reduce=\"netforce\") has no velocity; leave out linvel and "
                       "angvel");
}

static void read_sides(limpet_mjcf_reference *reference, const limpet_xml_element *e,
                       limpet_sensor_description *d, target *object, target *other) {
  static const char *const first[] = {"geom1", "body1", "subtree1", "site", NULL};
  static const char *const second[] = {"geom2", "body2", "subtree2", NULL};
  *object = read_side(reference, e, first, &d->contact.object_subtree);
  *other = read_side(reference, e, second, &d->contact.reference_subtree);
}

// ------------------------------------------------------------------------------------- sensor

static void add_sensor(limpet_mjcf *m, limpet_mjcf_space *space, const limpet_xml_element *e,
                       limpet_sensor_description *d) {
  d->name = limpet_mjcf_full_name(m, space, e);
  d->place = limpet_xml_place(e, NULL);
  limpet_read_number(m->reader, e, "noise", &d->noise);
  limpet_read_number(m->reader, e, "cutoff", &d->cutoff);
  limpet_mjcf_delay(m->reader, e, &d->delay, &d->delay_samples, &d->delay_interpolation);
  limpet_read_numbers(m->reader, e, "interval", d->interval, 1, 2);
  limpet_reader_count(m->reader, e);
  const int handle =
      limpet_reader_added(m->reader, limpet_builder_add_sensor(m->reader->builder, d));
  limpet_mjcf_name_add(m, LIMPET_OBJECT_SENSOR, d->name, handle, space, e);
}

// Another sensor of the element, whose name has the number added.
static void add_next(limpet_mjcf *m, limpet_mjcf_space *space, const limpet_xml_element *e,
                     limpet_sensor_description *d, int number) {
  const char *first = d->name;
  char text[16];
  snprintf(text, sizeof text, "_%d", number + 1);
  d->name = first ? limpet_reader_join(m->reader, first, text, "") : NULL;
  if (d->name && limpet_mjcf_name_taken(m, LIMPET_OBJECT_SENSOR, d->name)) d->name = NULL;
  const int handle =
      limpet_reader_added(m->reader, limpet_builder_add_sensor(m->reader->builder, d));
  if (d->name) limpet_mjcf_name_add(m, LIMPET_OBJECT_SENSOR, d->name, handle, space, e);
  d->name = first;
}

/* Of an orientation servo MuJoCo's sensor has three numbers: here each axis, an actuator of its
 * own, has a sensor. Moves the object to the first axis; returns how many there are, else 1. */
static int axes_of(const limpet_mjcf *m, target *object) {
  if (object->type != LIMPET_OBJECT_ACTUATOR || object->handle == LIMPET_NONE) return 1;
  const limpet_actuator_description *d =
      limpet_builder_actuator(m->reader->builder, object->handle);
  const int parts = d->gain_law == LIMPET_ACTUATOR_ORIENTATION ? d->part_count : 0;
  if (parts == 4) ++object->handle;
  return parts > 0 ? 3 : 1;
}

// The geom of a tactile skin, and the mesh whose vertices are its taxels.
static void read_skin(limpet_mjcf *m, const limpet_mjcf_space *space,
                      limpet_mjcf_reference *reference, const limpet_xml_element *e, target *geom,
                      target *mesh) {
  limpet_read_required(m->reader, e, "geom");
  *geom = resolve(reference, e, "geom", LIMPET_OBJECT_GEOM);
  const char *name = limpet_read_required(m->reader, e, "mesh");
  limpet_mjcf_mesh *found = limpet_mjcf_mesh_find(space->source, name);
  if (!found) limpet_reader_fail(m->reader, e, "mesh", "there is no mesh '%s' in <asset>", name);
  *mesh = (target){.type = LIMPET_OBJECT_MESH,
                   .handle = limpet_mjcf_mesh_handle(m, space->source, found, true),
                   .left_out = found->missing};
}

static void add_zeros(limpet_mjcf *m, limpet_mjcf_space *space, const limpet_xml_element *e,
                      int size) {
  limpet_sensor_description d = limpet_sensor_description_default();
  d.kind = limpet_sensor_kind_find("zeros");
  d.size = size;
  add_sensor(m, space, e, &d);
}

void limpet_mjcf_sensor_read(limpet_mjcf *m, limpet_mjcf_space *space, const limpet_xml_element *e,
                             int number) {
  (void)number;
  limpet_mjcf_reference reference = limpet_mjcf_refer(m, space, e);
  limpet_sensor_description d = limpet_sensor_description_default();
  const bool own = strncmp(e->name, "limpet:", 7) == 0;
  d.kind = limpet_sensor_kind_find(own ? e->name + 7 : e->name);
  if (!d.kind) {
    if (limpet_mjcf_resolved(&reference)) add_zeros(m, space, e, size_of_unknown(m->reader, e));
    return;
  }

  limpet_read_integer(m->reader, e, "rows", &d.taxels[0]);
  limpet_read_integer(m->reader, e, "columns", &d.taxels[1]);
  target object, other;
  const bool contact = strcmp(e->name, "contact") == 0;
  if (contact) read_sides(&reference, e, &d, &object, &other);
  else if (strcmp(e->name, "tactile") == 0) read_skin(m, space, &reference, e, &object, &other);
  else read_targets(&reference, e, d.kind, &object, &other);
  if (!limpet_mjcf_resolved(&reference)) return;
  int size = limpet_sensor_kind_size(d.kind);
  if (contact) read_contact(m->reader, e, &d);
  if (strcmp(e->name, "rangefinder") == 0)
    d.range_fields = fields_of(m->reader, e, range_data, LIMPET_RANGE_DISTANCE);
  if (measures_enclosure(m->reader, e)) {
    add_zeros(m, space, e, size);
    return;
  }
  if (object.left_out || other.left_out) {
    if (contact) size = data_size(contact_data, d.contact.fields) * d.contact.slots;
    if (d.range_fields != LIMPET_RANGE_DISTANCE) size = data_size(range_data, d.range_fields);
    limpet_reader_unsupported(m->reader, e, NULL, "sensor of what is left out",
                              "<%s> measures something that is left out of the model, or a camera "
                              "that follows something; it is zero",
                              e->name);
    add_zeros(m, space, e, size);
    return;
  }
  const int axes = axes_of(m, &object);
  d.object_type = object.type, d.object = object.handle, d.object_inertial = object.inertial;
  d.reference_type = other.type, d.reference = other.handle, d.reference_inertial = other.inertial;
  add_sensor(m, space, e, &d);
  for (int i = 1; i < axes; ++i) {
    ++d.object;
    add_next(m, space, e, &d, i);
  }
}
