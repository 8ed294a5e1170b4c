package import ShaleBase

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// What is between values and their envelopes, for single operations, batches and transactions alike.
package enum EncodedValue {
    /// Lends the payload and the codec of a `Codable` value; of values that have an encoding of their own, that one, unless a format is
    /// named.
    package static func with<T: Encodable>(
        _ value: T, as format: CodableFormat?, default defaultFormat: CodableFormat,
        _ body: (RawSpan, ValueCodec) throws(StorageError) -> Void
    ) throws(StorageError) {
        // The type is asked first: casting a value that has no such encoding takes three times as long.
        if format == nil, T.self is any StorableValue.Type, let storable = value as? any StorableValue {
            let codec = storable.codec
            return try storable.withPayload { (payload) throws(StorageError) in try body(payload, codec) }
        }
        let format = format ?? defaultFormat
        let payload = try CodableCoder.encode(value, as: format)
        try body(payload.bytes, format.codec)
    }

    /// A `Codable` value in an envelope, for stores other than the engine.
    package static func envelope<T: Encodable>(
        of value: T, as format: CodableFormat? = nil, default defaultFormat: CodableFormat = .json
    ) throws(StorageError) -> [UInt8] {
        var bytes: [UInt8] = []
        try with(value, as: format, default: defaultFormat) { (payload, codec) throws(StorageError) in
            bytes = try Envelope.with(codec, payload) { (envelope) throws(StorageError) in [UInt8](copying: envelope) }
        }
        return bytes
    }

    /// The value in an envelope as a type that has an encoding of its own.
    package static func decode<T: StorableValue>(_ type: T.Type, _ value: RawSpan) throws(StorageError) -> T {
        try Envelope.read(value) { (envelope) throws(StorageError) in
            try T.decode(envelope.payload.span, envelope.codec)
        }
    }

    /// The value in an envelope as any other type.
    package static func decode<T: Decodable>(_ type: T.Type, _ value: RawSpan) throws(StorageError) -> T {
        let payload = try Envelope.read(value) { (envelope) in CopiedPayload(envelope.payload.span, envelope.codec) }
        return try payload.decoded(T.self)
    }

    package static func object(
        _ value: RawSpan, _ codecs: CodecTable = .none
    ) throws(StorageError) -> StoredValue {
        try Envelope.read(value) { (envelope) throws(StorageError) in try StoredValue(envelope, codecs) }
    }
}
