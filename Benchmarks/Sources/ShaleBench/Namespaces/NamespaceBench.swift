import Formatting

/// Entries spread over many keyspaces: three rows, in which `entries` is the number of keyspaces.
final class NamespaceBench: Bench {
    private let peer: any NamespacedPeer
    private let values: ValuePool

    init(_ assignment: Assignment, _ peer: any NamespacedPeer, report: @escaping (ResultRow) throws -> Void) {
        self.peer = peer
        values = ValuePool(valueBytes: assignment.settings.valueBytes, seed: assignment.seed)
        super.init(assignment, peer, report: report)
    }

    private var count: Int { assignment.entries }
    private var operations: Int { assignment.operationsMax }

    func run() throws {
        try remove()
        try open()
        try create()
        try put()
        try get()
        try close()
    }

    private func create() throws {
        var (row, start) = try measureStep(.namespaces) { try peer.create(count) }
        try settle(&row, since: start, userBytes: 0, liveBytes: 0)
        row.workload = "namespacescreate"
        row.note = "all of them"
        try emit(row)
    }

    private func put() throws {
        let (values, bytes) = (values, operations * assignment.settings.entryBytes)
        var row = try measure("namespacesput") { key, operation, recorder in
            try peer.put(values.value(operation, 0), forKey: key, in: operation % count)
            recorder.finish()
        }
        try settle(&row.row, since: row.start, userBytes: bytes, liveBytes: bytes)
        try emit(row.row)
    }

    private func get() throws {
        let seed = assignment.seed
        let row = try measure("namespacesget") { _, position, recorder in
            let operation = pick(seed &+ UInt64(position), below: operations)
            var key = KeyBuffer(byteCount: assignment.settings.keyBytes)
            key.set(operation)
            var isRight = true
            let isThere = try peer.get(key.span, in: operation % count) { value in
                recorder.touch(value)
                if position & 15 == 0 { isRight = values.matches(value, operation, 0...0) }
            }
            guard isThere, isRight else { throw BenchError.wrong("key \(operation)") }
            recorder.finish()
        }
        try emit(row.row)
    }

    private func measure(
        _ name: String, _ body: (RawSpan, Int, inout LatencyRecorder) throws -> Void
    ) throws -> (row: ResultRow, start: Start) {
        Resources.resetPeak()
        let start = Start()
        let began = Clock.now
        var key = KeyBuffer(byteCount: assignment.settings.keyBytes)
        var recorder = LatencyRecorder(began: began)
        for operation in 0..<operations {
            key.set(operation)
            try body(key.span, operation, &recorder)
        }
        var row = row(.namespaces, operations: operations, seconds: Clock.seconds(since: began))
        row.workload = name
        row.latency = ResultLatency([recorder])
        row.cpuSeconds = Resources.cpuSeconds - start.cpuSeconds
        row.peakResidentBytes = Resources.peakResidentBytes
        row.note = "\(Format.grouped(Double(operations))) entries in \(Format.grouped(Double(count))) namespaces"
        return (row, start)
    }
}

/// A store of bytes with many separate keyspaces, used by one thread.
protocol NamespacedPeer: PeerStore {
    /// Creates the keyspaces 0 ..< count in an open store without keyspaces.
    func create(_ count: Int) throws

    func put(_ value: RawSpan, forKey key: RawSpan, in namespace: Int) throws

    /// Calls `body` with the borrowed value of `key`; returns false if the key is missing.
    func get(_ key: RawSpan, in namespace: Int, _ body: (RawSpan) -> Void) throws -> Bool
}

extension PeerName {
    /// Returns the store for the workload on keyspaces; `nil` if the peer has no keyspaces, or not so many.
    func namespacedPeer(at path: String, _ settings: PeerSettings, count: Int) -> (any NamespacedPeer)? {
        switch self {
        case .shale: ShaleNamespacedPeer(path: path, settings: settings)
        case .rocksdb where settings.variant == .prefixes: RocksDBPrefixedPeer(path: path, settings: settings)
        // A column family has a write buffer and files of its own: ten thousand of them take minutes.
        case .rocksdb: count <= 1000 ? RocksDBNamespacedPeer(path: path, settings: settings) : nil
        case .lmdb: LMDBNamespacedPeer(path: path, count: count)
        case .leveldb, .sqlite, .grdb, .userdefaults, .files: nil
        }
    }
}
