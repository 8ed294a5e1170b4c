import Shale

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// A JSON text that is stored unchanged, without being decoded and encoded again. It is only written; a read returns a
/// tree (`StoredValue.json`).
struct CheckedJSON: StorableValue {
    let text: [UInt8]

    var codec: ValueCodec { .json }

    init(text: [UInt8]) { self.text = text }

    init(payload: RawSpan, codec: ValueCodec) throws(StorageError) {
        guard codec == .json else { throw .typeMismatch(stored: codec.description, requested: "json") }
        text = payload.array
    }

    func withPayload(_ body: (RawSpan) throws(StorageError) -> Void) throws(StorageError) {
        try unsafe body(text.span.bytes)
    }
}

extension ImportedValue {
    /// The bytes that the store keeps for the value: the envelope's two header bytes and the payload. `nil` if they are
    /// known only after encoding. See Shale.docc, "Value envelope".
    var storedBytes: [UInt8]? {
        switch self {
        case .json(let text): [ValueCodec.json.rawValue, 0] + text
        case .string(let text): [ValueCodec.string.rawValue, 0] + text.utf8
        default: nil
        }
    }

    /// Returns the value in the form that a read returns.
    func asStored() throws -> StoredValue {
        switch self {
        case .json(let text): .json(try JSONDecoder().decode(StructuredValue.self, from: Data(text)))
        case .string(let value): .string(value)
        case .integer(let value): .int(value)
        case .double(let value): .double(value)
        case .boolean(let value): .bool(value)
        case .data(let value): .data(value)
        case .date(let value): .date(value)
        case .propertyList(let value): .propertyList(value)
        }
    }
}

extension Store.Batch {
    /// Adds a value in its own type.
    mutating func set(
        _ value: ImportedValue, forKey key: [UInt8], in namespace: Store.Namespace, options: ValueOptions = []
    ) throws(StorageError) {
        switch value {
        case .json(let text): try set(CheckedJSON(text: text), forKey: key, in: namespace, options: options)
        case .string(let value): try set(value, forKey: key, in: namespace, options: options)
        case .integer(let value): try set(value, forKey: key, in: namespace, options: options)
        case .double(let value): try set(value, forKey: key, in: namespace, options: options)
        case .boolean(let value): try set(value, forKey: key, in: namespace, options: options)
        case .data(let value): try set(value, forKey: key, in: namespace, options: options)
        case .date(let value): try set(value, forKey: key, in: namespace, options: options)
        case .propertyList(let value): try set(value, forKey: key, in: namespace, as: .propertyList, options: options)
        }
    }
}

extension Store {
    /// Returns true if the entry of `key` in the namespace at `path` has this value, and is encrypted if required.
    func holds(
        _ value: ImportedValue, forKey key: [UInt8], at path: NamespacePath, encrypted: Bool = false
    ) throws -> Bool {
        let namespace = namespace(path)
        if try encrypted || namespace.options.isEncrypted {
            guard let info = try namespace.info(forKey: key), info.isEncrypted else { return false }
            guard let expected = value.storedBytes else { return try namespace.object(forKey: key) == value.asStored() }
            guard let payload = try namespace.payload(forKey: key) else { return false }
            return payload.bytes[...] == expected.dropFirst(2) && payload.codec.rawValue == expected[0]
        }
        guard let expected = value.storedBytes else {
            return try namespace.object(forKey: key) == value.asStored()
        }
        guard let id = identifier(of: path) else { return false }
        return try engine.value(forKey: key, in: id) == expected
    }
}
