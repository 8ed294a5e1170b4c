import ShaleBase
import ShaleMemtable
import ShalePlatform
import Synchronization
import Testing

@Suite struct MemtableConcurrencyTests {
    /// Returns the writer's keys, in an order that makes all kinds of nodes grow and split during the reads.
    private static func makeKeys(_ count: Int) -> [[UInt8]] {
        let random = SeededRandom(seed: testSeed ^ 5)
        let shapes: [KeyShape] = [.random, .decimal, .dense, .prefixesOfOthers, .sharedLongPrefixes]
        return (0..<count).map { index in shapes[index % shapes.count].make(1, random)[0] }
            + (0..<count).map { _ in KeyShape.dense.make(1, random)[0] }
    }

    /// Returns the expected value of a whole version.
    private static func value(_ key: [UInt8], _ sequence: SequenceNumber) -> [UInt8] {
        (0..<8).map { UInt8(truncatingIfNeeded: sequence >> (8 * $0)) } + key
    }

    private final class Shared: Sendable {
        let memtable: Memtable
        let keys: [[UInt8]]
        let visible = Atomic<UInt64>(0)
        let isDone = Atomic<Bool>(false)
        let faults = Atomic<Int>(0)
        let checks = Atomic<Int>(0)
        /// The rounds of the readers: one for each scan and for each hundred gets. The writer waits for rounds, so that
        /// its writes overlap with many scans.
        let rounds = Atomic<Int>(0)

        init(_ memtable: Memtable, _ keys: [[UInt8]]) {
            self.memtable = memtable
            self.keys = keys
        }

        func check(_ isTrue: Bool) {
            checks.wrappingAdd(1, ordering: .relaxed)
            if !isTrue { faults.wrappingAdd(1, ordering: .relaxed) }
        }

        func write() {
            for (index, key) in keys.enumerated() {
                let sequence = UInt64(index + 1)
                withBytes(key) { key in
                    withBytes(MemtableConcurrencyTests.value(key.array(), sequence)) { value in
                        memtable.insert(
                            namespace: NamespaceID(rawValue: 1), userKey: key, trailer: Trailer(sequence, .put),
                            expiry: 0, value: value)
                    }
                }
                visible.store(sequence, ordering: .releasing)
                if sequence % 100 == 0 { waitForRound() }
            }
            isDone.store(true, ordering: .releasing)
        }

        private func waitForRound() {
            let seen = rounds.load(ordering: .relaxed)
            var turns = 0
            while rounds.load(ordering: .relaxed) == seen && turns < 100_000 { turns += 1 }
        }

        /// Checks that a get finds every version that was visible before.
        func readPoints(_ random: SeededRandom) {
            var count = 0
            while !isDone.load(ordering: .acquiring) {
                let limit = visible.load(ordering: .acquiring)
                guard limit > 0 else { continue }
                count += 1
                if count % 100 == 0 { rounds.wrappingAdd(1, ordering: .relaxed) }
                let index = random.below(Int(limit))
                let found = memtable.get([0, 0, 0, 1] + keys[index], through: limit)
                check((found?.trailer.sequence ?? 0) >= UInt64(index + 1))
                check((found?.trailer.sequence ?? .max) <= limit)
                if let found {
                    check(found.value == MemtableConcurrencyTests.value(keys[index], found.trailer.sequence))
                }
            }
        }

        /// Checks that a scan is strictly ordered and whole, and has every version that was visible before its seek.
        func scan(_ direction: Direction) throws {
            while !isDone.load(ordering: .acquiring) {
                let limit = visible.load(ordering: .acquiring)
                let versions = try memtable.scan(from: nil, direction)
                check(UInt64(versions.count { $0.trailer.sequence <= limit }) == limit)
                for (a, b) in zip(versions, versions.dropFirst()) {
                    check(direction == .forward ? Version.isBefore(a, b) : Version.isBefore(b, a))
                }
                for version in versions {
                    let key = Array(version.key.dropFirst(4))
                    check(version.value == MemtableConcurrencyTests.value(key, version.trailer.sequence))
                }
                rounds.wrappingAdd(1, ordering: .relaxed)
                check(memtable.summary(of: NamespaceID(rawValue: 1)).entries >= limit)
            }
        }
    }

    @Test func readersMissNothingAndSeeNothingTorn() throws {
        let shared = Shared(
            Memtable(arena: try Arena(capacity: 64 << 20)), MemtableConcurrencyTests.makeKeys(2000))
        let failure = Locked<(any Error)?>(nil)
        let readers = [
            try WorkerThread.start(name: "points") { shared.readPoints(SeededRandom(seed: testSeed ^ 6)) },
            try WorkerThread.start(name: "forward") {
                do { try shared.scan(.forward) } catch { failure.withLock { $0 = error } }
            },
            try WorkerThread.start(name: "backward") {
                do { try shared.scan(.backward) } catch { failure.withLock { $0 = error } }
            },
        ]
        shared.write()
        for reader in readers { reader.join() }
        #expect(failure.withLock { $0 } == nil)
        #expect(shared.faults.load(ordering: .relaxed) == 0, "seed \(testSeed)")
        #expect(shared.checks.load(ordering: .relaxed) > 0)
        #expect(try shared.memtable.scan(from: nil, .forward).count == shared.keys.count)
    }
}
