import ShaleBase
import ShaleManifest
import ShaleMemtable
import ShalePlatform
import ShaleSegment

extension EngineCore {
    /// Finds the entries of several user keys at one moment and passes them to `body`, in the order of `keys`.
    ///
    /// One pin and one set of watermarks serve all keys. The moment must be a registered snapshot, because older
    /// watermarks that it needs would otherwise be forgotten.
    func findAll(
        _ keys: [[UInt8]], in namespace: NamespaceID, at snapshot: Engine.Snapshot?,
        _ body: (_ index: Int, _ found: FoundEntry?) throws(StorageError) -> Void
    ) throws(StorageError) {
        for key in keys { try checkLength(key.count) }
        try withMoment(namespace, snapshot) { (lookups) throws(StorageError) in
            for index in keys.indices {
                // Encoded again for each key, because `body` may search too and uses the same scratch.
                let encoded = unsafe keys[index].withUnsafeBytes { lookups.encoded(unsafe Bytes($0)) }
                try find(encoded, lookups) { (found) throws(StorageError) in try body(index, found) }
            }
        }
    }

    /// Does the same for keys in one piece of memory. They are looked up in groups, whose cache misses in memtables
    /// overlap.
    func findAll(
        _ keys: KeyList, in namespace: NamespaceID, at snapshot: Engine.Snapshot?,
        _ body: (_ index: Int, _ found: FoundEntry?) throws(StorageError) -> Void
    ) throws(StorageError) {
        for index in 0..<keys.count { try checkLength(keys.range(index).count) }
        try withMoment(namespace, snapshot) { (lookups) throws(StorageError) in
            try keys.withBytes { (bytes) throws(StorageError) in
                for index in 0..<keys.count {
                    if index % Memtable.lookAheadMax == 0 {
                        lookAhead(index..<min(keys.count, index &+ Memtable.lookAheadMax), keys, bytes, lookups)
                    }
                    let range = keys.range(index)
                    let encoded = lookups.encoded(bytes.slice(range.lowerBound, range.count))
                    try find(encoded, lookups) { (found) throws(StorageError) in try body(index, found) }
                }
            }
        }
    }

    /// Loads what the lookups of some keys will read in memtables, for all of them in parallel. Decides nothing.
    ///
    /// The same for segments costs more than it saves: most of a lookup's cache misses are inside its block, and depend
    /// on each other.
    private func lookAhead(_ group: Range<Int>, _ keys: KeyList, _ bytes: Bytes, _ lookups: Lookups) {
        guard group.count > 1 else { return }
        let view = lookups.view
        let (start, ends) = (keys.range(group.lowerBound).lowerBound, keys.ends[group])
        view.mutable.lookAhead(bytes, from: start, ends: ends, in: lookups.namespace)
        for memtable in view.immutables {
            memtable.lookAhead(bytes, from: start, ends: ends, in: lookups.namespace)
        }
    }

    private func checkLength(_ count: Int) throws(StorageError) {
        guard count <= FormatLimits.keyBytes else {
            throw .invalid("the key is \(count) bytes, over the limit of 16 KiB")
        }
    }

    /// The lookups of one call. Valid while the thread is pinned.
    private struct Lookups {
        let namespace: NamespaceID
        let view: View
        let readPoint: ReadPoint
        let truncatedThrough: SequenceNumber
        let purgedThrough: SequenceNumber
        let scratch: MutableBytes

        /// Returns the encoded form of a user key, valid until the next call.
        func encoded(_ key: Bytes) -> Bytes {
            scratch.store(namespace.rawValue.byteSwapped, at: 0)
            scratch.copy(key, at: EncodedKey.namespaceWidth)
            return scratch.bytes.slice(0, EncodedKey.namespaceWidth &+ key.count)
        }
    }

    /// Pins the thread and the moment, and passes what all lookups share to `body`.
    private func withMoment(
        _ namespace: NamespaceID, _ snapshot: Engine.Snapshot?, _ body: (Lookups) throws(StorageError) -> Void
    ) throws(StorageError) {
        // Before a view is taken, because that of an unfilled state lacks memtables.
        if !gate.isOpen { try passGate() }
        let moment = snapshot ?? Engine.Snapshot(self)
        let readPoint = moment.readPoint
        defer { withExtendedLifetime(moment) {} }
        let slot = domain.pin()
        defer { domain.unpin(slot) }
        try viewCell.withPinned { (view) throws(StorageError) in
            let marks = erasures.watermarks(of: namespace, at: readPoint.sequence)
            // After taking the view, so that the view contains everything of a live namespace.
            try checkReadable(namespace)
            try body(
                Lookups(
                    namespace: namespace, view: view, readPoint: readPoint, truncatedThrough: marks.truncatedThrough,
                    purgedThrough: marks.purgedThrough, scratch: slot.keyScratch))
        }
    }

    /// Passes the entry of an encoded key, with its value, to `body`; `nil` if the moment sees none.
    private func find(
        _ encoded: Bytes, _ lookups: Lookups, _ body: (FoundEntry?) throws(StorageError) -> Void
    ) throws(StorageError) {
        let readPoint = lookups.readPoint
        guard let found = try lookups.view.find(encoded, through: readPoint.sequence, fillCache: true),
            Visibility.isPresent(
                found.trailer, expiry: found.expiry, truncatedThrough: lookups.truncatedThrough,
                purgedThrough: lookups.purgedThrough, wallMilliseconds: readPoint.wallMilliseconds)
        else { return try body(nil) }
        guard found.trailer.kind.isReference else { return try body(found) }
        let value = try largeValue(found.value, fillCache: true)
        defer { withExtendedLifetime(value) {} }
        try body(found.replacingReference(by: value.bytes))
    }
}
