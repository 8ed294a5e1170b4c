import Foundation
import Shale
import ShalePlatform
import Synchronization
import TestSupport
import Testing

/// An executor that runs its actor's jobs on one queue and counts them. An `async` call that stays on the caller's
/// thread makes no further job.
private final class CountingExecutor: SerialExecutor {
    private let queue = DispatchQueue(label: "counting")
    private let count = Atomic(0)

    var jobs: Int { count.load(ordering: .acquiring) }

    func enqueue(_ job: consuming ExecutorJob) {
        count.add(1, ordering: .acquiringAndReleasing)
        let job = UnownedJob(job)
        let executor = unsafe asUnownedSerialExecutor()
        queue.async { unsafe job.runSynchronously(on: executor) }
    }

    func asUnownedSerialExecutor() -> UnownedSerialExecutor { unsafe UnownedSerialExecutor(ordinary: self) }
}

private actor Caller {
    private let executor = CountingExecutor()
    private var state = 0

    nonisolated var unownedExecutor: UnownedSerialExecutor { unsafe executor.asUnownedSerialExecutor() }

    /// Returns the number of times that the calls of `body` came back to this actor from elsewhere.
    func hops(_ store: Store, _ body: @Sendable (Store, isolated Caller) async throws -> Void) async throws -> Int {
        let before = executor.jobs
        try await body(store, self)
        return executor.jobs - before
    }

    func note() { state += 1 }
}

/// The `async` forms of functions that wait for the disk.
@Suite struct AsyncStoreTests {
    @Test func callsThatDoNotWaitStayOnTheCallersThread() async throws {
        let fixture = try StoreFixture()
        let namespace = fixture["n"]
        try namespace.set(0, forKey: "k", durability: .synced)
        let hops = try await Caller().hops(fixture.store) { store, caller in
            try await store.sync()
            try await store.write(durability: .buffered) { batch in
                caller.note()
                try batch.set(1, forKey: "a", in: namespace)
            }
            try await store.transaction(durability: .buffered) { transaction in
                caller.note()
                try transaction.set(2, forKey: "b", in: namespace)
            }
        }
        #expect(hops == 0)
        #expect(try namespace.int(forKey: "b") == 2)
    }

    @Test func callsThatWaitLeaveTheCallersThread() async throws {
        let fixture = try StoreFixture()
        let namespace = fixture["n"]
        try namespace.set(0, forKey: "k", durability: .buffered)
        let hops = try await Caller().hops(fixture.store) { store, _ in
            try await store.sync()
            try await store.write(durability: .synced) { try $0.set(1, forKey: "a", in: namespace) }
        }
        #expect(hops == 2)
        #expect(try namespace.int(forKey: "a") == 1)
    }

    @Test func aStoreIsOpenedUsedAndClosed() async throws {
        let path = FileManager.default.temporaryDirectory.path + "/shale-async-\(UUID().uuidString)"
        defer { for end in ["", "-copy"] { try? FileManager.default.removeItem(atPath: path + end) } }
        let store = try await Store.open(at: path)
        let namespace = store.common["n"]
        try await store.transaction(durability: .synced) { try $0.set(1, forKey: "a", in: namespace) }
        try await store.engine.compact()
        #expect(try await store.engine.verify().problems.isEmpty)
        try await store.engine.checkpoint(at: path + "-copy")
        try await store.close()
        let again = try await Store.open(at: URL(fileURLWithPath: path))
        #expect(try again.common["n"].int(forKey: "a") == 1)
        try await again.close()
        let copy = try await Store.open(at: path + "-copy")
        #expect(try copy.common["n"].int(forKey: "a") == 1)
        try await copy.close()
    }

