/* format/mjcf.h: the parts of the MJCF importer, one subject for each file mjcf_*.c.
 *
 * A model file with everything that it includes is a *source*: its settings of <compiler>, its
 * default classes, its assets. The main file is a source, and so is each model that is attached.
 * Kinematic elements are read in a *scope*: where they stand (frame on the body), which class they
 * inherit, and the *space* that decorates their names: prefix of <attach>, suffix of <replicate>.
 * Sections that refer to names (tendons, actuators, ...) are read once for each space.
 *
 * Errors: the first one ends the reading. limpet_mjcf_fail fills the caller's error and jumps back
 * to limpet_mjcf_read, which frees everything; so no function here returns a status, and none holds
 * memory outside the pool across a call that may fail. */
#ifndef LIMPET_FORMAT_MJCF_H
#define LIMPET_FORMAT_MJCF_H

#include <setjmp.h>

#include "format/pool.h"
#include "format/xml.h"
#include "limpet/format.h"

typedef struct limpet_mjcf_class limpet_mjcf_class;
typedef struct limpet_mjcf_source limpet_mjcf_source;
typedef struct limpet_mjcf_space limpet_mjcf_space;
typedef struct limpet_mjcf_name limpet_mjcf_name;
typedef struct limpet_mjcf_actuator limpet_mjcf_actuator;
typedef struct limpet_mjcf_layout limpet_mjcf_layout;

typedef struct limpet_mjcf_list {  // elements in the order of the document
  const limpet_xml_element **item;
  int count, room;
} limpet_mjcf_list;

typedef struct limpet_mjcf_owners {  // the space in which each joint or body was made, by handle
  const limpet_mjcf_space **space;
  int count, room;
} limpet_mjcf_owners;

typedef struct limpet_mjcf_compiler {
  bool degrees, autolimits, strip_path;
  char euler_sequence[4];
  const char *mesh_folder, *asset_folder;
  limpet_inertia_source inertia_source;
  int inertia_group[2];
  double bound_mass, bound_inertia, total_mass;
  bool balance_inertia, fit_to_aabb;
  int conflict;  // 0 warning, 1 merge, 2 error
} limpet_mjcf_compiler;

struct limpet_mjcf_class {
  const char *name;
  limpet_mjcf_class *parent, *next;
  limpet_mjcf_list sections;  // the <default> elements that fill it
};

typedef struct limpet_mjcf_mesh {
  const char *name;
  const limpet_xml_element *element;
  int handle;    // in the builder, once a geom needs it
  bool missing;  // its file was looked for and not found, or it cannot be made
  struct limpet_mjcf_mesh *next;
} limpet_mjcf_mesh;

typedef struct limpet_mjcf_material {
  const char *name;
  float rgba[4];
  struct limpet_mjcf_material *next;
} limpet_mjcf_material;

typedef struct limpet_mjcf_model {  // <asset><model>: another file that can be attached
  const char *name;
  const limpet_xml_element *element;
  limpet_mjcf_source *source;  // NULL until it is attached for the first time
  struct limpet_mjcf_model *next;
} limpet_mjcf_model;

struct limpet_mjcf_source {
  const char *path, *folder;
  const char *model_name;  // attribute `model` of <mujoco>
  limpet_xml_element *root;
  limpet_mjcf_list includes;  // include elements that were expanded: a file may be included once
  limpet_mjcf_compiler compiler;
  limpet_mjcf_class *classes;  // `main` first
  limpet_mjcf_mesh *meshes;
  limpet_mjcf_material *materials;
  limpet_mjcf_model *models;
  int actuator_count;  // elements of its sections <actuator>
  bool merged;         // options of an attached model were compared with the main file's
  const limpet_mjcf_source *parent;
};

struct limpet_mjcf_space {
  limpet_mjcf_source *source;
  const char *prefix, *suffix;
  limpet_mjcf_space *parent, *next;  // next: in order of creation
  bool replica;                      // made by <replicate>
  const limpet_xml_element
      *target;  // made by <attach>: what was attached (body, frame, or worldbody)
};

typedef struct limpet_mjcf_scope {
  limpet_mjcf_space *space;
  limpet_mjcf_class *childclass;      // NULL: main
  double position[3], quaternion[4];  // of the frame on the body
} limpet_mjcf_scope;

