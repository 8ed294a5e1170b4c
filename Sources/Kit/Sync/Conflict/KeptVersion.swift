public import Shale
import ShaleBase

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// A conflict or a refusal in which a change was lost, with everything that was lost.
public struct KeptVersion: Sendable, Hashable {
    /// The reason for which a version was lost.
    public enum Reason: Sendable, Hashable {
        /// Another client changed the record too.
        case conflict
        /// The server refused the change, and said why. The record here became the server's.
        case refused(String)
        /// The server's version does not decode here. The record here stays as it was, and the change is not sent.
        case unreadable
    }

    /// The position among kept versions, which only grows. See ``SyncClient/keptVersions(after:limit:)``.
    public let id: UInt64
    public let reason: Reason
    /// The name of the record's collection.
    public let collection: String
    /// The encoded primary key: `RecordKey.bytes`.
    public let key: [UInt8]
    /// The time of the conflict in milliseconds since 1970, by the server's clock.
    public let milliseconds: Int64
    /// The record that the change was made on, as JSON; `nil` if there was none or the rule does not need it.
    public let base: [UInt8]?
    /// The record as it was here, as JSON; `nil` if it was deleted here.
    public let mine: [UInt8]?
    /// The server's record, as JSON; `nil` if it was deleted there.
    public let theirs: [UInt8]?
    /// The record that resulted, as JSON; `nil` for a deletion.
    public let result: [UInt8]?

    /// Decodes one of the documents.
    ///
    /// ```swift
    /// let lost = try kept.mine.map { try KeptVersion.record($0, as: ToDo.self) }
    /// ```
    /// - Throws: `.codecFailure` if the document is no such record.
    public static func record<Record: Codable>(
        _ document: [UInt8], as type: Record.Type = Record.self
    ) throws(StorageError) -> Record {
        try DocumentCoding.decode(Record.self, document)
    }
}

/// The stored form, with the position as its key. On disk, do not change.
struct KeptRecord: Sendable, Hashable, Codable {
    var reason: String
    var detail: String?
    var collection: String
    var key: Data
    var milliseconds: Int64
    var base: Data?
    var mine: Data?
    var theirs: Data?
    var result: Data?

    init(
        _ reason: KeptVersion.Reason, _ address: SyncAddress, _ milliseconds: Int64, _ sides: DocumentSides,
        result: [UInt8]?
    ) {
        switch reason {
        case .conflict: self.reason = "conflict"
        case .refused(let text): (self.reason, detail) = ("refused", text)
        case .unreadable: self.reason = "unreadable"
        }
        collection = address.collection
        key = Data(address.key)
        self.milliseconds = milliseconds
        base = sides.base.map { Data($0) }
        mine = sides.mine.map { Data($0) }
        theirs = sides.theirs.map { Data($0) }
        self.result = result.map { Data($0) }
    }

    func version(id: UInt64) -> KeptVersion {
        let reason: KeptVersion.Reason =
            switch self.reason {
            case "refused": .refused(detail ?? "")
            case "unreadable": .unreadable
            default: .conflict
            }
        return KeptVersion(
            id: id, reason: reason, collection: collection, key: [UInt8](key), milliseconds: milliseconds,
            base: base.map { [UInt8]($0) }, mine: mine.map { [UInt8]($0) }, theirs: theirs.map { [UInt8]($0) },
            result: result.map { [UInt8]($0) })
    }
}

/// The form of records on the wire: JSON with sorted names, so that equal records are equal bytes. Numbers that are not
/// finite are texts.
enum DocumentCoding {
    // Configured once; encoding and decoding don't change them.
    private static let encoder: JSONEncoder = {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        encoder.nonConformingFloatEncodingStrategy = .convertToString(
            positiveInfinity: "Infinity", negativeInfinity: "-Infinity", nan: "NaN")
        return encoder
    }()
    private static let decoder: JSONDecoder = {
        let decoder = JSONDecoder()
        decoder.nonConformingFloatDecodingStrategy = .convertFromString(
            positiveInfinity: "Infinity", negativeInfinity: "-Infinity", nan: "NaN")
        return decoder
    }()

    static func encode<Record: Encodable>(_ record: Record) throws(StorageError) -> [UInt8] {
        do {
            return [UInt8](try encoder.encode(record))
        } catch {
            throw StorageError(.codecFailure, "a record can't be encoded as JSON", cause: error)
        }
    }

    static func decode<Record: Decodable>(_ type: Record.Type, _ document: [UInt8]) throws(StorageError) -> Record {
        do {
            return try decoder.decode(Record.self, from: Data(document))
        } catch {
            throw StorageError(.codecFailure, "a document is no \(Record.self)", cause: error)
        }
    }
}
