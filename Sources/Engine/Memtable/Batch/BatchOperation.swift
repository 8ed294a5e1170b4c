package import ShaleBase

/// One mutation of a batch, lent from the batch's bytes.
package struct BatchOperation: Sendable {
    package let kind: EntryKind
    package let namespace: NamespaceID
    package let userKey: Bytes
    package let value: Bytes
    /// Milliseconds since 1970; 0 unless the kind has one.
    package let expiry: Int64
}
