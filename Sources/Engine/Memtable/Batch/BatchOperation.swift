package import ShaleBase

/// One mutation of a batch. The batch owns the bytes.
package struct BatchOperation: Sendable {
    package let kind: EntryKind
    package let namespace: NamespaceID
    package let userKey: Bytes
    package let value: Bytes
    /// Milliseconds since 1970; 0 unless the kind has an expiry.
    package let expiry: Int64
}
