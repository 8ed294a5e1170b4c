import SystemRocksDB

@safe
final class RocksDBSession: PeerSession {
    private let database: OpaquePointer
    private let family: OpaquePointer
    private let options: RocksDBOptions
    private let writeOptions: OpaquePointer
    private let batch: OpaquePointer

    init(_ database: OpaquePointer, _ family: OpaquePointer, _ options: RocksDBOptions, isSynced: Bool) {
        unsafe self.database = database
        unsafe self.family = family
        self.options = options
        unsafe writeOptions = rocksdb_writeoptions_create()
        unsafe batch = rocksdb_writebatch_create()
        unsafe rocksdb_writeoptions_set_sync(writeOptions, isSynced ? 1 : 0)
    }

    deinit {
        unsafe rocksdb_writeoptions_destroy(writeOptions)
        unsafe rocksdb_writebatch_destroy(batch)
    }

    func put(_ value: RawSpan, forKey key: RawSpan) throws {
        var error: UnsafeMutablePointer<CChar>?
        unsafe rocksdb_put_cf(
            database, writeOptions, family, key.characters, key.byteCount, value.characters, value.byteCount, &error)
        try unsafe check(error, rocksdb_free)
    }

    func putBatch(_ fill: ((RawSpan, RawSpan) throws -> Void) throws -> Void) throws {
        unsafe rocksdb_writebatch_clear(batch)
        try fill { key, value in
            unsafe rocksdb_writebatch_put_cf(
                batch, family, key.characters, key.byteCount, value.characters, value.byteCount)
        }
        var error: UnsafeMutablePointer<CChar>?
        unsafe rocksdb_write(database, writeOptions, batch, &error)
        try unsafe check(error, rocksdb_free)
    }

    func get(_ key: RawSpan, _ body: (RawSpan) -> Void) throws -> Bool {
        var error: UnsafeMutablePointer<CChar>?
        let slice = unsafe rocksdb_get_pinned_cf(
            database, options.readOptions, family, key.characters, key.byteCount, &error)
        try unsafe check(error, rocksdb_free)
        guard let slice = unsafe slice else { return false }
        unsafe lend(slice, to: body)
        return true
    }

    func multiget(_ keys: KeyGroup, _ body: (Int, RawSpan) -> Void) throws {
        let count = keys.count
        try unsafe withUnsafeTemporaryAllocation(of: OpaquePointer?.self, capacity: count) { values in
            try unsafe withUnsafeTemporaryAllocation(of: UnsafeMutablePointer<CChar>?.self, capacity: count) { errors in
                unsafe rocksdb_batched_multi_get_cf(
                    database, options.readOptions, family, count, keys.pointers, keys.lengths, values.baseAddress,
                    errors.baseAddress, false)
                for index in 0..<count {
                    try unsafe check(errors[index], rocksdb_free)
                    guard let slice = unsafe values[index] else { continue }
                    unsafe lend(slice) { body(index, $0) }
                }
            }
        }
    }

    @inline(__always)
    private func lend(_ slice: OpaquePointer, to body: (RawSpan) -> Void) {
        var count = 0
        let bytes = unsafe rocksdb_pinnableslice_value(slice, &count)
        unsafe body(UnsafeRawBufferPointer(start: bytes, count: count).bytes)
        unsafe rocksdb_pinnableslice_destroy(slice)
    }

    func delete(_ key: RawSpan) throws {
        var error: UnsafeMutablePointer<CChar>?
        unsafe rocksdb_delete_cf(database, writeOptions, family, key.characters, key.byteCount, &error)
        try unsafe check(error, rocksdb_free)
    }

    func scan(
        from key: RawSpan, _ direction: ScanDirection, _ body: (RawSpan, RawSpan) throws -> Bool
    ) throws {
        let iterator = unsafe rocksdb_create_iterator_cf(database, options.readOptions, family)
        defer { unsafe rocksdb_iter_destroy(iterator) }
        if direction == .reversed {
            unsafe rocksdb_iter_seek_to_last(iterator)
        } else if key.byteCount == 0 {
            unsafe rocksdb_iter_seek_to_first(iterator)
        } else {
            unsafe rocksdb_iter_seek(iterator, key.characters, key.byteCount)
        }
        while unsafe rocksdb_iter_valid(iterator) != 0 {
            var (keyCount, valueCount) = (0, 0)
            let key = unsafe UnsafeRawBufferPointer(start: rocksdb_iter_key(iterator, &keyCount), count: keyCount)
            let value = unsafe UnsafeRawBufferPointer(
                start: rocksdb_iter_value(iterator, &valueCount), count: valueCount)
            guard try unsafe body(key.bytes, value.bytes) else { return }
            if direction == .forward {
                unsafe rocksdb_iter_next(iterator)
            } else {
                unsafe rocksdb_iter_prev(iterator)
            }
        }
        var error: UnsafeMutablePointer<CChar>?
        unsafe rocksdb_iter_get_error(iterator, &error)
        try unsafe check(error, rocksdb_free)
    }
}
