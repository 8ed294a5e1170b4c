#include "PeerShims.h"

#include <rocksdb/db.h>

#include <string>

// The C interface's own declarations, which it keeps to its source file. The pointers have been their first members
// since 2013.
struct rocksdb_t {
    rocksdb::DB *rep;
};
struct rocksdb_column_family_handle_t {
    rocksdb::ColumnFamilyHandle *rep;
};

struct shim_rocksdb_reader {
    rocksdb::DB *database;
    rocksdb::ReadOptions options;
    rocksdb::PinnableSlice value;
    std::string error;
};

shim_rocksdb_reader *shim_rocksdb_reader_create(void *database) {
    auto *reader = new shim_rocksdb_reader;
    reader->database = static_cast<rocksdb_t *>(database)->rep;
    return reader;
}

void shim_rocksdb_reader_destroy(shim_rocksdb_reader *reader) { delete reader; }

shim_result shim_rocksdb_get(
    shim_rocksdb_reader *reader, void *family, const char *key, size_t key_count, const char **value,
    size_t *value_count) {
    reader->value.Reset();
    const rocksdb::Status status = reader->database->Get(
        reader->options, static_cast<rocksdb_column_family_handle_t *>(family)->rep, rocksdb::Slice(key, key_count),
        &reader->value);
    if (status.IsNotFound()) return shim_missing;
    if (!status.ok()) {
        reader->error = status.ToString();
        *value = reader->error.data();
        *value_count = reader->error.size();
        return shim_failed;
    }
    *value = reader->value.data();
    *value_count = reader->value.size();
    return shim_found;
}
