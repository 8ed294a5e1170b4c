package import ShaleBase

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Converts between values and envelopes, for single operations, batches and transactions.
package enum EncodedValue {
    /// Passes the payload and the codec of a `Codable` value to `body`. A value with an encoding of its own uses that
    /// one, unless `format` names another.
    package static func with<T: Encodable>(
        _ value: T, as format: CodableFormat?, default defaultFormat: CodableFormat,
        _ body: (RawSpan, ValueCodec) throws(StorageError) -> Void
    ) throws(StorageError) {
        // Checks the type first: a failing cast of the value takes three times as long.
        if format == nil, T.self is any StorableValue.Type, let storable = value as? any StorableValue {
            let codec = storable.codec
            return try storable.withPayload { (payload) throws(StorageError) in try body(payload, codec) }
        }
        let format = format ?? defaultFormat
        if format == .compact {
            return try CompactCoder.with(value) { (payload) throws(StorageError) in try body(payload, .compact) }
        }
        let payload = try CodableCoder.encode(value, as: format)
        try body(payload.bytes, format.codec)
    }

    /// Returns a `Codable` value in an envelope, for other places than the engine.
    package static func envelope<T: Encodable>(
        of value: T, as format: CodableFormat? = nil, default defaultFormat: CodableFormat = .json
    ) throws(StorageError) -> [UInt8] {
        var bytes: [UInt8] = []
        try with(value, as: format, default: defaultFormat) { (payload, codec) throws(StorageError) in
            bytes = try Envelope.with(codec, payload) { (envelope) throws(StorageError) in [UInt8](copying: envelope) }
        }
        return bytes
    }

    /// Returns a payload in an envelope, for other places than the engine.
    package static func envelope(_ payload: RawSpan, _ codec: ValueCodec) throws(StorageError) -> [UInt8] {
        try Envelope.with(codec, payload) { (envelope) throws(StorageError) in [UInt8](copying: envelope) }
    }

    /// Returns the payload of an envelope and its codec.
    package static func payload(_ value: RawSpan) throws(StorageError) -> (codec: ValueCodec, bytes: [UInt8]) {
        try Envelope.read(value) { (envelope) in (envelope.codec, envelope.payload.array()) }
    }

    /// Decodes the value in an envelope as a type that has an encoding of its own.
    package static func decode<T: StorableValue>(_ type: T.Type, _ value: RawSpan) throws(StorageError) -> T {
        try Envelope.read(value) { (envelope) throws(StorageError) in
            try T.decode(envelope.payload.span, envelope.codec)
        }
    }

    /// Decodes the value in an envelope as any other type.
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

/// A copy of an encoded value for slow decoders, so that the engine's memory is not pinned while they run.
///
/// Decoding outside the engine's generic functions also saves 10 % for a small document: with the decoder's type or
/// result as a parameter, each of them would request optional and result types from the runtime.
@usableFromInline
package struct CopiedPayload: Sendable {
    private enum Copy: Sendable {
        case data(Data)
        case compact(CompactInput)
    }

    private let copy: Copy
    let codec: ValueCodec

    package init(_ payload: RawSpan, _ codec: ValueCodec) {
        copy = codec == .compact ? .compact(CompactInput(copying: payload)) : .data(Data(copying: payload))
        self.codec = codec
    }

    /// Takes a compact document.
    init(_ document: CompactInput) {
        copy = .compact(document)
        codec = .compact
    }

    /// The root of a compact document; `nil` for other values. Valid as long as this copy.
    var compactDocument: CompactValue? {
        get throws(StorageError) {
            guard case .compact(let input) = copy else { return nil }
            return try CompactValue(document: input.bytes)
        }
    }

    var bytes: Data {
        switch copy {
        case .data(let data): data
        case .compact(let input): Data(copying: input.bytes.span)
        }
    }

    /// Decodes the value. For documents the decoder interprets the content for all types, so the cast is skipped: it
    /// takes longer than some decoders.
    @usableFromInline
    package func decoded<T: Decodable>(_ type: T.Type) throws(StorageError) -> T { try decoded(T.self, nil) }

    /// Decodes the value, as one of a session if there is one.
    func decoded<T: Decodable>(_ type: T.Type, _ session: CompactSession?) throws(StorageError) -> T {
        if case .compact(let input) = copy { return try CodableCoder.decode(T.self, input, session) }
        if codec.isDocument { return try CodableCoder.decode(T.self, bytes, codec) }
        return try cast(T.self)
    }

    /// Separate from documents, which would also request the cast's types from the runtime.
    @inline(never)
    private func cast<T: Decodable>(_ type: T.Type) throws(StorageError) -> T {
        if let storable = T.self as? any StorableValue.Type, let result = try storable.decode(bytes.bytes, codec) as? T
        {
            return result
        }
        if codec.isScalar { return try ScalarDecoder.decode(T.self, bytes.bytes, codec) }
        return try CodableCoder.decode(T.self, bytes, codec)
    }
}
