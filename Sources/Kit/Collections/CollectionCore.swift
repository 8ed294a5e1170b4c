import Shale
import ShaleBase
import ShalePlatform

/// The state that all handles of one opening of a collection share. Thread-safe.
///
/// This part needs the type of the records, to encode and decode them. Everything else is in ``CollectionBase``.
final class CollectionCore<Record: Codable & Sendable>: Sendable {
    let base: CollectionBase
    let schema: RecordSchema<Record>
    let coder: RecordCoder<Record>
    /// Takes note of each change; `nil` for none.
    let journal: (any RecordJournal<Record>)?

    init(
        _ layout: CollectionLayout, _ schema: RecordSchema<Record>, _ records: Store.Namespace,
        random: any RandomSource, known: OpenSchema? = nil, journal: (any RecordJournal<Record>)? = nil
    ) {
        self.schema = schema
        self.journal = journal
        coder = RecordCoder(codec: schema.codec)
        base = CollectionBase(layout, records, coder, random: random, known: known)
    }

    var codec: VersionedCodec<Record> { schema.codec }

    var layout: CollectionLayout { base.layout }
    var records: Store.Namespace { base.records }
    var name: String { base.name }

    /// Returns the record of a key at a moment; `nil` if there is none.
    func record(
        _ primary: [UInt8], at moment: borrowing some ReadMoment & ~Copyable
    ) throws(StorageError) -> Record? {
        guard let document = try base.document(primary, at: moment) else { return nil }
        return try coder.decode(document)
    }
}
