/* cli/bench_peer.h: another simulator in a process of its own, asked for one batch at a time. */
#ifndef LIMPET_CLI_BENCH_PEER_H
#define LIMPET_CLI_BENCH_PEER_H

#include <jansson.h>
#include <stdio.h>
#include <sys/types.h>

#include "bench_scene.h"

typedef struct limpet_bench_peer {
  pid_t process;
  FILE *to, *from;
} limpet_bench_peer;

/* Starts the peer's script on the scene, from our settled state. Returns its description (version,
 * contacts, ...) to be freed, or NULL after saying on stderr why it is skipped. */
json_t *limpet_bench_peer_open(limpet_bench_peer *peer, const limpet_bench_world *world,
                               int batch_steps);
// The same with `extra` keys in what the peer is asked for.
json_t *limpet_bench_peer_open_with(limpet_bench_peer *peer, const limpet_bench_world *world,
                                    int batch_steps, json_t *extra);
// Time of one batch  [s per step]; NAN: the peer is gone.
double limpet_bench_peer_batch(limpet_bench_peer *peer);
// The same for what else the peer can be asked for, in one word.
double limpet_bench_peer_ask(limpet_bench_peer *peer, const char *what);
void limpet_bench_peer_close(limpet_bench_peer *peer);

#endif
