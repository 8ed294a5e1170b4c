package import ShaleBase
import ShaleEngine

/// Steps over the entries of a range, for modules that build on namespaces.
///
/// A ``Scan`` is generic over its elements, and so compiled once for all of them. This form reads keys and values where
/// they lie. Used by one thread. After an error the walk has ended.
package struct NamespaceWalk: ~Copyable {
    private let source: Store.Namespace.Source
    private var position: ReadPosition

    /// Begins before the first entry of a range; returns `nil` if the namespace does not exist. Throws the errors of
    /// a scan. `readsMany` is true if the caller expects to read many entries.
    package init?(
        _ source: Store.Namespace.Source, _ range: KeyRange, isReversed: Bool, readsMany: Bool = false
    ) throws(StorageError) {
        guard
            let position = try source.position(range, isReversed ? .reversed : .forward, readsMany: readsMany)
        else { return nil }
        self.source = source
        self.position = position
    }

    /// Moves to the next entry; returns false at the end. Throws the errors of ``Scan/Cursor/next()``.
    package mutating func next() throws(StorageError) -> Bool {
        try source.state.core.requireOpen()
        return try position.cursor.next()
    }

    /// Passes the key and the bytes of the current entry to `body`.
    ///
    /// - Throws: The errors of decrypting; `.typeMismatch` if the value is no bytes; the errors of `body`.
    package func withBytes(
        _ body: (_ key: RawSpan, _ bytes: RawSpan) throws(StorageError) -> Void
    ) throws(StorageError) {
        try withEnvelope { (key, envelope) throws(StorageError) in
            guard envelope.codec == .data else { throw .unexpected(envelope.codec, requested: "bytes") }
            try body(key, envelope.payload.span)
        }
    }

    /// Passes the key and a copy of the document of the current entry to `body`, or the error of reading the document.
    package func document(
        _ body: (_ key: RawSpan, _ document: Result<VersionedDocument, StorageError>) -> Void
    ) {
        position.cursor.withCurrent { (key, value, info) in
            let document = Result { () throws(StorageError) -> VersionedDocument in
                try source.state.withPlain(value, info, key, position.id) { (plain) throws(StorageError) in
                    try VersionedDocument(envelope: plain)
                }
            }
            body(key, document)
        }
    }

    /// Passes the key, a copy of the document of the current entry and what is known of the entry to `body`, or the
    /// error of reading the document.
    package func documentWithInfo(
        _ body: (_ key: RawSpan, Result<(document: VersionedDocument, info: ValueInfo), StorageError>) -> Void
    ) {
        position.cursor.withCurrent { (key, value, info) in
            let found = Result { () throws(StorageError) -> (document: VersionedDocument, info: ValueInfo) in
                let state = source.state
                let document = try state.withPlain(value, info, key, position.id) { (plain) throws(StorageError) in
                    try VersionedDocument(envelope: plain)
                }
                return (document, try ValueInfo(value, info, state, position.id))
            }
            body(key, found)
        }
    }

    /// Passes the key, the compact document of the current entry where it lies, and what is known of the entry to
    /// `body`. Returns the result of `body`.
    ///
    /// Returns false if the entry has no compact document of this version, or can't be read: ``documentWithInfo(_:)``
    /// has the error then. `body` runs while the engine's memory is pinned, so it calls no code of the application.
    package func withCompactDocument(
        ofVersion version: Int,
        _ body: (_ key: RawSpan, CompactValue, ValueInfo) throws(StorageError) -> Bool
    ) throws(StorageError) -> Bool {
        var result: Result<Bool, StorageError> = .success(false)
        position.cursor.withCurrent { (key, value, info) in
            do throws(StorageError) {
                let state = source.state
                let known = try ValueInfo(value, info, state, position.id)
                try state.withPlain(value, info, key, position.id) { (plain) throws(StorageError) in
                    try Envelope.read(plain) { (envelope) throws(StorageError) in
                        let payload = try VersionedPayload(envelope.payload, envelope.codec)
                        guard payload.version == version, payload.codec == .compact else { return }
                        let document = try CompactValue(document: payload.document)
                        result = Result { () throws(StorageError) in try body(key, document, known) }
                    }
                }
            } catch {
                result = .success(false)
            }
        }
        return try result.get()
    }

    private func withEnvelope(
        _ body: (_ key: RawSpan, _ envelope: Envelope) throws(StorageError) -> Void
    ) throws(StorageError) {
        var failure: StorageError?
        position.cursor.withCurrent { (key, value, info) in
            do throws(StorageError) {
                try source.state.withPlain(value, info, key, position.id) { (plain) throws(StorageError) in
                    try Envelope.read(plain) { (envelope) throws(StorageError) in try body(key, envelope) }
                }
            } catch {
                failure = error
            }
        }
        if let failure { throw failure }
    }
}

extension Store.Namespace.Source {
    /// Returns a copy of the document of `key`; `nil` if the key is missing. Throws the errors of
    /// ``NamespaceReader/value(forKey:using:)``, except those of decoding.
    package func document(forKey key: [UInt8]) throws(StorageError) -> VersionedDocument? {
        try unsafe withEnvelope(key.span.bytes) { (envelope) throws(StorageError) in
            try VersionedDocument(envelope: envelope)
        }
    }

    /// Returns true if `key` has these bytes.
    package func hasBytes(_ bytes: [UInt8], forKey key: [UInt8]) throws(StorageError) -> Bool {
        try unsafe withEnvelope(key.span.bytes) { (envelope) throws(StorageError) in
            try Envelope.read(envelope) { (envelope) in
                envelope.codec == .data && bytes.withBytes { $0 == envelope.payload }
            }
        } ?? false
    }

    /// Returns the number of keys in a range. See ``Scan/count()``.
    package func keyCount(in range: KeyRange) throws(StorageError) -> Int { try count(range) }
}
