import PeerShims
import SystemRocksDB

/// RocksDB through its C interface, lookups through its C++ interface, with a separate column family, which it can drop
/// in constant time.
@safe
final class RocksDBPeer: Peer, @unchecked Sendable {
    private let path: String
    private let options: RocksDBOptions
    private(set) var database: OpaquePointer?
    private var defaultFamily: OpaquePointer?
    private var family: OpaquePointer?

    /// The version from the header: the C interface does not provide it.
    static var version: String {
        let lines = TextFile.lines("/usr/include/rocksdb/version.h").map { $0.split(separator: " ") }
        let parts = ["MAJOR", "MINOR", "PATCH"].compactMap { part in
            lines.first { $0.count == 3 && $0[1] == "ROCKSDB_" + part }?[2]
        }
        return parts.count == 3 ? parts.joined(separator: ".") : "unknown"
    }

    private static let familyName = "bench"

    init(path: String, settings: PeerSettings) {
        self.path = path
        options = RocksDBOptions(settings)
    }

    func open() throws {
        var error: UnsafeMutablePointer<CChar>?
        unsafe "default".withCString { defaultName in
            unsafe RocksDBPeer.familyName.withCString { name in
                var names: [UnsafePointer<CChar>?] = unsafe [defaultName, name]
                var familyOptions: [OpaquePointer?] = unsafe [options.options, options.options]
                var families: [OpaquePointer?] = unsafe [nil, nil]
                unsafe database = rocksdb_open_column_families(
                    options.options, path, 2, &names, &familyOptions, &families, &error)
                unsafe (defaultFamily, family) = (families[0], families[1])
            }
        }
        try unsafe check(error, rocksdb_free)
    }

    func close() throws {
        guard let database = unsafe database else { return }
        unsafe rocksdb_column_family_handle_destroy(defaultFamily)
        unsafe rocksdb_column_family_handle_destroy(family)
        unsafe rocksdb_close(database)
        unsafe (self.database, defaultFamily, family) = (nil, nil, nil)
    }

    func session(isSynced: Bool) throws -> any PeerSession {
        guard let database = unsafe database, let family = unsafe family else { throw BenchError("rocksdb is closed") }
        return unsafe RocksDBSession(database, family, options, isSynced: isSynced)
    }

    func flush() throws {
        let flushOptions = unsafe rocksdb_flushoptions_create()
        defer { unsafe rocksdb_flushoptions_destroy(flushOptions) }
        unsafe rocksdb_flushoptions_set_wait(flushOptions, 1)
        var error: UnsafeMutablePointer<CChar>?
        unsafe rocksdb_flush_cf(database, flushOptions, family, &error)
        try unsafe check(error, rocksdb_free)
    }

    var writeBufferBytesUsed: Int? { property("cur-size-active-mem-table") }

    var isBusy: Bool {
        ["num-running-flushes", "num-running-compactions", "mem-table-flush-pending", "compaction-pending"]
            .contains { (property($0) ?? 0) > 0 }
    }

    private func property(_ name: String) -> Int? {
        var value: UInt64 = 0
        guard unsafe rocksdb_property_int_cf(database, family, "rocksdb." + name, &value) == 0 else { return nil }
        return Int(value)
    }

    func compact() throws -> Bool {
        unsafe rocksdb_compact_range_cf(database, family, nil, 0, nil, 0)
        return true
    }

    func erase() throws {
        var error: UnsafeMutablePointer<CChar>?
        unsafe rocksdb_drop_column_family(database, family, &error)
        try unsafe check(error, rocksdb_free)
        unsafe rocksdb_column_family_handle_destroy(family)
        unsafe family = rocksdb_create_column_family(database, options.options, RocksDBPeer.familyName, &error)
        try unsafe check(error, rocksdb_free)
    }
}

@safe
final class RocksDBSession: PeerSession {
    private let database: OpaquePointer
    private let family: OpaquePointer
    private let options: RocksDBOptions
    private let writeOptions: OpaquePointer
    private let batch: OpaquePointer
    private let reader: RocksDBReader

    init(_ database: OpaquePointer, _ family: OpaquePointer, _ options: RocksDBOptions, isSynced: Bool) {
        unsafe self.database = database
        unsafe reader = RocksDBReader(database)
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
        try unsafe reader.get(key, family, body)
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

/// One thread's lookups in a RocksDB.
@safe
final class RocksDBReader {
    private let reader: OpaquePointer

    /// The database must outlive the reader.
    init(_ database: OpaquePointer) {
        unsafe reader = shim_rocksdb_reader_create(UnsafeMutableRawPointer(database))
    }

    deinit { unsafe shim_rocksdb_reader_destroy(reader) }

    /// Calls `body` with the pinned value of `key` in a column family; returns false if the key is missing.
    @unsafe @inline(__always)
    func get(_ key: RawSpan, _ family: OpaquePointer, _ body: (RawSpan) -> Void) throws -> Bool {
        var value: UnsafePointer<CChar>?
        var count = 0
        let result = unsafe shim_rocksdb_get(
            reader, UnsafeMutableRawPointer(family), key.characters, key.byteCount, &value, &count)
        return try unsafe lend(result, UnsafeRawBufferPointer(start: value, count: count), to: body)
    }
}
