import ShaleBase
import ShalePlatform
import ShaleSegment
import Synchronization
import Testing

@Suite struct SegmentConcurrencyTests {
    /// Runs `body` on several threads at once and waits for them.
    private func onThreads(_ count: Int, _ body: @escaping @Sendable (Int) -> Void) async {
        await withTaskGroup(of: Void.self) { group in
            for i in 0..<count { group.addTask { body(i) } }
        }
    }

    @Test func readersAgreeWhileBlocksComeAndGo() async throws {
        let entries = EntryMaker(count: 4000, namespaces: [1, 2]).make(SeededRandom(seed: 110))
        let fixture = try SegmentFixture(cacheBytes: 150 << 10, openFileLimit: 2)
        let parts = [entries.filter { $0.key[3] == 1 }, entries.filter { $0.key[3] == 2 }]
        let segments = try parts.enumerated().map {
            try fixture.segment($1, number: UInt64($0 + 1), options: SegmentWriterOptions(blockBytes: 2048))
        }
        let wrong = Atomic<Int>(0)
        await onThreads(4) { thread in
            let random = SeededRandom(seed: UInt64(thread))
            do {
                for round in 0..<400 {
                    let part = random.below(2)
                    let entry = parts[part][random.below(parts[part].count)]
                    let found = try segments[part].lookUp(
                        entry.key, through: entry.sequence, fillCache: !random.chance(0.1))
                    if found != entry { wrong.add(1, ordering: .relaxed) }
                    if round % 100 == 50 {
                        let options = ScanOptions(fillCache: thread % 2 == 0)
                        let cursor = EntryCursor(segments[part], headOffset: 4, options: options)
                        if try cursor.entries() != parts[part] { wrong.add(1, ordering: .relaxed) }
                    }
                    if round % 37 == 0 {
                        fixture.budget.limitBytes = (100 + random.below(100)) << 10
                        fixture.environment.cache.trim()
                    }
                }
            } catch {
                wrong.add(1, ordering: .relaxed)
            }
        }
        #expect(wrong.load(ordering: .relaxed) == 0)
        #expect(fixture.environment.cache.statistics.evictedCount > 0)
    }

    @Test func segmentsMayDieWhileOthersAreRead() async throws {
        let entries = EntryMaker(count: 500).make(SeededRandom(seed: 111))
        let fixture = try SegmentFixture(cacheBytes: 100 << 10)
        let metadata = try fixture.write(entries, options: SegmentWriterOptions(blockBytes: 1024))
        let wrong = Atomic<Int>(0)
        await onThreads(4) { thread in
            let random = SeededRandom(seed: UInt64(thread))
            do {
                for _ in 0..<30 {
                    let segment = fixture.open(metadata)
                    for _ in 0..<20 {
                        let entry = entries[random.below(entries.count)]
                        let found = try segment.lookUp(entry.key, through: entry.sequence)
                        if found != entry { wrong.add(1, ordering: .relaxed) }
                    }
                }
            } catch {
                wrong.add(1, ordering: .relaxed)
            }
        }
        #expect(wrong.load(ordering: .relaxed) == 0)
        #expect(fixture.environment.cache.statistics.blockCount == 0)
    }

    @Test func oneSegmentIsLoadedOnceByManyThreads() async throws {
        let entries = EntryMaker(count: 200).make(SeededRandom(seed: 112))
        let fixture = try SegmentFixture()
        let segment = try fixture.segment(entries)
        let wrong = Atomic<Int>(0)
        await onThreads(4) { thread in
            for entry in entries {
                do {
                    if try segment.lookUp(entry.key, through: entry.sequence) != entry {
                        wrong.add(1, ordering: .relaxed)
                    }
                } catch {
                    wrong.add(1, ordering: .relaxed)
                }
            }
        }
        #expect(wrong.load(ordering: .relaxed) == 0)
        let statistics = fixture.environment.cache.statistics
        #expect(statistics.insertedCount == statistics.blockCount)
    }
}
