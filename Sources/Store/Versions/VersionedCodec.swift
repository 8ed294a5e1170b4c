public import ShaleBase

/// The versions of a type of values, from the first to the current one, with a migration from each version to the next.
///
/// ```swift
/// extension Track {
///     static let codec = VersionedCodec(TrackV1.self)
///         .then(TrackV2.self) { TrackV2(title: $0.title, seconds: Double($0.length)) }
///         .then(Track.self) { Track(title: $0.title, length: .seconds($0.seconds), tags: []) }
/// }
/// extension Keys { static let favourite = Key<Track?>("favourite", using: Track.codec) }
///
/// try tracks.set(track, forKey: "a", using: Track.codec)
/// let track = try tracks.value(forKey: "a", using: Track.codec)
/// ```
/// Each write stores the number of the current version with the value. Each read decodes the version that was stored
/// and runs the migrations from there to the current version. A read does not write: the next `set` or `update` of the
/// key, or ``Store/Namespace/migrateValues(in:using:progress:)``, stores the current version.
///
/// A value that was stored without a version counts as version 1. Plain reads, such as
/// ``NamespaceReader/value(forKey:as:)``, throw `.typeMismatch` for a value with a version.
///
/// A step whose old type no longer exists can read ``StructuredValue``, which decodes from any document:
/// `VersionedCodec(StructuredValue.self).then(Track.self) { try Track(oldDocument: $0) }`.
///
/// Migrations may run on any thread, several times for one value, and also for values of a snapshot. They should
/// therefore depend on their argument only. The store holds no lock while they run, except in `update`, whose
/// transaction may run again.
public struct VersionedCodec<Value: Codable & Sendable>: Sendable {
    /// The number of the first version that can be read.
    public let first: Int
    /// The number of the version that is written.
    public let current: Int

    private let format: CodableFormat?
    /// Decodes a document of a version from `first` to `current`.
    private let chain: Decoding

    /// Decodes a document of a version, as one of a session if there is one.
    private typealias Decoding = @Sendable (CopiedPayload, Int, CompactSession?) throws(StorageError) -> Value
    private var recovery: (@Sendable (UndecodableValue) throws -> Value)?

    /// Makes a codec with one version. Add the later ones with ``then(_:migrate:)``.
    ///
    /// - Parameters:
    ///   - type: The type of the first version's values.
    ///   - version: The number of the first version. Pass more than 1 once the code of earlier versions has been
    ///     deleted; their values then throw `.codecFailure`.
    ///   - format: The format of documents that are written. `nil` means the type's own encoding if it has one,
    ///     otherwise ``Store/Options/codableFormat``. Documents of either format can be read.
    /// - Precondition: `version` is 1 … 4 294 967 295.
    public init(_ type: Value.Type, version: Int = 1, as format: CodableFormat? = nil) {
        precondition(VersionedPayload.versions.contains(version), "a version is a number from 1 to 2^32 - 1")
        self.init(version, version, format) { (payload, _, session) throws(StorageError) in
            try payload.decoded(Value.self, session)
        }
    }

    private init(
        _ first: Int, _ current: Int, _ format: CodableFormat?,
        _ chain: @escaping Decoding
    ) {
        self.first = first
        self.current = current
        self.format = format
        self.chain = chain
    }

    /// Returns a codec with one more version, whose number is ``current`` + 1.
    ///
    /// A version that has been in use must never change: neither its number, nor the documents that its type decodes.
    ///
    /// - Parameters:
    ///   - type: The type of the new version's values.
    ///   - migrate: Makes a value of the new version from one of the version before. An error thrown here reaches the
    ///     reader as the cause of a `.codecFailure`; a ``StorageError`` reaches it unchanged.
    /// - Returns: A codec without a recovery; call ``recovering(_:)`` last.
    public func then<Next: Codable & Sendable>(
        _ type: Next.Type = Next.self, migrate: @escaping @Sendable (Value) throws -> Next
    ) -> VersionedCodec<Next> {
        let number = current + 1
        let earlier = chain
        return VersionedCodec<Next>(first, number, format) { (payload, version, session) throws(StorageError) in
            guard version < number else { return try payload.decoded(Next.self, session) }
            let old = try earlier(payload, version, session)
            do {
                return try migrate(old)
            } catch {
                throw error as? StorageError
                    ?? StorageError(.codecFailure, "a value can't be migrated version=\(number)", cause: error)
            }
        }
    }

    /// Returns a codec of the same versions that passes each decoded value to `check`, and returns its result.
    package func checked(
        _ check: @escaping @Sendable (Value) throws(StorageError) -> Value
    ) -> VersionedCodec {
        let decode = chain
        return VersionedCodec(first, current, format) { (payload, version, session) throws(StorageError) in
            try check(try decode(payload, version, session))
        }
    }

