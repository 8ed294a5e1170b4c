import ShalePlatform
import TestSupport
import Testing

@testable import ShaleCluster

/// Reads of entries of one object that are sent together.
@Suite
struct SharedReadsTests {
    /// An operation in flight, which ends when its gate is open, or when it is cancelled.
    private final class Call: SharedCall {
        private let hasEnded = Locked(false)

        /// Returns true once.
        func end() -> Bool {
            hasEnded.withLock { hasEnded in
                defer { hasEnded = true }
                return !hasEnded
            }
        }
    }

    private let reads = SharedReads()
    /// The gate of the first operation.
    private let gate = TaskGate()
    /// The gate of the operations that follow.
    private let later = TaskGate(isOpen: true)
    private let sent = Locked<[Int]>([])
    private let failure = Locked<PoolFailure.Kind?>(nil)

    private static func name(_ number: Int) -> [UInt8] { [UInt8(100 + number), 1] }

    /// Finds entries with even numbers.
    private func result(_ names: [[UInt8]]) -> Result<ObjectContents, PoolFailure> {
        if let failure = failure.withLock({ $0 }) { return .failure(PoolFailure(failure)) }
        let found = Set(names).filter { $0[0] % 2 == 0 }.sorted { $0.lexicographicallyPrecedes($1) }
        var contents = ObjectContents()
        contents.found = ObjectEntries(found.map { ObjectEntry(name: $0, value: $0) })
        return .success(contents)
    }

    private func send(_ names: [[UInt8]]) {
        let isFirst = sent.withLock { sent in
            sent.append(names.count)
            return sent.count == 1
        }
        let (call, reads) = (Call(), reads)
        if reads.begin(call), call.end() { return reads.end(.failure(PoolFailure(.cancelled))) }
        Task {
            await (isFirst ? gate : later).pass()
            if call.end() { reads.end(result(names)) }
        }
    }

    /// Returns true if there is an entry with the number.
    private func read(_ number: Int) async throws(PoolFailure) -> Bool {
        let (name, reads) = (SharedReadsTests.name(number), reads)
        let contents = try await reads.read(name, send: send) { (call) in
            if let call = call as? Call, call.end() { reads.end(.failure(PoolFailure(.cancelled))) }
        }
        guard let index = contents.found.index(of: name.span) else { return false }
        return [UInt8](copying: contents.found.value(at: index)) == name
    }

    private func task(_ number: Int) -> Task<Bool, any Error> { Task { try await read(number) } }

    /// Starts a read that stays in flight, and further ones that wait, with the numbers from 0 on.
    private func begin(_ count: Int) async -> [Task<Bool, any Error>] {
        var tasks: [Task<Bool, any Error>] = []
        for number in 0..<count {
            tasks.append(task(number))
            while sent.withLock({ $0.isEmpty }) || reads.waitingCount < number { await Task.yield() }
        }
        return tasks
    }

    private func kind(_ task: Task<Bool, any Error>) async -> PoolFailure.Kind? {
        do {
            _ = try await task.value
            return nil
        } catch {
            return (error as? PoolFailure)?.kind
        }
    }

