import SystemRocksDB

/// RocksDB through its C interface, with a separate column family, which it can drop in constant time.
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
