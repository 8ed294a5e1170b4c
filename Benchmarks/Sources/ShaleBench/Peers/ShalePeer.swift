import ShaleEngine

/// Shale's engine: bytes in one namespace.
final class ShalePeer: Peer, @unchecked Sendable {
    static let summary =
        "memtables 3 x 64 MiB and block cache, indexes and filters 512 MiB in one budget, filters 8 to 16 bits by "
        + "level, LZ4 above and zstd 1 in the last level (variant uncompressed: none), no dictionaries, blocks 16 KiB, "
        + "split where that costs little (variants: all split; read by pread alone; values from 1 KiB on in value "
        + "files), half the cores compact; unlike the peers, unsynced commits are synced in the background every "
        + "second, and every block's checksum is verified (defaults all but dictionaries and sizes of memory)"

    private let path: String
    private let options: Engine.Options
    private var opened: (engine: Engine, namespace: NamespaceID)?

    init(path: String, settings: PeerSettings) {
        self.path = path
        options = ShalePeer.options(settings)
    }

    static func options(_ settings: PeerSettings) -> Engine.Options {
        var options = Engine.Options()
        options.memtableBytes = settings.writeBufferBytes
        // The budget covers everything: the maximum of all memtables is added to the cache.
        options.memoryBudget =
            settings.memoryBudget
            ?? settings.cacheBytes + (1 + options.immutableMemtables) * options.memtableBytes
        options.trainsDictionaries = false
        if settings.variant == .splitBlocks { options.splitsBlocks = .always }
        options.mapsSegments = settings.variant != .unmapped
        options.largeValueBytes = settings.largeValueBytes ?? 0
        if !settings.isCompressed { (options.upperCompression, options.lastCompression) = (.none, .none) }
        return options
    }

    var memoryBudgetBytes: Int? { options.memoryBudget }

    /// The open engine and its namespace.
    var target: (engine: Engine, namespace: NamespaceID) {
        get throws {
            guard let opened else { throw BenchError("shale is closed") }
            return opened
        }
    }

    func open() throws {
        let engine = try Engine.open(at: path, options: options)
        opened = (engine, try engine.createNamespace(named: Array("bench".utf8)))
    }

    func close() throws {
        try opened?.engine.close()
        opened = nil
    }

    func session(isSynced: Bool) throws -> any PeerSession {
        let (engine, namespace) = try target
        return ShaleSession(engine, namespace, isSynced ? .synced : .buffered)
    }

    func flush() throws { try target.engine.flush() }

    var writeBufferBytesUsed: Int? { opened?.engine.statistics.memtableBytes }

    var isBusy: Bool { (opened?.engine.statistics.immutableMemtables ?? 0) > 0 }

    func compact() throws -> Bool {
        try target.engine.compact()
        return true
    }

    func erase() throws {
        let (engine, namespace) = try target
        try engine.truncate([namespace])
    }
}

final class ShaleSession: PeerSession {
    private let engine: Engine
    private let namespace: NamespaceID
    private let durability: Durability

    init(_ engine: Engine, _ namespace: NamespaceID, _ durability: Durability) {
        self.engine = engine
        self.namespace = namespace
        self.durability = durability
    }

    func put(_ value: RawSpan, forKey key: RawSpan) throws {
        try engine.put(value, forKey: key, in: namespace, durability: durability)
    }

    func putBatch(_ fill: ((RawSpan, RawSpan) throws -> Void) throws -> Void) throws {
        var batch = WriteBatch()
        try fill { key, value in try batch.put(value, forKey: key, in: namespace) }
        try engine.write(batch, durability: durability)
    }

    func get(_ key: RawSpan, _ body: (RawSpan) -> Void) throws -> Bool {
        try engine.withValue(forKey: key, in: namespace) { value in body(value) } != nil
    }

    func multiget(_ keys: KeyGroup, _ body: (Int, RawSpan) -> Void) throws {
        let keys = (0..<keys.count).map { index in unsafe keys[index].withUnsafeBytes { unsafe [UInt8]($0) } }
        for (index, value) in try engine.values(forKeys: keys, in: namespace).enumerated() {
            if let value { body(index, unsafe value.span.bytes) }
        }
    }

    func delete(_ key: RawSpan) throws { try engine.delete(key, in: namespace, durability: durability) }

    func scan(
        from key: RawSpan, _ direction: ScanDirection, _ body: (RawSpan, RawSpan) throws -> Bool
    ) throws {
        let order: ScanOrder = direction == .reversed ? .reversed : .forward
        var cursor = try engine.cursor(in: namespace, order: order)
        if key.byteCount > 0 { try cursor.seek(to: key) }
        while try cursor.next() {
            guard try body(cursor.key, cursor.value) else { return }
        }
    }
}
