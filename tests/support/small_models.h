/* tests/support/small_models.h: a few words for describing small models in tests. */
#ifndef LIMPET_TEST_SMALL_MODELS_H
#define LIMPET_TEST_SMALL_MODELS_H

#include "limpet/model.h"

int small_body(limpet_builder *builder, const char *name, int parent, double x, double y, double z);
// Axis.
int small_joint(limpet_builder *builder, const char *name, int body, limpet_joint_kind kind,
                double x, double y, double z);
// Half lengths.
int small_box(limpet_builder *builder, int body, double mass, double a, double b, double c);
int small_sphere(limpet_builder *builder, int body, double mass, double radius);

// Compiles and destroys the builder; prints the message and returns NULL on failure.
limpet_model *small_compile(limpet_builder *builder);

/* A model with a bit of everything: static body, free box, chain of revolute, prismatic and ball
 * joints, mocap body, tendon, actuators with and without activation, coupler, site, pair, exclude,
 * keyframe. */
limpet_builder *small_everything(void);

#endif
