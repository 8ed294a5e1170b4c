import ShaleBase
package import ShalePlatform

/// A thread in the middle of a call: pinned in an epoch domain from the moment that this returns until it is let go.
package final class PinnedThread {
    private let mayEnd = Parker()
    private let thread: WorkerThread

    /// `lingers`: how much longer the call takes once the thread is let go.
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

    /// Does not wait for it.
    package func letGo() { mayEnd.unpark() }

    /// Waits for its end, which comes after ``letGo()``.
    package func join() { thread.join() }
}
