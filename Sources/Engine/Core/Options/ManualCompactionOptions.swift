/// How a manual compaction goes about it.
public struct ManualCompactionOptions: Sendable, Hashable {
    /// Whether what was compressed with another codec, or another level of zstd, than ``EngineOptions/lastCompression`` says is
    /// written anew. Segments say how they were compressed, so what an earlier call has finished stays. Without it only
    /// the codec counts.
    public var recompresses = false

    /// Disk space that may be taken meanwhile, in bytes, on top of what the store has; `nil`: no bound but that of a job, about
    /// 800 MiB. With a bound the work goes range by range, and what is replaced is deleted before the next begins. What
    /// the store can't be compacted in is refused with `.invalid` before anything is written, telling how much it takes.
    /// Writes during the compaction, and readers that hold replaced segments, come on top.
    public var extraDiskBytesMax: UInt64?

    public init() {}
}