// A cloud that was added: geoms that name the same file with the same numbers share it.
typedef struct limpet_mjcf_cloud {
  limpet_cloud_description d;
  int handle;
  struct limpet_mjcf_cloud *next;
} limpet_mjcf_cloud;

typedef struct limpet_mjcf {
  jmp_buf way_out;
  limpet_builder *builder;
  limpet_load_options options;
  limpet_error *error;
  limpet_status status;
  limpet_pool pool;
  limpet_mjcf_source *main;
  limpet_mjcf_space *spaces, *last_space;  // the main file's first
  limpet_mjcf_name **names;                // hash table by kind and name
  size_t name_slots, name_count;
  const char **noted;  // kinds of notes that were given
  int noted_count, noted_room;
  limpet_mjcf_actuator *actuators, *last_actuator;  // to be named and added at the end
  int attach_depth, object_count, visit_count;
  limpet_mjcf_owners joints, bodies;  // the world is body 0, with the main space
  bool joints_left_out;               // by flexcomp or composite: keyframes no longer fit
  bool activations_left_out;   // by actuators that are not simulated: activations of keyframes may
                               // not fit
  limpet_mesh_file mesh_file;  // the one being read, so that an error can free it
  limpet_cloud_file cloud_file;  // likewise
  limpet_mjcf_cloud *clouds;     // those that were added
  limpet_mjcf_layout *layout;    // of keyframes; made for the first
} limpet_mjcf;

// --------------------------------------------------- mjcf_report.c: memory, errors, notes

void *limpet_mjcf_take(limpet_mjcf *m, size_t size);  // cleared; jumps out when there is no memory
char *limpet_mjcf_join(limpet_mjcf *m, const char *a, const char *b, const char *c);
#define LIMPET_MJCF_TAKE(m, type, count) \
  ((type *)limpet_mjcf_take((m), (size_t)(count) * sizeof(type)))
void limpet_mjcf_list_add(limpet_mjcf *m, limpet_mjcf_list *list,
                          const limpet_xml_element *element);

limpet_place limpet_mjcf_place(const limpet_xml_element *element,
                               const char *attribute);  // `attribute` NULL: of the element

/* Ends the reading with an error at the element, or at one of its attributes. */
_Noreturn void limpet_mjcf_fail(limpet_mjcf *m, const limpet_xml_element *element,
                                const char *attribute, const char *format, ...)
    __attribute__((format(printf, 4, 5)));
_Noreturn void limpet_mjcf_fail_status(limpet_mjcf *m,
                                       limpet_status status);  // m->error is already filled

/* Something that changes physics and is not simulated: an error with options.strict, else one note
 * for each `kind`. */
void limpet_mjcf_unsupported(limpet_mjcf *m, const limpet_xml_element *element,
                             const char *attribute, const char *kind, const char *format, ...)
    __attribute__((format(printf, 5, 6)));
// A remark that changes no physics, once for each `kind`.
void limpet_mjcf_note(limpet_mjcf *m, const limpet_xml_element *element, const char *attribute,
                      const char *kind, const char *format, ...)
    __attribute__((format(printf, 5, 6)));

// A handle that the builder gave; jumps out where it had no memory.
int limpet_mjcf_added(limpet_mjcf *m, int handle);
void limpet_mjcf_own(limpet_mjcf *m, limpet_mjcf_owners *owners,
                     const limpet_mjcf_space *space);  // for the next handle
// Counts an element that is made; jumps out when a <replicate> makes too many.
void limpet_mjcf_count(limpet_mjcf *m, const limpet_xml_element *element);

// ------------------------------------------------------- mjcf_value.c: reading attributes

/* Each returns whether the attribute is there; if not, the value is left alone. Malformed values
 * end the reading. */
bool limpet_mjcf_number(limpet_mjcf *m, const limpet_xml_element *e, const char *name,
                        double *value);
bool limpet_mjcf_integer(limpet_mjcf *m, const limpet_xml_element *e, const char *name, int *value);
bool limpet_mjcf_boolean(limpet_mjcf *m, const limpet_xml_element *e, const char *name,
                         bool *value);  // true, false
bool limpet_mjcf_choice(limpet_mjcf *m, const limpet_xml_element *e, const char *name,
                        const char *const *words, int *value);
