import ShaleBase
import ShalePlatform
import ShaleSimulation
import TestSupport
import Testing

@testable import ShaleEngine

#if canImport(Darwin)
    import Darwin
#elseif canImport(Musl)
    import Musl
#else
    import Glibc
#endif

/// A quota is exhausted while the file system still reports free space.
@Suite struct QuotaReserveTests {
    private let store: TestStore
    private let namespace: NamespaceID
    private var hasReserve: Bool { store.files.paths().contains { $0.hasSuffix("RESERVE") } }

    init() throws {
        store = try TestStore(SimulatedFileSystem(seed: 1))
        namespace = try store.namespace("n")
        try store.put("k", "v", in: namespace, options: PutOptions(isPurgeable: true))
        try store.engine.core.maintain()
        store.files.inject(
            FaultRule(on: [.preallocate, .create], when: .always, repeatsForever: true, .error(EDQUOT)))
    }

    @Test func theReserveGoesWhenAnEditIsRefused() throws {
        #expect(hasReserve)
        let files = store.files
        files.willPerform = { [unowned files] kind, path in
            if kind == .remove, path.hasSuffix("RESERVE") { files.removeFaultRules() }
        }
        for round in 0..<100 {
            try store.engine.setOptions([UInt8](repeating: UInt8(round), count: 2000), of: namespace)
        }
        #expect(!hasReserve)
        #expect(store.engine.statistics.spaceShortages > 0)
    }

    /// The edit that needed the space must find it before the reserve takes it again.
    @Test func aReserveThatAQuotaRequiredReturnsAfterAPause() throws {
        #expect(try #require(store.engine.core.reserve).release())
        store.files.removeFaultRules()
        for pause: UInt64 in [0, 9_999] {
            store.time.advance(milliseconds: pause)
            try store.engine.core.maintain()
            #expect(!hasReserve)
        }
        store.time.advance(milliseconds: 1)
        try store.engine.core.maintain()
        #expect(hasReserve)
    }

    /// The reported free space ignores the quota. The attempt to create the reserve shows what is left.
    @Test func aReserveThatFindsNoSpaceIsNoFailureAndLeavesNothing() throws {
        #expect(try #require(store.engine.core.reserve).release())
        try store.engine.core.maintain()
        store.time.advance(milliseconds: 10_000)
        let before = store.files.faultsFired.count
        for _ in 0..<100 { try store.engine.core.maintain() }
        #expect(store.files.faultsFired.count == before + 1)
        #expect(!hasReserve)
    }

    /// Purges that change nothing don't consume the manifest's space, which effective ones need.
    @Test func repeatedPurgesTakeNoSpace() throws {
        let other = try #require(store.engine.namespaces.first).id
        for _ in 0..<5000 { try store.engine.purge([namespace]) }
        for _ in 0..<5000 { try store.engine.truncate([other]) }
        try store.engine.drop([namespace])
        try store.engine.close()
        #expect(store.files.faultsFired.count > 0)
        store.files.removeFaultRules()
        let engine = try TestStore.open(store.files.crashClone(.dropAll), store.options)
        #expect(engine.namespaces.isEmpty)
    }
}
