package import Shale
package import ShaleBase

/// A stored record without its Swift type.
///
/// Fields of a compact document are read alone. JSON and property lists, which a schema's codec may name, are parsed as
/// a whole each time; dates, UUIDs and bytes are recognized in the forms that `Codable` types give them there.
package struct RecordBytes: Sendable {
    /// The version of the record; 1 if it was stored without one.
    package let version: Int
    /// The encoding of the document.
    package let codec: ValueCodec
    private let payload: [UInt8]
    private let start: Int

    /// Takes a payload as `NamespaceReader.payload(forKey:)` returns it.
    ///
    /// - Throws: `.corruption` if the header of a version is not valid. The document itself is not checked.
    package init(codec: ValueCodec, bytes: [UInt8]) throws(StorageError) {
        payload = bytes
        guard codec == .versioned else {
            (version, self.codec, start) = (1, codec, 0)
            return
        }
        guard bytes.count >= RecordBytes.headerBytes else { throw .corruption("a record has no version") }
        version = (0..<4).reduce(0) { $0 | Int(bytes[$1]) << (8 * $1) }
        self.codec = ValueCodec(rawValue: bytes[4])
        start = RecordBytes.headerBytes
    }

    private static var headerBytes: Int { 5 }

    /// Returns the value of a field as an element of a key: null if the field is missing or nil.
    ///
    /// - Throws: `.codecFailure` if the value is of another kind; `.corruption` if the document is not valid.
    package func element(
        of name: String, as kind: FieldKind
    ) throws(StorageError) -> CompositeKey.Element {
        if codec == .compact {
            return try withDocument { (document) throws(StorageError) in
                try RecordBytes.element(of: name, as: kind, in: document)
            }
        }
        guard case .dictionary(let members) = try tree(), let member = members[name] else { return .null }
        return try RecordBytes.required(kind.element(of: member), name, kind)
    }

    /// Returns the value of a field of a compact document. See ``element(of:as:)``.
    static func element(
        of name: String, as kind: FieldKind, in document: CompactValue
    ) throws(StorageError) -> CompositeKey.Element {
        guard let value = try document.field(name) else { return .null }
        // No field has a container, and the limits of one have not been checked here.
        let element = try value.isObject || value.isArray ? nil : kind.element(of: value.tree())
        return try required(element, name, kind)
    }

    private static func required(
        _ element: CompositeKey.Element?, _ name: String, _ kind: FieldKind
    ) throws(StorageError) -> CompositeKey.Element {
        guard let element else {
            throw StorageError(.codecFailure, "a stored field has another kind field=\(name) kind=\(kind)")
        }
        return element
    }

    /// Returns the whole record.
    package func tree() throws(StorageError) -> StructuredValue {
        let document = try RecordBytes.object(codec, Array(payload[start...]))
        switch document {
        case .json(let tree), .propertyList(let tree), .compact(let tree), .archive(let tree), .custom(_, let tree):
            return tree
        default: throw StorageError(.typeMismatch, "a record is no document codec=\(codec)")
        }
    }

    /// Returns the names of the fields; those of a compact document in the order in which they are stored.
    package func names() throws(StorageError) -> [String] {
        guard codec == .compact else {
            guard case .dictionary(let members) = try tree() else { return [] }
            return members.keys.sorted { FieldOrder.isLess($0, $1) }
        }
        return try withDocument { (document) throws(StorageError) in
            var names: [String] = []
            try document.forEachField { (name, _) in names.append(name) }
            return names
        }
    }

    /// Returns the payload of a record that consists of the given fields. Fields that are null are left out.
    ///
    /// - Throws: `.codecFailure` for a name that is there twice, `.invalidArgument` for a nested key.
    package static func payload(
        version: Int, fields: [(name: String, element: CompositeKey.Element)]
    ) throws(StorageError) -> (codec: ValueCodec, bytes: [UInt8]) {
        var bytes: [UInt8] = []
        for shift in 0..<4 { bytes.append(UInt8(truncatingIfNeeded: version >> (8 * shift))) }
        bytes.append(ValueCodec.compact.rawValue)
        return (.versioned, bytes + (try CompactValue.document(fields)))
    }

    private func withDocument<R>(_ body: (CompactValue) throws(StorageError) -> R) throws(StorageError) -> R {
        try payload.withBytes { (bytes) throws(StorageError) in
            try body(try CompactValue(document: bytes.suffix(from: start)))
        }
    }

    /// Decodes a document in an envelope of its own.
    private static func object(_ codec: ValueCodec, _ document: [UInt8]) throws(StorageError) -> StoredValue {
        let envelope = [codec.rawValue, 0] + document
        return try unsafe EncodedValue.object(envelope.span.bytes)
    }
}
