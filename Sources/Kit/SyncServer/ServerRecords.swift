import ShaleBase
import ShaleSync

/// The state of a user. On disk, as JSON.
struct UserRecord: Sendable, Hashable, Codable {
    /// A random text that stays as long as revisions do.
    var epoch: String
    /// The revision of the user's last change.
    var revision: Int64 = 0
    /// True while all data of the user is being removed.
    var isRemoved: Bool?
}

/// A record of a user. On disk, do not change: form, flag, document, revision, time, count, client, written.
struct ServerRecord: Sendable, Hashable {
    private static let form: UInt8 = 1

    var version: SyncVersion
    /// The server's trusted time when the version came.
    var written: Int64

    var isTombstone: Bool { version.document == nil }

    init(version: SyncVersion, written: Int64) {
        self.version = version
        self.written = written
    }

    init(_ bytes: [UInt8]) throws(StorageError) {
        self = try unsafe StoredForm.read(bytes.span.bytes, form: ServerRecord.form, "a record of the server") {
            (reader) throws(ParseFailure) in try ServerRecord(&reader)
        }
    }

    private init(_ reader: inout ByteReader) throws(ParseFailure) {
        let document = try reader.optionalData("the document")
        let revision = try reader.i64("the revision")
        let (time, count) = (try reader.i64("the time"), try reader.u32("the count"))
        let stamp = SyncStamp(time: time, count: count, client: try reader.text("the client"))
        version = SyncVersion(revision: revision, stamp: stamp, document: document)
        written = try reader.i64("the time")
    }

    var bytes: [UInt8] {
        var buffer = ByteBuffer()
        buffer.append(ServerRecord.form)
        buffer.append(optional: version.document)
        buffer.append(version.revision)
        buffer.append(version.stamp.time)
        buffer.append(version.stamp.count)
        buffer.append(data: Array(version.stamp.client.utf8))
        buffer.append(written)
        return buffer.bytes.array()
    }
}

/// A client's last batch, so that its repetition gets the same outcomes. On disk, do not change.
struct ClientEntry: Sendable, Hashable {
    /// The outcome of a change, without the documents of a reply.
    enum Outcome: Sendable, Hashable {
        case applied(Int64)
        case conflict
        case refused(String)
        case postponed
    }

    private static let form: UInt8 = 1

    var number: Int64
    var nonce: String
    /// The server's trusted time of the last batch.
    var seen: Int64
    var outcomes: [Outcome]

    init(number: Int64, nonce: String, seen: Int64, outcomes: [Outcome]) {
        self.number = number
        self.nonce = nonce
        self.seen = seen
        self.outcomes = outcomes
    }

    init(_ bytes: [UInt8]) throws(StorageError) {
        self = try unsafe StoredForm.read(bytes.span.bytes, form: ClientEntry.form, "a client of the server") {
            (reader) throws(ParseFailure) in try ClientEntry(&reader)
        }
    }

    private init(_ reader: inout ByteReader) throws(ParseFailure) {
        number = try reader.i64("the number")
        nonce = try reader.text("the nonce")
        seen = try reader.i64("the time")
        outcomes = []
        for _ in 0..<(try reader.u32("the number of outcomes")) {
            switch try reader.u8("an outcome") {
            case 0: outcomes.append(.applied(try reader.i64("a revision")))
            case 1: outcomes.append(.conflict)
            case 2: outcomes.append(.refused(try reader.text("a reason")))
            default: outcomes.append(.postponed)
            }
        }
    }

    var bytes: [UInt8] {
        var buffer = ByteBuffer()
        buffer.append(ClientEntry.form)
        buffer.append(number)
        buffer.append(data: Array(nonce.utf8))
        buffer.append(seen)
        buffer.append(UInt32(outcomes.count))
        for outcome in outcomes {
            switch outcome {
            case .applied(let revision):
                buffer.append(0 as UInt8)
                buffer.append(revision)
            case .conflict: buffer.append(1 as UInt8)
            case .refused(let reason):
                buffer.append(2 as UInt8)
                buffer.append(data: Array(reason.utf8))
            case .postponed: buffer.append(3 as UInt8)
            }
        }
        return buffer.bytes.array()
    }
}
