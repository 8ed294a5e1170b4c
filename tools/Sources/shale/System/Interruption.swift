import ShaleEngine
import Synchronization

/// Handles ^C for commands that run until it is pressed: it ends their work, not the process.
enum Interruption {
    private static let flag = Atomic(false)

    static var hasCome: Bool { flag.load(ordering: .relaxed) }

    /// From here on SIGINT and SIGTERM only set ``hasCome``.
    static func catchIt() {
        // Initialized now: a handler must not be the first to access it. The handler only stores to it.
        flag.store(false, ordering: .relaxed)
        // The parent may have left the signals blocked.
        var caught = sigset_t()
        unsafe sigemptyset(&caught)
        for number in [SIGINT, SIGTERM] {
            unsafe sigaddset(&caught, number)
            _ = signal(number) { _ in Interruption.flag.store(true, ordering: .relaxed) }
        }
        unsafe pthread_sigmask(SIG_UNBLOCK, &caught, nil)
    }

    /// Waits until `deadline`. Returns within 0.1 s after a signal.
    static func wait(until deadline: ContinuousClock.Instant) {
        let clock = ContinuousClock()
        while !hasCome {
            let rest = (deadline - clock.now).seconds
            guard rest > 0 else { return }
            // Waits in steps, because a signal that another thread receives does not wake this one.
            usleep(UInt32(min(rest, 0.1) * 1e6))
        }
    }
}

extension Interruption {
    /// The exit code of a command that ended because of it, as shells report SIGINT.
    static let exitCode: Int32 = 130

    /// Throws `.cancelled` with `message` once a signal has come. Long work then ends where nothing is half done.
    static func check(_ message: String) throws(StorageError) {
        guard hasCome else { return }
        throw StorageError(.cancelled, message)
    }

    /// Does the same for work that makes something, and removes it again if it ends early.
    static func checkMaking() throws(StorageError) {
        try check("interrupted: nothing was made, and no partial output is left")
    }
}
