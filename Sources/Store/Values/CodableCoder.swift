import ShaleBase

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The format in which a `Codable` value is stored.
public enum CodableFormat: Sendable, Hashable {
    /// JSON with sorted keys: readable everywhere, and equal values give equal bytes. NaN and infinities can't be
    /// encoded.
    case json
    /// A binary property list.
    ///
    /// Dates and data keep their types. The string `"$null"` in place of an optional decodes as `nil`, because
    /// Foundation's encoder writes `nil` that way.
    case propertyList
    /// A binary format of Shale's own. It takes least space, and a fraction of the time of the others.
    ///
    /// Every `Codable` value has a compact form: integers of all sizes, NaN, dates, data, UUIDs and URLs keep their
    /// types. Fields are in the order in which the value encodes them, so equal values of a type without dictionaries
    /// and sets give equal bytes. Nesting over 255 levels, and a name that is encoded twice in one container, can't be
    /// encoded.
    case compact

    var codec: ValueCodec {
        switch self {
        case .json: .json
        case .propertyList: .propertyList
        case .compact: .compact
        }
    }

    /// The format of a document; `nil` for other values.
    init?(_ codec: ValueCodec) {
        switch codec {
        case .json: self = .json
        case .propertyList: self = .propertyList
        case .compact: self = .compact
        default: return nil
        }
    }
}

/// Encodes and decodes `Codable` values with Foundation's coders, or with ``CompactCoder``.
///
/// The engine has verified the checksum of the bytes. The structure of a property list is checked as well, because
/// Foundation's parsers have ended the process on unexpected bytes.
enum CodableCoder {
    // Configured once; encoding and decoding don't change them.
    private static let jsonEncoder: JSONEncoder = {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        return encoder
    }()
    private static let jsonDecoder = JSONDecoder()
    private static let listDecoder = PropertyListDecoder()
    private static let listEncoder: PropertyListEncoder = {
        let encoder = PropertyListEncoder()
        encoder.outputFormat = .binary
        return encoder
    }()

    static func encode<T: Encodable>(_ value: T, as format: CodableFormat) throws(StorageError) -> Data {
        do {
            switch format {
            case .json: return try jsonEncoder.encode(value)
            // The encoder refuses numbers and strings at the top level, so every value is wrapped in an array.
            case .propertyList:
                let payload = try listEncoder.encode([value])
                // A value that a reader would refuse fails here, when it is written: equal strings, which the encoder
                // stores once, may expand too far, or a date may be not a number.
                try BinaryPropertyListChecker.check(payload.bytes)
                return payload
            case .compact:
                var payload = Data()
                try CompactCoder.with(value) { (document) in payload = Data(copying: document) }
                return payload
            }
        } catch let error as StorageError where error.code != .corruption {
            throw error
        } catch {
            throw StorageError(.codecFailure, "a \(T.self) can't be encoded as \(format.codec)", cause: error)
        }
    }

    static func decode<T: Decodable>(
        _ type: T.Type, _ payload: RawSpan, _ codec: ValueCodec
    ) throws(StorageError) -> T {
        try decode(type, Data(copying: payload), codec)
    }

    static func decode<T: Decodable>(
        _ type: T.Type, _ data: Data, _ codec: ValueCodec
    ) throws(StorageError) -> T {
        do {
            switch codec {
            case .json:
                if data.count > JSONCheck.smallBytes { try JSONCheck.check(data.bytes) }
                return try jsonDecoder.decode(T.self, from: data)
            case .propertyList: return try decodeList(T.self, data)
            case .compact: return try CompactCoder.decode(T.self, CompactInput(copying: data.bytes))
            default: throw StorageError.unexpected(codec, requested: String(describing: T.self))
            }
        } catch {
            throw storageError(error, T.self, codec)
        }
    }

    /// Decodes a compact document, as one of a session if there is one.
    static func decode<T: Decodable>(
        _ type: T.Type, _ input: CompactInput, _ session: CompactSession? = nil
    ) throws(StorageError) -> T {
        do {
            if let session { return try session.decode(T.self, input) }
            return try CompactCoder.decode(T.self, input)
        } catch {
            throw storageError(error, T.self, .compact)
        }
    }

    @inline(never)
    private static func decodeList<T: Decodable>(_ type: T.Type, _ data: Data) throws -> T {
        try BinaryPropertyListChecker.check(data.bytes)
        let box = try listDecoder.decode([T].self, from: data)
        guard box.count == 1 else { throw StorageError.badPayload(.propertyList, data.count) }
        return box[0]
    }

    /// Classifies a decoding error: `.typeMismatch` if the value as a whole has another type, `.codecFailure` for
    /// anything inside it.
    @inline(never)
    static func storageError(_ error: any Error, _ type: any Any.Type, _ codec: ValueCodec) -> StorageError {
        if let error = error as? StorageError { return error }
        let depth = codec == .propertyList ? 1 : 0
        if case DecodingError.typeMismatch(_, let context) = error, context.codingPath.count <= depth {
            return StorageError(
                .typeMismatch, "the stored value has another type stored=\(codec) requested=\(type)", cause: error)
        }
        return StorageError(.codecFailure, "a stored \(codec) does not decode to \(type)", cause: error)
    }
}
