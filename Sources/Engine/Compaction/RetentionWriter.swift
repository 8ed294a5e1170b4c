package import ShaleBase

/// Feeds entries in order through retention into an output. Only here do flush and compaction decide which entries
/// stay.
package struct RetentionWriter: ~Copyable {
    package private(set) var retention: Retention
    package var output: OutputWriter
    /// A copy of the current key, because the memory of its entry may be reused before the next comparison.
    private let key = OwnedBytes(count: FormatLimits.keyBytes + EncodedKey.namespaceWidth)
    private var keyCount = -1

    package init(_ retention: Retention, _ output: consuming OutputWriter) {
        self.retention = retention
        self.output = output
    }

    /// True if `entry` is another version of the last key.
    @inline(__always)
    package func continuesKey(_ entry: borrowing Entry) -> Bool {
        let current = entry.key
        return current.count == keyCount && key.bytes.slice(0, keyCount) == current
    }

    /// Forgets the current key, after blocks were copied past it.
    package mutating func endKey() { keyCount = -1 }

    /// Adds an entry. `older` are the segments outside the job that may hold older versions.
    @inline(__always)
    package mutating func add(_ entry: borrowing Entry, older: OlderSegments) throws(StorageError) {
        let current = entry.key
        if !continuesKey(entry) {
            key.mutable.copy(current, at: 0)
            keyCount = current.count
            retention.beginKey(EncodedKey.namespace(of: current))
        }
        switch retention.judge(entry.trailer, expiry: entry.expiry, isBottom: { !older.mayHold(current) }) {
        case .keep(let trailer): try output.add(current, trailer, entry.expiry, entry.value)
        case .tombstone(let trailer): try output.add(current, trailer, 0, .empty)
        case .drop: break
        }
    }
}
