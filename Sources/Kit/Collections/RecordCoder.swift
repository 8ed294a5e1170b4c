import Shale
import ShaleBase
import ShalePlatform

/// Encodes and decodes the records of a collection. Thread-safe.
///
/// Sessions are kept between two uses, so that a single record needs no coder of its own.
final class RecordCoder<Record: Codable & Sendable>: RecordDecoding {
    let codec: VersionedCodec<Record>
    private let idle = Locked<IdleSession>(IdleSession())

    /// Unchecked: a session is used by one thread at a time, the one that has taken it.
    private struct IdleSession: @unchecked Sendable {
        var session: CompactSession?
    }

    init(codec: VersionedCodec<Record>) { self.codec = codec }

    func decode(_ document: VersionedDocument) throws(StorageError) -> Record {
        let session = takeSession()
        defer { keep(session) }
        return try codec.decode(document, session)
    }

    func makeReader() -> RecordReading { RecordReader(self) }

    func takeSession() -> CompactSession {
        let kept = idle.withLock { $0.session.take() }
        return kept ?? CompactSession()
    }

    func keep(_ session: CompactSession) { idle.withLock { $0.session = session } }
}

/// Decodes records for code that does not know their type.
protocol RecordDecoding: Sendable {
    /// Returns a reader for one thread.
    func makeReader() -> RecordReading
}
