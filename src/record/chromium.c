/* record/chromium.c: the browser answers each message by one of the same number; what it tells
 * between them is passed over. */
#define _XOPEN_SOURCE 700  // nftw
#include "record/chromium.h"

#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/error.h"
#include "record/base64.h"

static const double answer_time = 120.0;  // [s]  software rendering on a busy machine is slow
static const double ask_time = 0.1;       // [s]  between two questions to go_on
static const double end_time = 5.0;       // [s]

enum { PIECE = 65536, INPUT = 3, OUTPUT = 4 };

// ---------------------------------------------------------------------------------- messages

// Reads more of what the browser says; false: it has ended, or says nothing, or nobody waits.
static bool read_more(limpet_chromium *browser) {
  for (double waited = 0.0; waited < answer_time; waited += ask_time) {
    if (browser->go_on && !browser->go_on(browser->context)) return false;
    const long count =
        limpet_process_read(&browser->process, browser->buffer + browser->size, PIECE, ask_time);
    if (count > 0) browser->size += (size_t)count;
    if (count != -1) return count > 0;
  }
  return false;
}

// The next message; NULL: the browser has ended, or says nothing.
static json_t *receive(limpet_chromium *browser) {
  for (;;) {
    const char *end = browser->size > 0 ? memchr(browser->buffer, '\0', browser->size) : NULL;
    if (end) {
      const size_t length = (size_t)(end - browser->buffer);
      json_t *message = json_loadb(browser->buffer, length, 0, NULL);
      browser->size -= length + 1;
      memmove(browser->buffer, end + 1, browser->size);
      return message;
    }
    if (browser->room < browser->size + PIECE) {
      char *wider = realloc(browser->buffer, 2 * browser->room + PIECE);
      if (!wider) return NULL;
      browser->buffer = wider;
      browser->room = 2 * browser->room + PIECE;
    }
    if (!read_more(browser)) return NULL;
  }
}

// Takes the parameters. The result, or NULL.
static json_t *ask(limpet_chromium *browser, const char *method, json_t *parameters) {
  const int number = ++browser->last;
  json_t *message = json_pack("{s:i, s:s, s:o}", "id", number, "method", method, "params",
                              parameters ? parameters : json_object());
  if (message && *browser->session)
    json_object_set_new(message, "sessionId", json_string(browser->session));
  char *text = message ? json_dumps(message, JSON_COMPACT) : NULL;
  json_decref(message);
  const bool sent = text && limpet_process_write(&browser->process, text, strlen(text) + 1);
  free(text);
  while (sent) {
    json_t *answer = receive(browser);
    if (!answer) return NULL;
    const json_t *id = json_object_get(answer, "id");
    json_t *result = json_object_get(answer, "result");
    const bool ours = id && json_integer_value(id) == number;
    if (ours) json_incref(result);
    json_decref(answer);
    if (ours) return result;
  }
  return NULL;
}

json_t *limpet_chromium_evaluate(limpet_chromium *browser, const char *expression) {
  json_t *result = ask(browser, "Runtime.evaluate",
                       json_pack("{s:s, s:b, s:b}", "expression", expression, "returnByValue", 1,
                                 "awaitPromise", 1));
  json_t *value = NULL;
  if (result && !json_object_get(result, "exceptionDetails"))
    value = json_incref(json_object_get(json_object_get(result, "result"), "value"));
  json_decref(result);
  return value;
}

unsigned char *limpet_chromium_picture(limpet_chromium *browser, size_t *size) {
  json_t *result = ask(browser, "Page.captureScreenshot", json_pack("{s:s}", "format", "png"));
  const json_t *data = json_object_get(result, "data");
  const size_t length = json_string_length(data);
  unsigned char *bytes = length > 0 ? malloc(length) : NULL;
  const long count = bytes ? limpet_base64_decode(json_string_value(data), length, bytes) : -1;
  json_decref(result);
  if (count <= 0) {
    free(bytes);
    return NULL;
  }
  *size = (size_t)count;
  return bytes;
}

// ------------------------------------------------------------------------------ start and end

// The name or path of a browser that is there; NULL: none.
static const char *program(void) {
  const char *const programs[] = {getenv("LIMPET_CHROMIUM"), "chromium",
                                  "chromium-browser",        "google-chrome",
                                  "google-chrome-stable",    "chrome"};
  for (size_t k = 0; k < sizeof programs / sizeof *programs; ++k)
    if (programs[k] && *programs[k] && limpet_process_possible(programs[k])) return programs[k];
  return NULL;
}

