import ShaleBase

/// The knowledge that a client has of a record beside the record itself.
///
/// Stored form, on disk, do not change:
///
/// | field | size |
/// |---|---|
/// | form, 1 | 1 |
/// | flags: 1 deleted here, 2 not readable here | 1 |
/// | revision | 8 |
/// | generation | 4 |
/// | order of the pending change; 0 for none | 8 |
/// | its time, count, offset | 8, 4, 8 |
/// | flag, base | 1, 4 + n |
/// | flag, members that the record type does not have | 1, 4 + n |
struct RecordState: Sendable, Hashable {
    private static let form: UInt8 = 1

    /// The server's version that this client has applied or sent; 0 for none.
    var revision: Int64 = 0
    /// The resynchronisation that has seen the record.
    var generation: UInt32 = 0
    /// The order of the pending change; 0 if none is pending.
    var order: UInt64 = 0
    /// The stamp of the pending change, and the clock's offset at its time.
    var time: Int64 = 0
    var count: UInt32 = 0
    var offset: Int64 = 0
    /// True if the pending change is a deletion.
    var isDeleted = false
    /// True if the server has a version that does not decode here. The record is read-only then.
    var isUnreadable = false
    /// The document that the pending change was made on, if the rule needs it; `nil` for none.
    var base: [UInt8]?
    /// The members of the server's document that the record type does not have, as an object.
    var extra: [UInt8]?

    var isPending: Bool { order != 0 }

    init() {}

    init(_ bytes: [UInt8]) throws(StorageError) { try unsafe self.init(bytes.span.bytes) }

    init(_ bytes: RawSpan) throws(StorageError) {
        self = try StoredForm.read(bytes, form: RecordState.form, "the state of a synchronised record") {
            (reader) throws(ParseFailure) in try RecordState(&reader)
        }
    }

    private init(_ reader: inout ByteReader) throws(ParseFailure) {
        let flags = try reader.u8("the flags")
        isDeleted = flags & 1 != 0
        isUnreadable = flags & 2 != 0
        revision = try reader.i64("the revision")
        generation = try reader.u32("the generation")
        order = try reader.u64("the order")
        time = try reader.i64("the time")
        count = try reader.u32("the count")
        offset = try reader.i64("the offset")
        base = try reader.optionalData("the base")
        extra = try reader.optionalData("the unknown members")
    }

    var bytes: [UInt8] {
        var buffer = ByteBuffer()
        buffer.append(RecordState.form)
        buffer.append(UInt8((isDeleted ? 1 : 0) | (isUnreadable ? 2 : 0)))
        buffer.append(revision)
        buffer.append(generation)
        buffer.append(order)
        buffer.append(time)
        buffer.append(count)
        buffer.append(offset)
        buffer.append(optional: base)
        buffer.append(optional: extra)
        return buffer.bytes.array()
    }

    /// Takes over a change: its order and its stamp. The base stays.
    mutating func take(_ entry: JournalEntry) {
        order = entry.order
        time = entry.time
        count = entry.count
        offset = entry.offset
        isDeleted = entry.isDeletion
    }

    /// Removes the pending change.
    mutating func settle() {
        order = 0
        time = 0
        count = 0
        offset = 0
        isDeleted = false
        base = nil
    }
}
