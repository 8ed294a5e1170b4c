package import ShaleBase
import ShaleCompaction
import ShaleMemtable
package import ShalePlatform
package import ShaleSegment

extension Engine {
    /// The options of opening an engine. ``Engine/open(at:options:)`` checks all bounds and lists every violation at
    /// once.
    public struct Options: Sendable {
        /// The handling of a missing store, and the kind of access.
        public enum Mode: Sendable, Hashable {
            /// Opens the store, or creates it if it is missing.
            case createIfMissing
            /// Opens the store. If it is missing, the error is `.missing`.
            case openExisting
            /// Opens the store without writing anything, not even the lock.
            ///
            /// A writer in another process may have it open. Reads see the store as it was at opening;
            /// ``Engine/refreshed()`` returns it as it is now. Writes throw `.readOnly`.
            case readOnly
        }

        /// Compression of data blocks.
        public enum Compression: Sendable, Hashable {
            case none
            case lz4
            /// Levels −5 … 19; 1 is the best choice for background work on few cores.
            case zstd(level: Int)
        }

        public var mode = Mode.createIfMissing

        /// The durability of writes that don't specify one. Default ``Durability/buffered``.
        public var durability = Durability.buffered

        /// The longest interval between syncs of buffered batches; `nil` leaves them to the operating system. 10 ms … 1
        /// h, default 1 s.
        public var syncInterval: Duration? = .seconds(1)

        /// True if buffered commits are stored through a memory mapping of the log, which saves a system call each.
        ///
        /// Used only where a mapping reports errors as reliably as `write`: Linux 5.14 or newer on ext4, XFS or tmpfs.
        /// Otherwise, or if mapping fails, logs are written. The engine handles SIGBUS for its own addresses; see
        /// ShaleEngine.docc, "Appending through a mapping". Default true.
        public var mapsLogs = true

        /// The memory for memtables, block cache, indexes and filters together, in bytes. At least 4 ×
        /// ``memtableBytes`` and 8 MiB. Default 256 MiB.
        public var memoryBudget = 256 << 20

        /// The size of one memtable in bytes, and so about that of one log. 64 KiB … 512 MiB, default 32 MiB.
        public var memtableBytes = 32 << 20

        /// The number of full memtables that may wait for their flush before writers wait. 1 … 8, default 2.
        public var immutableMemtables = 2

        /// The uncompressed size of a data block in bytes. 1 … 64 KiB, default 16 KiB.
        public var blockBytes = 16 << 10

        /// The stored size of a segment of the last level in bytes. 64 KiB … 1 GiB, default 32 MiB.
        public var segmentBytes = 32 << 20

        /// The stored size of a segment above the last level in bytes. 16 KiB … 1 GiB, default 8 MiB.
        public var upperSegmentBytes = 8 << 20

        /// The compression above the last level. Default LZ4.
        public var upperCompression = Compression.lz4

        /// The compression of the last level, which holds most of the data. Default zstd 1.
        ///
        /// It also decides how values of split blocks are stored: ``splitsBlocks``. LZ4 and levels below 1 ask for the
        /// form that is read fastest, levels 1 and 2 for the same if it takes at most a quarter more space, and levels
        /// from 3 on for the smallest form.
        public var lastCompression = Compression.zstd(level: 1)

        /// True if compactions into the last level train zstd dictionaries.
        ///
        /// A namespace keeps a dictionary if it saves enough, mostly with small values that resemble each other.
        /// Requires a ``lastCompression`` of zstd with level 1 or more. With ``splitsBlocks`` the same holds for the
        /// text that the code of values refers to, under every compression. Versions of Shale without dictionaries
        /// don't open a store that has some (`.newerFormat`). Default true.
        public var trainsDictionaries = true

        /// The cases in which a block keeps keys apart from values, and each value so that it is read alone: format 2.
        public enum Splitting: Sendable, Hashable {
            /// Never: segments have format 1.
            case never
            /// Wherever values are stored plain, or as they are, and take little more space: at most a quarter, or an
            /// eighth with a ``lastCompression`` of zstd from level 3 on, which also permits values that scans decode
            /// more slowly.
            ///
            /// Compaction into the last level decides for each namespace by samples of its values. Documents mostly
            /// stay whole.
            case automatic
            /// Always. Documents then take about a quarter more space than under a dictionary, and a scan of those that
            /// are not in the cache up to 1.4 times the processor time.
            case always
        }

