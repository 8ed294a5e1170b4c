package import ShaleBase

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Encodes and decodes `Codable` values as compact documents.
///
/// The engine has verified the checksum of the bytes. They are not trusted for that: every access checks what it
/// reads, and documents above ``CompactLimits/smallBytes`` are checked as a whole first.
enum CompactCoder {
    /// Passes the document of a value to `body`; with a version, the payload of a ``VersionedPayload``.
    static func with<T: Encodable>(
        _ value: T, version: Int? = nil, _ session: CompactSession? = nil,
        _ body: (RawSpan) throws(StorageError) -> Void
    ) throws(StorageError) {
        if let session { return try with(value, version, in: session, body) }
        let output = CompactOutput()
        defer { withExtendedLifetime(output) {} }
        if let version { output.appendHeader(of: version) }
        do {
            let start = output.count
            if !(try output.append(scalar: value)) {
                let encoder = CompactEncoder(output)
                try value.encode(to: encoder)
                try encoder.finish()
            }
            try checkWritten(output, from: start)
        } catch {
            throw failure(error, T.self)
        }
        try body(output.bytes.span)
    }

    /// Throws if a reader would refuse the document, so that writing it fails.
    @inline(__always)
    private static func checkWritten(_ output: CompactOutput, from start: Int) throws(StorageError) {
        if output.count > CompactLimits.smallBytes { try CompactCheck.check(output.bytes.suffix(from: start)) }
    }

    @inline(never)
    private static func failure(_ error: any Error, _ type: any Any.Type) -> StorageError {
        if let error = error as? StorageError, error.code != .corruption { return error }
        return StorageError(.codecFailure, "a \(type) can't be encoded as \(ValueCodec.compact)", cause: error)
    }

    /// Does the same with the coder of a session.
    private static func with<T: Encodable>(
        _ value: T, _ version: Int?, in session: CompactSession, _ body: (RawSpan) throws(StorageError) -> Void
    ) throws(StorageError) {
        var result: Result<Void, StorageError> = .success(())
        do {
            try session.encode(value, version: version) { (output, start) in
                try checkWritten(output, from: start)
                result = Result { () throws(StorageError) in try body(output.bytes.span) }
            }
        } catch {
            throw failure(error, T.self)
        }
        try result.get()
    }

    /// Decodes a document.
    static func decode<T: Decodable>(_ type: T.Type, _ input: CompactInput) throws -> T {
        try decode(T.self, CompactDecoder(input, try CompactValue(document: input.bytes)))
    }

    /// Decodes the value of a document's decoder.
    @inline(__always)
    static func decode<T: Decodable>(_ type: T.Type, _ decoder: CompactDecoder) throws -> T {
        // Most documents are objects, whose types decode themselves. Foundation's URL would do so too, and accept one.
        if decoder.value.isObject, T.self != StructuredValue.self, T.self != URL.self { return try T(from: decoder) }
        return try decodeRoot(T.self, decoder)
    }

    /// Separate from objects, which would also request the type of a scalar's result from the runtime.
    @inline(never)
    private static func decodeRoot<T: Decodable>(_ type: T.Type, _ decoder: CompactDecoder) throws -> T {
        try decoder.decode(T.self, decoder.value, nil)
    }
}

extension CompactValue {
    /// Decodes the value as a type, and nothing else of its document.
    ///
    /// - Throws: `.typeMismatch` if the value is of another kind, `.codecFailure` if something inside it is,
    ///   `.corruption` if it is not valid.
    package func decoded<T: Decodable>(as type: T.Type) throws(StorageError) -> T {
        do {
            // Scalars are read where they are. Anything else runs the application's code, on a copy.
            if case .value(let scalar) = try scalar(T.self) { return scalar }
            let input = CompactInput(copying: content.span)
            let decoder = try CompactDecoder(input, CompactValue(kind: kind, content: input.bytes))
            return try decoder.decode(T.self, decoder.value, nil)
        } catch {
            throw CodableCoder.storageError(error, T.self, .compact)
        }
    }

    /// Returns the document of an object with the given fields. Fields that are null are left out.
    ///
    /// - Throws: `.codecFailure` for a name that is there twice, `.invalidArgument` for a nested key.
    package static func document(
        _ fields: [(name: String, element: CompositeKey.Element)]
    ) throws(StorageError) -> [UInt8] {
        var bytes: [UInt8] = []
        try CompactCoder.with(ElementFields(fields: fields)) { (document) in bytes = [UInt8](copying: document) }
        return bytes
    }
}

/// Elements of keys as the fields of an object.
private struct ElementFields: Encodable {
    let fields: [(name: String, element: CompositeKey.Element)]

    func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: MemberName.self)
        for (name, element) in fields {
            let name = MemberName(name)
            switch element {
            case .null: continue
            case .bool(let value): try container.encode(value, forKey: name)
            case .int(let value): try container.encode(value, forKey: name)
            case .unsigned(let value): try container.encode(value, forKey: name)
            case .double(let value): try container.encode(value, forKey: name)
            case .string(let value): try container.encode(value, forKey: name)
            case .bytes(let value): try container.encode(value, forKey: name)
            case .date(let value): try container.encode(value, forKey: name)
            case .uuid(let value): try container.encode(value, forKey: name)
            case .key: throw StorageError.invalid("a nested key is no value of a field")
            }
        }
    }
}
