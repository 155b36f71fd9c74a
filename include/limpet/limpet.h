/* limpet/limpet.h: everything. */
#ifndef LIMPET_LIMPET_H
#define LIMPET_LIMPET_H

#include "limpet/appearance.h"
#include "limpet/base.h"
#include "limpet/batch.h"
#include "limpet/constraint.h"
#include "limpet/contact.h"
#include "limpet/control.h"
#include "limpet/data.h"
#include "limpet/deformable.h"
#include "limpet/distance.h"
#include "limpet/dynamics.h"
#include "limpet/fem.h"
#include "limpet/field.h"
#include "limpet/format.h"
#include "limpet/geometry.h"
#include "limpet/gradient.h"
#include "limpet/gradient_parameters.h"
#include "limpet/identify.h"
#include "limpet/law.h"
#include "limpet/live.h"
#include "limpet/material.h"
#include "limpet/model.h"
#include "limpet/parameter.h"
#include "limpet/plan.h"
#include "limpet/pressure.h"
#include "limpet/record.h"
#include "limpet/rollout_gradient.h"
#include "limpet/sense.h"
#include "limpet/step.h"

#endif
