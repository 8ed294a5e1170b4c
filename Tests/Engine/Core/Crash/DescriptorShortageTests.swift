import ShaleBase
import ShaleEngine
import ShalePlatform
import ShaleSimulation
import Testing

#if canImport(Darwin)
    import Darwin
#elseif canImport(Musl)
    import Musl
#else
    import Glibc
#endif

/// A process without a free file descriptor. A call that needs one closes idle files and retries once. A
/// call that still fails affects no other call.
@Suite struct DescriptorShortageTests {
    private let store: TestStore
    private let namespace: NamespaceID
    private static let segments = 6

    init() throws {
        // Segments that nothing compacts, and no cache, so that each read accesses a file.
        store = try TestStore {
            $0.l0CompactionTrigger = 20
            $0.l0SlowdownTrigger = 30
            $0.l0StopTrigger = 40
        }
        namespace = try store.namespace("n")
        for round in 0..<Self.segments {
            try store.put("key\(round)", String(repeating: "\(round)", count: 500), in: namespace)
            try store.engine.flush()
        }
        try store.reopen()
    }

    private func read(_ round: Int) throws -> String? { try store.get("key\(round)", in: namespace) }

    private func expectAll() throws {
        for round in 0..<Self.segments { #expect(try read(round) == String(repeating: "\(round)", count: 500)) }
    }

    private func openSegments() -> Int { store.files.openHandlePaths.count { $0.hasSuffix(".seg") } }

    @Test(arguments: [EMFILE, ENFILE]) func idleFilesGiveWayToAnotherOne(_ number: Int32) throws {
        for round in 1..<Self.segments { _ = try read(round) }
        #expect(openSegments() == Self.segments - 1)
        store.files.inject(FaultRule(on: [.open], path: "*.seg", when: .match(1), .error(number)))
        #expect(try read(0) == String(repeating: "0", count: 500))
        #expect(store.engine.statistics.descriptorShortages == 1)
        #expect(openSegments() == (Self.segments - 1) / 2 + 1, "half of them were closed, and one was opened")
        try expectAll()
        #expect(!store.engine.statistics.isPoisoned)
    }

    /// Creating a segment, a log or a manifest never fails for lack of a descriptor that a cache holds.
    @Test func creatingAFileFindsADescriptorToo() throws {
        try expectAll()
        store.files.inject(FaultRule(on: [.create], path: "*.seg", when: .match(1), .error(EMFILE)))
        store.files.inject(FaultRule(on: [.create], path: "*.wal", when: .match(1), .error(EMFILE)))
        store.files.inject(FaultRule(on: [.create], path: "MANIFEST*", when: .match(1), .error(EMFILE)))
        try store.put("more", "value", in: namespace)
        try store.engine.flush()
        try expectAll()
        try store.engine.rewriteManifest()
        #expect(store.files.faultsFired.count == 3)
        #expect(store.engine.statistics.descriptorShortages == 3)
        #expect(store.engine.statistics.backgroundFailures == 0)
        try store.reopen()
        try expectAll()
        #expect(try store.get("more", in: namespace) == "value")
    }

    @Test func aReadThatStillFailsFailsAloneAndPoisonsNothing() throws {
        _ = try read(1)
        store.files.inject(FaultRule(on: [.open], path: "*.seg", when: .always, repeatsForever: true, .error(EMFILE)))
        let error = #expect(throws: StorageError.self) { try read(0) }
        #expect(error?.code == .ioFailure)
        #expect((error?.cause as? IOFailure)?.errorNumber == EMFILE)
        #expect(store.files.faultsFired.count == 2, "it is tried once more, and not for ever")
        // If nothing is left to close, there is no second attempt.
        #expect(throws: StorageError.self) { try read(0) }
        #expect(store.files.faultsFired.count == 3)
        // A compaction can't read its inputs: it fails and keeps them.
        #expect(throws: StorageError.self) { try store.engine.compact() }
        #expect(!store.engine.statistics.isPoisoned)
        // Log, manifest, lock and directories are open, so writes continue.
        try store.put("more", "value", in: namespace, durability: .synced)
        try store.engine.truncate([try store.namespace("other")])
        #expect(try store.get("more", in: namespace) == "value")

        store.files.removeFaultRules()
        try expectAll()
        try store.engine.compact()
        try expectAll()
    }

    /// EIO is an error of that call only.
    @Test func aReadThatFailsFailsAlone() throws {
        store.files.inject(FaultRule(on: [.read], path: "*.seg", when: .match(1), .error(EIO)))
        let error = #expect(throws: StorageError.self) { try read(0) }
        #expect(error?.code == .ioFailure)
        #expect(error?.file?.hasSuffix(".seg") == true)
        try expectAll()
        #expect(!store.engine.statistics.isPoisoned)
    }
}
