/* gradient/contact_kernels_baseline.c: inner loops of columns of contacts for whatever the compiler
 * assumes of every machine. */
#define LIMPET_CONTACT_KERNELS limpet_contact_kernels_baseline
#define LIMPET_CONTACT_KERNELS_NAME "baseline"
#include "gradient/contact_kernels_code.h"
