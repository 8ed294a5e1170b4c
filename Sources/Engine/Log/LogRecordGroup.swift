package import ShaleBase

/// Whole records of a log, in order, copied out of the reader, so that the reader can continue while another thread
/// processes them.
///
/// A long record is not copied. It ends its group, and the reader must not continue before the group is processed.
@safe
package final class LogRecordGroup: @unchecked Sendable {
    /// The size at which a group is full. It is large enough to make the hand-over cheap, and small enough to stay in
    /// the processor's cache until it is used.
    package static let byteCount = 256 << 10
    /// The length above which a record is not copied.
    package static let copiedRecordMax = 64 << 10

    /// The size of the prefix of each record: offset, payload length, true if single.
    private static let prefixBytes = 16

    private var buffer = ByteBuffer(capacity: byteCount + copiedRecordMax + prefixBytes)
    private var uncopied: LogRecord?
    /// The error that ended reading after these records. The reader throws it again.
    package private(set) var failure: StorageError?

    package init() {}

    package var isEmpty: Bool { buffer.count == 0 && uncopied == nil }

    /// True if the reader must wait for this group.
    var holdsReader: Bool { uncopied != nil }

    /// Replaces the records of this group with the next ones of `reader`.
    package func fill(from reader: LogReader) {
        buffer.removeAll()
        uncopied = nil
        failure = nil
        do {
            while buffer.count < LogRecordGroup.byteCount, uncopied == nil {
                guard let record = try reader.next() else { return }
                if record.payload.count > LogRecordGroup.copiedRecordMax { uncopied = record } else { copy(record) }
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
    package var records: Records { Records(bytes: buffer.bytes, uncopied: uncopied) }

    package struct Records {
        private let bytes: Bytes
        private var uncopied: LogRecord?
        private var index = 0

        fileprivate init(bytes: Bytes, uncopied: LogRecord?) {
            self.bytes = bytes
            self.uncopied = uncopied
        }

        @inline(__always)
        package mutating func next() -> LogRecord? {
            guard index < bytes.count else {
                defer { uncopied = nil }
                return uncopied
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