// Between `least` and `most` numbers; returns how many (0: the attribute is absent).
int limpet_mjcf_numbers(limpet_mjcf *m, const limpet_xml_element *e, const char *name,
                        double *values, int least, int most);
// Any number of numbers, in the pool; NULL and 0 if absent.
double *limpet_mjcf_array(limpet_mjcf *m, const limpet_xml_element *e, const char *name,
                          int *count);
const char *limpet_mjcf_required(limpet_mjcf *m, const limpet_xml_element *e, const char *name);

enum { LIMPET_MJCF_FALSE, LIMPET_MJCF_TRUE, LIMPET_MJCF_AUTO };
bool limpet_mjcf_tristate(limpet_mjcf *m, const limpet_xml_element *e, const char *name,
                          int *value);  // false, true, auto
/* Whether a limit acts: `limited` as written, or, for auto, whether a range was given (with
 * autolimits; without, that is an error). */
bool limpet_mjcf_limited(limpet_mjcf *m, const limpet_xml_element *e,
                         const limpet_mjcf_source *source, int limited, const double range[2],
                         const char *limited_name, const char *range_name);

// reads solref- and solimp-like attributes; returns whether either is there
bool limpet_mjcf_impedance(limpet_mjcf *m, const limpet_xml_element *e, const char *reference,
                           const char *impedance, limpet_impedance *value);
bool limpet_mjcf_impedance_differs(const limpet_impedance *value);  // from MuJoCo's default
/* Whether an impedance is weaker than MuJoCo's default: whether its stiffness or damping is
 * smaller, where the violation is zero or at its full width. */
bool limpet_mjcf_impedance_weaker(const limpet_impedance *value);

/* Stiffness or damping: may be a polynomial since MuJoCo 4; the first coefficient is the linear
 * one, the others are noted. */
bool limpet_mjcf_linear(limpet_mjcf *m, const limpet_xml_element *e, const char *name,
                        double *value);

// ---------------------------------------------------- mjcf_schema.c: what MJCF consists of

// Ends the reading at an unknown element or attribute; notes what is not simulated.
void limpet_mjcf_check(limpet_mjcf *m, const limpet_xml_element *root);

// --------------------------------- mjcf_source.c, mjcf_compiler.c, mjcf_default.c, mjcf_option.c

limpet_mjcf_source *limpet_mjcf_source_read(limpet_mjcf *m, limpet_xml_element *root,
                                            const char *path, const limpet_mjcf_source *parent);
// Calls `visit` for each element in the sections of that name, in order; `space` is passed on.
typedef void limpet_mjcf_visit(limpet_mjcf *m, limpet_mjcf_space *space,
                               const limpet_xml_element *element);
void limpet_mjcf_each(limpet_mjcf *m, limpet_mjcf_space *space, const char *section,
                      limpet_mjcf_visit *visit);

void limpet_mjcf_compiler_read(limpet_mjcf *m, limpet_mjcf_source *source);

void limpet_mjcf_defaults_read(limpet_mjcf *m, limpet_mjcf_source *source);
limpet_mjcf_class *limpet_mjcf_class_find(
    limpet_mjcf *m, const limpet_mjcf_source *source, const limpet_xml_element *e,
    const char *attribute);  // by the value of the attribute; ends the reading if unknown
/* Reads an element into `record`: first what its class says (root of the class tree first), then
 * itself. `tags`, ended by NULL, names the elements of a <default> that count. */
typedef void limpet_mjcf_layer(limpet_mjcf *m, const limpet_mjcf_source *source,
                               const limpet_xml_element *e, void *record);
void limpet_mjcf_apply(limpet_mjcf *m, const limpet_mjcf_source *source,
                       const limpet_mjcf_class *childclass, const limpet_xml_element *e,
                       const char *const *tags, limpet_mjcf_layer *layer, void *record);

void limpet_mjcf_options_read(limpet_mjcf *m);  // <option> of the main file
void limpet_mjcf_options_merge(limpet_mjcf *m, limpet_mjcf_source *child,
                               const limpet_xml_element *attach);

// ----------------------------------------------------------- mjcf_name.c: names and spaces