limpet_status limpet_chromium_possible(limpet_error *error) {
  if (program()) return LIMPET_OK;
  return limpet_error_fill(error, LIMPET_ERROR_UNSUPPORTED,
                           "pictures need Chromium, which was not found: install it (Debian: "
                           "apt-get install chromium), or name it in LIMPET_CHROMIUM");
}

static bool start(limpet_chromium *browser) {
  char profile[96];
  snprintf(profile, sizeof profile, "--user-data-dir=%s", browser->folder);
  const char *const words[] = {program(),
                               "--headless=new",
                               "--no-sandbox",
                               "--remote-debugging-pipe",
                               "--use-angle=swiftshader",
                               "--enable-unsafe-swiftshader",
                               "--ignore-gpu-blocklist",
                               "--no-first-run",
                               "--disable-background-networking",
                               "--disable-component-update",
                               "--disable-sync",
                               "--hide-scrollbars",
                               profile,
                               "about:blank",
                               NULL};
  return words[0] &&
         limpet_process_start(&browser->process, (char *const *)(uintptr_t)words, INPUT, OUTPUT);
}

static bool text_of(const json_t *object, const char *key, char *text, size_t size) {
  const char *value = json_string_value(json_object_get(object, key));
  return value && (size_t)snprintf(text, size, "%s", value) < size;
}

// A page of its own, of the size that was asked for.
static bool open_page(limpet_chromium *browser, const char *address, int width, int height) {
  char target[128], session[sizeof browser->session];
  json_t *made = ask(browser, "Target.createTarget", json_pack("{s:s}", "url", "about:blank"));
  bool done = text_of(made, "targetId", target, sizeof target);
  json_decref(made);
  json_t *attached = done ? ask(browser, "Target.attachToTarget",
                                json_pack("{s:s, s:b}", "targetId", target, "flatten", 1))
                          : NULL;
  done = done && text_of(attached, "sessionId", session, sizeof session);
  json_decref(attached);
  if (!done) return false;
  snprintf(browser->session, sizeof browser->session, "%s", session);
  json_t *sized = ask(browser, "Emulation.setDeviceMetricsOverride",
                      json_pack("{s:i, s:i, s:i, s:b}", "width", width, "height", height,
                                "deviceScaleFactor", 1, "mobile", 0));
  json_t *shown = sized ? ask(browser, "Page.navigate", json_pack("{s:s}", "url", address)) : NULL;
  done = shown != NULL;
  json_decref(sized);
  json_decref(shown);
  return done;
}

limpet_status limpet_chromium_open(limpet_chromium *browser, const char *address, int width,
                                   int height, limpet_error *error) {
  if (limpet_chromium_possible(error) != LIMPET_OK) return LIMPET_ERROR_UNSUPPORTED;
  const char *temporary = getenv("TMPDIR");
  snprintf(browser->folder, sizeof browser->folder, "%s/limpet-chromium-XXXXXX",
           temporary && strlen(temporary) < 32 ? temporary : "/tmp");
  if (!mkdtemp(browser->folder)) {
    const limpet_status status = limpet_error_fill(
        error, LIMPET_ERROR_FILE, "%s: no folder for the browser can be made", browser->folder);
    *browser->folder = '\0';
    return status;
  }
  if (start(browser) && open_page(browser, address, width, height)) return LIMPET_OK;
  limpet_chromium_close(browser);
  return limpet_error_fill(error, LIMPET_ERROR_STATE,
                           "Chromium was started, but opened no page; does 'chromium --headless' "
                           "work on this machine?");
}

static int remove_entry(const char *path, const struct stat *status, int kind, struct FTW *walk) {
  (void)status, (void)kind, (void)walk;
  remove(path);
  return 0;
}

void limpet_chromium_close(limpet_chromium *browser) {
  *browser->session = '\0';
  if (browser->process.id) json_decref(ask(browser, "Browser.close", NULL));
  limpet_process_end(&browser->process, end_time);
  if (*browser->folder) nftw(browser->folder, remove_entry, 16, FTW_DEPTH | FTW_PHYS);
  free(browser->buffer);
  *browser = (limpet_chromium){.process = {.input = -1, .output = -1}};
}
