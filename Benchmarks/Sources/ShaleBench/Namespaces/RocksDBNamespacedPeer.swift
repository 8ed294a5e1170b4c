import SystemRocksDB

/// The column families of one RocksDB.
@safe
final class RocksDBNamespacedPeer: NamespacedPeer {
    private let peer: RocksDBPeer
    private let options: RocksDBOptions
    private let writeOptions: OpaquePointer
    private var families: [OpaquePointer] = unsafe []

    init(path: String, settings: PeerSettings) {
        peer = RocksDBPeer(path: path, settings: settings)
        options = RocksDBOptions(settings)
        unsafe writeOptions = rocksdb_writeoptions_create()
    }

    deinit { unsafe rocksdb_writeoptions_destroy(writeOptions) }

    var isBusy: Bool { peer.isBusy }

    func open() throws { try peer.open() }

    func close() throws {
        for index in unsafe families.indices { unsafe rocksdb_column_family_handle_destroy(families[index]) }
        unsafe families = []
        try peer.close()
    }

    func flush() throws {
        let flushOptions = unsafe rocksdb_flushoptions_create()
        defer { unsafe rocksdb_flushoptions_destroy(flushOptions) }
        var error: UnsafeMutablePointer<CChar>?
        for index in unsafe families.indices {
            unsafe rocksdb_flush_cf(peer.database, flushOptions, families[index], &error)
            try unsafe check(error, rocksdb_free)
        }
    }

    func create(_ count: Int) throws {
        var error: UnsafeMutablePointer<CChar>?
        for index in 0..<count {
            let family = unsafe rocksdb_create_column_family(
                peer.database, options.options, "namespace \(index)", &error)
            try unsafe check(error, rocksdb_free)
            if let family = unsafe family { unsafe families.append(family) }
        }
    }

    func put(_ value: RawSpan, forKey key: RawSpan, in namespace: Int) throws {
        var error: UnsafeMutablePointer<CChar>?
        unsafe rocksdb_put_cf(
            peer.database, writeOptions, families[namespace], key.characters, key.byteCount, value.characters,
            value.byteCount, &error)
        try unsafe check(error, rocksdb_free)
    }

    func get(_ key: RawSpan, in namespace: Int, _ body: (RawSpan) -> Void) throws -> Bool {
        var error: UnsafeMutablePointer<CChar>?
        let slice = unsafe rocksdb_get_pinned_cf(
            peer.database, options.readOptions, families[namespace], key.characters, key.byteCount, &error)
        try unsafe check(error, rocksdb_free)
        guard let slice = unsafe slice else { return false }
        var count = 0
        let bytes = unsafe rocksdb_pinnableslice_value(slice, &count)
        unsafe body(UnsafeRawBufferPointer(start: bytes, count: count).bytes)
        unsafe rocksdb_pinnableslice_destroy(slice)
        return true
    }
}
