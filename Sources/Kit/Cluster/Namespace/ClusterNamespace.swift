import ShaleBase
import ShalePlatform

/// A namespace on a cluster. Many clients in many processes may read and write it at once. Safe from any task.
///
/// Each shard is one object of the cluster, and each function that concerns one partition is one operation on an
/// object: atomic, and in one order with all others. ShaleCluster.docc, "Layout on RADOS".
public final class ClusterNamespace: Sendable {
    public let name: String
    let record: NamespaceRecord
    let core: ClusterCore
    /// The keys of encrypted values that this client has seen: ``keyring``.
    let keys: Locked<NamespaceKeyring?>
    /// The writes that wait for their shards.
    let shardWrites = ShardWrites()
    /// The beginning of the names of shards.
    private let shardPrefix: String
    /// The shards that this client has used; `nil` for others.
    private let shards: Locked<[KnownShard?]>

    /// A shard as this client knows it.
    final class KnownShard: Sendable {
        let object: ObjectName
        /// The newest header that was seen, and its bytes; `nil` before the first one.
        let header: ShardHeader?
        let bytes: [UInt8]
        /// The reads of its entries, which are sent together.
        let reads: SharedReads

        fileprivate init(_ object: ObjectName, _ header: ShardHeader?, _ reads: SharedReads) {
            self.object = object
            self.reads = reads
            self.header = header
            bytes = header?.bytes ?? []
        }
    }

    init(_ name: String, _ record: NamespaceRecord, _ core: ClusterCore, _ keyring: NamespaceKeyring?) {
        keys = Locked(keyring)
        self.name = name
        self.record = record
        self.core = core
        shardPrefix = "s.\(Hexadecimal.text(record.id))."
        shards = Locked([KnownShard?](repeating: nil, count: record.shards))
    }

    /// The shape that the namespace was made with.
    public var layout: ClusterLayout { record.layout }

    /// Returns the object of a shard.
    func object(_ shard: Int) -> ObjectName { known(shard).object }

    /// Returns what this client knows of a shard.
    func known(_ shard: Int) -> KnownShard {
        shards.withLock { (shards) in
            if let known = shards[shard] { return known }
            let made = KnownShard(
                ObjectName(namespace: name, name: shardPrefix + String(shard)), nil, SharedReads())
            shards[shard] = made
            return made
        }
    }

    func shard(of key: [UInt8]) -> Int { record.partitioning.shard(of: key, count: record.shards) }

    static func checkKey(_ key: [UInt8]) throws(StorageError) {
        guard key.count <= FormatLimits.keyBytes else {
            throw .invalid("a key is too long bytes=\(key.count) of \(FormatLimits.keyBytes)")
        }
    }

    // MARK: Headers

    /// Returns the header of a shard that this client has seen, or reads it.
    nonisolated(nonsending) func header(_ shard: Int) async throws(StorageError) -> ShardHeader {
        if let known = known(shard).header { return known }
        return try await currentHeader(shard)
    }

    /// Reads the header of a shard.
    nonisolated(nonsending) func currentHeader(_ shard: Int) async throws(StorageError) -> ShardHeader {
        try await present.readWithHeader(shard, ObjectQuery()).header
    }

    /// Keeps a header, unless a newer one is known.
    func keep(_ header: ShardHeader, of shard: Int) {
        let used = known(shard)
        shards.withLock { shards in
            if let known = shards[shard]?.header, known.generation >= header.generation { return }
            shards[shard] = KnownShard(used.object, header, used.reads)
        }
    }

    /// Returns the header of a shard with these bytes. Throws if they are damaged, or those of another shard.
    func header(_ shard: Int, _ bytes: [UInt8]) throws(StorageError) -> ShardHeader {
        let header = try ShardHeader(bytes)
        guard header.namespace == record.id, header.index == UInt32(shard) else {
            throw .corruption("a shard has the header of another one index=\(shard)")
        }
        return header
    }

    // MARK: Operations

