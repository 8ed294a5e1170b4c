// Lookups in LevelDB and RocksDB as a C++ program makes them: into memory that the thread keeps. The C interfaces of
// both allocate for every value that they return, which costs a peer up to a tenth of a lookup.
#ifndef PEER_SHIMS_H
#define PEER_SHIMS_H

#include <stdbool.h>
#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/// What a lookup has found.
enum shim_result {
    shim_missing = 0,
    shim_found = 1,
    /// The text of the error is in the place of the value.
    shim_failed = 2,
};

/// One thread's lookups in a LevelDB.
typedef struct shim_leveldb_reader shim_leveldb_reader;

/// `database` is a `leveldb_t *` and must outlive the reader.
shim_leveldb_reader *shim_leveldb_reader_create(void *database);
void shim_leveldb_reader_destroy(shim_leveldb_reader *reader);

/// Copies the value of a key into the reader's memory, where it stays until the next call.
enum shim_result shim_leveldb_get(
    shim_leveldb_reader *reader, const char *key, size_t key_count, const char **value, size_t *value_count);

/// One thread's lookups in a RocksDB.
typedef struct shim_rocksdb_reader shim_rocksdb_reader;

/// `database` is a `rocksdb_t *`; both must outlive the reader.
shim_rocksdb_reader *shim_rocksdb_reader_create(void *database);
void shim_rocksdb_reader_destroy(shim_rocksdb_reader *reader);

/// Pins the value of a key in a column family, a `rocksdb_column_family_handle_t *`, until the next call.
enum shim_result shim_rocksdb_get(
    shim_rocksdb_reader *reader, void *family, const char *key, size_t key_count, const char **value,
    size_t *value_count);

#ifdef __cplusplus
}
#endif

#endif
