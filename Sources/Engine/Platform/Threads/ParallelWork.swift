package import ShaleBase
import Synchronization

/// Runs work items on several threads, including the caller's. The first failure stops the others.
///
/// With one thread, the caller runs the items in order, which makes a simulation repeatable.
package final class ParallelWork: Sendable {
    /// Runs one item. The body calls its second argument regularly; the call throws if the work has to stop.
    package typealias Body = @Sendable (Int, @escaping () throws(StorageError) -> Void) throws(StorageError) -> Void

    private struct State {
        var nextItem = 0
        var running = 0
        var failure: StorageError?
    }

    private let itemCount: Int
    private let body: Body
    private let state = Locked(State())
    /// The caller waits here for the last items of the other threads.
    private let ended = Parker(spinCount: 0)

    private init(_ itemCount: Int, _ body: @escaping Body) {
        self.itemCount = itemCount
        self.body = body
    }

    /// Runs all items. Returns when every item is done, or throws the first failure when every started item has ended.
    ///
    /// If the system refuses threads, the others do their items.
    ///
    /// - Parameter poll: Called only on the caller's thread: from inside its items, and every 5 ms while it waits for
    ///   the other threads. An error that it throws stops the work.
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

    /// Runs items until none is left.
    private func take(_ poll: @escaping () throws(StorageError) -> Void) {
        while let item = next() {
            do throws(StorageError) {
                try body(item) { [self] () throws(StorageError) in
                    try check()
                    // Records the error, so that an item that continues after errors can't swallow the request to stop.
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

/// A total to which several threads add.
package final class ByteCounter: Sendable {
    private let value = Atomic<UInt64>(0)

    package init() {}

    package func add(_ bytes: UInt64) { value.wrappingAdd(bytes, ordering: .relaxed) }

    package var current: UInt64 { value.load(ordering: .relaxed) }
}
