public import ShaleBase

/// One version of one key in a log or a segment.
public struct StoredVersion: Sendable, Hashable {
    public let namespace: NamespaceID
    public let key: [UInt8]
    public let sequence: SequenceNumber
    /// True if the version is a delete.
    public let isDelete: Bool
    public let isPurgeable: Bool
    /// The time of expiry in milliseconds since 1970; `nil` = never.
    public let expiresAtMilliseconds: Int64?
    /// The value as the engine stores it. In a typed store it is an envelope.
    public let value: [UInt8]

    init(_ namespace: NamespaceID, _ key: [UInt8], _ trailer: Trailer, expiry: Int64, value: [UInt8]) {
        self.namespace = namespace
        self.key = key
        sequence = trailer.sequence
        isDelete = trailer.kind.isDelete
        isPurgeable = trailer.kind.isPurgeable
        expiresAtMilliseconds = trailer.kind.hasExpiry ? expiry : nil
        self.value = value
    }

    /// The trailer of the stored version.
    var trailer: Trailer {
        Trailer(
            sequence,
            isDelete ? .delete : .put(purgeable: isPurgeable, hasExpiry: expiresAtMilliseconds != nil))
    }
}
