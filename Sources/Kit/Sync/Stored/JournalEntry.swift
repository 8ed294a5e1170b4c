import ShaleBase

/// A change of a record that no cycle has collected yet.
///
/// Stored form, on disk, do not change:
///
/// | field | size |
/// |---|---|
/// | form, 1 | 1 |
/// | flags: 1 deletion | 1 |
/// | order, time, count, offset | 8, 8, 4, 8 |
/// | flag, base | 1, 4 + n |
struct JournalEntry: Sendable, Hashable {
    private static let form: UInt8 = 1

    var order: UInt64
    /// The stamp of the change, and the clock's offset at its time.
    var time: Int64
    var count: UInt32
    var offset: Int64
    var isDeletion: Bool
    /// The document that the first change since the last collection was made on, if the rule needs it and the record
    /// was in step; `nil` for none.
    var base: [UInt8]?

    init(order: UInt64, isDeletion: Bool, base: [UInt8]?, clock: HybridClock) {
        self.order = order
        self.isDeletion = isDeletion
        self.base = base
        (time, count, offset) = clock.next()
    }

    init(_ bytes: RawSpan) throws(StorageError) {
        self = try StoredForm.read(bytes, form: JournalEntry.form, "a change of a synchronised record") {
            (reader) throws(ParseFailure) in try JournalEntry(&reader)
        }
    }

    private init(_ reader: inout ByteReader) throws(ParseFailure) {
        isDeletion = try reader.u8("the flags") & 1 != 0
        order = try reader.u64("the order")
        time = try reader.i64("the time")
        count = try reader.u32("the count")
        offset = try reader.i64("the offset")
        base = try reader.optionalData("the base")
    }

    var bytes: [UInt8] {
        var buffer = ByteBuffer()
        buffer.append(JournalEntry.form)
        buffer.append(UInt8(isDeletion ? 1 : 0))
        buffer.append(order)
        buffer.append(time)
        buffer.append(count)
        buffer.append(offset)
        buffer.append(optional: base)
        return buffer.bytes.array()
    }
}
