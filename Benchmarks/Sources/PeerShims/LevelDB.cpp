#include "PeerShims.h"

#include <leveldb/db.h>

#include <string>

// The C interface's own declaration, which it keeps to its source file. LevelDB has not changed it since 2012.
struct leveldb_t {
    leveldb::DB *rep;
};

struct shim_leveldb_reader {
    leveldb::DB *database;
    leveldb::ReadOptions options;
    // Keeps its capacity from value to value.
    std::string value;
    std::string error;
};

shim_leveldb_reader *shim_leveldb_reader_create(void *database) {
    return new shim_leveldb_reader{static_cast<leveldb_t *>(database)->rep, {}, {}, {}};
}

void shim_leveldb_reader_destroy(shim_leveldb_reader *reader) { delete reader; }

shim_result shim_leveldb_get(
    shim_leveldb_reader *reader, const char *key, size_t key_count, const char **value, size_t *value_count) {
    const leveldb::Status status =
        reader->database->Get(reader->options, leveldb::Slice(key, key_count), &reader->value);
    if (status.IsNotFound()) return shim_missing;
    const std::string *result = &reader->value;
    if (!status.ok()) {
        reader->error = status.ToString();
        result = &reader->error;
    }
    *value = result->data();
    *value_count = result->size();
    return status.ok() ? shim_found : shim_failed;
}
