import Shale
import ShaleBase

/// Decodes one record after the other, all in the same place. Used by one thread.
class RecordReading {
    /// Decodes the record of a document and returns its address, which is valid until the next call or until the record
    /// is taken. Throws the errors of decoding.
    func read(_ document: VersionedDocument) throws(StorageError) -> RecordAddress {
        preconditionFailure("a reader of records has a type")
    }
}

/// A reader that knows the type of its records.
@safe
final class RecordReader<Record: Codable & Sendable>: RecordReading {
    private let coder: RecordCoder<Record>
    private let session: CompactSession
    private let place: UnsafeMutablePointer<Record>
    private var isFull = false

    init(_ coder: RecordCoder<Record>) {
        self.coder = coder
        session = coder.takeSession()
        unsafe place = .allocate(capacity: 1)
    }

    deinit {
        drop()
        unsafe place.deallocate()
        coder.keep(session)
    }

    override func read(_ document: VersionedDocument) throws(StorageError) -> RecordAddress {
        drop()
        unsafe place.initialize(to: try coder.codec.decode(document, session))
        isFull = true
        return unsafe RecordAddress(start: UnsafeRawPointer(place))
    }

    /// Moves the record that was read last out of its place. May be called once for each record.
    func take() -> Record {
        precondition(isFull, "a record was taken before it was read")
        isFull = false
        return unsafe place.move()
    }

    private func drop() {
        guard isFull else { return }
        isFull = false
        unsafe place.deinitialize(count: 1)
    }
}
