import ShaleBase
import ShalePlatform
import ShaleSimulation
import TestSupport
import Testing

@testable import ShaleEngine

/// Requests of another process, with both sides on one thread: the requester's waits are the owner's looks.
@Suite struct OwnerRequestTests {
    private let store: TestStore
    private let server: RequestServer
    private let client: RequestClient

    init() throws {
        let store = try TestStore()
        let server = RequestServer(store.engine.core) { false }
        self.store = store
        self.server = server
        client = try RequestClient(at: "/store", store.files, time: store.time) {
            store.time.advance(milliseconds: 100)
            if server.isAsked() { server.serve() }
        }
    }

    private func fill(_ rounds: Int) throws -> NamespaceID {
        let namespace = try store.namespace("n")
        let purgeable = PutOptions(isPurgeable: true)
        for round in 0..<rounds {
            for number in 0..<100 {
                try store.put("\(number)", "value \(round)", in: namespace)
                if number % 2 == 0 {
                    try store.engine.put(
                        [UInt8](repeating: 1, count: 100), forKey: Array("purgeable \(number)".utf8), in: namespace,
                        options: purgeable)
                }
            }
            try store.engine.flush()
        }
        return namespace
    }

    private var mailbox: [String] { store.files.paths().filter { $0.contains("/requests") } }

    @Test func aCompactionIsDoneAndReported() throws {
        _ = try fill(3)
        var steps = 0
        let report = try client.run(OwnerRequest(work: .compact)) { _ in steps += 1 }
        #expect(report.compaction.shadowedEntries == 2 * 150 && report.compaction.readBytes > 0)
        #expect(report.storedBytesAfter < report.storedBytesBefore)
        #expect(report.storedBytesAfter == store.engine.statistics.storedBytes)
        #expect(steps > 0 && mailbox.isEmpty, "\(mailbox)")
        #expect(store.engine.statistics.levels.count { $0.segments > 0 } == 1)
        try store.engine.close()
    }

    @Test func aPurgeRemovesAndFrees() throws {
        let namespace = try fill(1)
        var request = OwnerRequest(work: .reclaim)
        request.purged = [namespace, NamespaceID(rawValue: 4711)]
        let report = try client.run(request) { _ in }
        #expect(report.purgedEntries == 50 && report.purgedRawBytes > 5000)
        #expect(try store.engine.value(forKey: Array("purgeable 0".utf8), in: namespace) == nil)
        #expect(try store.engine.value(forKey: Array("0".utf8), in: namespace) != nil)
        try store.engine.close()
    }

    @Test func aRefusalIsATypedAnswer() throws {
        _ = try fill(2)
        var request = OwnerRequest(work: .compact)
        request.options.extraDiskBytesMax = 1
        #expect(code { () throws(StorageError) in _ = try client.run(request) { _ in } } == .invalidArgument)
        #expect(mailbox.isEmpty)
        try store.engine.close()
    }

    @Test func aRequesterCancels() throws {
        _ = try fill(3)
        let before = store.engine.statistics.compactions
        let cancelled = code { () throws(StorageError) in
            _ = try client.run(OwnerRequest(work: .compact)) { (_) throws(StorageError) in
                throw StorageError(.cancelled, "^C")
            }
        }
        #expect(cancelled == .cancelled && mailbox.isEmpty)
        server.serve()
        #expect(store.engine.statistics.compactions == before)
        try store.engine.close()
    }

    @Test func withoutAnOwnerNobodyAnswers() throws {
        try store.engine.close()
        let time = store.time
        let start = time.monotonicNanoseconds
        let alone = try RequestClient(at: "/store", store.files, time: time) { time.advance(milliseconds: 100) }
        let refused = code { () throws(StorageError) in _ = try alone.run(OwnerRequest(work: .compact)) { _ in } }
        #expect(refused == .unavailable && mailbox.isEmpty)
        #expect(time.monotonicNanoseconds - start < 11_000_000_000)
    }

    @Test func aDirectoryWithoutAStoreIsMissing() {
        let refused = code { () throws(StorageError) in _ = try RequestClient(at: "/nothing", store.files) }
        #expect(refused == .missing)
    }

    @Test func aLookWithoutARequestReadsOneName() throws {
        var calls = 0
        store.files.willPerform = { _, _ in calls += 1 }
        #expect(!server.isAsked())
        store.files.willPerform = nil
        #expect(calls <= 1)
        try store.engine.close()
    }
}
