import Shale
import ShaleBase
import ShaleCollections
import ShalePlatform
import TestSupport
import Testing

/// Large builds make a step while another thread commits the one before.
@Suite struct IndexAheadTests {
    private let fixture: CollectionFixture
    private static let count = 20_000

    init() throws { fixture = try CollectionFixture() }

    private struct Item: Codable, Sendable {
        var id: Int
        var text: String
        var number: Int?

        static func schema(_ indexes: [RecordIndex<Item>]) -> RecordSchema<Item> {
            RecordSchema(
                "items", key: \.id,
                fields: [RecordField("id", \.id), RecordField("text", \.text), RecordField("number", \.number)],
                indexes: indexes)
        }

        static let all = schema([
            RecordIndex("text", .descending(\Item.text)),
            RecordIndex("number", .ascending(\Item.number), isUnique: true),
        ])
    }

    private func filled(_ change: (inout Item) -> Void = { _ in }) throws -> RecordCollection<Item> {
        let items = try fixture.store.common.collection(Item.schema([]))
        for start in stride(from: 0, to: Self.count, by: 1000) {
            try items.insert(
                contentsOf: (start..<start + 1000).map { id in
                    var item = Item(id: id, text: "t\(id % 100)", number: id)
                    change(&item)
                    return item
                })
        }
        return items
    }

    private func indexed() throws -> RecordCollection<Item> {
        try fixture.store.common.collection(Item.all, onDifference: .adopt)
    }

    @Test func everyRecordHasItsEntries() throws {
        _ = try filled()
        let items = try indexed()
        var progress: [Int] = []
        let report = try items.migrate { progress.append($0.examined) }
        #expect(report.examined == Self.count && report.failures.isEmpty)
        #expect(progress == progress.sorted() && progress.last == Self.count)
        let found = try items.verify()
        #expect(found.isSound && found.staleEntries == 0 && found.entries == 2 * Self.count)
    }

    @Test func aPassContinuesBehindTheLastStepThatWasCommitted() throws {
        struct Stop: Error {}
        _ = try filled()
        var examined = 0
        #expect(throws: StorageError.self) {
            _ = try indexed().migrate { (progress) throws(StorageError) in
                examined = progress.examined
                if examined > 12_000 { throw StorageError(.cancelled, "enough") }
            }
        }
        try fixture.reopen()
        let items = try indexed()
        let report = try items.migrate()
        #expect(examined > 12_000 && report.examined == Self.count - examined)
        #expect(try items.verify().isSound)
    }

    /// The two records are in steps of which one is made before the other is committed.
    @Test func neighbouringStepsWithOneUniqueValueAreAViolation() throws {
        _ = try filled { if $0.id == 13_000 { $0.number = 10_000 } }
        let items = try indexed()
        #expect(violation { () throws(StorageError) in try items.migrate() }?.field == "number")
        try items.modify(RecordKey(13_000)) { $0.number = 13_000 }
        try items.migrate()
        let found = try items.verify()
        #expect(found.isSound && found.entries == 2 * Self.count)
    }

    @Test func writersChangeRecordsMeanwhile() async throws {
        _ = try filled()
        let items = try indexed()
        let isDone = Locked(false)
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask {
                var round = 0
                while !isDone.withLock({ $0 }) {
                    for id in stride(from: round % 97, to: Self.count, by: 397) {
                        try items.modify(RecordKey(id)) { (item) in
                            item.text = "c\(round)"
                            item.number = item.number.map { -1 - $0 }
                        }
                    }
                    try items.delete(RecordKey((round * 31) % Self.count))
                    round += 1
                }
            }
            group.addTask {
                defer { isDone.withLock { $0 = true } }
                try items.migrate()
            }
            try await group.waitForAll()
        }
        let found = try items.verify()
        #expect(found.isSound)
        #expect(found.entries == 2 * (try items.count()))
    }

    @Test func aSchemaThatChangesEndsThePass() throws {
        _ = try filled()
        let items = try indexed()
        var hasChanged = false
        try items.migrate { (progress) throws(StorageError) in
            guard progress.examined > 10_000, !hasChanged else { return }
            hasChanged = true
            _ = try fixture.store.common.collection(
                Item.schema([RecordIndex("number", .ascending(\Item.number), isUnique: true)]), onDifference: .adopt)
        }
        #expect(hasChanged)
        let now = try fixture.store.common.collection(
            Item.schema([RecordIndex("number", .ascending(\Item.number), isUnique: true)]))
        try now.migrate()
        #expect(try now.verify().isSound)
    }
}
