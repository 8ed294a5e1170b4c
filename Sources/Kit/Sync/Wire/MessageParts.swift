import Shale
import ShaleBase

/// Parts that several messages have.
extension JSONWriter {
    mutating func member(_ name: String, _ value: String) {
        self.name(name)
        string(value)
    }

    mutating func member(_ name: String, _ value: Int64) {
        self.name(name)
        integer(value)
    }

    mutating func member(_ name: String, _ value: Bool) {
        self.name(name)
        bool(value)
    }

    mutating func member(_ name: String, _ version: SyncVersion) {
        self.name(name)
        object { $0.versionMembers(version) }
    }

    mutating func versionMembers(_ version: SyncVersion) {
        member("revision", version.revision)
        member("time", version.stamp.time)
        member("count", Int64(version.stamp.count))
        member("client", version.stamp.client)
        name("document")
        raw(version.document)
    }
}

extension JSONReader {
    /// Reads a number that is not negative.
    mutating func number() throws(StorageError) -> Int64 {
        let number = try integer()
        guard 0...SyncLimits.numberMax ~= number else { throw .corruption("a number of a message is out of bounds") }
        return number
    }

    /// Reads a text that one of the sides has made: an id, a nonce, an epoch or a cursor.
    mutating func identifier() throws(StorageError) -> String {
        let text = try string()
        guard 1...128 ~= text.utf8.count else { throw .corruption("an id of a message is empty or too long") }
        return text
    }

    mutating func collectionName() throws(StorageError) -> String {
        let text = try string()
        guard 1...SyncLimits.nameBytes ~= text.utf8.count else {
            throw .corruption("the name of a collection is empty or too long")
        }
        return text
    }

    mutating func recordKey() throws(StorageError) -> [UInt8] {
        guard let key = Hexadecimal.bytes(try string()), 1...SyncLimits.keyBytes ~= key.count else {
            throw .corruption("the key of a record is not valid")
        }
        return key
    }

    mutating func version() throws(StorageError) -> SyncVersion {
        var version = SyncVersion.missing
        var hasDocument = false
        try object { (name, json) throws(StorageError) in try version.read(name, &json, &hasDocument) }
        // A version is a deletion only if it says so.
        guard hasDocument else { throw .corruption("a version lacks its document") }
        return version
    }
}

extension SyncVersion {
    /// The form in which a version is stored aside: that of messages.
    var stored: [UInt8] { JSONWriter.object { $0.versionMembers(self) } }

    /// Reads what ``stored`` returned.
    init(stored bytes: [UInt8]) throws(StorageError) {
        var json = try JSONReader(bytes)
        self = try json.version()
    }

    /// Reads the member of a version, or skips another one.
    mutating func read(
        _ name: String, _ json: inout JSONReader, _ hasDocument: inout Bool
    ) throws(StorageError) {
        switch name {
        case "revision": revision = try json.number()
        case "time": stamp.time = try json.integer()
        case "count": stamp.count = UInt32(clamping: try json.number())
        case "client": stamp.client = try json.string()
        case "document":
            document = try json.null() ? nil : try json.raw()
            hasDocument = true
        default: try json.skip()
        }
    }
}

/// The reply to a call that the server did not answer.
package struct ErrorReply: Sendable, Hashable {
    /// The reasons that a client repairs by itself, with status 409.
    package enum Repair: String, Sendable {
        /// The server has another epoch: all revisions are void, and every collection begins again.
        case epoch
        /// The server does not know the batch before this one: the client takes a new id.
        case client
    }

    /// A word of the protocol, for programs.
    package var code: String
    /// A sentence, for people.
    package var message: String

    package init(code: String, message: String) {
        self.code = code
        self.message = message
    }

    package var encoded: [UInt8] {
        JSONWriter.object { json in
            json.member("error", code)
            json.member("message", message)
        }
    }

    package init(_ body: [UInt8]) throws(StorageError) {
        var json = try JSONReader(body)
        self.init(code: "", message: "")
        try json.object { (name, json) throws(StorageError) in
            switch name {
            case "error": code = try json.string()
            case "message": message = try json.string()
            default: try json.skip()
            }
        }
    }
}
