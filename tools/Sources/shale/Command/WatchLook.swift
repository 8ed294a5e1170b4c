import Shale

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// A store at one moment, and how it differs from an earlier one.
struct WatchLook: Encodable {
    let at: String
    let lastSequence: UInt64
    /// Since the look before; `nil` for the first.
    private(set) var mutationsPerSecond: Double?
    let namespaces: Int
    let entries: UInt64
    let segments: Int
    let l0Segments: Int
    let storedBytes: UInt64
    private(set) var storedBytesPerSecond: Double?
    let allocatedBytes: UInt64
    /// In logs and not in segments.
    let loggedBatches: UInt64
    let loggedBytes: UInt64
    let readRuns: Int
    private let levels: [LevelStatistics]

    enum CodingKeys: String, CodingKey, CaseIterable {
        case at, lastSequence, mutationsPerSecond, namespaces, entries, segments, l0Segments, storedBytes
        case storedBytesPerSecond, allocatedBytes, loggedBatches, loggedBytes, readRuns
    }

    init(_ path: String) throws {
        let engine = try StoreAccess.openEngine(path, .readOnly)
        let statistics = engine.statistics
        let recovery = engine.recovery
        at = timestamp(Date())
        lastSequence = recovery.lastSequence
        namespaces = engine.namespaces.count
        levels = statistics.levels.filter { $0.segments > 0 }
        entries = levels.reduce(0) { $0 + $1.entries }
        segments = levels.reduce(0) { $0 + $1.segments }
        l0Segments = levels.first { $0.level == 0 }?.segments ?? 0
        storedBytes = statistics.storedBytes
        loggedBatches = recovery.replayedBatches
        loggedBytes = recovery.replayedBytes
        readRuns = Amplification(statistics.levels).readRuns
        try engine.close()
        allocatedBytes = try DirectorySize(of: path).allocatedBytes
    }

    mutating func compare(with earlier: WatchLook, seconds: Double) {
        guard seconds > 0 else { return }
        mutationsPerSecond = (Double(lastSequence &- earlier.lastSequence) / seconds).rounded()
        storedBytesPerSecond = ((Double(storedBytes) - Double(earlier.storedBytes)) / seconds).rounded()
    }

    var text: String {
        let rate = mutationsPerSecond.map { ", \(Figures.count(Int($0)))/s" } ?? ""
        var table = Table(["LEVEL", "SEGMENTS", "ENTRIES", "RAW", "STORED"], rightAligned: [1, 2, 3, 4])
        for level in levels {
            table.add(
                "L\(level.level)", Figures.count(level.segments), Figures.count(level.entries),
                Figures.bytes(level.rawBytes), Figures.bytes(level.storedBytes))
        }
        return """
            \(at)   sequence \(Figures.count(lastSequence))\(rate)
            \(Figures.bytes(allocatedBytes)) on disk, \(Figures.bytes(storedBytes)) in \
            \(Figures.count(segments, "segment")); \(Figures.count(loggedBatches, "batch", "batches")) \
            (\(Figures.bytes(loggedBytes))) in logs; reads look into \(Figures.count(readRuns, "run"))

            \(table.text)
            """
    }
}
