public import ShaleEngine

/// How a store is repaired.
public struct RepairOptions: Sendable {
    /// Whether the new store also gets entries that something that is lost may have deleted or overwritten. Off by default:
    /// then everything in the new store is what the old one held last.
    public var keepsUncertain = false

    /// Compression of the new store.
    public var compression = EngineOptions.Compression.zstd(level: 1)

    public init() {}
}
