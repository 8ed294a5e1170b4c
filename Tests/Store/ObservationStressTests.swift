import Shale
import ShalePlatform
import Synchronization
import TestSupport
import Testing

/// Under load, observers miss no change without a gap that covers it.
@Suite struct ObservationStressTests {
    private static let writers = 4

    /// Starts the writers. Each counts up in keys of its own; half of its writes are batches, and some are synced.
    private static func write(_ fixture: StoreFixture, _ rounds: Int) throws -> [WorkerThread] {
        try (0..<writers).map { writer in
            let store = fixture.store
            return try WorkerThread.start(name: "writer") {
                do {
                    for round in 0..<rounds {
                        let durability: Durability = round % 64 == 0 ? .synced : .buffered
                        if round % 2 == 0 {
                            try store.common["n"].set(round, forKey: "\(writer)/\(round)", durability: durability)
                        } else {
                            try store.write(durability: durability) { (batch) throws(StorageError) in
                                try batch.set(round, forKey: "\(writer)/\(round)", in: store.common["n"])
                                try batch.set(round, forKey: "x", in: store.common["unobserved"])
                            }
                        }
                    }
                } catch {
                    Issue.record(error)
                }
            }
        }
    }

    /// The observations of a reader: the delivered keys, and the gaps.
    private struct Account {
        var told: Set<EntryKey> = []
        var gaps: [ClosedRange<SequenceNumber>] = []
        var last: SequenceNumber = 0

        mutating func add(_ change: Store.Change) {
            if case .gap(let from, let to) = change {
                #expect(from > last && to >= from)
                gaps.append(from...to)
            } else {
                #expect(change.sequence > last)
                if let key = change.key { #expect(told.insert(key).inserted) }
            }
            last = change.sequence
        }
    }

    @Test func aReaderThatHasRoomReceivesEveryChange() throws {
        // Few enough changes for the ring, even if the reader's thread does not run at all.
        let rounds = Ring.choose(commit: 500, nightly: 4000, release: 4000)
        for _ in 0..<Ring.choose(commit: 1, nightly: 10, release: 100) {
            let fixture = try StoreFixture(isSmall: true)
            let changes = try fixture["n"].changes(capacity: Self.writers * rounds)
            let threads = try Self.write(fixture, rounds)
            var account = Account()
            while account.told.count < Self.writers * rounds, let change = changes.next(waiting: .seconds(60)) {
                account.add(change)
            }
            for thread in threads { thread.join() }
            #expect(account.gaps.isEmpty && account.told.count == Self.writers * rounds)
        }
    }

    @Test func aSlowReaderKnowsWhatItMissed() throws {
        let rounds = Ring.choose(commit: 500, nightly: 20_000, release: 50_000)
        let fixture = try StoreFixture(isSmall: true)
        let changes = try fixture["n"].changes(capacity: 16)
        let threads = try Self.write(fixture, rounds)
        var account = Account()
        for _ in 0..<20 {
            let seen = fixture.store.engine.statistics.lastSequence
            if let change = changes.next(waiting: .seconds(60)) { account.add(change) }
            // The writers overtake this reader, unless they have ended.
            _ = eventually(within: .milliseconds(20)) { fixture.store.engine.statistics.lastSequence > seen + 32 }
        }
        for thread in threads { thread.join() }
        try fixture["n"].set(0, forKey: "end")
        while !account.told.contains("end"), let change = changes.next(waiting: .seconds(60)) {
            account.add(change)
            // The last change itself may lie in a gap.
            if case .gap(_, let to) = change, to >= fixture.store.engine.statistics.lastSequence { break }
        }
        #expect(!account.gaps.isEmpty)
        // Each sequence was delivered or lies in a gap. Half of all operations took two sequences.
        let untold = UInt64(Self.writers * rounds + 1 - account.told.count)
        #expect(account.gaps.reduce(0) { $0 + UInt64($1.count) } >= untold)
    }

    @Test func moreThanTheRingHoldsIsAGapForAllReaders() throws {
        let fixture = try StoreFixture()
        let changes = try fixture["n"].changes(capacity: 1 << 20)
        // One batch with 3 MiB of keys is published at once.
        try fixture.store.write { (batch) throws(StorageError) in
            for index in 0..<3000 {
                try batch.set(index, forKey: "\(index)/" + String(repeating: "k", count: 1000), in: fixture["n"])
            }
        }
        var account = Account()
        while account.gaps.isEmpty, let change = changes.next(waiting: .seconds(60)) { account.add(change) }
        #expect(account.gaps.count == 1 && account.last == fixture.store.engine.statistics.lastSequence)
        #expect(account.told.count + account.gaps.reduce(0) { $0 + $1.count } == 3000)
        try fixture["n"].set(1, forKey: "after")
        #expect(changes.next(waiting: .seconds(60))?.key == "after")
    }

    @Test func subscriptionsComeAndGoWhileOthersWrite() throws {
        let rounds = Ring.choose(commit: 300, nightly: 5000, release: 20_000)
        let fixture = try StoreFixture()
        let threads = try Self.write(fixture, rounds)
        for round in 0..<50 {
            let changes = try fixture["n"].changes()
            let before = changes.start
            try fixture["n"].set(round, forKey: "own \(round)")
            while let change = changes.next(waiting: .seconds(60)) {
                #expect(change.sequence > before)
                if change.key == EntryKey("own \(round)") { break }
                if case .gap = change { break }
            }
            if round % 2 == 0 { changes.cancel() }
        }
        for thread in threads { thread.join() }
    }
}
