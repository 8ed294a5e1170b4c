import ShaleBase
import ShaleLog
import ShaleManifest
import ShaleMemtable

/// A record of a shipped log. On disk, do not change: ShaleMaintenance.docc, "How backups work".
enum ShippedRecord {
    /// A batch of the store with its values, and the size of its record.
    case batch(LoggedBatch, byteCount: Int)
    case moment(ShippedMoment)

    enum Kind: UInt8 {
        case batch = 1
        case single = 2
        case moment = 3
        /// A moment that has the whole catalogue.
        case catalogueMoment = 4
    }

    /// Decodes a record of the log `name`.
    init(_ record: LogRecord, _ name: String) throws(StorageError) {
        guard record.payload.count > 0 else { throw ShippedRecord.damage("a record is empty", record, name) }
        let payload = record.payload.suffix(from: 1)
        let kind = Kind(rawValue: record.payload[0])
        do throws(ParseFailure) {
            switch kind {
            case .batch, .single:
                let batch = try LoggedBatch(validating: payload, isSingle: kind == .single)
                guard !batch.hasReferences else { throw ParseFailure("a batch refers to a value file") }
                self = .batch(batch, byteCount: payload.count)
                return
            case .moment, .catalogueMoment: break
            case nil: throw ParseFailure("a record has the unknown kind \(record.payload[0])")
            }
        } catch {
            throw ShippedRecord.damage(error.reason, record, name)
        }
        self = .moment(try ShippedMoment(payload, hasCatalogue: kind == .catalogueMoment, record, name))
    }

    static func damage(_ reason: String, _ record: LogRecord, _ name: String) -> StorageError {
        .corruption("the shipped log does not parse: \(reason)", file: name, offset: record.offset)
    }
}

/// The state of a store at one moment, without its entries and segments.
struct ShippedMoment {
    let wallMilliseconds: Int64
    /// The time of the store and its last sequence, and with a catalogue all namespaces.
    let edit: ManifestEdit
    /// False if the catalogue is that of the moment before, or of the backup.
    let hasCatalogue: Bool

    init(_ state: StoreState, _ wallMilliseconds: Int64, hasCatalogue: Bool) {
        self.wallMilliseconds = wallMilliseconds
        self.hasCatalogue = hasCatalogue
        var facts: [ManifestEdit.Fact] = [.lastSequence(state.lastSequence), .clockFloor(state.clockFloor)]
        if let clock = state.clock { facts.append(.clock(clock)) }
        if hasCatalogue {
            facts.append(.nextNamespaceID(state.catalogue.nextID))
            facts += state.catalogue.records.values.sorted { $0.id < $1.id }.map { .namespaceCreated($0) }
        }
        edit = ManifestEdit(facts)
    }

    fileprivate init(
        _ bytes: Bytes, hasCatalogue: Bool, _ record: LogRecord, _ name: String
    ) throws(StorageError) {
        guard bytes.count >= 8 else { throw ShippedRecord.damage("a moment is cut short", record, name) }
        self.hasCatalogue = hasCatalogue
        wallMilliseconds = bytes.i64(at: 0)
        do { edit = try ManifestEdit(decoding: bytes.suffix(from: 8)) } catch {
            throw error.inFile(name, at: record.offset)
        }
        for fact in edit.facts {
            switch fact {
            case .lastSequence, .clockFloor, .clock: continue
            case .nextNamespaceID, .namespaceCreated: if hasCatalogue { continue }
            default: break
            }
            throw ShippedRecord.damage("a moment has a fact that is no part of one", record, name)
        }
    }

    func encode(into buffer: inout ByteBuffer) {
        buffer.append(hasCatalogue ? ShippedRecord.Kind.catalogueMoment.rawValue : ShippedRecord.Kind.moment.rawValue)
        buffer.append(wallMilliseconds)
        edit.encode(into: &buffer)
    }
}
