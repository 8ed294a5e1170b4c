package import ShaleBase

/// Items of work done on several threads at once, the caller's among them. The first failure ends the others.
///
/// With one thread the items are done in order by the caller, which makes a simulation repeatable.
package final class ParallelWork: Sendable {
    /// Does one item. It calls the second argument from time to time, which throws when the work is to end.
    package typealias Body = @Sendable (Int, @escaping () throws(StorageError) -> Void) throws(StorageError) -> Void

    private struct State {
        var nextItem = 0
        var running = 0
        var failure: StorageError?
    }

    private let itemCount: Int
    private let body: Body
    private let state = Guarded(State())
    /// The caller waits here for the others' last items.
    private let ended = Parker(spinCount: 0)

    private init(_ itemCount: Int, _ body: @escaping Body) {
        self.itemCount = itemCount
        self.body = body
    }

    /// Returns when every item is done, or throws the first failure when every item that had begun has ended.
    ///
    /// `poll` is called on the caller's thread only: from inside its items, and every few milliseconds while it waits for
    /// others. What it throws ends the work. Threads that the system refuses are done without.
    package static func run(
        _ itemCount: Int, threads: Int, poll: @escaping () throws(StorageError) -> Void, _ body: @escaping Body
    ) throws(StorageError) {
        let work = ParallelWork(itemCount, body)
        var helpers: [WorkerThread] = []
        for _ in 1..<max(1, min(threads, itemCount)) {
            do { helpers.append(try WorkerThread.start(name: "shale-range") { work.take {} }) } catch { break }
        }
        work.take(poll)
        while work.isBusy {
            do throws(StorageError) { try poll() } catch { work.fail(error) }
            _ = work.ended.park(nanoseconds: pollNanoseconds)
        }
        for helper in helpers { helper.join() }
        if let failure = work.state.withLock({ $0.failure }) { throw failure }
    }

    private static let pollNanoseconds: UInt64 = 5_000_000

    private var isBusy: Bool { state.withLock { $0.running > 0 } }

    /// Does items until there are none.
    private func take(_ poll: @escaping () throws(StorageError) -> Void) {
        while let item = next() {
            do throws(StorageError) {
                try body(item) { [self] () throws(StorageError) in
                    try check()
                    // Kept, so that an item which goes on after errors does not swallow the wish to end.
                    do throws(StorageError) { try poll() } catch { throw fail(error) }
                }
            } catch {
                fail(error)
            }
            let isLast = state.withLock { state in
                state.running -= 1
                return state.running == 0
            }
            if isLast { ended.unpark() }
        }
    }

    private func next() -> Int? {
        state.withLock { state in
            guard state.failure == nil, state.nextItem < itemCount else { return nil }
            defer { state.nextItem += 1 }
            state.running += 1
            return state.nextItem
        }
    }

    @discardableResult
    private func fail(_ error: StorageError) -> StorageError {
        state.withLock { $0.failure = $0.failure ?? error }
        return error
    }

    private func check() throws(StorageError) {
        guard state.withLock({ $0.failure }) == nil else {
            throw StorageError(.cancelled, "another part of the same work failed")
        }
    }
}
