/* limpet/parameter.h: numbers of a description by name: "pad.friction", "body:cube.mass",
 * "finger*.size[0]". Floor 3.
 *
 * A text is [KIND:]NAME.FIELD[k]. NAME is that of a geom, body, joint, actuator, tendon, site,
 * mesh, cloud, coupler, loop, pair or deformable body; * in it stands for any characters, ? for
 * one. KIND
 * ("geom:") says which kind is meant where a name and a field are of two. FIELD is a row of
 * limpet_parameter_fields, or of a part (limpet_parameter_parts) behind its prefix:
 * "servo.motor_resistance"; [k] chooses a number of an array, a term or a point of a tendon:
 * "finger.coefficient[1]", "cable.divisor[2]". A field that geoms have, and bodies,
 * joints, actuators and deformable bodies do not, means with the name of a body all of its geoms.
 */
#ifndef LIMPET_PARAMETER_H
#define LIMPET_PARAMETER_H

#include "limpet/model.h"

#ifdef __cplusplus
extern "C" {
#endif

enum { LIMPET_PARAMETER_NAME_SIZE = 128 };

// The parts of a text, before anything is looked up.
typedef struct limpet_parameter_name {
  limpet_object object;  // LIMPET_OBJECT_COUNT: any kind
  char pattern[LIMPET_PARAMETER_NAME_SIZE];
  char field[LIMPET_PARAMETER_NAME_SIZE];
  int index;  // [k]; LIMPET_NONE: not given
} limpet_parameter_name;

// What a text means in a builder: one field of one or more objects of a kind.
typedef struct limpet_parameter_target {
  limpet_object object;
  const limpet_field *field;  // of the description, or of a part
  size_t offset;              // [bytes]  of the struct that has the field in the description
  int index;                  // of the array; 0 for a single number
  int count;
  int *handle;  // (count)  of the objects, rising; by malloc
} limpet_parameter_target;

// The fields of a description that can be named; NULL: the kind has none.
LIMPET_API const limpet_field_table *limpet_parameter_fields(limpet_object object);

/* A struct inside a description whose numbers can be named, too; or an array of such structs, of
 * which [k] is one. */
typedef struct limpet_parameter_part {
  limpet_object object;
  const char *prefix;  // of the names of its fields: "muscle_"; "": none
  const limpet_field_table *(*fields)(void);
  size_t offset;  // [bytes]  in the description; of an array: that of the pointer to it
  size_t stride;  // [bytes]  of a struct of an array; 0: there is no array
  size_t count;   // [bytes]  in the description: how many structs the array has, an int
} limpet_parameter_part;
// All of them; the last one has no fields.
LIMPET_API const limpet_parameter_part *limpet_parameter_parts(void);
/* The field of a kind with that name, of the description or of a part; offset [bytes]: of the
 * struct that has it in the description. NULL: there is none. */
LIMPET_API const limpet_field *limpet_parameter_field(limpet_object object, const char *name,
                                                      size_t *offset);

// Takes a text apart. LIMPET_ERROR_INPUT says what is wrong with it.
LIMPET_API limpet_status limpet_parameter_read(const char *text, limpet_parameter_name *name,
                                               limpet_error *error);
// Whether a name is what a pattern with * and ? says; a NULL name never is.
LIMPET_API bool limpet_parameter_matches(const char *pattern, const char *name);

/* Looks a text up. LIMPET_ERROR_INPUT names what is there instead. `target` is to be freed in any
 * case. */
LIMPET_API limpet_status limpet_parameter_find(limpet_builder *builder, const char *text,
                                               limpet_parameter_target *target,
                                               limpet_error *error);
LIMPET_API void limpet_parameter_free(limpet_parameter_target *target);

// The unit; where it depends on the joint, that of the first one: "N/m" or "N m/rad". NULL: none.
LIMPET_API const char *limpet_parameter_unit(limpet_builder *builder,
                                             const limpet_parameter_target *target);

/* Sets the number of all objects of the target, SI. Out of range or without effect is
 * LIMPET_ERROR_INPUT.
 * - mass of a body: its inertia, or the masses of its geoms, change in proportion;
 * - gain[0] of a servo (bias[1] or bias[2] is -gain[0]): it stays a servo;
 * - stiffness of a geom: counts instead of an impedance that the file gave. */
LIMPET_API limpet_status limpet_parameter_assign(limpet_builder *builder,
                                                 const limpet_parameter_target *target,
                                                 double value, limpet_error *error);

/* The number that the objects of the target have: LIMPET_ERROR_INPUT where they have different
 * ones, or none that is finite. A body without an inertial has the mass of its geoms. */
LIMPET_API limpet_status limpet_parameter_value(limpet_builder *builder,
                                                const limpet_parameter_target *target,
                                                double *value, limpet_error *error);
/* The model with another number; the builder stays as it is. NULL: `error` says why. The caller
 * frees it with limpet_model_destroy. */
LIMPET_API limpet_model *limpet_parameter_compile(limpet_builder *builder,
                                                  const limpet_parameter_target *target,
                                                  double value, limpet_error *error);

#ifdef __cplusplus
}
#endif
#endif
