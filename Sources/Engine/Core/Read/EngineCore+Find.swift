import ShaleBase
import ShaleManifest
import ShaleMemtable
import ShalePlatform
import ShaleSegment
import Synchronization

extension EngineCore {
    /// Finds the value of a user key and passes it to `body`.
    @inline(__always)
    func findValue<R>(
        _ key: Bytes, in namespace: NamespaceID, at snapshot: Engine.Snapshot?,
        _ body: (Bytes) throws(StorageError) -> R
    ) throws(StorageError) -> R? {
        try findStored(key, in: namespace, at: snapshot, fillCache: true) { (found) throws(StorageError) in
            if found.trailer.kind.isReference {
                // Not with a closure: its context would be filled before every search.
                let value = try largeValue(found.value, fillCache: true)
                defer { withExtendedLifetime(value) {} }
                return try body(value.bytes)
            }
            return try body(found.value)
        }
    }

    /// Finds the entry of a user key and passes it to `body`, with its value.
    @inline(__always)
    func find<R>(
        _ key: Bytes, in namespace: NamespaceID, at snapshot: Engine.Snapshot?, fillCache: Bool,
        _ body: (FoundEntry) throws(StorageError) -> R
    ) throws(StorageError) -> R? {
        try findStored(key, in: namespace, at: snapshot, fillCache: fillCache) { (found) throws(StorageError) in
            if found.trailer.kind.isReference {
                let value = try largeValue(found.value, fillCache: fillCache)
                defer { withExtendedLifetime(value) {} }
                return try body(found.replacingReference(by: value.bytes))
            }
            return try body(found)
        }
    }

    /// Finds the entry of a user key and passes it to `body` as it is stored: with its value, or with a reference. All
    /// reads of single keys use this function.
    @inline(__always)
    func findStored<R>(
        _ key: Bytes, in namespace: NamespaceID, at snapshot: Engine.Snapshot?, fillCache: Bool,
        _ body: (FoundEntry) throws(StorageError) -> R
    ) throws(StorageError) -> R? {
        try checkReadable(key, namespace)
        let slot = domain.pin()
        defer { domain.unpin(slot) }
        // The scratch is free again after the search, because `body` may search too.
        let scratch = slot.keyScratch
        scratch.store(namespace.rawValue.byteSwapped, at: 0)
        scratch.copy(key, at: EncodedKey.namespaceWidth)
        let encoded = scratch.bytes.slice(0, EncodedKey.namespaceWidth &+ key.count)
        let found = try viewCell.withPinned { (view) throws(StorageError) in
            let sequence = snapshot?.sequence ?? committer.visible.load(ordering: .acquiring)
            return try view.find(encoded, through: sequence, fillCache: fillCache)
        }
        guard let found, isPresent(found, namespace, snapshot) else {
            // The namespace may have been dropped since the check, and compacted away. Then the search does not answer
            // for the key.
            try checkReadable(namespace)
            return nil
        }
        if PlantedBug.isActive(.releasePinEarly) {
            domain.unpin(slot)
            defer { _ = domain.pin() }
            return try body(found)
        }
        return try body(found)
    }

    @inline(__always)
    private func checkReadable(_ key: Bytes, _ namespace: NamespaceID) throws(StorageError) {
        guard key.count <= FormatLimits.keyBytes else {
            throw .invalid("the key is \(key.count) bytes, over the limit of 16 KiB")
        }
        try checkReadable(namespace)
    }

    @inline(__always)
    func checkReadable(_ namespace: NamespaceID) throws(StorageError) {
        if !gate.isOpen { try passGate() }
        guard erasures.isLive(namespace) else { throw Committer.droppedError(namespace) }
    }

    /// Throws `.closed` if the engine is closed. Otherwise the first read of a followed state inserts the state's
    /// batches here, and other reads wait for that.
    @inline(never)
    func passGate() throws(StorageError) {
        guard !gate.isClosed else { throw EngineCore.closedError }
        if PlantedBug.isActive(.readUnfilled) { return }
        try followed?.batches.fill { memtables in
            viewCell.update { $0.filled(with: memtables) }
            gate.admit()
        }
    }

    static var closedError: StorageError { StorageError(.closed, "the store was closed") }

    @inline(__always)
    private func isPresent(_ found: FoundEntry, _ namespace: NamespaceID, _ snapshot: Engine.Snapshot?) -> Bool {
        if let snapshot {
            guard erasures.isLive(namespace) else { return false }
            let marks = erasures.watermarks(of: namespace, at: snapshot.sequence)
            return Visibility.isPresent(
                found.trailer, expiry: found.expiry, truncatedThrough: marks.truncatedThrough,
                purgedThrough: marks.purgedThrough, wallMilliseconds: snapshot.readPoint.wallMilliseconds)
        }
        let now = found.trailer.kind.hasExpiry ? clock.now : 0
        return erasures.isPresent(namespace, found, wallMilliseconds: now)
    }
}

extension Engine {
    /// The number of keys in a ``KeyList`` whose lookups overlap.
    package static var lookAheadMax: Int { Memtable.lookAheadMax }
}
