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

    init(_ bytes: [UInt8]) throws(StorageError) {
        var reader = PackedReader(bytes)
        guard try reader.integer(UInt8.self) == RecordState.form else {
            throw StorageError(.newerFormat, "a newer version wrote the state of synchronisation")
        }
        let flags: UInt8 = try reader.integer()
        isDeleted = flags & 1 != 0
        isUnreadable = flags & 2 != 0
        revision = try reader.integer()
        generation = try reader.integer()
        order = try reader.integer()
        time = try reader.integer()
        count = try reader.integer()
        offset = try reader.integer()
        base = try reader.optional()
        extra = try reader.optional()
        try reader.finish()
    }

    var bytes: [UInt8] {
        var writer = PackedWriter()
        writer.integer(RecordState.form)
        writer.integer(UInt8((isDeleted ? 1 : 0) | (isUnreadable ? 2 : 0)))
        writer.integer(revision)
        writer.integer(generation)
        writer.integer(order)
        writer.integer(time)
        writer.integer(count)
        writer.integer(offset)
        writer.optional(base)
        writer.optional(extra)
        return writer.bytes
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
