/* record/web.c: a page and its WebSocket by civetweb, on 127.0.0.1 alone.
 *
 * Threads: the caller publishes and receives; civetweb reads from clients; each client has a thread
 * that writes to it, so that one that stalls holds up nobody. All meet under one mutex, which is
 * held for copies only, never while a socket is written. */
#include "record/web.h"

#include <assert.h>
#include <civetweb.h>
#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

#include "base/error.h"
#include "base/grow.h"

enum {
  TOKEN_BYTES = 16,
  TOKEN_SIZE = 2 * TOKEN_BYTES + 1,
  ADDRESS_SIZE = 128,
  QUEUE_LIMIT = 64,   // messages of pages that are not read yet; older ones give way
  FLIGHT_LIMIT = 2,   // messages that a client has not acknowledged
  ACKNOWLEDGED = 'a'  // first letter of the message that does
};

typedef struct limpet_web_client {
  limpet_web *web;
  struct mg_connection *connection;  // NULL: the place is free
  pthread_t writer;
  uint64_t sent;  // number of the message that was sent last
  int in_flight;
  bool greeted, closing;
  bool writing;  // its thread is at the socket
} limpet_web_client;

struct limpet_web {
  struct mg_context *server;
  limpet_web_bytes page[3], hello;
  char token[TOKEN_SIZE], address[ADDRESS_SIZE];
  int port;
  pthread_mutex_t mutex;  // of all below
  pthread_cond_t changed;
  limpet_web_client client[LIMPET_WEB_CLIENT_LIMIT];
  int client_count, arrivals;
  unsigned char *latest;
  int latest_size, latest_capacity;
  uint64_t number;  // of the latest message; 0: none yet
  char queue[QUEUE_LIMIT][LIMPET_WEB_MESSAGE_SIZE];
  int queue_first, queue_count;
};

bool limpet_web_available(void) { return true; }

// ------------------------------------------------------------------------------------- refusal

// equal, in a time that does not tell how much of it is
static bool same_secret(const char *a, const char *b, size_t length) {
  unsigned char difference = 0;
  for (size_t i = 0; i < length; ++i) difference |= (unsigned char)(a[i] ^ b[i]);
  return difference == 0;
}

// whether a path is "/TOKEN" and `behind`
static bool path_allowed(const limpet_web *web, const char *path, const char *behind) {
  const size_t length = TOKEN_SIZE - 1;
  return path && strlen(path) == 1 + length + strlen(behind) && path[0] == '/' &&
         same_secret(path + 1, web->token, length) && strcmp(path + 1 + length, behind) == 0;
}

// names by which this machine calls itself: another one was resolved to us by a stranger
static bool host_allowed(const limpet_web *web, const char *host) {
  static const char *const names[] = {"127.0.0.1", "localhost"};
  for (int i = 0; host && i < 2; ++i) {
    char own[64];
    snprintf(own, sizeof own, "%s:%d", names[i], web->port);
    if (strcmp(host, own) == 0) return true;
  }
  return false;
}

static bool origin_allowed(const limpet_web *web, const char *origin) {
  static const char scheme[] = "http://";
  return origin && strncmp(origin, scheme, sizeof scheme - 1) == 0 &&
         host_allowed(web, origin + sizeof scheme - 1);
}

// ---------------------------------------------------------------------------------------- page

static const char page_headers[] =
    "HTTP/1.1 200 OK\r\n"
    "Content-Type: text/html; charset=utf-8\r\n"
    "Content-Security-Policy: default-src 'none'; script-src 'unsafe-inline'; style-src "
    "'unsafe-inline'; img-src data: blob:; connect-src 'self' ws:; frame-ancestors 'none'\r\n"
    "Cache-Control: no-store\r\nReferrer-Policy: no-referrer\r\n"
    "X-Content-Type-Options: nosniff\r\nConnection: close\r\n";

static int answer(struct mg_connection *connection, void *context) {
  const limpet_web *web = context;
  const struct mg_request_info *request = mg_get_request_info(connection);
  const bool allowed = path_allowed(web, request->local_uri, "/") &&
                       host_allowed(web, mg_get_header(connection, "Host")) &&
                       strcmp(request->request_method, "GET") == 0;
  if (!allowed) {
    mg_printf(connection,
              "HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\nConnection: close\r\n\r\n");
    return 404;
  }
  size_t size = 0;
  for (int i = 0; i < 3; ++i) size += web->page[i].size;
  mg_printf(connection, "%sContent-Length: %zu\r\n\r\n", page_headers, size);
  for (int i = 0; i < 3; ++i) mg_write(connection, web->page[i].bytes, web->page[i].size);
  return 200;
}

// --------------------------------------------------------------------------------------- sending

// the client has something to get, or is to end
static bool writer_has_work(const limpet_web_client *client) {
  const limpet_web *web = client->web;
  return client->closing || !client->greeted ||
         (client->sent < web->number && client->in_flight < FLIGHT_LIMIT);
}

