/* record/web.h: a web server for one page and its WebSocket, on this machine alone.
 *
 * The address holds a random token of 128 bits. A request without it, of another host or of a page
 * of another origin is refused. What is published goes to every client, the newest only: a client
 * that has not acknowledged two messages gets none until it does. */
#ifndef LIMPET_RECORD_WEB_H
#define LIMPET_RECORD_WEB_H

#include <stddef.h>

#include "limpet/base.h"

enum {
  LIMPET_WEB_CLIENT_LIMIT = 8,    // pages at once; further ones are refused
  LIMPET_WEB_MESSAGE_SIZE = 1024  // [bytes]  of a message from a page, with its end
};

typedef struct limpet_web limpet_web;

// Bytes that the caller keeps until limpet_web_stop.
typedef struct limpet_web_bytes {
  const unsigned char *bytes;
  size_t size;
} limpet_web_bytes;

bool limpet_web_available(void);
/* Serves the three parts of a page, one after the other, at the address, and below it a WebSocket
 * ("frames"), on which `hello` comes first. `port` 0: one that is free. NULL on failure. */
limpet_web *limpet_web_start(const limpet_web_bytes page[3], limpet_web_bytes hello, int port,
                             limpet_error *error);
void limpet_web_stop(limpet_web *web);
const char *limpet_web_address(const limpet_web *web);

int limpet_web_clients(limpet_web *web);
// How many clients have come since the start.
int limpet_web_arrivals(limpet_web *web);
// Replaces what was published before. Copies. Never waits for a client. False without memory.
bool limpet_web_publish(limpet_web *web, limpet_web_bytes message);
// The oldest message of a page that is not read yet; false when there is none. Never waits.
bool limpet_web_receive(limpet_web *web, char text[LIMPET_WEB_MESSAGE_SIZE]);

#endif