    /// Changes a shard with steps that depend on its header, in one operation that fails if the header has changed
    /// meanwhile, and is then repeated.
    ///
    /// - Returns: False if another comparison failed, or there are no steps for the header; nothing was written.
    nonisolated(nonsending) func change(
        _ shard: Int, isTriedWithoutSpace: Bool? = nil,
        _ steps: (ShardHeader) throws(StorageError) -> [ObjectChange.Step]?
    ) async throws(StorageError) -> Bool {
        var header = try await header(shard)
        while true {
            guard let made = try steps(header) else { return false }
            if try await change(shard, under: header, isTriedWithoutSpace: isTriedWithoutSpace, made) { return true }
            // Generations only grow, so a header that is the same now has been the same at the comparison.
            let current = try await currentHeader(shard)
            guard current != header else { return false }
            header = current
        }
    }

    /// Changes a shard in one operation, if it still has a header. Returns false if a comparison failed.
    nonisolated(nonsending) func change(
        _ shard: Int, under header: ShardHeader, snapshot: UInt64? = nil, isTriedWithoutSpace: Bool? = nil,
        _ steps: [ObjectChange.Step]
    ) async throws(StorageError) -> Bool {
        let change = ObjectChange(
            [.requireObject, .requireAttribute(header.bytes)] + steps, snapshot: snapshot,
            isTriedWithoutSpace: isTriedWithoutSpace)
        do throws(PoolFailure) {
            try await core.write(object(shard), change)
            return true
        } catch {
            if error.kind == .timedOut, !change.isTriedWithoutSpace {
                return try await outcomeWithoutSpace(shard, steps, error)
            }
            guard error.kind == .differs else { throw error.writeError }
            return false
        }
    }

    /// Returns true if a change without an answer has happened, although the cluster has no space.
    ///
    /// - Throws: `.noSpace` if it did not happen for lack of space: behind a fence it can't happen any more.
    ///   `.indeterminate` if the cluster has space, or does not tell.
    private nonisolated(nonsending) func outcomeWithoutSpace(
        _ shard: Int, _ steps: [ObjectChange.Step], _ failure: PoolFailure
    ) async throws(StorageError) -> Bool {
        let entries = steps.reduce(into: [ObjectEntry]()) { if case .setEntries(let entries) = $1 { $0 += entries } }
        var found: [ObjectEntry] = []
        do throws(StorageError) {
            guard try await core.health().isFull else { throw failure.writeError }
            try await changeHeader(shard) { $0.advanced() }
            for start in stride(from: 0, to: entries.count, by: ClusterLimits.namesInRead) {
                var query = ObjectQuery()
                query.names = entries[start..<min(start + ClusterLimits.namesInRead, entries.count)].map(\.name)
                found += try await present.read(shard, query).contents.found
            }
        } catch {
            throw failure.writeError
        }
        let values = Dictionary(found.map { ($0.name, $0.value) }) { one, _ in one }
        if entries.allSatisfy({ values[$0.name] == $0.value }) { return true }
        throw PoolFailure(.full).writeError
    }

    /// Removes a shard with the objects of its values, if it exists. No write of another client happens from here on.
    nonisolated(nonsending) func dropShard(_ shard: Int) async throws(StorageError) {
        do throws(PoolFailure) {
            try await core.write(object(shard), ObjectChange([.requireObject] + ShardHeader.droppedSteps))
        } catch {
            guard error.kind == .missing else { throw error.writeError }
            return
        }
        _ = try await removeObjects(of: shard, isDropped: true)
        do throws(PoolFailure) {
            try await core.write(object(shard), ObjectChange([.requireObject, .removeObject]))
        } catch {
            guard error.kind == .missing else { throw error.writeError }
        }
    }
}

extension ClusterNamespace: AsyncNamespace {
    /// A cluster has no batches over partitions, and its scans and purges have a moment for each page and shard. Values
    /// may be encrypted if the namespace was made, and the cluster opened, with encryption.
    public var capabilities: NamespaceCapabilities { keyring == nil ? [] : .encryption }

    public var codableFormat: CodableFormat { core.options.codableFormat }
}
