import SystemRocksDB

/// The column families of one RocksDB.
@safe
final class RocksDBNamespacedPeer: NamespacedPeer {
    private let peer: RocksDBPeer
    private let options: RocksDBOptions
    private let writeOptions: OpaquePointer
    private var families: [OpaquePointer] = unsafe []
    private var reader = Opened<RocksDBReader>(by: "rocksdb")

    init(path: String, settings: PeerSettings) {
        peer = RocksDBPeer(path: path, settings: settings)
        options = RocksDBOptions(settings)
        unsafe writeOptions = rocksdb_writeoptions_create()
    }

    deinit { unsafe rocksdb_writeoptions_destroy(writeOptions) }

    var isBusy: Bool { peer.isBusy }

    func open() throws {
        try peer.open()
        if let database = unsafe peer.database { reader.open(unsafe RocksDBReader(database)) }
    }

    func close() throws {
        reader.close()
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
        try unsafe reader.content.get(key, families[namespace], body)
    }
}

/// Prefixes of keys in one column family of RocksDB.
final class RocksDBPrefixedPeer: NamespacedPeer {
    private static let prefixBytes = 4

    private let peer: RocksDBPeer
    private var session = Opened<any PeerSession>(by: "rocksdb")
    /// The prefix and the key of the current call.
    private var prefixed: [UInt8] = []

    init(path: String, settings: PeerSettings) { peer = RocksDBPeer(path: path, settings: settings) }

    var isBusy: Bool { peer.isBusy }

    func open() throws {
        try peer.open()
        session.open(try peer.session(isSynced: false))
    }

    func close() throws {
        session.close()
        try peer.close()
    }

    func flush() throws { try peer.flush() }

    /// A prefix needs no creation.
    func create(_ count: Int) throws {}

    func put(_ value: RawSpan, forKey key: RawSpan, in namespace: Int) throws {
        setKey(key, in: namespace)
        let session = try session.content
        try unsafe prefixed.withUnsafeBytes { key in try unsafe session.put(value, forKey: key.bytes) }
    }

    func get(_ key: RawSpan, in namespace: Int, _ body: (RawSpan) -> Void) throws -> Bool {
        setKey(key, in: namespace)
        let session = try session.content
        return try unsafe prefixed.withUnsafeBytes { key in try unsafe session.get(key.bytes, body) }
    }

    private func setKey(_ key: RawSpan, in namespace: Int) {
        if prefixed.count != RocksDBPrefixedPeer.prefixBytes + key.byteCount {
            prefixed = [UInt8](repeating: 0, count: RocksDBPrefixedPeer.prefixBytes + key.byteCount)
        }
        unsafe prefixed.withUnsafeMutableBytes { bytes in
            unsafe bytes.storeBytes(of: UInt32(truncatingIfNeeded: namespace).bigEndian, as: UInt32.self)
            unsafe key.withUnsafeBytes { key in
                unsafe UnsafeMutableRawBufferPointer(rebasing: bytes[RocksDBPrefixedPeer.prefixBytes...])
                    .copyMemory(from: key)
            }
        }
    }
}