limpet_mjcf_space *limpet_mjcf_space_add(limpet_mjcf *m, limpet_mjcf_space *parent,
                                         limpet_mjcf_source *source, const char *prefix,
                                         const char *suffix);
// Whether the space is `outer` or lies in it.
bool limpet_mjcf_stands_in(const limpet_mjcf_space *space, const limpet_mjcf_space *outer);
// The name an element gets (NULL if it has none).
const char *limpet_mjcf_full_name(limpet_mjcf *m, const limpet_mjcf_space *space,
                                  const limpet_xml_element *e);
// Enters a name; ends the reading if it is taken. `name` NULL: does nothing.
void limpet_mjcf_name_add(limpet_mjcf *m, limpet_object kind, const char *name, int handle,
                          const limpet_mjcf_space *space, const limpet_xml_element *e);
bool limpet_mjcf_name_taken(const limpet_mjcf *m, limpet_object kind, const char *name);

/* Resolves the names that one element of a section refers to, as seen from a space. */
typedef struct limpet_mjcf_reference {
  limpet_mjcf *m;
  const limpet_mjcf_space *space;
  const limpet_xml_element *element;
  bool inside;          // something it names stands in the space itself
  const char *missing;  // attribute whose name was not found; NULL: all were
  limpet_object missing_kind;
} limpet_mjcf_reference;

limpet_mjcf_reference limpet_mjcf_refer(limpet_mjcf *m, const limpet_mjcf_space *space,
                                        const limpet_xml_element *e);
int limpet_mjcf_resolve(limpet_mjcf_reference *reference, const limpet_xml_element *e,
                        const char *attribute, limpet_object kind);
/* Whether the element is to be added in this space. An element of the main file that no space can
 * resolve ends the reading. */
bool limpet_mjcf_resolved(limpet_mjcf_reference *reference);

// ------------------------------------------------------------- mjcf_orientation.c: frames

// Reads quat, axisangle, euler, xyaxes or zaxis; returns whether one is there. More than one ends
// the reading.
bool limpet_mjcf_orientation(limpet_mjcf *m, const limpet_mjcf_source *source,
                             const limpet_xml_element *e, double quaternion[4]);
void limpet_mjcf_euler(const limpet_mjcf_source *source, const double angle[3],
                       double quaternion[4]);
// Pose of a segment: centre, quaternion that takes z to the direction from its end to its start,
// half its length (returned).
double limpet_mjcf_segment(const double from_to[6], double position[3], double quaternion[4]);
// pose <- frame of the scope composed with pose
void limpet_mjcf_place_in_scope(const limpet_mjcf_scope *scope, double position[3],
                                double quaternion[4]);

// --------------------------------------------------------- elements of the kinematic tree

void limpet_mjcf_world_read(limpet_mjcf *m);  // mjcf_body.c
// The element of the world of a source with that tag and name, or NULL.
const limpet_xml_element *limpet_mjcf_find_in_world(const limpet_mjcf_source *source,
                                                    const char *tag, const char *name);
// The source of <attach model="...">, read on first use.
limpet_mjcf_source *limpet_mjcf_attached_source(limpet_mjcf *m, limpet_mjcf_source *source,
                                                const limpet_xml_element *e);
// What kind of joint an element <joint> or <freejoint> makes.
limpet_joint_kind limpet_mjcf_joint_kind(limpet_mjcf *m, const limpet_mjcf_source *source,
                                         const limpet_mjcf_class *childclass,
                                         const limpet_xml_element *e);
void limpet_mjcf_children_read(limpet_mjcf *m, const limpet_mjcf_scope *scope,
                               const limpet_xml_element *e, int body);
typedef void limpet_mjcf_tree_reader(limpet_mjcf *m, const limpet_mjcf_scope *scope,
                                     const limpet_xml_element *e, int body);
limpet_mjcf_tree_reader limpet_mjcf_body_read, limpet_mjcf_joint_read, limpet_mjcf_freejoint_read,
    limpet_mjcf_geom_read, limpet_mjcf_site_read, limpet_mjcf_frame_read,
    limpet_mjcf_replicate_read, limpet_mjcf_attach_read;