    /// Returns a codec that calls `recovery` for each value that can't be decoded.
    ///
    /// ```swift
    /// let lenient = Track.codec.recovering { failure in
    ///     guard failure.error.code != .newerFormat else { throw failure.error }
    ///     return Track(title: "unreadable", length: .zero, tags: [])
    /// }
    /// ```
    /// `recovery` returns a replacement, or throws; ``UndecodableValue/error`` is the error that the read throws
    /// without it. It is called for a value with a newer or a deleted version, a document that does not decode, and an
    /// error of a migration. It is not called for a missing key, for failures to read or to decrypt, or for a value
    /// whose header is damaged.
    ///
    /// Reads do not store the replacement, and ``Store/Namespace/migrateValues(in:using:progress:)`` does not call
    /// `recovery`: the stored bytes stay until the application writes the key. An `update` writes what its body makes
    /// of the replacement.
    public func recovering(_ recovery: @escaping @Sendable (UndecodableValue) throws -> Value) -> VersionedCodec {
        var codec = self
        codec.recovery = recovery
        return codec
    }
}

extension VersionedCodec {
    /// True if a recovery replaces values that can't be decoded.
    package var recovers: Bool { recovery != nil }

    /// Returns a codec that reads a part of each value. `part` reads it from compact documents of the current version.
    /// Every other value is decoded and migrated, and passed to `whole`.
    ///
    /// The result writes nothing and recovers nothing.
    package func reading<Part: Codable & Sendable>(
        _ part: @escaping @Sendable (CompactValue) throws(StorageError) -> Part,
        whole: @escaping @Sendable (Value) throws(StorageError) -> Part
    ) -> VersionedCodec<Part> {
        let (current, chain) = (current, chain)
        return VersionedCodec<Part>(first, current, format) { (payload, version, session) throws(StorageError) in
            guard version == current, let document = try payload.compactDocument else {
                return try whole(try chain(payload, version, session))
            }
            return try part(document)
        }
    }
}

/// A stored value that its ``VersionedCodec`` can't decode.
public struct UndecodableValue: Sendable {
    /// The error: `.newerFormat` for a version above ``VersionedCodec/current``, `.typeMismatch` or `.codecFailure` for
    /// a document that does not decode or migrate, `.corruption` for a document that is damaged.
    public let error: StorageError
    /// The version that the value was stored with.
    public let version: Int
    private let payload: CopiedPayload

    init(_ error: StorageError, _ document: VersionedDocument) {
        self.error = error
        version = document.version
        payload = document.payload
    }

    /// The encoding of the document.
    public var codec: ValueCodec { payload.codec }

    /// The document, decrypted if necessary.
    public var bytes: [UInt8] { [UInt8](payload.bytes) }

    /// Decodes the document as another type, for example ``StructuredValue``. Throws the errors of
    /// ``NamespaceReader/value(forKey:as:)``.
    public func decoded<T: Decodable>(as type: T.Type) throws(StorageError) -> T { try payload.decoded(T.self) }
}

extension EncodedValue {
    /// Decodes the value in an envelope with a codec.
    package static func decode<Value>(
        _ codec: VersionedCodec<Value>, _ value: RawSpan
    ) throws(StorageError) -> Value {
        try codec.decode(try VersionedDocument(envelope: value))
    }
}

extension VersionedCodec {
    /// Decodes a document, or lets the recovery replace it. With a session, its decoder is used.
    package func decode(
        _ document: VersionedDocument, _ session: CompactSession? = nil
    ) throws(StorageError) -> Value {
        do throws(StorageError) {
            return try decodeStrictly(document, session)
        } catch {
            guard let recovery else { throw error }
            do {
                return try recovery(UndecodableValue(error, document))
            } catch let failure {
                throw failure as? StorageError
                    ?? StorageError(.codecFailure, "a value can't be recovered", cause: failure)
            }
        }
    }

    /// Decodes a document and migrates it to the current version.
    func decodeStrictly(
        _ document: VersionedDocument, _ session: CompactSession? = nil
    ) throws(StorageError) -> Value {
        let version = document.version
        guard version <= current else {
            throw StorageError(
                .newerFormat, "a stored value has a newer version than its codec version=\(version) current=\(current)")
        }
        guard version >= first else {
            throw StorageError(
                .codecFailure, "a stored value has a version that its codec lacks version=\(version) first=\(first)")
        }
        return try chain(document.payload, version, session)
    }

    /// Passes the payload of a value in the current version to `body`. `standard` is the format of documents if the
    /// codec names none. With a session, its encoder is used.
    package func withPayload(
        _ value: Value, _ standard: CodableFormat, session: CompactSession? = nil,
        _ body: (RawSpan, ValueCodec) throws(StorageError) -> Void
    ) throws(StorageError) {
        if format == .compact || (format == nil && standard == .compact && !(Value.self is any StorableValue.Type)) {
            return try CompactCoder.with(value, version: current, session) { (payload) throws(StorageError) in
                try body(payload, .versioned)
            }
        }
        try EncodedValue.with(value, as: format, default: standard) { (document, codec) throws(StorageError) in
            try VersionedPayload.with(current, codec, document, body)
        }
    }
}
