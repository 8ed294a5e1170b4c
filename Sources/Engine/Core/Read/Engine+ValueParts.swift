public import ShaleBase
import ShalePlatform
import ShaleValues

extension Engine {
    /// Passes a range of the value of `key` to `body`.
    ///
    /// Of a value in a value file (``Options/largeValueBytes``) only the chunks of 64 KiB that overlap the range are
    /// read and checked, so damage elsewhere in the value goes unnoticed. Any other value is read as a whole.
    ///
    /// - Parameters:
    ///   - key: The key of the value.
    ///   - range: The bytes of the value. A range that reaches beyond the value ends with the value.
    ///   - namespace: The namespace of the key.
    ///   - snapshot: The moment of the read; `nil` for the present.
    ///   - body: Gets the bytes. It runs while they are pinned: return soon, and don't keep the span.
    /// - Returns: The result of `body`; `nil` if the key does not exist.
    /// - Throws: `.invalidArgument` if the range begins below 0, and the errors of ``withValue(forKey:in:at:_:)``.
    /// - Complexity: O(log n + range). For a large value at most 128 KiB more than the range are read, and its chunk
    ///   table: 8 bytes for each chunk of the value.
    public func withValue<R>(
        forKey key: RawSpan, bytes range: Range<Int>, in namespace: NamespaceID, at snapshot: Engine.Snapshot? = nil,
        _ body: (RawSpan) throws(StorageError) -> R
    ) throws(StorageError) -> R? {
        guard range.lowerBound >= 0 else { throw .invalid("a range of bytes begins below 0") }
        return try withParts(forKey: key, in: namespace, at: snapshot) { (value) throws(StorageError) in
            try value.withBytes(range) { (bytes) throws(StorageError) in try body(bytes.span) }
        }
    }

    /// Returns a copy of a range of the value of `key`; `nil` if the key does not exist.
    ///
    /// - Parameters:
    ///   - key: The key of the value.
    ///   - range: The bytes of the value. A range that reaches beyond the value ends with the value.
    ///   - namespace: The namespace of the key.
    ///   - snapshot: The moment of the read; `nil` for the present.
    /// - Returns: The bytes; fewer than the range has if the value ends before.
    /// - Throws: The errors of ``withValue(forKey:bytes:in:at:_:)``.
    /// - Complexity: That of ``withValue(forKey:bytes:in:at:_:)``.
    public func value(
        forKey key: RawSpan, bytes range: Range<Int>, in namespace: NamespaceID, at snapshot: Engine.Snapshot? = nil
    ) throws(StorageError) -> [UInt8]? {
        try withValue(forKey: key, bytes: range, in: namespace, at: snapshot) { (bytes) in bytes.array() }
    }

    /// Passes the entry of `key` to `body`, which reads parts of its value.
    package func withParts<R>(
        forKey key: RawSpan, in namespace: NamespaceID, at snapshot: Engine.Snapshot? = nil,
        _ body: (PartialEntry) throws(StorageError) -> R
    ) throws(StorageError) -> R? {
        try unsafe key.withUnsafeBytes { (key) throws(StorageError) in
            try core.findStored(unsafe Bytes(key), in: namespace, at: snapshot, fillCache: true) {
                (found) throws(StorageError) in try body(try PartialEntry(found, core.valueSource))
            }
        }
    }
}

/// An entry whose value is read in parts. Valid during the call that receives it.
package struct PartialEntry {
    private let found: FoundEntry
    private let source: ValueSource
    /// `nil` if the value is in the entry.
    private let reference: ValueReference?

    init(_ found: FoundEntry, _ source: ValueSource) throws(StorageError) {
        self.found = found
        self.source = source
        reference = found.trailer.kind.isReference ? try ValueReference(stored: found.value) : nil
    }

    /// The properties of the entry.
    package var info: EntryInfo { EntryInfo(found, valueByteCount: byteCount) }

    /// The number of bytes of the whole value.
    package var byteCount: Int { reference?.count ?? found.value.count }

    /// True if the whole value is in memory already.
    package var isInMemory: Bool { reference == nil }

    /// Passes a range of the value to `body`. A range that reaches beyond the value ends with it.
    ///
    /// - Parameter range: Not below 0.
    package func withBytes<R>(
        _ range: Range<Int>, _ body: (Bytes) throws(StorageError) -> R
    ) throws(StorageError) -> R {
        let part = range.clamped(to: 0..<byteCount)
        guard let reference else { return try body(found.value.slice(part.lowerBound, part.count)) }
        let memory = OwnedBytes(count: part.count)
        defer { withExtendedLifetime(memory) {} }
        try source.read(part, of: reference, into: memory.mutable)
        return try body(memory.bytes)
    }

    /// Passes the entry with its whole value to `body`.
    package func withWhole<R>(_ body: (FoundEntry) throws(StorageError) -> R) throws(StorageError) -> R {
        guard reference != nil else { return try body(found) }
        return try withBytes(0..<byteCount) { (value) throws(StorageError) in
            try body(found.replacingReference(by: value))
        }
    }
}
