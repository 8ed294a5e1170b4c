import PeerShims
import SystemLevelDB

/// LevelDB through its C interface; lookups through its C++ interface, into memory that is kept.
@safe
final class LevelDBPeer: Peer, @unchecked Sendable {
    static let summary =
        "write buffer 64 MiB, block cache 512 MiB, bloom filter 16 bits, snappy (variant uncompressed: none), blocks "
        + "4 KiB (its default; variant: 16 KiB), files 2 MiB (its default), checksums of blocks not verified by reads "
        + "(its default); lookups copy values into memory that is kept; the C interface has no flush: up to 64 MiB "
        + "stay in its log and memtable when settled"

    static var version: String { "\(leveldb_major_version()).\(leveldb_minor_version())" }

    private let path: String
    private let options: OpaquePointer
    private let cache: OpaquePointer
    private let filter: OpaquePointer
    private var database: OpaquePointer?

    init(path: String, settings: PeerSettings) {
        self.path = path
        unsafe options = leveldb_options_create()
        unsafe cache = leveldb_cache_create_lru(settings.blockCacheBytes)
        unsafe filter = leveldb_filterpolicy_create_bloom(Int32(settings.filterBitsPerKey))
        unsafe leveldb_options_set_create_if_missing(options, 1)
        unsafe leveldb_options_set_write_buffer_size(options, settings.writeBufferBytes)
        unsafe leveldb_options_set_cache(options, cache)
        unsafe leveldb_options_set_filter_policy(options, filter)
        unsafe leveldb_options_set_block_size(options, settings.blockBytes)
        let compression = settings.isCompressed ? leveldb_snappy_compression : leveldb_no_compression
        unsafe leveldb_options_set_compression(options, Int32(compression))
    }

    deinit {
        unsafe leveldb_options_destroy(options)
        unsafe leveldb_cache_destroy(cache)
        unsafe leveldb_filterpolicy_destroy(filter)
    }

    func open() throws {
        var error: UnsafeMutablePointer<CChar>?
        unsafe database = leveldb_open(options, path, &error)
        try unsafe check(error, leveldb_free)
    }

    func close() throws {
        guard let database = unsafe database else { return }
        unsafe leveldb_close(database)
        unsafe self.database = nil
    }

    func session(isSynced: Bool) throws -> any PeerSession {
        guard let database = unsafe database else { throw BenchError("leveldb is closed") }
        return unsafe LevelDBSession(database, isSynced: isSynced)
    }

    /// Makes the log durable with an empty synced batch; LevelDB has no call for a flush.
    func flush() throws {
        guard let session = try session(isSynced: true) as? LevelDBSession else { return }
        try session.putBatch { _ in }
    }

    /// Includes the block cache, which is empty before the first read.
    var writeBufferBytesUsed: Int? {
        let text = unsafe leveldb_property_value(database, "leveldb.approximate-memory-usage")
        defer { unsafe leveldb_free(text) }
        return unsafe text.flatMap { unsafe Int(String(cString: $0)) }
    }

    func compact() throws -> Bool {
        guard let database = unsafe database else { return false }
        unsafe leveldb_compact_range(database, nil, 0, nil, 0)
        return true
    }

    /// Deletes key by key: LevelDB has no range deletion.
    func erase() throws {
        let session = try session(isSynced: false)
        let batchEntries = 1000
        var keys: [[UInt8]] = []
        func deleteKeys() throws {
            guard let session = session as? LevelDBSession else { return }
            try session.deleteBatch(keys)
            keys.removeAll(keepingCapacity: true)
        }
        try session.scan(from: RawSpan(), .forward) { key, _ in
            unsafe key.withUnsafeBytes { unsafe keys.append([UInt8]($0)) }
            if keys.count == batchEntries { try deleteKeys() }
            return true
        }
        try deleteKeys()
        try flush()
    }
}

@safe
final class LevelDBSession: PeerSession {
    private let database: OpaquePointer
    private let readOptions: OpaquePointer
    private let writeOptions: OpaquePointer
    private let batch: OpaquePointer
    private let reader: OpaquePointer

