/// Limits of format 1: what a parser accepts and a writer may produce. DESIGN.md, "Limits".
///
/// The properties are computed, so that other modules inline the numbers: a stored constant of another module costs a
/// call and a load.
@usableFromInline
package enum FormatLimits {
    @inlinable package static var keyBytes: Int { 16 * 1024 }
    @inlinable package static var valueBytes: Int { 32 << 20 }
    /// The size of a value that is written in pieces.
    @inlinable package static var streamedValueBytes: Int { 1 << 30 }
    /// The size of a reference to a value file, which stands for a value.
    @inlinable package static var referenceBytes: Int { 28 }
    @inlinable package static var batchBytes: Int { 64 << 20 }
    @inlinable package static var namespaceNameBytes: Int { 4096 }
    @inlinable package static var namespaceOptionsBytes: Int { 4096 }
    /// Ids are never reused, so this bounds the namespaces that a store can create in its lifetime.
    @inlinable package static var namespaceIDs: UInt32 { 1 << 24 }
    /// The number of namespaces alive at one time.
    @inlinable package static var liveNamespaces: Int { 65_536 }
    /// The number of levels, L0 to L6.
    @inlinable package static var levels: Int { 7 }

    // Bounds that no valid file exceeds, so that sums and products of numbers read from files can't overflow.

    /// The highest file number.
    @inlinable package static var fileNumber: UInt64 { 1 << 62 }
    /// The largest size of a segment in bytes, stored or raw, and its largest number of entries.
    @inlinable package static var segmentTotal: UInt64 { 1 << 48 }
    /// The same limit for a whole store.
    @inlinable package static var storeTotal: UInt64 { 1 << 56 }
    /// The last sequence with which a store may be opened. It leaves 2^52 sequences, more than are used up before the
    /// next opening.
    @inlinable package static var lastSequence: SequenceNumber { Trailer.sequenceMax - 1 << 52 }
}
