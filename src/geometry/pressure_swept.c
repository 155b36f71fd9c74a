#include "geometry/pressure_contact.h"
void limpet_pressure_flat(limpet_pressure_surface *surface) { (void)surface; }
void limpet_pressure_swept(limpet_pressure_surface *surface) { (void)surface; }
