#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// What is known of an entry without decoding its value.
public struct ValueInfo: Sendable, Hashable {
    public let codec: ValueCodec
    /// Bytes of the encoded value, without the header that the store puts before it.
    public let payloadByteCount: Int
    /// Whether a purge takes the entry.
    public let isPurgeable: Bool
    /// When the entry ceases to be there; `nil` = never.
    public let expiresAt: Date?

    init(_ envelope: Envelope, _ entry: EntryInfo) {
        codec = envelope.codec
        payloadByteCount = envelope.payload.count
        isPurgeable = entry.isPurgeable
        expiresAt = entry.expiresAtMilliseconds.map { Date(timeIntervalSince1970: Double($0) / 1000) }
    }
}
