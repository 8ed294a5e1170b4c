import ShaleBase

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Encodes and decodes `Codable` values with Foundation's coders.
///
/// Their bytes come from an engine that has verified their checksum, and a property list's structure is checked first
/// besides: Foundation's parsers have been seen to end the process on bytes that they don't expect.
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
            // The encoder refuses numbers and strings at the top level, so every value travels in an array.
            case .propertyList:
                let payload = try listEncoder.encode([value])
                // What a reader would refuse is said when it is written, not when it is too late: equal strings, which the encoder
                // stores once, that expand too far; a date that is not a number.
                try BinaryPropertyListChecker.check(payload.bytes)
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
            default: throw StorageError.unexpected(codec, requested: String(describing: T.self))
            }
        } catch let error as StorageError {
            throw error
        } catch {
            throw failure(error, T.self, codec)
        }
    }

    @inline(never)
    private static func decodeList<T: Decodable>(_ type: T.Type, _ data: Data) throws -> T {
        try BinaryPropertyListChecker.check(data.bytes)
        let box = try listDecoder.decode([T].self, from: data)
        guard box.count == 1 else { throw StorageError.badPayload(.propertyList, data.count) }
        return box[0]
    }

    /// The value as a whole being of another kind is a type mismatch; anything wrong inside it is the codec's.
    private static func failure(_ error: any Error, _ type: any Any.Type, _ codec: ValueCodec) -> StorageError {
        let depth = codec == .propertyList ? 1 : 0
        if case DecodingError.typeMismatch(_, let context) = error, context.codingPath.count <= depth {
            return StorageError(
                .typeMismatch, "the stored value has another type stored=\(codec) requested=\(type)", cause: error)
        }
        return StorageError(.codecFailure, "a stored \(codec) does not decode to \(type)", cause: error)
    }
}
