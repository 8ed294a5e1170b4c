public import ShaleBase

/// Copies namespaces between a store and a cluster, and compares the two sides.
///
/// ```swift
/// let snapshot = try store.snapshot()
/// let local = EmbeddedNamespace(store.common["carts"], in: store)
/// try await NamespaceCopy().copy(local.entries(at: snapshot), to: carts)
/// let difference = try await NamespaceCopy.compare(local.entries(at: snapshot), with: carts.entries)
/// print(difference.isEqual)
/// ```
/// A copy keeps keys, values with their encodings, expiry, purgeability, and whether a value is encrypted. It writes
/// what differs only, so a copy that was interrupted is continued by calling it again: what was copied is read and
/// compared, and not written. Entries of the target that the source does not have stay.
public struct NamespaceCopy: Sendable {
    /// The result of a copy.
    public struct Report: Sendable, Hashable {
        /// The number of entries that were read from the source.
        public internal(set) var entries = 0
        /// The number of entries that were written, because the target had none or another one.
        public internal(set) var written = 0
        /// The bytes of the keys and values that were read.
        public internal(set) var bytes = 0
    }

    /// The largest number of bytes and of entries that are in memory at once, unless one entry is larger.
    private static let bytesInChunk = 8 << 20
    private static let entriesInChunk = 512
    private static let changesInBatch = 256

    /// Called after each part of the copy, at least every 512 entries.
    public var progress: @Sendable (Report) -> Void

    public init(progress: @escaping @Sendable (Report) -> Void = { (_) in }) { self.progress = progress }

    /// Copies entries to a namespace. Writes of one partition are batches; several partitions are written at once.
    ///
    /// - Throws: The errors of both sides, with what was copied until then in the target. `.cipherMismatch` if a value
    ///   is encrypted and the target has no keys. `.cancelled`.
    @discardableResult
    public nonisolated(nonsending) func copy<Source: AsyncSequence>(
        _ entries: Source, to target: some AsyncNamespace
    ) async throws(StorageError) -> Report where Source.Element == AsyncEntry, Source.Failure == StorageError {
        var report = Report()
        var chunk: [CopiedEntry] = []
        var bytes = 0
        var iterator = entries.makeAsyncIterator()
        while true {
            let entry = try await iterator.next(isolation: nil)
            if let entry {
                chunk.append(try CopiedEntry(entry))
                bytes += chunk.last?.byteCount ?? 0
            }
            let isFull = chunk.count >= NamespaceCopy.entriesInChunk || bytes >= NamespaceCopy.bytesInChunk
            if isFull || entry == nil, !chunk.isEmpty {
                report.entries += chunk.count
                report.bytes += bytes
                report.written += try await write(chunk, to: target)
                progress(report)
                chunk = []
                bytes = 0
            }
            if entry == nil { return report }
        }
    }

    /// Writes the entries that the target lacks or has differently. Returns their number.
    private nonisolated(nonsending) func write(
        _ chunk: [CopiedEntry], to target: some AsyncNamespace
    ) async throws(StorageError) -> Int {
        let present = try await target.entries(forKeys: chunk.map(\.key))
        var differing: [CopiedEntry] = []
        for (entry, present) in zip(chunk, present) {
            guard let present, try CopiedEntry(present) == entry else {
                differing.append(entry)
                continue
            }
        }
        // In the order of keys, those of a partition are mostly neighbours.
        var batches: [NamespaceChanges] = []
        var last: [UInt8]?
        for entry in differing {
            let partition = target.partition(of: entry.key)
            let isFull = batches.last.map { $0.changes.count >= NamespaceCopy.changesInBatch } ?? true
            if isFull || partition != last { batches.append(NamespaceChanges(target.codableFormat)) }
            last = partition
            batches[batches.count - 1].add(entry.change)
        }
        let ready = batches
        try await concurrently(0..<ready.count, limit: 32) { (index) throws(StorageError) in
            try await target.write(ready[index])
        }
        return differing.count
    }

    /// Compares the entries of two sides: keys, values, encodings, expiry, purgeability, and whether they are
    /// encrypted.
    ///
    /// Both sides are read once, in order, in bounded memory.
    ///
    /// - Parameters:
    ///   - one: The entries of one side, in the order of keys.
    ///   - other: Those of the other side.
    ///   - progress: Called every 512 entries with what was compared until then.
    /// - Throws: The errors of both sides. `.cancelled`.
    public nonisolated(nonsending) static func compare<One: AsyncSequence, Other: AsyncSequence>(
        _ one: One, with other: Other, progress: @Sendable (NamespaceDifference) -> Void = { (_) in }
    ) async throws(StorageError) -> NamespaceDifference
    where
        One.Element == AsyncEntry, One.Failure == StorageError, Other.Element == AsyncEntry,
        Other.Failure == StorageError
    {
        var difference = NamespaceDifference()
        var (left, right) = (one.makeAsyncIterator(), other.makeAsyncIterator())
        var a = try await left.next(isolation: nil)
        var b = try await right.next(isolation: nil)
        while a != nil || b != nil {
            if (difference.firstCount + difference.secondCount) % NamespaceCopy.entriesInChunk == 0 {
                progress(difference)
            }
            if let first = a, b.map({ first.key < $0.key }) ?? true {
                difference.note(first.key, onlyIn: \.onlyInFirst)
                difference.addToFirst(try CopiedEntry(first))
                a = try await left.next(isolation: nil)
            } else if let second = b, a.map({ second.key < $0.key }) ?? true {
                difference.note(second.key, onlyIn: \.onlyInSecond)
                difference.addToSecond(try CopiedEntry(second))
                b = try await right.next(isolation: nil)
            } else if let first = a, let second = b {
                let (first, second) = (try CopiedEntry(first), try CopiedEntry(second))
                if first != second { difference.note(first.key, onlyIn: \.differing) }
                difference.addToFirst(first)
                difference.addToSecond(second)
                a = try await left.next(isolation: nil)
                b = try await right.next(isolation: nil)
            }
        }
        return difference
    }
}

/// An entry in the form in which both sides have it.
struct CopiedEntry: Equatable, Sendable {
    let key: EntryKey
    let codec: ValueCodec
    let payload: [UInt8]
    let options: ValueOptions

    init(_ entry: AsyncEntry) throws(StorageError) {
        key = entry.key
        (codec, payload) = try entry.payload()
        options = entry.info.options
    }

    var byteCount: Int { key.bytes.count + payload.count }

    var change: NamespaceChange { NamespaceChange(key: key, content: .set(codec: codec, payload: payload, options)) }

    /// The bytes of everything that a copy keeps, except the time of expiry.
    var digestBytes: [UInt8] {
        var bytes: [UInt8] = [codec.rawValue]
        bytes.append(littleEndian: UInt32(key.bytes.count))
        return bytes + key.bytes + payload
    }
}
