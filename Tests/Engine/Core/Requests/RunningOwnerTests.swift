import ShaleBase
import ShalePlatform
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

/// Requests to an owner with its own threads, on the machine's disk.
@Suite struct RunningOwnerTests {
    private let place: TemporaryStore

    init() throws { place = try TemporaryStore() }

    private func open(_ change: (inout Engine.Options) -> Void = { _ in }) throws -> Engine {
        var options = Engine.Options()
        options.memtableBytes = 64 << 10
        options.memoryBudget = 8 << 20
        change(&options)
        let engine = try Engine.open(at: place.path, options: options)
        let namespace = try engine.createNamespace(named: [1])
        let purgeable = PutOptions(isPurgeable: true)
        for number in 0..<2000 {
            try engine.put(
                [UInt8](repeating: 3, count: 100), forKey: Array("\(number % 1500)".utf8), in: namespace,
                options: number % 2 == 0 ? purgeable : PutOptions())
        }
        return engine
    }

    @Test func theOwnerDoesTheWorkWhileItWrites() throws {
        let engine = try open()
        defer { #expect(throws: Never.self) { try engine.close() } }
        let report = try Engine.requestCompaction(ofStoreAt: place.path)
        #expect(report.compaction.shadowedEntries > 0 && report.storedBytesAfter > 0)
        let namespace = try #require(engine.namespace(named: [1]))
        #expect(try Engine.requestPurge(ofStoreAt: place.path, of: [namespace.id]).purgedEntries > 500)
        let root = try PosixFileSystem().openDirectory(place.path, create: false)
        #expect(try eventually { () throws(IOFailure) in try !root.exists("requests") })
    }

    @Test func severalRequestersAreServedInTurn() throws {
        let engine = try open()
        let path = place.path
        try TestThreads.run(4) { _ in
            for _ in 0..<3 { try Engine.requestCompaction(ofStoreAt: path) }
        }
        try engine.close()
    }

    @Test func anOwnerThatAcceptsNoneIsUnavailable() throws {
        let engine = try open { $0.acceptsRequests = false }
        let refused = code { () throws(StorageError) in try Engine.requestCompaction(ofStoreAt: place.path) }
        #expect(refused == .unavailable)
        try engine.close()
    }

    @Test func aClosingOwnerEndsTheWait() throws {
        let engine = try open()
        let path = place.path
        let began = Locked(false)
        let result = Locked<StorageError.Code?>(nil)
        let requester = try WorkerThread.start(name: "requester") {
            let refused = code { () throws(StorageError) in
                while true {
                    try Engine.requestCompaction(ofStoreAt: path) { _ in began.withLock { $0 = true } }
                }
            }
            result.withLock { $0 = refused }
        }
        #expect(eventually { () throws(Never) in began.withLock { $0 } })
        try engine.close()
        requester.join()
        let found = result.withLock { $0 }
        #expect(found == .unavailable || found == .closed, "\(found.map { "\($0)" } ?? "none")")
    }

    @Test func aMailboxThatOthersMayEnterIsRefusedByBothSides() throws {
        let engine = try open()
        let mailbox = place.path + "/requests"
        let isMade = unsafe mkdir(mailbox, 0o700) == 0 && chmod(mailbox, 0o770) == 0
        try #require(isMade)
        let refused = code { () throws(StorageError) in try Engine.requestCompaction(ofStoreAt: place.path) }
        #expect(refused == .locked)
        let directory = try PosixFileSystem().openDirectory(mailbox, create: false)
        let lock = try directory.lock(MailboxLayout.request("0123456789abcdef"))
        RequestServer(engine.core) { false }.serve()
        #expect(try directory.list() == [MailboxLayout.request("0123456789abcdef")])
        lock.release()
        try engine.close()
        try directory.remove(MailboxLayout.request("0123456789abcdef"))
        unsafe rmdir(mailbox)
    }
}
