#include "bare.h"

#include <pthread.h>
#include <rados/librados.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { batch_keys = 100, page_entries = 100, key_bytes = 16 };
typedef char key_text[key_bytes + 1];

struct bare {
    rados_t cluster;
    rados_ioctx_t context;
    int shards;
    /* The keys are made beforehand on both sides: making them is no part of an operation. */
    unsigned keys;
    key_text *texts;
    pthread_mutex_t mutex;
    pthread_cond_t freed;
    int in_flight;
    int failure;
};

/* One operation in flight. */
typedef struct {
    bare *owner;
    rados_write_op_t write;
    rados_read_op_t read;
    rados_omap_iter_t entries;
    unsigned char more;
    size_t bytes;
} operation;

static void object_name(char *name, int shard) { sprintf(name, "b.%d", shard); }

bare *bare_open(const char *configuration, const char *user, const char *pool, const char *space, int shards,
                int keys) {
    char name[64];
    bare *b = calloc(1, sizeof *b);
    b->shards = shards;
    b->keys = keys;
    b->texts = calloc(keys, sizeof *b->texts);
    for (int key = 0; key < keys; key++) sprintf(b->texts[key], "key%013u", (unsigned)key);
    pthread_mutex_init(&b->mutex, NULL);
    pthread_cond_init(&b->freed, NULL);
    if (rados_create2(&b->cluster, "ceph", user, 0) < 0) return NULL;
    if (rados_conf_read_file(b->cluster, configuration) < 0 || rados_connect(b->cluster) < 0) return NULL;
    if (rados_ioctx_create(b->cluster, pool, &b->context) < 0) return NULL;
    rados_ioctx_set_namespace(b->context, space);
    for (int shard = 0; shard < shards; shard++) {
        object_name(name, shard);
        if (rados_write_full(b->context, name, "", 0) < 0) return NULL;
    }
    return b;
}

void bare_close(bare *b) {
    char name[64];
    for (int shard = 0; shard < b->shards; shard++) {
        object_name(name, shard);
        rados_remove(b->context, name);
    }
    rados_ioctx_destroy(b->context);
    rados_shutdown(b->cluster);
    free(b->texts);
    free(b);
}

static void finished(rados_completion_t completion, void *argument) {
    operation *op = argument;
    bare *b = op->owner;
    int status = rados_aio_get_return_value(completion);
    if (op->write) rados_release_write_op(op->write);
    if (op->read) {
        /* A client looks at what it has read. */
        char *key, *value;
        size_t key_length, value_length;
        while (rados_omap_get_next2(op->entries, &key, &value, &key_length, &value_length) == 0 && key)
            op->bytes += key_length + value_length;
        rados_omap_get_end(op->entries);
        rados_release_read_op(op->read);
    }
    free(op);
    pthread_mutex_lock(&b->mutex);
    if (status < 0) b->failure = status;
    b->in_flight--;
    pthread_cond_signal(&b->freed);
    pthread_mutex_unlock(&b->mutex);
}

static void begin(bare *b, enum bare_kind kind, unsigned number, const char *value, int value_bytes) {
    char name[64], prefix[key_bytes - 1];
    const char *texts[batch_keys], *values[batch_keys];
    size_t text_lengths[batch_keys], value_lengths[batch_keys];
    /* All keys of a partition are in one object, on both sides. */
    int of_partition = kind == bare_batch || kind == bare_scan;
    unsigned first = number % (b->keys / batch_keys) * batch_keys;
    unsigned key = of_partition ? first : number * 2654435761u % b->keys;
    int count = kind == bare_batch ? batch_keys : 1;
    operation *op = calloc(1, sizeof *op);
    rados_completion_t completion;
    op->owner = b;
    object_name(name, key / batch_keys % b->shards);
    for (int index = 0; index < count; index++) {
        texts[index] = b->texts[key + index];
        text_lengths[index] = key_bytes;
        values[index] = value;
        value_lengths[index] = value_bytes;
    }
    rados_aio_create_completion2(op, finished, &completion);
    if (kind == bare_put || kind == bare_batch) {
        op->write = rados_create_write_op();
        rados_write_op_omap_set2(op->write, texts, values, text_lengths, value_lengths, count);
        rados_aio_write_op_operate(op->write, b->context, completion, name, NULL, 0);
    } else {
        op->read = rados_create_read_op();
        if (kind == bare_get)
            rados_read_op_omap_get_vals_by_keys2(op->read, texts, 1, text_lengths, &op->entries, NULL);
        else {
            /* The keys of a partition differ in their last digits only. */
            memcpy(prefix, texts[0], sizeof prefix - 1);
            prefix[sizeof prefix - 1] = 0;
            rados_read_op_omap_get_vals2(op->read, prefix, prefix, page_entries, &op->entries, &op->more, NULL);
        }
        rados_aio_read_op_operate(op->read, b->context, completion, name, 0);
    }
    rados_aio_release(completion);
}

double bare_run(bare *b, enum bare_kind kind, unsigned first, int count, int depth, int value_bytes) {
    struct timespec start, end;
    char *value = malloc(value_bytes);
    memset(value, 'v', value_bytes);
    b->failure = 0;
    clock_gettime(CLOCK_MONOTONIC, &start);
    for (int number = 0; number < count; number++) {
        pthread_mutex_lock(&b->mutex);
        while (b->in_flight >= depth) pthread_cond_wait(&b->freed, &b->mutex);
        b->in_flight++;
        pthread_mutex_unlock(&b->mutex);
        begin(b, kind, first + number, value, value_bytes);
    }
    pthread_mutex_lock(&b->mutex);
    while (b->in_flight > 0) pthread_cond_wait(&b->freed, &b->mutex);
    pthread_mutex_unlock(&b->mutex);
    clock_gettime(CLOCK_MONOTONIC, &end);
    free(value);
    if (b->failure < 0) return b->failure;
    return (double)(end.tv_sec - start.tv_sec) + (double)(end.tv_nsec - start.tv_nsec) / 1e9;
}
