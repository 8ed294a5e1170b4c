import ShaleBase

#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// What is known of an entry without decoding its value.
public struct ValueInfo: Sendable, Hashable {
    public let codec: ValueCodec
    /// Bytes of the encoded value, without the header that the store puts before it. Of an encrypted value, with what the
    /// cipher adds: 16 bytes for the standard one.
    public let payloadByteCount: Int
    /// Whether the value is encrypted.
    public let isEncrypted: Bool
    /// Whether a purge takes the entry.
    public let isPurgeable: Bool
    /// When the entry ceases to be there; `nil` = never.
    public let expiresAt: Date?
    /// When the value was written; `nil` in namespaces without an automatic ``PurgePolicy``, which don't keep it.
    public let writtenAt: Date?

    /// Of the envelope `value`, encrypted or not.
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
