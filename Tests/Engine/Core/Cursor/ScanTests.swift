import ShaleBase
import ShaleEngine
import ShalePlatform
import ShaleSimulation
import Testing

/// Long scans regularly switch to the current view, without a visible effect.
@Suite struct RepinTests {
    private static let count = 12_000

    private func filled() throws -> (TestStore, NamespaceID) {
        let store = try TestStore { $0.memtableBytes = 256 << 10 }
        store.files.recordsOperations = false
        let ns = try store.namespace("n")
        for i in 0..<RepinTests.count {
            try store.put("key\(100_000 + i)", "old \(i)", in: ns, options: PutOptions(isPurgeable: i % 3 == 0))
        }
        return (store, ns)
    }

    @Test(arguments: [ScanOrder.forward, .reversed])
    func aScanDeliversItsMomentWhateverIsReplacedUnderIt(_ order: ScanOrder) throws {
        let (store, ns) = try filled()
        let expected = try store.engine.entries(in: ns, order: order)
        #expect(expected.count == RepinTests.count)
        var cursor = try store.engine.cursor(in: ns, order: order)
        for (i, entry) in expected.enumerated() {
            if i % 1000 == 500 {
                // Versions on both sides of the cursor, including its current key, and a new view each time.
                for j in stride(from: i % 700, to: RepinTests.count, by: 700) {
                    try store.put("key\(100_000 + j)", "new \(i)", in: ns)
                    try store.delete("key\(100_000 + j + 1)", in: ns)
                    try store.put("key\(100_000 + j)x", "between \(i)", in: ns)
                }
                try store.put(String(decoding: entry.key, as: UTF8.self), "current", in: ns)
                switch i / 1000 % 4 {
                case 0: try store.engine.purge([ns])
                case 1: try store.engine.compact()
                case 2: try store.engine.truncate([ns])
                default: try store.engine.reclaim()
                }
            }
            guard try cursor.next() else {
                Issue.record("ended at \(i)")
                return
            }
            let isEqual =
                unsafe ByteComparison.areEqual(cursor.key, entry.key.span.bytes)
                && ByteComparison.areEqual(cursor.value, entry.value.span.bytes)
            #expect(isEqual, "entry \(i)")
            if !isEqual { return }
        }
        let isOver = try !cursor.next()
        #expect(isOver)
    }

    /// The scan can't be completed, and must not appear complete.
    @Test(arguments: [ScanOrder.forward, .reversed])
    func aScanOfANamespaceThatIsDroppedMeanwhileEndsWithAnError(_ order: ScanOrder) throws {
        let (store, ns) = try filled()
        var cursor = try store.engine.cursor(in: ns, order: order)
        var delivered = 0
        for _ in 0..<100 { if try cursor.next() { delivered += 1 } }
        try store.engine.drop([ns])
        try store.engine.compact()
        var code: StorageError.Code?
        do throws(StorageError) {
            while try cursor.next() { delivered += 1 }
        } catch {
            code = error.code
        }
        #expect(delivered == RepinTests.count || code == .namespaceDropped)
    }
}

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