        /// The cases in which new segments have split blocks, for reads that miss the cache. Default
        /// ``Splitting/automatic``.
        ///
        /// A lookup that misses the cache reads and decodes one value instead of a block, and takes about a quarter of
        /// the time; a seek takes about a third: ShaleEngine.docc, "Reads beyond the cache". Older versions of Shale
        /// don't open a store that has segments of format 2 (`.newerFormat`). Segments keep their format until a
        /// compaction rewrites them; `compact` rewrites those that ``Splitting/never`` excludes, and those of format 1
        /// otherwise.
        public var splitsBlocks = Splitting.automatic

        /// True if lookups and seeks copy pieces of blocks of format 2 from a mapping of their segment, which saves a
        /// system call each. Linux only, and without effect on segments of format 1 and in read-only stores, whose
        /// files the owner may cut.
        ///
        /// Mappings are used while their pages are in memory. Samples of the time that reads take tell if they come
        /// from the device.
        ///
        /// The engine handles SIGBUS for its own addresses, as with ``mapsLogs``. A failed read is repeated without the
        /// mapping and throws `.ioFailure`. Mappings take as much address space as the segments have bytes, and what
        /// was read of them counts as resident memory of the process, which the kernel takes back when it needs it.
        /// Default true.
        public var mapsSegments = true

        /// The data of a namespace in one compaction, in bytes, from which training a dictionary is tried.
        package var dictionaryDataBytesMin = 4 << 20

        /// The filter bits per key, by level from L0 to L6; 0 = no filter. 0 … 20 each.
        public var filterBitsPerKey = [16, 16, 16, 14, 12, 10, 8]

        /// The number of L0 segments at which compaction starts. 1 … ``l0SlowdownTrigger``, default 4.
        ///
        /// Compaction starts later, at up to twice the trigger and within the slowdown, while it would rewrite more of
        /// the next level than it moves down.
        public var l0CompactionTrigger = 4
        /// The number of L0 segments at which writes are slowed. Below ``l0StopTrigger``, default 12.
        public var l0SlowdownTrigger = 12
        /// The number of L0 segments at which writes wait. 2 … 1000, default 24.
        public var l0StopTrigger = 24

        /// The stored size below which the tree keeps one level under L0, in bytes. 64 KiB … 1 TiB, default 256 MiB.
        public var baseLevelBytes = 256 << 20

        /// The ratio of the sizes of adjacent levels. 4 … 16, default 10.
        public var fanOut = 10

        /// The size in bytes from which a value is written once, to a value file that log and segments refer to. 0, the
        /// default, for never; otherwise 64 … 32 MiB.
        ///
        /// Sizes per namespace count 28 bytes for such a value; the capacities of purge policies count all of it.
        /// ``Engine/Statistics/valueFileBytes`` has the bytes of all value files. Checkpoints and backups have the
        /// value files; a copy or load has such files if its own options say so.
        ///
        /// Versions of Shale without value files refuse a store that has some. Setting the option to 0 later writes no
        /// new ones, and keeps those that are in use.
        public var largeValueBytes = 0

        /// The size in bytes at which a value file is full, and its log with it. 64 KiB … 4 GiB, default 256 MiB.
        ///
        /// Writers of large values wait when ``immutableMemtables`` full value files are not durable and the next one
        /// is full: at most (``immutableMemtables`` + 1) × `valueFileBytes` wait for the disk at any time. Opening the
        /// store after the death of its process copies as much.
        public var valueFileBytes = 256 << 20

        /// The most space that value files may take at rest, as a multiple of the values in use. 1.1 … 10, default 1.3.
        ///
        /// Compaction copies values out of files with more garbage. A smaller bound copies more.
        public var valueSpaceBound = 1.3

