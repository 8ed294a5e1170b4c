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

    // What no honest file says, so that sums and products over what files say can't overflow.

    /// Numbers of files.
    @inlinable package static var fileNumber: UInt64 { 1 << 62 }
    /// A segment's bytes, stored and raw, and its entries.
    @inlinable package static var segmentTotal: UInt64 { 1 << 48 }
    /// The same of a whole store.
    @inlinable package static var storeTotal: UInt64 { 1 << 56 }
    /// The last sequence that a store may be opened with: what is left above it, nobody uses up before the next opening.
    @inlinable package static var lastSequence: SequenceNumber { Trailer.sequenceMax - 1 << 52 }
}
