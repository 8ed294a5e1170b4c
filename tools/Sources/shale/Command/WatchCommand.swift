import ArgumentParser
import Formatting
import Shale
import ShaleEngine
import ShaleInspection

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

struct WatchCommand: StoreCommand {
    static let configuration = CommandConfiguration(
        commandName: "watch",
        abstract: "Shows a running store's statistics as they change.",
        discussion: """
            EXAMPLES
              shale watch DIR
              shale watch DIR --interval 5
              shale watch DIR --format ndjson --count 60 > hour.ndjson

            Opens the store for reading at each interval, without disturbing the process
            that has it open. Opening takes as long as reading the store's logs. Memtables,
            cache, write amplification and pressure are what that process published last,
            at most a second before. ^C ends the command with code 0.
            """)

    @OptionGroup var store: StoreArgument

    @Option(help: "The seconds between two readings, 0.1 to 3600.")
    var interval = 2.0

    @Option(help: "End after this many readings; default: when interrupted.")
    var count: Int?

    @OptionGroup(title: "Output") var output: OutputOptions

    func validate() throws {
        guard 0.1...3600 ~= interval else { throw ValidationError("--interval takes 0.1 to 3600") }
        if let count, count < 1 { throw ValidationError("--count takes 1 or more") }
        if output.format == .json { throw ValidationError("watch can't print one JSON object: use ndjson or csv") }
    }

    func run() throws {
        Interruption.catchIt()
        let clock = ContinuousClock()
        var earlier: (sample: WatchSample, at: ContinuousClock.Instant)?
        var samples = 0
        while !Interruption.hasCome {
            let now = clock.now
            var sample = try WatchSample(store.path)
            if let earlier { sample.compare(with: earlier.sample, seconds: (now - earlier.at).seconds) }
            try show(sample, isFirst: samples == 0)
            earlier = (sample, now)
            samples += 1
            if samples == count { break }
            Interruption.wait(until: now + .seconds(interval))
        }
    }

    private func show(_ sample: WatchSample, isFirst: Bool) throws {
        switch output.format {
        case .human:
            // Redraws in place on a terminal; elsewhere prints one after the other.
            let isScreen = Terminal.isOutputInteractive
            try Terminal.print(isScreen ? "\u{1b}[H\u{1b}[2J\(sample.text)" : (isFirst ? "" : "\n") + sample.text)
        case .json, .ndjson: try Terminal.print(jsonText(Envelope(command: "watch", body: sample)))
        case .csv:
            let columns = WatchSample.CodingKeys.allCases.map(\.rawValue)
            if isFirst { try Terminal.print(CSV.names(columns)) }
            try Terminal.print(CSV.line(of: sample, columns))
        }
    }
}

/// A store at one moment, with its differences from an earlier one.
struct WatchSample: Encodable {
    let at: String
    let lastSequence: UInt64
    /// The rate since the previous sample; `nil` for the first.
    private(set) var mutationsPerSecond: Double?
    let namespaces: Int
    let entries: UInt64
    let segments: Int
    let l0Segments: Int
    let storedBytes: UInt64
    private(set) var storedBytesPerSecond: Double?
    let allocatedBytes: UInt64
    /// The batches that are in logs and not in segments.
    let loggedBatches: UInt64
    let loggedBytes: UInt64
    let readRuns: Int
    /// The process that has the store open; `nil` if there is none.
    let processID: UInt64?
    let memtableBytes: UInt64?
    let cacheBytes: UInt64?
    let cacheCapacityBytes: UInt64?
    /// The fraction of lookups that hit since the previous sample or since the opening; `nil` without lookups.
    private(set) var cacheHitRate: Double?
    let writeAmplification: Double?
    let pressurePercent: UInt64?
    private let running: RunningStatistics?
    private let levels: [LevelStatistics]

    enum CodingKeys: String, CodingKey, CaseIterable {
        case at, lastSequence, mutationsPerSecond, namespaces, entries, segments, l0Segments, storedBytes
        case storedBytesPerSecond, allocatedBytes, loggedBatches, loggedBytes, readRuns
        case processID, memtableBytes, cacheBytes, cacheCapacityBytes, cacheHitRate, writeAmplification, pressurePercent
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
        running = try StoreInspector(at: path).runningStatistics()
        processID = running?.processID
        memtableBytes = running?.memtableBytes
        cacheBytes = running?.cacheBytes
        cacheCapacityBytes = running?.cacheCapacityBytes
        cacheHitRate = running?.cacheHitRate().map(OwnerFigures.rounded)
        writeAmplification = running?.writeAmplification.map(OwnerFigures.rounded)
        pressurePercent = running?.pressurePercent
    }

    mutating func compare(with earlier: WatchSample, seconds: Double) {
        guard seconds > 0 else { return }
        mutationsPerSecond = (Double(lastSequence &- earlier.lastSequence) / seconds).rounded()
        if let running, let before = earlier.running, running.openedMilliseconds == before.openedMilliseconds {
            cacheHitRate = running.cacheHitRate(since: before).map(OwnerFigures.rounded)
        }
        storedBytesPerSecond = ((Double(storedBytes) - Double(earlier.storedBytes)) / seconds).rounded()
    }

    var text: Shown {
        let rate = mutationsPerSecond.map { ", \(Figures.count(Int($0)))/s" as Shown } ?? ""
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
            \(ownerText)

            \(table.text)
            """
    }

    private var ownerText: Shown {
        guard let running else { return CacheFigures.none }
        let hits = cacheHitRate.map { ", \(Figures.decimal($0 * 100)) % hits" as Shown } ?? ""
        return "cache \(Figures.bytes(running.cacheBytes)) of \(Figures.bytes(running.cacheCapacityBytes))\(hits); "
            + OwnerFigures(running).text
    }
}