        /// The number of compaction threads, in addition to the flush thread. 1 … 16; default: half the cores, at most
        /// 4.
        public var compactionThreads = Engine.Options.defaultCompactionThreads

        /// The number of threads of a manual compaction, including the caller's. 1 … 64, default 2.
        ///
        /// Large jobs are cut into key ranges that run in parallel, on fewer threads if they would take more than a
        /// quarter of ``memoryBudget``. One thread more than there are processors keeps these busy while a thread waits
        /// for the disk.
        public var manualCompactionThreads = 2

        /// The number of segment files that are kept open. 16 … 65 536, default 512.
        public var openFileLimit = 512

        /// The longest time that a write waits for background work. A write that would wait longer throws `.stalled`
        /// and is not applied.
        ///
        /// Default `nil`: writes wait as long as the work takes. `flush`, `close`, `checkpoint`, `compact` and
        /// `reclaim` always do.
        public var stallDeadline: Duration?

        /// The interval at which the engine writes its statistics to the store's file `STATISTICS`, for tools in other
        /// processes.
        ///
        /// Unchanged statistics are not written, and the file is never synced. `nil` for never. 100 ms … 1 h, default 1
        /// s.
        public var statisticsInterval: Duration? = .seconds(1)

        /// True if other processes of the same user may ask this one to compact or purge the store
        /// (``Engine/requestCompaction(ofStoreAt:scope:options:purging:progress:)``).
        ///
        /// Requests are files in the store's directory, and never a network socket. Looking for them is one system call
        /// each 500 ms. Default true. Without effect on read-only stores.
        public var acceptsRequests = true

        /// The longest time for which replaced files are kept for readers in other processes. Default 1 h; 0 s … 30
        /// days, 0 s for never.
        ///
        /// A reader that needs a file longer gets `.outdated`. See ShaleEngine.docc, "Readers in other processes".
        public var readerTimeMax = Duration.seconds(3600)

        /// The most disk space of replaced files that are kept for readers in other processes, in bytes. Default `nil`:
        /// as much as the store's segments take, and at least 256 MiB. The files that are kept longest go first. On a
        /// full disk they are kept for 10 s.
        public var readerBytesMax: Int?

        /// The time source. Expiry is compared with its wall clock.
        public var time: any TimeSource = SystemTime()

        public init() {}
    }
}

extension Engine.Options {
    static var defaultCompactionThreads: Int { min(4, max(1, processorCount() / 2)) }

    /// One message for each option that is out of bounds.
    package var problems: [String] {
        var found: [String] = []
        func check(_ name: String, _ value: Int, _ range: ClosedRange<Int>) {
            if !range.contains(value) { found.append("\(name)=\(value) is not in \(range)") }
        }
        check("memtableBytes", memtableBytes, (64 << 10)...(512 << 20))
        check("memoryBudget", memoryBudget, max(8 << 20, 4 * memtableBytes)...Int.max)
        check("immutableMemtables", immutableMemtables, 1...8)
        check("blockBytes", blockBytes, 1024...(64 << 10))
        check("segmentBytes", segmentBytes, (64 << 10)...(1 << 30))
        check("upperSegmentBytes", upperSegmentBytes, (16 << 10)...(1 << 30))
        check("l0CompactionTrigger", l0CompactionTrigger, 1...l0SlowdownTrigger)
        check("l0SlowdownTrigger", l0SlowdownTrigger, 1...max(1, l0StopTrigger - 1))
        check("l0StopTrigger", l0StopTrigger, 2...1000)
        check("baseLevelBytes", baseLevelBytes, (64 << 10)...(1 << 40))
        check("fanOut", fanOut, 4...16)
        check("compactionThreads", compactionThreads, 1...16)
        check("manualCompactionThreads", manualCompactionThreads, 1...64)
        check("openFileLimit", openFileLimit, 16...65_536)
        check("filterBitsPerKey.count", filterBitsPerKey.count, FormatLimits.levels...FormatLimits.levels)
        if largeValueBytes != 0 { check("largeValueBytes", largeValueBytes, 64...FormatLimits.valueBytes) }
        check("valueFileBytes", valueFileBytes, (64 << 10)...(4 << 30))
        if !(valueSpaceBound >= 1.1 && valueSpaceBound <= 10) {
            found.append("valueSpaceBound=\(valueSpaceBound) is not in 1.1 ... 10")
        }
        for bits in filterBitsPerKey { check("filterBitsPerKey", bits, 0...20) }
        for case .zstd(let level) in [upperCompression, lastCompression] { check("zstd level", level, -5...19) }
        if let syncInterval, syncInterval < .milliseconds(10) || syncInterval > .seconds(3600) {
            found.append("syncInterval=\(syncInterval) is not in 10 ms ... 1 h")
        }
        if readerTimeMax < .zero || readerTimeMax > .seconds(30 * 86_400) {
            found.append("readerTimeMax=\(readerTimeMax) is not in 0 s ... 30 days")
        }
        if let readerBytesMax { check("readerBytesMax", readerBytesMax, 0...Int.max) }
        if let statisticsInterval, statisticsInterval < .milliseconds(100) || statisticsInterval > .seconds(3600) {
            found.append("statisticsInterval=\(statisticsInterval) is not in 100 ms ... 1 h")
        }
        return found
    }

