import ShaleEngine
import ShalePlatform
import ShaleSimulation
import Testing

/// Scans that cursors keep for reuse must not keep a closed engine alive.
@Suite struct IdleScanTests {
    @Test(arguments: [true, false])
    func aDroppedEngineIsNotKeptByIdleScans(_ closes: Bool) throws {
        let isKept = try isKept { engine, namespace in
            for _ in 0..<3 { #expect(try engine.entries(in: namespace).count == 100) }
            if closes { try engine.close() }
        }
        #expect(!isKept)
    }

    @Test(arguments: [true, false])
    func aDroppedEngineIsNotKeptByACursorThatEndsLater(_ closes: Bool) throws {
        let isKept = try isKept { engine, namespace in
            var cursor = try engine.cursor(in: namespace)
            #expect(try cursor.next())
            if closes { try engine.close() } else { try engine.compact() }
        }
        #expect(!isKept)
    }

    /// Runs `use` on an engine and releases it. Returns true if its clock, which the engine holds, is still alive.
    private func isKept(_ use: (Engine, NamespaceID) throws -> Void) throws -> Bool {
        weak var clock: ManualTime?
        do {
            let time = ManualTime()
            clock = time
            let store = try TestStore(time: time)
            let namespace = try store.namespace("n")
            for i in 0..<100 { try store.put("key\(i)", "value", in: namespace) }
            try use(store.engine, namespace)
        }
        return clock != nil
    }
}
