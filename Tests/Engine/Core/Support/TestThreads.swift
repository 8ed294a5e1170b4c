import ShalePlatform

/// Runs a body on several threads and waits for all of them. Throws the first error.
enum TestThreads {
    static func run(_ count: Int, _ body: @escaping @Sendable (Int) throws -> Void) throws {
        let failure = Locked<(any Error)?>(nil)
        let threads = try (0..<count).map { i in
            try WorkerThread.start(name: "test-\(i)") {
                do {
                    try body(i)
                } catch {
                    failure.withLock { $0 = $0 ?? error }
                }
            }
        }
        for thread in threads { thread.join() }
        if let error = failure.withLock({ $0 }) { throw error }
    }
}

/// A gate at which threads wait.
final class TestGate: Sendable {
    private let lock = Lock()
    private let changed: Condition
    private let isOpen = Locked(false)
    private let arrivals = Locked(0)

    init() { changed = Condition(lock) }

    func open() {
        lock.withLock {
            isOpen.withLock { $0 = true }
            changed.broadcast()
        }
    }

    /// Waits until the gate is open.
    func pass() {
        lock.withLock {
            arrivals.withLock { $0 += 1 }
            changed.broadcast()
            while !isOpen.withLock({ $0 }) { changed.wait() }
        }
    }

    /// Waits until a thread waits at the gate or has passed it.
    func waitForArrival() {
        lock.withLock { while arrivals.withLock({ $0 }) == 0 { changed.wait() } }
    }
}