    @Test func aTransactionRunsAgainAfterAConflict() async throws {
        let fixture = try StoreFixture()
        let namespace = fixture["n"]
        var runs = 0
        try await fixture.store.transaction(durability: .synced) { transaction in
            runs += 1
            let value = try transaction.value(forKey: "k", in: namespace, as: Int.self) ?? 0
            if runs == 1 { try namespace.set(10, forKey: "k") }
            try transaction.set(value + 1, forKey: "k", in: namespace)
        }
        #expect(runs == 2)
        #expect(try namespace.int(forKey: "k") == 11)
    }

    /// Its reads would no longer be checked for conflicts.
    @Test(arguments: [false, true]) func aScanThatEscapesFromItsTransactionIsRefused(fails: Bool) async throws {
        struct Failure: Error {}
        let fixture = try StoreFixture()
        let namespace = fixture["n"]
        try namespace.set(1, forKey: "k")
        var escaped: Scan<Store.Entry>?
        do {
            try await fixture.store.transaction { transaction in
                escaped = transaction[namespace].entries
                #expect(try escaped?.array().count == 1)
                if fails { throw Failure() }
            }
            #expect(!fails)
        } catch is Failure {
            #expect(fails)
        }
        #expect(code { () throws(StorageError) in _ = try escaped?.array() } == .invalidArgument)
    }

    @Test func aCancelledCallDoesNothing() async throws {
        let fixture = try StoreFixture()
        let namespace = fixture["n"]
        let store = fixture.store
        let codes = await Task {
            unsafe withUnsafeCurrentTask { unsafe $0?.cancel() }
            var codes: [StorageError.Code?] = []
            func note(_ body: () async throws(StorageError) -> Void) async {
                do throws(StorageError) {
                    try await body()
                    codes.append(nil)
                } catch {
                    codes.append(error.code)
                }
            }
            await note { () async throws(StorageError) in try await store.sync() }
            await note { () async throws(StorageError) in
                try await store.write { (batch) throws(StorageError) in try batch.set(1, forKey: "a", in: namespace) }
            }
            await note { () async throws(StorageError) in
                try await store.transaction(durability: .synced) { (transaction) throws(StorageError) in
                    try transaction.set(1, forKey: "a", in: namespace)
                }
            }
            await note { () async throws(StorageError) in try await store.engine.compact() }
            return codes
        }.value
        #expect(codes == [.cancelled, .cancelled, .cancelled, .cancelled])
        #expect(try !namespace.contains("a"))
    }

    @Test func closingClosesInACancelledTask() async throws {
        let store = try Store.inMemory()
        let namespace = store.common["n"]
        try await Task {
            unsafe withUnsafeCurrentTask { unsafe $0?.cancel() }
            try await store.close()
        }.value
        #expect(code { () throws(StorageError) in try namespace.set(1, forKey: "a") } == .closed)
    }

    @Test func aCancelledCompactionEndsAtItsNextStep() async throws {
        let fixture = try StoreFixture(isSmall: true)
        for index in 0..<20_000 { try fixture["n"].set(String(repeating: "x", count: 200), forKey: "\(index)") }
        let store = fixture.store
        let (steps, step) = AsyncStream.makeStream(of: Void.self)
        let release = DispatchSemaphore(value: 0)
        let task = Task {
            defer { step.finish() }
            try await store.engine.compact { _ in
                step.yield()
                release.wait()
                release.signal()
            }
        }
        var iterator = steps.makeAsyncIterator()
        #expect(await iterator.next() != nil)
        task.cancel()
        release.signal()
        let result = await task.result
        #expect(throws: StorageError.self) { try result.get() }
        #expect(try fixture["n"].count() == 20_000)
    }

    @Test func manyCommitsAtOnceAreAllDone() async throws {
        let fixture = try StoreFixture()
        let store = fixture.store
        let namespace = fixture["n"]
        try await withThrowingTaskGroup(of: Void.self) { group in
            for index in 0..<200 {
                group.addTask {
                    try await store.write(durability: .synced) { try $0.set(index, forKey: "\(index)", in: namespace) }
                }
            }
            try await group.waitForAll()
        }
        #expect(try namespace.count() == 200)
    }
}
