import ShaleBase
import ShaleEngine
import ShalePlatform
import Synchronization
import TestSupport
import Testing

/// Readers that refresh beside an owner at full speed, on a real disk and with the owner's threads. In the nightly ring
/// they refresh a million times together.
@Suite struct RefreshStressTests {
    private static let keys = 200
    private static let readers = 3
    /// Of so many states, one is read as a whole, one is not read, and keys are looked up in the others.
    private static let wholeShare = 16

    /// Each batch writes its number under two keys of one half each, and under a counter. The owner purges the other
    /// namespace now and then, and writes the number of the purge before and after.
    @Test func noStateIsTornAndNoneGoesBack() throws {
        let directory = try TemporaryStore()
        var options = Engine.Options()
        options.memtableBytes = 256 << 10
        options.memoryBudget = 16 << 20
        options.segmentBytes = 256 << 10
        options.upperSegmentBytes = 64 << 10
        options.baseLevelBytes = 256 << 10
        options.statisticsInterval = nil
        let path = directory.path
        let owner = try Engine.open(at: path, options: options)
        let pairs = try owner.createNamespace(named: Array("pairs".utf8))
        let purged = try owner.createNamespace(named: Array("purged".utf8))
        try Self.write(0, owner, pairs, purged)
        options.mode = .readOnly
        let isDone = Atomic(false)
        let refreshes = Atomic(0)
        let longest = Locked<UInt64>(0)
        let failures = Failures()
        let threads = try (0..<Self.readers).map { _ in
            try WorkerThread.start(name: "reader") { [options] in
                failures.collect {
                    let reader = Reader(try Engine.open(at: path, options: options), pairs, purged)
                    while !isDone.load(ordering: .relaxed) {
                        try reader.refresh()
                        refreshes.add(1, ordering: .relaxed)
                    }
                    longest.withLock { $0 = max($0, reader.longestNanoseconds) }
                    try reader.close()
                }
            }
        }
        let rounds = Ring.choose(commit: 30_000, nightly: 300_000, release: 2_000_000)
        let wanted = Ring.choose(commit: 200, nightly: 1_000_000, release: 5_000_000)
        var number: UInt64 = 1
        while number < rounds || refreshes.load(ordering: .relaxed) < wanted, failures.isEmpty {
            if number % 5000 == 0 { try owner.purge([purged]) }
            try Self.write(number, owner, pairs, purged)
            number += 1
        }
        isDone.store(true, ordering: .relaxed)
        for thread in threads { thread.join() }
        #expect(failures.texts == [])
        Ring.covered(
            refreshes.load(ordering: .relaxed), "refreshes beside a writer",
            "\(number) batches, longest \(longest.withLock { $0 } / 1000) us")
        #expect(owner.statistics.revokedFiles == 0 && owner.statistics.heldStates == 0)
        try owner.close()
        withExtendedLifetime(directory) {}
    }

    private static func write(
        _ number: UInt64, _ owner: Engine, _ pairs: NamespaceID, _ purged: NamespaceID
    ) throws(StorageError) {
        var batch = WriteBatch()
        let value = text(number) + [UInt8](repeating: 46, count: 300)
        let slot = Int(number) % keys
        try batch.put(value, forKey: Array("a\(slot)".utf8), in: pairs)
        try batch.put(value, forKey: Array("b\(slot)".utf8), in: pairs)
        try batch.put(text(number), forKey: Array("last".utf8), in: pairs)
        try batch.put(text(number), forKey: Array("p".utf8), in: purged, options: PutOptions(isPurgeable: true))
        try owner.write(batch)
    }

    /// A reader and what it has seen.
    private final class Reader {
        private var engine: Engine
        private let pairs: NamespaceID
        private let purged: NamespaceID
        private let time = SystemTime()
        private var last: UInt64 = 0
        private var sequence: SequenceNumber = 0
        private var count = 0
        private(set) var longestNanoseconds: UInt64 = 0

