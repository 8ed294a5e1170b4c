import ShaleBase
package import ShalePlatform

/// A thread in the middle of a call: pinned in an epoch domain from the return of the initializer until ``letGo()``.
package final class PinnedThread {
    private let mayEnd = Parker()
    private let thread: WorkerThread

    /// Starts the thread. Its call ends `lingers` nanoseconds after ``letGo()``.
    package init(in domain: EpochDomain, lingers nanoseconds: UInt64 = 0) throws {
        let hasBegun = Parker()
        thread = try WorkerThread.start(name: "pinned") { [mayEnd] in
            domain.withPin { _ in
                hasBegun.unpark()
                mayEnd.park()
                if nanoseconds > 0 { sleepNanoseconds(nanoseconds) }
            }
        }
        hasBegun.park()
    }

    /// Lets the call end, without waiting for it.
    package func letGo() { mayEnd.unpark() }

    /// Waits for the end of the thread, which comes after ``letGo()``.
    package func join() { thread.join() }
}