    package func validate() throws(StorageError) {
        let problems = problems
        guard problems.isEmpty else { throw .invalid(problems.joined(separator: "; ")) }
    }

    func compactionOptions(_ budget: MemoryBudget) -> CompactionOptions {
        var options = CompactionOptions()
        options.budget = budget
        options.l0Trigger = l0CompactionTrigger
        // Delays compaction at most until writers would be slowed.
        options.l0TriggerMax = min(2 * l0CompactionTrigger, l0SlowdownTrigger)
        options.fanOut = UInt64(fanOut)
        options.baseLevelBytes = UInt64(baseLevelBytes)
        options.lastSegmentBytes = UInt64(segmentBytes)
        options.upperSegmentBytes = UInt64(upperSegmentBytes)
        options.blockBytes = blockBytes
        options.upperCodec = upperCompression.codec
        options.lastCodec = lastCompression.codec
        options.trainsDictionaries = trainsDictionaries
        options.splitsBlocks = splitsBlocks != .never
        options.splitsAll = splitsBlocks == .always
        options.dictionaryDataBytesMin = UInt64(dictionaryDataBytesMin)
        options.filterBits = filterBitsPerKey
        options.erasedBytesMin = UInt64(min(1 << 20, upperSegmentBytes / 8))
        options.valueSpaceBound = valueSpaceBound
        return options
    }
}

extension Engine.Options.Compression {
    package var codec: BlockCodec {
        switch self {
        case .none: .none
        case .lz4: .lz4
        case .zstd(let level): .zstd(level: Int32(level))
        }
    }
}

/// The environment of an engine, apart from its settings. Tests replace its parts.
package struct EngineEnvironment: Sendable {
    /// The way in which flushes and compactions are run.
    package enum Scheduling: Sendable {
        /// The engine's own threads run the work.
        case threads
        /// The thread whose write made the work necessary runs it at once. Every run of a script does the same
        /// operations in the same order.
        case inline
        /// No thread runs the work until a call needs its result (flush, close, manual compaction) or a test requests
        /// it. Memtables and logs accumulate as with slow threads.
        case deferred
    }

    package var fileSystem: any FileSystem
    package var random: any RandomSource
    package var scheduling: Scheduling
    package var forks = ForkWatch.shared
    /// The number of bytes from which a value that is written in pieces gets a file of its own. A sync, a name and an
    /// inode cost more than writing a smaller value twice.
    package var streamedValueBytesMin = 1 << 20
    /// Checks the namespaces of a store during opening, before anything is written. An error that it throws ends the
    /// opening and leaves every byte as it was. Not called for a new store.
    package var checkCatalogue: (@Sendable ([NamespaceDescription]) throws(StorageError) -> Void)?

    package init(
        fileSystem: any FileSystem = PosixFileSystem(), random: any RandomSource = SystemRandom(),
        scheduling: Scheduling = .threads
    ) {
        self.fileSystem = fileSystem
        self.random = random
        self.scheduling = scheduling
    }
}
