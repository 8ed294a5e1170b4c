import Foundation
import ShaleNodes
import Testing

/// Several threads write below long names while others clear them.
@Suite struct LongNameRaceTests {
    /// Too long for a component of a path, and for a key.
    private static let long = String(repeating: "🙂", count: 4_200)

    @Test func manyWhoEnterANameEnterItOnce() async throws {
        let folder = FileManager.default.temporaryDirectory.path + "/shale-long-names-\(UUID().uuidString)"
        let store = try Store(at: folder)
        let root = NamespaceStorage(store.common["nodes"], of: store)
        for round in 0..<3 {
            let name = Self.long + "\(round)"
            try await withThrowingTaskGroup(of: Void.self) { group in
                for number in 0..<8 {
                    group.addTask {
                        let node = root.child(named: name).child(named: name)
                        try node.set(number, forKey: "k\(number)")
                        try node.set(number, forKey: Self.long + "\(number)")
                    }
                }
                try await group.waitForAll()
            }
            #expect(try root.child(named: name).child(named: name).keys().count == 16)
        }
        try store.close()
        try FileManager.default.removeItem(atPath: folder)
    }

    @Test func noWriteIsLostToAClearingBeforeIt() async throws {
        let folder = FileManager.default.temporaryDirectory.path + "/shale-long-names-\(UUID().uuidString)"
        let store = try Store(at: folder)
        let root = NamespaceStorage(store.common["nodes"], of: store)
        let node = root.child(named: Self.long)
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { for _ in 0..<40 { try root.clearHierarchy() } }
            for number in 0..<3 {
                group.addTask {
                    for round in 0..<40 { try node.set(round, forKey: "k\(number)") }
                }
            }
            try await group.waitForAll()
        }
        for number in 0..<3 { try node.set(number, forKey: "k\(number)") }
        #expect(try node.keys() == ["k0", "k1", "k2"])
        try store.close()
        try FileManager.default.removeItem(atPath: folder)
    }
}