// the latest message, copied out from under the mutex; false without memory
static bool copy_latest(limpet_web_client *client, unsigned char **bytes, int *capacity,
                        int *size) {
  const limpet_web *web = client->web;
  if (!limpet_grow(bytes, capacity, web->latest_size, 1)) return false;
  memcpy(*bytes, web->latest, (size_t)web->latest_size);
  *size = web->latest_size;
  client->sent = web->number;
  ++client->in_flight;
  return true;
}

static void *write_to_client(void *context) {
  limpet_web_client *client = context;
  limpet_web *web = client->web;
  unsigned char *bytes = NULL;
  int capacity = 0, size = 0;
  pthread_mutex_lock(&web->mutex);
  while (true) {
    while (!writer_has_work(client)) pthread_cond_wait(&web->changed, &web->mutex);
    if (client->closing) break;
    const bool greeting = !client->greeted;
    client->writing = true;
    client->greeted = true;
    if (!greeting && !copy_latest(client, &bytes, &capacity, &size)) break;
    pthread_mutex_unlock(&web->mutex);
    const char *message = greeting ? (const char *)web->hello.bytes : (const char *)bytes;
    const size_t length = greeting ? web->hello.size : (size_t)size;
    const int written =
        mg_websocket_write(client->connection, MG_WEBSOCKET_OPCODE_BINARY, message, length);
    pthread_mutex_lock(&web->mutex);
    client->writing = false;
    if (written <= 0) break;
  }
  pthread_mutex_unlock(&web->mutex);
  free(bytes);
  return NULL;
}

// ------------------------------------------------------------------------------------- receiving

static limpet_web_client *client_of(limpet_web *web, const struct mg_connection *connection) {
  for (int i = 0; i < LIMPET_WEB_CLIENT_LIMIT; ++i)
    if (web->client[i].connection == connection) return &web->client[i];
  return NULL;
}

// 0: welcome
static int client_asks(const struct mg_connection *connection, void *context) {
  limpet_web *web = context;
  if (!path_allowed(web, mg_get_request_info(connection)->local_uri, "/frames") ||
      !host_allowed(web, mg_get_header(connection, "Host")) ||
      !origin_allowed(web, mg_get_header(connection, "Origin")))
    return 1;
  pthread_mutex_lock(&web->mutex);
  const bool room = web->client_count < LIMPET_WEB_CLIENT_LIMIT;
  pthread_mutex_unlock(&web->mutex);
  return room ? 0 : 1;
}

static void client_comes(struct mg_connection *connection, void *context) {
  limpet_web *web = context;
  pthread_mutex_lock(&web->mutex);
  limpet_web_client *client = client_of(web, NULL);
  if (client) {
    *client = (limpet_web_client){.web = web, .connection = connection};
    if (pthread_create(&client->writer, NULL, write_to_client, client) == 0) {
      ++web->client_count;
      ++web->arrivals;
    } else {
      client->connection = NULL;
    }
  }
  pthread_mutex_unlock(&web->mutex);
}

static void client_goes(const struct mg_connection *connection, void *context) {
  limpet_web *web = context;
  pthread_mutex_lock(&web->mutex);
  limpet_web_client *client = client_of(web, connection);
  if (client) client->closing = true;
  pthread_cond_broadcast(&web->changed);
  pthread_mutex_unlock(&web->mutex);
  if (!client) return;
  pthread_join(client->writer, NULL);
  pthread_mutex_lock(&web->mutex);
  client->connection = NULL;
  --web->client_count;
  pthread_mutex_unlock(&web->mutex);
}

// behind the others; the oldest gives way
static void queue_put(limpet_web *web, const char *text, size_t length) {
  if (web->queue_count == QUEUE_LIMIT) {
    web->queue_first = (web->queue_first + 1) % QUEUE_LIMIT;
    --web->queue_count;
  }
  char *place = web->queue[(web->queue_first + web->queue_count++) % QUEUE_LIMIT];
  memcpy(place, text, length);
  place[length] = '\0';
}

// 1: the connection stays open
static int client_says(struct mg_connection *connection, int bits, char *text, size_t length,
                       void *context) {
  enum { OPCODE_BITS = 0xf, FINAL_BIT = 0x80 };  // of RFC 6455
  limpet_web *web = context;
  const int opcode = bits & OPCODE_BITS;
  if (opcode == MG_WEBSOCKET_OPCODE_CONNECTION_CLOSE) return 0;
  if (opcode != MG_WEBSOCKET_OPCODE_TEXT) return 1;
  if (!(bits & FINAL_BIT) || length == 0 || length >= LIMPET_WEB_MESSAGE_SIZE) return 0;
  pthread_mutex_lock(&web->mutex);
  limpet_web_client *client = client_of(web, connection);
  if (client && text[0] == ACKNOWLEDGED && client->in_flight > 0) --client->in_flight;
  else if (client) queue_put(web, text, length);
  pthread_cond_broadcast(&web->changed);
  pthread_mutex_unlock(&web->mutex);
  return 1;
}

// ------------------------------------------------------------------------------ start and stop

static bool make_token(char token[TOKEN_SIZE]) {
  unsigned char random[TOKEN_BYTES];
  if (getrandom(random, sizeof random, 0) != (ssize_t)sizeof random) return false;
  for (int i = 0; i < TOKEN_BYTES; ++i) snprintf(&token[2 * i], 3, "%02x", random[i]);
  return true;
}

