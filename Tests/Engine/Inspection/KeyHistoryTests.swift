import Foundation
import ShaleEngine
import ShaleInspection
import Testing

@Suite struct KeyHistoryTests {
    private let key = Array("key".utf8)

    private func put(_ engine: Engine, _ id: NamespaceID, _ value: String) throws {
        try engine.write { (batch) throws(StorageError) in
            try batch.put([1], forKey: Array("other".utf8), in: id)
            try batch.put(Array(value.utf8), forKey: key, in: id)
        }
    }

    @Test func everyVersionIsFoundWithItsPlaceAndWhatItIs() throws {
        let store = InspectedStore()
        defer { store.remove() }
        let engine = try store.open()
        let id = try engine.createNamespace(named: [1])
        // A snapshot keeps the flush from dropping the older version.
        try put(engine, id, "first")
        let snapshot = engine.snapshot()
        try put(engine, id, "second")
        try engine.flush()
        try put(engine, id, "third")
        let inspector = try StoreInspector(at: store.path)
        let locations = try inspector.history(of: key, in: id).locations
        let live = locations.filter { $0.state != .unreferenced }
        #expect(live.map { String(decoding: $0.version.value, as: UTF8.self) } == ["third", "second", "first"])
        #expect(live.map(\.state) == [.visible, .hidden, .hidden])
        #expect(live[0].file.hasPrefix("wal/") && live[0].level == nil)
        #expect(live[1].file.hasPrefix("segments/") && live[1].level == 0 && live[1].block == 0)
        withExtendedLifetime(snapshot) {}
        try engine.close()
    }

    @Test func aDeleteAPurgeATruncationAndAnExpiryAreDistinguished() throws {
        let store = InspectedStore()
        defer { store.remove() }
        let engine = try store.open()
        func namespace(_ name: UInt8) throws -> NamespaceID { try engine.createNamespace(named: [name]) }
        let (deleted, purged, truncated, expired) = (
            try namespace(1), try namespace(2), try namespace(3), try namespace(4)
        )
        try engine.write { (batch) throws(StorageError) in
            for id in [deleted, truncated] { try batch.put([1], forKey: key, in: id) }
            try batch.put([1], forKey: key, in: purged, options: PutOptions(isPurgeable: true))
            try batch.put([1], forKey: key, in: expired, options: PutOptions(expiresAtMilliseconds: 2_000_000_000_000))
        }
        try engine.write { (batch) throws(StorageError) in try batch.delete(key, in: deleted) }
        try engine.purge([purged])
        try engine.truncate([truncated])
        let inspector = try StoreInspector(at: store.path)
        func newest(_ id: NamespaceID, now: Int64? = nil) throws -> KeyHistory.State? {
            try inspector.history(of: key, in: id, now: now).locations.first?.state
        }
        #expect(try newest(deleted) == .deleted)
        #expect(try newest(purged) == .purged)
        #expect(try newest(truncated) == .truncated)
        #expect(try newest(expired, now: 1_999_999_999_999) == .visible)
        #expect(try newest(expired, now: 2_000_000_000_000) == .expired)
        try engine.close()
    }

    @Test func anUnreadableFileIsAFindingAndTheRestIsFound() throws {
        let store = InspectedStore()
        defer { store.remove() }
        let engine = try store.open()
        let id = try engine.createNamespace(named: [1])
        try put(engine, id, "first")
        try engine.flush()
        try put(engine, id, "second")
        let inspector = try StoreInspector(at: store.path)
        let segment = StoreInspector.segmentName(try #require(try inspector.segmentNumbers().first))
        try store.damage(segment, at: 20)
        let history = try inspector.history(of: key, in: id)
        #expect(history.locations.first?.state == .visible)
        let finding = try #require(history.findings.first)
        #expect(finding.kind == .damaged && finding.isDamage)
        #expect(finding.file == segment && finding.offset == 0)
        try engine.close()
    }
}

/// Inspection beside a running process finds no damage.
@Suite struct LiveHistoryTests {
    @Test func whileFilesComeAndGoAKeyIsFoundAndNothingIsDamaged() throws {
        let store = InspectedStore()
        defer { store.remove() }
        let engine = try store.open()
        let id = try engine.createNamespace(named: [1])
        let key = Array("key".utf8)
        try engine.put([1], forKey: key, in: id)
        let writer = Thread {
            do {
                for round in 0..<40 {
                    for number in 0..<200 {
                        try engine.put([UInt8](repeating: 1, count: 100), forKey: Array("k\(number)".utf8), in: id)
                    }
                    try engine.flush()
                    if round.isMultiple(of: 5) { _ = try engine.compact() }
                }
            } catch {
                Issue.record("\(error)")
            }
        }
        writer.start()
        let inspector = try StoreInspector(at: store.path)
        var looks = 0
        while !writer.isFinished || looks < 5 {
            let history = try inspector.history(of: key, in: id)
            #expect(history.locations.map(\.state).contains(.visible))
            let damage = history.findings.filter(\.isDamage)
            #expect(damage.isEmpty, "\(damage)")
            looks += 1
        }
        try engine.close()
    }
}
