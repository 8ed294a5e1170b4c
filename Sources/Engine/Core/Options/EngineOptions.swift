import ShaleBase
import ShaleMemtable
import ShalePlatform
import ShaleSegment

/// How an engine is opened. All bounds are checked by ``Engine/open(at:options:)``, which lists every violation at once.
public struct EngineOptions: Sendable {
    /// What a missing store means.
    public enum Mode: Sendable, Hashable {
        /// Open, or create when there is nothing.
        case createIfMissing
        /// Open; a missing store is an error of code `.missing`.
        case openExisting
        /// Open without writing anything, not even the lock, beside a writer in another process or alone. The store is
        /// seen as it was when it was opened. Writes throw `.readOnly`.
        case readOnly
    }

    /// Compression of data blocks.
    public enum Compression: Sendable, Hashable {
        case none
        case lz4
        /// Levels −5 … 19; 1 is the best trade for background work on few cores.
        case zstd(level: Int)
    }

    public var mode = Mode.createIfMissing

    /// For writes that do not say. Default ``Durability/buffered``.
    public var durability = Durability.buffered

    /// Buffered batches are made durable at least this often; `nil` leaves it to the operating system. 10 ms … 1 h,
    /// default 1 s.
    public var syncInterval: Duration? = .seconds(1)

    /// Whether buffered commits are stored into a mapping of the log, which saves a system call each, where that is as
    /// honest as `write`: Linux 5.14 or newer on ext4, XFS or tmpfs. Handles SIGBUS of its own addresses; see DESIGN.md,
    /// "Mapped logs". Otherwise, and when a mapping fails, logs are written. Default true.
    public var mapsLogs = true

    /// Bytes of memory for everything: memtables, block cache, indexes, filters. At least 4 × ``memtableBytes``, or
    /// 8 MiB. Default 256 MiB.
    public var memoryBudget = 256 << 20

    /// Bytes of one memtable, and so about of one log. 64 KiB … 512 MiB, default 32 MiB.
    public var memtableBytes = 32 << 20

    /// Full memtables that may wait for their flush before writers wait. 1 … 8, default 2.
    public var immutableMemtables = 2

    /// Raw bytes of a data block. 1 … 64 KiB, default 16 KiB.
    public var blockBytes = 16 << 10

    /// Stored bytes of a segment of the last level. 64 KiB … 1 GiB, default 32 MiB.
    public var segmentBytes = 32 << 20

    /// Stored bytes of a segment above the last level. 16 KiB … 1 GiB, default 8 MiB.
    public var upperSegmentBytes = 8 << 20

    /// Compression above the last level. Default LZ4.
    public var upperCompression = Compression.lz4

    /// Compression of the last level, which holds most of the data. Default zstd 1.
    public var lastCompression = Compression.zstd(level: 1)

    /// Whether compactions into the last level train a zstd dictionary for each namespace and keep it where it saves enough,
    /// mostly of small values that resemble each other. Takes ``lastCompression`` with a level of 1 or more. Versions of
    /// Shale before dictionaries don't open a store that has some (`.newerFormat`). Default true.
    public var trainsDictionaries = true

    /// Data bytes of a namespace in one compaction from which a dictionary is looked for.
    package var dictionaryDataBytesMin = 4 << 20

    /// Filter bits per key, by level from L0 to L6; 0 = no filter. 0 … 20 each.
    public var filterBitsPerKey = [16, 16, 16, 14, 12, 10, 8]

    /// L0 segments at which compaction starts, writes are slowed, writes wait. Rising; default 4, 12, 24. Compaction waits
    /// for up to twice as many, within the slowdown, while it would rewrite more of the next level than it moves down.
    public var l0CompactionTrigger = 4
    public var l0SlowdownTrigger = 12
    public var l0StopTrigger = 24

    /// Stored bytes below which the tree keeps one level under L0. 64 KiB … 1 TiB, default 256 MiB.
    public var baseLevelBytes = 256 << 20

    /// Each level is this many times larger than the one above. 4 … 16, default 10.
    public var fanOut = 10

    /// Threads that compact, beside the flush thread. 1 … 16; default: half the cores, at most 4.
    public var compactionThreads = EngineOptions.defaultCompactionThreads

    /// Threads of a manual compaction, the caller's among them: large jobs are cut into ranges of keys, which are merged side by
    /// side by fewer threads if they would take more than a quarter of ``memoryBudget``. One more than there are
    /// processors keeps these busy while a thread waits for the disk. 1 … 64, default 2.
    public var manualCompactionThreads = 2

    /// Segment files that are kept open. 16 … 65 536, default 512.
    public var openFileLimit = 512

    /// A write that would have to wait longer for background work throws `.stalled` and was not applied. Bounds writes only:
    /// `flush`, `close`, `checkpoint`, `compact` and `reclaim` wait for as long as their work takes. Default `nil`: so do
    /// writes.
    public var stallDeadline: Duration?

    /// How often the engine tells tools of other processes what its statistics are, in the store's file `STATISTICS`, if they
    /// have changed; nothing of it is synced. `nil` for never. 100 ms … 1 h, default 1 s.
    public var statisticsInterval: Duration? = .seconds(1)

    /// Where time comes from: expiry compares with its wall clock.
    public var time: any TimeSource = SystemTime()

    public init() {}
}
