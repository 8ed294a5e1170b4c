public import ShaleBase

/// One version of one key, as a log or a segment holds it.
public struct StoredVersion: Sendable, Hashable {
    public let namespace: NamespaceID
    public let key: [UInt8]
    public let sequence: SequenceNumber
    /// Whether it says that the key was deleted.
    public let isDelete: Bool
    public let isPurgeable: Bool
    /// Milliseconds since 1970; `nil` = never.
    public let expiresAtMilliseconds: Int64?
    /// As the engine keeps it: of a typed store, an envelope.
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

    /// The trailer that it was stored with.
    var trailer: Trailer {
        Trailer(
            sequence,
            isDelete ? .delete : .put(purgeable: isPurgeable, hasExpiry: expiresAtMilliseconds != nil))
    }
}
