import ShaleBase
import ShalePlatform
import ShaleSimulation
import TestSupport
import Testing

@testable import ShaleEngine

/// The holds of a refresh while it reads.
@Suite struct RefreshHoldTests {
    /// A refresh holds everything before it reads CURRENT, and until it holds its state. So no file that it is about to
    /// read is deleted.
    @Test func aRefreshHoldsEverythingWhileItReads() throws {
        let store = try TestStore()
        let ns = try store.namespace("n")
        var options = store.options
        options.mode = .readOnly
        let reader = try TestStore.open(store.files, options)
        for i in 0..<100 { try store.put("key\(i)", "value", in: ns) }
        try store.engine.flush()
        for i in 0..<100 { try store.put("key\(i)", "later", in: ns) }
        let lock = try #require(store.engine.core.lock)
        var calls = 0
        var isInside = false
        store.files.willPerform = { _, path in
            guard !isInside, ["CURRENT", "MANIFEST", "/wal", "/segments"].contains(where: path.contains) else { return }
            isInside = true
            defer { isInside = false }
            calls += 1
            do throws(IOFailure) {
                #expect(try lock.heldPositions().contains(HoldPosition.everything), "\(path)")
            } catch {
                Issue.record("\(error)")
            }
        }
        let refreshed = try reader.refreshed()
        store.files.willPerform = nil
        #expect(calls > 5)
        #expect(try lock.heldPositions().count == 2)
        #expect(try refreshed.count(in: ns) == 100)
        try store.engine.close()
    }
}
