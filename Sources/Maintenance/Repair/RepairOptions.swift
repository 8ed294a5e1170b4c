public import ShaleEngine

/// The options of a repair.
public struct RepairOptions: Sendable {
    /// True if the new store also receives entries that a lost part may have deleted or overwritten.
    ///
    /// Default false: every entry of the new store is then the last version that the old one held.
    public var keepsUncertain = false

    /// The compression of the new store.
    public var compression = EngineOptions.Compression.zstd(level: 1)

    public init() {}
}
