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
    public let payloadByteCount: Int
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
        let written: Int64?
        (codec, payloadByteCount, isEncrypted, written) = try unsafe envelope.withUnsafeBytes {
            (buffer) throws(StorageError) -> (ValueCodec, Int, Bool, Int64?) in
            let value = unsafe Bytes(buffer)
            let written = try EnvelopeExtension.writtenAt(value)
            if Envelope.isPlain(value) {
                let envelope = try Envelope(value)
                return (envelope.codec, envelope.payload.count, false, written)
            }
            let envelope = try SealedEnvelope(value)
            return (ValueCodec(rawValue: envelope.codec), envelope.payloadByteCount, true, written)
        }
        self.isPurgeable = isPurgeable
        self.expiresAtMilliseconds = expiresAtMilliseconds
        chosenCipher = nil
        writtenAt = written.map { Date(millisecondsSince1970: $0) }
    }

    /// Reads the envelope `value`, encrypted or not, of an entry in the namespace `id`.
    init(
        _ value: RawSpan, _ entry: EntryInfo, _ state: NamespaceState, _ id: NamespaceID
    ) throws(StorageError) {
        let written: Int64?
        let dataKey: UInt32?
        (codec, payloadByteCount, dataKey, written) = try unsafe value.withUnsafeBytes {
            (buffer) throws(StorageError) -> (ValueCodec, Int, UInt32?, Int64?) in
            let value = unsafe Bytes(buffer)
            let written = try EnvelopeExtension.writtenAt(value)
            if Envelope.isPlain(value) {
                let envelope = try Envelope(value)
                return (envelope.codec, envelope.payload.count, nil, written)
            }
            let envelope = try SealedEnvelope(value)
            return (ValueCodec(rawValue: envelope.codec), envelope.payloadByteCount, envelope.dataKey, written)
        }
        isEncrypted = dataKey != nil
        isPurgeable = entry.isPurgeable
        expiresAtMilliseconds = entry.expiresAtMilliseconds
        let slot = dataKey.flatMap { state.core.keyRing?.keys(of: id)?.key($0)?.slot }
        chosenCipher = slot?.isChosen == true ? slot?.cipher : nil
        writtenAt = written.map { Date(millisecondsSince1970: $0) }
    }
}

extension Date {
    /// Makes the date of a time that the engine counts in milliseconds.
    package init(millisecondsSince1970 milliseconds: Int64) {
        self.init(timeIntervalSince1970: Double(milliseconds) / 1000)
    }
}
