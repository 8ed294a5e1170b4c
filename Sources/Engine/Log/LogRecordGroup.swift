package import ShaleBase

/// Whole records of a log, in order, copied out of the reader, so that it can go on while somebody works on them.
///
/// A long record is not copied but lent: it ends its group, and the reader may not go on before the group is done with.
@safe
package final class LogRecordGroup: @unchecked Sendable {
    /// A group is full when it has come to this size: enough to make handing it over cheap, and it stays in the
    /// processor's cache until it is used.
    package static let byteCount = 256 << 10
    /// Longer records are lent.
    package static let copiedRecordMax = 64 << 10

    /// Before each record: offset, payload length, whether it is a single one.
    private static let prefixBytes = 16

    private var buffer = ByteBuffer(capacity: byteCount + copiedRecordMax + prefixBytes)
    private var lent: LogRecord?
    /// What ended reading behind these records; the reader repeats it.
    package private(set) var failure: StorageError?

    package init() {}

    package var isEmpty: Bool { buffer.count == 0 && lent == nil }

    /// Whether the reader waits for this group.
    var isLending: Bool { lent != nil }

    /// Takes the next records of `reader` in place of those that were here.
    package func fill(from reader: LogReader) {
        buffer.removeAll()
        lent = nil
        failure = nil
        do {
            while buffer.count < LogRecordGroup.byteCount, lent == nil {
                guard let record = try reader.next() else { return }
                if record.payload.count > LogRecordGroup.copiedRecordMax { lent = record } else { copy(record) }
            }
        } catch {
            failure = error
        }
    }

    private func copy(_ record: LogRecord) {
        let target = buffer.extend(LogRecordGroup.prefixBytes + record.payload.count)
        target.store(record.offset, at: 0)
        target.store(UInt32(record.payload.count), at: 8)
        target.store(UInt32(record.isSingle ? 1 : 0), at: 12)
        target.copy(record.payload, at: LogRecordGroup.prefixBytes)
    }

    /// The records, valid until the next ``fill(from:)``.
    package var records: Records { Records(bytes: buffer.bytes, lent: lent) }

    package struct Records {
        private let bytes: Bytes
        private var lent: LogRecord?
        private var index = 0

        fileprivate init(bytes: Bytes, lent: LogRecord?) {
            self.bytes = bytes
            self.lent = lent
        }

        @inline(__always)
        package mutating func next() -> LogRecord? {
            guard index < bytes.count else {
                defer { lent = nil }
                return lent
            }
            let start = index &+ LogRecordGroup.prefixBytes
            let count = Int(bytes.u32(at: index &+ 8))
            defer { index = start &+ count }
            return LogRecord(
                offset: bytes.u64(at: index), payload: bytes.slice(start, count),
                isSingle: bytes.u32(at: index &+ 12) != 0)
        }
    }
}
