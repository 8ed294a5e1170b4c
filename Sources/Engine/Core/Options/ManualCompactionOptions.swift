/// The options of a manual compaction.
public struct ManualCompactionOptions: Sendable, Hashable {
    /// True to rewrite data whose codec or zstd level differs from ``EngineOptions/lastCompression``.
    ///
    /// If false, only a different codec counts. Segments record their compression, so the finished part of an earlier
    /// call is not repeated.
    public var recompresses = false

    /// The disk space that the compaction may take in addition to the store's, in bytes. `nil`: the bound of a job,
    /// about 800 MiB with the default ``EngineOptions/segmentBytes``.
    ///
    /// With a bound, ranges are compacted one after the other, and replaced files are deleted before the next range. If
    /// the store can't be compacted within the bound, the call throws `.invalidArgument` before it writes anything,
    /// with the space that it needs. Concurrent writes, and replaced segments that readers hold, take additional space.
    public var extraDiskBytesMax: UInt64?

    public init() {}
}