// civetweb says nothing on its own
static int keep_quiet(const struct mg_connection *connection, const char *message) {
  (void)connection, (void)message;
  return 1;
}

static bool serve(limpet_web *web, int port) {
  char ports[32];
  snprintf(ports, sizeof ports, "127.0.0.1:%d", port);
  // one thread of civetweb for each client, and some for the page
  const char *const options[] = {"listening_ports",
                                 ports,
                                 "num_threads",
                                 "12",
                                 "request_timeout_ms",
                                 "10000",
                                 "websocket_timeout_ms",
                                 "86400000",
                                 "enable_directory_listing",
                                 "no",
                                 NULL};
  const struct mg_callbacks callbacks = {.log_message = keep_quiet};
  mg_init_library(0);
  web->server = mg_start(&callbacks, web, (const char **)(uintptr_t)options);
  if (!web->server) return false;
  struct mg_server_port open[1];
  if (mg_get_server_ports(web->server, 1, open) != 1) return false;
  web->port = open[0].port;
  snprintf(web->address, sizeof web->address, "http://127.0.0.1:%d/%s/", web->port, web->token);
  mg_set_websocket_handler(web->server, "/", client_asks, client_comes, client_says, client_goes,
                           web);
  mg_set_request_handler(web->server, "/", answer, web);
  return true;
}

limpet_web *limpet_web_start(const limpet_web_bytes page[3], limpet_web_bytes hello, int port,
                             limpet_error *error) {
  limpet_web *web = calloc(1, sizeof *web);
  if (!web) {
    limpet_error_fill(error, LIMPET_ERROR_MEMORY, "no memory for a live view");
    return NULL;
  }
  memcpy(web->page, page, sizeof web->page);
  web->hello = hello;
  pthread_mutex_init(&web->mutex, NULL);
  pthread_cond_init(&web->changed, NULL);
  if (make_token(web->token) && serve(web, port)) return web;
  limpet_error_fill(error, LIMPET_ERROR_FILE,
                    "no live view: 127.0.0.1:%d cannot be listened on; choose another port, or 0",
                    port);
  limpet_web_stop(web);
  return NULL;
}

// asks every page to close, so that nothing waits for it; one that takes no bytes is not asked
static void say_goodbye(limpet_web *web) {
  struct mg_connection *open[LIMPET_WEB_CLIENT_LIMIT];
  int count = 0;
  pthread_mutex_lock(&web->mutex);
  for (int i = 0; i < LIMPET_WEB_CLIENT_LIMIT; ++i) {
    web->client[i].closing = true;
    if (web->client[i].connection && !web->client[i].writing)
      open[count++] = web->client[i].connection;
  }
  pthread_cond_broadcast(&web->changed);
  pthread_mutex_unlock(&web->mutex);
  for (int i = 0; i < count; ++i)
    mg_websocket_write(open[i], MG_WEBSOCKET_OPCODE_CONNECTION_CLOSE, "", 0);
}

void limpet_web_stop(limpet_web *web) {
  if (!web) return;
  if (web->server) {
    say_goodbye(web);
    mg_stop(web->server);
  }
  mg_exit_library();
  pthread_mutex_destroy(&web->mutex);
  pthread_cond_destroy(&web->changed);
  free(web->latest);
  free(web);
}

// ------------------------------------------------------------------------------------- the caller

const char *limpet_web_address(const limpet_web *web) {
  assert(web);
  return web->address;
}

static int read_count(limpet_web *web, const int *count) {
  pthread_mutex_lock(&web->mutex);
  const int value = *count;
  pthread_mutex_unlock(&web->mutex);
  return value;
}

int limpet_web_clients(limpet_web *web) {
  assert(web);
  return read_count(web, &web->client_count);
}

int limpet_web_arrivals(limpet_web *web) {
  assert(web);
  return read_count(web, &web->arrivals);
}

bool limpet_web_publish(limpet_web *web, limpet_web_bytes message) {
  assert(web);
  pthread_mutex_lock(&web->mutex);
  const bool room = message.size <= INT32_MAX &&
                    limpet_grow(&web->latest, &web->latest_capacity, (int)message.size, 1);
  if (room) {
    memcpy(web->latest, message.bytes, message.size);
    web->latest_size = (int)message.size;
    ++web->number;
    pthread_cond_broadcast(&web->changed);
  }
  pthread_mutex_unlock(&web->mutex);
  return room;
}

bool limpet_web_receive(limpet_web *web, char text[LIMPET_WEB_MESSAGE_SIZE]) {
  assert(web);
  pthread_mutex_lock(&web->mutex);
  const bool some = web->queue_count > 0;
  if (some) {
    memcpy(text, web->queue[web->queue_first], LIMPET_WEB_MESSAGE_SIZE);
    web->queue_first = (web->queue_first + 1) % QUEUE_LIMIT;
    --web->queue_count;
  }
  pthread_mutex_unlock(&web->mutex);
  return some;
}
