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
