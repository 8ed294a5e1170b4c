#pragma once

/* Operations on omaps over librados alone, with a bounded number in flight: what a client in C reaches. */

typedef struct bare bare;

enum bare_kind { bare_put, bare_get, bare_batch, bare_scan };

/* Connects, and makes `shards` objects for `keys` keys in a RADOS namespace. Returns NULL if that fails. */
bare *bare_open(const char *configuration, const char *user, const char *pool, const char *space, int shards,
                int keys);

/* Runs `count` operations from number `first` on, `depth` in flight, with values of `value_bytes`. A batch sets 100 keys
 * of one partition, a scan reads those of one. Returns the seconds that they took, or a negative number of the
 * system. */
double bare_run(bare *b, enum bare_kind kind, unsigned first, int count, int depth, int value_bytes);

/* Removes the objects and ends the connection. */
void bare_close(bare *b);
