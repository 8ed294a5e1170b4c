/// Limits of format 1: what a parser accepts and a writer may produce. DESIGN.md, "Limits".
///
/// Computed, so that other modules see numbers: a stored constant of another module is a call and a load.
@usableFromInline
package enum FormatLimits {
    @inlinable package static var keyBytes: Int { 16 * 1024 }
    @inlinable package static var valueBytes: Int { 32 << 20 }
    @inlinable package static var batchBytes: Int { 64 << 20 }
    @inlinable package static var namespaceNameBytes: Int { 4096 }
    @inlinable package static var namespaceOptionsBytes: Int { 4096 }
    /// Ids are never reused, so this bounds the namespaces created in a store's whole life.
    @inlinable package static var namespaceIDs: UInt32 { 1 << 24 }
    /// Namespaces alive at one time.
    @inlinable package static var liveNamespaces: Int { 65_536 }
    /// L0 … L6.
    @inlinable package static var levels: Int { 7 }
}
