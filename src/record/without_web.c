/* record/without_web.c: stands for web.c in a library that is built without civetweb. */
#include <assert.h>

#include "base/error.h"
#include "record/web.h"

bool limpet_web_available(void) { return false; }

limpet_web *limpet_web_start(const limpet_web_bytes page[3], limpet_web_bytes hello, int port,
                             limpet_error *error) {
  (void)page, (void)hello, (void)port;
  limpet_error_fill(error, LIMPET_ERROR_UNSUPPORTED,
                    "limpet was built without a web server; install libcivetweb-dev and build "
                    "again");
  return NULL;
}

// nothing was started, so nothing else can be called
void limpet_web_stop(limpet_web *web) {
  assert(!web);
  (void)web;
}

const char *limpet_web_address(const limpet_web *web) {
  (void)web;
  return "";
}

int limpet_web_clients(limpet_web *web) {
  (void)web;
  return 0;
}

int limpet_web_arrivals(limpet_web *web) {
  (void)web;
  return 0;
}

bool limpet_web_publish(limpet_web *web, limpet_web_bytes message) {
  (void)web, (void)message;
  return true;
}

bool limpet_web_receive(limpet_web *web, char text[LIMPET_WEB_MESSAGE_SIZE]) {
  (void)web, (void)text;
  return false;
}
