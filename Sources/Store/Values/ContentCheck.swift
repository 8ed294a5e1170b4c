package import ShaleBase

/// Checks that a store could hold a namespace and its values as stated in a dump. A load then rejects what reads would
/// reject.
///
/// Namespaces whose names are not the store's (Shale.docc, "Names and options of namespaces") belong to users of the
/// raw engine. Their contents are not checked.
package struct ContentCheck: Sendable {
    /// The ids of the namespace's data keys; `nil` for a namespace of the raw engine, whose values are not checked.
    private let dataKeys: Set<UInt32>?

    /// Checks a namespace's name and options. Throws the errors of reading them.
    package init(name: [UInt8], options: [UInt8]) throws(StorageError) {
        if name == KeyRecord.namespaceName { _ = try KeyRecord(bytes: options) }
        if name == InstallGeneration.namespaceName { _ = try InstallGeneration(options) }
        guard let parsed = NamespaceName(bytes: name) else {
            dataKeys = nil
            return
        }
        _ = try parsed.checkedBytes()
        dataKeys = Set(try CatalogueOptions(bytes: options).dataKeys.map(\.id))
    }

    /// Checks a value and its header. Throws the errors of reading the value. Encrypted values are not decrypted;
    /// values of an application's codec are not decoded.
    package func check(_ value: Bytes) throws(StorageError) {
        guard let dataKeys else { return }
        guard Envelope.isPlain(value) else {
            let sealed = try SealedEnvelope(value)
            guard dataKeys.contains(sealed.dataKey) else {
                throw .corruption("a value names a data key that its namespace does not have")
            }
            return
        }
        try ContentCheck.check(try Envelope(value))
    }

    /// Checks a payload that is to be stored. Throws `.codecFailure` if a read would reject it, and `.newerFormat` for
    /// a codec that this version does not know.
    package static func checkForWriting(_ payload: [UInt8], _ codec: ValueCodec) throws(StorageError) {
        guard codec.rawValue != 0 else { throw .invalid("0 is not a codec") }
        do throws(StorageError) {
            try unsafe payload.span.bytes.withUnsafeBytes { (buffer) throws(StorageError) in
                try check(Envelope(codec: codec, payload: unsafe Bytes(buffer)))
            }
        } catch {
            guard error.code == .corruption else { throw error }
            throw StorageError(.codecFailure, "a payload is not a valid \(codec): \(error.message)", cause: error)
        }
    }

    private static func check(_ envelope: Envelope) throws(StorageError) {
        switch envelope.codec {
        case .data: return
        case .json: try JSONCheck.check(envelope.payload.span)
        case .compact: try CompactCheck.check(envelope.payload)
        case .archive: _ = try KeyedArchive(envelope.payload.span)
        case .versioned:
            let parsed = try VersionedPayload(envelope.payload, .versioned)
            try check(Envelope(codec: parsed.codec, payload: parsed.document))
        default:
            // A load does not have the application's codecs.
            guard !CodecTable.ids.contains(envelope.codec.rawValue) else { return }
            _ = try StoredValue(envelope, .none)
        }
    }
}
