package import ShaleBase
import ShaleEngine

#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// The properties of an entry that are known without decoding its value.
public struct ValueInfo: Sendable, Hashable {
    public let codec: ValueCodec
    /// The size of the encoded value in bytes, without the store's header.
    ///
    /// For an encrypted value it includes the bytes that the cipher adds: 16 for the standard cipher.
    public private(set) var payloadByteCount: Int
    /// True if the value is encrypted.
    public let isEncrypted: Bool
    /// True if a purge removes the entry.
    public let isPurgeable: Bool
    /// The time when the entry expires; `nil` means never.
    public var expiresAt: Date? { expiresAtMilliseconds.map { Date(millisecondsSince1970: $0) } }
    /// Exact, unlike a `Date`.
    private let expiresAtMilliseconds: Int64?
    /// The cipher that the write named; `nil` if it was the namespace's or the store's, and if the store was opened
    /// without encryption.
    private let chosenCipher: CipherID?
    /// The time of writing; `nil` in namespaces without an automatic ``PurgePolicy``, which don't store it.
    public let writtenAt: Date?

    /// The options that store the value again as it is stored now, with the same time of expiry. They override the
    /// defaults of the namespace.
    ///
    /// ```swift
    /// if let info = try sessions.info(forKey: "s1") { try sessions.set(renewed, forKey: "s1", options: info.options) }
    /// ```
    /// To do this without losing a write of another thread, use a transaction: `transaction[sessions].info(forKey:)`.
    /// A value that was encrypted with a cipher that its write named keeps the cipher if the store was opened with
    /// encryption.
    public var options: ValueOptions {
        [
            isPurgeable ? .purgeable : .notPurgeable,
            expiresAtMilliseconds.map { .expires(atMilliseconds: $0) } ?? .neverExpires,
            isEncrypted ? chosenCipher.map { .encrypted(with: $0) } ?? .encrypted : .notEncrypted,
        ]
    }

    /// Reads an envelope, encrypted or not, of an entry in another place than the engine.
    package init(
        envelope: RawSpan, isPurgeable: Bool, expiresAtMilliseconds: Int64?
    ) throws(StorageError) {
        let header = try Header(envelope)
        codec = header.codec
        payloadByteCount = header.payloadByteCount
        isEncrypted = header.dataKey != nil
        writtenAt = header.writtenAt
        self.isPurgeable = isPurgeable
        self.expiresAtMilliseconds = expiresAtMilliseconds
        chosenCipher = nil
    }

    /// Reads the envelope `value`, encrypted or not, of an entry in the namespace `id`.
    init(
        _ value: RawSpan, _ entry: EntryInfo, _ state: NamespaceState, _ id: NamespaceID
    ) throws(StorageError) {
        let header = try Header(value)
        codec = header.codec
        payloadByteCount = header.payloadByteCount
        writtenAt = header.writtenAt
        isEncrypted = header.dataKey != nil
        isPurgeable = entry.isPurgeable
        expiresAtMilliseconds = entry.expiresAtMilliseconds
        let slot = header.dataKey.flatMap { state.core.keyRing?.keys(of: id)?.key($0)?.slot }
        chosenCipher = slot?.isChosen == true ? slot?.cipher : nil
    }

    /// The bytes that have the whole header of an envelope for which ``Envelope/isShort(_:)`` is true.
    static let beginningBytes = 64

    /// Reads the first ``beginningBytes`` of an envelope of `byteCount` bytes, encrypted or not, of an entry in the
    /// namespace `id`.
    init(
        beginning: Bytes, byteCount: Int, _ entry: EntryInfo, _ state: NamespaceState, _ id: NamespaceID
    ) throws(StorageError) {
        try self.init(beginning.span, entry, state, id)
        payloadByteCount += byteCount - beginning.count
    }

    /// The properties of a value that its envelope tells.
    private struct Header {
        let codec: ValueCodec
        let payloadByteCount: Int
        /// `nil` if the value is not encrypted.
        let dataKey: UInt32?
        let writtenAt: Date?

        init(_ value: RawSpan) throws(StorageError) {
            self = try unsafe value.withUnsafeBytes { (buffer) throws(StorageError) in
                try Header(unsafe Bytes(buffer))
            }
        }

        private init(_ value: Bytes) throws(StorageError) {
            writtenAt = try EnvelopeExtension.writtenAt(value).map { Date(millisecondsSince1970: $0) }
            if Envelope.isPlain(value) {
                let envelope = try Envelope(value)
                (codec, payloadByteCount, dataKey) = (envelope.codec, envelope.payload.count, nil)
            } else {
                let envelope = try SealedEnvelope(value)
                codec = ValueCodec(rawValue: envelope.codec)
                (payloadByteCount, dataKey) = (envelope.payloadByteCount, envelope.dataKey)
            }
        }
    }
}

extension Date {
    /// Makes the date of a time that the engine counts in milliseconds.
    package init(millisecondsSince1970 milliseconds: Int64) {
        self.init(timeIntervalSince1970: Double(milliseconds) / 1000)
    }
}
