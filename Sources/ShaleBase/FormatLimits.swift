/// Limits of format 1: what a parser accepts and a writer may produce. DESIGN.md, "Limits".
package enum FormatLimits {
    package static let keyBytes = 16 * 1024
    package static let valueBytes = 32 << 20
    package static let batchBytes = 64 << 20
    package static let namespaceNameBytes = 4096
    package static let namespaceOptionsBytes = 4096
    /// Ids are never reused, so this bounds the namespaces created in a store's whole life.
    package static let namespaceIDs: UInt32 = 1 << 24
    /// Namespaces alive at one time.
    package static let liveNamespaces = 65_536
    /// L0 … L6.
    package static let levels = 7
}
