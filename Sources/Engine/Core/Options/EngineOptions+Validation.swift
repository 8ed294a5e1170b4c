package import ShaleBase
import ShaleCompaction
import ShaleMemtable
import ShalePlatform
package import ShaleSegment

extension EngineOptions {
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
        for bits in filterBitsPerKey { check("filterBitsPerKey", bits, 0...20) }
        for case .zstd(let level) in [upperCompression, lastCompression] { check("zstd level", level, -5...19) }
        if let syncInterval, syncInterval < .milliseconds(10) || syncInterval > .seconds(3600) {
            found.append("syncInterval=\(syncInterval) is not in 10 ms ... 1 h")
        }
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
        options.dictionaryDataBytesMin = UInt64(dictionaryDataBytesMin)
        options.filterBits = filterBitsPerKey
        options.erasedBytesMin = UInt64(min(1 << 20, upperSegmentBytes / 8))
        return options
    }
}

extension EngineOptions.Compression {
    package var codec: BlockCodec {
        switch self {
        case .none: .none
        case .lz4: .lz4
        case .zstd(let level): .zstd(level: Int32(level))
        }
    }
}
