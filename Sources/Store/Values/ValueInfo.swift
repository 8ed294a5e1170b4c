import ShaleBase

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
    public let expiresAt: Date?
    /// The time of writing; `nil` in namespaces without an automatic ``PurgePolicy``, which don't store it.
    public let writtenAt: Date?

    /// Reads the envelope `value`, encrypted or not.
    init(_ value: RawSpan, _ entry: EntryInfo) throws(StorageError) {
        let written: Int64?
        (codec, payloadByteCount, isEncrypted, written) = try unsafe value.withUnsafeBytes {
            (buffer) throws(StorageError) in
            let value = unsafe Bytes(buffer)
            let written = try EnvelopeExtension.writtenAt(value)
            if Envelope.isPlain(value) {
                let envelope = try Envelope(value)
                return (envelope.codec, envelope.payload.count, false, written)
            }
            let envelope = try SealedEnvelope(value)
            return (ValueCodec(rawValue: envelope.codec), envelope.payloadByteCount, true, written)
        }
        isPurgeable = entry.isPurgeable
        expiresAt = entry.expiresAtMilliseconds.map { Date(timeIntervalSince1970: Double($0) / 1000) }
        writtenAt = written.map { Date(timeIntervalSince1970: Double($0) / 1000) }
    }
}
