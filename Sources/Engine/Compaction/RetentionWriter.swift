package import ShaleBase

/// Feeds entries in order through retention into an output: the one place where flush and compaction decide what stays.
package struct RetentionWriter: ~Copyable {
    package private(set) var retention: Retention
    package var output: OutputWriter
    /// The current key, copied: the entry that it came from may be gone when the next one is compared with it.
    private let key = OwnedBytes(count: FormatLimits.keyBytes + EncodedKey.namespaceWidth)
    private var keyCount = -1

    package init(_ retention: Retention, _ output: consuming OutputWriter) {
        self.retention = retention
        self.output = output
    }

    /// Whether `entry` is another version of the key that came last.
    @inline(__always)
    package func continuesKey(_ entry: borrowing Entry) -> Bool {
        let current = entry.key
        return current.count == keyCount && key.bytes.slice(0, keyCount) == current
    }

    /// Forgets the current key, after blocks were copied past it.
    package mutating func endKey() { keyCount = -1 }

    /// `older` are the segments outside the job that may hold older versions.
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
