import ShaleEngine

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The store under test, and what is known to be in it. Used by one thread at a time; ``Target`` is what threads get.
final class BenchStore {
    /// Keys 0 ..< count are there, each with a value of one of these generations.
    struct Contents {
        var count = 0
        var generations: ClosedRange<UInt64> = 0...0
    }

    /// What the background left behind took.
    struct Settlement {
        let seconds: Double
        let cpuSeconds: Double
    }

    let path: String
    let settings: StoreSettings
    let values: ValuePool
    var contents = Contents()
    private var current: Target?

    init(path: String, settings: StoreSettings, values: ValuePool) {
        self.path = path
        self.settings = settings
        self.values = values
    }

    /// The open store.
    var target: Target {
        get throws {
            if let current { return current }
            let opened = try Target.open(path: path, settings: settings, values: values)
            current = opened
            return opened
        }
    }

    /// An empty store at the same place.
    func reset() throws {
        try close()
        try remove()
        contents = Contents()
        _ = try target
    }

    func close() throws {
        try current?.engine.close()
        current = nil
    }

    func remove() throws {
        if FileManager.default.fileExists(atPath: path) { try FileManager.default.removeItem(atPath: path) }
    }

    /// Flushes and waits until the background has nothing left to do: nothing has changed, and hardly any processor
    /// time was used, for 200 ms. Those are not counted.
    @discardableResult
    func settle() throws -> Settlement {
        let engine = try target.engine
        let began = Clock.now
        let cpuBefore = Resources.cpuSeconds
        try engine.flush()
        var (lastChange, cpuThen) = (Clock.now, Resources.cpuSeconds)
        var seen = Activity(engine.statistics)
        while Clock.seconds(since: lastChange) < 0.2 {
            Clock.sleep(milliseconds: 5)
            let activity = Activity(engine.statistics)
            let cpu = Resources.cpuSeconds
            if activity != seen || cpu - cpuThen > 0.02 {
                (seen, lastChange, cpuThen) = (activity, Clock.now, cpu)
            }
        }
        guard engine.statistics.backgroundFailures == 0 else { throw BenchError("background work failed") }
        return Settlement(seconds: Double(lastChange - began) / 1e9, cpuSeconds: cpuThen - cpuBefore)
    }

    /// Fills the block cache: with everything, if that fits, by reading every key in order; otherwise with what half a
    /// million random reads leave in it.
    func warm() throws {
        let target = try target
        let isCacheable = target.isCacheable(in: settings.cacheMib << 20)
        var key = KeyBuffer(byteCount: target.keyBytes)
        for position in 0..<(isCacheable ? contents.count : 500_000) {
            let index = isCacheable ? position : pick(settings.seed ^ UInt64(position), below: contents.count)
            key.set(index)
            guard try target.engine.withValue(forKey: key.span, in: target.namespace, { _ in }) != nil else {
                throw BenchError.wrong("key \(index) is missing")
            }
        }
    }

    /// Scans everything: exactly the keys of `contents` are there, and a sample of the values is right.
    func verify() throws {
        let (target, contents) = (try target, contents)
        var cursor = try target.engine.cursor(in: target.namespace)
        var key = KeyBuffer(byteCount: target.keyBytes)
        var count = 0
        while try cursor.next() {
            if count & 63 == 0 {
                key.set(count)
                guard key.equals(cursor.key) else { throw BenchError.wrong("entry \(count) has another key") }
                guard target.values.matches(cursor.value, count, contents.generations) else {
                    throw BenchError.wrong("entry \(count) has another value")
                }
            }
            count += 1
        }
        guard count == contents.count else { throw BenchError.wrong("\(count) entries instead of \(contents.count)") }
    }

    func diskBytes() throws -> Int { try DiskUsage.bytes(of: path) }
}

/// What changes while the background works.
private struct Activity: Equatable {
    let totals: [UInt64]
    let levels: [LevelStatistics]
    let immutableMemtables: Int
    let heldBytes: UInt64

    init(_ statistics: EngineStatistics) {
        totals = [statistics.flushes, statistics.compactions, statistics.moves, statistics.drops]
        levels = statistics.levels
        immutableMemtables = statistics.immutableMemtables
        heldBytes = statistics.heldBytes
    }
}
