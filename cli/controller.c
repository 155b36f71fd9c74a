/* cli/controller.c: what a run says about its controller. */
#include <stdio.h>

#include "json.h"
#include "run.h"

void limpet_controller_print(const limpet_session *session) {
  const limpet_controller_info info = limpet_controller_report(session->controller);
  printf("controller   farthest from its trajectory %.3g (m or rad), at the end %.3g\n",
         info.tracking_worst, info.tracking_error);
  if (info.saturated_count > 0)
    printf("             in %lld of %lld steps a limit of an actuator or joint stood against it\n",
           (long long)info.saturated_count, (long long)info.updates);
  if (info.unreached_count > 0)
    printf("             in %lld of %lld steps the path was out of reach\n",
           (long long)info.unreached_count, (long long)info.updates);
}

json_t *limpet_controller_json(const limpet_session *session) {
  const limpet_controller_info info = limpet_controller_report(session->controller);
  return json_pack("{s:o, s:o, s:I, s:I, s:I}", "tracking_worst",
                   limpet_json_number(info.tracking_worst), "tracking_end",
                   limpet_json_number(info.tracking_error), "updates", (json_int_t)info.updates,
                   "saturated_steps", (json_int_t)info.saturated_count, "unreached_steps",
                   (json_int_t)info.unreached_count);
}
