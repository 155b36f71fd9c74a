// gradient/pair_view.c: see pair_view.h.
#include "gradient/pair_view.h"

#include <math.h>

#include "collide/shape_of_geom.h"
#include "math/quaternion.h"
#include "math/vec3.h"

const limpet_collision_contact *limpet_pair_contact(const limpet_pair_view *view, int i) {
  const limpet_solved_step *solved = view->probe->residual->solved;
  const int source = solved->problem.contact_source[view->first + i];
  return &solved->collision.contact[solved->records.record[source].found];
}

double limpet_pair_share(const limpet_pair_view *view, const limpet_collision_contact *contact) {
  if (contact->acts_on == LIMPET_ACTS_BETWEEN) return view->share_a;
  return contact->acts_on == LIMPET_ACTS_ON_A ? 1.0 : 0.0;
}

void limpet_pair_mover_make(limpet_pair_mover *m, const limpet_pair_view *view,
                            limpet_arena *arena) {
  const int b = view->pair->geom_b;
  m->view = view;
  limpet_manifold_create(&m->manifold, arena);
  limpet_vec3_copy(m->position, view->probe->data->geom_position + 3 * b);
  limpet_mat3_copy(m->rotation, view->probe->data->geom_rotation + 9 * b);
}

void limpet_pair_move_geom(const limpet_pair_mover *m, const double turn[3],
                           const double shift[3]) {
  limpet_data *data = m->view->probe->data;
  const int b = m->view->pair->geom_b;
  double *position = data->geom_position + 3 * b, *rotation = data->geom_rotation + 9 * b;
  double quaternion[4], R[9], arm[3];
  limpet_quaternion_exp(quaternion, turn);
  limpet_quaternion_to_matrix(R, quaternion);
  limpet_mat3_mul(rotation, R, m->rotation);
  limpet_vec3_sub(arm, m->position, m->view->P);
  limpet_mat3_mul_vec(position, R, arm);
  limpet_vec3_add(position, position, m->view->P);
  limpet_vec3_add(position, position, shift);
}

void limpet_pair_move_along(const limpet_pair_mover *m, int k, double by) {
  double twist[6] = {0.0};
  twist[k] = by;
  if (k < 3) {
    limpet_pair_move_geom(m, twist, twist + 3);
    return;
  }
  limpet_data *data = m->view->probe->data;
  const int b = m->view->pair->geom_b;
  limpet_vec3_add(data->geom_position + 3 * b, m->position, twist + 3);
  limpet_mat3_copy(data->geom_rotation + 9 * b, m->rotation);
}

void limpet_pair_move_back(const limpet_pair_mover *m) {
  limpet_data *data = m->view->probe->data;
  const int b = m->view->pair->geom_b;
  limpet_vec3_copy(data->geom_position + 3 * b, m->position);
  limpet_mat3_copy(data->geom_rotation + 9 * b, m->rotation);
}

void limpet_pair_ask(limpet_pair_mover *m) {
  const limpet_pair_view *view = m->view;
  const limpet_probe *probe = view->probe;
  const limpet_shape a = limpet_shape_of_geom(probe->model, probe->data, view->pair->geom_a);
  const limpet_shape b = limpet_shape_of_geom(probe->model, probe->data, view->pair->geom_b);
  const double reach =
      fmax(0.0, view->pair->margin + view->pair->gap + view->pair->reach) + probe->slack;
  limpet_shape_contacts(&m->manifold, &a, &b, reach, probe->settings->compatibility.single_point);
}

const limpet_contact_point *limpet_pair_find(const limpet_manifold *manifold, uint64_t feature) {
  for (int i = 0; i < manifold->count; ++i)
    if (manifold->point[i].feature == feature) return &manifold->point[i];
  return NULL;
}