    @Test
    func readsThatComeMeanwhileAreSentTogetherAndGetTheirOwnEntries() async throws {
        let tasks = await begin(8)
        #expect(sent.withLock { $0 } == [1])
        gate.open()
        for (number, task) in tasks.enumerated() { #expect(try await task.value == number.isMultiple(of: 2)) }
        #expect(sent.withLock { $0 } == [1, 7])
        #expect(try await read(2))
        #expect(sent.withLock { $0 } == [1, 7, 1])
        #expect(reads.heldCount == 0)
    }

    @Test
    func anOperationHasNoMoreReadsThanItMayHave() async throws {
        let tasks = await begin(40)
        gate.open()
        for (number, task) in tasks.enumerated() { #expect(try await task.value == number.isMultiple(of: 2)) }
        #expect(sent.withLock { $0 } == [1, SharedReads.readsMax, SharedReads.readsMax, 7])
    }

    @Test
    func equalReadsAllGetTheEntry() async throws {
        let first = await begin(1)
        let others = (0..<5).map { _ in task(2) }
        while reads.waitingCount < 5 { await Task.yield() }
        gate.open()
        #expect(try await first[0].value)
        for task in others { #expect(try await task.value) }
        #expect(sent.withLock { $0 } == [1, 5])
    }

    @Test
    func aReadThatIsCancelledWhileItWaitsEndsAtOnce() async throws {
        let tasks = await begin(5)
        tasks[2].cancel()
        #expect(await kind(tasks[2]) == .cancelled)
        #expect(reads.waitingCount == 3)
        gate.open()
        for (number, task) in tasks.enumerated() where number != 2 {
            #expect(try await task.value == number.isMultiple(of: 2))
        }
        #expect(sent.withLock { $0 } == [1, 3])
    }

    @Test
    func aReadThatIsCancelledInAnOperationTakesNoOtherWithIt() async throws {
        let tasks = await begin(4)
        later.close()
        gate.open()
        while sent.withLock({ $0.count }) < 2 { await Task.yield() }
        // The first one of the operation sends the next one after it, so another one does.
        for cancelled in [1, 3] {
            tasks[cancelled].cancel()
            #expect(await kind(tasks[cancelled]) == .cancelled)
        }
        let waiting = task(6)
        while reads.waitingCount < 1 { await Task.yield() }
        later.open()
        #expect(try await tasks[2].value)
        #expect(try await waiting.value)
        #expect(sent.withLock { $0 } == [1, 3, 1])
    }

    @Test
    func anOperationWithoutReadersIsCancelledAndTheNextOneIsSent() async throws {
        let tasks = await begin(3)
        tasks[0].cancel()
        #expect(await kind(tasks[0]) == .cancelled)
        #expect(try await !tasks[1].value)
        #expect(try await tasks[2].value)
        #expect(sent.withLock { $0 } == [1, 2])
        gate.open()
    }

    @Test
    func aTaskThatWasCancelledBeforeSendsNothing() async {
        let task = Task {
            while !Task.isCancelled { await Task.yield() }
            return try await read(2)
        }
        task.cancel()
        #expect(await kind(task) == .cancelled)
        #expect(sent.withLock { $0 }.isEmpty)
    }

    @Test
    func aFailureIsThatOfEveryReadOfTheOperation() async throws {
        let tasks = await begin(4)
        failure.withLock { $0 = .timedOut }
        gate.open()
        for task in tasks { #expect(await kind(task) == .timedOut) }
        #expect(sent.withLock { $0 } == [1, 3])
        failure.withLock { $0 = nil }
        #expect(try await read(2))
    }

    @Test
    func manyCancelledReadsLeaveNothingBehind() async throws {
        let first = await begin(1)
        for _ in 0..<500 {
            let task = task(2)
            while reads.waitingCount == 0 { await Task.yield() }
            task.cancel()
            #expect(await kind(task) == .cancelled)
        }
        #expect(reads.heldCount <= 65)
        gate.open()
        #expect(try await first[0].value)
        #expect(try await read(2))
        #expect(reads.heldCount == 0)
    }

    @Test
    func readsAndCancellationsAtRandomAllEnd() async throws {
        gate.open()
        let random = SeededRandom(seed: Ring.seed)
        for _ in 0..<200 {
            let tasks = (0..<12).map { task($0) }
            for task in tasks where random.chance(0.3) { task.cancel() }
            for (number, task) in tasks.enumerated() {
                let outcome = await task.result
                #expect((try? outcome.get()) ?? number.isMultiple(of: 2) == number.isMultiple(of: 2))
            }
        }
        #expect(try await read(2))
        #expect(reads.waitingCount == 0, "seed \(Ring.seed)")
    }
}
