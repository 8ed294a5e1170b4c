import ShaleBase
import ShaleSync

/// The state of a user. On disk, as JSON.
struct UserRecord: Sendable, Hashable, Codable {
    /// A random text that stays as long as revisions do.
    var epoch: String
    /// The revision of the user's last change.
    var revision: Int64 = 0
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
        var reader = PackedReader(bytes)
        guard try reader.integer(UInt8.self) == ServerRecord.form else {
            throw StorageError(.newerFormat, "a newer version of the server wrote a record")
        }
        let document = try reader.optional()
        let revision: Int64 = try reader.integer()
        let (time, count): (Int64, UInt32) = (try reader.integer(), try reader.integer())
        let client = String(decoding: try reader.data(), as: UTF8.self)
        written = try reader.integer()
        try reader.finish()
        version = SyncVersion(
            revision: revision, stamp: SyncStamp(time: time, count: count, client: client), document: document)
    }

    var bytes: [UInt8] {
        var writer = PackedWriter()
        writer.integer(ServerRecord.form)
        writer.optional(version.document)
        writer.integer(version.revision)
        writer.integer(version.stamp.time)
        writer.integer(version.stamp.count)
        writer.data(version.stamp.client.utf8)
        writer.integer(written)
        return writer.bytes
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
        var reader = PackedReader(bytes)
        guard try reader.integer(UInt8.self) == ClientEntry.form else {
            throw StorageError(.newerFormat, "a newer version of the server wrote a client")
        }
        number = try reader.integer()
        nonce = String(decoding: try reader.data(), as: UTF8.self)
        seen = try reader.integer()
        outcomes = []
        for _ in 0..<(try reader.integer(UInt32.self)) {
            switch try reader.integer(UInt8.self) {
            case 0: outcomes.append(.applied(try reader.integer()))
            case 1: outcomes.append(.conflict)
            case 2: outcomes.append(.refused(String(decoding: try reader.data(), as: UTF8.self)))
            default: outcomes.append(.postponed)
            }
        }
        try reader.finish()
    }

    var bytes: [UInt8] {
        var writer = PackedWriter()
        writer.integer(ClientEntry.form)
        writer.integer(number)
        writer.data(nonce.utf8)
        writer.integer(seen)
        writer.integer(UInt32(outcomes.count))
        for outcome in outcomes {
            switch outcome {
            case .applied(let revision):
                writer.integer(UInt8(0))
                writer.integer(revision)
            case .conflict: writer.integer(UInt8(1))
            case .refused(let reason):
                writer.integer(UInt8(2))
                writer.data(reason.utf8)
            case .postponed: writer.integer(UInt8(3))
            }
        }
        return writer.bytes
    }
}
