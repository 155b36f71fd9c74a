/* limpet/contact.h: contact models and constraint kinds, as tables that describe themselves. Floor 5. */
#ifndef LIMPET_CONTACT_H
#define LIMPET_CONTACT_H

#include "limpet/data.h"

#ifdef __cplusplus
extern "C" {
#endif

// One parameter of a model, constraint or scheme: what `limpet list`, the docs page and Python attributes show.
typedef struct limpet_parameter {
  const char *name;
  const char *unit;  // "1" for pure numbers
  double value;      // default
  double minimum, maximum;
  const char *text;  // one sentence
} limpet_parameter;

// What every descriptor begins with.
typedef struct limpet_descriptor {
  const char *name;       // as on the command line
  const char *text;       // one paragraph
  const char *reference;  // paper and equation, or file of this project
  int parameter_count;
  const limpet_parameter *parameters;
} limpet_descriptor;

// Default of the parameter `name` of a descriptor; NAN if it has none of that name.
LIMPET_API double limpet_parameter_default(const limpet_descriptor *descriptor, const char *name);

typedef struct limpet_contact_model limpet_contact_model;      // src/contact/contact_model.h
typedef struct limpet_constraint_kind limpet_constraint_kind;  // src/contact/constraint_kind.h

// Tables, ended by NULL; and look-up by name, NULL if there is none.
LIMPET_API const limpet_contact_model *const *limpet_contact_models(void);
LIMPET_API const limpet_contact_model *limpet_contact_model_find(const char *name);
LIMPET_API const limpet_descriptor *limpet_contact_model_descriptor(const limpet_contact_model *model);
LIMPET_API const limpet_constraint_kind *const *limpet_constraint_kinds(void);
LIMPET_API const limpet_descriptor *limpet_constraint_kind_descriptor(const limpet_constraint_kind *kind);

// The table of shape pairs, for `limpet list shapes`: name "box box", what makes its contact points; ended by a NULL name.
LIMPET_API const limpet_descriptor *limpet_shape_pairs(void);

/* Contacts of the present pose within margin + gap of the geoms, without stepping: fills the contact arrays of data (forces and
 * velocities zero; position: half way between the surfaces). `single`: one deepest point for each pair of geoms. Returns the
 * number of contacts, or -1 when there is no memory. After limpet_kinematics and limpet_geom_kinematics. */
LIMPET_API int limpet_contacts_find(const limpet_model *model, limpet_data *data, bool single);

#ifdef __cplusplus
}
#endif
#endif