        init(_ engine: Engine, _ pairs: NamespaceID, _ purged: NamespaceID) {
            self.engine = engine
            self.pairs = pairs
            self.purged = purged
        }

        func refresh() throws {
            let start = time.monotonicNanoseconds
            engine = try engine.refreshed()
            longestNanoseconds = max(longestNanoseconds, time.monotonicNanoseconds - start)
            let found = engine.statistics.lastSequence
            guard found >= sequence else { throw Torn("sequence \(found) after \(sequence)") }
            sequence = found
            switch count % wholeShare {
            case 0: last = try check(engine, pairs, purged, since: last)
            case 1: break
            default: last = try look(engine, pairs, count, since: last)
            }
            count += 1
        }

        func close() throws { try engine.close() }
    }

    /// Checks a state, and returns the number of its last batch.
    private static func check(
        _ reader: Engine, _ pairs: NamespaceID, _ purged: NamespaceID, since: UInt64
    ) throws -> UInt64 {
        var values: [String: UInt64] = [:]
        for (key, value) in try reader.entries(in: pairs) {
            values[String(decoding: key, as: UTF8.self)] = try number(value)
        }
        let last = try require(values["last"], "the last number is missing")
        guard last >= since else { throw Torn("\(last) after \(since)") }
        for slot in 0..<keys {
            let a = values["a\(slot)"]
            guard a == values["b\(slot)"] else { throw Torn("slot \(slot): \(values) at \(last)") }
            let expected = UInt64(slot) > last ? nil : last - (last - UInt64(slot)) % UInt64(keys)
            guard a == expected else { throw Torn("slot \(slot) is \(a ?? 0), not \(expected ?? 0), at \(last)") }
        }
        // A purge hides the number until the next batch.
        let visible = try unsafe reader.value(forKey: Array("p".utf8).span.bytes, in: purged).map { try number($0) }
        guard visible == last || visible == nil && (last + 1) % 5000 == 0 else { throw Torn("purged \(visible ?? 0)") }
        return last
    }

    /// Looks up the newest pair and another one, and returns the number of the last batch.
    private static func look(
        _ reader: Engine, _ pairs: NamespaceID, _ count: Int, since: UInt64
    ) throws -> UInt64 {
        func value(_ key: String) throws -> UInt64? {
            try unsafe reader.value(forKey: Array(key.utf8).span.bytes, in: pairs).map { try number($0) }
        }
        let last = try require(try value("last"), "the last number is missing")
        guard last >= since else { throw Torn("\(last) after \(since)") }
        for slot in [Int(last) % keys, count % keys] {
            let (a, b) = (try value("a\(slot)"), try value("b\(slot)"))
            let expected = UInt64(slot) > last ? nil : last - (last - UInt64(slot)) % UInt64(keys)
            guard a == b, a == expected else { throw Torn("slot \(slot): \(a ?? 0) and \(b ?? 0) at \(last)") }
        }
        return last
    }

    private static func text(_ number: UInt64) -> [UInt8] { Array("\(number) ".utf8) }

    private static func number(_ value: [UInt8]) throws -> UInt64 {
        try require(UInt64(String(decoding: value.prefix { $0 != 32 }, as: UTF8.self)), "no number")
    }

    private static func require<Value>(_ value: Value?, _ text: String) throws -> Value {
        guard let value else { throw Torn(text) }
        return value
    }

    private struct Torn: Error, CustomStringConvertible {
        let description: String
        init(_ description: String) { self.description = description }
    }
}

/// The failures of threads.
private final class Failures: Sendable {
    private let found = Locked<[String]>([])

    var texts: [String] { found.withLock { $0 } }
    var isEmpty: Bool { texts.isEmpty }

    func collect(_ body: () throws -> Void) {
        do { try body() } catch { found.withLock { $0.append("\(error)") } }
    }
}