    init(_ database: OpaquePointer, isSynced: Bool) {
        unsafe self.database = database
        unsafe reader = shim_leveldb_reader_create(UnsafeMutableRawPointer(database))
        unsafe readOptions = leveldb_readoptions_create()
        unsafe writeOptions = leveldb_writeoptions_create()
        unsafe batch = leveldb_writebatch_create()
        unsafe leveldb_writeoptions_set_sync(writeOptions, isSynced ? 1 : 0)
    }

    deinit {
        unsafe leveldb_readoptions_destroy(readOptions)
        unsafe leveldb_writeoptions_destroy(writeOptions)
        unsafe leveldb_writebatch_destroy(batch)
        unsafe shim_leveldb_reader_destroy(reader)
    }

    func put(_ value: RawSpan, forKey key: RawSpan) throws {
        var error: UnsafeMutablePointer<CChar>?
        unsafe leveldb_put(
            database, writeOptions, key.characters, key.byteCount, value.characters, value.byteCount, &error)
        try unsafe check(error, leveldb_free)
    }

    func putBatch(_ fill: ((RawSpan, RawSpan) throws -> Void) throws -> Void) throws {
        unsafe leveldb_writebatch_clear(batch)
        try fill { key, value in
            unsafe leveldb_writebatch_put(batch, key.characters, key.byteCount, value.characters, value.byteCount)
        }
        try writeBatch()
    }

    func deleteBatch(_ keys: [[UInt8]]) throws {
        unsafe leveldb_writebatch_clear(batch)
        for key in keys {
            unsafe leveldb_writebatch_delete(batch, key.span.bytes.characters, key.count)
        }
        try writeBatch()
    }

    private func writeBatch() throws {
        var error: UnsafeMutablePointer<CChar>?
        unsafe leveldb_write(database, writeOptions, batch, &error)
        try unsafe check(error, leveldb_free)
    }

    func get(_ key: RawSpan, _ body: (RawSpan) -> Void) throws -> Bool {
        var value: UnsafePointer<CChar>?
        var count = 0
        let result = unsafe shim_leveldb_get(reader, key.characters, key.byteCount, &value, &count)
        return try unsafe lend(result, UnsafeRawBufferPointer(start: value, count: count), to: body)
    }

    /// Reads one by one: LevelDB has no other way.
    func multiget(_ keys: KeyGroup, _ body: (Int, RawSpan) -> Void) throws {
        for index in 0..<keys.count { _ = try get(keys[index]) { body(index, $0) } }
    }

    func delete(_ key: RawSpan) throws {
        var error: UnsafeMutablePointer<CChar>?
        unsafe leveldb_delete(database, writeOptions, key.characters, key.byteCount, &error)
        try unsafe check(error, leveldb_free)
    }

    func scan(
        from key: RawSpan, _ direction: ScanDirection, _ body: (RawSpan, RawSpan) throws -> Bool
    ) throws {
        let iterator = unsafe leveldb_create_iterator(database, readOptions)
        defer { unsafe leveldb_iter_destroy(iterator) }
        if direction == .reversed {
            unsafe leveldb_iter_seek_to_last(iterator)
        } else if key.byteCount == 0 {
            unsafe leveldb_iter_seek_to_first(iterator)
        } else {
            unsafe leveldb_iter_seek(iterator, key.characters, key.byteCount)
        }
        while unsafe leveldb_iter_valid(iterator) != 0 {
            var (keyCount, valueCount) = (0, 0)
            let key = unsafe UnsafeRawBufferPointer(start: leveldb_iter_key(iterator, &keyCount), count: keyCount)
            let value = unsafe UnsafeRawBufferPointer(
                start: leveldb_iter_value(iterator, &valueCount), count: valueCount)
            guard try unsafe body(key.bytes, value.bytes) else { return }
            if direction == .forward {
                unsafe leveldb_iter_next(iterator)
            } else {
                unsafe leveldb_iter_prev(iterator)
            }
        }
        var error: UnsafeMutablePointer<CChar>?
        unsafe leveldb_iter_get_error(iterator, &error)
        try unsafe check(error, leveldb_free)
    }
}