void limpet_mjcf_assets_read(limpet_mjcf *m, limpet_mjcf_source *source);
limpet_mjcf_material *limpet_mjcf_material_find(const limpet_mjcf_source *source, const char *name);
limpet_mjcf_mesh *limpet_mjcf_mesh_find(const limpet_mjcf_source *source, const char *name);
/* Handle of a mesh in the builder, reading its file if that was not done. LIMPET_NONE: the
 * file is missing and `needed` is false. */
int limpet_mjcf_mesh_handle(limpet_mjcf *m, const limpet_mjcf_space *space, limpet_mjcf_mesh *mesh,
                            bool needed);
/* Handle of the point cloud of `file` with scale, point radius and contact points of `d`, as
 * limpet_mjcf_mesh_handle; `e` is the geom. */
int limpet_mjcf_cloud_handle(limpet_mjcf *m, const limpet_mjcf_source *source,
                             const limpet_xml_element *e, const char *file,
                             const limpet_cloud_description *d, bool needed);
// The folder of meshes and clouds that the file sets, or NULL.
const char *limpet_mjcf_asset_folder(const limpet_mjcf_source *source);
// Makes the mesh of <mesh builtin="..."> in m->mesh_file; false: it is a kind that is not made.
bool limpet_mjcf_builtin(limpet_mjcf *m, const limpet_xml_element *e);
// Checks the Gmsh file of a <flexcomp>, which is left out but should not hide that its file is
// broken.
void limpet_mjcf_gmsh_check(limpet_mjcf *m, const limpet_mjcf_space *space,
                            const limpet_xml_element *e);
/* Finds the file that an attribute names: below the folder of the source, of the declaring file,
 * with and without `folder`. NULL: nowhere; `tried` (may be NULL) then gets the paths that were
 * tried. */
const char *limpet_mjcf_file_find(limpet_mjcf *m, const limpet_mjcf_source *source,
                                  const limpet_xml_element *e, const char *file, const char *folder,
                                  const char **tried);

// -------------------------------------------------------------------------------- sections

void limpet_mjcf_tendons_read(limpet_mjcf *m);
void limpet_mjcf_actuators_read(limpet_mjcf *m);
void limpet_mjcf_equalities_read(limpet_mjcf *m);
void limpet_mjcf_contacts_read(limpet_mjcf *m);
void limpet_mjcf_keyframes_read(limpet_mjcf *m);
void limpet_mjcf_sensors_read(limpet_mjcf *m);

/* Copies the first controls of an attached file to those of its actuators that came into the
 * space. */
void limpet_mjcf_controls_take(const limpet_mjcf *m, const limpet_mjcf_space *space,
                               const double *key, int key_count, double *control);

// -------------------------------------------------------- mjcf_key_layout.c: vectors of keyframes

typedef struct limpet_mjcf_sizes {  // of the model that was read
  int q, v, control, activation, mocap;
} limpet_mjcf_sizes;

typedef struct limpet_mjcf_joint_place {
  int handle, nq, nv;
} limpet_mjcf_joint_place;

struct limpet_mjcf_layout {
  limpet_mjcf_sizes sizes;
  limpet_mjcf_joint_place *joint;  // (joint_count)  in the order of q and v
  int joint_count;
  int *mocap;                                     // (sizes.mocap)  handles of the bodies
  double *q, *mocap_position, *mocap_quaternion;  // the reference pose
};

limpet_mjcf_layout *limpet_mjcf_layout_make(limpet_mjcf *m);
double *limpet_mjcf_copy(limpet_mjcf *m, const double *values, int count);  // in the pool
/* Numbers of a keyframe, `expected` or fewer: then with a note that says what happens to the
 * `rest`. NULL and 0: there are none. */
const double *limpet_mjcf_key_vector(limpet_mjcf *m, const limpet_xml_element *e, const char *name,
                                     int expected, const char *rest, int *count);
#define LIMPET_MJCF_KEY_REFERENCE "the others are those of the reference pose"
#define LIMPET_MJCF_KEY_ZERO "the others are zero"

/* Fills `key` (arrays of the sizes of the whole model, in the pool) from a keyframe of an attached
 * model: what was attached, in its place, and the reference pose and zeros everywhere else. */
void limpet_mjcf_attached_key(limpet_mjcf *m, const limpet_mjcf_space *space,
                              const limpet_xml_element *e, const limpet_mjcf_layout *layout,
                              limpet_keyframe_description *key);

#endif
