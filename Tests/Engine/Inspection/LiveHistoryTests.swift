import Foundation
import ShaleEngine
import ShaleInspection
import Testing

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
            #expect(history.places.map(\.state).contains(.visible))
            let damage = history.findings.filter(\.isDamage)
            #expect(damage.isEmpty, "\(damage)")
            looks += 1
        }
        try engine.close()
    }
}
